"""Moves and charts of cards, with the document's names. Knows cards and no turns.

A chart may hold None for a card that the player cannot see.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from matchbox.games.skull.skulltypes import Card, Player

Seen = Card | None
"""A card, or None for one that is hidden."""

_HAND: Final = (Card.skull, Card.rose, Card.rose, Card.rose)


@dataclass(frozen=True, slots=True)
class Move:
    """A card placed, a bid, a choice of a pile, or a pass. Raises ValueError if not exactly one.

    Attributes:
        place: the card to place.
        bet: the bid.
        choice: the player whose top card is turned over.
        is_pass: True for passing.
    """

    place: Card | None = None
    bet: int | None = None
    choice: Player | None = None
    is_pass: bool = False

    def __post_init__(self) -> None:
        given = [one is not None for one in (self.place, self.bet, self.choice)]
        if sum(given) + (self.is_pass is True) != 1 or not isinstance(self.is_pass, bool):
            raise ValueError("a move is exactly one of place, bet, choice and is_pass=True")
        if isinstance(self.bet, bool):
            raise ValueError("a bet is a number, not True or False")

    @classmethod
    def pass_bet(cls) -> Move:
        """A pass."""
        return cls(is_pass=True)

    @classmethod
    def hidden(cls) -> Move:
        """A placed card that the player cannot see: all attributes are empty."""
        return _HIDDEN

    @property
    def is_choice(self) -> bool:
        """True if it chooses a pile."""
        return self.choice is not None

    def __str__(self) -> str:
        if self.is_pass:
            return "pass"
        if self.bet is not None:
            return f"bet {self.bet}"
        if self.choice is not None:
            return f"choose {self.choice}"
        return f"place {'a hidden card' if self.place is None else self.place.name}"


def _hidden() -> Move:
    """The only move that is made without a check."""
    move = object.__new__(Move)
    for name, value in (("place", None), ("bet", None), ("choice", None), ("is_pass", False)):
        object.__setattr__(move, name, value)
    return move


_HIDDEN: Final = _hidden()


class Chart:
    """Cards by player: on the table, with piles in order, or in the hands, without an order."""

    __slots__ = ("_chart", "ordered")

    def __init__(
        self,
        table: bool = True,
        default_hand: bool = True,
        players: Iterable[Player] | None = None,
    ) -> None:
        """An empty table; or full or empty hands. By default there are six players."""
        self.ordered = table
        full = not table and default_hand
        whose = Player if players is None else players
        self._chart: dict[Player, list[Seen]] = {p: list(_HAND) if full else [] for p in whose}

    @property
    def chart_cards(self) -> int:
        """The number of cards of all players here."""
        return sum(map(len, self._chart.values()))

    def add(self, player: Player, card: Seen) -> None:
        """Adds a card for that player; on the table it becomes the top card."""
        self._chart[player].append(card)

    def remove(self, player: Player, value: Card | None = None) -> Seen:
        """Takes the top card, or from a hand a card of that kind; returns it.

        A hidden card stands for any kind. Raises ValueError if there is no such card.
        """
        cards = self._chart[player]
        if not cards:
            raise ValueError(f"{player} has no card here")
        if value is None:
            return cards.pop()
        for held in (value, None):
            if held in cards:
                del cards[len(cards) - 1 - cards[::-1].index(held)]
                return value
        raise ValueError(f"{player} has no {value.name} here")

    def get_player(self, player: Player) -> list[Seen]:
        """A copy of the player's cards; on the table the top card is the last."""
        return list(self._chart[player])

    def get_players(self) -> list[Player]:
        """The players in this chart."""
        return list(self._chart)

    def get_num_players(self) -> int:
        """The number of players."""
        return len(self._chart)

    def get_total_cards(self) -> int:
        """The number of cards of all players here."""
        return self.chart_cards

    def has_card(self, player: Player, card: Card) -> bool:
        """True if the player has such a card here. Raises ValueError if the cards are hidden."""
        cards = self._chart[player]
        if None in cards:
            raise ValueError(f"the cards of {player} are hidden")
        return card in cards

    def get_player_cards(self, player: Player) -> int:
        """The number of the player's cards here."""
        return len(self._chart[player])

    def copy(self) -> Chart:
        """A separate chart with the same cards."""
        other = Chart(self.ordered, False, ())
        other._chart = {player: list(cards) for player, cards in self._chart.items()}
        return other

    def _value(self) -> tuple[object, ...]:
        """The value for comparisons: the order of cards matters on the table only."""
        order = list if self.ordered else sorted_by_kind
        return (self.ordered, *((p, tuple(order(cards))) for p, cards in self._chart.items()))

    def __eq__(self, other: object) -> bool:
        return self._value() == other._value() if isinstance(other, Chart) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value())

    def __str__(self) -> str:
        rows = ((p, [c.name if c else "hidden" for c in cards]) for p, cards in self._chart.items())
        return "\n".join(f"{player}: {', '.join(cards) or 'no cards'}" for player, cards in rows)


def sorted_by_kind(cards: Iterable[Seen]) -> list[Seen]:
    """The cards of a hand in a fixed order: skull, rose, hidden."""
    return sorted(cards, key=(Card.skull, Card.rose, None).index)
