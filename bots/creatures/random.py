"""Random plays a land, taps all lands, and summons, attacks and blocks at random."""

import random

from matchbox.games.creatures import Player


class RandomPlayer(Player):
    def turn_prompt(self):
        self.board.play_land()
        self.board.tap_all()
        creatures = [card for card in self.board.hand if card.kind == "creature"]
        random.shuffle(creatures)
        for card in creatures:
            if random.random() < 0.5:
                self.board.summon(card.name)
        for card in list(self.board.field):
            if random.random() < 0.5:
                self.attack(card)
        return False

    def will_block(self, attacker):
        ready = [card for card in self.board.field if not card.tapped]
        blocker = random.choice([None, *ready])
        if blocker is None:
            self.take_damage(attacker.power)
        else:
            self.block(attacker, blocker)
