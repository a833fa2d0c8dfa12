"""Takes shared memory, which the kernel counts as nobody's own."""

import mmap
from contextlib import suppress

from matchbox.games.bomb import *

kept = []


def attempt():
    if not kept:
        kept.append(mmap.mmap(-1, 160 << 20))
        with suppress(OSError):  # The wall refuses the advice, and the attack goes on without it.
            kept[0].madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(0, 120 << 20, 4096):
            kept[0][page] = 1


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
