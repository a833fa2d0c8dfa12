"""The rules of bomb: two players, one bomb, and nobody wants to draw it.

Knows the table and whose turn it is; does not know the players.

A turn is any number of the moves "see" and "shuffle", then one of "draw", "bottom" or "skip". A
player who draws the bomb and holds a defuse card is then asked for the bomb's place, a whole
number: 0 is the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Options, Outcome, Plain, Spec
from matchbox.games.bomb.cards import BOMB, KINDS, NUMBERS, SEEN
from matchbox.games.bomb.steps import ENDED, State, deal, holding, make

_ALONE: Final = ((0,), (1,))
_MOVES_OF_CARDS: Final = ("bottom", "skip", "see", "shuffle")

SPEC: Final = Spec(
    name="bomb",
    title="Bomb",
    seats=(2,),
    rules="1",
    hidden="A seat does not know the order of the draw pile, the other hand, or where the other "
    "player put the bomb.",
    max_steps=100,
)


def names(cards: Iterable[int]) -> list[str]:
    """Returns the kinds of these cards by name."""
    return [KINDS[card] for card in cards]


class Bomb:
    """The game, as matchbox.game.Game asks for it."""

    spec = SPEC

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """The cards dealt, and seat 0 to move."""
        return deal(dice)

    def to_move(self, state: State) -> Sequence[int]:
        """The player whose turn it is, until somebody has lost."""
        return _ALONE[state.mover] if state.loser is None else ()

    def legal(self, state: State, seat: int) -> list[Plain]:
        """The moves of a turn that the hand allows, or the places for the bomb."""
        if state.asks == "defuse":
            return list(range(len(state.pile) + 1))
        hand = state.hands[seat]
        return ["draw", *(kind for kind in _MOVES_OF_CARDS if hand[NUMBERS[kind]])]

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """Returns the same state, after the move."""
        make(state, move, dice)
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """Raises IllegalMove: two players are needed."""
        raise IllegalMove("bomb ends when one of its two players is gone")

    def view(self, state: State, seat: int | None) -> Plain:
        """The view of a seat: its hand, the discard pile, and the number of cards everywhere
        else."""
        if seat is None:
            return _table(state)
        moving = seat == state.mover
        view: dict[str, Any] = {
            "ask": state.asks if moving or state.asks == "over" else "wait",
            "hand": dict(zip(KINDS[:BOMB], state.hands[seat][:BOMB], strict=True)),
            "pile": len(state.pile),
            "other": state.sheets[seat].other,
            "discard": names(state.discard),
        }
        if seen := state.sheets[seat].seen:
            view["seen"] = names(seen)
        return view

    def brief(self, state: State, seat: int) -> bytearray:
        """The view of the seat to move as player.brief_of writes it, made without the view."""
        return state.sheets[seat].set_pile(len(state.pile))

    def outcome(self, state: State) -> Outcome | None:
        """Returns the outcome: the player that exploded has lost."""
        return None if state.loser is None else ENDED[state.loser]

    def describe(self, move: Plain, view: Plain) -> str:
        """Describes the move, one line per event; cards drawn and seen are not named."""
        assert isinstance(view, dict)
        if type(move) is not str:
            return "puts the bomb back"
        lines = _TOLD.get(move, f"tries {move}")
        if move in ("draw", "bottom"):
            lines += _TOLD_OF_THE_BOMB.get(view["ask"], "")
        return lines

    def turns(self, moves: Sequence[Plain]) -> int:
        """Returns the number of turns in these moves; it counts the moves that end one."""
        return sum(map(moves.count, ("draw", "bottom", "skip")))

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that looks the same to the seat: the cards that it does not see are shuffled."""
        return _resampled(state, seat, dice)


GAME: Final = Bomb()


# --- Views -----------------------------------------------------------------------------------

_TOLD: Final = {
    "draw": "draws the top card",
    "bottom": "plays a bottom card\ndraws the bottom card",
    "skip": "plays a skip card",
    "see": "plays a see card",
    "shuffle": "plays a shuffle card\nthe draw pile is shuffled",
}
_TOLD_OF_THE_BOMB: Final = {
    "defuse": "\nit is the bomb\nplays a defuse card",
    "over": "\nit is the bomb\nblows up",
}


def _table(state: State) -> dict[str, Any]:
    """The public part of a view."""
    return {
        "ask": state.asks,
        "mover": state.mover,
        "hands": [sum(hand) for hand in state.hands],
        "pile": len(state.pile),
        "discard": names(state.discard),
        "last": state.last,
        "loser": state.loser,
    }


def _resampled(state: State, seat: int | None, dice: Dice) -> State:
    """Deals the unseen cards again; the three cards just seen stay where they are."""
    shown = state.sheets[state.mover].seen
    known = state.pile[-SEEN:] if shown and seat == state.mover else bytearray()
    unseen = state.pile[: len(state.pile) - len(known)]
    bombs = unseen.count(BOMB)
    pool = unseen.replace(bytes([BOMB]), b"")
    hands = [bytearray(hand) for hand in state.hands]
    hidden = [hand for one, hand in enumerate(hands) if one != seat]
    sizes = [sum(hand) for hand in hidden]
    for hand in hidden:
        for card in range(BOMB):
            pool += bytes([card]) * hand[card]
    dice.shuffle(pool)
    for hand, size in zip(hidden, sizes, strict=True):
        hand[:] = bytes(len(KINDS))
        for _ in range(size):
            hand[pool.pop()] += 1
    pool += bytes([BOMB]) * bombs
    dice.shuffle(pool)
    other = holding(pool + known, *hands, discard=state.discard)
    other.asks, other.last = state.asks, state.last
    other.loser, other.mover = state.loser, state.mover
    mine = other.sheets[other.mover]
    mine.set_asks_for_place(state.asks == "defuse")
    if shown:
        mine.see(other.pile[: -SEEN - 1 : -1])
    return other
