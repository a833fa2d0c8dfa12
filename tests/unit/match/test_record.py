"""A record is packed, unpacked and known by its digest."""

from __future__ import annotations

import bz2
import copy
import zlib
from base64 import b64decode
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from matchbox.dice import deals_from
from matchbox.errors import BadRecord
from matchbox.match.record import (
    Bout,
    Fault,
    Record,
    digest,
    entrant,
    is_of_this_python,
    memories_of,
    pack,
    python_minor,
    unpack,
)

BOUT = Bout(
    0, 1, ["draw", 3, None, {"a": [1]}], [1, 2], [1, 0], "explosion", [Fault(2, 1, "crash")]
)
RECORD = Record("m", "bomb", "1", {"b": 1, "a": "x"}, ["0" * 32], ["1" * 64, "2" * 64], 4, [BOUT])
FOLLOWING = replace(
    RECORD,
    deals=deals_from("ab" * 16, 3),
    bouts=[replace(BOUT, deal=deal) for deal in range(3)],
)
ALL_DEALS_WRITTEN = b64decode(
    b"QlpoOTFBWSZTWSIUPUkAAKrbgHwQEAR8FAAKP+ff6jAAyENNVPZTTKeo9NTTQaYgHqaDCIJPUjagbUHqG1Gj1BjJ"
    b"pkDJoZBkaYEYSxZLlAcAUZLE1ndXOU8Kvwp399tMRBXEOKDIzfQ/wywgcIhwykA+0d2uZehkapqGJ1KmDrE1244u"
    b"iy6l4CAixpKUEgUmBSiTZbbLOXDg6C9oLRRuua8unUCY2iKAfX5paTVDnW3naulvHe8HrxuW6++VJney3+HGa3ls"
    b"QvbpnyFeWKDv2yrNT4TMjKYJYx4qwsR5frSiw2XxW1DARt0vNScR6y/i7kinChIEQoepIKurq6urq6urq6urq6ur"
    b"q6uFaF5fLhB9QzFDiuqIzlnb1/QnjTLArIwfZimGdqSAsw=="
)
"""FOLLOWING packed in bzip2 by a release that stored the deals that follow from the first."""
FIRST_DEAL_WRITTEN = b64decode(
    b"QlpoOTFBWSZTWQoeVPAAAK/bgHwQEAR8FAAKP+ff6jAA+ExE9JpoKeo9E9JkNMmgPUGMmmQMmhkGRpgRgwk0RGo8"
    b"iYIfqg0wmJSpGioBACMmp8Z6d/rLPf3tv2fnT5+/gY0EIQiLrO0nwMdaJ1ohwykA/UbL6HhHIyLpqGJuVSDeKV5+"
    b"mWCLLqXkEBFjNEhABE0gTKTZbbLOOrU5GFoLRRwXFcB+9QKRziJA/u3K1DVHjW3uLLzfhaDWe5wYZrrFyJZ4t3I2"
    b"3CyGZNGfi6hLTc4uPmKorKokxOkgYUNwRxKx4f+vvSJ1kkGCJShrUbDbOp/lBdyRThQkAoeVPACrq6urq6urq6ur"
    b"q6urq6ur"
)
"""FOLLOWING packed in bzip2 by a release that left them out."""


def text_of(record: Record) -> bytes:
    """Returns the uncompressed text of a packed record of one deal, or of deals that follow from
    the first."""
    return zlib.decompress(pack(record)[:-16])


def with_deals(count: int, seeds: int = 1) -> bytes:
    """Returns FOLLOWING packed with another number of deals, and with `seeds` seeds behind it."""
    text = text_of(FOLLOWING)
    return zlib.compress(text.replace(b'"deals":3', b'"deals":%d' % count)) + bytes(16) * seeds


def test_a_packed_record_comes_back() -> None:
    assert unpack(pack(RECORD)) == RECORD


def test_every_kind_of_move_comes_back_as_itself() -> None:
    moves = [1, True, "1", "true", None, [1], [True], {"a": 0}, {"a": False}, "\0", "\n", "é"]
    bouts = [replace(BOUT, deal=deal, moves=moves[deal:]) for deal in range(3)]
    deals = [f"{number:032x}" for number in range(3)]
    record = replace(RECORD, options={}, bouts=bouts, deals=deals)
    assert msgspec.json.encode(unpack(pack(record))) == msgspec.json.encode(record)


@pytest.mark.parametrize("listed", [False, True])
def test_equal_moves_are_written_down_once(listed: bool) -> None:
    """A list that only some bouts hold counts as well, so the other moves need not be JSON."""
    moves: list[Any] = ["1", 1, True, 1.0, None, "1", 1, True, 1.0, None]
    bouts = [replace(BOUT, moves=moves), replace(BOUT, deal=1, moves=[*moves, *[["1"]] * listed])]
    head, _, columns = text_of(replace(RECORD, bouts=bouts)).partition(b"\n")
    written = [*moves[:5], *[["1"]] * listed]
    assert repr(msgspec.json.decode(head)["moves"]) == repr(written)
    told = bytes(range(1, 6)) * 2
    assert columns.endswith(told + b"\0" + told + b"\6" * listed + b"\0")


def test_moves_that_are_one_object_are_written_as_those_that_are_equal() -> None:
    shared: list[Any] = ["land", ["tap", 1], ["tap", True], {"a": 1}, 1, True, "[1]", ["tap", 1]]
    bouts = [replace(BOUT, deal=deal, moves=shared[deal % 4 :] * 2) for deal in range(9)]
    own = [replace(bout, moves=copy.deepcopy(bout.moves)) for bout in bouts]
    deals = [f"{number:032x}" for number in range(9)]
    records = [replace(RECORD, bouts=those, deals=deals) for those in (bouts, own)]
    assert pack(records[0]) == pack(records[1])
    assert repr(unpack(pack(records[0])).bouts) == repr(bouts)


def test_many_different_lists_come_back() -> None:
    bouts = [replace(BOUT, deal=deal, moves=[["x", deal], ["y", deal]]) for deal in range(2000)]
    assert unpack(pack(replace(RECORD, bouts=bouts))).bouts == bouts


def test_many_different_moves_come_back() -> None:
    bout = replace(BOUT, moves=list(range(60_000)))
    assert unpack(pack(replace(RECORD, bouts=[bout]))).bouts == [bout]


def test_equal_records_are_packed_to_equal_bytes() -> None:
    assert pack(RECORD) == pack(replace(RECORD, options={"a": "x", "b": 1}))


@pytest.mark.parametrize("stored", [ALL_DEALS_WRITTEN, FIRST_DEAL_WRITTEN])
def test_what_was_stored_once_can_be_read(stored: bytes) -> None:
    assert unpack(stored) == FOLLOWING


@pytest.mark.parametrize(
    "deals",
    [
        [],
        FOLLOWING.deals[:1],
        FOLLOWING.deals[1:],
        FOLLOWING.deals[::-1],
        [*FOLLOWING.deals[:2], "0" * 32],
        deals_from("ab" * 16, 4),
    ],
    ids=["none", "one", "not from the first", "reversed", "one differs", "more than bouts"],
)
def test_deals_that_do_not_follow_are_written(deals: list[str]) -> None:
    packed = pack(replace(FOLLOWING, deals=deals))
    assert packed.endswith(bytes.fromhex("".join(deals)))
    assert unpack(packed).deals == deals


def test_of_deals_that_follow_only_the_first_is_written() -> None:
    packed = pack(FOLLOWING)
    assert packed.endswith(bytes.fromhex("ab" * 16))
    assert len(packed) < len(ALL_DEALS_WRITTEN)
    assert unpack(packed) == FOLLOWING


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
    """Standings and proofs of old matches depend on this digest."""
    assert digest(RECORD)[:16] == "6aa96d552b26f371"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no record",
        zlib.compress(b"{}"),
        bz2.compress(b"{}"),
        zlib.compress(b"[" * 100_000),
        zlib.compress(msgspec.json.encode(RECORD) + b"\n"),
        zlib.compress(text_of(RECORD)[:-5]),
        zlib.compress(text_of(RECORD) + b"x"),
        zlib.compress(text_of(RECORD))[:-4],
        zlib.compress(text_of(RECORD).replace(b'"draw",', b"")),
        pack(RECORD)[:100],
        FIRST_DEAL_WRITTEN[:100],
        zlib.compress(b" " * (65 << 20)),
        bz2.compress(b" " * (65 << 20)),
        pack(FOLLOWING)[:-1],
        with_deals(3, seeds=2),
        with_deals(4),
        with_deals(-3),
        zlib.compress(text_of(RECORD).replace(b'"bouts":1', b'"bouts":1,"more":1')),
    ],
    ids=[
        "empty",
        "not compressed",
        "no record",
        "no record in bzip2",
        "deep",
        "no head",
        "no moves",
        "more than its moves",
        "no checksum",
        "a move too few",
        "cut short",
        "cut short in bzip2",
        "a bomb",
        "a bomb in bzip2",
        "half a deal",
        "a deal too many",
        "deals without bouts",
        "negative",
        "another layout",
    ],
)
def test_anything_else_is_no_record(data: bytes) -> None:
    with pytest.raises(BadRecord):
        unpack(data)


def test_a_head_has_a_limit_of_its_own() -> None:
    data = pack(replace(RECORD, bouts=[replace(RECORD.bouts[0], moves=[[[]] * 1000])]))
    assert unpack(data, most_bytes=4000)
    with pytest.raises(BadRecord, match="a head longer than 2000 bytes"):
        unpack(data, most_bytes=4000, most_head=2000)


def test_a_match_without_memories_names_none() -> None:
    assert memories_of([None, None]) is msgspec.UNSET
    assert memories_of([None, "ab"]) == ["", "ab"]


def test_a_record_of_another_schema_is_refused_by_name() -> None:
    later = pack(replace(RECORD, schema=2))
    with pytest.raises(BadRecord, match="schema"):
        unpack(later)


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


def test_a_record_is_of_this_python_unless_it_names_another() -> None:
    assert is_of_this_python(replace(RECORD, python=""))
    assert is_of_this_python(replace(RECORD, python=python_minor()))
    assert not is_of_this_python(replace(RECORD, python="3.1"))
