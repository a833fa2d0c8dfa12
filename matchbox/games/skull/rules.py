"""The rules of Skull: bid how many roses you can turn over, and hide your skull.

Knows the cards and whose turn it is; does not know who plays. How a challenge goes is in
challenge.py, what is seen of it in sight.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Option, Options, Outcome, Plain, Spec
from matchbox.games.skull import challenge, moves, sight, words
from matchbox.games.skull.challenge import State

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
        state = State(seats, str(options.get("variant", "published")))
        challenge.new_round(state, dice.below(seats))
        return state

    def to_move(self, state: State) -> Sequence[int]:
        """The one whose turn it is, until the game is won."""
        return () if state.ended is not None else (state.mover,)

    def legal(self, state: State, seat: int) -> list[Plain]:
        """The document's moves in its order, or which card is lost, or who starts."""
        return list(_legal(state, seat))

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The same state, after the move and all that follows from it."""
        parts = moves.PARTS.get(move) if isinstance(move, str) else None
        if parts is None or not _ALLOWED[parts[0]](state, seat, parts[1]):
            raise IllegalMove(words.refusal(move, state.phase, state.table, state.top_bid))
        state.last = []
        _STEPS[parts[0]](state, seat, parts[1], dice)
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """The seat is out, the round is broken off, and the next one clockwise starts another."""
        state.last = []
        challenge.remove(state, seat)
        return state

    def view(self, state: State, seat: int | None) -> Plain:
        """What is public, and for a seat its own cards."""
        return sight.view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        """The winner first, and all others second; a failed single challenge has many winners."""
        if state.ended is None:
            return None
        first = len(state.winners)
        places = tuple(1 if seat in state.winners else 1 + first for seat in range(state.seats))
        return Outcome(places, tuple(state.points), state.ended)

    def describe(self, move: Plain, view: Plain) -> str:
        """What happened, a line for each event; hidden cards stay hidden."""
        assert isinstance(view, dict)
        return words.told(view["events"])

    def turns(self, moves: Sequence[Plain]) -> int:
        """How many of the moves are the document's: what else is decided is not counted."""
        return sum(not str(move).startswith(("lose", "start")) for move in moves)

    def facts(self, state: State) -> dict[str, Any]:
        """What the laboratory counts: how the game was won, its rounds and its challenges."""
        ends = [challenge.end_of(text) for text in state.rounds.splitlines()]
        return {
            "won_by_points": state.ended == challenge.BY_POINTS,
            "last_one_in": state.ended == challenge.BY_CARDS,
            "rounds": len(ends),
            "challenges": {end: ends.count(end) for end in challenge.ENDS},
        }

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that the seat cannot tell from this one: what it does not see, dealt anew."""
        return sight.resampled(state, seat, dice)


GAME: Final = Skull()


def _legal(state: State, seat: int) -> list[str]:
    match state.phase:
        case "placing":
            hand, ready = state.hands[seat], state.table >= len(state.inside)
            return moves.placing(hand["skull"], hand["rose"], ready, state.table)
        case "betting":
            return moves.betting(state.top_bid, state.table)
        case "choice":
            return moves.choosing([len(pile) for pile in state.piles], state.top_seat)
        case "lose":
            return [*moves.LOSSES, moves.LOSE_ANY]
        case "start":
            return [*(moves.STARTS[one] for one in state.inside), moves.START_ANY]
    return []


def _may_place(state: State, seat: int, kind: Any) -> bool:
    return state.phase == "placing" and state.hands[seat][kind] > 0


def _may_bet(state: State, seat: int, number: Any) -> bool:
    begun = state.phase == "betting"
    opens = state.phase == "placing" and state.table >= len(state.inside)
    return (begun or opens) and state.top_bid < number <= state.table


def _may_pass(state: State, seat: int, nothing: Any) -> bool:
    return state.phase == "betting"


def _may_choose(state: State, seat: int, owner: Any) -> bool:
    if state.phase != "choice" or owner == state.top_seat:
        return False
    return bool(owner < state.seats and state.piles[owner])


def _may_lose(state: State, seat: int, kind: Any) -> bool:
    return state.phase == "lose"


def _may_start(state: State, seat: int, starter: Any) -> bool:
    return state.phase == "start" and (starter is None or starter in state.inside)


_ALLOWED: Final[dict[str, Callable[[State, int, Any], bool]]] = {
    "place": _may_place, "bet": _may_bet, "pass": _may_pass, "choose": _may_choose,
    "lose": _may_lose, "start": _may_start,
}  # fmt: skip


def _place(state: State, seat: int, kind: Any, dice: Dice) -> None:
    challenge.place(state, seat, kind)


def _bet(state: State, seat: int, number: Any, dice: Dice) -> None:
    challenge.speak(state, seat, number)


def _pass(state: State, seat: int, nothing: Any, dice: Dice) -> None:
    challenge.speak(state, seat, moves.PASSED)


def _choose(state: State, seat: int, owner: Any, dice: Dice) -> None:
    challenge.choose(state, seat, owner, dice)


def _lose(state: State, seat: int, kind: Any, dice: Dice) -> None:
    challenge.lose(state, seat, seat, kind or dice.choice(moves.KINDS))


def _start(state: State, seat: int, starter: Any, dice: Dice) -> None:
    chosen = dice.choice(state.inside) if starter is None else starter
    state.tell(f"{seat} names {chosen}")
    challenge.end_round(state, chosen)


_STEPS: Final[dict[str, Callable[[State, int, Any, Dice], None]]] = {
    "place": _place, "bet": _bet, "pass": _pass, "choose": _choose, "lose": _lose, "start": _start,
}  # fmt: skip
