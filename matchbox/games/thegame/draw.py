"""The Game as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from html import escape
from typing import Any, Final

EVENTS: Final = ("ten back", "do not allow")
"""Lines of `describe` that a spectator would jump to."""
ENDINGS: Final = {
    "won": "every card is laid",
    "blocked": "the player to move could not lay a card",
    "invalid": "a play that the rules do not allow",
}
"""The outcome's `why` in words."""
_WIDTH: Final = 440
_TOP: Final = 36
_ROWS: Final = 160
"""Where the seats' rows begin."""
_PILE: Final = 107
"""The distance between piles."""
_ROW: Final = 74
"""The height of a seat's row."""
_RISING: Final = "#0b6e99"
_FALLING: Final = "#9a3a7d"
_LINE: Final = "#57606a"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"
_UNDER: Final = 26
"""The part of a card that shows beside the card on it."""
_HINTS: Final = {"please leave it": "leave it", "I can go close": "close"}
_BELOW: Final = 2
"""How many cards of a pile show below its top."""


def draw(view: Any) -> str:
    """The table as a whole SVG element: for a seat's view, a spectator's, or an open view."""
    seats = len(view["hands"])
    piles = "".join(_pile(place, view) for place in range(len(view["piles"])))
    hands = "".join(_seat(view, seat, _ROWS + _ROW * seat) for seat in range(seats))
    caption = _text(14, _ROWS - 14, f"{_state(view)} Deck: {view['deck']}.")
    title = escape(_title(view))
    return (
        f'<svg class="board thegame" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_ROWS + _ROW * seats + 4}" font-family="system-ui, sans-serif">'
        f"<title>{title}</title>{piles}{caption}{hands}</svg>"
    )


def _pile(place: int, view: Any) -> str:
    """The newest cards of a pile, the top in front, and the pile's direction."""
    cards, x = view["piles"][place], 14 + _PILE * place
    shown = cards[-_BELOW - 1 :]
    rising = place < 2
    under = [_card(x + _UNDER * at, _TOP, card, rising) for at, card in enumerate(shown[:-1])]
    top = x + _UNDER * len(under)
    faces = [*under, _card(top, _TOP, shown[-1], rising, large=True)]
    last = view["last"]
    mark = _frame(top - 4, _TOP - 5, 60, 88) if last and last["pile"] == place else ""
    way = "\N{UPWARDS ARROW} rises" if rising else "\N{DOWNWARDS ARROW} falls"
    pile = f'<g data-pick="pile {place}">{"".join(faces)}</g>'
    return f"{pile}{mark}{_text(x, 22, f'{place} {way}')}"


def _hints(view: Any, seat: int) -> str:
    """The seat's hints, such as "0 leave it, 3 close"; empty if it has given none."""
    words = enumerate(view["hints"][seat] or ())
    return ", ".join(f"{pile} {_HINTS.get(word, word)}" for pile, word in words if word != "none")


def _seat(view: Any, seat: int, y: int) -> str:
    """One row: the player, and the hand, face up if the view knows it."""
    size = view["hands"][seat]
    known = sorted(_known(view, seat))
    cards = "".join(_small(14 + 52 * at, y + 24, card) for at, card in enumerate(known))
    if not known:
        cards = "".join(_small(14 + 20 * at, y + 24, None) for at in range(size))
    moving = view["ask"] != "over" and seat == view["mover"]
    name = f"You, seat {seat}" if seat == view.get("seat") else f"Seat {seat}"
    caption = _hints(view, seat) or f"{size} card{'' if size == 1 else 's'}"
    label = f"{name}: {caption}{', to move' if moving else ''}"
    mark = _frame(4, y, _WIDTH - 8, _ROW - 4) if moving else ""
    return _text(14, y + 17, label) + cards + mark


def _known(view: Any, seat: int) -> list[int]:
    """The seat's hand, as far as this view shows it."""
    if "seats" in view:
        return list(view["seats"][seat]["hand"])
    return list(view["hand"]) if seat == view.get("seat") else []


def _state(view: Any) -> str:
    if view["ask"] == "over":
        over = view.get("over")
        texts = {"won": "All cards are laid: won.", None: "The game is over."}
        return texts.get(over, f"The game is over: {over}.")
    return f"{_to_move(view)}."


def _to_move(view: Any) -> str:
    if view["ask"] == "hint":
        return f"Hints before the turn of seat {view['mover']}"
    return f"Seat {view['mover']} is to move"


def _card(x: int, y: int, number: int, rising: bool, *, large: bool = False) -> str:
    """One card of 52 by 78; a covered card shows its number in the strip that is free."""
    place, line, size = (26, 49, 30) if large else (13, 22, 14)
    # In some fonts three digits are too wide.
    fitted = f'textLength="{2 * place - 6}" lengthAdjust="spacingAndGlyphs" ' * (number > 99)
    return (
        f'<g transform="translate({x} {y})" fill="{_RISING if rising else _FALLING}">'
        f'<rect width="52" height="78" rx="6" fill="#fff" stroke="{_LINE}"/>'
        f'<text x="{place}" y="{line}" font-size="{size}" {fitted}text-anchor="middle" '
        f'font-weight="{600 if large else 400}">{number}</text></g>'
    )


def _small(x: int, y: int, number: int | None) -> str:
    """One card of a hand, 48 by 42, face up, or face down for None."""
    if number is None:
        return (
            f'<g transform="translate({x} {y})">'
            f'<rect width="48" height="42" rx="5" fill="{_BACK}" stroke="#fff"/>'
            '<path d="M9 9h30v24h-30z" fill="none" stroke="#fff" stroke-opacity=".5"/></g>'
        )
    return (
        f'<g data-pick="card {number}" transform="translate({x} {y})" fill="{_LINE}">'
        f'<rect width="48" height="42" rx="5" fill="#fff" stroke="{_LINE}"/>'
        f'<text x="24" y="28" font-size="20" font-weight="600" text-anchor="middle">{number}</text>'
        "</g>"
    )


def _frame(x: int, y: int, width: int, height: int) -> str:
    """The frame around the last card laid, or around the mover."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="9" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
    )


def _text(x: int, y: int, words: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="15" fill="currentColor">{escape(words)}</text>'


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
