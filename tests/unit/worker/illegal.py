"""Bots whose moves the rules of their game refuse."""

from __future__ import annotations

from collections.abc import Mapping

ILLEGAL: Mapping[tuple[str, str], tuple[int, str, str]] = {
    ("bomb", "turn"): (
        4,
        "you hold no",
        """from matchbox.games.bomb import *

class Bot(SimplePlayer):
    def turn(self, game_data, play_a_card):
        hand = game_data.my_hand()
        return next((card for card in (skip_card, bottom_card) if not hand.num_cards(card)), None)
""",
    ),
    ("bomb", "a card that is not held, inside the turn"): (
        4,
        "you hold no see card",
        """from matchbox.games.bomb import *

class Bot(SimplePlayer):
    def turn(self, game_data, play_a_card):
        while True:
            play_a_card(see_card)
""",
    ),
    ("war", "cards that it does not hold"): (
        4,
        "you do not hold",
        """from matchbox.games.war import *

class Bot(Player):
    def lay(self, position):
        rare = min(range(1, 14), key=position.hand.count)
        return rare, rare
""",
    ),
    ("thegame", "no play"): (
        4,
        "the strategy returned 7",
        """from matchbox.games.thegame import *

class Bot(Player):
    def play(self, table):
        return 7
""",
    ),
    ("thegame", "a strategy"): (
        2,
        "the strategy returned 'line 9'",
        """
def strategy(game, hand):
    return "line 9"
""",
    ),
    ("skull", "a bid that is too high"): (
        4,
        "bet 9 is not possible now",
        """from matchbox.games.skull import *

class Bot(RandomAgent):
    def select_move(self, game_state):
        return Move(bet=9)
""",
    ),
    ("creatures", "too many actions"): (
        4,
        "more than 1000 actions",
        """from matchbox.games.creatures import *

class Bot(AutoPilot):
    def turn_prompt(self):
        while True:
            self.board.tap_all()
""",
    ),
}
"""By game and fault: the line, the beginning of the rules' words, and the bot."""
