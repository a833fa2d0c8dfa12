from player import Player
from card import find_by_name
import jsonlog


class AutoPilot(Player):
    def __init__(self, name):
        super().__init__(name)

    def turn_prompt(self):
        self.board.play_land()
        self.board.tap_all()
        self.auto_summon()
        self.all_attack()
        return False

    def auto_summon(self):
        creatures = 0
        for card in self.board.hand:
            if card.kind == 'creature':
                creatures += 1
        if creatures == 0:
            return
        # looks at as many cards from the front of the hand as there are creatures
        best = self.board.hand[0]
        for card in self.board.hand[:creatures]:
            if card.cost <= self.board.mana.amount and card.power > best.power:
                best = card
        self.board.summon(best.name)

    def all_attack(self):
        for card in self.board.field:
            if card.tapped == False:
                self.attack(card.name)

    def will_block(self, attacker):
        self.take_damage(attacker.power)

    def who_blocks(self, attacker):
        pass
