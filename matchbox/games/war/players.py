"""The two plain players of Addition War. They use nothing but a player's view."""

from __future__ import annotations

import random

from matchbox.games.war.player import Cards, Player, Position


class RandomPlayer(Player):
    """Lays two cards at random, as if they were dealt."""

    def lay(self, position: Position) -> Cards:
        first, second = random.sample(position.hand, 2)
        return first, second


class HighestPlayer(Player):
    """Lays its two highest cards."""

    def lay(self, position: Position) -> Cards:
        return position.hand[0], position.hand[1]
