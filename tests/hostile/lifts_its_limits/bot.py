"""Raises its own limits of memory, processes and files."""

import resource

from matchbox.games.bomb import *


def attempt():
    for name in ("AS", "NPROC", "FSIZE", "NOFILE", "CPU", "STACK"):
        limit = getattr(resource, f"RLIMIT_{name}")
        try:
            resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError) as error:
            print("refused:", name, error)
        else:
            print("SUCCEEDED", name)


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
