"""Plays a match: all its deals in all rotations, several bouts in flight. Knows no game.

Keeps the order of bouts and what faults cost in a whole match. What answers for a seat is
handed in; a platform fault passes through as SeatFault("platform").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from matchbox.match import record as records
from matchbox.match.bout import LiveBout
from matchbox.match.record import Bout, Fault, Record, entrant
from matchbox.match.table import Player, Table
from matchbox.match.wire import Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matchbox.game import Game, Outcome, Plain
    from matchbox.match.wire import PlayMatch

MAX_FAULTS: Final = 3
"""After so many faults in a match, in bout order, an entrant's other bouts are forfeited."""

_NOBODY: Final[frozenset[int]] = frozenset()

Order = tuple[int, int]
"""(deal, rotation): bouts are counted in this order."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match's record, and the diagnostics that stay beside it."""

    record: Record
    notes: list[Note]


@dataclass(frozen=True, slots=True)
class _Result:
    bout: Bout
    banned: frozenset[int]
    notes: list[Note]


def play(
    game: Game,
    job: PlayMatch,
    open_player: Callable[[int, int], Player],
    *,
    binding: Mapping[Order, Iterable[Fault]] | None = None,
    report: Callable[[int], None] = lambda bouts: None,
    rotations: Iterable[int] | None = None,
) -> Played:
    """The match played: every deal in every rotation that it has, or in the given ones.

    `open_player(entrant, rotation)` gives each entrant a program of its own per rotation.
    `binding` holds faults, by bout, that are taken as given instead of asking the seat, as
    verification does with timeouts. `report` hears after every frame how many bouts are over
    since the last time. Raises SeatFault("platform") where the platform failed.
    """
    match = _Match(game, job, open_player, binding or {}, report)
    versions = [seat.version for seat in job.seats]
    if rotations is None:
        rotations = records.rotations(versions, cooperative=game.spec.cooperative)
    for rotation in rotations:
        match.play_rotation(rotation, range(len(job.deals)))
    results = match.settle()
    record = Record(
        match=job.match,
        game=game.spec.name,
        rules=game.spec.rules,
        options=dict(job.options),
        deals=list(job.deals),
        seats=versions,
        width=job.width,
        bouts=[one.bout for one in results],
        memories=records.memories_of([seat.memory for seat in job.seats]),
    )
    return Played(record, [note for one in results for note in one.notes])


def play_alone(
    game: Game,
    job: PlayMatch,
    order: Order,
    open_player: Callable[[int, int], Player],
    beat: Callable[[], None],
) -> Bout:
    """One bout of the match, by programs that have seen no other one; `beat` is called after
    every frame."""
    match = _Match(game, job, open_player, {}, lambda bouts: beat())
    match.play_rotation(order[1], order[:1])
    return match.settle()[0].bout


class _Match:
    """The results so far, by bout."""

    def __init__(
        self,
        game: Game,
        job: PlayMatch,
        open_player: Callable[[int, int], Player],
        binding: Mapping[Order, Iterable[Fault]],
        report: Callable[[int], None],
    ) -> None:
        self._game = game
        self._job = job
        self._seats = len(job.seats)
        self._open = open_player
        self._binding = binding
        self._report = report
        self._results: dict[Order, _Result] = {}
        self._offences: dict[Order, set[int]] = {}

    def play_rotation(self, rotation: int, deals: Iterable[int]) -> None:
        """Plays these deals with the seats so rotated, `width` bouts at a time."""
        seats = range(self._seats)
        players = [self._open(entrant(seat, rotation, self._seats), rotation) for seat in seats]
        batch = getattr(self._game, "batch", None)
        side = batch(self._seats, self._job.options) if batch is not None else None
        try:
            Table(self._job, rotation, players, self, side).play(deals)
        finally:
            for player in players:
                player.close()

    def settle(self) -> list[_Result]:
        """All bouts in order, those after an entrant's third fault forfeited by it."""
        for order in sorted(self._results):
            if self._results[order].banned != self._banned_before(order):
                self.play_rotation(order[1], order[:1])
        return [self._results[order] for order in sorted(self._results)]

    # --- What the table asks of it ---

    def free(self, order: Order) -> bool:
        """Whether nobody is banned from that bout, and no fault in it is given."""
        return order not in self._binding and not self._banned_before(order)

    def start(self, order: Order) -> LiveBout:
        """The bout at its beginning."""
        banned = self._banned_before(order)
        return LiveBout(
            self._game,
            self._job.deals[order[0]],
            order,
            self._seats,
            self._job.options,
            given=self._binding.get(order, ()),
            excluded=[s for s in range(self._seats) if self._entrant(s, order) in banned],
            banned=banned,
        )

    def restart(self, order: Order) -> LiveBout:
        """The bout at its beginning, with nobody banned and no fault given."""
        job = self._job
        return LiveBout(self._game, job.deals[order[0]], order, self._seats, job.options)

    def finish(self, live: LiveBout) -> None:
        """Keeps a bout that is over."""
        order, bout = live.order, live.result()
        notes = [
            Note(self._entrant(seat, order), *order, kind, detail)
            for seat, kind, detail in live.notes
        ]
        self._results[order] = _Result(bout, live.banned, notes)
        self._offences.pop(order, None)
        offenders = {self._entrant(fault.seat, order) for fault in bout.faults} - live.banned
        if offenders:
            self._offences[order] = offenders
        self._report(1)

    def keep(self, order: Order, moves: list[Plain], outcome: Outcome) -> None:
        """Keeps a bout that is over, in which nobody was at fault."""
        bout = Bout(*order, moves, list(outcome.places), list(outcome.scores), outcome.why)
        self._results[order] = _Result(bout, _NOBODY, [])
        self._offences.pop(order, None)
        self._report(1)

    def beat(self) -> None:
        """Tells that a frame has gone to and fro."""
        self._report(0)

    def _banned_before(self, order: Order) -> frozenset[int]:
        """The entrants that had their third fault in a bout before this one."""
        if not self._offences:
            return _NOBODY
        earlier = [
            who for at, offenders in self._offences.items() if at < order for who in offenders
        ]
        return frozenset(who for who in earlier if earlier.count(who) >= MAX_FAULTS)

    def _entrant(self, seat: int, order: Order) -> int:
        return entrant(seat, order[1], self._seats)
