"""A player's `board`: the cards on one side of the table, and the actions of its owner.

Its lists are brought up to date after every move; the lands, the discard pile and the deck are
created when somebody first looks at them. A method carries out its action if the rules allow it.
Changing the lists changes nothing in the game.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from matchbox.games.creatures.card import Card
from matchbox.games.creatures.layout import Layout
from matchbox.games.creatures.mana import Mana
from matchbox.games.creatures.state import Side

if TYPE_CHECKING:
    from matchbox.games.creatures.seat_driver import SeatDriver

NOTHING: Final = Side(bytearray())
"""The side of a player who is not in a duel."""


class GameControl:
    """One side of the table.

    An action returns True if it was carried out. It returns False, and does nothing, if it is
    impossible.
    """

    hand: list[Card]
    """Your own cards in the order of drawing. Of the opponent's cards only the number is
    visible."""
    field: list[Card]
    """The creatures in the order in which they were summoned."""
    playedland: bool
    mana: Mana

    _driver: SeatDriver | None = None

    def __init__(self, driver: SeatDriver | None = None, side: Side = NOTHING) -> None:
        """The board of that side. `driver` carries out the actions; it is None if the side is not
        yours."""
        self._driver = driver
        self._layout = Layout(side, is_own=driver is not None)
        self._layout.lay_out(self)

    @cached_property
    def deck(self) -> list[Card]:
        """The deck, face down: only its length is visible."""
        if not self._layout.is_laid:
            self._layout.lay_out(self)
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
        return self._driver is not None and self._driver.play_land()

    def tap_for_mana(self, card: Card) -> bool:
        """Taps that land for one mana."""
        return self._driver is not None and self._driver.tap_one(card)

    def tap_all(self) -> bool:
        """Taps all untapped lands, for one mana each."""
        return self._driver is not None and self._driver.tap_all()

    def summon(self, cardname: str) -> bool:
        """Summons the first creature of that name in the hand, at its cost."""
        return self._driver is not None and self._driver.summon(cardname)

    def draw(self) -> bool:
        """Does nothing: the game draws, at the beginning of a turn."""
        return False

    def untap_all(self) -> bool:
        """Does nothing: the game untaps, at the beginning of a turn."""
        return False

    def move_card(self, card: Card, fromzone: list[Card], endzone: list[Card]) -> bool:
        """Does nothing: the game moves the cards."""
        return False
