import json
from card import deck, find_by_name
from mana import Mana
from board import GameControl
from battle import battle, destroy
from player import AutoPilot
from parsing import parse_log, get_victory_key
from jsonlog import *


class StillLearning(AutoPilot):
    def turn_prompt(self):
        self.board.play_land()
        self.board.tap_all()
        self.auto_summon()
        self.all_attack()
        return False

    def auto_summon(self):
        with open('parsed.json', 'r') as infile:
            summon_data = json.load(infile)
        best = None
        best_value = None
        for card in self.board.hand:
            if card.kind == 'creature' and card.cost <= self.board.mana.amount:
                value = self.get_card_value(card.name, summon_data)
                if best is None or value > best_value:
                    best = card
                    best_value = value
        if best is not None:
            self.board.summon(best.name)

    def get_card_value(self, summon, summon_data):
        if summon not in summon_data:
            return 0
        return summon_data[summon].get('W', 0) - summon_data[summon].get('L', 0)
