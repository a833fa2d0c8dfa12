"""A bot that learns gives the same in every box, within limits, and a fault costs nothing."""

from __future__ import annotations

import json
import random

import pytest

from matchbox.bundle import digest
from matchbox.errors import BadMessage, SeatFault
from matchbox.match import record as records
from matchbox.match import replay
from matchbox.match.learning import Lessons
from matchbox.match.seat import LocalChannel
from matchbox.match.wire import Entrant
from matchbox.registry import game
from sandbox.box import Box
from sandbox.policy import LEARN_CPU_MS, LEARN_MEMORY_MB, Limits, learning_limits
from tests.unit.worker.bots import text
from tests.unit.worker.conftest import LIMITS, a_match, a_try_out, by_digest
from worker.arena.learning import LearnResult, learn
from worker.arena.match_seats import MatchSeats
from worker.arena.play import play_job
from worker.arena.tryout import try_out

RECORDS = [json.dumps({"places": [1, 2], "number": n}).encode() for n in range(3)]
HOARDING = text(
    "class Bot(ScaredPlayer):",
    "    def remember(self, memory):",
    "        self.known = len(memory)",
    "    def turn(self, game_data, play_a_card):",
    "        return None if self.known else super().turn(game_data, play_a_card)",
)


def learner(*body: str) -> bytes:
    """Returns a bot of bomb with that `learn`."""
    lines = ["@staticmethod", "def learn(memory, records):", *(f"    {line}" for line in body)]
    return text("import random", "class Bot(SimplePlayer):", *(f"    {line}" for line in lines))


def taught(bundle: bytes, box: Box | None, memory: bytes = b"") -> LearnResult:
    """Lets the bot learn from three records."""
    return learn(
        "bomb", bundle, Entrant(digest(bundle)), memory, lambda: Lessons(RECORDS, 0),
        seed="5e" * 32, limits=LIMITS, box=box,
    )  # fmt: skip


def test_a_box_and_this_process_learn_the_same(box: Box) -> None:
    bundle = learner("return memory + b'%d %d' % (len(records), random.randrange(10**9))")
    boxed, bare = (taught(bundle, place, b"old ") for place in (box, None))
    assert boxed.memory == bare.memory
    assert boxed.memory.startswith(b"old 3 ")
    assert boxed.fault is None
    assert random.random.__name__ == "random"


def test_a_bot_without_learn_is_not_even_given_records(box: Box) -> None:
    def lesson() -> Lessons:
        raise AssertionError("nobody asked")

    bundle = text("class Bot(SimplePlayer): pass")
    done = learn("bomb", bundle, Entrant(digest(bundle)), b"old", lesson,
                 seed="00" * 32, limits=LIMITS, box=box)  # fmt: skip
    assert done == LearnResult(b"old", None, "", learns=False)


@pytest.mark.parametrize(
    ("body", "kind", "told"),
    [
        ("return records[7]", "crash", "IndexError"),
        ("return {}", "protocol", "learn() returned dict; it must return bytes"),
        ("return bytes(1 << 20)", "protocol", "learn() returned 1048576 bytes"),
        ("x = bytearray(600 << 20); return b''", "memory", "MemoryError"),
        ("import os; os._exit(3)", "crash", "ended with exit code 3"),
    ],
)
def test_a_fault_keeps_the_old_memory_and_says_why(
    box: Box, body: str, kind: str, told: str
) -> None:
    done = taught(learner("print('I try')", body), box, b"old")
    assert done.memory == b"old"
    assert done.fault is not None
    assert (done.fault.kind, told in done.fault.detail) == (kind, True)
    assert done.learns


def test_a_fault_of_the_platform_is_no_fault_of_the_learner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ask(channel: LocalChannel, frame: bytes, **more: object) -> bytes:
        raise SeatFault("platform", "no memory")

    monkeypatch.setattr(LocalChannel, "ask", ask)
    with pytest.raises(SeatFault, match="no memory"):
        taught(learner("return b'new'"), None, b"old")


def test_learning_has_more_memory_and_time_than_a_seat(box: Box) -> None:
    assert taught(learner("x = bytearray(300 << 20); return b'done'"), box).memory == b"done"
    allowed = learning_limits(Limits(**LIMITS))
    assert (allowed.cpu_ms, allowed.memory_mb) == (LEARN_CPU_MS, LEARN_MEMORY_MB)
    assert (allowed.start_cpu_ms, allowed.log_bytes) == (LIMITS["start_cpu_ms"], 4096)


def test_a_match_with_memories_names_them_and_is_verified_with_them_alone(box: Box) -> None:
    memory = b"what I know"
    other = text("class Other(MediumPlayer): pass")
    bundles = by_digest(HOARDING, other)
    job = a_match(HOARDING, other)
    seats = [Entrant(digest(HOARDING), None, digest(memory)), Entrant(digest(other))]
    named = a_match(HOARDING, other, seats=seats)
    with pytest.raises(BadMessage, match=r"the memory .* was not handed over"):
        play_job(named, bundles, box)
    known = {digest(memory): memory}
    boxed, bare = (
        records.unpack(play_job(named, bundles, place, memories=known).record)
        for place in (box, None)
    )
    assert records.digest(boxed) == records.digest(bare)
    assert boxed.memories == [digest(memory), ""]
    without = records.unpack(play_job(job, bundles, box).record)
    assert [one.moves for one in without.bouts] != [one.moves for one in boxed.bouts]
    table = MatchSeats(replay.job_of(boxed), bundles, box, memories=known)
    assert replay.compare(game("bomb"), boxed, table.open_player).verdict == "same"
    table = MatchSeats(replay.job_of(boxed), bundles, box, memories={digest(memory): b""})
    assert replay.compare(game("bomb"), boxed, table.open_player).verdict == "different"


def test_a_try_out_lets_the_bot_learn_once_and_play_with_what_it_remembers(box: Box) -> None:
    bundle = learner("assert len(records) == 4; return b'all'")
    report = try_out(a_try_out(bundle), bundle, box)
    assert (report.accepted, report.reasons, report.games) == (True, [], 10)


def test_a_learn_that_fails_is_a_warning_with_its_line(box: Box) -> None:
    bundle = learner("return records[9]")
    report = try_out(a_try_out(bundle), bundle, box)
    assert (report.accepted, report.verdict, report.games) == (True, "accepted", 8)
    assert report.reasons == [
        "The bot is accepted, but its learn(memory, records) failed on the bouts of this try-out "
        "(player.py, line 8, in learn): IndexError: list index out of range. No bout is lost by "
        "this, but the bot would keep its old memory."
    ]


def test_a_bot_that_cannot_bear_its_memory_is_refused(box: Box) -> None:
    bears = b"    def remember(self, memory): assert not memory, 'too much to bear'\n"
    bundle = learner("return b'something'") + bears
    report = try_out(a_try_out(bundle), bundle, box)
    assert (report.accepted, report.verdict) == (False, "crash")
    assert "line 9, in remember" in report.reasons[0]
    assert "too much to bear" in report.reasons[0]
