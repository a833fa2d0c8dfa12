"""The rules of The Game: everybody against the deck, all 98 cards onto four piles.

Knows the table and whose turn it is; does not know the players.

A play is [pile, place of the card in the hand]. "done" ends a turn in which the least number of
cards has been laid. "invalid" stands for any play that the rules do not allow: it ends the game for
all, and the cards laid before it count. Between two turns a hint is a word for every pile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Option, Options, Outcome, Plain, Spec
from matchbox.games.thegame.piles import CARDS, RULES, SILENCE, STARTS, WORDS, fits, plays, step

HANDS: Final = (8, 7, 6, 6, 6, 6, 6)
"""Cards in a hand, by the number of players from one."""
EXCELLENT: Final = 10
"""An excellent result has fewer cards left over than this."""
HINTS: Final = tuple(product(WORDS, repeat=len(STARTS)))

SPEC: Final = Spec(
    name="thegame",
    title="The Game",
    seats=(1, 2, 3, 4, 5, 6, 7),
    rules="1",
    options={
        "rules": Option(
            "article",
            "article: a card a turn, never back; backwards: also a card exactly ten back; "
            "published: as backwards, two cards a turn at least while there is a deck",
            RULES,
        ),
        "hints": Option(False, "before every turn all the others say a word about each pile"),
    },
    cooperative=True,
    hidden="A seat does not know the other hands, or the order of the deck.",
    max_steps=1000,
)


class State:
    """The cards on the table. The end of the deck, and of each pile, is its top."""

    __slots__ = (
        "backwards", "deck", "hands", "hinting", "hints", "laid", "last", "mover", "over", "owed",
        "published", "size", "waiting",
    )  # fmt: skip

    def __init__(self, deck: list[int], hands: list[list[int]], options: Options) -> None:
        self.deck = deck
        self.hands = hands
        self.laid = [[start] for start in STARTS]
        self.size = len(hands[0])
        """The number of cards to which a hand is filled up."""
        self.backwards = options.get("rules", RULES[0]) != "article"
        self.published = options.get("rules", RULES[0]) == "published"
        self.hinting = bool(options.get("hints", False))
        self.hints: list[list[str] | None] = [None] * len(hands)
        self.waiting: list[int] = []
        """The seats that owe a hint."""
        self.mover = 0
        self.owed = 0
        """The number of cards that the mover must still lay before the turn may end."""
        self.last: dict[str, int] | None = None
        self.over: str | None = None
        """Why the game has ended: won, blocked or invalid."""


class TheGame:
    """The game, as matchbox.game.Game asks for it."""

    spec = SPEC

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """The cards dealt one at a time round the table, and seat 0 to move."""
        deck = list(CARDS)
        dice.shuffle(deck)
        hands: list[list[int]] = [[] for _ in range(seats)]
        for _ in range(HANDS[seats - 1]):
            for hand in hands:
                hand.append(deck.pop())
        state = State(deck, hands, options)
        _begin_turn(state)
        return state

    def to_move(self, state: State) -> Sequence[int]:
        """The seats that still owe a hint; if none does, the seat whose turn it is."""
        if state.over is not None:
            return ()
        return tuple(state.waiting) if state.waiting else (state.mover,)

    def legal(self, state: State, seat: int) -> list[Plain]:
        """Every legal play, and "invalid" for any other; or every hint."""
        if state.waiting:
            return [list(hint) for hint in HINTS]
        allowed = plays(state.laid, state.hands[seat], state.backwards)
        ends = ["invalid"] if state.owed else ["done", "invalid"]
        return [*map(list, allowed), *ends]

    def refusal(self, state: State, seat: int, move: Plain) -> str:
        """The reason why the rules refuse the move; "" if they allow it."""
        try:
            _check(state, seat, move)
        except IllegalMove as error:
            return str(error)
        return ""

    def apply(self, state: State, seat: int, move: Any, dice: Dice) -> State:
        """The same state, after the move."""
        _check(state, seat, move)
        if state.waiting:
            _hint(state, seat, move)
        elif move == "invalid":
            state.over = "invalid"
        elif move == "done":
            _end_turn(state)
        else:
            _lay(state, *move)
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """Raises IllegalMove: all win or lose together."""
        raise IllegalMove("The Game ends for all when one of its players is gone")

    def view(self, state: State, seat: int | None) -> Plain:
        """Returns the knowledge of the seat: all piles, its own hand, and the sizes of the rest."""
        view: dict[str, Any] = {
            "ask": _ask_of(state, seat),
            "piles": [pile.copy() for pile in state.laid],
            "hands": [len(hand) for hand in state.hands],
            "deck": len(state.deck),
            "mover": state.mover,
            "owed": state.owed,
            "rules": _rules(state),
            "hints": _hints_of(state),
            "last": state.last and state.last.copy(),
        }
        if seat is None:
            view["over"] = state.over
        else:
            view["seat"] = seat
            view["hand"] = state.hands[seat].copy()
        return view

    def outcome(self, state: State) -> Outcome | None:
        """All share the first place; the score is the number of cards laid."""
        if state.over is None:
            return None
        seats = len(state.hands)
        return Outcome((1,) * seats, (_count(state),) * seats, state.over)

    def describe(self, move: Plain, view: Plain) -> str:
        """Describes the move as everybody at the table saw it."""
        assert isinstance(view, dict)
        if move == "done":
            return "ends the turn"
        if move == "invalid":
            return "makes a play that the rules do not allow, which ends the game for all"
        if isinstance(move, list) and move and isinstance(move[0], str):
            return _describe_hint(move)
        last = view["last"]
        back = ", ten back" if last["step"] < 0 else ""
        return f"lays {last['card']} on pile {last['pile']}{back}"

    def turns(self, moves: Sequence[Plain]) -> int:
        """Returns the number of cards laid; it equals the turns if each requires one card."""
        return sum(isinstance(move, list) and isinstance(move[0], int) for move in moves)

    def facts(self, state: State) -> dict[str, bool]:
        """How the bout ended, and whether it was excellent: fewer than ten cards left over."""
        ends = {why: state.over == why for why in ("won", "blocked", "invalid")}
        return {**ends, "excellent": len(CARDS) - _count(state) < EXCELLENT}

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that looks the same to the seat: the cards that it does not see are shuffled."""
        return _resampled(state, seat, dice)


GAME: Final = TheGame()


# --- Steps of the game -----------------------------------------------------------------------


def _check(state: State, seat: int, move: Any) -> None:
    """Raises IllegalMove if the rules refuse the move."""
    if state.waiting:
        _check_hint(move)
    elif move == "done":
        if state.owed:
            raise IllegalMove(f"the turn is not over: lay {state.owed} more first")
    elif move != "invalid":
        _check_play(state, seat, move)


def _check_play(state: State, seat: int, move: Any) -> None:
    if type(move) is not list or len(move) != 2 or any(type(part) is not int for part in move):
        raise IllegalMove(f"{f'{move!r}'[:60]} is not a play; a play is [pile, place in the hand]")
    pile, place = move
    hand = state.hands[seat]
    if not 0 <= pile < len(STARTS) or not 0 <= place < len(hand):
        raise IllegalMove(f"there is no pile {pile} with a card {place} for it in the hand")
    if not fits(pile, state.laid[pile][-1], hand[place], state.backwards):
        raise IllegalMove(f"{hand[place]} does not fit on pile {pile}")


def _check_hint(move: Any) -> None:
    if type(move) is not list or len(move) != len(STARTS) or any(w not in WORDS for w in move):
        raise IllegalMove(
            f"{f'{move!r}'[:60]} is not a hint; a hint is one of {WORDS} for each pile"
        )


def _lay(state: State, pile: int, place: int) -> None:
    card = state.hands[state.mover].pop(place)
    along = step(pile, state.laid[pile][-1], card)
    state.last = {"seat": state.mover, "pile": pile, "card": card, "step": along}
    state.laid[pile].append(card)
    state.owed = max(0, state.owed - 1)
    if _count(state) == len(CARDS):
        state.over = "won"
    elif state.owed:
        _stop_if_blocked(state)
    elif not state.published or not _can_play(state, state.mover):
        _end_turn(state)


def _end_turn(state: State) -> None:
    """Fills up the hand; the next player with cards is to move."""
    hand = state.hands[state.mover]
    while state.deck and len(hand) < state.size:
        hand.append(state.deck.pop())
    seats = len(state.hands)
    following = ((state.mover + ahead) % seats for ahead in range(1, seats + 1))
    state.mover = next(seat for seat in following if state.hands[seat])
    _begin_turn(state)


def _begin_turn(state: State) -> None:
    """Sets the number of cards that the mover owes; the others owe a hint, unless the game ends."""
    state.owed = 2 if state.published and state.deck else 1
    _stop_if_blocked(state)
    if state.hinting and state.over is None:
        state.hints = [None] * len(state.hands)
        state.waiting = [
            seat for seat, hand in enumerate(state.hands) if hand and seat != state.mover
        ]


def _hint(state: State, seat: int, hint: list[str]) -> None:
    state.hints[seat] = hint.copy()
    state.waiting = [other for other in state.waiting if other != seat]


def _stop_if_blocked(state: State) -> None:
    """Ends the game if the mover owes a card and cannot lay one."""
    if not _can_play(state, state.mover):
        state.over = "blocked"


def _can_play(state: State, seat: int) -> bool:
    return any(
        fits(pile, cards[-1], card, state.backwards)
        for card in state.hands[seat]
        for pile, cards in enumerate(state.laid)
    )


def _count(state: State) -> int:
    """How many cards were laid."""
    return sum(map(len, state.laid)) - len(STARTS)


# --- Views -----------------------------------------------------------------------------------


def _ask_of(state: State, seat: int | None) -> str:
    if state.over is not None:
        return "over"
    if state.waiting:
        return "hint" if seat is None or seat in state.waiting else "wait"
    if seat is not None and seat != state.mover:
        return "wait"
    return "play" if state.owed else "more"


def _hints_of(state: State) -> list[list[str] | None]:
    """Every seat's hint; none while one is owed, since all are given at once."""
    if state.waiting:
        return [None] * len(state.hints)
    return [hint and hint.copy() for hint in state.hints]


def _rules(state: State) -> str:
    if not state.backwards:
        return "article"
    return "published" if state.published else "backwards"


def _describe_hint(hint: Sequence[str]) -> str:
    if tuple(hint) == SILENCE:
        return "gives no hint"
    words = [f'pile {pile} "{word}"' for pile, word in enumerate(hint) if word != WORDS[0]]
    return f"hints: {', '.join(words)}"


def _resampled(state: State, seat: int | None, dice: Dice) -> State:
    """Deals the unseen cards again; a mover who could play can still play."""
    other = State([], [hand.copy() for hand in state.hands], {})
    for name in ("backwards", "hinting", "last", "mover", "over", "owed", "published", "size"):
        setattr(other, name, getattr(state, name))
    other.laid = [pile.copy() for pile in state.laid]
    other.hints = [hint and hint.copy() for hint in state.hints]
    other.waiting = state.waiting.copy()
    hidden = [one for one in range(len(state.hands)) if one != seat]
    pool = [card for one in hidden for card in state.hands[one]] + state.deck
    dice.shuffle(pool)
    cards = iter(pool)
    for one in hidden:
        other.hands[one] = _take(cards, len(state.hands[one]))
    other.deck = list(cards)
    if state.mover in hidden and _can_play(state, state.mover):
        _let_play(other, [one for one in hidden if one != state.mover])
    return other


def _take(cards: Iterator[int], number: int) -> list[int]:
    return [next(cards) for _ in range(number)]


def _let_play(state: State, hidden: Sequence[int]) -> None:
    """Gives a mover who cannot play a card that fits, from a place that nobody sees."""
    hand = state.hands[state.mover]
    for place in (state.deck, *(state.hands[one] for one in hidden)):
        for at, card in enumerate(place):
            if _can_play(state, state.mover):
                return
            hand[0], place[at] = card, hand[0]
