"""Plays a match: all its deals in all rotations, several bouts concurrently. Knows no game.

Seats the players of each rotation, lets them play, and reruns bouts until every fault has had its
consequences. The caller opens the players; a platform fault passes through as
SeatFault("platform").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchbox.errors import SeatFault
from matchbox.match import record as records
from matchbox.match.batch import batch_of
from matchbox.match.bouts import Bouts, Order
from matchbox.match.record import Bout, Fault, Record, entrant
from matchbox.match.rotation_runner import Player, RotationRunner
from matchbox.match.wire import Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matchbox.game import Game
    from matchbox.match.wire import PlayMatch


@dataclass(frozen=True, slots=True)
class Played:
    """A match's record, and the diagnostics kept beside it."""

    record: Record
    notes: list[Note]


def play(
    game: Game,
    job: PlayMatch,
    open_player: Callable[[int, int], Player],
    *,
    forced_faults: Mapping[Order, Mapping[int, Fault]] | None = None,
    on_progress: Callable[[int], None] = lambda bouts: None,
    rotations: Iterable[int] | None = None,
    order: Callable[[Iterable[int]], Iterable[int]] = iter,
    earlier: bool = False,
) -> Played:
    """Plays every deal in each of the match's rotations, or in the given ones; returns the match.

    `open_player(entrant, rotation)` gives each entrant a program of its own per rotation. It is
    called again for a rotation if its bouts must be rerun because of another entrant's faults.
    `forced_faults` holds faults that are applied without asking the seat, by bout and by index in
    the bout's list of faults: when a match is verified, its timeouts come from the record. After
    every frame `on_progress` gets the number of bouts that have ended since its last call. `order`
    takes the rotations and returns them in the order of play, which does not change the record.
    `earlier` repeats a mistake of releases up to 0.3.14: see `RotationRunner`.

    Raises SeatFault("platform") if the platform failed.
    """
    played = Bouts(game, job, forced_faults or {}, on_progress)
    match = _Match(game, job, open_player, played, earlier=earlier)
    versions = [seat.version for seat in job.seats]
    if rotations is None:
        rotations = records.rotations(versions, cooperative=game.spec.cooperative)
    for rotation in order(rotations):
        match.play_rotation(rotation, range(len(job.deals)))
    bouts = match.settle()
    for bout in _distinct_outcomes(bouts):
        _check_outcome(game, bout, len(job.seats))
    record = Record(
        match=job.match,
        game=game.spec.name,
        rules=game.spec.rules,
        options=dict(job.options),
        deals=list(job.deals),
        seats=versions,
        width=job.width,
        bouts=bouts,
        memories=records.memories_of([seat.memory for seat in job.seats]),
    )
    return Played(record, played.notes())


def _distinct_outcomes(bouts: Sequence[Bout]) -> Iterable[Bout]:
    """One bout per distinct outcome: ten thousand bouts have few, and a check costs time."""
    try:
        return {(tuple(one.places), tuple(one.scores), one.why): one for one in bouts}.values()
    except TypeError:  # No outcome has such values. The check says so.
        return bouts


def _check_outcome(game: Game, bout: Bout, seats: int) -> None:
    """Raises SeatFault("platform") if the outcome that the rules gave the bout is malformed."""
    places, scores = bout.places, bout.scores
    if (
        len(places) == len(scores) == seats
        and all(type(one) is int for one in (*places, *scores))
        and min(places) == 1
        and max(places) <= seats
        and isinstance(bout.why, str)
    ):
        return
    raise SeatFault(
        "platform",
        f"a bout of {game.spec.name} ended with places {places}, scores {scores} and the reason "
        f"{bout.why!r}: an outcome has a place and a score, both whole numbers, for each of the "
        f"{seats} seats, 1 as the best place, and a text as the reason",
    )


def play_alone(
    game: Game,
    job: PlayMatch,
    order: Order,
    open_player: Callable[[int, int], Player],
    on_progress: Callable[[], None],
) -> Bout:
    """Plays one bout of the match with programs that have seen no other; calls `on_progress` after
    every frame."""
    played = Bouts(game, job, {}, lambda bouts: on_progress())
    match = _Match(game, job, open_player, played)
    match.play_rotation(order[1], order[:1])
    return match.settle()[0]


class _Match:
    """The match as it is played: rotation by rotation, and some bouts rerun."""

    def __init__(
        self,
        game: Game,
        job: PlayMatch,
        open_player: Callable[[int, int], Player],
        bouts: Bouts,
        *,
        earlier: bool = False,
    ) -> None:
        self._game = game
        self._job = job
        self._open = open_player
        self._bouts = bouts
        self._earlier = earlier
        self._one_at_a_time: set[int] = set()
        """The rotations in which a program has broken. Their remaining bouts are played one at a
        time. Other rotations are not affected: a bot could otherwise notice the order of the
        rotations."""

    def play_rotation(self, rotation: int, deals: Iterable[int]) -> None:
        """Plays these deals in one rotation of the seats, `width` bouts at a time until one of its
        programs breaks."""
        job, seats = self._job, len(self._job.seats)
        self._bouts.open_rotation(rotation)
        players = [self._open(entrant(seat, rotation, seats), rotation) for seat in range(seats)]
        batch = batch_of(self._game, seats, job.options)
        one_at_a_time = rotation in self._one_at_a_time
        runner = RotationRunner(
            job,
            rotation,
            players,
            self._bouts,
            batch,
            one_at_a_time=one_at_a_time,
            earlier=self._earlier,
        )
        try:
            runner.play(deals)
        finally:
            for player in players:
                player.close()
        if runner.one_at_a_time:
            self._one_at_a_time.add(rotation)
        self._bouts.report_progress()

    def settle(self) -> list[Bout]:
        """Returns all bouts in order. An entrant forfeits every bout after its third fault.

        A third fault may be found late, and it can change another bot's faults. So bouts are
        rerun, all of a rotation together, until each was played with exactly the right entrants
        banned. Each pass settles at least the first wrong bout for good.
        """
        while stale := self._bouts.stale():
            for rotation, deals in stale.items():
                self.play_rotation(rotation, deals)
        return self._bouts.in_order()
