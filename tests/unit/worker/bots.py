"""Bots of the tests, written like an author's: a good one, and one for every mistake."""

from __future__ import annotations

from typing import Final

HEAD: Final = "import random as random_number\nfrom matchbox.games.bomb import *\n\n"
GOOD: Final = HEAD + "class Good(MediumPlayer):\n    pass\n"
TURN: Final = "class Bot(SimplePlayer):\n    def turn(self, game_data, play_a_card):\n        "
INIT: Final = "class Bot(SimplePlayer):\n    def __init__(self):\n        "


def turning(*lines: str) -> bytes:
    """Returns a bot whose turn is these lines; `turn` itself stands in line 5 of the file."""
    return (HEAD + TURN + "\n        ".join(lines) + "\n").encode()


def making(*lines: str) -> bytes:
    """Returns a bot whose `__init__` is these lines."""
    return (HEAD + INIT + "\n        ".join(lines) + "\n").encode()


def text(*lines: str) -> bytes:
    """Returns a file of these lines under the usual imports; the first is line 4."""
    return (HEAD + "\n".join(lines) + "\n").encode()


COUNTING: Final = text(
    "begun = [0]",
    "class Bot(SimplePlayer):",
    "    def __init__(self):",
    "        begun[0] += 1",
    "        self.bold = begun[0] % 2 == 0",
    "    def turn(self, game_data, play_a_card):",
    "        return None",
    "    def defuse(self, game_data):",
    "        return 0 if self.bold else game_data.draw_pile_size()",
)
"""A bot that keeps state: it plays differently in every second bout of its process."""
