"""Answers in the harness's place, with the mark of the question, and lets the harness answer too."""

import gc
import sys

from matchbox.games.bomb import *


def sender():
    for thing in gc.get_objects():
        if getattr(thing, "__qualname__", "") == "_channel.<locals>.send":
            return thing
    gc.unfreeze()
    return sender()


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        send = sender()
        for nonce in range(1, 40):
            send(b'["say",%d,["draw"],[]]' % nonce)
        return None

    def defuse(self, game_data):
        return 0
