from player import Player
from card import find_by_name
from prompts import *


class HumanPlayer(Player):
    def turn_prompt(self):
        print(self.name, 'against', self.opponent.name)
        print('Hand:', self.board.hand)
        print('Field:', self.board.field, 'against', self.opponent.board.field)
        print('Life:', self.life, 'against', self.opponent.life, 'Mana:', self.board.mana.amount)
        move = input('LAND, TAP, SUMMON, ATTACK, DONE or QUIT? ')
        if move == 'LAND':
            self.board.play_land()
        if move == 'TAP':
            self.board.tap_all()
        if move == 'SUMMON':
            self.board.summon(input('Which creature? '))
        if move == 'ATTACK':
            self.attack(input('Which creature? '))
        return move != 'DONE'

    def will_block(self, attacker):
        if input(attacker.name + ' attacks. Block? Y or N ') == 'Y':
            self.who_blocks(attacker)
        else:
            self.take_damage(attacker.power)

    def who_blocks(self, attacker):
        blocker = find_by_name(self.board.field, input('Which creature? '))
        if blocker is None:
            self.will_block(attacker)
        else:
            self.block(attacker, blocker)
