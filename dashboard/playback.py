"""The steps of a bout as a page plays them. Pure, but for the view that the request asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import request
from markupsafe import Markup

from dashboard import drawings, game_pages
from dashboard.wording import capital
from matchbox.answers.matches import EVERYBODY, Step


class DrawnStep(NamedTuple):
    """A step of a bout as a page shows it."""

    seat: int | None
    """The seat that moved; None at the start, at the end and for chance."""
    text: str
    """The line of the transcript, with names."""
    board: Markup | None
    """The drawing; None if the game has none."""
    event: bool
    """Whether it is a fault, the end, or a line that the game's drawing names in EVENTS."""
    fault: bool
    moves: int | None = None
    """How many moves lead to this position; None if nobody can go on from it, because the bout is
    over or a seat has forfeited."""


def drawn(
    game: str,
    steps: Sequence[Step],
    names: Sequence[str],
    tints: Sequence[str],
    *,
    viewer: int | None,
    ending: str | None = None,
) -> list[DrawnStep]:
    """Returns the steps as a page shows them.

    `names` and `tints` are the seats' players and their colours; `viewer` is the seat whose
    view of the board is drawn, None for a spectator. `ending` is the line of the last step, None if
    the bout is not over.
    """
    frames = []
    goes_on = moves_before(steps)
    for at, step in enumerate(steps):
        ends = step.seat is None and at == len(steps) - 1 > 0
        last = ending if ends else None
        svg = game_pages.drawing(game, step.view)
        event = last is not None or step.fault is not None or game_pages.is_event(game, step.text)
        frames.append(
            DrawnStep(
                seat=step.seat if step.seat is not None and step.seat >= 0 else None,
                text=_line(step, names) if last is None else last,
                board=Markup(drawings.named_drawing(svg, names, tints, viewer)) if svg else None,
                event=event,
                fault=step.fault is not None,
                moves=goes_on[at],
            )
        )
    return frames


def moves_before(steps: Sequence[Step]) -> list[int | None]:
    """Returns for each step how many moves lead to its position, as `DrawnStep.moves` has it."""
    made: list[int | None] = []
    moves = 0
    for step in steps:
        if step.fault is not None:
            break
        moves += step.seat is not None and step.seat >= 0
        made.append(moves)
    forfeited: list[None] = [None] * (len(steps) - len(made))
    over = None if forfeited else moves
    return [None if count == over else count for count in made] + forfeited


def packed(steps: Sequence[DrawnStep]) -> dict[str, Any]:
    """Returns drawn steps in few bytes, as match.js reads them."""
    parts, rows = drawings.pieces(step.board for step in steps)
    frames = [
        {
            "seat": step.seat,
            "text": step.text,
            "event": step.event,
            "board": row,
            "moves": step.moves,
        }
        for step, row in zip(steps, rows, strict=True)
    ]
    return {"pieces": parts, "steps": frames}


def requested_step(steps: Sequence[DrawnStep], usual: int = 0) -> tuple[int, int]:
    """Returns the number of the step that the address asks for, and that of the next event."""
    last = len(steps) - 1
    step = min(max(request.args.get("step", usual, int), 0), last)
    return step, next((at for at in range(step + 1, last) if steps[at].event), last)


def seat_of_view(seats: int) -> int | None:
    """Returns the seat of the requested view; None for the spectator's view, EVERYBODY for all
    hands."""
    view = request.args.get("seat", "all")
    if view == "table":
        return None
    return int(view) if view in map(str, range(seats)) else EVERYBODY


def word(seat: int | None) -> str:
    """Returns the address's word for a view."""
    return "table" if seat is None else "all" if seat == EVERYBODY else str(seat)


def eyes(seat: int | None) -> int | None:
    """Returns the seat that a drawing calls "You" in this view; None if it calls no seat so."""
    return seat if seat is not None and seat >= 0 else None


def _line(step: Step, names: Sequence[str]) -> str:
    """Returns a line of the transcript, capitalized if no name stands before it.

    The mover's name stands before a line, so the line itself does not begin with the name.
    """
    own = "" if step.seat is None else f"seat {step.seat} "
    text = drawings.named(step.text.removeprefix(own) or "the start", names)
    moved = step.seat is not None and step.seat >= 0
    return text if moved else capital(text)
