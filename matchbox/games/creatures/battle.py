"""Turns and battles under the names of the source document. The game itself settles both."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matchbox.games.creatures.card import Card
    from matchbox.games.creatures.player import Player


def full_turn(player: Player) -> None:
    """The player's own part of its turn: asks `turn_prompt` again until it says False."""
    while player.turn_prompt():
        player.count_action()


def battle(turnplayer: Player, turncard: Card, defendplayer: Player, defendcard: Card) -> bool:
    """Blocks, where `defendplayer` is you and is just being attacked; the game settles it."""
    return defendplayer.block(turncard, defendcard)


def destroy(player: Player, card: Card) -> bool:
    """Nothing: the game alone destroys creatures."""
    return False
