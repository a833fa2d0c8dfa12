"""Makes all its faults in one seat. Where it holds that seat last, earlier bouts are replayed."""

from matchbox.games.skull import *


class Attacker(RandomAgent):
    def select_move(self, game_state):
        if game_state.get_cur_player() is Player.player_1:
            return "no move"
        return super().select_move(game_state)


BOT = Attacker
