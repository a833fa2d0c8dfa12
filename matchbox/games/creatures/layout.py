"""The content of a board: lists of cards as the seat sees them; a card stays the same object.

Brings the lists up to date after every move; on a board without actions, from the first look on.
Knows what a player may have changed on its board; does not know which actions are legal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from matchbox.games.creatures.card import ATTACKED, BLOCKED, KINDS, TAPPED, TOUCHES, Card
from matchbox.games.creatures.codec import read_other
from matchbox.games.creatures.kinds import FACE_DOWN, LAND_CARD, NAMES
from matchbox.games.creatures.mana import Mana
from matchbox.games.creatures.state import Side

if TYPE_CHECKING:
    from matchbox.games.creatures.board import GameControl

_MARKS: Final = (0, TAPPED | ATTACKED, TAPPED | BLOCKED)
"""The marks that a card shows, by its creature's mark in the game."""
ATTACKING: Final = TAPPED | ATTACKED
_ALWAYS: Final = -1
"""A count that is never reached, so a board that shows its deck is always brought up to date."""

_new: Final = Card.__new__


class Layout:
    """The cards of one board, as they are in the game and as the player has changed them.

    The board refers to its layout, and is passed to every method. If each referred to the other,
    only the garbage collector would free them. If the player has not changed the board, the driver
    updates only the parts that a move certainly changed.
    """

    __slots__ = (
        "_fallen", "_held_kinds", "_is_deck_shown", "_is_own", "_side", "_touches", "brief",
        "creatures", "held", "is_all_laid", "is_laid", "lands", "numbers",
    )  # fmt: skip

    def __init__(self, side: Side, *, is_own: bool) -> None:
        """The board shows that side; `is_own` tells whether the side is the seat's own."""
        self._side = side
        self._is_own = is_own
        self._is_deck_shown = False
        self.brief = b""
        """The last brief for the board."""
        self.is_laid = False
        """Whether the cards have been created."""
        self.is_all_laid = False
        """Whether the lands and the discard pile have been created, too."""

    def lay_out(self, board: GameControl) -> None:
        """Creates the cards; if there was a brief before, the board shows it."""
        self.is_laid = True
        board.hand, board.field = [], []
        board.playedland = False
        board.mana = Mana(0)
        self.held: list[Card] = []
        """The hand, the field and the lands, as the game has them."""
        self._held_kinds = bytearray()
        self.creatures: list[Card] = []
        self.numbers = bytearray()
        """The numbers of the creatures."""
        self.lands: list[Card] = []
        self._fallen: list[Card] = []
        self._note()
        if self.brief:
            read_other(self.brief, self._side)
            self.show(board)

    def lay_all(self, board: GameControl) -> GameControl:
        """Creates the lands and the discard pile, too; from now on they are kept up to date."""
        if not self.is_laid:
            self.lay_out(board)
        board.lands, board.dpile = self.lands.copy(), self._fallen.copy()
        self.is_all_laid = True
        return board

    def update(self, brief: bytes) -> None:
        """Takes a brief with the opponent's side; decodes it if somebody has looked."""
        self.brief = brief
        if self.is_laid:
            read_other(brief, self._side)

    def deck(self) -> list[Card]:
        """The deck, face down; from now on everything is always brought up to date."""
        self._is_deck_shown = True
        self._touches = _ALWAYS
        return [card_of(FACE_DOWN) for _ in self._side.deck]

    def is_untouched(self, board: GameControl) -> bool:
        """Whether the player has left the board as it was shown."""
        return (
            board.hand == self.held
            and board.field == self.creatures
            and self._touches == TOUCHES.count
            and (
                not self.is_all_laid or (board.lands == self.lands and board.dpile == self._fallen)
            )
        )

    def laid(self, board: GameControl) -> list[Card]:
        """The creatures on this field as the game has them."""
        if not self.is_laid:
            self.lay_out(board)
        return self.creatures

    def show(self, board: GameControl, played: int = -1) -> None:
        """Brings all lists up to date; a card stays the same object while it is in sight.

        `played` is the place in the own hand of a card that has just left it. Does nothing if
        nobody has looked at the board yet.
        """
        if not self.is_laid:
            return
        side = self._side
        if self._is_deck_shown:
            _count(board.deck, len(side.deck))
        gone = self._show_hand(board, side.hand, played)
        lands = board.lands if self.is_all_laid else self.lands
        while len(lands) < side.lands:
            lands.append(_taken(gone, LAND_CARD))
        self.lands = lands.copy() if self.is_all_laid else lands
        self.show_tapped(side.tapped)
        if side.kinds or self.creatures:
            self._show_creatures(board, side, gone)
        if self.is_all_laid:
            self._fallen = board.dpile.copy()
        board.playedland, board.mana.amount = side.played, side.mana
        self._note()

    def _note(self) -> None:
        """Notes the cards, to notice later changes by the player."""
        self._touches = _ALWAYS if self._is_deck_shown else TOUCHES.count

    def _show_hand(self, board: GameControl, kinds: bytearray, played: int) -> list[Card]:
        """Brings the hand up to date; returns the cards that have left it."""
        hand, held = board.hand, self.held
        gone: list[Card] = []
        if not self._is_own:
            _count(hand, len(kinds))
        elif hand != held or not (kinds is self._held_kinds or kinds.startswith(self._held_kinds)):
            gone = _name(hand, kinds)
            self.held = hand.copy()
        elif played >= 0:
            del hand[played]
            gone.append(held.pop(played))
        else:
            self._draw(board, kinds)
        self._held_kinds = kinds
        return gone

    def _draw(self, board: GameControl, kinds: bytearray) -> None:
        """Adds the new cards to the end of the hand."""
        cards = [card_of(kind) for kind in kinds[len(self.held) :]]
        board.hand.extend(cards)
        self.held.extend(cards)

    def show_tapped(self, tapped: int) -> None:
        """Makes that many lands tapped: the first ones, if the number was different."""
        lands = self.lands
        if [land._marks for land in lands].count(TAPPED) != tapped:
            for place, land in enumerate(lands):
                land._marks = TAPPED if place < tapped else 0

    def _show_creatures(self, board: GameControl, side: Side, gone: list[Card]) -> None:
        """Brings the field up to date; creatures that have left it go to the discard pile."""
        fallen: Iterable[Card] = ()
        if side.numbers != self.numbers:
            before = dict(zip(self.numbers, self.creatures, strict=True))
            self.creatures = [
                before.pop(number) if number in before else _taken(gone, card)
                for number, card in zip(side.numbers, side.kinds, strict=True)
            ]
            self.numbers = side.numbers.copy()
            fallen = before.values()
        self._show_marks(side.marks)
        board.field[:] = self.creatures
        pile = board.dpile if self.is_all_laid else self._fallen
        if len(pile) < len(side.discard):
            left = list(fallen)
            for number in side.discard[len(pile) :]:
                pile.append(_taken(left, number))

    def _show_marks(self, marks: bytearray) -> None:
        for place, card in enumerate(self.creatures):
            card._marks = _MARKS[marks[place]]

    def show_turn(self, board: GameControl) -> None:
        """Brings a board up to date at the beginning of a turn, after only a card was drawn."""
        side = self._side
        if not self.is_untouched(board):
            self.show(board)
            return
        card = card_of(side.hand[-1])
        board.hand.append(card)
        self.held.append(card)
        for land in self.lands:
            land._marks = 0
        for card in self.creatures:
            card._marks = 0
        board.playedland, board.mana.amount = False, 0


def card_of(number: int) -> Card:
    """A new card with that number; 0 is face down, and only its back can be seen."""
    card = _new(Card)
    card.kind, card.name, card.cost, card.power = KINDS[number]
    card._marks = 0
    return card


def _name(zone: list[Card], numbers: bytearray) -> list[Card]:
    """Makes the zone hold cards with these numbers, in order; it reuses its own cards.

    Returns the cards that have gone. Of several cards with one name the first goes, because a name
    stands for the first such card.
    """
    names = [NAMES[number] for number in numbers]
    had = [card.name for card in zone]
    if had == names:
        return []
    kept, gone = [], []
    for card in zone:
        if had.count(card.name) > names.count(card.name):
            had.remove(card.name)
            gone.append(card)
        else:
            kept.append(card)
    zone[:] = [_taken(kept, number) for number in numbers]
    return gone


def _count(zone: list[Card], number: int) -> None:
    """Changes the length of the zone to `number` cards; new cards lie face down."""
    del zone[number:]
    while len(zone) < number:
        zone.append(card_of(FACE_DOWN))


def _taken(cards: list[Card], number: int) -> Card:
    """Takes the first of these cards with that number's name; if there is none, a new one."""
    for place, card in enumerate(cards):
        if card.name == NAMES[number]:
            return cards.pop(place)
    return card_of(number)
