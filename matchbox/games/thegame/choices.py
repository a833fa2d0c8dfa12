"""How a person chooses a move of The Game: words, and cards to click. Knows no rules."""

from __future__ import annotations

from typing import Any

from matchbox.game import Choice


def choice(move: Any, view: Any) -> Choice | None:
    """The move in words; a card is clicked and then a pile, or dragged onto it.

    "invalid", the move that ends the game for all, is not offered.
    """
    if move == "invalid":
        return None
    if move == "done":
        return Choice("End your turn", "Your turn")
    if isinstance(move[0], str):
        said = [f"pile {pile} “{word}”" for pile, word in enumerate(move) if word != "none"]
        return Choice(", ".join(said) or "No hint", "Say about the piles")
    pile, place = move
    card, top = view["hand"][place], view["piles"][pile][-1]
    far = abs(card - top)
    back = (card < top) == (pile < 2)
    words = f"Lay {card} on pile {pile}, which shows {top}: {far} {'back' if back else 'further'}"
    return Choice(words, f"Lay {card}", (f"card {card}", f"pile {pile}"))


def question(_: Any, view: Any) -> str:
    """The question to the seat with this view, as a sentence."""
    if view["ask"] == "hint":
        return f"Say something about the piles before seat {view['mover']} plays, or nothing."
    if view["ask"] == "more":
        return "Lay another card, or end your turn."
    owed = view["owed"]
    return "Lay a card on a pile." if owed == 1 else f"Lay a card on a pile: you owe {owed}."
