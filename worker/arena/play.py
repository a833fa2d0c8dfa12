"""Plays a job: bundles in, record out. Workers and the command line both use it.

Knows the order of these steps; knows no queue and no server.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import BadMessage
from matchbox.match import record as records
from matchbox.match.referee import play
from matchbox.match.sample import sample
from matchbox.match.wire import MatchPlayed, PlayMatch
from worker.arena.match_seats import MatchSeats, box_kind, libraries_of, parse_limits
from worker.arena.separation import separation_of, shuffled

if TYPE_CHECKING:
    from matchbox.match.referee import Played
    from sandbox.box import Box

_GARBAGE: Final = 50_000
"""The garbage collector runs after this many new objects. A match makes many objects that are no
garbage."""
_LIBRARIES: Final = ("greenlet",)
"""The modules that every box holds beside the standard library."""


def play_job(
    job: PlayMatch,
    bundles: Mapping[str, bytes],
    box: Box | None,
    report: Callable[[int], None] = lambda bouts: None,
    *,
    rotations: Iterable[int] | None = None,
    memories: Mapping[str, bytes] | None = None,
    reports: bool = False,
    look: Callable[[Played], object] = lambda played: None,
) -> MatchPlayed:
    """Plays the match. `report` is called with the number of bouts that have ended since last time.

    `rotations` limits the match to some rotations, for experiments. `memories` are the entrants'
    memories, by digest. `reports` asks for the players' comments on their moves. `look` is called
    with the played match, which is kept only as the packed record.
    Logs and times leave out the sample that the job asks for, and times what strong separation
    takes. Raises SeatFault("platform"), or BadMessage if the job cannot be played here.
    """
    game, separation = registry.game(job.game), separation_of(job, box, report)
    check_rules(job)
    match_seats = MatchSeats(job, bundles, box, separation, memories=memories, reports=reports)
    with _fewer_collections(box):
        started, opened = time.monotonic(), match_seats.open_player
        played = play(game, job, opened, on_progress=report, rotations=rotations, order=shuffled)
        seconds = round(time.monotonic() - started - (separation.spent_s if separation else 0), 6)
        alone = MatchSeats(job, bundles, box, separation, memories=memories)
        found = sample(game, job, played.record, alone.open_alone, job.sample, partial(report, 0))
        packed = records.pack(stamped(played.record, libraries_of(box) or ()))
        notes, log_bytes = played.notes, parse_limits(job.limits).log_bytes
        look(played)
        del played  # Frees the bouts, so that the garbage collector does not visit them.
    output = match_seats.output(log_bytes)
    return MatchPlayed(
        match=job.match,
        attempt=job.attempt,
        token=job.token,
        record=packed,
        notes=notes,
        logs=match_seats.logs(log_bytes),
        cpu_ms=match_seats.cpu_ms(),
        box=box_kind(box),
        seconds=seconds,
        diagnostics=output.diagnostics,
        printed=output.printed,
        left_out=output.left_out,
        sampled=found.bouts,
        stateful=found.stateful,
        unrepeatable=found.unrepeatable,
    )


@contextmanager
def _fewer_collections(box: Box | None) -> Iterator[None]:
    """Keeps the garbage collector from visiting a match's objects again and again.

    A referee leaves no cycles behind, but bots may. So for bots in this process the collector is
    not disabled; it only runs less often.
    """
    was, thresholds = gc.isenabled(), gc.get_threshold()
    if box is None:
        gc.set_threshold(_GARBAGE, 20, 50)
    else:
        gc.disable()
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        if was:
            gc.enable()


def check_rules(job: PlayMatch) -> None:
    """Raises BadMessage if the job's game has other rules than in this installation."""
    ours = registry.game(job.game).spec.rules
    if job.rules != ours:
        raise BadMessage(
            f"the match is for rules {job.rules} of {job.game} and this arena plays rules {ours}: "
            "install the same release on server and arena"
        )


def stamped(record: records.Record, offered: Sequence[str]) -> records.Record:
    """The record with the versions of Python and of the libraries: those of every box, and those
    offered."""
    libraries = registry.library_versions((*_LIBRARIES, *offered))
    return replace(record, python=records.python_minor(), libraries=libraries)
