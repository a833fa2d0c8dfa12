"""Bomb as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from html import escape
from typing import Any, Final

_WIDTH: Final = 780
_HEIGHT: Final = 440
_STEP: Final = 68
_ICONS: Final = {
    "bomb": "\N{BLACK CIRCLE}",
    "defuse": "\N{BLACK SCISSORS}",
    "skip": "\N{RIGHTWARDS ARROW WITH HOOK}",
    "bottom": "\N{DOWNWARDS ARROW TO BAR}",
    "shuffle": "\N{CLOCKWISE OPEN CIRCLE ARROW}",
    "see": "\N{FISHEYE}",
    "nothing": "\N{MIDDLE DOT}",
}
_COLOURS: Final = {
    "bomb": "#b42318",
    "defuse": "#1a7f5a",
    "skip": "#8a5a00",
    "bottom": "#6b4fbb",
    "shuffle": "#0b6e99",
    "see": "#9a3a7d",
    "nothing": "#57606a",
}
_LINE: Final = "#57606a"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"


def draw(view: Any) -> str:
    """The table as a whole SVG element, for a seat's view or a spectator's."""
    if "hands" in view:
        rows = [
            _backs(20, view["hands"][0]) + _label(16, "Seat 0", view["hands"][0]),
            _backs(330, view["hands"][1]) + _label(326, "Seat 1", view["hands"][1]),
        ]
        mover = None if view["ask"] == "over" else (20, 330)[view["mover"]]
        title = _table_title(view)
    else:
        hand = [kind for kind, number in view["hand"].items() for _ in range(number)]
        rows = [
            _backs(20, view["other"]) + _label(16, "The other player", view["other"]),
            _faces(330, hand) + _label(326, "You", len(hand)),
        ]
        mover = {"turn": 330, "defuse": 330, "wait": 20}.get(view["ask"])
        title = _seat_title(view, hand)
    parts = [*rows, _pile(view), _discard(view), _seen(view.get("seen", []))]
    if mover is not None:
        parts.append(_mark(mover))
    return (
        f'<svg class="board bomb" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _mark(y: int) -> str:
    """The frame around the cards of the player to move."""
    return (
        f'<rect x="8" y="{y - 22}" width="{_WIDTH - 16}" height="122" rx="10" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
        f'<text x="{_WIDTH - 22}" y="{y - 4}" text-anchor="end" font-size="14" '
        'fill="currentColor">to move</text>'
    )


def _card(x: int, y: int, kind: str | None, pick: str = "") -> str:
    """One card of 60 by 90, face up, or face down for None; `pick` names it for clicks."""
    if kind is None:
        return (
            f'<g transform="translate({x} {y})">'
            f'<rect width="60" height="90" rx="6" fill="{_BACK}" stroke="#fff"/>'
            '<path d="M12 12h36v66h-36zM12 12l36 66M48 12l-36 66" fill="none" stroke="#fff" '
            'stroke-opacity=".5"/></g>'
        )
    return (
        f'<g{pick} transform="translate({x} {y})" fill="{_COLOURS[kind]}" text-anchor="middle">'
        f'<rect width="60" height="90" rx="6" fill="#fff" stroke="{_LINE}"/>'
        f'<text x="30" y="46" font-size="28">{_ICONS[kind]}</text>'
        f'<text x="30" y="78" font-size="13" font-weight="600">{kind}</text></g>'
    )


def _row(count: int) -> int:
    """The distance between cards in a row, so that all fit in."""
    return min(_STEP, (_WIDTH - 100) // max(1, count - 1))


def _backs(y: int, count: int) -> str:
    return "".join(_card(20 + _row(count) * place, y, None) for place in range(count))


def _faces(y: int, kinds: list[str]) -> str:
    apart = _row(len(kinds))
    return "".join(
        _card(20 + apart * place, y, kind, f' data-pick="hand {kind}"')
        for place, kind in enumerate(kinds)
    )


def _pile(view: Any) -> str:
    size = view["pile"]
    cards = "".join(_card(20 + 2 * n, 160 - n, None) for n in range(min(size, 5)))
    mark = _frame(16, 152) if view.get("last") in ("draw", "bottom", "place") else ""
    cards = f'<g data-pick="pile">{cards}</g>' if cards else _gap(20)
    return cards + mark + _label(274, "Draw pile", size)


def _discard(view: Any) -> str:
    """Draws the newest cards, as many as fit; the last one is marked if it was just played."""
    shown = view["discard"][-5:]
    cards = [_card(200 + 70 * place, 160, kind) for place, kind in enumerate(shown)]
    played = shown and view.get("last") in ("skip", "see", "shuffle", "bottom")
    mark = _frame(122 + 70 * len(shown), 154) if played else ""
    label = _label(274, "Discard pile", len(view["discard"]), 200)
    return "".join(cards or [_gap(200)]) + mark + label


def _seen(kinds: list[str]) -> str:
    if not kinds:
        return ""
    cards = "".join(_card(566 + 66 * place, 160, kind) for place, kind in enumerate(kinds))
    return cards + _label(274, "Seen, the top first", len(kinds), 566)


def _frame(x: int, y: int) -> str:
    """The frame around the last move's place."""
    return (
        f'<rect x="{x}" y="{y}" width="76" height="102" rx="9" fill="none" stroke="{_MARK}" '
        'stroke-width="3"/>'
    )


def _gap(x: int) -> str:
    """The place of an empty pile."""
    return (
        f'<rect x="{x}" y="160" width="60" height="90" rx="6" fill="none" stroke="{_LINE}" '
        'stroke-dasharray="4 4"/>'
    )


def _label(y: int, name: str, count: int, x: int = 20) -> str:
    return f'<text x="{x}" y="{y}" font-size="14" fill="currentColor">{name}: {count}</text>'


def _table_title(view: Any) -> str:
    hands = view["hands"]
    state = (
        f"Seat {view['loser']} has lost."
        if view["ask"] == "over"
        else f"Seat {view['mover']} is to move."
    )
    return (
        f"Bomb. Seat 0 holds {hands[0]} cards, seat 1 holds {hands[1]}. "
        f"The draw pile has {view['pile']}, the discard pile {len(view['discard'])}. {state}"
    )


def _seat_title(view: Any, hand: list[str]) -> str:
    asked = {
        "turn": "It is your turn.",
        "defuse": "Choose a place for the bomb.",
        "wait": "The other player is to move.",
        "over": "The game is over.",
    }
    return (
        f"Bomb. You hold {', '.join(hand) or 'no cards'}. The other player holds {view['other']}. "
        f"The draw pile has {view['pile']}, the discard pile {len(view['discard'])}. "
        f"{asked[view['ask']]}"
    )
