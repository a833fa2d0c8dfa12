from player import HumanPlayer, AutoPilot
from prompts import full_turn
import jsonlog

me = HumanPlayer('Me')
machine = AutoPilot('Machine')
me.opponent = machine
machine.opponent = me
jsonlog.initiate_game((me, machine), 1)

number = 1
playing = True
while playing:
    for each in (me, machine):
        jsonlog.initiate_turn(each, number)
        playing = full_turn(each)
        if not playing:
            break
    number += 1
