import random
from agent.base import Agent
from skullboard import GameState, Move
from skulltypes import Card, GamePhase, Player


class RandomBot(Agent):
    """Makes any of the legal moves."""

    def __init__(self):
        self.num_legal_moves = 0

    def select_move(self, game_state):
        candidates = game_state.legal_moves()
        self.num_legal_moves = len(candidates)
        return random.choice(candidates)

    def diagnostics(self):
        return {"legal moves": self.num_legal_moves}
