"""A player's `board`: what lies on one side of the table, and what its owner does there.

A facade. Its lists are brought up to date from the seat's view after every move; its methods hand
an action on, which is done where the rules allow it. Who changes the lists changes nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matchbox.games.creatures.card import Card, face_down, new_card
from matchbox.games.creatures.kinds import LAND
from matchbox.games.creatures.mana import Mana

Act = Callable[[str, Any], bool]
"""Does an action of the seat's own turn; True where it was possible."""


def nothing(action: str, what: object) -> bool:
    """What comes of an action on a board that is not one's own: nothing."""
    return False


class GameControl:
    """One side of the table. Every action returns True where it was done, and False where it was
    not possible, and then nothing has happened."""

    def __init__(self, act: Act = nothing) -> None:
        self.hand: list[Card] = []
        """Your own cards in the order of drawing; of the opponent's only how many."""
        self.field: list[Card] = []
        """The creatures, in the order in which they were summoned."""
        self.lands: list[Card] = []
        self.dpile: list[Card] = []
        """The discard pile, oldest first."""
        self.deck: list[Card] = []
        """Face down: its length is all there is to see."""
        self.playedland = False
        self.mana = Mana(0)
        self._act = act
        self._creatures: dict[int, Card] = {}
        self._shown: dict[str, Any] = {}

    def play_land(self) -> bool:
        """Plays a land from the hand; once a turn."""
        return self._act("land", None)

    def tap_for_mana(self, card: Card) -> bool:
        """Taps that land for one mana."""
        return self._act("tap one", card)

    def tap_all(self) -> bool:
        """Taps all lands that are untapped, one mana each."""
        return self._act("tap", None)

    def summon(self, cardname: str) -> bool:
        """Summons the first creature of that name in the hand, for its cost."""
        return self._act("summon", cardname)

    def draw(self) -> bool:
        """Nothing: the game draws, at the beginning of a turn."""
        return False

    def untap_all(self) -> bool:
        """Nothing: the game untaps, at the beginning of a turn."""
        return False

    def move_card(self, card: Card, fromzone: list[Card], endzone: list[Card]) -> bool:
        """Nothing: the game moves the cards."""
        return False

    # --- From the seat's view ----------------------------------------------------------------

    def show(self, side: dict[str, Any]) -> None:
        """Brings all lists up to date; a card stays the same object while it is in sight."""
        if side == self._shown:
            return
        self._shown = side
        hand = side["hand"]
        played = []
        if isinstance(hand, list):
            played = _name(self.hand, hand)
        else:
            _count(self.hand, hand)
        _count(self.deck, side["deck"])
        self._show_lands(side["lands"], side["tapped"], played)
        self._show_creatures(side["field"], side["discard"], played)
        self.playedland = side.get("played", False)
        self.mana.amount = side.get("mana", 0)

    def _show_lands(self, number: int, tapped: int, played: list[Card]) -> None:
        while len(self.lands) < number:
            self.lands.append(_taken(played, LAND))
        if [land.tapped for land in self.lands].count(True) != tapped:
            for place, land in enumerate(self.lands):
                land.tapped = place < tapped

    def _show_creatures(
        self, field: list[tuple[int, str, str]], discard: list[str], played: list[Card]
    ) -> None:
        """The field as it is now; who has left it lies on the discard pile."""
        if not field and not self._creatures:
            return
        before = self._creatures
        self._creatures = {
            number: before.pop(number) if number in before else _taken(played, name)
            for number, name, _ in field
        }
        for number, _, mark in field:
            card = self._creatures[number]
            card.tapped = bool(mark)
            card.attacked = mark == "attacked"
            card.blocked = mark == "blocked"
        self.field[:] = self._creatures.values()
        fallen = list(before.values())
        for name in discard[len(self.dpile) :]:
            self.dpile.append(_taken(fallen, name))

    def creature(self, number: int) -> Card:
        """The creature on this field that the game gave that number."""
        return self._creatures[number]


def _name(zone: list[Card], names: list[str]) -> list[Card]:
    """Makes the zone hold cards of these names, in order, of its own where it has them.

    Returns those that have gone. A name means the first card that bears it, so it goes first.
    """
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
    zone[:] = [_taken(kept, name) for name in names]
    return gone


def _count(zone: list[Card], number: int) -> None:
    """Makes the zone as many cards long; new ones lie face down."""
    del zone[number:]
    while len(zone) < number:
        zone.append(face_down())


def _taken(cards: list[Card], name: str) -> Card:
    """The first of these cards with that name, taken out of them; or else a new one."""
    for place, card in enumerate(cards):
        if card.name == name:
            return cards.pop(place)
    return new_card(name)
