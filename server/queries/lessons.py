"""Lessons and memories as they are read: by arenas all of them, by people their own bots' alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from matchbox.errors import NotFound
from server.db.models import Memory, Result

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def memory(session: Session, digest: str) -> bytes:
    """The memory with that digest, for an arena. Raises NotFound."""
    row = session.get(Memory, digest)
    if row is None:
        raise NotFound(f"there is no memory {digest}")
    return row.data


def packed_record(session: Session, match: str) -> bytes:
    """The record of a match as it was packed, for an arena. Raises NotFound."""
    data = session.scalar(select(Result.record).where(Result.match_id == match))
    if data is None:
        raise NotFound(f"match {match} has no record")
    return data
