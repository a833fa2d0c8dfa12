# cython: binding=False, embedsignature=True, embedsignature.format=clinic
"""The classes for authors of bomb players, and the driver that asks them.

Knows cards, hands and a player's view of the game; does not know the rules. The names of the
classes, methods and arguments are those of the source notebook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import index
from typing import Any, Final

from matchbox.errors import IllegalMove
from matchbox.games.bomb import codec
from matchbox.games.bomb.cards import BOMB, KINDS, NUMBERS
from matchbox.match.fault_text import value_text

ALIASES: Final[dict[str, str]] = {}
"""Module names of the source document that players import; the notebook has none."""

Ask = Callable[[Any], Any]


class Card:
    """A kind of card; one object stands for all its copies."""

    __slots__ = ("_description", "_name", "_number")

    def __init__(self, name: str, description: str) -> None:
        self._name = name
        self._number = NUMBERS.get(name, BOMB)
        self._description = description

    def name(self) -> str:
        """The kind's name, such as "skip"."""
        return self._name

    def description(self) -> str:
        """What the card does."""
        return self._description

    def __str__(self) -> str:
        article = "an" if self._name[:1] in "aeiou" else "a"
        return f"{article} {self._name} card"

    def __repr__(self) -> str:
        return f"{self._name}_card"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """A copy of a kind is the kind itself, because players compare cards by identity."""
        if CARDS.get(self._name) is self:
            return repr(self)
        return Card, (self._name, self._description)


bomb_card = Card("bomb", "Whoever draws it has lost, unless a defuse card is in the hand.")
defuse_card = Card(
    "defuse", "Played by itself when you draw the bomb. You then put the bomb back where you like."
)
skip_card = Card("skip", "Ends your turn without drawing a card.")
bottom_card = Card("bottom", "Ends your turn: you draw the bottom card instead of the top card.")
shuffle_card = Card("shuffle", "Shuffles the draw pile. Your turn goes on.")
see_card = Card("see", "Shows you the top three cards of the draw pile. Your turn goes on.")
nothing_card = Card("nothing", "Does nothing, and cannot be played.")

card_list: Final = [
    bomb_card, defuse_card, skip_card, bottom_card, shuffle_card, see_card, nothing_card,
]  # fmt: skip
CARDS: Final = {card.name(): card for card in card_list}
HAND_KINDS: Final = tuple(card_list[1:])
"""The kinds that a hand can hold, in the order in which a hand lists them."""
_cards: Final = [*HAND_KINDS, bomb_card]
"""By number."""


class Hand:
    """The cards that a player holds, as a number for each kind."""

    __slots__ = ("_counts",)

    def __init__(self, d: Mapping[Card, int] | None = None) -> None:
        """Makes a hand with these numbers of cards; an empty one without them."""
        self._counts = bytes(len(KINDS))
        """The number of cards of each kind; that of the bomb stays 0."""
        for card, number in d.items() if d else ():
            self._change(card, number)

    def add_card(self, card: Card) -> None:
        """Adds one card to the hand. Raises ValueError for a kind that no hand can hold."""
        if card not in HAND_KINDS:
            raise ValueError(f"a hand cannot hold {card}")
        self._change(card, 1)

    def remove_card(self, card: Card) -> None:
        """Removes one card from the hand. Raises ValueError if there is none."""
        if not self.num_cards(card):
            raise ValueError(f"the hand holds no {card.name()} card")
        self._change(card, -1)

    def num_cards(self, card: Card) -> int:
        """Returns the number of cards of that kind in the hand."""
        if type(card) is not Card:
            if not isinstance(card, Card):
                raise TypeError(f"num_cards() takes a card, such as skip_card, not {_named(card)}")
            return self._counts[card._number]
        known = card
        return self._counts[known._number]

    def copy(self) -> Hand:
        """A separate hand with the same cards."""
        return _hand(self._counts)

    def __len__(self) -> int:
        return sum(self._counts)

    def __str__(self) -> str:
        kinds = [(card, self.num_cards(card)) for card in HAND_KINDS]
        return in_words([_counted(card, number) for card, number in kinds if number]) or "no cards"

    def _change(self, card: Card, more: int) -> None:
        counts = bytearray(self._counts)
        counts[card._number] += more
        self._counts = bytes(counts)


def _hand(counts: bytes) -> Hand:
    """The hand with these numbers of cards of each kind."""
    hand = Hand.__new__(Hand)
    hand._counts = counts
    return hand


class GameData:
    """The knowledge of the player to move."""

    __slots__ = ("_ask", "_brief", "_over")

    def __init__(
        self,
        draw_pile_size: int,
        discard_pile: tuple[Card, ...],
        hand: Hand,
        other_players_hand_count: int,
    ) -> None:
        self._brief = _brief(hand, other_players_hand_count, discard_pile, draw_pile_size)
        """The brief, as `brief_of` writes it."""
        self._ask: Ask | None = None
        self._over = True

    def my_hand(self) -> Hand:
        """A copy of the player's own hand."""
        return _hand(codec.read_hand(self._brief))

    def draw_pile_size(self) -> int:
        """Returns the number of cards on the draw pile."""
        return codec.read_pile(self._brief)

    def other_players_hand_count(self) -> int:
        """Returns the number of cards in the other player's hand."""
        return codec.read_other(self._brief)

    def discard_pile(self) -> tuple[Card, ...]:
        """Returns all cards played so far, oldest first."""
        pile = codec.read_discard(self._brief)
        return tuple([_cards[number] for number in pile])

    def _update(self, hand: Hand, discard_pile: Iterable[Card]) -> None:
        """Shows this hand and this discard pile, as the notebook's engine does after a played card.

        It changes this object only, not the game.
        """
        others = self.other_players_hand_count()
        self._brief = _brief(hand, others, discard_pile, self.draw_pile_size())

    def _play_a_card(self, card: Card) -> tuple[Card, ...] | None:
        """Plays a see or a shuffle card.

        Anything else loses the game: the referee is sent an impossible move.
        """
        assert self._ask is not None
        if self._over:
            self._ask("play_a_card() outside its turn")
        if card is not see_card and card is not shuffle_card:
            self._ask(f"play_a_card({_named(card)})")
        self._brief = brief = self._ask(card._name)
        if card is see_card:
            return tuple([_cards[number] for number in codec.read_seen(brief)])
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy knows the same. It plays no cards."""
        other = self.other_players_hand_count()
        return GameData, (self.draw_pile_size(), self.discard_pile(), self.my_hand(), other)

    def __str__(self) -> str:
        return "\n".join(
            [
                f"The draw pile has {_how_many(self.draw_pile_size())}.",
                f"You have {self.my_hand()}.",
                f"The other player has {_how_many(self.other_players_hand_count())}.",
                *_discard_text(self.discard_pile()),
            ]
        )


def _brief(hand: Hand, other: int, discard_pile: Iterable[Card], pile: int) -> bytes:
    """The brief of a player with this hand, as `brief_of` writes it."""
    sheet = codec.sheet_of(hand._counts, other, bytes([card._number for card in discard_pile]))
    return bytes(sheet.set_pile(pile))


class Player:
    """The base class of all players: write these three methods."""

    def name(self) -> str:
        """The player's name, always the same text."""
        raise NotImplementedError("a player must have a method name()")

    def turn(self, game_data: GameData, play_a_card: Callable[[Card], Any]) -> Card | None:
        """Makes a turn; returns None to draw, or bottom_card, or skip_card.

        Before that, `play_a_card(see_card)` gives a tuple of the top three cards, the top one
        first, and `play_a_card(shuffle_card)` shuffles the draw pile; both as often as the hand
        allows.
        """
        raise NotImplementedError("a player must have a method turn(game_data, play_a_card)")

    def defuse(self, game_data: GameData) -> int:
        """Returns the place for the bomb: 0 is the top, game_data.draw_pile_size() the bottom."""
        raise NotImplementedError("a player must have a method defuse(game_data)")


# --- The driver ------------------------------------------------------------------------------


def answer(player: Player, view: dict[str, Any], ask: Ask) -> Any:
    """The player's move for this view; `ask(move)` makes a move before it, inside the turn.

    Raises IllegalMove if the player returns anything but a move.
    """
    return answer_brief(player, brief_of(view), lambda move: brief_of(ask(move)))


def brief_of(view: dict[str, Any]) -> bytes:
    """The view of the seat to move in bytes; see codec.py."""
    hand = [view["hand"].get(kind, 0) for kind in KINDS]
    sheet = codec.sheet_of(hand, view["other"], map(NUMBERS.__getitem__, view["discard"]))
    sheet.see(bytearray(map(NUMBERS.__getitem__, view.get("seen", ()))))
    sheet.set_asks_for_place(view["ask"] == "defuse")
    return bytes(sheet.set_pile(view["pile"]))


def answer_brief(player: Player, brief: bytes, ask: Ask) -> Any:
    """The same as `answer`, for briefs as `brief_of` writes them."""
    turn = GameData.__new__(GameData)
    turn._brief = brief
    turn._ask = ask
    turn._over = False
    if codec.asks_for_place(brief):
        turn._over = True
        return _place(player.defuse(turn), codec.read_pile(brief))
    try:
        chosen = player.turn(turn, turn._play_a_card)
    finally:
        turn._over = True
    if chosen is None:
        return "draw"
    if chosen is skip_card or chosen is bottom_card:
        return chosen._name
    raise IllegalMove(
        f"turn() returned {_named(chosen)}; return None to draw, skip_card or bottom_card"
    )


def _place(chosen: object, most: int) -> int:
    """The place as an int. Numpy's integers count; bool and other kinds of int do not."""
    if type(chosen) is int or type(chosen).__module__ == "numpy":
        try:
            place = index(chosen)  # type: ignore[arg-type]
        except TypeError:
            place = -1
        if 0 <= place <= most:
            return place
    raise IllegalMove(f"defuse() returned {_named(chosen)}; return an int from 0 to {most}")


def _named(thing: object) -> str:
    """A short description of a value that a player returned; runs none of the player's code."""
    if type(thing) is Card and CARDS.get(thing.name()) is thing:
        return repr(thing)
    return value_text(thing)


# --- Words -----------------------------------------------------------------------------------


def in_words(things: list[str]) -> str:
    """The things as a list in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, [", ".join(things[:-1]), *things[-1:]]))


def _counted(card: Card, number: int) -> str:
    return f"{number} {card.name()} card{'s' if number > 1 else ''}"


def _how_many(number: int) -> str:
    return "one card" if number == 1 else f"{number or 'no'} cards"


def _discard_text(pile: tuple[Card, ...]) -> list[str]:
    """One line, or two if there are more than two cards."""
    newest = [str(card) for card in pile[:-4:-1]]
    if not newest:
        return ["The discard pile is empty."]
    if len(pile) == 1:
        return [f"The only card on the discard pile is {newest[0]}."]
    if len(pile) == 2:
        return [f"The discard pile has two cards: {newest[0]}, and below it {newest[1]}."]
    return [
        f"The discard pile has {len(pile)} cards.",
        f"Its top three cards, the newest first, are {in_words(newest)}.",
    ]
