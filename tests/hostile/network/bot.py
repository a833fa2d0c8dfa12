"""Opens sockets of every kind."""

import socket

from matchbox.games.bomb import *

kept = []


def attempt():
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, 40):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                kept.append(socket.socket(family, kind))
                if family == socket.AF_INET:
                    kept[-1].bind(("127.0.0.1", 0))
            except OSError:
                continue
            print("SUCCEEDED", family, kind)


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
