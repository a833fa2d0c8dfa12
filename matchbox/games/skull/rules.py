"""The rules of Skull: bid how many roses you can turn over, and hide your skull.

Knows the cards and whose turn it is; does not know the players. The effects of moves are in
steps.py, challenges in challenge.py, views in views.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Option, Options, Outcome, Plain, Spec
from matchbox.games.skull import challenge, event_text, moves, steps, views
from matchbox.games.skull.challenge import State
from matchbox.games.skull.moves import BETTING, CHOICE, LOSE, PLACING, START

SPEC: Final = Spec(
    name="skull",
    title="Skull",
    seats=(2, 3, 4, 5, 6),
    rules="1",
    options={
        "variant": Option(
            "published",
            "published: rounds until somebody has two points or is the last with cards; "
            "challenge: one challenge by the same rules; "
            "document: one challenge as the source document's engine plays it",
            ("published", "challenge", "document"),
        )
    },
    hidden="A seat does not know the other hands, the cards that lie face down, or which cards "
    "others have lost.",
    diagnostics=True,
    max_steps=3000,
)


class Skull:
    """The game, as matchbox.game.Game asks for it."""

    spec = SPEC

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """All cards in their owners' hands, and a starter drawn by lot."""
        return steps.started(seats, _variant(options), dice)

    def to_move(self, state: State) -> Sequence[int]:
        """The player whose turn it is, until the game is won."""
        return () if state.ended is not None else _ALONE[state.mover]

    def legal(self, state: State, seat: int) -> list[Plain]:
        """The document's moves in its order, or the cards to lose, or the seats that may start."""
        return list(_legal(state, seat))

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The same state, after the move and all that follows from it."""
        step = steps.STEPS.get(move) if type(move) is str else None
        moved = len(state.story)
        if step is None or not step[0](state, seat, step[1], dice):
            phase = moves.PHASES[state.phase]
            raise IllegalMove(event_text.refusal(move, phase, state.table, state.top))
        state.moved = moved
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """Puts the seat out: the round ends, and the next seat clockwise starts another."""
        state.moved = len(state.story)
        challenge.remove(state, seat)
        return state

    def view(self, state: State, seat: int | None) -> Plain:
        """The public part, and for a seat its own cards."""
        return views.view(state, seat)

    def brief(self, state: State, seat: int) -> bytes:
        """The view as player.brief_of writes it, made without the view."""
        return views.brief(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        """Winners come first, all others second; a failed single challenge has several winners."""
        return steps.outcome(state) if state.ended is not None else None

    def describe(self, move: Plain, view: Plain) -> str:
        """Describes the move, one line per event; hidden cards stay hidden."""
        assert isinstance(view, dict)
        return event_text.describe_events(view["events"])

    def turns(self, moves: Sequence[Plain]) -> int:
        """Returns the number of moves that the document knows; other decisions are not counted."""
        return sum(not str(move).startswith(("lose", "start")) for move in moves)

    def facts(self, state: State) -> dict[str, Any]:
        """Facts for statistics: how the game was won, its rounds and its challenges."""
        ends = [challenge.end_of(text) for text in views.rounds(state)]
        return {
            "won_by_points": state.ended == challenge.BY_POINTS,
            "last_one_in": state.ended == challenge.BY_CARDS,
            "rounds": len(ends),
            "challenges": {end: ends.count(end) for end in challenge.ENDS},
        }

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that looks the same to the seat: the cards it does not see are dealt again."""
        return views.resampled(state, seat, dice)


GAME: Final = Skull()


def _variant(options: Options) -> str:
    return str(options.get("variant", "published"))


def _legal(state: State, seat: int) -> list[str]:
    phase = state.phase
    if phase == PLACING:
        skulls, roses = state.hands[seat]
        ready = state.table >= len(state.inside)
        return moves.placing(skulls, roses, ready, state.table)
    if phase == BETTING:
        return moves.betting(state.top, state.table)
    if phase == CHOICE:
        return moves.choosing(state.pile_sizes, state.mover)
    if phase == LOSE:
        return [*moves.LOSSES, moves.LOSE_ANY]
    if phase == START:
        return [*(moves.STARTS[one] for one in state.inside), moves.START_ANY]
    return []


_ALONE: Final = tuple((seat,) for seat in range(moves.MAX_SEATS))
