"""How a person chooses a move of the duel: words, and cards to click. Knows no rules."""

from __future__ import annotations

from typing import Any

from matchbox.game import Choice
from matchbox.games.creatures.kinds import CREATURES


def choice(move: Any, view: Any) -> Choice | None:
    """The move in words; cards of the hand and creatures of the field are clicked."""
    if isinstance(move, str):
        return _PLAIN[move]
    kind, what = move
    if kind == "tap":
        return Choice(f"Tap {what} land{'' if what == 1 else 's'} for mana", "Mana", ())
    if kind == "summon":
        one = CREATURES[what]
        words = f"Summon {_a(what)}: costs {one.cost}, power {one.power}"
        return Choice(words, "Summon", (f"hand {what}",))
    name = next(name for number, name, _ in view["me"]["field"] if number == what)
    words = f"{kind.capitalize()} with {name} {what}, power {CREATURES[name].power}"
    return Choice(words, kind.capitalize(), (f"creature {what}",))


_PLAIN = {
    "land": Choice("Play a land", "Mana", ("hand Land",)),
    "done": Choice("End your turn", "Your turn"),
    "pass": Choice("Do not block", "Block"),
}


def question(moves: Any, view: Any) -> str:
    """The question to the seat with this view, as a sentence."""
    if view["ask"] == "block":
        attacker = view["attacker"][1]
        harm = CREATURES[attacker].power
        return f"{_a(attacker, 'A')} attacks. Block it, or lose {harm} life."
    can = {move if isinstance(move, str) else move[0] for move in moves}
    offered = [words for kind, words in _OFFERS.items() if kind in can]
    if not offered:
        return "Nothing is left to do but to end your turn."
    return f"You can {', '.join(offered)}, or end your turn."


def _a(creature: str, article: str = "a") -> str:
    return f"{article}{'n' if creature[0] in 'AEIOU' else ''} {creature}"


_OFFERS = {
    "land": "play a land",
    "tap": "tap lands for mana",
    "summon": "summon a creature",
    "attack": "attack",
}
