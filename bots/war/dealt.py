"""Dealt shuffles its hand before the first play and lays it in that order, as the document does."""

import random

from matchbox.games.war import Player


class DealtPlayer(Player):
    def __init__(self):
        self.order = []

    def lay(self, position):
        if not self.order:
            self.order = position.hand.copy()
            random.shuffle(self.order)
        return self.order.pop(), self.order.pop()
