"""Addition War as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

_WIDTH: Final = 780
_HEIGHT: Final = 440
_STEP: Final = 68
_TOP: Final = 30
_MIDDLE: Final = 170
_BOTTOM: Final = 330
_LAST: Final = 250
"""The place of the lower player's last cards; the upper player's lie at the left margin."""
_DOWN: Final = 480
"""The place of cards that wait for the other player's."""
_LINE: Final = "#57606a"
_INK: Final = "#1f2933"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"


def draw(view: Any) -> str:
    """The table as a whole SVG element, for a seat's view or a spectator's."""
    last = [played[-2:] for played in view["played"]]
    taker = view["took"][-1] if view["took"] else None
    if "hands" in view:
        names, hands, points = ("Seat 0", "Seat 1"), view["hands"], view["points"]
        owing = [view["ask"] == "lay" and not laid for laid in view["laid"]]
        down = [None] * (2 * sum(view["laid"]))
    else:
        names, hands = ("The other player", "You"), (view["other"], view["hand"])
        points, last = view["points"][::-1], last[::-1]
        owing = [False, view["ask"] == "lay"]
        down = view.get("laid", [])
    parts = [
        _hand(_TOP, names[0], hands[0], points[0]),
        _hand(_BOTTOM, names[1], hands[1], points[1]),
        _last(last, taker),
        _waiting(down),
        _open(view),
        *(_mark(y) for y, owes in zip((_TOP, _BOTTOM), owing, strict=True) if owes),
    ]
    title = _title(names, hands, points, view)
    return (
        f'<svg class="board war" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _card(x: int, y: int, value: int | None, pick: str = "") -> str:
    """One card of 60 by 90, face up, or face down for None; in a row its corner stays visible."""
    if value is None:
        return (
            f'<g transform="translate({x} {y})">'
            f'<rect width="60" height="90" rx="6" fill="{_BACK}" stroke="#fff"/>'
            '<path d="M12 12h36v66h-36zM12 12l36 66M48 12l-36 66" fill="none" stroke="#fff" '
            'stroke-opacity=".5"/></g>'
        )
    return (
        f'<g{pick} transform="translate({x} {y})" fill="{_INK}" font-weight="600">'
        f'<rect width="60" height="90" rx="6" fill="#fff" stroke="{_LINE}"/>'
        f'<text x="5" y="20" font-size="17">{value}</text>'
        f'<text x="34" y="64" font-size="30" text-anchor="middle">{value}</text></g>'
    )


def _hand(y: int, name: str, hand: list[int], points: int) -> str:
    apart = min(_STEP, (_WIDTH - 100) // max(1, len(hand) - 1))
    cards = "".join(
        _card(20 + apart * place, y, card, f' data-pick="card {card}"' * (name == "You"))
        for place, card in enumerate(hand)
    )
    return _label(20, y - 8, f"{name}: {points} points, {sum(hand)} in hand") + cards


def _last(last: list[list[int]], taker: int | None) -> str:
    """Both pairs of the last play; the taker's is framed."""
    if not last[0]:
        return ""
    parts = []
    for seat, (x, pair) in enumerate(zip((20, _LAST), last, strict=True)):
        parts += [_card(x + 66 * place, _MIDDLE, card) for place, card in enumerate(pair)]
        parts.append(_label(x, _MIDDLE + 112, f"{sum(pair)}{' takes all' * (seat == taker)}"))
        if seat == taker:
            parts.append(
                f'<rect x="{x - 6}" y="{_MIDDLE - 6}" width="138" height="102" rx="9" fill="none" '
                f'stroke="{_MARK}" stroke-width="3"/>'
            )
    parts.append(_label(170, _MIDDLE + 50, "against"))
    return "".join(parts)


def _waiting(down: Sequence[int | None]) -> str:
    if not down:
        return ""
    cards = "".join(_card(_DOWN + 66 * n, _MIDDLE, card) for n, card in enumerate(down))
    return cards + _label(_DOWN, _MIDDLE + 112, "laid face down")


def _open(view: Any) -> str:
    """The cards that the last ties have left on the table."""
    count = view["open"]
    if not count:
        return ""
    points = sum(sum(played[-2 * count :]) for played in view["played"])
    told = "taken back" if view["ask"] == "over" else "wait for the next winner"
    return _label(_DOWN, _MIDDLE + 134, f"A tie: {points} points {told}")


def _mark(y: int) -> str:
    """The frame around the cards of the player who is to lay."""
    return (
        f'<rect x="8" y="{y - 24}" width="{_WIDTH - 16}" height="124" rx="10" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
        f'<text x="{_WIDTH - 22}" y="{y - 8}" text-anchor="end" font-size="14" '
        'fill="currentColor">to lay</text>'
    )


def _label(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="14" fill="currentColor">{escape(text)}</text>'


def _title(names: Any, hands: Any, points: Any, view: Any) -> str:
    told = [
        f"{name}: {total} points, holding {' '.join(map(str, hand)) or 'no cards'}."
        for name, hand, total in zip(names, hands, points, strict=True)
    ]
    state = "The game is over." if view["ask"] == "over" else f"{len(view['took'])} of 13 plays."
    return " ".join(["Addition War.", *told, state])
