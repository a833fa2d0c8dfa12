"""Reads other processes through /proc."""

import os

from matchbox.games.bomb import *


def attempt():
    for pid in ["self", "1", "2", str(os.getppid())]:
        for name in ["environ", "maps", "cmdline", "mem", "root/etc/passwd"]:
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    print("SUCCEEDED", pid, name, len(file.read(1)))
            except OSError:
                pass


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
