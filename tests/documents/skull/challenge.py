import random
from agent.base import Agent
from skullboard import GameState
from skulltypes import GamePhase, Player


class RandomBot(Agent):
    def select_move(self, game_state):
        return random.choice(game_state.legal_moves())


bots = {Player.player_0: RandomBot(), Player.player_1: RandomBot(), Player.player_2: RandomBot()}
game = GameState.new_game(bots)
moves = 0
while not game.is_over():
    player = game.get_cur_player()
    move = bots[player].select_move(game)
    assert game.is_valid_move(move)
    game = game.apply_move(move)
    moves += 1
    if move.bet is not None or move.is_pass:
        assert player in game.board.players_bet

print(game.board.top_bet[0], 'made', moves, 'moves or saw others make them')
