"""How a person chooses a move of bomb: words, and cards to click. Knows no rules."""

from __future__ import annotations

from typing import Any, Final

from matchbox.game import Choice

_WORDS: Final = {
    "draw": "Draw the top card, which ends your turn",
    "bottom": "Play a bottom card: draw from the bottom",
    "skip": "Play a skip card: end your turn without drawing",
    "see": "Play a see card: look at the top three",
    "shuffle": "Play a shuffle card",
}


def choice(move: Any, view: Any) -> Choice | None:
    """The move in words; a card of the hand is clicked to play it, the pile to draw."""
    if isinstance(move, int):
        return Choice(_place(move, view["pile"]), "Put the bomb back")
    group = "Draw" if move == "draw" else "Play a card first"
    return Choice(_WORDS[move], group, ("pile" if move == "draw" else f"hand {move}",))


def _place(place: int, size: int) -> str:
    if place == 0:
        return "On top: the next card drawn"
    if place == size:
        return f"At the bottom, under {size} cards"
    return f"Under {place} card{'' if place == 1 else 's'}"


def question(moves: Any, view: Any) -> str:
    """The question to the seat with this view, as a sentence."""
    if view["ask"] == "defuse":
        return "You drew the bomb and defused it. Where in the draw pile do you put it back?"
    if len(moves) == 1:
        return "You have no card to play: draw the top card."
    return "Draw the top card, or play a card first."
