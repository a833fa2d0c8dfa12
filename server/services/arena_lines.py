"""The arenas that have reported, and what each is doing. Changes nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from matchbox.answers.health import ArenaLine, ArenaState
from matchbox.errors import NotFound
from server.services import arena_keys, stopped_arenas, walls
from server.services.accounts import require_operator_to_see
from server.services.remote_names import key_of
from server.times import HOUR_MS, iso, parse_time_ms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from server.db.models import User

GONE_MS: Final = HOUR_MS
"""An arena that has been silent for this long, an hour, is gone. In ms."""


def arena_lines(session: Session, now: int) -> list[ArenaLine]:
    """Returns the arenas that have reported, with what each is doing.

    Of those that share a name, such as in containers, each is named with its host.
    """
    stopped = stopped_arenas.stopped(session)
    keys = arena_keys.states(session)
    kept = sorted(walls.reports(session).items())
    short = Counter(name.partition("@")[0] for name, _ in kept)
    faults = {name: len(walls.recent_faults(one.faults, now)) for name, one in kept}
    return [
        ArenaLine(
            name=own if short[own := name.partition("@")[0]] == 1 else name,
            full_name=name,
            key=key_of(name),
            key_state=keys.get(key_of(name)),
            stopped=stop.why if (stop := stopped_arenas.find_stop(stopped, name)) else "",
            host=one.host,
            release=one.release,
            state=_state_of(one, now),
            box=one.box,
            walled=one.walled,
            why=one.why,
            express=one.express,
            cores=one.cores,
            load=one.load,
            doing=one.doing,
            seen_at=iso(one.at),
            faults=faults[name],
            fault=one.fault if faults[name] else "",
        )
        for name, one in kept
    ]


def arena_for(session: Session, viewer: User | None, name: str, *, now: int) -> ArenaLine:
    """Returns the arena of that full name, for an operator. Raises Forbidden or NotFound."""
    require_operator_to_see(viewer)
    for one in arena_lines(session, now):
        if one.full_name == name:
            return one
    raise NotFound(f"no arena {name} has reported; see the page of the platform's health")


def may_start(arenas: Iterable[ArenaLine], now: int) -> bool:
    """Returns whether an arena that plays matches has just reported, and so may be restarting."""
    playing = (one for one in arenas if not one.express)
    return any(now - parse_time_ms(one.seen_at) <= walls.SILENT_MS for one in playing)


def _state_of(one: walls.ArenaWall, now: int) -> ArenaState:
    if one.left:
        return "left"
    age = now - one.at
    return "gone" if age > GONE_MS else "silent" if age > walls.SILENT_MS else "reports"
