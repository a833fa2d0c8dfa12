"""The duel as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from html import escape
from typing import Any, Final

from matchbox.games.creatures.kinds import CREATURES, LAND

_WIDTH: Final = 780
_HEIGHT: Final = 510
_STEP: Final = 68
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
_TOP: Final = 40
_BOTTOM: Final = 300
"""The heights at which the two sides begin."""


def draw(view: Any) -> str:
    """The table as a whole SVG element, for a seat's view or a spectator's."""
    if "sides" in view:
        names = ("Seat 0", "Seat 1")
        sides = view["sides"]
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
        _side(y, name, side, moved[1] if moved and moved[0] == place else None)
        for place, (y, name, side) in enumerate(zip((_TOP, _BOTTOM), names, sides, strict=True))
    ]
    if mover is not None:
        rows.append(_mover((_TOP, _BOTTOM)[mover]))
    return (
        f'<svg class="board creatures" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif">'
        f"<title>{escape(_title(view, names, sides))}</title>{''.join(rows)}</svg>"
    )


def _last_moved(view: Any) -> tuple[int, int] | None:
    """The side's place and the creature's number in the last move."""
    number = view["last"].get("number")
    return None if number is None else (view["mover"], number)


def _side(y: int, name: str, side: Any, moved: int | None) -> str:
    """Life and lands as text, then the field, and below it the hand."""
    words = (
        f"{name}: {side['life']} life, {side['lands'] - side['tapped']} of {side['lands']} lands "
        f"untapped, deck {side['deck']}, discard pile {len(side['discard'])}"
    )
    own = isinstance(side["hand"], list)
    return _text(20, y - 12, words) + _field(y, side["field"], moved, own) + _hand(y + 106, side)


def _field(y: int, field: list[Any], moved: int | None, own: bool) -> str:
    if not field:
        gap = '<rect x="20" y="{}" width="60" height="90" rx="6" fill="none" stroke="{}" {}/>'
        return gap.format(y, _LINE, 'stroke-dasharray="4 4"')
    apart = _apart(len(field))
    return "".join(
        _creature(20 + apart * place, y, name, mark, f' data-pick="creature {number}"' * own)
        + (_frame(16 + apart * place, y - 4) if number == moved else "")
        for place, (number, name, mark) in enumerate(field)
    )


def _creature(x: int, y: int, name: str, mark: str, pick: str) -> str:
    """A creature of 60 by 90; a tapped one is pale and says what it did."""
    told = mark or f"{CREATURES[name].cost} / {CREATURES[name].power}"
    return (
        f'<g{pick} transform="translate({x} {y})" fill="{_COLOURS[name]}" text-anchor="middle">'
        f'<rect width="60" height="90" rx="6" fill="{"#d0d7de" if mark else "#fff"}" '
        f'stroke="{_LINE}"/><text x="30" y="34" font-size="24">{_ICONS[name]}</text>'
        f'<text x="30" y="58" font-size="11" font-weight="600">{name}</text>'
        f'<text x="30" y="78" font-size="12">{told}</text></g>'
    )


def _hand(y: int, side: Any) -> str:
    """Small cards: faces if the view has names, else backs."""
    hand = side["hand"]
    cards: list[str | None] = hand if isinstance(hand, list) else [None] * hand
    apart = _apart(len(cards))
    return "".join(_small(20 + apart * place, y, name) for place, name in enumerate(cards))


def _small(x: int, y: int, name: str | None) -> str:
    """A card of 60 by 60 in a hand."""
    if name is None:
        return (
            f'<g transform="translate({x} {y})">'
            f'<rect width="60" height="60" rx="6" fill="{_BACK}" stroke="#fff"/>'
            '<path d="M10 10h40v40h-40zM10 10l40 40M50 10l-40 40" fill="none" stroke="#fff" '
            'stroke-opacity=".5"/></g>'
        )
    told = name if name == LAND else f"{name} {CREATURES[name].cost}"
    return (
        f'<g data-pick="hand {name}" transform="translate({x} {y})" '
        f'fill="{_COLOURS[name]}" text-anchor="middle">'
        f'<rect width="60" height="60" rx="6" fill="#fff" stroke="{_LINE}"/>'
        f'<text x="30" y="28" font-size="20">{_ICONS[name]}</text>'
        f'<text x="30" y="50" font-size="10" font-weight="600">{told}</text></g>'
    )


def _apart(count: int) -> int:
    """The distance between cards in a row, so that all fit in."""
    return min(_STEP, (_WIDTH - 100) // max(1, count - 1))


def _mover(y: int) -> str:
    """The frame around the mover's side."""
    return (
        f'<rect x="8" y="{y - 32}" width="{_WIDTH - 16}" height="210" rx="10" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
        f'<text x="{_WIDTH - 22}" y="{y - 12}" text-anchor="end" font-size="14" '
        'fill="currentColor">to move</text>'
    )


def _frame(x: int, y: int) -> str:
    """The frame around the creature of the last move."""
    return (
        f'<rect x="{x}" y="{y}" width="68" height="98" rx="9" fill="none" stroke="{_MARK}" '
        'stroke-width="3"/>'
    )


def _text(x: int, y: int, words: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="14" fill="currentColor">{escape(words)}</text>'


def _title(view: Any, names: tuple[str, str], sides: Any) -> str:
    """The table as text."""
    told = [f"Creature duel, turn {view['turn']}."]
    for name, side in zip(names, sides, strict=True):
        hand = side["hand"]
        held = ", ".join(hand) or "no cards" if isinstance(hand, list) else f"{hand} cards"
        field = ", ".join(f"{card} {mark}".strip() for _, card, mark in side["field"]) or "none"
        verb = "have" if name == "You" else "has"
        told.append(f"{name} {verb} {side['life']} life, in hand {held}, creatures: {field}.")
    asked = {
        "turn": "It is your turn.",
        "block": "You are attacked.",
        "wait": "The other player is to move.",
        "over": "The game is over.",
    }
    return " ".join(told if "sides" in view else [*told, asked[view["ask"]]])
