"""Bomb as a picture: a view becomes an SVG. Knows how cards look; knows no rules."""

from __future__ import annotations

from html import escape
from typing import Any, Final

EVENTS: Final = ("it is the bomb",)
"""Lines of `describe` that a spectator would jump to."""
ENDINGS: Final = {"explosion": "the bomb blew up"}
"""The outcome's `why` in words."""
_WIDTH: Final = 440
_HEIGHT: Final = 438
_TOP: Final = 34
_MIDDLE: Final = 176
_BOTTOM: Final = 338
_KIND: Final = 68
"""The distance between the kinds of a hand."""
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
_INK: Final = "#1f2933"
_DRAWN: Final = ("draw", "bottom", "place")
_PLAYED: Final = ("skip", "see", "shuffle", "bottom")
_BURST: Final = (
    "M46 -16L58 20L92 2L80 36L116 45L80 56L92 90L58 72L46 108L34 72L0 90L12 56L-24 45L12 36L0 2"
    "L34 20Z"
)


def draw(view: Any) -> str:
    """The table as a whole SVG element: for a seat's view, a spectator's, or an open view."""
    if "hands" in view:
        names = ("Seat 0", "Seat 1")
        opened = [seat["hand"] for seat in view.get("seats", [])]
        hands = opened or [{"": number} for number in view["hands"]]
        mover = None if view["ask"] == "over" else view["mover"]
        title = _table_title(view)
    else:
        names = ("The other player", "You")
        hands = [{"": view["other"]}, view["hand"]]
        mover = {"turn": 1, "defuse": 1, "wait": 0}.get(view["ask"])
        title = _seat_title(view)
    looked = [one["seen"] for one in [view, *view.get("seats", [])] if "seen" in one]
    rows = [
        _row(y, name, hand, seat == mover)
        for seat, (y, name, hand) in enumerate(zip((_TOP, _BOTTOM), names, hands, strict=True))
    ]
    parts = [*rows, _pile(view), _discard(view), _seen(looked[0] if looked else []), _end(view)]
    return (
        f'<svg class="board bomb" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _row(y: int, name: str, hand: dict[str, int], moving: bool) -> str:
    """A player's cards: each kind once, with its number; hidden cards as a fan of backs."""
    kinds = [(kind, number) for kind, number in hand.items() if number]
    parts = [_text(14, y - 12, f"{name}: {_cards(sum(hand.values()))}")]
    if "" in hand:
        apart = min(24, 340 // max(1, hand[""] - 1))
        parts += [_card(14 + apart * place, y, None) for place in range(hand[""])]
    else:
        for place, (kind, number) in enumerate(kinds):
            x = 14 + _KIND * place
            parts.append(_card(x, y, kind, f' data-pick="hand {kind}"'))
            if number > 1:
                parts.append(_text(x + 55, y + 22, f"\N{MULTIPLICATION SIGN}{number}", "end", _INK))
    if moving:
        parts.append(_frame(5, y - 30, _WIDTH - 10, 126))
        parts.append(_text(_WIDTH - 14, y - 12, "to move", "end"))
    return "".join(parts)


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
        f'<text x="17" y="44" font-size="26">{_ICONS[kind]}</text>'
        f'<text x="30" y="78" font-size="14">{kind}</text></g>'
    )


def _pile(view: Any) -> str:
    size = view["pile"]
    cards = "".join(_card(14 + 2 * n, _MIDDLE - n, None) for n in range(min(size, 5)))
    mark = _frame(8, _MIDDLE - 10, 80, 106) if view.get("last") in _DRAWN else ""
    cards = f'<g data-pick="pile">{cards}</g>' if cards else _gap(14)
    return cards + mark + _text(14, _MIDDLE + 112, f"Pile: {size}")


def _discard(view: Any) -> str:
    """Draws the newest cards, as many as fit; the last one is marked if it was just played."""
    shown = view["discard"][-3:]
    cards = [_card(104 + 34 * place, _MIDDLE, kind) for place, kind in enumerate(shown)]
    last = 104 + 34 * (len(shown) - 1)
    played = shown and view.get("last") in _PLAYED
    mark = _frame(last - 5, _MIDDLE - 6, 70, 102) if played else ""
    label = _text(104, _MIDDLE + 112, f"Discard pile: {len(view['discard'])}")
    return "".join(cards or [_gap(104)]) + mark + label


def _seen(kinds: list[str]) -> str:
    """The cards that a player has just seen, the top one first."""
    if not kinds:
        return ""
    cards = "".join(_card(246 + 64 * n, _MIDDLE, kind) for n, kind in enumerate(kinds))
    return cards + _text(246, _MIDDLE + 112, "Seen, top first")


def _end(view: Any) -> str:
    """The exploded bomb, and the player that it has hit."""
    if view["ask"] != "over":
        return ""
    loser = view.get("loser")
    labels = (
        _text(290, _MIDDLE + 112, "Boom!")
        if loser is None
        else _text(_WIDTH - 14, (_TOP, _BOTTOM)[loser] - 12, "blows up", "end")
        + _text(_WIDTH - 14, (_BOTTOM, _TOP)[loser] - 12, "wins", "end")
    )
    return (
        f'<g transform="translate(310 {_MIDDLE})"><path d="{_BURST}" fill="{_MARK}"/>'
        f'<circle cx="46" cy="50" r="24" fill="{_COLOURS["bomb"]}"/>'
        '<path d="M60 30q10 -16 22 -8" fill="none" stroke="#1f2933" stroke-width="4"/></g>' + labels
    )


def _frame(x: int, y: int, width: int, height: int) -> str:
    """The frame around the mover, or around the last move's place."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="9" fill="none" '
        f'stroke="{_MARK}" stroke-width="3"/>'
    )


def _gap(x: int) -> str:
    """The outline that marks an empty pile."""
    return (
        f'<rect x="{x}" y="{_MIDDLE}" width="60" height="90" rx="6" fill="none" stroke="{_LINE}" '
        'stroke-dasharray="4 4"/>'
    )


def _text(x: int, y: int, words: str, anchor: str = "start", fill: str = "currentColor") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="15" text-anchor="{anchor}" fill="{fill}">'
        f"{escape(words)}</text>"
    )


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def _table_title(view: Any) -> str:
    hands = view["hands"]
    held = [_cards(number) for number in hands]
    if "seats" in view:
        held = [_held(seat["hand"]) for seat in view["seats"]]
    state = (
        f"Seat {view['loser']} has lost."
        if view["ask"] == "over"
        else f"Seat {view['mover']} is to move."
    )
    return (
        f"Bomb. Seat 0 holds {held[0]}, seat 1 holds {held[1]}. "
        f"The draw pile has {view['pile']}, the discard pile {len(view['discard'])}. {state}"
    )


def _held(hand: dict[str, int]) -> str:
    kinds = [kind for kind, number in hand.items() for _ in range(number)]
    return ", ".join(kinds) or "no cards"


def _seat_title(view: Any) -> str:
    questions = {
        "turn": "It is your turn.",
        "defuse": "Choose a place for the bomb.",
        "wait": "The other player is to move.",
        "over": "The game is over.",
    }
    return (
        f"Bomb. You hold {_held(view['hand'])}. The other player holds {_cards(view['other'])}. "
        f"The draw pile has {view['pile']}, the discard pile {len(view['discard'])}. "
        f"{questions[view['ask']]}"
    )
