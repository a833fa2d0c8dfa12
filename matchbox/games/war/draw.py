"""Addition War as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

EVENTS: Final = ("a tie",)
"""Lines of `describe` that a spectator would jump to."""
_WIDTH: Final = 440
_HEIGHT: Final = 416
_TOP: Final = 36
_MIDDLE: Final = 158
_BOTTOM: Final = 314
_STEP: Final = 32
_IN_A_ROW: Final = 13
"""A hand has at most 26 cards."""
_LAST: Final = 154
"""The place of the lower player's last cards; the upper player's lie at the left margin."""
_DOWN: Final = 300
"""The place of a pair that waits face down for the other player's."""
_LINE: Final = "#57606a"
_INK: Final = "#1f2933"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"


def draw(view: Any) -> str:
    """The table as a whole SVG element: for a seat's view, a spectator's, or an open view."""
    last = [played[-2:] for played in view["played"]]
    taker = view["took"][-1] if view["took"] else None
    if "hands" in view:
        names, hands, points = ("Seat 0", "Seat 1"), view["hands"], view["points"]
        owing = [view["ask"] == "lay" and not laid for laid in view["laid"]]
        down = [None] * (2 * sum(view["laid"]))
        if "seats" in view:
            down = [card for seat in view["seats"] for card in seat.get("laid", [])]
    else:
        names, hands = ("The other player", "You"), (view["other"], view["hand"])
        points, last = view["points"][::-1], last[::-1]
        taker = None if taker is None else int(taker)
        owing = [False, view["ask"] == "lay"]
        down = view.get("laid", [])
    parts = [
        _hand(_TOP, names[0], hands[0], points[0]),
        _hand(_BOTTOM, names[1], hands[1], points[1]),
        _last(last, taker),
        _waiting(down),
        _open(view),
        *(_mark(y) for y, owes in zip((_TOP, _BOTTOM), owing, strict=True) if owes),
        _end(view, points),
    ]
    title = _title(names, hands, points, view)
    return (
        f'<svg class="board war" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _card(x: int, y: int, value: int | None) -> str:
    """One card of 56 by 84, face up, or face down for None."""
    if value is None:
        return (
            f'<g transform="translate({x} {y})">'
            f'<rect width="56" height="84" rx="6" fill="{_BACK}" stroke="#fff"/>'
            '<path d="M10 12h36v60h-36zM10 12l36 60M46 12l-36 60" fill="none" stroke="#fff" '
            'stroke-opacity=".5"/></g>'
        )
    return (
        f'<g transform="translate({x} {y})" fill="{_INK}" font-weight="600">'
        f'<rect width="56" height="84" rx="6" fill="#fff" stroke="{_LINE}"/>'
        f'<text x="28" y="53" font-size="32" text-anchor="middle">{value}</text></g>'
    )


def _hand(y: int, name: str, hand: list[int], points: int) -> str:
    """The cards as narrow ones, 13 in a row, so that the number on each stays visible."""
    parts = [_label(14, y - 12, f"{name}: {points} points, {sum(hand)} in hand")]
    for place, value in enumerate(hand):
        row, column = divmod(place, _IN_A_ROW)
        pick = f' data-pick="card {value}"' * (name == "You")
        parts.append(
            f'<g{pick} transform="translate({14 + _STEP * column} {y + 47 * row})" '
            f'fill="{_INK}" text-anchor="middle">'
            f'<rect width="29" height="44" rx="4" fill="#fff" stroke="{_LINE}"/>'
            f'<text x="14.5" y="29" font-size="18" font-weight="600">{value}</text></g>'
        )
    return "".join(parts)


def _last(last: list[list[int]], taker: int | None) -> str:
    """Both pairs of the last play; the pair of the seat that took them is framed."""
    if not last[0]:
        return ""
    parts = []
    for seat, (x, pair) in enumerate(zip((14, _LAST), last, strict=True)):
        parts += [_card(x + 60 * place, _MIDDLE, card) for place, card in enumerate(pair)]
        parts.append(_label(x, _MIDDLE + 106, f"{sum(pair)}{' takes all' * (seat == taker)}"))
        if seat == taker:
            parts.append(
                f'<rect x="{x - 6}" y="{_MIDDLE - 6}" width="128" height="96" rx="9" fill="none" '
                f'stroke="{_MARK}" stroke-width="3"/>'
            )
    return "".join(parts)


def _waiting(down: Sequence[int | None]) -> str:
    if not down:
        return ""
    cards = "".join(_card(_DOWN + 60 * n, _MIDDLE, card) for n, card in enumerate(down))
    return cards + _label(_DOWN, _MIDDLE + 106, "laid face down")


def _open(view: Any) -> str:
    """The cards that the last ties have left on the table."""
    count = view["open"]
    if not count:
        return ""
    points = sum(sum(played[-2 * count :]) for played in view["played"])
    until = "taken back" if view["ask"] == "over" else "wait for the next winner"
    return _label(14, _MIDDLE - 16, f"A tie: {points} points {until}")


def _mark(y: int) -> str:
    """The frame around the cards of the player who is to lay."""
    return (
        f'<rect x="5" y="{y - 30}" width="{_WIDTH - 10}" height="126" rx="10" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>{_label(_WIDTH - 14, y - 12, "to lay", "end")}'
    )


def _end(view: Any, points: Sequence[int]) -> str:
    """The words that name the winner, in the winner's row."""
    if view["ask"] != "over":
        return ""
    if points[0] == points[1]:
        return _label(_DOWN, _MIDDLE + 48, "A draw")
    return _label(_WIDTH - 14, (_TOP if points[0] > points[1] else _BOTTOM) - 12, "wins", "end")


def _label(x: int, y: int, text: str, anchor: str = "start") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="15" text-anchor="{anchor}" fill="currentColor">'
        f"{escape(text)}</text>"
    )


def _title(names: Any, hands: Any, points: Any, view: Any) -> str:
    sentences = [
        f"{name}: {total} points, holding {' '.join(map(str, hand)) or 'no cards'}."
        for name, hand, total in zip(names, hands, points, strict=True)
    ]
    state = "The game is over." if view["ask"] == "over" else f"{len(view['took'])} of 13 plays."
    return " ".join(["Addition War.", *sentences, state])
