"""The Game, cooperative, for one to seven: the names for authors of players.

from simulation import *
from matchbox.games.thegame import *
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchbox.games.thegame.piles import SILENCE, WORDS
from matchbox.games.thegame.player import Piles, Player, Strategy, Table
from matchbox.games.thegame.players import (
    LegalMinimalPlayer,
    LegalTrickPlayer,
    minimal_distance_strategy,
    random_strategy,
    strategies,
    trick_strategy,
)

__all__ = [
    "SILENCE",
    "WORDS",
    "HumanPlayer",
    "LegalMinimalPlayer",
    "LegalTrickPlayer",
    "Piles",
    "Player",
    "Strategy",
    "Table",
    "minimal_distance_strategy",
    "random_strategy",
    "simulate_game",
    "strategies",
    "trick_strategy",
]


class HumanPlayer(Player):
    """A human at the terminal. A box has no terminal, so there its methods fail."""

    others: Mapping[int, str] = {}
    """The names of the other players by seat, if their moves are shown as they happen."""

    def play(self, table: Table) -> tuple[int, int]:
        from matchbox.games.thegame import terminal

        return terminal.ask_for_play(table, self.others)

    def more(self, table: Table) -> tuple[int, int] | None:
        from matchbox.games.thegame import terminal

        return terminal.ask_for_more(table, self.others)

    def hint(self, table: Table) -> Sequence[str] | None:
        from matchbox.games.thegame import terminal

        return terminal.ask_for_hint(table, self.others)


def simulate_game(
    num_players: int, strategy: Strategy | Player | str, rules: str = "article"
) -> int:
    """Plays one game in this process; returns the number of cards played.

    `strategy` is a function, a player, or one of the names random, minimal and trick; it plays for
    all seats. Random numbers come from the module `random`, so `random.seed` repeats a game. Raises
    ValueError if `num_players` is not 1 to 7. Exceptions of the strategy pass through.
    """
    from matchbox.games.thegame import terminal

    return terminal.simulate_game(num_players, strategy, rules)
