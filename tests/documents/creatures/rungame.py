from player import HumanPlayer, AutoPilot, StillLearning
from prompts import full_turn
from random import shuffle, choice
import jsonlog

ann = AutoPilot('Ann')
bob = StillLearning('Bob')
ann.opponent = bob
bob.opponent = ann
jsonlog.initiate_game((ann, bob), 1)

for each in (ann, bob):
    shuffle(each.board.deck)
    for i in range(7):
        each.board.draw()

order = choice([(ann, bob), (bob, ann)])


def turns():
    number = 0
    while True:
        number += 1
        for each in order:
            yield each, number


for each, number in turns():
    jsonlog.initiate_turn(each, number)
    if not full_turn(each):
        break

print('Life:', ann.life, bob.life)
