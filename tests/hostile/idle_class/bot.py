"""Asks to run only when no other process wants to, so that its match is given up as starved."""

import os

from matchbox.games.bomb import *


def attempt():
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        try:
            attempt()
        except Exception as error:
            print("refused:", type(error).__name__, error)
        return None

    def defuse(self, game_data):
        return 0
