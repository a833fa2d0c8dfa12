"""The Game as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from html import escape
from typing import Any, Final

_WIDTH: Final = 780
_HEIGHT: Final = 440
_STEP: Final = 68
_RISING: Final = "#0b6e99"
_FALLING: Final = "#9a3a7d"
_LINE: Final = "#57606a"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"
_UNDER: Final = 22
"""The part of a card that shows beside the card on it."""
_BELOW: Final = 3
"""How many cards of a pile show below its top."""


def draw(view: Any) -> str:
    """The table as a whole SVG element, for a seat's view or a spectator's."""
    piles = "".join(_pile(place, view) for place in range(len(view["piles"])))
    row = _table_row(view) if "hand" not in view else _hand(view)
    title = escape(_title(view))
    return (
        f'<svg class="board thegame" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif">'
        f"<title>{title}</title>{piles}{_deck(view)}{row}</svg>"
    )


def _pile(place: int, view: Any) -> str:
    """The newest cards of a pile, the top in front, and the pile's direction."""
    cards, x = view["piles"][place], 20 + 150 * place
    shown = cards[-_BELOW - 1 :]
    under = [_card(x + _UNDER * at, 44, card, place < 2) for at, card in enumerate(shown[:-1])]
    faces = [*under, _card(x + _UNDER * len(under), 44, shown[-1], place < 2, large=True)]
    top = x + _UNDER * (len(shown) - 1)
    last = view["last"]
    mark = _frame(top - 5, 38) if last and last["pile"] == place else ""
    way = "\N{UPWARDS ARROW} rises" if place < 2 else "\N{DOWNWARDS ARROW} falls"
    label = f"{_text(x, 30, f'Pile {place} {way}')}{_text(x, 158, f'{len(cards) - 1} cards')}"
    pile = f'<g data-pick="pile {place}">{"".join(faces)}</g>'
    return pile + mark + label + _hints(x, place, view)


def _hints(x: int, place: int, view: Any) -> str:
    """The seats' hints for the pile, one line each."""
    said = [
        f"{seat}: {hint[place]}"
        for seat, hint in enumerate(view["hints"])
        if hint and hint[place] != "none"
    ]
    return "".join(_text(x, 176 + 15 * at, line, 11) for at, line in enumerate(said))


def _deck(view: Any) -> str:
    size = view["deck"]
    cards = "".join(_card(670 + 2 * n, 44 - n, None) for n in range(min(size, 5)))
    return (cards or _gap(670, 44)) + _text(670, 158, f"Deck: {size}")


def _hand(view: Any) -> str:
    """The seat's own cards, and how many the others hold."""
    cards = sorted(view["hand"])
    faces = "".join(
        f'<g data-pick="card {card}">{_card(20 + _STEP * at, 310, card, large=True)}</g>'
        for at, card in enumerate(cards)
    )
    own = _own(view, view["seat"])
    mark = _frame(15, 304, _STEP * len(cards) + 2) if own else ""
    return faces + mark + _text(20, 298, f"You, seat {view['seat']}{own}") + _others(view)


def _others(view: Any) -> str:
    """A line with the number of cards of every other seat."""
    told = [
        f"seat {seat}: {count}{_own(view, seat)}"
        for seat, count in enumerate(view["hands"])
        if seat != view["seat"]
    ]
    return _text(20, 428, "The others hold " + ", ".join(told), 13) if told else ""


def _table_row(view: Any) -> str:
    """Every seat's hand, face down."""
    parts = []
    for seat, count in enumerate(view["hands"]):
        x = 20 + 108 * seat
        backs = "".join(_card(x + 4 * at, 310, None) for at in range(count)) or _gap(x, 310)
        mark = _frame(x - 5, 304, 98) if view["over"] is None and seat == view["mover"] else ""
        parts.append(backs + mark + _text(x, 298, f"Seat {seat}: {count}"))
    told = {None: _to_move(view), "won": "All cards are laid: won"}
    ending = told.get(view["over"], f"The game is over: {view['over']}")
    return "".join(parts) + _text(20, 428, ending, 14)


def _own(view: Any, seat: int) -> str:
    return ", to move" if view["ask"] != "over" and seat == view["mover"] else ""


def _to_move(view: Any) -> str:
    if view["ask"] == "hint":
        return f"Hints before the turn of seat {view['mover']}"
    return f"Seat {view['mover']} is to move"


def _card(
    x: int, y: int, number: int | None, rising: bool | None = None, *, large: bool = False
) -> str:
    """One card of 60 by 90, face up, or face down for None; a covered card is not large."""
    if number is None:
        return (
            f'<g transform="translate({x} {y})">'
            f'<rect width="60" height="90" rx="6" fill="{_BACK}" stroke="#fff"/>'
            '<path d="M12 12h36v66h-36z" fill="none" stroke="#fff" stroke-opacity=".5"/></g>'
        )
    middle = f'<text x="30" y="60" font-size="28" text-anchor="middle">{number}</text>'
    middle = middle if large else ""
    colour = _LINE if rising is None else _RISING if rising else _FALLING
    return (
        f'<g transform="translate({x} {y})" fill="{colour}">'
        f'<rect width="60" height="90" rx="6" fill="#fff" stroke="{_LINE}"/>'
        f'<text x="3" y="18" font-size="13" font-weight="600">{number}</text>{middle}</g>'
    )


def _frame(x: int, y: int, width: int = 70) -> str:
    """The frame around the last card laid, or around the mover."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="102" rx="9" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
    )


def _gap(x: int, y: int) -> str:
    """The place of an empty deck or hand."""
    return (
        f'<rect x="{x}" y="{y}" width="60" height="90" rx="6" fill="none" stroke="{_LINE}" '
        'stroke-dasharray="4 4"/>'
    )


def _text(x: int, y: int, words: str, size: int = 14) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="currentColor">{escape(words)}</text>'


def _title(view: Any) -> str:
    tops = ", ".join(str(cards[-1]) for cards in view["piles"])
    laid = sum(map(len, view["piles"])) - len(view["piles"])
    hand = (
        f" You hold {', '.join(map(str, sorted(view['hand']))) or 'no cards'}."
        if "hand" in view
        else ""
    )
    now = "The game is over." if view["ask"] == "over" else f"{_to_move(view)}."
    return f"The Game. The piles show {tops}; {laid} of 98 cards are laid.{hand} {now}"
