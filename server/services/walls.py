"""The walls around bots, as the arenas report them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from matchbox.errors import BadMessage
from server.db.models import Setting
from server.services.events import storable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

NAME: Final = "walls"
ARENAS: Final = 256
"""Reports that are kept, the newest of each arena."""
STALE_MS: Final = 5 * 60_000
"""A report this much older than the newest is of an arena that is gone: each repeats its own."""


class WallReport(msgspec.Struct, frozen=True):
    """An arena's report on its own box, which it has tried from inside."""

    box: str
    walled: bool
    """True if strangers' programs may run in it."""
    why: str = ""
    """What is missing, if it is not walled."""
    arena: str = "arena"
    """Names the arena; a later report of the same name replaces this one."""


class ArenaWall(msgspec.Struct, frozen=True):
    """An arena's report as it is kept."""

    box: str
    walled: bool
    why: str
    at: int
    """When it came, in milliseconds."""


class Wall(msgspec.Struct, frozen=True):
    """What all arenas report together."""

    walled: bool
    why: str
    """What is missing, if it is not walled."""
    box: str | None
    """None before any arena has reported."""
    arenas: dict[str, ArenaWall]
    """Those that still report, by name."""


def report_wall(session: Session, report: Mapping[str, Any], *, now: int) -> None:
    """Keeps an arena's report. Raises BadMessage, naming the field that is wrong."""
    try:
        read = msgspec.convert(dict(report), WallReport)
    except msgspec.ValidationError as error:
        raise BadMessage(f"this is no report of a wall: {error}") from error
    row = session.get(Setting, NAME)
    kept = dict(row.value) if row is not None else {}
    kept[storable(read.arena, 200)] = {
        "box": storable(read.box, 32),
        "walled": read.walled,
        "why": storable(read.why, 500),
        "at": now,
    }
    newest = sorted(kept.items(), key=lambda item: item[1]["at"])[-ARENAS:]
    session.merge(Setting(name=NAME, value=dict(newest), changed_at=now))


def wall(session: Session) -> Wall:
    """Whether strangers' bots may be taken: every arena that still reports must have a wall."""
    row = session.get(Setting, NAME)
    kept = msgspec.convert(dict(row.value) if row is not None else {}, dict[str, ArenaWall])
    newest = max((report.at for report in kept.values()), default=0)
    arenas = {name: one for name, one in kept.items() if newest - one.at <= STALE_MS}
    if not arenas:
        return Wall(False, "no arena has reported its wall yet; try again in a moment", None, {})
    bare = [report for report in arenas.values() if not report.walled]
    shown = bare[0] if bare else next(iter(arenas.values()))
    return Wall(not bare, shown.why, shown.box, arenas)
