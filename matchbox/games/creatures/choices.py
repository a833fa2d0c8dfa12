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
        words = f"Summon a {what}: costs {one.cost}, power {one.power}"
        return Choice(words, "Summon", (f"hand {what}",))
    name = next(name for number, name, _ in view["me"]["field"] if number == what)
    words = f"{kind.capitalize()} with {name} {what}, power {CREATURES[name].power}"
    return Choice(words, kind.capitalize(), (f"creature {what}",))


_PLAIN = {
    "land": Choice("Play a land", "Mana", ("hand Land",)),
    "done": Choice("End your turn", "Your turn"),
    "pass": Choice("Do not block", "Block"),
}
