"""Lets a bot learn between two rounds, in a box with limits of its own.

Passes records to the bot's `learn`. After a fault the bot keeps its old memory, and its author is
told why. A fault costs the bot nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.errors import SeatFault
from matchbox.match import frames, wire
from matchbox.match.learning import Lessons, Own, lessons
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


def learn(
    game: str,
    bundle: bytes,
    entrant: Entrant,
    memory: bytes,
    records: Callable[[], Sequence[bytes]],
    *,
    seed: str,
    limits: Mapping[str, int],
    box: Box | None,
    watch: Callable[[], None] = lambda: None,
) -> LearnResult:
    """The bot's new memory. `records` is called only if the bot learns.

    `seed` is for random numbers, 64 hex digits. `limits` are those of a seat; learning has larger
    ones. `watch` is called before each of the bot's answers. Raises SeatFault("platform"),
    BadBundle, BadMessage, and anything that `records` and `watch` raise.
    """
    allowed = learning_limits(parse_limits(limits))
    package, files = registry.package_of(game), read_bundle(bundle).files
    frame = frames.load_frame(
        package, files, entrant.class_name, seed, memory, libraries=libraries_of(box)
    )
    channel = LocalChannel() if box is None else opener_in_box(box, allowed)()
    with closing(channel):
        try:
            watch()
            frames.read_loaded(channel.ask(frame, start=True))
            watch()
            if not frames.read_learns(channel.ask(frames.learns_frame())):
                return LearnResult(memory, None, "", learns=False)
            lesson = frames.learn_frame(records())
            watch()
            new, fault = frames.read_learned(channel.ask(lesson)), None
        except SeatFault as failed:
            if failed.kind == "platform":
                raise
            new, fault = memory, failed
    return LearnResult(new, fault, cut(plain(channel.stderr), allowed.log_bytes))


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
    found = Lessons([], 0)

    def records() -> list[bytes]:
        nonlocal found
        own = []
        for match, entrant in job.played.items():
            watch()
            own.append(Own(unpack(record(match)), entrant))
        found = lessons(registry.game(job.game), own, job.key)
        return found.records

    done = learn(
        job.game,
        bundle,
        job.pupil,
        memory,
        records,
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
        records=len(found.records),
        log=done.log,
    )
