"""Stores the stopped arenas, with the reasons. Stops none: see arenas.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from sqlalchemy import select

from server.db.models import ArenaKey, Setting
from server.services import walls
from server.services.remote_names import key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

NAME: Final = "stopped arenas"
"""The name under which they are stored."""
_KEPT: Final = select(Setting.value).where(Setting.name == NAME)


class Stop(msgspec.Struct, frozen=True):
    """The reason why an arena was stopped, and the time, UTC in ms."""

    why: str
    at: int
    match: str = ""
    """The match whose record was false; empty if an operator stopped the arena."""


def subject_of(name: str) -> str:
    """Returns the subject that names the arena in the audit log."""
    return f"arena:{name}"[:64]


def stopped(session: Session) -> dict[str, Stop]:
    """Returns the stopped arenas by name."""
    return msgspec.convert(session.scalar(_KEPT) or {}, dict[str, Stop])


def stop_of(session: Session, name: str) -> Stop | None:
    """Returns the reason why the arena gets no jobs and its results do not count; see find_stop."""
    return find_stop(stopped(session), name)


def find_stop(present: Mapping[str, Stop], name: str) -> Stop | None:
    """Returns the reason why this arena is stopped, from the stopped arenas; None if it is not
    stopped.

    A false record stops all arenas with the key of the one that has sent it.
    """
    key = key_of(name)
    if name in present or not key:
        return present.get(name)
    for other in stopped_for_all(present, key):
        one = present[other]
        return Stop(
            f"arena {other}, which has the same key, was stopped: {one.why}", one.at, one.match
        )
    return None


def stopped_for_all(present: Mapping[str, Stop], key: str) -> list[str]:
    """Returns the arenas whose false record stops all arenas with this key."""
    return [name for name, one in present.items() if key and key_of(name) == key and one.match]


def store(session: Session, present: Mapping[str, Stop], *, now: int) -> None:
    """Stores the stopped arenas in place of those before."""
    session.merge(Setting(name=NAME, value=msgspec.to_builtins(dict(present)), changed_at=now))


def getting_jobs(session: Session, *, express: bool = False, now: int) -> set[str]:
    """Returns the names of the arenas that report, play matches, and get jobs: none of them is
    stopped, and none has a key that is draining. With `express`, the express arenas, too."""
    present = stopped(session)
    draining = set(session.scalars(select(ArenaKey.name).where(ArenaKey.draining.is_(True))))
    return {
        name
        for name in walls.reporting_arenas(session, express=express, now=now)
        if not find_stop(present, name) and key_of(name) not in draining
    }
