"""A record is packed, unpacked and known by its digest."""

from __future__ import annotations

import bz2

import msgspec
import pytest
from msgspec.structs import replace

from matchbox.errors import BadRecord
from matchbox.match.record import (
    Bout,
    Fault,
    Record,
    digest,
    entrant,
    pack,
    python_minor,
    unpack,
)

BOUT = Bout(
    0, 1, ["draw", 3, None, {"a": [1]}], [1, 2], [1, 0], "explosion", [Fault(2, 1, "crash")]
)
RECORD = Record("m", "bomb", "1", {"b": 1, "a": "x"}, ["0" * 32], ["1" * 64, "2" * 64], 4, [BOUT])


def test_a_packed_record_comes_back() -> None:
    assert unpack(pack(RECORD)) == RECORD


def test_every_kind_of_move_comes_back_as_itself() -> None:
    moves = [1, True, "1", "true", None, [1], [True], {"a": 0}, {"a": False}, "\0", "\n", "é"]
    bouts = [replace(BOUT, deal=deal, moves=moves[deal:]) for deal in range(3)]
    deals = [f"{number:032x}" for number in range(3)]
    record = replace(RECORD, options={}, bouts=bouts, deals=deals)
    assert msgspec.json.encode(unpack(pack(record))) == msgspec.json.encode(record)


def test_many_different_moves_come_back() -> None:
    bout = replace(BOUT, moves=list(range(60_000)))
    assert unpack(pack(replace(RECORD, bouts=[bout]))).bouts == [bout]


def test_equal_records_are_packed_to_equal_bytes() -> None:
    assert pack(RECORD) == pack(replace(RECORD, options={"a": "x", "b": 1}))


def test_the_digest_leaves_out_what_was_not_played() -> None:
    assert digest(RECORD) == digest(replace(RECORD, python="3.99", libraries={"greenlet": "1"}))
    assert len(digest(RECORD)) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"match": "n"}, {"game": "war"}, {"rules": "2"}, {"options": {}}, {"deals": ["1" * 32]},
        {"seats": ["3" * 64, "2" * 64]}, {"width": 1}, {"bouts": []},
        {"bouts": [replace(BOUT, moves=["draw"])]}, {"bouts": [replace(BOUT, faults=[])]},
    ],
    ids=str,
)  # fmt: skip
def test_the_digest_holds_all_that_was_played(change: dict[str, object]) -> None:
    assert digest(replace(RECORD, **change)) != digest(RECORD)


def test_the_digest_stays_what_it_is() -> None:
    """Standings and proofs of old matches rest on it."""
    assert digest(RECORD)[:16] == "6aa96d552b26f371"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no record",
        bz2.compress(b"{}"),
        bz2.compress(b"[" * 100_000),
        bz2.compress(msgspec.json.encode(RECORD) + b"\n"),
        bz2.compress(bz2.decompress(pack(RECORD)[:-16])[:-5]),
        pack(RECORD)[:100],
        bz2.compress(b" " * (65 << 20)),
    ],
    ids=["empty", "no bzip2", "no record", "deep", "no head", "no moves", "cut short", "a bomb"],
)
def test_anything_else_is_no_record(data: bytes) -> None:
    with pytest.raises(BadRecord):
        unpack(data)


def test_seats_rotate() -> None:
    assert [[entrant(seat, rotation, 3) for seat in range(3)] for rotation in range(3)] == [
        [0, 1, 2], [1, 2, 0], [2, 0, 1],
    ]  # fmt: skip


def test_the_first_fault_forfeits() -> None:
    assert BOUT.forfeit == 1
    assert replace(BOUT, faults=[]).forfeit is None


def test_the_python_is_named_by_its_minor_version() -> None:
    major, minor = python_minor().split(".")
    assert int(major) >= 3
    assert int(minor) >= 0
