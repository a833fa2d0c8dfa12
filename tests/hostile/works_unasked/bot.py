"""Works while it is not asked, so that it is stopped from then on, also in its next rotation."""

import gc
import os
import signal
import time

from matchbox.games.bomb import *

WORK_S = 0.1
turns = []
woken = []


def work_on():
    """Has the harness work on for a while once it has sent the next answer."""

    def write(channel, answer):
        sent = os.write(channel, answer)
        own.cell_contents = os.write
        end = time.process_time() + WORK_S
        while time.process_time() < end:
            pass
        return sent

    gc.unfreeze()
    functions = (one for one in gc.get_objects() if getattr(one, "__closure__", None))
    send = next(one for one in functions if one.__qualname__ == "_channel.<locals>.send")
    own = next(cell for cell in send.__closure__ if cell.cell_contents is os.write)
    own.cell_contents = write


def attempt():
    turns.append(True)
    if len(turns) == 1:
        signal.signal(signal.SIGCONT, lambda number, frame: woken.append(True))
    if len(turns) == 3:
        print("found stops" if woken else "left stops")
        if not woken:
            work_on()


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
