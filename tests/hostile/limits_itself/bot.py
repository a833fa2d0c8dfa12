"""Gives itself so little processor time that the kernel kills it, and the match is void."""

import resource
import time

from matchbox.games.bomb import *


def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


try:
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    limited = True
    spin(0.8)
except (OSError, ValueError) as error:
    print("refused:", error)
    limited = False


def attempt():
    if limited:
        spin(0.12)


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
