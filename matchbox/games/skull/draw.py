"""Skull as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from html import escape
from typing import Any, Final

EVENTS: Final = ("bids", "is a skull", "has met its challenge", "is out")
"""Lines of `describe` that a spectator would jump to."""
_WIDTH: Final = 440
_ROW: Final = 106
_TOP: Final = 40
_STEP: Final = 54
_HAND: Final = 222
"""The left edge of the cards in hand; the cards on the table are left of it."""
_FACES: Final = {
    "skull": ("\N{SKULL AND CROSSBONES}", "#1f2328"),
    "rose": ("\N{BLACK FLORETTE}", "#b42318"),
}
_LINE: Final = "#57606a"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"
_QUESTIONS: Final = {
    "move": "It is your turn.",
    "lose": "Choose the card that you lose.",
    "start": "Choose who starts.",
    "wait": "Another player is to move.",
    "over": "The game is over.",
}


def draw(view: Any) -> str:
    """The table as a whole SVG element: for a seat's view, a spectator's, or an open view."""
    seats = range(len(view["cards"]))
    height = _TOP + _ROW * len(seats)
    title = _title(view)
    parts = [_text(14, 24, _headline(view)), *(_seat(view, seat) for seat in seats)]
    return (
        f'<svg class="board skull" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _seat(view: Any, seat: int) -> str:
    """One row: the player, the cards on the table, the cards in hand."""
    y = _TOP + _ROW * seat
    if not view["cards"][seat]:
        return _text(14, y + 18, f"{_name(view, seat)}: out")
    own = view if seat == view.get("me") else _own(view, seat)
    pile = own["pile"] if own else [None] * view["piles"][seat]
    shown = _turned(view)
    turned: list[str | None] = [kind for owner, kind in shown if owner == seat]
    held = view["cards"][seat] - view["piles"][seat] - len(turned)
    hidden: list[str | None] = [None] * held
    hand = _kinds(own["hand"]) if own else hidden
    parts = [
        _text(14, y + 18, _label(view, seat)),
        f'<g data-pick="pile {seat}">{_cards(14, y + 28, pile, face_down=True)}</g>',
        _cards(14 + _STEP * len(pile), y + 28, turned),
        _cards(_HAND, y + 28, hand, hand=seat == view.get("me")),
    ]
    if view["ask"] != "over" and seat == view["mover"]:
        parts.append(_frame(4, y, _WIDTH - 8, _ROW - 4))
    if seat in view.get("winners", ()):
        parts.append(_frame(4, y, _WIDTH - 8, _ROW - 4))
        parts.append(_text(_WIDTH - 14, y + 18, "wins", "end"))
    if shown and seat == shown[-1][0]:
        parts.append(_frame(14 + _STEP * (len(pile) + len(turned) - 1) - 3, y + 25, 56, 74))
    return "".join(parts)


def _own(view: Any, seat: int) -> Any:
    """The seat's own view if all hands are open, else None."""
    return view["seats"][seat] if "seats" in view else None


def _cards(
    x: int, y: int, kinds: list[str | None], face_down: bool = False, hand: bool = False
) -> str:
    """A row of cards; face-down cards that the viewer knows show their kind. The cards of the
    viewer's hand can be clicked."""
    return "".join(
        _card(x + _STEP * place, y, kind, face_down, f' data-pick="hand {kind}"' * hand)
        for place, kind in enumerate(kinds)
    )


def _card(x: int, y: int, kind: str | None, face_down: bool, pick: str) -> str:
    """One card of 50 by 68."""
    at = f'<g{pick} transform="translate({x} {y})" text-anchor="middle">'
    if kind is not None and not face_down:
        icon, colour = _FACES[kind]
        return (
            f'{at}<rect width="50" height="68" rx="6" fill="#fff" stroke="{_LINE}"/>'
            f'<text x="25" y="36" font-size="28" fill="{colour}">{icon}</text>'
            f'<text x="25" y="58" font-size="15" font-weight="600" fill="{colour}">{kind}</text>'
            "</g>"
        )
    known = f'<text x="25" y="58" font-size="15" fill="#fff">{kind}</text>' if kind else ""
    return (
        f'{at}<rect width="50" height="68" rx="6" fill="{_BACK}" stroke="#fff"/>'
        '<circle cx="25" cy="25" r="14" fill="none" stroke="#fff" stroke-opacity=".5"/>'
        f'<path d="M15 15l20 20M35 15l-20 20" stroke="#fff" stroke-opacity=".5"/>{known}</g>'
    )


def _frame(x: int, y: int, width: int, height: int) -> str:
    """The frame around the mover or a winner, or around the card turned over last."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="9" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
    )


def _text(x: int, y: int, text: str, anchor: str = "start") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="15" text-anchor="{anchor}" '
        f'fill="currentColor">{escape(text)}</text>'
    )


def _label(view: Any, seat: int) -> str:
    points = view["points"][seat]
    bid = view["bids"][seat]
    said = "" if not bid else ", passed" if bid < 0 else f", bids {bid}"
    mover = view["ask"] != "over" and seat == view["mover"]
    state_text = f"{points} point{'' if points == 1 else 's'}{said}{', to move' if mover else ''}"
    return f"{_name(view, seat)}: {state_text}"


def _name(view: Any, seat: int) -> str:
    return f"You (seat {seat})" if seat == view.get("me") else f"Seat {seat}"


def _kinds(hand: dict[str, int]) -> list[str | None]:
    return [kind for kind, number in hand.items() for _ in range(number)]


def _turned(view: Any) -> list[tuple[int, str]]:
    """The cards turned over in this round, as (seat, kind)."""
    events = [event.split() for event in view["log"].split(", ") if event]
    return [(int(event[0]), event[1]) for event in events if event[1] in _FACES]


def _headline(view: Any) -> str:
    number = view["rounds"].count("\n") + (view["ask"] != "over")
    bid = max(view["bids"])
    if bid <= 0:
        laid = sum(view["piles"])
        return f"Round {number}: placing, {laid} card{'' if laid == 1 else 's'} on the table"
    seat = view["bids"].index(bid)
    if view["phase"] == "betting":
        return f"Round {number}: seat {seat} bids {bid} of {sum(view['piles'])}"
    roses = sum(kind == "rose" for _, kind in _turned(view))
    return f"Round {number}: seat {seat} has {roses} of {bid} roses"


def _title(view: Any) -> str:
    seats = "; ".join(
        f"seat {seat}: {points} points, {cards} cards"
        for seat, (points, cards) in enumerate(zip(view["points"], view["cards"], strict=True))
    )
    if "me" in view:
        hand = ", ".join(map(str, _kinds(view["hand"]))) or "no cards"
        return f"Skull. {_headline(view)}. You hold {hand}. {seats}. {_QUESTIONS[view['ask']]}"
    state = (
        f"Won by seat {' and seat '.join(map(str, view['winners']))}."
        if view["ask"] == "over"
        else f"Seat {view['mover']} is to move."
    )
    return f"Skull. {_headline(view)}. {seats}. {state}"
