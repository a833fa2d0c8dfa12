"""Skull: the names of the source document for authors of players.

from matchbox.games.skull import *

A bot can also import the document's own modules `skulltypes`, `skullboard`, `agent`, `agent.base`
and `dlskull`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchbox.games.skull.agent import Agent
from matchbox.games.skull.charts import Chart, Move
from matchbox.games.skull.player import GameView
from matchbox.games.skull.players import RandomAgent
from matchbox.games.skull.skullboard import Board, GameState
from matchbox.games.skull.skulltypes import Card, GamePhase, Player

__all__ = [
    "Agent",
    "Board",
    "Card",
    "Chart",
    "GamePhase",
    "GameState",
    "HumanPlayer",
    "Move",
    "Player",
    "RandomAgent",
    "play_game",
]


class HumanPlayer(Agent):
    """A human at the terminal. A box has no terminal, so there its methods fail."""

    others: Mapping[int, str] = {}
    """The names of the other players by seat, if their moves are shown as they happen."""

    def __init__(self) -> None:
        self.shown_events = 0
        """How many events of the game have been shown so far."""

    def select_move(self, game_state: GameState) -> Move:
        from matchbox.games.skull import terminal

        assert isinstance(game_state, GameView)
        self.shown_events = terminal.show_events(game_state, self.shown_events, self.others)
        return terminal.ask_for_move(game_state, self.others)

    def lose_card(self, game_state: GameState) -> Card:
        from matchbox.games.skull import terminal

        assert isinstance(game_state, GameView)
        self.shown_events = terminal.show_events(game_state, self.shown_events, self.others)
        return terminal.ask_for_loss()

    def name_starter(self, game_state: GameState) -> Player:
        from matchbox.games.skull import terminal

        assert isinstance(game_state, GameView)
        self.shown_events = terminal.show_events(game_state, self.shown_events, self.others)
        return terminal.ask_for_starter(game_state, self.others)


def play_game(
    agents: Sequence[Agent],
    print_details: bool = True,
    raise_exceptions: bool = True,
    variant: str = "published",
) -> list[int]:
    """Plays one game in this process; returns each agent's place, 1 for the winner.

    Random numbers come from the module `random`, so `random.seed` repeats a game. With
    `print_details` the transcript is printed. With `raise_exceptions` a player's fault is raised;
    without it, that player is out and comes last. Raises ValueError unless there are 2 to 6 agents,
    and for a variant that there is not.
    """
    from matchbox.games.skull import terminal

    return terminal.play_game(agents, print_details, raise_exceptions, variant)
