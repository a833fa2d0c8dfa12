"""Turns and battles under the names of the source document. The game itself settles both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox.games.creatures.memory import is_at_the_terminal

if TYPE_CHECKING:
    from matchbox.games.creatures.card import Card
    from matchbox.games.creatures.player import Player


def full_turn(player: Player) -> bool:
    """Plays the player's turn.

    At the terminal, returns False once the duel is over; the first call begins a duel against
    `player.opponent`. In a seat, calls `turn_prompt` until that returns False, and returns True.
    """
    if is_at_the_terminal():
        from matchbox.games.creatures import programs

        return programs.full_turn(player)
    while player.turn_prompt():
        player.count_action()
    return True


def battle(turnplayer: Player, turncard: Card, defendplayer: Player, defendcard: Card) -> bool:
    """Blocks if you are `defendplayer` and just being attacked; the game settles the battle."""
    return defendplayer.block(turncard, defendcard)


def destroy(player: Player, card: Card) -> bool:
    """Does nothing: only the game destroys creatures."""
    return False
