"""A human's prompts under the name of the source document; they appear at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox.games.creatures.battle import full_turn

if TYPE_CHECKING:
    from matchbox.games.creatures.card import Card
    from matchbox.games.creatures.player import Player

__all__ = ["block_prompt", "full_turn", "turn_prompt"]


def turn_prompt(player: Player) -> bool:
    """One command of a human's turn; False if it ends the turn."""
    from matchbox.games.creatures import terminal

    return terminal.ask_for_command(player)


def block_prompt(player: Player, attacker: Card) -> None:
    """Asks a human whether to block, and with which creature, and does so."""
    from matchbox.games.creatures import terminal

    terminal.ask_for_block(player, attacker)
