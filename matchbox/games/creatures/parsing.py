"""Wins and losses per card under the names of the source document.

`card_counts` counts; `terminal.py` reads and writes the files.
"""

from __future__ import annotations

from matchbox.games.creatures.card_counts import count, count_new, game_of, get_victory_key
from matchbox.games.creatures.memory import WinCounts, is_at_the_terminal, remembered

__all__ = ["Table", "count", "count_new", "game_of", "get_victory_key", "parse_log"]

Table = WinCounts
"""The name that authors may import."""


def parse_log() -> WinCounts:
    """Counts the new games of results.json into parsed.json, and returns its table.

    In a seat there are no files: the table comes from the memory of the player who decides. Raises
    RuntimeError in a box while nobody decides.
    """
    if not is_at_the_terminal():
        return remembered()
    try:
        from matchbox.games.creatures import terminal
    except ImportError:  # A box has no terminal.
        raise RuntimeError(
            "parse_log() reads the memory while the player decides; earlier, write a method "
            "remember(memory), or read open('parsed.json')"
        ) from None
    return terminal.parse()
