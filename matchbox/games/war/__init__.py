"""Addition War, a card game for two: the names for authors of players.

from matchbox.games.war import *
"""

from __future__ import annotations

from collections.abc import Mapping

from matchbox.games.war.player import Cards, Play, Player, Position
from matchbox.games.war.players import HighestPlayer, RandomPlayer

__all__ = [
    "Cards",
    "HighestPlayer",
    "HumanPlayer",
    "Play",
    "Player",
    "Position",
    "RandomPlayer",
    "play_game",
]


class HumanPlayer(Player):
    """A human at the terminal. A box has no terminal, so there its method fails."""

    others: Mapping[int, str] = {}
    """The names of the other players by seat, if their moves are shown as they happen."""

    def __init__(self) -> None:
        self.known_plays = 0
        """How many plays were over at the player's last turn."""

    def lay(self, position: Position) -> Cards:
        from matchbox.games.war import terminal

        cards = terminal.ask_for_cards(position, self.known_plays, self.others)
        self.known_plays = len(position.plays)
        return cards


def play_game(player0: Player, player1: Player, print_details: bool = True) -> int | None:
    """Plays one game in this process; returns the winner, 0 or 1, or None for a draw.

    Both players choose their cards. Random numbers come from the module `random`, so `random.seed`
    repeats a game. With `print_details` every play is printed. A player's fault is raised.
    """
    from matchbox.games.war import terminal

    return terminal.play_game(player0, player1, print_details)
