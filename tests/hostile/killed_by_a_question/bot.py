"""Has the kernel kill its process when the next question arrives, so that the match is void."""

import fcntl
import os
import signal

from matchbox.games.bomb import *

CHANNEL, OWNER, SIGNAL = 3, 8, 10
NUMBERS = range(2, 3000)


def become_owner():
    """Makes this process the owner of the channel: there is no other but its maker, which is 1."""
    for number in NUMBERS:
        try:
            fcntl.fcntl(CHANNEL, OWNER, number)
        except ProcessLookupError:
            continue
        return


def attempt():
    become_owner()
    fcntl.fcntl(CHANNEL, SIGNAL, signal.SIGKILL)
    flags = fcntl.fcntl(CHANNEL, fcntl.F_GETFL)
    fcntl.fcntl(CHANNEL, fcntl.F_SETFL, flags | os.O_ASYNC)


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
