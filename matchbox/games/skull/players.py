"""The document's simple bot: an agent that knows the legal moves and nothing else."""

from __future__ import annotations

import random

from matchbox.games.skull.agent import Agent
from matchbox.games.skull.charts import Move
from matchbox.games.skull.skullboard import GameState

__all__ = ["RandomAgent"]


class RandomAgent(Agent):
    """Makes a random legal move, all equally likely."""

    def select_move(self, game_state: GameState) -> Move:
        return random.choice(game_state.legal_moves())
