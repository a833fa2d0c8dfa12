"""A player's `board`: what lies on one side of the table, and what its owner does there.

A facade. Its lists are brought up to date after every move; a deck is laid out when it is first
looked at. Its methods hand an action on, which is done where the rules allow it. Who changes the
lists changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final

from matchbox.games.creatures.card import TOUCHES, Card, card_of
from matchbox.games.creatures.kinds import FACE_DOWN, LAND_CARD, NAMES
from matchbox.games.creatures.mana import Mana
from matchbox.games.creatures.state import Side

if TYPE_CHECKING:
    from matchbox.games.creatures.table import Table

_FLAGS: Final = ((False, False, False), (True, True, False), (True, False, True))
"""By a creature's mark: whether it is tapped, has attacked, has blocked."""
_NOTHING: Final = Side(bytearray())


class GameControl:
    """One side of the table. Every action returns True where it was done, and False where it was
    not possible, and then nothing has happened."""

    is_laid = True
    """Whether the cards lie here, or are laid out at the first look."""

    def __init__(self, table: Table | None = None, side: Side = _NOTHING) -> None:
        """The board of what lies on that side; `table` does its owner's actions, if it is yours."""
        self._table = table
        self._side = side
        self._is_deck_shown = False
        self._lay_out()

    def _lay_out(self) -> None:
        self.hand: list[Card] = []
        """Your own cards in the order of drawing; of the opponent's only how many."""
        self.field: list[Card] = []
        """The creatures, in the order in which they were summoned."""
        self.lands: list[Card] = []
        self.dpile: list[Card] = []
        """The discard pile, oldest first."""
        self.playedland = False
        self.mana = Mana(0)
        self._held: list[Card] = []
        self._held_kinds = bytearray()
        self._creatures: list[Card] = []
        self._numbers = b""
        self._played_lands: list[Card] = []
        self._fallen: list[Card] = []
        self._touches = TOUCHES.count

    @cached_property
    def deck(self) -> list[Card]:
        """Face down: its length is all there is to see."""
        len(self.hand)  # is laid out with it
        self._is_deck_shown = True
        return [card_of(FACE_DOWN) for _ in self._side.deck]

    def play_land(self) -> bool:
        """Plays a land from the hand; once a turn."""
        return self._table is not None and self._table.play_land()

    def tap_for_mana(self, card: Card) -> bool:
        """Taps that land for one mana."""
        return self._table is not None and self._table.tap_one(card)

    def tap_all(self) -> bool:
        """Taps all lands that are untapped, one mana each."""
        return self._table is not None and self._table.tap_all()

    def summon(self, cardname: str) -> bool:
        """Summons the first creature of that name in the hand, for its cost."""
        return self._table is not None and self._table.summon(cardname)

    def draw(self) -> bool:
        """Nothing: the game draws, at the beginning of a turn."""
        return False

    def untap_all(self) -> bool:
        """Nothing: the game untaps, at the beginning of a turn."""
        return False

    def move_card(self, card: Card, fromzone: list[Card], endzone: list[Card]) -> bool:
        """Nothing: the game moves the cards."""
        return False

    # --- From what the seat sees -------------------------------------------------------------

    def show(self, played: int = -1) -> None:
        """Brings all lists up to date; a card stays the same object while it is in sight.

        `played` is the place in the own hand of a card that has just left it.
        """
        side = self._side
        if self._is_deck_shown:
            _count(self.deck, len(side.deck))
        gone = self._show_hand(side.hand, played)
        while len(self.lands) < side.lands:
            self.lands.append(_taken(gone, LAND_CARD))
        self._played_lands = self.lands.copy()
        self._show_tapped(side.tapped)
        if side.kinds or self._creatures:
            self._show_creatures(side, gone)
        self._fallen = self.dpile.copy()
        self.playedland = side.played
        self.mana.amount = side.mana
        self._touches = TOUCHES.count

    def _show_hand(self, kinds: bytearray, played: int) -> list[Card]:
        """Brings the hand up to date; returns the cards that have left it."""
        hand, held = self.hand, self._held
        gone: list[Card] = []
        if self._table is None:
            _count(hand, len(kinds))
        elif hand != held or not (kinds is self._held_kinds or kinds.startswith(self._held_kinds)):
            gone = _name(hand, kinds)
            self._held = hand.copy()
        elif played >= 0:
            del hand[played]
            gone.append(held.pop(played))
        else:
            drawn = [card_of(card) for card in kinds[len(held) :]]
            hand += drawn
            held += drawn
        self._held_kinds = kinds
        return gone

    def _show_tapped(self, tapped: int) -> None:
        """Makes so many lands tapped: the first, where it is not so already."""
        lands = self.lands
        if [land._tapped for land in lands].count(True) != tapped:
            for place, land in enumerate(lands):
                land._tapped = place < tapped

    def _show_creatures(self, side: Side, gone: list[Card]) -> None:
        """The field as it is now; who has left it lies on the discard pile."""
        fallen: Iterable[Card] = ()
        if side.numbers != self._numbers:
            before = dict(zip(self._numbers, self._creatures, strict=True))
            self._creatures = [
                before.pop(number) if number in before else _taken(gone, card)
                for number, card in zip(side.numbers, side.kinds, strict=True)
            ]
            self._numbers = bytes(side.numbers)
            fallen = before.values()
        for card, mark in zip(self._creatures, side.marks, strict=True):
            card._tapped, card._attacked, card._blocked = _FLAGS[mark]
        self.field[:] = self._creatures
        if len(self.dpile) < len(side.discard):
            left = list(fallen)
            for number in side.discard[len(self.dpile) :]:
                self.dpile.append(_taken(left, number))

    # --- What is certain to have changed, and no more, where the player has changed nothing ----

    def show_turn(self) -> None:
        """A turn has begun."""
        side = self._side
        if (
            self._is_changed()
            or side.numbers != self._numbers
            or side.lands != len(self.lands)
            or not side.hand.startswith(self._held_kinds)
        ):
            self.show()
            return
        drawn = [card_of(card) for card in side.hand[len(self._held) :]]
        self.hand += drawn
        self._held += drawn
        self._held_kinds = side.hand
        if side.tapped:
            self._show_tapped(side.tapped)
        else:
            for land in self.lands:
                land._tapped = False
        for card, mark in zip(self._creatures, side.marks, strict=True):
            card._tapped, card._attacked, card._blocked = _FLAGS[mark]
        self.playedland = side.played
        self.mana.amount = side.mana

    def show_land(self, played: int) -> None:
        """A land was played from that place in the hand."""
        if self._is_changed():
            self.show(played)
            return
        del self.hand[played]
        card = self._held.pop(played)
        self.lands.append(card)
        self._played_lands.append(card)
        if card._tapped:
            self._show_tapped(self._side.tapped)
        self.playedland = True
        self.mana.amount = self._side.mana

    def show_tap(self) -> None:
        """Lands were tapped."""
        if self._is_changed():
            self.show()
            return
        if self._side.tapped < len(self.lands):
            self._show_tapped(self._side.tapped)
        else:
            for land in self.lands:
                land._tapped = True
        self.playedland = self._side.played
        self.mana.amount = self._side.mana

    def show_summon(self, played: int) -> None:
        """A creature was summoned from that place in the hand."""
        if self._is_changed():
            self.show(played)
            return
        del self.hand[played]
        card = self._held.pop(played)
        card._tapped = card._attacked = card._blocked = False
        self.field.append(card)
        self._creatures.append(card)
        self._numbers = bytes(self._side.numbers)
        self.playedland = self._side.played
        self.mana.amount = self._side.mana

    def show_attack(self, place: int) -> None:
        """The creature at that place on the field has attacked."""
        if self._is_changed():
            self.show()
            return
        card = self._creatures[place]
        card._tapped = card._attacked = True
        self.playedland = self._side.played
        self.mana.amount = self._side.mana

    def _is_changed(self) -> bool:
        """Whether the player has changed what lies here, so that all of it must be mended."""
        return (
            self.hand != self._held
            or self.field != self._creatures
            or self.lands != self._played_lands
            or self.dpile != self._fallen
            or self._touches != TOUCHES.count
            or self._is_deck_shown
        )

    def creatures(self) -> list[Card]:
        """The creatures on this field as the game has them."""
        return self._creatures


def _name(zone: list[Card], numbers: bytearray) -> list[Card]:
    """Makes the zone hold cards of these numbers, in order, of its own where it has them.

    Returns those that have gone. A name means the first card that bears it, so it goes first.
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
    """Makes the zone as many cards long; new ones lie face down."""
    del zone[number:]
    while len(zone) < number:
        zone.append(card_of(FACE_DOWN))


def _taken(cards: list[Card], number: int) -> Card:
    """The first of these cards with that number's name, taken out; or else a new one."""
    for place, card in enumerate(cards):
        if card.name == NAMES[number]:
            return cards.pop(place)
    return card_of(number)
