"""One bout in progress: the rules' state, the views each seat was sent, and the cost of a fault.

Knows the Game contract and no game. Asks no seat itself: its owner passes the answers in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.json import encode

from matchbox.dice import SeededDice
from matchbox.errors import FaultKind, IllegalMove, SeatFault, quoted
from matchbox.game import CHANCE, Outcome
from matchbox.match.frames import readable
from matchbox.match.record import Bout, Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matchbox.game import Game, Options, Plain, State
    from matchbox.match.frames import Answer, View


_in_order: Final = partial(encode, order="deterministic")
"""A move in JSON. Moves that differ only in the order of an object's keys are the same."""


def view_of(game: Game) -> Callable[[State, int], View]:
    """The function that makes the view of a seat in `to_move`, or its brief if the game has one."""
    view: Callable[[State, int], View] = getattr(game, "brief", None) or game.view
    return view


def refusal(game: Game, state: State, seat: int, move: Plain) -> str:
    """The reason why the rules refuse that move, in the game's own words if it has any; "" if the
    move is legal."""
    own: Callable[[State, int, Plain], str] | None = getattr(game, "refusal", None)
    if own is not None:
        return own(state, seat, move)
    if _in_order(move) in map(_in_order, game.legal(state, seat)):
        return ""
    return f"the move {repr(move)[:60]} is not legal now"


def endless(game: Game) -> SeatFault:
    """The platform's fault in a bout with more steps than the game allows."""
    spec = game.spec
    more = f"it has more than {spec.max_steps:,} steps, which is max_steps of the game's Spec"
    return SeatFault("platform", f"a bout of {spec.name} does not end: {more}")


def no_outcome(game: Game, movers: object, found: object) -> SeatFault:
    """The platform's fault in a bout in which nobody is to move, and which has no outcome."""
    name, what = ("to_move", movers) if movers is None else ("outcome", found)
    wanted = "a tuple of seats, () at the end" if movers is None else "a matchbox.game.Outcome then"
    return SeatFault(
        "platform",
        f"a bout of {game.spec.name} is over and has no outcome: {name} returned {quoted(what)}, "
        f"and must return {wanted}",
    )


def is_chance(game: Game, movers: Any, seats: int) -> bool:
    """Whether chance is to move, rather than seats.

    Raises SeatFault("platform") unless `to_move` has returned CHANCE, or seats of this table in
    ascending order.
    """
    if type(movers) is tuple or isinstance(movers, Sequence):
        if len(movers) == 1 and movers[0] == CHANCE:
            return True
        last: int = CHANCE
        for seat in movers:
            if not isinstance(seat, int) or not last < seat < seats:
                break
            last = seat
        else:
            return False
    raise SeatFault(
        "platform",
        f"to_move of {game.spec.name} returned {quoted(movers)} at a table of {seats}, and must "
        "return a tuple of different seats in ascending order, each an int from 0 on, or (CHANCE,)",
    )


class LiveBout:
    """One deal played once in one rotation of the seats."""

    __slots__ = (
        "_before", "_dice", "_forced_faults", "_game", "_make_move", "_max_steps", "_outcome",
        "_seats", "_steps", "_to_move", "_view", "answered", "banned", "faults", "moves", "notes",
        "number", "order", "over", "owing", "sent_views", "state",
    )  # fmt: skip

    def __init__(
        self,
        game: Game,
        deal: str,
        order: tuple[int, int],
        seats: int,
        options: Options,
        forced_faults: Mapping[int, Fault] | None = None,
        excluded: Iterable[int] = (),
        banned: frozenset[int] = frozenset(),
        before: Callable[[State, Fault | None], object] | None = None,
    ) -> None:
        """Begins the bout. `before` is called with the state before every step of chance, and with
        the state and the fault before a fault takes effect."""
        self.order = order
        self.number = order[0]
        self.banned = banned
        self.notes: list[tuple[int, FaultKind, str]] = []
        self.moves: list[Plain] = []
        self.faults: list[Fault] = []
        self.sent_views: list[list[View]] = [[] for _ in range(seats)]
        self.owing: Sequence[int] = ()
        """The seats that owe an answer, ascending; empty once the bout is over."""
        self.answered: dict[int, Answer] = {}
        """Simultaneous moves: the answers so far."""
        self.over = False
        """True once the bout has its outcome."""
        self._game = game
        self._seats = seats
        self._steps = 1
        self._max_steps = game.spec.max_steps
        self._make_move = game.apply
        self._to_move = game.to_move
        self._view = view_of(game)
        self._forced_faults = forced_faults or {}
        """Faults that are applied without asking the seat, by index in the bout's list of
        faults."""
        self._outcome: Outcome | None = None
        self._before = before
        self._dice = SeededDice(bytes.fromhex(deal), 0)
        self.state = game.start(seats, self._dice, options)
        for seat in excluded:
            self._fail(seat, SeatFault("excluded", "three bouts of this match were forfeited"))
        self._advance()

    def next_view(self, seat: int) -> View:
        """The view for the next question to that seat, or its brief where the game has one.

        It is kept, so that it can be sent again.
        """
        view = self._view(self.state, seat)
        if type(view) is bytearray:  # The game may change it later.
            view = bytes(view)
        self.sent_views[seat].append(view)
        return view

    def take(self, seat: int, answer: Answer) -> bool:
        """Takes a seat's answer. Returns True once all seats that owed one have answered and the
        rules have made the moves; then `owing` holds the next seats."""
        if len(self.owing) > 1:
            self.answered[seat] = answer
            if len(self.answered) < len(self.owing):
                return False
            self._take_together()
        elif isinstance(answer, SeatFault):
            self._fail(seat, answer)
        elif isinstance(answer, tuple):
            self._take_row(seat, answer)
            return True
        else:
            self._apply(seat, answer)
        self._advance()
        return True

    def result(self) -> Bout:
        """The finished bout, as it is recorded."""
        assert self._outcome is not None
        places, scores, why = self._outcome.places, self._outcome.scores, self._outcome.why
        return Bout(*self.order, self.moves, list(places), list(scores), why, self.faults)

    def _take_row(self, seat: int, moves: Iterable[Plain]) -> None:
        """Takes moves that the seat made in a row, each as if it had been asked for."""
        before = len(self.faults)
        for move in moves:
            if len(self.owing) != 1 or self.owing[0] != seat:
                self._fail(seat, SeatFault("protocol", "it made a move when it owed none"))
            else:
                self._apply(seat, move)
            self._advance()
            if self.over or len(self.faults) > before:
                return

    def _take_together(self) -> None:
        """Checks all simultaneous moves before it makes any: so a fault comes before every move."""
        answers, self.answered = self.answered, {}
        moves: list[tuple[int, Plain]] = []
        faults: list[tuple[int, SeatFault]] = []
        for seat, answer in sorted(answers.items()):
            if isinstance(answer, SeatFault):
                faults.append((seat, answer))
            elif isinstance(answer, tuple):
                faults.append((seat, SeatFault("protocol", "it made moves in a row; one is owed")))
            elif reason := refusal(self._game, self.state, seat, answer):
                faults.append((seat, SeatFault("illegal", reason)))
            else:
                moves.append((seat, answer))
        for seat, fault in faults:
            self._fail(seat, fault)
        for seat, move in moves:
            if not self.over and seat in self._to_move(self.state):
                self._apply(seat, move)

    def _apply(self, seat: int, move: Plain) -> None:
        try:
            self.state = self._make_move(self.state, seat, move, self._dice.at(self._steps))
        except IllegalMove as error:
            self._fail(seat, SeatFault("illegal", str(error)))
        else:
            self._steps += 1
            self.moves.append(move)

    def _advance(self) -> None:
        """Plays chance and applies forced faults, until a seat owes a move or the bout is over."""
        while not self.over:
            movers = self._to_move(self.state)
            if not movers:
                outcome = self._game.outcome(self.state)
                if movers is None or not isinstance(outcome, Outcome):
                    raise no_outcome(self._game, movers, outcome)
                self._settle(outcome)
            elif self._steps > self._max_steps:
                raise endless(self._game)
            elif is_chance(self._game, movers, self._seats):
                if self._before is not None:
                    self._before(self.state, None)
                self.state = self._make_move(self.state, CHANCE, None, self._next_dice())
            elif not self._forced_faults or not self._apply_forced_fault():
                self.owing = movers
                return

    def _apply_forced_fault(self) -> bool:
        """Applies the next fault if it is forced and happened after as many moves. Its seat need
        not be the one to move: a row of moves may go on after the seat's turn."""
        fault = self._forced_faults.get(len(self.faults))
        if fault is None or fault.step != len(self.moves):
            return False
        self._fail(fault.seat, SeatFault(fault.kind, "as the record has it"))
        return True

    def _fail(self, seat: int, fault: SeatFault) -> None:
        if self.over:
            return
        self.faults.append(Fault(len(self.moves), seat, fault.kind))
        if self._before is not None:
            self._before(self.state, self.faults[-1])
        self.notes.append((seat, fault.kind, readable(fault.detail)))
        left = self._seats - len({one.seat for one in self.faults})
        if left < 2 or self._game.spec.cooperative:
            self._settle(None)
        else:
            self.state = self._game.without(self.state, seat, self._next_dice())

    def _settle(self, outcome: Outcome | None) -> None:
        """Ends the bout with the game's outcome; seats at fault are placed behind all others."""
        self.over = True
        self.owing = ()
        if outcome is not None and not self.faults:
            self._outcome = outcome
            return
        offenders = list(dict.fromkeys(fault.seat for fault in self.faults))
        kind = self.faults[0].kind if self.faults else ""
        places = list(outcome.places) if outcome else [1] * self._seats
        scores = outcome.scores if outcome else (0,) * self._seats
        honest = sorted(places[seat] for seat in range(self._seats) if seat not in offenders)
        for seat in range(self._seats):
            if seat in offenders:
                places[seat] = self._seats - offenders.index(seat)
            else:
                places[seat] = 1 + honest.index(places[seat])
        self._outcome = Outcome(tuple(places), tuple(scores), outcome.why if outcome else kind)

    def _next_dice(self) -> SeededDice:
        self._steps += 1
        return self._dice.at(self._steps - 1)
