"""A player's `board`: what lies on one side of the table, and what its owner does there.

A facade. Its lists are brought up to date after every move; the lands, the discard pile and a deck
are laid out when they are first looked at. Its methods hand an action on, which is done where the
rules allow it. Who changes the lists changes nothing else.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from matchbox.games.creatures.card import Card
from matchbox.games.creatures.layout import Layout
from matchbox.games.creatures.mana import Mana
from matchbox.games.creatures.state import Side

if TYPE_CHECKING:
    from matchbox.games.creatures.table import Table

NOTHING: Final = Side(bytearray())
"""The side of one who sits nowhere."""


class GameControl:
    """One side of the table. Every action returns True where it was done, and False where it was
    not possible, and then nothing has happened."""

    hand: list[Card]
    """Your own cards in the order of drawing; of the opponent's only how many."""
    field: list[Card]
    """The creatures, in the order in which they were summoned."""
    playedland: bool
    mana: Mana

    _table: Table | None = None

    def __init__(self, table: Table | None = None, side: Side = NOTHING) -> None:
        """The board of what lies on that side; `table` does its owner's actions, if it is yours."""
        self._table = table
        self._layout = Layout(side, is_own=table is not None)
        self._layout.lay_out(self)

    @cached_property
    def deck(self) -> list[Card]:
        """Face down: its length is all there is to see."""
        len(self.hand)  # is laid out with it
        return self._layout.deck()

    @cached_property
    def lands(self) -> list[Card]:
        """The lands, tapped and untapped."""
        return self._layout.lay_all(self).lands

    @cached_property
    def dpile(self) -> list[Card]:
        """The discard pile, oldest first."""
        return self._layout.lay_all(self).dpile

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
