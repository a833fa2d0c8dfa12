"""Plays a match: all its deals in all rotations, several bouts at once. Knows no game.

Keeps the order of bouts and the cost of faults in a whole match. The caller opens the players; a
platform fault passes through as SeatFault("platform").
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

from matchbox.match import record as records
from matchbox.match.batch import batch_of
from matchbox.match.bout import LiveBout
from matchbox.match.record import Bout, Fault, Record, entrant
from matchbox.match.table import Player, Table
from matchbox.match.wire import Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matchbox.game import Game, Outcome, Plain
    from matchbox.match.wire import PlayMatch

MAX_FAULTS: Final = 3
"""After this many faults in a match, in bout order, an entrant forfeits its later bouts."""

_NOBODY: Final[frozenset[int]] = frozenset()

Order = tuple[int, int]
"""(deal, rotation): bouts are counted in this order."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match's record, and the diagnostics kept beside it."""

    record: Record
    notes: list[Note]


@dataclass(frozen=True, slots=True)
class _Trouble:
    """The banned entrants and the faults of one bout."""

    banned: frozenset[int]
    offenders: set[int]
    """The entrants at fault that were not banned."""
    notes: list[Note]


def play(
    game: Game,
    job: PlayMatch,
    open_player: Callable[[int, int], Player],
    *,
    binding: Mapping[Order, Iterable[Fault]] | None = None,
    report: Callable[[int], None] = lambda bouts: None,
    rotations: Iterable[int] | None = None,
    order: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Played:
    """Plays every deal in each of the match's rotations, or in the given ones; returns the match.

    `open_player(entrant, rotation)` gives each entrant a program of its own per rotation. It is
    called again for a rotation if its bouts must be replayed because of another entrant's faults.
    `binding` holds, by bout, faults that are taken as given instead of asking the seat, as
    verification does with timeouts. After every frame `report` gets the number of bouts that have
    ended since its last call. `order` gets the rotations and returns them in the order of play;
    that order changes nothing in the record.

    Raises SeatFault("platform") if the platform failed.
    """
    match = _Match(game, job, open_player, binding or {}, report)
    versions = [seat.version for seat in job.seats]
    if rotations is None:
        rotations = records.rotations(versions, cooperative=game.spec.cooperative)
    for rotation in order(rotations):
        match.play_rotation(rotation, range(len(job.deals)))
    bouts = match.settle()
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
    return Played(record, match.notes())


def play_alone(
    game: Game,
    job: PlayMatch,
    order: Order,
    open_player: Callable[[int, int], Player],
    beat: Callable[[], None],
) -> Bout:
    """Plays one bout of the match with programs that have seen no other; calls `beat` after every
    frame."""
    match = _Match(game, job, open_player, {}, lambda bouts: beat())
    match.play_rotation(order[1], order[:1])
    return match.settle()[0]


class _Match:
    """The bouts played so far."""

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
        self._over = 0
        """Ended bouts that `report` has not been told of."""
        self._faultless: list[Fault] = []
        """The faults of a bout without faults."""
        self._bouts: dict[int, list[Bout | None]] = {}
        """By rotation, then by deal."""
        self._troubles: dict[Order, _Trouble] = {}
        self._offences: list[list[Order]] = [[] for _ in job.seats]
        """By entrant: the bouts in which it was at fault, in order."""
        self._narrow: set[int] = set()
        """The rotations in which a program has broken: the rest of their bouts is played one at a
        time. Not so in other rotations, or a bot could notice the order of the rotations."""

    def play_rotation(self, rotation: int, deals: Iterable[int]) -> None:
        """Plays these deals with the seats so rotated, `width` bouts at a time until one of the
        rotation's programs breaks."""
        seats = range(self._seats)
        self._bouts.setdefault(rotation, [None] * len(self._job.deals))
        players = [self._open(entrant(seat, rotation, self._seats), rotation) for seat in seats]
        batch = batch_of(self._game, self._seats, self._job.options)
        table = Table(self._job, rotation, players, self, batch, narrow=rotation in self._narrow)
        try:
            table.play(deals)
        finally:
            for player in players:
                player.close()
        if table.narrow:
            self._narrow.add(rotation)
        self.beat()

    def settle(self) -> list[Bout]:
        """Returns all bouts in order; each bout after an entrant's third fault is forfeited by it.

        A third fault may be found late, and it can change another bot's faults. So bouts are
        replayed, all of a rotation together, until each was played with exactly the right entrants
        banned. Each pass settles at least the first wrong bout for good.
        """
        while stale := self._stale():
            for rotation, deals in stale.items():
                self.play_rotation(rotation, deals)
        deals_in_order = zip(
            *(self._bouts[rotation] for rotation in sorted(self._bouts)), strict=True
        )
        return [bout for bouts in deals_in_order for bout in bouts if bout is not None]

    def _stale(self) -> dict[int, list[int]]:
        """The deals whose bouts were played with the wrong entrants banned, by rotation."""
        stale: dict[int, list[int]] = {}
        orders = product(range(len(self._job.deals)), sorted(self._bouts))
        for order in orders if self._troubles else ():
            trouble = self._troubles.get(order)
            if (trouble.banned if trouble else _NOBODY) != self._banned_before(order):
                stale.setdefault(order[1], []).append(order[0])
        return stale

    def notes(self) -> list[Note]:
        """The diagnostics of faults, in the order of the bouts."""
        return [note for _, trouble in sorted(self._troubles.items()) for note in trouble.notes]

    # --- Called by the table ---

    def free(self, order: Order) -> bool:
        """Whether nobody is banned from that bout and no fault in it is given."""
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
        """The bout at its beginning, with nobody banned and no given fault."""
        job = self._job
        return LiveBout(self._game, job.deals[order[0]], order, self._seats, job.options)

    def finish(self, live: LiveBout) -> None:
        """Stores an ended bout."""
        order, bout = live.order, live.result()
        notes = [
            Note(self._entrant(seat, order), *order, kind, detail)
            for seat, kind, detail in live.notes
        ]
        self._bouts[order[1]][order[0]] = bout
        self._forget(order)
        if live.banned or bout.faults:
            offenders = {self._entrant(fault.seat, order) for fault in bout.faults} - live.banned
            self._troubles[order] = _Trouble(live.banned, offenders, notes)
            for who in offenders:
                insort(self._offences[who], order)
        self._over += 1

    def keep(self, order: Order, moves: list[Plain], outcome: Outcome) -> None:
        """Stores an ended bout without faults."""
        deal, rotation = order
        places, scores, none = list(outcome.places), list(outcome.scores), self._faultless
        self._bouts[rotation][deal] = Bout(deal, rotation, moves, places, scores, outcome.why, none)
        if self._troubles:
            self._forget(order)
        self._over += 1

    def beat(self) -> None:
        """Called after every frame: reports the bouts that have ended since the last call."""
        over, self._over = self._over, 0
        self._report(over)

    def _forget(self, order: Order) -> None:
        """Forgets the faults of a bout that was replayed."""
        trouble = self._troubles.pop(order, None)
        for who in trouble.offenders if trouble else ():
            self._offences[who].remove(order)

    def _banned_before(self, order: Order) -> frozenset[int]:
        """The entrants that had their third fault in a bout before this one."""
        if not self._troubles:
            return _NOBODY
        last = MAX_FAULTS - 1
        return frozenset(
            who for who, at in enumerate(self._offences) if len(at) > last and at[last] < order
        )

    def _entrant(self, seat: int, order: Order) -> int:
        return entrant(seat, order[1], self._seats)
