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
from matchbox.games.skull import challenge, moves, sight, story, words
from matchbox.games.skull.challenge import PASSED, ROSE, SKULL, State

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
        return () if state.ended is not None else _ALONE[state.mover]

    def legal(self, state: State, seat: int) -> list[Plain]:
        """The document's moves in its order, or which card is lost, or who starts."""
        return list(_legal(state, seat))

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The same state, after the move and all that follows from it."""
        step = _STEPS.get(move) if type(move) is str else None
        moved = len(state.story)
        if step is None or not step[0](state, seat, step[1], dice):
            raise IllegalMove(words.refusal(move, state.phase, state.table, state.top_bid))
        state.moved = moved
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """The seat is out, the round is broken off, and the next one clockwise starts another."""
        state.moved = len(state.story)
        challenge.remove(state, seat)
        return state

    def view(self, state: State, seat: int | None) -> Plain:
        """What is public, and for a seat its own cards."""
        return sight.view(state, seat)

    def brief(self, state: State, seat: int) -> bytes:
        """The view as player.brief_of writes it, without the view."""
        return sight.brief(state, seat)

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
        ends = [challenge.end_of(text) for text in sight.rounds(state)]
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
            skulls, roses = state.hands
            ready = state.table >= len(state.inside)
            return moves.placing(skulls[seat], roses[seat], ready, state.table)
        case "betting":
            return moves.betting(state.top_bid, state.table)
        case "choice":
            return moves.choosing(state.sizes, state.top_seat)
        case "lose":
            return [*moves.LOSSES, moves.LOSE_ANY]
        case "start":
            return [*(moves.STARTS[one] for one in state.inside), moves.START_ANY]
    return []


def _place(state: State, seat: int, kind: int, dice: Dice) -> bool:
    if state.phase != "placing" or not state.hands[kind][seat]:
        return False
    challenge.place(state, seat, kind)
    return True


def _bet(state: State, seat: int, number: int, dice: Dice) -> bool:
    if not state.top_bid < number <= state.table:
        return False
    opens = state.phase == "placing" and state.table >= len(state.inside)
    if not opens and state.phase != "betting":
        return False
    challenge.speak(state, seat, number)
    return True


def _pass(state: State, seat: int, nothing: int, dice: Dice) -> bool:
    if state.phase != "betting":
        return False
    challenge.speak(state, seat, PASSED)
    return True


def _choose(state: State, seat: int, owner: int, dice: Dice) -> bool:
    if state.phase != "choice" or owner == state.top_seat:
        return False
    if owner >= state.seats or not state.sizes[owner]:
        return False
    challenge.choose(state, seat, owner, dice)
    return True


def _lose(state: State, seat: int, kind: int, dice: Dice) -> bool:
    if state.phase != "lose":
        return False
    challenge.lose(state, seat, seat, dice.choice(_KINDS) if kind == _ANY else kind)
    return True


def _start(state: State, seat: int, starter: int, dice: Dice) -> bool:
    if state.phase != "start" or (starter != _ANY and starter not in state.inside):
        return False
    chosen = dice.choice(state.inside) if starter == _ANY else starter
    state.story.append(story.NAMES + seat)
    state.story.append(chosen)
    challenge.end_round(state, chosen)
    return True


_ALONE: Final = tuple((seat,) for seat in range(moves.SEATS))
_KINDS: Final = (SKULL, ROSE)
_ANY: Final = -1
_STEPS: Final[dict[str, tuple[Callable[[State, int, int, Dice], bool], int]]] = {
    moves.PASS: (_pass, _ANY),
    moves.LOSE_ANY: (_lose, _ANY),
    moves.START_ANY: (_start, _ANY),
    **{text: (_place, kind) for kind, text in enumerate(moves.PLACES)},
    **{text: (_lose, kind) for kind, text in enumerate(moves.LOSSES)},
    **{text: (_bet, number) for number, text in enumerate(moves.BETS) if number},
    **{text: (_choose, seat) for seat, text in enumerate(moves.CHOICES)},
    **{text: (_start, seat) for seat, text in enumerate(moves.STARTS)},
}
"""What every move does, False where it may not be made now; and with what number."""
