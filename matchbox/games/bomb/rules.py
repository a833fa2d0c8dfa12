"""The rules of bomb: two players, one bomb, and nobody wants to draw it.

Knows what is on the table and whose turn it is; does not know who plays.

A turn is any number of "see" and "shuffle" and then "draw", "bottom" or "skip". A player who draws
the bomb and holds a defuse card is then asked for the bomb's place, a whole number: 0 is the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Options, Outcome, Plain, Spec
from matchbox.games.bomb.batch import Batch
from matchbox.games.bomb.cards import (
    AT_ASKS,
    AT_CARDS,
    AT_COUNTS,
    AT_OTHER,
    AT_PILE,
    AT_SEEN,
    BOMB,
    BOTTOM,
    DEFUSE,
    KINDS,
    NUMBERS,
    SEE,
    SEEN,
    SHUFFLE,
    SKIP,
)
from matchbox.games.bomb.deal import dealt

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


class State:
    """The cards on the table. The end of `pile` is its top; a hand is a count for each kind."""

    __slots__ = ("asks", "last", "loser", "mover", "pile", "seen", "told")

    def __init__(self, pile: bytearray, told: tuple[bytearray, bytearray]) -> None:
        self.pile = pile
        self.told = told
        """Each seat's brief, without the size of the draw pile and without the cards seen."""
        self.mover = 0
        self.asks = "turn"
        self.seen: bytearray | None = None
        self.last: str | None = None
        self.loser: int | None = None

    @property
    def hands(self) -> tuple[bytearray, bytearray]:
        """Each seat's counts by kind, copied."""
        return self.told[0][AT_COUNTS:AT_CARDS], self.told[1][AT_COUNTS:AT_CARDS]

    @property
    def discard(self) -> bytearray:
        """The cards played, oldest first, copied."""
        return self.told[0][AT_CARDS:]


def holding(pile: bytearray, hands: tuple[bytearray, bytearray]) -> State:
    """A state with these cards and no move made."""
    return State(pile, (_told(hands[0], hands[1]), _told(hands[1], hands[0])))


def names(cards: Iterable[int]) -> list[str]:
    """The kinds of these cards."""
    return [KINDS[card] for card in cards]


class Bomb:
    """The game, as matchbox.game.Game asks for it."""

    spec = SPEC

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """The cards dealt, and seat 0 to move."""
        return State(*dealt(dice))

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
        """The same state, after the move."""
        seen = None
        if state.asks == "defuse":
            _put_back(state, move)
            move = "place"
        elif move == "draw":
            _take(state, state.pile.pop())
        elif move == "skip":
            _play(state, SKIP)
            state.mover = 1 - state.mover
        elif move == "see":
            _play(state, SEE)
            seen = state.pile[: -SEEN - 1 : -1]
        elif move == "shuffle":
            _play(state, SHUFFLE)
            dice.shuffle(state.pile)
        elif move == "bottom":
            _play(state, BOTTOM)
            _take(state, state.pile.pop(0))
        else:
            raise IllegalMove(_refusal(move))
        state.seen = seen
        state.last = move
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """Raises IllegalMove: two players are needed."""
        raise IllegalMove("bomb ends when one of its two players is gone")

    def view(self, state: State, seat: int | None) -> Plain:
        """What the seat knows: its hand, the discard pile, and how many cards lie elsewhere."""
        if seat is None:
            return _table(state)
        moving = seat == state.mover
        view: dict[str, Any] = {
            "ask": state.asks if moving or state.asks == "over" else "wait",
            "hand": dict(zip(KINDS[:BOMB], state.hands[seat][:BOMB], strict=True)),
            "pile": len(state.pile),
            "other": sum(state.hands[1 - seat]),
            "discard": names(state.discard),
        }
        if state.seen is not None and moving:
            view["seen"] = names(state.seen)
        return view

    def brief(self, state: State, seat: int) -> bytes:
        """The view of the seat to move as player.brief_of writes it, made without the view."""
        told = state.told[seat]
        told[AT_PILE] = len(state.pile)
        if state.seen is None:
            return bytes(told)
        head = told[:AT_CARDS]
        head[AT_SEEN] = len(state.seen)
        return bytes(head + state.seen + told[AT_CARDS:])

    def outcome(self, state: State) -> Outcome | None:
        """The player that exploded has lost."""
        if state.loser is None:
            return None
        lost = state.loser
        return Outcome(
            (1 + (lost == 0), 1 + (lost == 1)), (int(lost == 1), int(lost == 0)), "explosion"
        )

    def describe(self, move: Plain, view: Plain) -> str:
        """What happened, one line per event; cards drawn and seen are not told."""
        assert isinstance(view, dict)
        if type(move) is not str:
            return "puts the bomb back"
        lines = _TOLD.get(move, f"tries {move}")
        if move in ("draw", "bottom"):
            lines += _TOLD_OF_THE_BOMB.get(view["ask"], "")
        return lines

    def turns(self, moves: Sequence[Plain]) -> int:
        """How many turns these moves make, counted by the moves that end one."""
        return sum(map(moves.count, ("draw", "bottom", "skip")))

    def batch(self, seats: int, options: Options) -> Batch:
        """Many bouts side by side."""
        return Batch()

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that looks the same to the seat: the cards that it does not see are shuffled."""
        return _resampled(state, seat, dice)


GAME: Final = Bomb()


# --- Steps of the game -----------------------------------------------------------------------


def _told(own: bytearray, other: bytearray) -> bytearray:
    """The brief for the owner of the first hand, without the draw pile and the cards seen."""
    return bytearray((0, 0, sum(other), 0)) + own


def _play(state: State, card: int) -> None:
    """Moves the card from the mover's hand to the discard pile. Raises IllegalMove."""
    mine, theirs = state.told[state.mover], state.told[1 - state.mover]
    if not mine[AT_COUNTS + card]:
        raise IllegalMove(f"you hold no {KINDS[card]} card")
    mine[AT_COUNTS + card] -= 1
    theirs[AT_OTHER] -= 1
    mine.append(card)
    theirs.append(card)


def _take(state: State, card: int) -> None:
    """Takes the drawn card into the hand; the bomb is defused or explodes."""
    mine = state.told[state.mover]
    if card != BOMB:
        mine[AT_COUNTS + card] += 1
        state.mover = 1 - state.mover
        state.told[state.mover][AT_OTHER] += 1
    elif mine[AT_COUNTS + DEFUSE]:
        _play(state, DEFUSE)
        mine[AT_ASKS] = 1
        state.asks = "defuse"
    else:
        state.loser = state.mover
        state.asks = "over"


def _put_back(state: State, move: Plain) -> None:
    """Puts the bomb into the pile, below `move` cards; the turn ends."""
    size = len(state.pile)
    if type(move) is not int or not 0 <= move <= size:
        raise IllegalMove(
            f"{_quoted(move)} is no place for the bomb; choose an int from 0 to {size}"
        )
    state.pile.insert(size - move, BOMB)
    state.told[state.mover][AT_ASKS] = 0
    state.asks = "turn"
    state.mover = 1 - state.mover


def _refusal(move: Plain) -> str:
    return f"{_quoted(move)} is no move of a turn; there are draw, bottom, skip, see and shuffle"


def _quoted(move: Plain) -> str:
    return f"{move}"[:60] if type(move) is str else f"{move!r}"[:60]


# --- What is seen ----------------------------------------------------------------------------

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
    hands = state.hands
    own_sight = state.seen is not None and seat == state.mover
    known = state.pile[-SEEN:] if own_sight else bytearray()
    unseen = state.pile[: len(state.pile) - len(known)]
    bombs = unseen.count(BOMB)
    pool = unseen.replace(bytes([BOMB]), b"")
    hidden = [one for one in (0, 1) if one != seat]
    sizes = [sum(hands[one]) for one in hidden]
    for one in hidden:
        for card in range(BOMB):
            pool += bytes([card]) * hands[one][card]
    dice.shuffle(pool)
    for one, size in zip(hidden, sizes, strict=True):
        hands[one][:] = bytes(len(KINDS))
        for _ in range(size):
            hands[one][pool.pop()] += 1
    pool += bytes([BOMB]) * bombs
    dice.shuffle(pool)
    other = holding(pool + known, hands)
    for told, before in zip(other.told, state.told, strict=True):
        told[AT_ASKS] = before[AT_ASKS]
        told += before[AT_CARDS:]
    other.asks, other.last = state.asks, state.last
    other.loser, other.mover = state.loser, state.mover
    other.seen = other.pile[: -SEEN - 1 : -1] if state.seen is not None else None
    return other
