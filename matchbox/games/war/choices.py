"""How a person chooses a move of Addition War: words, and cards to click. Knows no rules."""

from __future__ import annotations

from typing import Any

from matchbox.game import Choice


def choice(move: Any, view: Any) -> Choice | None:
    """The pair in words; both cards are clicked."""
    high, low = map(int, move.split())
    words = f"Lay {high} and {low}, together {high + low}"
    return Choice(words, f"With {high}", (f"card {high}", f"card {low}"))


def question(_: Any, view: Any) -> str:
    """The question to the seat with this view, as a sentence."""
    if view["open"]:
        return "A tie: lay two more cards. The higher sum takes all that lies open, too."
    return "Lay two cards. The higher sum takes all four."
