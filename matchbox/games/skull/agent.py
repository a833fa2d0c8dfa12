"""The document's `agent` and `agent.base`: the base class of Skull players."""

from __future__ import annotations

import matchbox.games.skull.agent as base
from matchbox.games.skull.charts import Move
from matchbox.games.skull.skullboard import GameState
from matchbox.games.skull.skulltypes import Card, Player

__all__ = ["Agent", "base"]


class Agent:
    """The base class of all players: write `select_move`."""

    def select_move(self, game_state: GameState) -> Move:
        """The move to make, one of `game_state.legal_moves()`."""
        raise NotImplementedError("a player must have a method select_move(game_state)")

    def diagnostics(self) -> dict[str, object]:
        """The player's report on its last move; its owner sees it in the replay."""
        return {}

    def lose_card(self, game_state: GameState) -> Card | None:
        """The card to lose for good after turning over your own skull; None leaves it to chance."""
        return None

    def name_starter(self, game_state: GameState) -> Player | None:
        """The player to start the next round if your own skull has put you out; None leaves it to
        chance."""
        return None
