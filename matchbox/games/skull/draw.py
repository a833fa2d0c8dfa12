"""Skull as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from html import escape
from typing import Any, Final

_WIDTH: Final = 780
_ROW: Final = 128
_TOP: Final = 44
_CARD: Final = 60
_HAND: Final = 400
"""The left edge of the cards in hand; the cards on the table are left of it."""
_FACES: Final = {
    "skull": ("\N{SKULL AND CROSSBONES}", "#1f2328"),
    "rose": ("\N{BLACK FLORETTE}", "#b42318"),
}
_LINE: Final = "#57606a"
_BACK: Final = "#2f4858"
_MARK: Final = "#d97706"
_ASKED: Final = {
    "move": "It is your turn.",
    "lose": "Choose the card that you lose.",
    "start": "Choose who starts.",
    "wait": "Another player is to move.",
    "over": "The game is over.",
}


def draw(view: Any) -> str:
    """The table as a whole SVG element, for a seat's view or a spectator's."""
    seats = range(len(view["cards"]))
    height = _TOP + _ROW * len(seats) + 8
    title = _title(view)
    parts = [_text(20, 26, _headline(view), 15), *(_seat(view, seat) for seat in seats)]
    return (
        f'<svg class="board skull" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _seat(view: Any, seat: int) -> str:
    """One row: the player, the cards on the table, the cards in hand."""
    y = _TOP + _ROW * seat
    if not view["cards"][seat]:
        return f'<g opacity=".55">{_text(20, y + 20, f"{_name(view, seat)}: out")}</g>'
    mine = seat == view.get("me")
    pile = view["pile"] if mine else [None] * view["piles"][seat]
    shown = _turned(view)
    turned: list[str | None] = [kind for owner, kind in shown if owner == seat]
    held = view["cards"][seat] - view["piles"][seat] - len(turned)
    hidden: list[str | None] = [None] * held
    hand = _kinds(view["hand"]) if mine else hidden
    parts = [
        _text(20, y + 16, _label(view, seat)),
        f'<g data-pick="pile {seat}">{_cards(20, y + 26, pile, face_down=True)}</g>',
        _cards(20 + 66 * len(pile), y + 26, turned),
        _cards(_HAND, y + 26, hand, hand=mine),
        _text(_HAND, y + 16, f"in hand: {held}"),
    ]
    if view["ask"] != "over" and seat == view["mover"]:
        parts.append(_frame(8, y, _WIDTH - 16, _ROW - 6))
        parts.append(_text(_WIDTH - 20, y + 16, "to move", anchor="end"))
    if shown and seat == shown[-1][0]:
        parts.append(_frame(20 + 66 * (len(pile) + len(turned) - 1) - 4, y + 22, 68, 98))
    return "".join(parts)


def _cards(
    x: int, y: int, kinds: list[str | None], face_down: bool = False, hand: bool = False
) -> str:
    """A row of cards; the viewer's own face-down cards show their kind in a corner. The cards of
    the hand can be clicked."""
    return "".join(
        _card(x + 66 * place, y, kind, face_down, f' data-pick="hand {kind}"' * hand)
        for place, kind in enumerate(kinds)
    )


def _card(x: int, y: int, kind: str | None, face_down: bool, pick: str) -> str:
    at = f'<g{pick} transform="translate({x} {y})">'
    if kind is not None and not face_down:
        icon, colour = _FACES[kind]
        return (
            f'{at}<rect width="{_CARD}" height="90" rx="6" fill="#fff" stroke="{_LINE}"/>'
            f'<text x="30" y="48" font-size="32" text-anchor="middle" fill="{colour}">{icon}</text>'
            f'<text x="30" y="78" font-size="13" font-weight="600" text-anchor="middle" '
            f'fill="{colour}">{kind}</text></g>'
        )
    known = (
        f'<text x="30" y="80" font-size="12" text-anchor="middle" fill="#fff">{kind}</text>'
        if kind
        else ""
    )
    return (
        f'{at}<rect width="{_CARD}" height="90" rx="6" fill="{_BACK}" stroke="#fff"/>'
        '<circle cx="30" cy="40" r="17" fill="none" stroke="#fff" stroke-opacity=".5"/>'
        f'<path d="M18 28l24 24M42 28l-24 24" stroke="#fff" stroke-opacity=".5"/>{known}</g>'
    )


def _frame(x: int, y: int, width: int, height: int) -> str:
    """The frame around the mover, or around the card turned over last."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="9" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
    )


def _text(x: int, y: int, text: str, size: int = 14, anchor: str = "start") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="currentColor">{escape(text)}</text>'
    )


def _label(view: Any, seat: int) -> str:
    points = view["points"][seat]
    bid = view["bids"][seat]
    said = "" if not bid else ", passed" if bid < 0 else f", bids {bid}"
    return (
        f"{_name(view, seat)}: {points} point{'' if points == 1 else 's'}, "
        f"{view['piles'][seat]} face down{said}"
    )


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
        return f"Round {number}: placing, {sum(view['piles'])} cards on the table"
    seat = view["bids"].index(bid)
    if view["phase"] == "betting":
        return f"Round {number}: seat {seat} bids {bid} of {sum(view['piles'])}"
    roses = sum(kind == "rose" for _, kind in _turned(view))
    return f"Round {number}: seat {seat} has turned over {roses} of {bid} roses"


def _title(view: Any) -> str:
    seats = "; ".join(
        f"seat {seat}: {points} points, {cards} cards"
        for seat, (points, cards) in enumerate(zip(view["points"], view["cards"], strict=True))
    )
    if "me" in view:
        hand = ", ".join(map(str, _kinds(view["hand"]))) or "no cards"
        return f"Skull. {_headline(view)}. You hold {hand}. {seats}. {_ASKED[view['ask']]}"
    state = (
        f"Won by seat {' and seat '.join(map(str, view['winners']))}."
        if view["ask"] == "over"
        else f"Seat {view['mover']} is to move."
    )
    return f"Skull. {_headline(view)}. {seats}. {state}"
