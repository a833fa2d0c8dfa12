"""A bot's memory: given to its players, learned from records, named in the record."""

from __future__ import annotations

import json
import marshal
from base64 import b64encode
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox.errors import BadMessage, SeatFault
from matchbox.match import frames
from matchbox.match import record as records
from matchbox.match.memory import MEMORY_BYTES
from matchbox.match.memory import learns as learns_by
from matchbox.match.replay import job_of
from matchbox.match.seat import LocalChannel
from matchbox.match.wire import Entrant
from tests.builders import a_job, play_scripted
from tests.fakes import Race

NAME = "ab" * 32
HEAD = "from matchbox.games.bomb import *\n\n\nclass Mine(SimplePlayer):\n"


def talk(body: str, *asked: bytes, memory: bytes = b"") -> list[Any]:
    """Returns the answers of a seat with this bot of bomb to these frames, after it was loaded."""
    files = {"player.py": (HEAD + body).encode()}
    load = frames.load_frame("matchbox.games.bomb", files, None, "00", memory)
    channel = LocalChannel()
    try:
        assert json.loads(channel.ask(load)) == ["loaded", "Mine"]
        return [json.loads(channel.ask(frame)) for frame in asked]
    finally:
        channel.close()


def learned(body: str, *told: bytes, memory: bytes = b"") -> bytes:
    """Returns the memory that a bot with this `learn` makes of these records."""
    method = f"    @staticmethod\n    def learn(memory, records):\n        {body}\n"
    (said,) = talk(method, frames.learn_frame(told), memory=memory)
    return frames.read_learned(json.dumps(said).encode())


def test_a_bot_says_whether_it_learns() -> None:
    for body, learns in (("    pass\n", False), ("    def learn(memory, records): ...\n", True)):
        (said,) = talk(body, frames.learns_frame())
        assert frames.read_learns(json.dumps(said).encode()) is learns


@pytest.mark.parametrize(
    ("bundle", "learns"),
    [
        ({"player.py": b"open('kept.txt')"}, True),
        ({"player.py": b"import more", "more.py": b'open("kept.txt")'}, True),
        ({"player.py": b"open('other.txt')"}, False),
    ],
)
def test_a_games_own_learn_is_for_bots_that_read_what_they_remember(
    bundle: dict[str, bytes], learns: bool
) -> None:
    class Base:
        @staticmethod
        def learn(memory: bytes, records: list[Any]) -> bytes:
            return memory

    class Mine(Base):
        pass

    class Taught(Base):
        @staticmethod
        def learn(memory: bytes, records: list[Any]) -> bytes:
            return b"mine"

    kept = {"kept.txt": b""}
    assert learns_by(Mine, Base, bundle, kept) is learns
    assert learns_by(Taught, Base, bundle, kept)
    assert not learns_by(Mine, Base, bundle, ())
    assert not learns_by(object, object, bundle, kept)


def test_it_learns_from_its_old_memory_and_the_records() -> None:
    body = "return memory + b'|'.join(r['why'].encode() for r in records)"
    told = (b'{"why": "explosion"}', b'{"why": "crash"}')
    assert learned(body, *told, memory=b"before: ") == b"before: explosion|crash"


@pytest.mark.parametrize(
    "body, kind, told",
    [
        ("return 'text'", "protocol", "learn() returned str; it must return bytes"),
        ("pass", "protocol", "learn() returned NoneType"),
        (
            "return bytes(1 << 20)",
            "protocol",
            f"1048576 bytes; a memory has at most {MEMORY_BYTES}",
        ),
        ("return memory[0]", "crash", "IndexError"),
        ("raise MemoryError", "memory", "MemoryError"),
        ("raise SystemExit", "crash", "SystemExit"),
    ],
)
def test_what_is_no_memory_is_a_fault_with_a_sentence(body: str, kind: str, told: str) -> None:
    with pytest.raises(SeatFault) as raised:
        learned(body)
    assert raised.value.kind == kind
    assert told in raised.value.detail


def test_the_longest_memory_is_one() -> None:
    assert learned(f"return bytes({MEMORY_BYTES})") == bytes(MEMORY_BYTES)


def test_every_new_player_is_told_what_its_bot_remembers_before_its_first_decision() -> None:
    body = (
        "    def remember(self, memory):\n        self.known = len(memory)\n"
        "    def defuse(self, game_data):\n        return self.known\n"
    )
    view = {"ask": "defuse", "hand": dict.fromkeys(
        ("defuse", "skip", "bottom", "shuffle", "see", "nothing"), 0
    ), "pile": 9, "other": 5, "discard": []}  # fmt: skip
    asked = frames.ask_frame(1, [(0, view, "00"), (1, view, "01")], [])
    for memory in (b"", b"four"):
        (said,) = talk(body, asked, memory=memory)
        assert said == ["say", 1, [len(memory)] * 2, []]


def test_what_is_no_method_neither_learns_nor_gets_the_memory() -> None:
    body = "    learn = True\n    def __init__(self):\n        self.remember = {}\n"
    view = {"ask": "turn", "hand": {}, "pile": 9, "other": 5, "discard": []}
    told = talk(body, frames.learns_frame(), frames.ask_frame(1, [(0, view, "00")], []))
    assert told == [["learns", False], ["say", 1, ["draw"], []]]


def test_a_memory_that_is_too_long_is_refused_by_its_length() -> None:
    with pytest.raises(BadMessage, match=f"at most {MEMORY_BYTES} bytes, and this one 65537"):
        frames.load_frame("package", {}, None, "00", bytes(MEMORY_BYTES + 1))


@pytest.mark.parametrize(
    "said",
    [
        ["learned", "no base64!"],
        ["learned", b64encode(bytes(MEMORY_BYTES + 1)).decode()],
        ["learned", 5],
        ["fault", "timeout", "a seat cannot see this of itself"],
        ["loaded", "Mine"],
    ],
)
def test_a_seat_that_forges_its_answer_has_learned_nothing(said: list[Any]) -> None:
    with pytest.raises(SeatFault, match="protocol"):
        frames.read_learned(json.dumps(said).encode())


def test_a_seat_that_does_not_say_whether_it_learns_is_at_fault() -> None:
    with pytest.raises(SeatFault, match="protocol"):
        frames.read_learns(b'["learns", 1]')


def test_a_frame_of_records_holds_them_as_they_are() -> None:
    assert marshal.loads(frames.learn_frame([b"{}", b"[]"])) == ["learn", [b"{}", b"[]"]]


def test_the_record_names_every_entrants_memory_and_only_where_there_is_one() -> None:
    race = Race()
    bare = a_job(race)
    named = replace(bare, seats=[Entrant(bare.seats[0].version, None, NAME), bare.seats[1]])
    decide = {0: lambda view: 3, 1: lambda view: 3}
    one, two = (play_scripted(race, job, decide)[0].record for job in (bare, named))
    assert b"memories" not in records._encode(one)
    assert two.memories == [NAME, ""]
    assert records.digest(one) != records.digest(two)
    assert records.unpack(records.pack(two)) == two
    assert [seat.memory for seat in job_of(two).seats] == [NAME, None]
    assert [seat.memory for seat in job_of(one).seats] == [None, None]
