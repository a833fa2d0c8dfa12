"""The rules of Addition War: two players, 26 cards each, laid two by two; the higher sum takes all.

Knows the table and the seats that owe cards; does not know the players.

Under `dealt` chance lays the next two cards of each hand, and nobody decides. Under `choose` both
players lay two cards of their choice at the same time: a move is text such as "13 2".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import CHANCE, Option, Options, Outcome, Plain, Spec
from matchbox.games.war import codec
from matchbox.games.war.batch import Batch
from matchbox.games.war.state import (
    CHOOSE,
    DEALT,
    HIGHEST,
    PAIRS,
    State,
    deal,
    holds,
    outcome,
    settle,
)

MOVES: Final = {pair: move for move, pair in PAIRS.items()}
_NUMBERS: Final = re.compile(r"(-?[0-9]{1,9}) (-?[0-9]{1,9})")
_BOTH: Final = (0, 1)
_ONE: Final = ((0,), (1,))
_NOBODY: Final = ()
_CHANCE: Final = (CHANCE,)

SPEC: Final = Spec(
    name="war",
    title="Addition War",
    seats=(2,),
    rules="1",
    options={
        "play": Option(
            CHOOSE,
            "choose: a player picks the two cards to lay; dealt: they are laid as they were dealt",
            (CHOOSE, DEALT),
        )
    },
    hidden="Until both have laid their cards, a seat does not know which two the other lays.",
    balanced=True,
    max_steps=30,
)


class War:
    """The game, as matchbox.game.Game asks for it."""

    spec = SPEC

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """The cards dealt: the first 26 to seat 0, the others to seat 1."""
        return deal(dice, str(options.get("play", CHOOSE)))

    def to_move(self, state: State) -> Sequence[int]:
        """The seats that have not laid yet, or chance, until no cards are left."""
        if not state.hands[0]:
            return _NOBODY
        if not state.chooses:
            return _CHANCE
        first, second = state.laid
        if first is None:
            return _BOTH if second is None else _ONE[0]
        return _ONE[1]

    def legal(self, state: State, seat: int) -> list[Plain]:
        """Every pair of the hand, the highest cards first."""
        hand = state.hands[seat]
        kinds = sorted(set(hand), reverse=True)
        pairs = [MOVES[pair] for pair in combinations_with_replacement(kinds, 2)]
        return [move for move in pairs if not self.refusal(state, seat, move)]

    def refusal(self, state: State, seat: int, move: Plain) -> str:
        """The reason why the seat may not lay these cards; "" if it may."""
        try:
            pair = PAIRS[move]  # type: ignore[index]
        except (KeyError, TypeError):
            if card := _absent(move):
                return f"there is no card {card}; the cards are 1 to {HIGHEST}"
            return (
                f'{repr(move)[:60]} is not a pair of cards; lay two, higher first, such as "13 2"'
            )
        if holds(state, seat, pair):
            return ""
        return f"you do not hold {pair[0]} and {pair[1]}; lay two cards of your hand"

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The same state after cards were laid; they are compared once both pairs are there."""
        if seat == CHANCE:
            first, second = state.hands
            settle(state, first[:2], second[:2])
            return state
        if refusal := self.refusal(state, seat, move):
            raise IllegalMove(refusal)
        pair = PAIRS[move]  # type: ignore[index]
        waiting = state.laid[1 - seat]
        if waiting is None:
            state.laid[seat] = pair
            return state
        state.laid[1 - seat] = None
        if seat:
            settle(state, waiting, pair)
        else:
            settle(state, pair, waiting)
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """Raises IllegalMove: two players are needed."""
        raise IllegalMove("Addition War ends when one of its two players is gone")

    def view(self, state: State, seat: int | None) -> Plain:
        """Returns the knowledge of the seat; face-down cards and the order of hands stay hidden."""
        if seat is None:
            return _table(state)
        played = state.played
        points = state.points
        view: dict[str, Any] = {
            "ask": _ask_of(state, seat),
            "hand": _left(state, seat),
            "other": _held(state, 1 - seat),
            "points": [points[seat], points[1 - seat]],
            "open": state.open,
            "played": [[*played[seat]], [*played[1 - seat]]],
            "took": [None if taker is None else taker == seat for taker in state.took],
        }
        laid = state.laid[seat]
        if laid is not None:
            view["laid"] = list(laid)
        return view

    def brief(self, state: State, seat: int) -> bytes:
        """The view of a seat that is to lay as codec.brief_of writes it, made without the view."""
        hands, played, other = state.hands, state.played, 1 - seat
        return codec.write(hands[seat], hands[other], played[seat], played[other])

    def batch(self, seats: int, options: Options) -> Batch | None:
        """The batch if players choose; None if all cards are dealt, since nobody is asked."""
        return Batch() if options.get("play", CHOOSE) == CHOOSE else None

    def outcome(self, state: State) -> Outcome | None:
        """The higher total wins; equal totals draw."""
        return None if state.hands[0] else outcome(state)

    def describe(self, move: Plain, view: Plain) -> str:
        """Describes the pair that a player laid and its gain, once both players have laid.

        Without a move it describes the play that chance made.
        """
        assert isinstance(view, dict)
        if move is None:
            return _describe_chance(view)
        if any(view["laid"]) or not view["took"]:
            return "lays two cards face down"
        return _describe_move(move, view)

    def turns(self, moves: Sequence[Plain]) -> int:
        """Returns the number of plays in these moves."""
        return len(moves) // 2

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that looks the same to the seat: other orders, other cards face down."""
        other = State((state.hands[0].copy(), state.hands[1].copy()), state.chooses)
        other.laid = state.laid.copy()
        other.played = (state.played[0].copy(), state.played[1].copy())
        for one, hand in enumerate(other.hands):
            if not state.chooses:
                dice.shuffle(hand)
            elif other.laid[one] is not None and one != seat:
                other.laid[one] = PAIRS[str(dice.choice(self.legal(other, one)))]
        return other


GAME: Final = War()


# --- Views -----------------------------------------------------------------------------------


def _held(state: State, seat: int) -> list[int]:
    """The seat's cards as others see them: including those that lie face down."""
    return sorted(state.hands[seat], reverse=True)


def _left(state: State, seat: int) -> list[int]:
    """The seat's cards as it sees them: without those that it has laid."""
    hand = _held(state, seat)
    for card in state.laid[seat] or ():
        hand.remove(card)
    return hand


def _ask_of(state: State, seat: int) -> str:
    if state.laid[seat] is not None:
        return "wait"
    if not state.hands[seat]:
        return "over"
    return "lay" if state.chooses else "wait"


def _table(state: State) -> dict[str, Any]:
    """The public part of a view."""
    return {
        "ask": "over" if not state.hands[0] else "lay" if state.chooses else "wait",
        "hands": [_held(state, 0), _held(state, 1)],
        "laid": [laid is not None for laid in state.laid],
        "points": state.points,
        "open": state.open,
        "played": [[*cards] for cards in state.played],
        "took": state.took,
    }


def _describe_move(move: Plain, view: dict[str, Any]) -> str:
    """The pair, what it took, and after the last pair the totals."""
    pairs = [played[-2:] for played in view["played"]]
    seat = int(PAIRS[str(move)] != tuple(pairs[0]))
    over = view["ask"] == "over"
    high, low = pairs[seat]
    lines = [f"lays {high} and {low}, together {high + low}"]
    if view["took"][-1] == seat:
        lines.append(f"takes {_taken(view['played'])} points")
    elif view["took"][-1] is None:
        lines.append("a tie: takes its cards back" if over else "a tie: the cards stay open")
    if over and (seat == 1 or pairs[0] == pairs[1]):
        lines.append("the totals are {} to {}".format(*view["points"]))
    return "\n".join(lines)


def _describe_chance(view: dict[str, Any]) -> str:
    """Both pairs of the last play, who took them, and after the last pair the totals."""
    lines = []
    for seat, played in enumerate(view["played"]):
        one, two = played[-2:]
        lines.append(f"seat {seat} lays {one} and {two}, together {one + two}")
    taker, over = view["took"][-1], view["ask"] == "over"
    if taker is not None:
        lines.append(f"seat {taker} takes {_taken(view['played'])} points")
    else:
        lines.append("a tie: both take their cards back" if over else "a tie: the cards stay open")
    if over:
        lines.append("the totals are {} to {}".format(*view["points"]))
    return "\n".join(lines)


def _absent(move: Plain) -> str:
    """The first card of the move that no deck has; "" if the move does not name two numbers."""
    found = _NUMBERS.fullmatch(move) if isinstance(move, str) else None
    cards = found.groups() if found else ()
    return next((card for card in cards if not 1 <= int(card) <= HIGHEST), "")


def _taken(played: list[list[int]]) -> int:
    """The points of the last play and of the ties right before it."""
    first, second = (
        [sum(cards[at : at + 2]) for at in range(0, len(cards), 2)] for cards in played
    )
    points = first[-1] + second[-1]
    for one, two in zip(first[-2::-1], second[-2::-1], strict=True):
        if one != two:
            break
        points += one + two
    return points
