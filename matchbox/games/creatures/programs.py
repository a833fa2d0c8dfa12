"""The duel of a program that makes the players and asks for one turn after another, as the source
document's `rungame` does.

Never loaded in a box. Knows whose turn a program may ask for; `terminal.py` plays it.
"""

from __future__ import annotations

from matchbox.games.creatures import jsonlog, terminal
from matchbox.games.creatures.duel_log import Game
from matchbox.games.creatures.player import Player

_running: terminal.TerminalDuel | None = None
"""The duel that is being played."""


def full_turn(player: Player) -> bool:
    """Plays the player's turn and prints it; returns False once the duel is over.

    The first call deals the cards and begins the duel between the player and its `opponent`. The
    end adds the duel to results.json. Raises ValueError if the player has no opponent, or if it is
    the other's turn. Raises a player's errors.
    """
    global _running
    duel = _running
    if duel is None or not any(one is player for one in duel.players):
        duel = _begin(player)
    if duel.mover is not player:
        raise ValueError(f"it is the turn of {duel.mover.name}, not of {player.name}")
    _running = None
    if duel.play_turn():
        duel.show_lives()
        _running = duel
        return True
    first, second = duel.players
    first.opponent, second.opponent = second, first
    terminal.write(duel.log)
    return False


def _begin(player: Player) -> terminal.TerminalDuel:
    """A new duel of the player, with the cards dealt. Raises ValueError."""
    other = player.opponent
    if not isinstance(other, Player) or other is player:
        raise ValueError(f"{player.name} has no opponent: set the opponent of both players first")
    names = [player.name, other.name]
    if names[0] == names[1]:
        raise ValueError(f"both players are called {names[0]}: give them two names for the log")
    log = jsonlog.unfinished(names) or Game(names, terminal.next_number())
    terminal.remind(player, other)
    return terminal.TerminalDuel((player, other), log, print_details=True)
