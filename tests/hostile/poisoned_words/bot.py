"""Fails with a text that takes over terminals and pages, and never ends."""

from matchbox.games.bomb import *


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        raise ValueError("\x1b]0;owned\x07\x1b[2J\ud800\0<script>alert(1)</script>" * 100_000)

    def defuse(self, game_data):
        return 0
