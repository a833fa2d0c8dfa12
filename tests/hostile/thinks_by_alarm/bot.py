"""Thinks while its rival is to move, by an alarm that it set at its own turn."""

import signal
import time

from matchbox.games.bomb import *


def think(*_):
    print("found thought", flush=True)
    until = time.process_time() + 0.12
    while time.process_time() < until:
        pass


def attempt():
    signal.signal(signal.SIGALRM, think)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.001)
    print("left thought")


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
