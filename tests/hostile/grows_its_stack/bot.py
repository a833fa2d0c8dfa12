"""Recurses in C, where every level takes stack."""

from matchbox.games.bomb import *

deep = ()
for _ in range(300_000):
    deep = (deep,)


def attempt():
    print(hash(deep))


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
