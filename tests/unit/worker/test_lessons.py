"""An arena's lesson: it fetches records and memory, and sends the new memory."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from matchbox.bundle import digest
from matchbox.match import wire
from matchbox.match.wire import Entrant, Learned, Lost, MatchPlayed, Teach, TriedOut
from sandbox.box import Box
from tests.unit.worker.bots import GOOD, text
from tests.unit.worker.conftest import LIMITS, DeadBox, a_match, a_try_out
from tests.unit.worker.test_tasks import World, plain
from worker.arena import learning
from worker.arena.play import play_job
from worker.arena.tasks import Arena, Requeue

OTHER = text("class Bot(ScaredPlayer):", "    pass")
LEARN = "    @staticmethod\n    def learn(memory, records):\n        {}\n"
BROKEN = LEARN.format("print('oh'); return 1 / 0")
PUPIL = GOOD.rstrip() + "\n\n" + LEARN.format("return memory + b'%d' % len(records)")


def a_lesson(bundle: bytes, memory: bytes = b"") -> tuple[World, Teach]:
    """A server on which the bot has played a match, and the lesson on it."""
    job = a_match(bundle, OTHER, match="ab" * 16)
    record = play_job(job, {digest(bundle): bundle, digest(OTHER): OTHER}, None).record
    world = World(bundle, OTHER, memory)
    world.keep("ab" * 16, record)
    return world, Teach(
        attempt=1,
        token="token",
        game="bomb",
        limits=LIMITS,
        lesson="lesson:7",
        pupil=Entrant(digest(bundle), None, digest(memory) if memory else None),
        key="0" * 64,
        played={"ab" * 16: 0},
    )


def given(box: Any, world: World, job: Teach) -> Learned:
    """Gives the lesson; returns the message that the arena sends."""
    Arena(world.client, box, world.send).run(wire.LEARN, plain(job))
    ((task, message),) = world.sent
    assert task == wire.REMEMBER
    assert {(one["kind"], one["subject"]) for one in world.claimed} == {("lesson", "lesson:7")}
    return wire.from_plain(Learned, message)


@pytest.mark.parametrize(("memory", "new"), [(b"", b"4"), (b"old ", b"old 4")])
def test_a_lesson_is_claimed_given_and_sent(box: Box, memory: bytes, new: bytes) -> None:
    learned = given(box, *a_lesson(PUPIL.encode(), memory))
    assert (learned.learns, learned.memory, learned.fault, learned.records) == (True, new, None, 4)


def test_an_arena_that_is_stopping_gives_a_lesson_back_before_the_bot_is_asked(box: Box) -> None:
    world, job = a_lesson(PUPIL.encode())
    asked = iter((False, False, True))
    arena = Arena(world.client, box, world.send, lambda: next(asked))
    with pytest.raises(Requeue, match="stopping"):
        arena.run(wire.LEARN, plain(job))
    assert world.sent == []


def test_a_fault_brings_the_old_memory_back_and_says_why(box: Box) -> None:
    source = GOOD.rstrip() + "\n\n" + BROKEN
    learned = given(box, *a_lesson(source.encode(), b"old"))
    assert (learned.memory, learned.fault) == (b"old", "crash")
    assert "oh\n" in learned.log
    assert "ZeroDivisionError" in learned.detail


def test_who_does_not_learn_says_so(box: Box) -> None:
    learned = given(box, *a_lesson(GOOD.encode()))
    assert (learned.learns, learned.records) == (False, 0)


def test_a_lesson_in_a_broken_box_is_lost() -> None:
    world, job = a_lesson(PUPIL.encode())
    box: Any = DeadBox()
    Arena(world.client, box, world.send).run(wire.LEARN, plain(job))
    ((task, message),) = world.sent
    lost = wire.from_plain(Lost, message)
    assert (task, lost.subject) == (wire.LOST, "lesson:7")


def test_a_match_is_played_with_the_memories_of_its_job(box: Box) -> None:
    world = World(GOOD.encode(), OTHER, b"old")
    seats = [Entrant(digest(GOOD.encode()), None, digest(b"old")), Entrant(digest(OTHER))]
    job = a_match(GOOD.encode(), OTHER, seats=seats)
    Arena(world.client, box, world.send).run(wire.PLAY_MATCH, plain(job))
    ((task, message),) = world.sent
    assert (task, wire.from_plain(MatchPlayed, message).match) == (wire.RECORD, "match")


def test_a_lesson_fetches_no_more_matches_than_it_has_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bundle, played = PUPIL.encode(), {}
    for name in ("cc", "aa", "bb"):
        match = a_match(bundle, OTHER, match=name * 16)
        played[name * 16] = play_job(match, {digest(bundle): bundle, digest(OTHER): OTHER}, None)
    _, job = a_lesson(bundle)
    fetched: list[str] = []

    def record(match: str) -> bytes:
        fetched.append(match[:2])
        return played[match].record

    monkeypatch.setattr(learning, "MAX_RECORDS", 8)
    job = replace(job, played=dict.fromkeys(played, 0))
    given = learning.give_lesson(job, bundle, b"", record, None)
    assert (fetched, given.records) == (["aa", "bb"], 8)


@pytest.mark.parametrize(("source", "learns"), [(PUPIL, True), (GOOD, False)])
def test_a_try_out_finds_out_who_learns(box: Box, source: str, learns: bool) -> None:
    world = World(source.encode())
    Arena(world.client, box, world.send).run(wire.TRY_OUT, plain(a_try_out(source.encode())))
    ((_, message),) = world.sent
    assert wire.from_plain(TriedOut, message).learns is learns
