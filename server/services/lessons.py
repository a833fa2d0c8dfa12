"""Opens, sends and settles the lessons between the rounds of a season. Runs no bots.

The records that a version learns from and its seed are fixed when the lesson opens, so a lesson
that is given twice leads to the same memory twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy import ColumnElement, and_, func, or_, select, update

from matchbox.bundle import digest
from matchbox.errors import BadMessage, Conflict
from matchbox.league.format import Format, read
from matchbox.match.learning import MAX_RECORDS, round_key
from matchbox.match.memory import MEMORY_BYTES
from matchbox.match.wire import Entrant, Teach
from matchbox.settings import limits_of
from server import outbox
from server.db.models import (
    Entry,
    Lesson,
    LessonState,
    Match,
    MatchSeat,
    MatchState,
    Memory,
    Season,
    SeasonState,
    Version,
)
from server.db.session import compare_and_set, count_rows, in_parts
from server.services import audit, jobs
from server.services.accounts import require_operator
from server.services.embargo import readable
from server.services.events import longest_log, publish, publish_each, storable
from server.services.jobs import JobKind
from server.services.lookup import find_lesson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.match.wire import Learned
    from matchbox.settings import Settings
    from server.db.models import User

log = structlog.get_logger(__name__)

_QUERY_CHUNK: Final = 1000
"""The number of bots whose memories are read with one statement."""


def settle_lessons(session: Session, season: Season, *, settings: Settings, now: int) -> bool:
    """Opens the lessons after the season's last round; returns True once all of them are settled.

    Call it when all matches of that round are final. A second call opens no more lessons.
    """
    if not season.round or read(Format, season.format).learning == "off":
        return True
    if not have_begun(session, season):
        _open(session, season, season.round - 1, settings=settings, now=now)
    return not count_rows(session, Lesson, *_after_last_round(season), _WAITING)


def have_begun(session: Session, season: Season) -> bool:
    """Returns whether the lessons after the season's last round were opened."""
    return bool(count_rows(session, Lesson, *_after_last_round(season)))


def memories(session: Session, season: Season) -> dict[int, str]:
    """Returns the digests of the memories of the season's versions, by the version's row number.

    Before its first lesson of the season, a version has no memory. If the season begins with the
    parents' memories, it has its bot's last memory from an earlier season of the league.
    """
    learning = read(Format, season.format).learning
    if learning == "off":
        return {}
    known: dict[int, str | None] = _inherited(session, season) if learning == "parent" else {}
    known |= _learned(session, Lesson.season_id == season.id)
    return {version: memory for version, memory in known.items() if memory is not None}


def job_of(lesson: Lesson, settings: Settings) -> Teach:
    """Returns the message for the lesson's present attempt."""
    season, version = lesson.season, lesson.version
    return Teach(
        attempt=lesson.attempt,
        token=jobs.token_of(settings, lesson, lesson.attempt),
        game=season.league.game,
        limits=limits_of(settings),
        lesson=jobs.subject_of("lesson", lesson),
        pupil=Entrant(version.digest, version.class_name or None, lesson.before),
        key=round_key(season.seed, lesson.round, version.digest),
        played=dict(lesson.played),
    )


def send(session: Session, lesson: Lesson, *, settings: Settings, now: int) -> bool:
    """Sends a waiting lesson as a new attempt. Returns False if it was not sent.

    A stranger's lesson waits for a lease's time while an arena has no wall.
    """
    versions = [lesson.version]
    if jobs.waits_for_wall(session, LESSON, lesson, versions, settings=settings, now=now):
        return False
    if not jobs.lease(session, LESSON, lesson, settings=settings, now=now):
        return False
    outbox.post(session, job_of(lesson, settings))
    return True


def remember(session: Session, message: Learned, *, settings: Settings, now: int) -> bool:
    """Settles a lesson with the arena's result. Returns False if it was settled before.

    After a fault the version keeps the memory that it had; the fault has no other consequence.
    Raises BadMessage if the memory is too long, or NotFound or Forbidden if we never sent that
    attempt.
    """
    lesson = jobs.find(
        session, LESSON, message.lesson, message.attempt, message.token, settings=settings
    )
    if len(message.memory) > MEMORY_BYTES:
        raise BadMessage(f"a memory has at most {MEMORY_BYTES} bytes")
    values = {
        "state": LessonState.FAILED if message.fault else LessonState.LEARNED,
        "records": message.records,
        "fault": storable(f"{message.fault}: {message.detail}", 500) if message.fault else "",
        "log": storable(message.log, longest_log(settings)),
        "deadline": None,
        "trouble": "",
        "settled_at": now,
    }
    if not compare_and_set(session, lesson, values, _WAITING):
        return False
    learned = message.learns and message.fault is None
    lesson.after = _kept(session, message.memory) if learned else lesson.before
    lesson.version.learns = message.learns
    if message.fault:
        log.info("lesson.failed", lesson=lesson.id, version=lesson.version_id, why=values["fault"])
    publish(session, "lesson.settled", lesson.id, now=now)
    return True


def requeue(session: Session, actor: User, number: int, *, settings: Settings, now: int) -> Lesson:
    """Queues the parked lesson with that number again, sends it, and returns it.

    Raises Forbidden, NotFound, or Conflict if it is not parked.
    """
    require_operator(actor)
    lesson = find_lesson(session, number)
    jobs.requeue(session, LESSON, lesson, settings=settings, now=now)
    subject, detail = f"season:{lesson.season_id}", {"lesson": lesson.id}
    audit.note(session, actor, "lesson.requeue", subject, detail, now=now)
    return lesson


def skip(session: Session, actor: User, number: int, *, now: int) -> Lesson:
    """Ends the parked lesson with that number, and returns it. The bot keeps the memory it had.

    Raises Forbidden, NotFound, or Conflict if it is not parked.
    """
    require_operator(actor)
    lesson = find_lesson(session, number)
    values = {
        "state": LessonState.FAILED,
        "after": lesson.before,
        "fault": "platform: an operator ended the lesson",
        "trouble": "",
        "settled_at": now,
    }
    if not compare_and_set(session, lesson, values, LESSON.parked):
        raise Conflict(f"lesson {lesson.id} is not parked")
    publish(session, "lesson.settled", lesson.id, now=now)
    subject, detail = f"season:{lesson.season_id}", {"lesson": lesson.id}
    audit.note(session, actor, "lesson.skip", subject, detail, now=now)
    return lesson


def cancel(session: Session, seasons: Sequence[int], *, now: int) -> None:
    """Ends the lessons that are not over of these seasons, which were cancelled."""
    waiting = Lesson.season_id.in_(seasons), _WAITING
    ended = {"state": LessonState.FAILED, "after": Lesson.before, "settled_at": now}
    why = "platform: the season was cancelled"
    publish_each(
        session, "lesson.settled", session.scalars(select(Lesson.id).where(*waiting)), now=now
    )
    values = {**ended, "fault": why, "deadline": None, "trouble": ""}
    session.execute(update(Lesson).where(*waiting).values(values))


def _after_last_round(season: Season) -> tuple[ColumnElement[bool], ...]:
    """The conditions for the lessons after the season's last round."""
    return Lesson.season_id == season.id, Lesson.round == season.round - 1


def _open(session: Session, season: Season, last: int, *, settings: Settings, now: int) -> None:
    """Opens a lesson for every version in `_played`, and sends the first `jobs.MAX_SWEPT` of them.

    The others are due at once, so the sweep sends them, as many in each of its turns.
    """
    before = memories(session, season)
    opened = [
        Lesson(
            season_id=season.id,
            version_id=version,
            round=last,
            deadline=jobs.DUE,
            played=played,
            before=before.get(version),
            created_at=now,
        )
        for version, played in _played(session, season).items()
    ]
    session.add_all(opened)
    session.flush()
    for lesson in opened[: jobs.MAX_SWEPT]:
        send(session, lesson, settings=settings, now=now)


def _played(session: Session, season: Season) -> dict[int, list[tuple[str, int]]]:
    """The matches that each version learns from, as (match id, seat), by the version's row number.

    These are finished matches since the version's last lesson, ordered by id, as many as a lesson
    needs. They may be of an earlier round, if they replace void ones. Versions that are out of the
    season or do not learn are left out. So is a match that shares a deal with an unfinished match.
    """
    newest = (func.max(Lesson.round).label("round"), func.max(Lesson.created_at).label("at"))
    given = select(Lesson.version_id, *newest).where(Lesson.season_id == season.id)
    last = given.group_by(Lesson.version_id).subquery()
    again = and_(Match.replaces.is_not(None), Match.created_at > last.c.at)
    since = or_(Match.round > func.coalesce(last.c.round, -1), again)
    query = (
        select(MatchSeat.version_id, Match.id, MatchSeat.seat)
        .join(Match, Match.id == MatchSeat.match_id)
        .join(Entry, Entry.version_id == MatchSeat.version_id)
        .join(Version, Version.id == MatchSeat.version_id)
        .outerjoin(last, last.c.version_id == MatchSeat.version_id)
        .where(Match.season_id == season.id, since)
        .where(Match.state == MatchState.FINISHED, readable())
        .where(Entry.season_id == season.id, Entry.out == "", Version.learns.is_not(False))
    )
    most = -(-MAX_RECORDS // season.deals)
    found: dict[int, dict[str, int]] = {}
    for version, match, seat in session.execute(query.order_by(Match.id, MatchSeat.seat)):
        own = found.setdefault(version, {})
        if len(own) < most:
            own.setdefault(match, seat)
    return {version: list(own.items()) for version, own in sorted(found.items())}


def _inherited(session: Session, season: Season) -> dict[int, str | None]:
    """The last memory from an earlier season, for each entrant that has had no lesson in this one.

    Earlier seasons are those of the league that had finished when this one started. A lesson that
    failed and left no memory does not count. The keys are row numbers of versions, the values
    digests.
    """
    taught = select(Lesson.version_id).where(Lesson.season_id == season.id, ~_WAITING)
    own = select(Version.bot_id, Version.id).join(Entry, Entry.version_id == Version.id)
    untaught = own.where(Entry.season_id == season.id, Version.id.not_in(taught))
    versions = dict(session.execute(untaught).all())
    earlier = (
        Season.league_id == season.league_id,
        Season.state == SeasonState.FINISHED,
        Season.id != season.id,
        Season.finished_at <= (season.started_at or season.created_at),
    )
    counts = or_(Lesson.state == LessonState.LEARNED, Lesson.after.is_not(None))
    last_first = (Season.finished_at.desc(), Season.id.desc(), Lesson.round.desc())
    place = func.row_number().over(partition_by=Version.bot_id, order_by=last_first)
    query = (
        select(Version.bot_id, Lesson.after, place.label("place"))
        .join(Version, Version.id == Lesson.version_id)
        .join(Season, Season.id == Lesson.season_id)
        .where(*earlier, ~_WAITING, counts)
    )
    found: dict[int, str | None] = {}
    for part in in_parts(versions, _QUERY_CHUNK):
        each = query.where(Version.bot_id.in_(part)).subquery()
        newest = select(each.c.bot_id, each.c.after).where(each.c.place == 1)
        found |= {versions[bot]: memory for bot, memory in session.execute(newest)}
    return found


def _kept(session: Session, memory: bytes) -> str | None:
    """Stores the memory; returns its digest, or None if it is empty."""
    if not memory:
        return None
    name = digest(memory)
    if session.get(Memory, name) is None:
        session.add(Memory(digest=name, data=memory))
        session.flush()
    return name


def _learned(session: Session, *which: ColumnElement[bool]) -> dict[int, str | None]:
    """The digest of every version's memory after its last lesson, by the version's row number."""
    final = Lesson.state != LessonState.WAITING
    query = select(Lesson.version_id, Lesson.after).where(final, *which)
    return dict(session.execute(query.order_by(Lesson.round)).all())


_WAITING: Final = Lesson.state == LessonState.WAITING
_UNDER_WAY: Final = and_(_WAITING, Lesson.deadline.is_not(None))

LESSON: Final = JobKind(
    name="lesson",
    model=Lesson,
    rows=jobs.numbered("lesson", Lesson),
    queued=_UNDER_WAY,
    leased=_UNDER_WAY,
    parked=and_(_WAITING, Lesson.deadline.is_(None)),
    resume=send,
)
"""A lesson is queued if its deadline has passed, and leased if its deadline is still to come."""
