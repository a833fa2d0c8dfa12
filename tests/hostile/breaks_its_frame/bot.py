"""Is too slow once in a frame of many bouts, to get frames of one bout in its next rotation."""

from matchbox.games.bomb import *

MANY = 10
bouts = []
told = []


class Attacker(Player):
    def __init__(self):
        super().__init__()
        bouts.append(self)
        self.turns = 0

    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        self.turns += 1
        if self.turns == 2 and not told:
            told.append(len(bouts))
            print("bouts", len(bouts), flush=True)
            while len(bouts) >= MANY:
                pass
        return None

    def defuse(self, game_data):
        return 0


BOT = Attacker
