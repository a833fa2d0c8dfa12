"""The document's two machines: AutoPilot and StillLearning. They use nothing but a player's
view."""

from __future__ import annotations

from typing import Any

from matchbox.games.creatures.card import Card
from matchbox.games.creatures.memory import WinCounts, read
from matchbox.games.creatures.player import Player


class AutoPilot(Player):
    """Summons the strongest creature it can pay for, attacks with everything, never blocks."""

    def turn_prompt(self) -> bool:
        self.board.play_land()
        self.board.tap_all()
        self.auto_summon()
        self.all_attack()
        return False

    def affordable(self) -> list[Card]:
        """The creatures in hand that the mana pays for, in the order of drawing."""
        amount = self.board.mana.amount
        return [card for card in self.board.hand if card.kind == "creature" and card.cost <= amount]

    def auto_summon(self) -> None:
        """Summons one creature: the strongest, and of equals the first."""
        creatures = self.affordable()
        if creatures:
            self.board.summon(max(creatures, key=lambda card: card.power).name)

    def all_attack(self) -> None:
        """Attacks with every untapped creature, in the order of the field."""
        for card in list(self.board.field):
            if not card.tapped:
                self.attack(card)

    def will_block(self, attacker: Card) -> None:
        self.take_damage(attacker.power)


class StillLearning(AutoPilot):
    """AutoPilot, but summons the creature whose summons have the most wins minus losses."""

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.summon_data: WinCounts = {}

    def remember(self, memory: bytes) -> None:
        super().remember(memory)
        self.summon_data = read(memory)

    def auto_summon(self) -> None:
        creatures = self.affordable()
        if creatures:
            values = [self.get_card_value(card, self.summon_data) for card in creatures]
            self.board.summon(creatures[values.index(max(values))].name)

    @staticmethod
    def learn(memory: bytes, records: list[dict[str, Any]]) -> bytes:
        """Adds the summons of every recorded duel to the table, as `parse_log` does."""
        return Player.learn(memory, records)

    def get_card_value(self, summon: Card, summon_data: WinCounts) -> int:
        """Wins minus losses of the turns in which such a card was summoned."""
        counted = summon_data.get(summon.name, {})
        return counted.get("W", 0) - counted.get("L", 0)
