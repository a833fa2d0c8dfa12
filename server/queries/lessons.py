"""Lessons, memories and verifications.

Arenas may read every memory and record; people see only the lessons and memories of their own bots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.orm import joinedload

from matchbox.answers import lessons as answers
from matchbox.errors import Forbidden, NotFound
from server.db.models import (
    Bot,
    Lesson,
    LessonState,
    Memory,
    Result,
    Season,
    User,
    Verification,
    Version,
)
from server.db.session import in_parts
from server.queries.pagination import newest, numbers, page_size, split
from server.services.kept_records import require_record
from server.services.lessons import LESSON
from server.services.lookup import find_bot, find_season
from server.services.verifications import LESSON_LISTS, MATCH_LISTS
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

_QUERY_CHUNK: Final = 500
"""The number of memories whose sizes are read with one statement."""


def memory(session: Session, digest: str) -> bytes:
    """Returns the memory with that digest, for an arena. Raises NotFound."""
    row = session.get(Memory, digest)
    if row is None:
        raise NotFound(f"there is no memory {digest}")
    return row.data


def packed_record(session: Session, match: str) -> bytes:
    """Returns the packed record of a match, for an arena. Raises NotFound."""
    result = session.get(Result, match)
    if result is None:
        raise NotFound(f"match {match} has no record")
    require_record(result, match)
    return result.record


def own_memory(session: Session, viewer: User, digest: str) -> bytes:
    """Returns a memory that a bot of the viewer has or had; an operator may read any memory.

    Raises Forbidden, even if there is no such memory, so that nobody can probe for others'
    memories; an operator gets NotFound.
    """
    learned = select(Lesson.id).join(Lesson.version).join(Version.bot)
    learned = learned.where(Bot.owner_id == viewer.id, Lesson.after == digest)
    if not viewer.operator and session.scalar(learned.limit(1)) is None:
        raise Forbidden("a bot's memory is for its owner and operators; this one is not yours")
    return memory(session, digest)


def season_lessons(
    session: Session,
    viewer: User,
    name: int | str,
    *,
    cursor: str | None = None,
    limit: int = 200,
) -> answers.Lessons:
    """Returns a page of the lessons of the viewer's bots in the season, by round.

    An operator gets those of all bots. Raises NotFound or BadOption.
    """
    query = _lessons(viewer).where(Lesson.season_id == find_season(session, name, viewer).id)
    if cursor is not None:
        query = query.where(tuple_(Lesson.round, Lesson.id) > tuple_(*numbers(cursor, 2)))
    found = session.scalars(query.limit(page_size(limit) + 1)).all()
    shown, following = split(found, limit, lambda row: f"{row.round}.{row.id}")
    return answers.Lessons(items=_answers(session, viewer, shown), next=following)


def bot_lessons(
    session: Session,
    viewer: User,
    owner: str,
    name: str,
    *,
    cursor: str | None = None,
    limit: int = 50,
) -> answers.Lessons:
    """Returns a page of the lessons of the viewer's bot, newest first.

    An operator may ask for any bot's; the page of somebody else's bot is empty. Raises NotFound or
    BadOption.
    """
    query = _lessons(viewer).where(Bot.id == find_bot(session, f"{owner}/{name}").id)
    shown, following = newest(session, query, Lesson, cursor, limit)
    return answers.Lessons(items=_answers(session, viewer, shown), next=following)


def lesson(session: Session, viewer: User, row: Lesson) -> answers.Lesson:
    """Returns a lesson as the answer to a viewer who may see it."""
    return _answers(session, viewer, [row])[0]


def parked_lessons(session: Session, viewer: User) -> list[answers.Lesson]:
    """Returns the lessons that wait for an operator."""
    return _answers(session, viewer, session.scalars(_lessons(viewer).where(LESSON.parked)).all())


def newest_verification(session: Session, season: Season) -> answers.Verification | None:
    """Returns the newest verification of a season, or None."""
    query = select(Verification).where(Verification.season_id == season.id)
    row = session.scalars(query.order_by(Verification.id.desc()).limit(1)).first()
    return None if row is None else verification(row)


def verification(row: Verification) -> answers.Verification:
    """Returns an operator's verification as an answer."""
    return answers.Verification(
        at=iso(row.at),
        matches=row.matches,
        out_of=row.out_of,
        same=row.same,
        different=row.different,
        unrepeatable=row.unrepeatable,
        replayed_only=row.replayed_only,
        lessons=row.lessons,
        standing=row.standing,
        counts=row.counts or {name: len(getattr(row, name)) for name in MATCH_LISTS},
        lesson_counts=row.lesson_counts
        or {name: len(row.lessons.get(name, ())) for name in LESSON_LISTS},
    )


def _lessons(viewer: User) -> Select[Lesson]:
    """Selects the lessons that the viewer may see, of versions that learn or may learn."""
    query = (
        select(Lesson)
        .join(Lesson.version)
        .join(Version.bot)
        .join(Bot.owner)
        .where(Version.learns.is_not(False))
        .options(
            joinedload(Lesson.season),
            joinedload(Lesson.version).joinedload(Version.bot).joinedload(Bot.owner),
        )
        .order_by(Lesson.round, Lesson.id)
    )
    return query if viewer.operator else query.where(Bot.owner_id == viewer.id)


def _answers(session: Session, viewer: User, rows: Sequence[Lesson]) -> list[answers.Lesson]:
    lengths: dict[str, int] = {}
    for part in in_parts({one.after for one in rows if one.after}, _QUERY_CHUNK):
        sizes = select(Memory.digest, func.length(Memory.data)).where(Memory.digest.in_(part))
        lengths |= dict(session.execute(sizes).all())
    return [
        answers.Lesson(
            id=one.id,
            season=one.season.name,
            season_id=one.season_id,
            bot=one.version.bot.full_name,
            version=one.version.number,
            version_id=one.version_id,
            round=one.round + 1,
            state=LessonState(one.state).value,
            parked=one.state == LessonState.WAITING and one.deadline is None,
            before=one.before,
            after=one.after,
            bytes=lengths.get(one.after or "", 0),
            records=one.records,
            fault=one.fault,
            log=one.log,
            log_days=one.log_days,
            trouble=one.trouble if viewer.operator else "",
            created_at=iso(one.created_at),
            settled_at=iso(one.settled_at),
        )
        for one in rows
    ]
