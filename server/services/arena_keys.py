"""The keys of arenas on other hosts: operators make them, drain the hosts, and remove them.

The arenas that have a key are served by remote_arenas.py.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from matchbox.answers.arenas import ArenaKey as KeyLine
from matchbox.answers.arenas import ArenaKeys, FreshArenaKey, KeyState
from matchbox.errors import BadName, Conflict, Forbidden, NotFound, quoted
from server.db.models import ArenaKey, ArenaPart
from server.services import audit, job_kinds, walls
from server.services.accounts import require_operator, require_operator_to_see
from server.services.passwords import digest_of
from server.services.remote_names import key_of, of_key
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.db.models import User

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,23}")


def make(session: Session, actor: User, name: str, *, now: int) -> FreshArenaKey:
    """Makes a key; returns it with its secret, which is not stored.

    Raises Forbidden, BadName, or Conflict if a key has or had the name.
    """
    require_operator(actor)
    if not _NAME.fullmatch(name):
        raise BadName(
            f"{quoted(name)} cannot be a key's name: give 2 to 24 lowercase letters, digits and "
            "hyphens, such as the host's name"
        ).of("name")
    if session.scalar(select(ArenaKey.id).where(ArenaKey.name == name)) is not None:
        raise Conflict(
            f"there is or was a key {name}, and results may name its arenas; choose another name"
        ).of("name")
    secret = f"mba_{secrets.token_urlsafe(32)}"
    row = ArenaKey(name=name, digest=digest_of(secret), created_at=now, draining=False)
    session.add(row)
    session.flush()
    audit.note(session, actor, "arena-key.make", subject_of(name), now=now)
    return FreshArenaKey(**_line(session, row, now).model_dump(), key=secret)


def drain(session: Session, actor: User, name: str, *, now: int) -> None:
    """Gives the key's arenas no new jobs; they finish those that they have.

    Raises Forbidden, NotFound, or Conflict if they get none already.
    """
    require_operator(actor)
    row = _working(session, name)
    if row.draining:
        raise Conflict(f"the arenas of key {name} get no new jobs already")
    row.draining = True
    audit.note(session, actor, "arena-key.drain", subject_of(name), now=now)


def undrain(session: Session, actor: User, name: str, *, now: int) -> None:
    """Gives the arenas of a draining key jobs again. An arena that was stopped stays stopped.

    Raises Forbidden, NotFound, or Conflict if the key is not draining.
    """
    require_operator(actor)
    row = _working(session, name)
    if not row.draining:
        raise Conflict(f"the arenas of key {name} get jobs already")
    row.draining = False
    audit.note(session, actor, "arena-key.undrain", subject_of(name), now=now)


def remove(session: Session, actor: User, name: str, *, now: int) -> None:
    """Revokes the key for ever; the jobs of its arenas are given to others.

    Raises Forbidden or NotFound.
    """
    require_operator(actor)
    row = _working(session, name)
    row.revoked_at = now
    walls.forget(session, lambda arena: key_of(arena) == name)
    job_kinds.take_from_key(session, name)
    session.execute(delete(ArenaPart).where(of_key(ArenaPart.arena, name)))
    audit.note(session, actor, "arena-key.remove", subject_of(name), now=now)


def key_of_secret(session: Session, secret: str) -> ArenaKey:
    """Returns the key with this secret. Raises Forbidden if it is unknown or was removed."""
    row = session.scalar(select(ArenaKey).where(ArenaKey.digest == digest_of(secret)))
    if row is None:
        raise Forbidden("this is not an arena's key; an operator makes one on the page Arenas")
    return _checked(row)


def key_named(session: Session, name: str) -> ArenaKey:
    """Returns the key with that name. Raises Forbidden if it was removed."""
    return _checked(session.scalars(select(ArenaKey).where(ArenaKey.name == name)).one())


def states(session: Session) -> dict[str, KeyState]:
    """Returns the state of every key, by name."""
    return {row.name: _state(row) for row in _rows(session)}


def keys_for(session: Session, viewer: User | None, *, now: int) -> ArenaKeys:
    """Returns all keys, those that were removed last, for an operator. Raises Forbidden."""
    require_operator_to_see(viewer)
    rows = sorted(_rows(session), key=lambda row: (row.revoked_at is not None, row.name))
    return ArenaKeys(items=[_line(session, row, now) for row in rows], next=None)


def line(session: Session, name: str, *, now: int) -> KeyLine:
    """Returns the key with that name as it is shown to operators. Raises NotFound."""
    return _line(session, _named(session, name), now)


def subject_of(name: str) -> str:
    """Returns the subject that names the key in the audit log."""
    return f"arena-key:{name}"


def _checked(row: ArenaKey) -> ArenaKey:
    if row.revoked_at is not None:
        raise Forbidden(f"the key {row.name} was removed: stop this arena, or join with a new key")
    return row


def _rows(session: Session) -> Sequence[ArenaKey]:
    return session.scalars(select(ArenaKey).order_by(ArenaKey.name)).all()


def _named(session: Session, name: str) -> ArenaKey:
    row = session.scalar(select(ArenaKey).where(ArenaKey.name == name))
    if row is None:
        raise NotFound(f"there is no arena key {name}; see the page Arenas")
    return row


def _working(session: Session, name: str) -> ArenaKey:
    row = _named(session, name)
    if row.revoked_at is not None:
        raise NotFound(f"the arena key {name} was removed already")
    return row


def _state(row: ArenaKey) -> KeyState:
    if row.revoked_at is not None:
        return "removed"
    return "draining" if row.draining else "works"


def _line(session: Session, row: ArenaKey, now: int) -> KeyLine:
    own = {name: one for name, one in walls.reports(session).items() if key_of(name) == row.name}
    seen = max((one.at for one in own.values()), default=None)
    return KeyLine(
        name=row.name,
        state=_state(row),
        created_at=iso(row.created_at),
        seen_at=iso(seen),
        arenas=len(own.keys() & set(walls.reporting_arenas(session, now=now))),
        jobs=job_kinds.count_held(session, row.name),
    )
