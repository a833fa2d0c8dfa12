"""Lets a bot learn between two rounds, in a box with limits of its own.

Passes records to the bot's `learn`. After a fault the bot keeps its old memory, and its author is
told why. A fault costs the bot nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.errors import SeatFault
from matchbox.match import frames, wire
from matchbox.match.learning import MAX_RECORDS, Lessons, Own, lessons
from matchbox.match.output import plain
from matchbox.match.record import unpack
from matchbox.match.seat import LocalChannel
from matchbox.match.wire import Entrant
from sandbox.policy import learning_limits
from worker.arena.match_seats import cut, libraries_of, opener_in_box, parse_limits

if TYPE_CHECKING:
    from matchbox.match.wire import Teach
    from sandbox.box import Box


@dataclass(frozen=True, slots=True)
class LearnResult:
    """A bot's memory from now on. If `learn` failed, it is the old memory, with the fault."""

    memory: bytes
    fault: SeatFault | None
    log: str
    """The bot's output while it learned."""
    learns: bool = True
    """False for a bot without a `learn`."""
    records: int = 0
    """The number of bouts that it was given, even if `learn` failed."""
    left_out: int = 0
    """The number of bouts that were left out, because a lesson has a limit."""


def learn(
    game: str,
    bundle: bytes,
    entrant: Entrant,
    memory: bytes,
    lesson: Callable[[], Lessons],
    *,
    seed: str,
    limits: Mapping[str, int],
    box: Box | None,
    watch: Callable[[], None] = lambda: None,
) -> LearnResult:
    """The bot's new memory. `lesson` is called only if the bot learns.

    `seed` is for random numbers, 64 hex digits. `limits` are those of a seat; learning has larger
    ones. `watch` is called before each of the bot's answers. Raises SeatFault("platform"),
    BadBundle, BadMessage, and anything that `lesson` and `watch` raise.
    """
    allowed = learning_limits(parse_limits(limits))
    package, files = registry.package_of(game), read_bundle(bundle).files
    frame = frames.load_frame(
        package, files, entrant.class_name, seed, memory, libraries=libraries_of(box)
    )
    given = Lessons([], 0)
    channel = LocalChannel() if box is None else opener_in_box(box, allowed)()
    with closing(channel):
        try:
            watch()
            frames.read_loaded(channel.ask(frame, start=True))
            watch()
            if not frames.read_learns(channel.ask(frames.learns_frame())):
                return LearnResult(memory, None, "", learns=False)
            given = lesson()
            asked = frames.learn_frame(given.records)
            watch()
            new, fault = frames.read_learned(channel.ask(asked)), None
        except SeatFault as failed:
            if failed.kind == "platform":
                raise
            new, fault = memory, failed
    log = cut(plain(channel.stderr), allowed.log_bytes)
    return LearnResult(new, fault, log, records=len(given.records), left_out=given.left_out)


def give_lesson(
    job: Teach,
    bundle: bytes,
    memory: bytes,
    record: Callable[[str], bytes],
    box: Box | None,
    watch: Callable[[], None] = lambda: None,
) -> wire.Learned:
    """The result of a lesson of the league. `record` returns the packed record of a match by id.

    `watch` is called before each record and each of the bot's answers. Raises
    SeatFault("platform"), BadBundle, BadRecord, and anything that `record` and `watch` raise.
    """

    def lesson() -> Lessons:
        own, bouts = [], 0
        for match in sorted(job.played):  # In the order of `lessons`.
            if bouts >= MAX_RECORDS:
                break
            watch()
            own.append(Own(unpack(record(match)), job.played[match]))
            bouts += len(own[-1].record.bouts)
        return lessons(registry.game(job.game), own, job.key)

    done = learn(
        job.game,
        bundle,
        job.pupil,
        memory,
        lesson,
        seed=job.key,
        limits=job.limits,
        box=box,
        watch=watch,
    )
    return wire.Learned(
        lesson=job.lesson,
        attempt=job.attempt,
        token=job.token,
        learns=done.learns,
        memory=done.memory,
        fault=done.fault.kind if done.fault else None,
        detail=done.fault.detail if done.fault else "",
        records=done.records,
        log=done.log,
    )
