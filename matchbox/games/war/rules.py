"""The rules of Addition War: two players, 26 cards each, laid two by two; the higher sum takes all.

Knows what lies on the table and who owes cards; does not know who plays.

Under `dealt` chance lays the next two cards of each hand, and nobody decides. Under `choose` both
players lay two cards of their choice at the same time: a move is such as "13 2".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import CHANCE, Option, Options, Outcome, Plain, Spec
from matchbox.games.war.player import NUMBERS

HIGHEST: Final = 13
DECK: Final = tuple(value for value in range(1, HIGHEST + 1) for _ in range(4))
HAND: Final = len(DECK) // 2
TOTAL: Final = sum(DECK)
PAIRS: Final = {
    f"{high} {low}": (high, low) for high in range(HIGHEST, 0, -1) for low in range(high, 0, -1)
}
"""The cards of every move, the higher first."""
MOVES: Final = {pair: move for move, pair in PAIRS.items()}
TOOK: Final = (False, True, None)
"""Whether a seat took the cards of a play; nobody did yet after a tie."""
LOST: Final = 0
TAKEN: Final = 1
OPEN: Final = 2
_TAKERS: Final = (1, 0, None)
"""Who took the cards of a play, by the number of what seat 0 did in TOOK."""
_BOTH: Final = (0, 1)
_ONE: Final = ((0,), (1,))
_NOBODY: Final = ()
_CHANCE: Final = (CHANCE,)
CHOOSE: Final = "choose"
DEALT: Final = "dealt"

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


class State:
    """What lies on the table. The first card of a hand is laid first, where nobody chooses."""

    __slots__ = ("chooses", "hands", "laid", "open", "owing", "own", "played", "points", "pot")

    def __init__(self, hands: tuple[bytearray, bytearray], chooses: bool) -> None:
        self.hands = hands
        self.chooses = chooses
        self.owing: Sequence[int] = _NOBODY
        """Whoever has not laid yet, or chance, until the cards are out."""
        self.laid: list[Sequence[int] | None] = [None, None]
        """What waits for the other's cards, face down."""
        self.played = (bytearray(), bytearray())
        """All cards that each has laid, two a play."""
        self.own = (bytearray(), bytearray())
        """For each seat and play, by number in TOOK: whether it took the cards."""
        self.open = 0
        """How many of the last plays were equal, so that nobody has taken them yet."""
        self.pot = 0
        """The points of those cards that each of the two has laid."""
        self.points = [0, 0]
        _next_play(self)

    @property
    def initial(self) -> tuple[int, int]:
        """The points that each was dealt."""
        first, second = (
            sum(hand) + sum(laid or ()) + sum(played)
            for hand, laid, played in zip(self.hands, self.laid, self.played, strict=True)
        )
        return first, second

    @property
    def took(self) -> list[int | None]:
        """Who took the cards of each play."""
        return [_TAKERS[number] for number in self.own[0]]


class War:
    """The game, as matchbox.game.Game asks for it."""

    spec = SPEC

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """The cards dealt: the first 26 to seat 0, the others to seat 1."""
        deck = list(DECK)
        dice.shuffle(deck)
        return table((deck[:HAND], deck[HAND:]), str(options.get("play", CHOOSE)))

    def to_move(self, state: State) -> Sequence[int]:
        """Whoever has not laid yet, or chance, until the cards are out."""
        return state.owing

    def legal(self, state: State, seat: int) -> list[Plain]:
        """Every pair of the hand, the highest cards first."""
        hand = state.hands[seat]
        kinds = sorted(set(hand), reverse=True)
        pairs = [MOVES[pair] for pair in combinations_with_replacement(kinds, 2)]
        return [move for move in pairs if not self.refusal(state, seat, move)]

    def refusal(self, state: State, seat: int, move: Plain) -> str:
        """Why the seat may not lay that, or an empty text."""
        try:
            high, low = PAIRS[move]  # type: ignore[index]
        except (KeyError, TypeError):
            return (
                f'{repr(move)[:60]} is no pair of cards; lay two, the higher first, such as "13 2"'
            )
        hand = state.hands[seat]
        if high in hand and low in hand and (high != low or hand.count(high) > 1):
            return ""
        return f"you do not hold {high} and {low}; lay two cards of your hand"

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The same state, after the cards were laid, and compared once both lie there."""
        if seat == CHANCE:
            first, second = state.hands
            one, another = first[:2], second[:2]
            del first[:2], second[:2]
            _compare(state, one, another)
            return state
        if refusal := self.refusal(state, seat, move):
            raise IllegalMove(refusal)
        pair = high, low = PAIRS[move]  # type: ignore[index]
        hand = state.hands[seat]
        hand.remove(high)
        hand.remove(low)
        waiting = state.laid[1 - seat]
        if waiting is None:
            state.laid[seat] = pair
            state.owing = _ONE[1 - seat]
        elif seat:
            _compare(state, waiting, pair)
        else:
            _compare(state, pair, waiting)
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """There is no play without one of two."""
        raise IllegalMove("Addition War ends when one of its two players is gone")

    def view(self, state: State, seat: int | None) -> Plain:
        """What the seat knows: all but the cards that lie face down, and any hand's order."""
        if seat is None:
            return _table(state)
        view: dict[str, Any] = {
            "ask": _asked(state, seat),
            "hand": sorted(state.hands[seat], reverse=True),
            "other": _held(state, 1 - seat),
            "points": [state.points[seat], state.points[1 - seat]],
            "open": state.open,
            "played": [list(state.played[seat]), list(state.played[1 - seat])],
            "took": [TOOK[number] for number in state.own[seat]],
        }
        laid = state.laid[seat]
        if laid is not None:
            view["laid"] = list(laid)
        return view

    def brief(self, state: State, seat: int) -> bytes:
        """The view of a seat that is to lay as player.brief_of writes it, without the view."""
        hand, theirs = state.hands
        played, opposed = state.played
        if seat:
            hand, theirs, played, opposed = theirs, hand, opposed, played
        if state.laid[1 - seat] is not None:
            theirs = bytearray(_held(state, 1 - seat))
        return b"".join((NUMBERS[len(hand)], hand, theirs, played, opposed, state.own[seat]))

    def outcome(self, state: State) -> Outcome | None:
        """The higher total wins; equal totals are a draw."""
        if state.owing:
            return None
        first, second = state.points
        why = "the cards ran out in a tie" if state.open else "all cards are played"
        return Outcome((1 + (first < second), 1 + (second < first)), (first, second), why)

    def describe(self, move: Plain, view: Plain) -> str:
        """What a player laid and took; face down until both have laid."""
        assert isinstance(view, dict)
        if any(view["laid"]) or not view["took"]:
            return "lays two cards face down"
        return _told(move, view)

    def turns(self, moves: Sequence[Plain]) -> int:
        """How many plays these moves make."""
        return len(moves) // 2

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that the seat cannot tell from this one: another order, other cards face down."""
        other = State((state.hands[0].copy(), state.hands[1].copy()), state.chooses)
        other.owing = state.owing
        other.laid = state.laid.copy()
        other.played = (state.played[0].copy(), state.played[1].copy())
        other.own = (state.own[0].copy(), state.own[1].copy())
        other.open = state.open
        other.pot = state.pot
        other.points = state.points.copy()
        for one, hand in enumerate(other.hands):
            laid = other.laid[one]
            if not state.chooses:
                dice.shuffle(hand)
            elif laid is not None and one != seat:
                hand[:] = bytes(_held(other, one))
                chosen = PAIRS[str(dice.choice(self.legal(other, one)))]
                for card in chosen:
                    hand.remove(card)
                other.laid[one] = chosen
        return other


GAME: Final = War()


def table(hands: tuple[list[int], list[int]], play: str) -> State:
    """The state of two hands before the first card is laid."""
    first, second = hands
    if play == CHOOSE:
        first, second = sorted(first, reverse=True), sorted(second, reverse=True)
    return State((bytearray(first), bytearray(second)), play == CHOOSE)


# --- Steps of the game -----------------------------------------------------------------------


def _next_play(state: State) -> None:
    if not state.hands[0]:
        state.owing = _NOBODY
    else:
        state.owing = _BOTH if state.chooses else _CHANCE


def _compare(state: State, first: Sequence[int], second: Sequence[int]) -> None:
    """Both have laid: the higher sum takes all that lies open; the last tie is given back."""
    state.laid[0] = state.laid[1] = None
    _next_play(state)
    mine, theirs = state.played
    one, another = first
    mine.append(one)
    mine.append(another)
    total = one + another
    one, another = second
    theirs.append(one)
    theirs.append(another)
    other = one + another
    if total == other:
        _tie(state, total)
        return
    taker = int(total < other)
    state.points[taker] += 2 * state.pot + total + other
    winner, loser = state.own[taker], state.own[1 - taker]
    if state.open:
        winner[-state.open :] = bytes([TAKEN]) * state.open
        loser[-state.open :] = bytes([LOST]) * state.open
        state.open = state.pot = 0
    winner.append(TAKEN)
    loser.append(LOST)


def _tie(state: State, total: int) -> None:
    """Equal sums stay open, and go back where they were the last cards."""
    state.own[0].append(OPEN)
    state.own[1].append(OPEN)
    state.open += 1
    state.pot += total
    if not state.hands[0]:
        state.points[0] += state.pot
        state.points[1] += state.pot


# --- What is seen ----------------------------------------------------------------------------


def _held(state: State, seat: int) -> list[int]:
    """The seat's cards for everybody else: those that lie face down are still among them."""
    return sorted([*state.hands[seat], *(state.laid[seat] or ())], reverse=True)


def _asked(state: State, seat: int) -> str:
    if state.laid[seat] is not None:
        return "wait"
    if not state.hands[seat]:
        return "over"
    return "lay" if state.chooses else "wait"


def _table(state: State) -> dict[str, Any]:
    """What everybody may know."""
    over = not (state.hands[0] or any(state.laid))
    return {
        "ask": "over" if over else "lay",
        "hands": [_held(state, 0), _held(state, 1)],
        "laid": [laid is not None for laid in state.laid],
        "points": state.points.copy(),
        "open": state.open,
        "played": [list(played) for played in state.played],
        "took": state.took,
    }


def _told(move: Plain, view: dict[str, Any]) -> str:
    """A pair, what it took, and after the last one the totals."""
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


def _taken(played: list[list[int]]) -> int:
    """The points of the last play, with the ties right before it."""
    first, second = (
        [sum(cards[at : at + 2]) for at in range(0, len(cards), 2)] for cards in played
    )
    points = first[-1] + second[-1]
    for one, two in zip(first[-2::-1], second[-2::-1], strict=True):
        if one != two:
            break
        points += one + two
    return points
