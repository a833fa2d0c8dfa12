"""Many bouts of any game side by side, played by the functions of its rules.

Plays what `LiveBout` plays while every answer is a legal move. Knows no fault: a bout with any
other answer goes back to the RotationRunner, which plays it again as a `LiveBout`. Knows the Game
contract and no game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchbox.errors import IllegalMove, SeatFault
from matchbox.game import CHANCE, Outcome
from matchbox.match import frame_codec
from matchbox.match.bout import endless, is_chance, no_outcome, refusal, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matchbox.dice import SeededDice
    from matchbox.game import Answers, Batch, Game, Options, Plain, State

Left = tuple[int, list["Plain"], "Answers"]
"""A bout that is handed back: its number, the answers so far, and the answers to be taken next."""


def batch_of(game: Game, seats: int, options: Options) -> Batch:
    """Returns the game's own batch for these seats and options, or else the general one."""
    own = getattr(game, "batch", None)
    made: Batch | None = own(seats, options) if own is not None else None
    return RulesBatch(game, seats, options) if made is None else made


class _Bout:
    """One bout: its state, and the answers that led to it."""

    __slots__ = (
        "answered", "answers", "dice", "number", "rows", "seeds", "state", "step", "together",
    )  # fmt: skip

    def __init__(self, number: int, dice: SeededDice, seeds: list[str], state: State) -> None:
        self.number = number
        self.dice = dice
        self.seeds: list[str | None] = list(seeds)
        """By seat: the seed of its player, until it has answered its first question."""
        self.state = state
        self.step = 1
        """The number of the next step; steps of chance count too."""
        self.answers: list[Any] = []
        """The answers so far: a move or a row of moves each."""
        self.rows = False
        """Whether the batch has taken a row of moves."""
        self.together: Sequence[int] = ()
        """The seats that move simultaneously, if there are several."""
        self.answered: dict[int, Any] = {}
        """The answers of the seats in `together` so far."""


class RulesBatch:
    """Bouts at tables of one size, over `apply`, `to_move`, and `brief` or `view`."""

    def __init__(self, game: Game, seats: int, options: Options) -> None:
        self._game = game
        self._seats = seats
        self._options = options
        self._apply = game.apply
        self._to_move = game.to_move
        self._view = view_of(game)
        self._asking: Any = None
        """Compiled build: encodes the questions of a game with briefs."""
        if frame_codec.COMPILED and self._view != game.view:
            self._asking = frame_codec.Asking()
        self._max_steps = game.spec.max_steps
        self._owing: list[list[_Bout]] = [[] for _ in range(seats)]
        self._over: list[tuple[int, list[Plain], Outcome]] = []

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout, and plays chance until a seat is to move or the bout is over."""
        state = self._game.start(self._seats, dice, self._options)
        self._go_on(_Bout(bout, dice, seeds, state))

    def ask(self, seat: int) -> Any:
        """The questions to that seat."""
        view = self._view
        if self._asking is None:
            return [
                (bout.number, view(bout.state, seat), bout.seeds[seat])
                for bout in self._owing[seat]
            ]
        asking: frame_codec.Asking = self._asking
        asking.clear()
        for bout in self._owing[seat]:
            asking.add(bout.number, view(bout.state, seat), bout.seeds[seat])
        return asking

    def take(self, seat: int, answers: Sequence[Any]) -> list[Left]:
        """Makes the moves; returns the bouts in which an answer is not legal."""
        bouts, self._owing[seat] = self._owing[seat], []
        back: list[Left] = []
        apply, to_move, owing, most = self._apply, self._to_move, self._owing, self._max_steps
        seats = self._seats
        for bout, answer in zip(bouts, answers, strict=True):
            bout.seeds[seat] = None
            if bout.together or type(answer) is tuple or type(answer) is SeatFault:
                if not self._make_several(bout, seat, answer):
                    back.append((bout.number, bout.answers, bout.answered))
                continue
            try:
                state = apply(bout.state, seat, answer, bout.dice.at(bout.step))
            except IllegalMove:
                back.append((bout.number, bout.answers, {seat: answer}))
                continue
            bout.state = state
            bout.answers.append(answer)
            bout.step += 1
            movers = to_move(state)
            one = type(movers) is tuple and len(movers) == 1 and type(movers[0]) is int
            if one and bout.step <= most:
                mover = movers[0]
                if 0 <= mover < seats:
                    owing[mover].append(bout)
                    continue
            self._go_on(bout)
        return back

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last call; see `matchbox.game.Batch.over`."""
        over, self._over = self._over, []
        return over

    def leave(self) -> list[Left]:
        """Hands back all bouts in progress, as `take` does."""
        left = {bout.number: bout for owing in self._owing for bout in owing}
        self._owing = [[] for _ in range(self._seats)]
        return [(bout.number, bout.answers, bout.answered) for bout in left.values()]

    def _go_on(self, bout: _Bout) -> None:
        """Plays chance until one or several seats owe a move, or the bout is over."""
        movers = self._next(bout)
        if movers:
            bout.together = movers if len(movers) > 1 else ()
            for seat in movers:
                self._owing[seat].append(bout)
            return
        outcome = self._game.outcome(bout.state)
        if movers is None or not isinstance(outcome, Outcome):
            raise no_outcome(self._game, movers, outcome)
        bout.together = ()
        moves = _flat(bout.answers) if bout.rows else bout.answers
        self._over.append((bout.number, moves, outcome))

    def _next(self, bout: _Bout) -> Sequence[int]:
        """Plays chance; returns the seats that are then to move, none at the end.

        Raises SeatFault("platform") for a bout that does not end, and for wrong seats.
        """
        while movers := self._to_move(bout.state):
            if bout.step > self._max_steps:
                raise endless(self._game)
            if not is_chance(self._game, movers, self._seats):
                break
            bout.state = self._apply(bout.state, CHANCE, None, bout.dice.at(bout.step))
            bout.step += 1
        return movers

    def _make_several(self, bout: _Bout, seat: int, answer: Any) -> bool:
        """Takes a row of moves, or one of several simultaneous answers.

        Returns False if one is not legal; then `answered` holds the answers to hand back.
        """
        bout.answered[seat] = answer
        if len(bout.answered) < len(bout.together):
            return True
        made = self._make_together(bout) if bout.together else self._make_row(bout, seat, answer)
        if made:
            bout.answered = {}
            self._go_on(bout)
        return made

    def _make_row(self, bout: _Bout, seat: int, answer: Any) -> bool:
        """Makes several moves of a seat, one after the other; returns whether all are legal."""
        if type(answer) is not tuple:
            return False
        for place, move in enumerate(answer):
            if (place and list(self._next(bout)) != [seat]) or not self._make(bout, seat, move):
                return False
        bout.answers.append(answer)
        bout.rows = True
        return True

    def _make_together(self, bout: _Bout) -> bool:
        """Makes the moves of all seats in `together`; returns whether all are legal."""
        answered = sorted(bout.answered.items())
        for seat, move in answered:
            if type(move) is tuple or type(move) is SeatFault:
                return False
            if refusal(self._game, bout.state, seat, move):
                return False
        for seat, move in answered:
            if seat not in self._to_move(bout.state) or not self._make(bout, seat, move):
                return False
        bout.answers += [move for _, move in answered]
        return True

    def _make(self, bout: _Bout, seat: int, move: Plain) -> bool:
        """Makes a move; returns False if it is not legal."""
        try:
            bout.state = self._apply(bout.state, seat, move, bout.dice.at(bout.step))
        except IllegalMove:
            return False
        bout.step += 1
        return True


def _flat(answers: list[Any]) -> list[Plain]:
    """The moves of these answers, one after the other."""
    moves: list[Plain] = []
    for answer in answers:
        if type(answer) is tuple:
            moves += answer
        else:
            moves.append(answer)
    return moves
