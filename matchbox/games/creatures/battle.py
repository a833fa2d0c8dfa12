"""Turns and battles under the names of the source document. The game itself settles both."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matchbox.games.creatures.card import Card
    from matchbox.games.creatures.player import Player


def full_turn(player: Player) -> None:
    """The player's own part of its turn: calls `turn_prompt` until it returns False."""
    while player.turn_prompt():
        player.count_action()


def battle(turnplayer: Player, turncard: Card, defendplayer: Player, defendcard: Card) -> bool:
    """Blocks if you are `defendplayer` and just being attacked; the game settles the battle."""
    return defendplayer.block(turncard, defendcard)


def destroy(player: Player, card: Card) -> bool:
    """Does nothing: only the game destroys creatures."""
    return False
