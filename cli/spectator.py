"""Prints a game on stdout while it is played, as a spectator sees it. Knows no game."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

from matchbox.game import CHANCE
from matchbox.match.replay import described
from matchbox.match.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matchbox.dice import Dice
    from matchbox.game import Game, Options, Plain, State

_UNCHANGED: Final = (
    *("spec", "to_move", "legal", "view", "outcome", "describe", "resample"),
    *("refusal", "turns", "facts"),
)
"""The functions of a game that are used as they are; the second line holds optional ones."""


class Spectator:
    """Prints the moves of one bout. Simultaneous moves are printed once all of them are made."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        """`names` are the seats'."""
        self._game = game
        self._transcript = Transcript(names)
        self._made = 0
        self._printed = 0
        """The number of moves printed. It is larger than that of the moves made, if the referee
        plays the bout again after a fault."""
        self._waiting: list[tuple[int, Plain]] = []
        """Simultaneous moves, until the last of them is made."""

    def game(self) -> Game:
        """Returns the game with rules that pass every move to this spectator.

        They have no batch, because a game's own batch makes its moves without `apply`, and no
        briefs, because a player that gets a brief may answer with several moves at once.
        """
        found = {name: getattr(self._game, name, None) for name in _UNCHANGED}
        rules = {name: one for name, one in found.items() if one is not None}
        return cast(
            "Game",
            SimpleNamespace(**rules, start=self._start, apply=self._apply, without=self._without),
        )

    def turn(self, seat: int) -> None:
        """Prints the seat's heading, unless its lines are the last ones printed."""
        _print(self._transcript.turn(seat))

    def _start(self, seats: int, dice: Dice, options: Options) -> State:
        self._made = 0
        self._waiting = []
        return self._game.start(seats, dice, options)

    def _apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        movers = tuple(self._game.to_move(state))
        state = self._game.apply(state, seat, move, dice)
        if seat == CHANCE:
            return state
        self._waiting.append((seat, move))
        made = {mover for mover, _ in self._waiting}
        if not any(mover in movers and mover not in made for mover in self._game.to_move(state)):
            self._print_moves(self._game.view(state, None))
        return state

    def _without(self, state: State, seat: int, dice: Dice) -> State:
        self._waiting = []
        _print(self._transcript.moved(seat, "is out because of a fault"))
        return self._game.without(state, seat, dice)

    def _print_moves(self, view: Any) -> None:
        for seat, move in self._waiting:
            self._made += 1
            if self._made > self._printed:
                self._printed = self._made
                _print(self._transcript.moved(seat, described(self._game, move, view)))
        self._waiting = []


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, flush=True)
