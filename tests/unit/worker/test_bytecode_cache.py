"""A bot's code is compiled once in a seat of its own, passed on unread, and without effect on
play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from matchbox.errors import SeatFault
from matchbox.match import record as records
from matchbox.match.wire import MatchPlayed
from sandbox.box import Box
from sandbox.policy import Limits
from tests.builders import open_box
from tests.unit.worker.bots import text, turning
from tests.unit.worker.conftest import BRIEF, LIMITS, a_match, by_digest
from worker.arena import bytecode_cache, play
from worker.arena.bytecode_cache import (
    KEPT_BYTES,
    NO_BYTECODE,
    SHORTEST_BYTES,
    Bytecode,
    BytecodeCache,
    bytecode_cache_of,
)
from worker.arena.play import play_job

PADDING = b"# " + b"so much to say of it " * 100
LONG = turning("return None") + PADDING
OTHER = turning("return None  # as the other") + PADDING
BOMB = text("value = " + "-" * 20_000 + "1", "class Bot(SimplePlayer): pass")
WRONG = PADDING + b"\nclass Bot(:\n"
TOLD = PADDING + b"\n" + text("class Bot(SimplePlayer): pass", "same = 1000 is 1000")
ENDLESS = text("class Bot(SimplePlayer): pass") + PADDING + b"\nwhile True: pass\n"


@pytest.fixture
def fresh() -> Iterator[Box]:
    """A box that no bot has played in."""
    with open_box("auto") as opened:
        yield opened


def played(box: Box, *bundles: bytes, **given: Any) -> MatchPlayed:
    return play_job(a_match(*bundles, **given), by_digest(*bundles), box)


def test_a_bot_is_compiled_once_while_its_box_is_open(fresh: Box) -> None:
    first = played(fresh, LONG, OTHER)
    kept = bytecode_cache_of(fresh)
    spent = kept.spent_ms
    assert spent > 0
    assert all(kept.get(main, fresh, Limits()).data for main in (LONG, OTHER))
    again = played(fresh, LONG, OTHER)
    assert kept.spent_ms == spent
    assert again.record == first.record
    assert sum(first.cpu_ms) > spent


@pytest.mark.parametrize("source", [LONG, BOMB, WRONG, TOLD, ENDLESS])
def test_it_comes_out_as_where_every_seat_compiles(
    box: Box, source: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # How often a broken bot is loaded, and so what it prints, depends on the order of rotations.
    monkeypatch.setattr(play, "shuffled", tuple)
    limits = BRIEF if source is ENDLESS else LIMITS
    once = played(box, source, OTHER, limits=limits)
    monkeypatch.setattr(bytecode_cache, "SHORTEST_BYTES", 1 << 20)
    every = played(box, source, OTHER, limits=limits)
    assert records.digest(records.unpack(once.record)) == records.digest(
        records.unpack(every.record)
    )
    assert [note.kind for note in once.notes] == [note.kind for note in every.notes]
    if source is not ENDLESS:
        assert once.notes == every.notes
        assert once.logs == every.logs


@pytest.mark.parametrize(
    "source",
    [BOMB, WRONG, TOLD, PADDING + b"\nx = " + b"(" * 500],
)
def test_what_there_is_something_to_say_about_leaves_no_code(fresh: Box, source: bytes) -> None:
    kept = BytecodeCache()
    assert kept.get(source, fresh, Limits(start_cpu_ms=1000)).data == b""
    spent = kept.spent_ms
    assert kept.get(source, fresh, Limits(start_cpu_ms=1000)).data == b""
    assert kept.spent_ms == spent


def test_a_short_file_is_not_worth_a_seat(fresh: Box) -> None:
    assert bytecode_cache_of(fresh).get(LONG[: SHORTEST_BYTES - 1], fresh, Limits()) is NO_BYTECODE


def test_who_is_spared_compiling_has_so_much_less_time_for_loading() -> None:
    limits = Limits(start_cpu_ms=100)
    assert Bytecode(b"code", 40.5).remaining_limits(limits).start_cpu_ms == 60
    assert Bytecode(b"", 40.5).remaining_limits(limits) == limits


@dataclass
class FakeSeat:
    """A seat with a compromised compiler, which answers what it likes."""

    answer: bytes
    asked: list[bytes] = field(default_factory=list)
    cpu_ms = 1.0
    closed = False

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        self.asked.append(frame)
        return self.answer

    def close(self) -> None:
        self.closed = True


class FakeBox:
    """A box whose seats answer anything."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.opened: list[FakeSeat] = []

    def seat(self, limits: Limits) -> Any:
        self.opened.append(FakeSeat(self.answer))
        return self.opened[-1]


def test_a_seat_that_compiles_is_told_the_source_alone_and_is_over_after_it() -> None:
    box: Any = FakeBox(b"\x00 anything")
    assert BytecodeCache().get(LONG, box, Limits()).data == b"\x00 anything"
    (seat,) = box.opened
    assert seat.closed
    assert len(seat.asked) == 1
    assert len(seat.asked[0]) < len(LONG) + 100


def test_code_is_handed_to_the_very_same_source_alone() -> None:
    kept = BytecodeCache()
    first: Any = FakeBox(b"first")
    second: Any = FakeBox(b"second")
    assert kept.get(LONG, first, Limits()).data == b"first"
    assert kept.get(LONG + b"\n", second, Limits()).data == b"second"
    assert kept.get(LONG, second, Limits()).data == b"first"


def test_a_fault_of_the_platform_says_nothing_about_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, box = BytecodeCache(), FakeBox(b"code")

    def ask(seat: FakeSeat, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        raise SeatFault("platform", "the machine gave the bot no time")

    with monkeypatch.context() as patch:
        patch.setattr(FakeSeat, "ask", ask)
        with pytest.raises(SeatFault, match="no time"):
            kept.get(LONG, cast("Box", box), Limits())
    assert box.opened[0].closed
    assert kept.get(LONG, cast("Box", box), Limits()).data == b"code"


def test_no_more_is_kept_than_has_room() -> None:
    kept = BytecodeCache()
    box: Any = FakeBox(bytes(80_000))
    for number in range(100):
        kept.get(LONG + b"#%d" % number, box, Limits())
    held = sum(len(main) + len(code.data) for main, code in kept._kept.items())
    assert KEPT_BYTES - 100_000 < held <= KEPT_BYTES
    assert kept.get(LONG + b"#99", box, Limits()) is kept._kept[LONG + b"#99"]


def test_an_answer_that_is_no_code_is_the_fault_of_its_bot(fresh: Box) -> None:
    bytecode_cache_of(fresh)._kept[LONG] = Bytecode(b"\x00 anything", 1.0)
    done = played(fresh, LONG, OTHER, deals=1)
    assert {(note.entrant, note.kind) for note in done.notes} == {(0, "crash")}
