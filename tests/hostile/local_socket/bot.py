"""Waits for an accomplice at a local socket with a name of its own."""

import socket

from matchbox.games.bomb import *

kept = []


def attempt():
    meeting = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    meeting.bind(b"\0matchbox-meeting")
    kept.append(meeting)


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
