"""The duel as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any, Final

from matchbox.games.creatures.kinds import CREATURES, LAND

EVENTS: Final = ("blocks", "does not block", "destroyed", "damage")
"""Lines of `describe` that a spectator would jump to."""
_WIDTH: Final = 440
_HEIGHT: Final = 452
_SIDE: Final = 222
"""The height of a side."""
_STEP: Final = 71
_COLOURS: Final = {
    "Land": "#1a7f5a",
    "Bear": "#8a5a00",
    "Knight": "#0b6e99",
    "Elemental": "#6b4fbb",
    "Vampire": "#9a3a7d",
    "Dragon": "#b42318",
}
_ICONS: Final = {
    "Land": "\N{BLACK UP-POINTING TRIANGLE}",
    "Bear": "\N{BLACK CIRCLE}",
    "Knight": "\N{BLACK CHESS KNIGHT}",
    "Elemental": "\N{BLACK SUN WITH RAYS}",
    "Vampire": "\N{LAST QUARTER MOON}",
    "Dragon": "\N{BLACK DIAMOND}",
}
_LINE: Final = "#57606a"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"


def draw(view: Any) -> str:
    """The table as a whole SVG element: for a seat's view, a spectator's, or an open view."""
    if "sides" in view:
        names = ("Seat 0", "Seat 1")
        own = [seat["me"] for seat in view.get("seats", [])]
        sides = tuple(own or view["sides"])
        mover: int | None = view["mover"] if view["ask"] != "block" else 1 - view["mover"]
        mover = None if view["ask"] == "over" else mover
        moved = _last_moved(view)
    else:
        names = ("The other player", "You")
        sides = (view["other"], view["me"])
        mover = {"turn": 1, "block": 1, "wait": 0}.get(view["ask"])
        attacker = view["attacker"]
        moved = (0 if view["ask"] == "block" else 1, attacker[0]) if attacker else None
    rows = [
        _side(place, name, side, moved[1] if moved and moved[0] == place else None)
        for place, (name, side) in enumerate(zip(names, sides, strict=True))
    ]
    if mover is not None:
        rows.append(_mark(mover, "to move"))
    if view.get("loser") is not None:
        rows.append(_mark(1 - view["loser"], "wins"))
    return (
        f'<svg class="board creatures" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif">'
        f"<title>{escape(_title(view, names, sides))}</title>{''.join(rows)}</svg>"
    )


def _last_moved(view: Any) -> tuple[int, int] | None:
    """The side's place and the creature's number in the last move."""
    number = view["last"].get("number")
    return None if number is None else (view["mover"], number)


def _side(place: int, name: str, side: Any, moved: int | None) -> str:
    """Life and lands as text, then hand and field; the two fields face each other."""
    y = 6 + _SIDE * place
    words = (
        f"Lands {side['lands'] - side['tapped']} of {side['lands']} untapped, "
        f"deck {side['deck']}, discarded {len(side['discard'])}"
    )
    hand, field = (y + 50, y + 118) if place == 0 else (y + 146, y + 52)
    return (
        _text(14, y + 20, f"{name}: {side['life']} life", "600")
        + _text(14, y + 40, words)
        + _hand(hand, side["hand"])
        + _field(field, side["field"], moved, isinstance(side["hand"], list))
    )


def _field(y: int, field: list[Any], moved: int | None, own: bool) -> str:
    """The creatures; several of a kind in the same position are drawn once."""
    if not field:
        return (
            f'<rect x="14" y="{y}" width="66" height="88" rx="6" fill="none" stroke="{_LINE}" '
            'stroke-dasharray="4 4"/>'
        )
    alike = Counter((name, mark, number == moved) for number, name, mark in field)
    picked = {(name, mark, number == moved): number for number, name, mark in field}
    apart = min(_STEP, (_WIDTH - 96) // max(1, len(alike) - 1))
    return "".join(
        _creature(14 + apart * place, y, *one[:2], alike[one], f' data-pick="creature {at}"' * own)
        + (_frame(10 + apart * place, y - 4, 74, 96) if one[2] else "")
        for place, (one, at) in enumerate(picked.items())
    )


def _creature(x: int, y: int, name: str, mark: str, number: int, pick: str) -> str:
    """Creatures on a card of 66 by 88; tapped ones are pale and say what they did."""
    caption = mark or f"{CREATURES[name].cost} / {CREATURES[name].power}"
    return _card(x, y, 88, name, "#d0d7de" if mark else "#fff", number, pick) + (
        f'<text x="33" y="78" font-size="14">{caption}</text></g>'
    )


def _card(x: int, y: int, height: int, name: str, paper: str, number: int, pick: str) -> str:
    """The upper part of a card; its group stays open."""
    many = (
        f'<text x="63" y="27" font-size="15" text-anchor="end">\N{MULTIPLICATION SIGN}{number}'
        "</text>"
    )
    return (
        f'<g{pick} transform="translate({x} {y})" fill="{_COLOURS[name]}" text-anchor="middle">'
        f'<rect width="66" height="{height}" rx="6" fill="{paper}" stroke="{_LINE}"/>'
        f'<text x="14" y="28" font-size="22">{_ICONS[name]}</text>{many if number > 1 else ""}'
        f'<text x="33" y="52" font-size="14" textLength="{min(60, 9 * len(name))}" '
        f'lengthAdjust="spacingAndGlyphs" font-weight="600">{name}</text>'
    )


def _hand(y: int, hand: list[str] | int) -> str:
    """Small cards: faces by kind if the view has names, else backs."""
    if isinstance(hand, int):
        apart = min(24, (_WIDTH - 96) // max(1, hand - 1))
        return "".join(_back(14 + apart * place, y) for place in range(hand))
    kinds = Counter(sorted(hand, key=list(_ICONS).index))
    return "".join(
        _card(14 + _STEP * place, y, 60, name, "#fff", number, f' data-pick="hand {name}"')
        + (
            ""
            if name == LAND
            else f'<text x="32" y="27" font-size="15">{CREATURES[name].cost}</text>'
        )
        + "</g>"
        for place, (name, number) in enumerate(kinds.items())
    )


def _back(x: int, y: int) -> str:
    """A card of a hand, face down."""
    return (
        f'<g transform="translate({x} {y})">'
        f'<rect width="66" height="60" rx="6" fill="{_BACK}" stroke="#fff"/>'
        '<path d="M10 10h46v40h-46zM10 10l46 40M56 10l-46 40" fill="none" stroke="#fff" '
        'stroke-opacity=".5"/></g>'
    )


def _mark(place: int, words: str) -> str:
    """The frame around the side of the mover, or of the winner."""
    y = 6 + _SIDE * place
    return (
        _frame(5, y - 2, _WIDTH - 10, _SIDE - 4)
        + f'<text x="{_WIDTH - 14}" y="{y + 20}" text-anchor="end" font-size="15" '
        f'fill="currentColor">{words}</text>'
    )


def _frame(x: int, y: int, width: int, height: int) -> str:
    """The frame around a side, or around the creature of the last move."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="9" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
    )


def _text(x: int, y: int, words: str, weight: str = "400") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="15" font-weight="{weight}" fill="currentColor">'
        f"{escape(words)}</text>"
    )


def _title(view: Any, names: tuple[str, str], sides: Any) -> str:
    """The table as text."""
    sentences = [f"Creature duel, turn {view['turn']}."]
    for name, side in zip(names, sides, strict=True):
        hand = side["hand"]
        held = ", ".join(hand) or "no cards" if isinstance(hand, list) else f"{hand} cards"
        field = ", ".join(f"{card} {mark}".strip() for _, card, mark in side["field"]) or "none"
        verb = "have" if name == "You" else "has"
        sentences.append(f"{name} {verb} {side['life']} life, in hand {held}, creatures: {field}.")
    questions = {
        "turn": "It is your turn.",
        "block": "You are attacked.",
        "wait": "The other player is to move.",
        "over": "The game is over.",
    }
    return " ".join(sentences if "sides" in view else [*sentences, questions[view["ask"]]])
