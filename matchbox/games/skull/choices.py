"""How a person chooses a move of Skull: words, and cards to click. Knows no rules."""

from __future__ import annotations

from typing import Any, Final

from matchbox.game import Choice

_GROUPS: Final = {
    "place": "Place a card face down",
    "bet": "Bid",
    "pass": "Bid",
    "choose": "Turn over a card",
    "lose": "Lose a card",
    "start": "Name who starts",
}


def choice(move: Any, view: Any) -> Choice | None:
    """The move in words; the own cards and other seats' piles are clicked."""
    verb, _, what = move.partition(" ")
    return Choice(_words(verb, what, view), _GROUPS[verb], _picks(verb, what))


def _words(verb: str, what: str, view: Any) -> str:
    table = sum(view["piles"])
    seat = "yourself" if what == str(view["me"]) else f"seat {what}"
    return {
        "place": f"Place a {what}",
        "bet": f"Bid {what} of {table} card{'' if table == 1 else 's'}",
        "pass": "Pass",
        "choose": f"Turn over the top card of seat {what}",
        "lose": "Lose any card" if what == "any" else f"Lose a {what}",
        "start": "Anybody starts" if what == "any" else f"Name {seat}",
    }[verb]


def _picks(verb: str, what: str) -> tuple[str, ...]:
    if verb == "choose":
        return (f"pile {what}",)
    return (f"hand {what}",) if verb in ("place", "lose") and what != "any" else ()


def question(moves: Any, view: Any) -> str:
    """The question to the seat with this view, as a sentence."""
    phase, owed = view["phase"], view["bids"][view["me"]]
    if phase == "placing":
        verbs = {move.partition(" ")[0] for move in moves}
        if "bet" not in verbs:
            return "Place a card face down on your pile."
        if "place" not in verbs:
            return "Your hand is empty: bid how many roses you can turn over."
        return "Place another card, or bid how many roses you can turn over."
    return {
        "betting": f"Bid more than {max(view['bids'])}, or pass.",
        "choice": f"You bid {owed}. Turn over the top card of another pile: you need roses only.",
        "lose": "You turned over your own skull. Choose the card that you lose for good.",
        "start": "You have no card left. Name who starts the next round.",
    }[phase]
