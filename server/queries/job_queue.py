"""The queue for operators: the jobs that wait, by kind and in their order. Changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from matchbox.answers import queue as answers
from matchbox.errors import BrokerUnavailable
from server.db.models import (
    Bot,
    Draft,
    League,
    Match,
    MatchState,
    MatchVerification,
    Season,
    Turn,
    Version,
)
from server.db.models import Lesson as LessonRow
from server.queries import job_times, waiting
from server.services import broker, dispatch
from server.services.accounts import require_operator_to_see
from server.services.job_lines import job_lines
from server.services.lessons import LESSON
from server.services.match_verifications import VERIFICATION
from server.services.table_turns import TURN
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User

T = TypeVar("T", League, Season)
MAX_JOBS: Final = 50
"""The most jobs of one kind that are listed."""
_WITH_OWNER: Final = joinedload(Version.bot).joinedload(Bot.owner)
_FREE: Final = "It waits for a free arena."


def queue_detail(
    session: Session, viewer: User | None, *, settings: Settings, now: int
) -> answers.QueueDetail:
    """Returns the jobs that wait, with the reasons. Raises Forbidden unless the viewer is an
    operator.

    Takes 2 s if the broker cannot be reached.
    """
    require_operator_to_see(viewer)
    line = waiting.tryouts(session, settings, now=now)
    stopped = _broker_trouble(settings) or line.stopped
    line = line._replace(stopped=stopped)
    only_express = stopped or waiting.stopped(session, settings, now=now, express=False)
    no_matches = only_express or waiting.full_disk(settings)
    lately = job_times.of_matches(session, now=now)
    return answers.QueueDetail(
        stopped=stopped,
        window=dispatch.window(session, settings),
        kinds=_kinds(session, lately, now),
        groups=_groups(session),
        jobs=[
            *_matches(session, lately, no_matches),
            *_tryouts(session, line, now),
            *_turns(session, stopped, now),
            *_lessons(session, only_express, now),
            *_verifications(session, only_express, now),
        ],
    )


def _broker_trouble(settings: Settings) -> str:
    """A sentence if the broker cannot be reached; empty if it can."""
    if settings.broker_url:
        try:
            broker.waiting_results(settings.broker_url)
        except BrokerUnavailable:
            return "The broker cannot be reached, so arenas get no jobs. Nothing is lost."
    return ""


def _kinds(session: Session, of_matches: job_times.Pace, now: int) -> list[answers.QueueKind]:
    paces = {
        "match": of_matches,
        "try-out": job_times.of_tryouts(session, Version, now=now),
        "draft": job_times.of_tryouts(session, Draft, now=now),
        "lesson": job_times.of_lessons(session, now=now),
    }
    found = []
    for line in job_lines(session, now):
        lately = paces.get(line.kind, job_times.Pace(0, None))
        each = None if lately.each_ms is None else round(lately.each_ms / 1000, 1)
        done = lately.done if line.kind in paces else None
        found.append(answers.QueueKind(**dict(line), done=done, seconds=each))
    return found


def _groups(session: Session) -> list[answers.QueueGroup]:
    compared = Match.comparison_id.is_not(None)
    scope = (Match.league_id, Match.season_id, compared)
    queued = select(*scope, func.count(), func.min(Match.created_at))
    found = session.execute(queued.where(Match.state == MatchState.QUEUED).group_by(*scope)).all()
    under_way: dict[tuple[int, int | None, bool], int] = {}
    for (league_id, season_id, comparison), count in dispatch.under_way(session).items():
        key = (league_id, season_id, comparison is not None)
        under_way[key] = under_way.get(key, 0) + count
    leagues = {row.id: row for row in _rows(session, League, [one[0] for one in found])}
    seasons = {row.id: row for row in _rows(session, Season, [one[1] for one in found])}
    groups = []
    for league_id, season_id, compares, count, oldest in found:
        league = leagues[league_id]
        season = seasons[season_id] if season_id is not None else None
        groups.append(
            answers.QueueGroup(
                league=league.name,
                season=season_id,
                season_name=season.name if season else None,
                comparisons=bool(compares),
                queued=count,
                running=under_way.get((league_id, season_id, bool(compares)), 0),
                oldest_at=iso(oldest),
                reason=waiting.paused(league, season),
            )
        )
    return sorted(groups, key=lambda one: (one.reason != "", one.oldest_at))


def _rows(session: Session, model: type[T], numbers: Iterable[int | None]) -> Sequence[T]:
    """The leagues or seasons with these numbers."""
    known = {number for number in numbers if number is not None}
    return session.scalars(select(model).where(model.id.in_(known))).all()


def _matches(session: Session, lately: job_times.Pace, stopped: str) -> list[answers.WaitingJob]:
    running = sum(dispatch.under_way(session).values())
    first = dispatch.first_matches(session)
    return [
        answers.WaitingJob(
            kind="match",
            id=row.id,
            name=" – ".join(seat.version.bot.full_name for seat in row.seats),
            since=iso(row.created_at),
            **dict(
                waiting.of_place(place, running, lately, first=row.id in first, stopped=stopped)
            ),
        )
        for place, row in enumerate(dispatch.next_queued(session, MAX_JOBS, first), 1)
    ]


def _tryouts(session: Session, queue: waiting.TryoutQueue, now: int) -> list[answers.WaitingJob]:
    shown = queue.waits[:MAX_JOBS]
    names = _names(session, shown)
    return [
        answers.WaitingJob(
            kind="draft" if one.kind is Draft else "try-out",
            id=str(one.id),
            name=names[one.kind, one.id],
            since=iso(one.created_at),
            **dict(queue.waiting(one, now)),
        )
        for one in shown
    ]


def _names(
    session: Session, shown: Sequence[waiting.Tryout]
) -> dict[tuple[type[Version | Draft], int], str]:
    """The names of what is tried out, by its table and row number."""
    drafts = select(Draft).where(Draft.id.in_([one.id for one in shown if one.kind is Draft]))
    versions = select(Version).where(
        Version.id.in_([one.id for one in shown if one.kind is Version])
    )
    named: dict[tuple[type[Version | Draft], int], str] = {
        (Draft, row.id): f"a draft of {row.owner.name}"
        for row in session.scalars(drafts.options(joinedload(Draft.owner)))
    }
    for row in session.scalars(versions.options(_WITH_OWNER)):
        named[Version, row.id] = f"{row.bot.full_name} v{row.number}"
    return named


def _turns(session: Session, stopped: str, now: int) -> list[answers.WaitingJob]:
    late = (TURN.queued, Turn.deadline <= now)
    query = select(Turn).where(*late).order_by(Turn.deadline, Turn.id).limit(MAX_JOBS)
    rows = session.scalars(query.options(joinedload(Turn.table)))
    return [
        answers.WaitingJob(
            kind="turn", id=row.table_id, name=f"a table of {row.table.game}",
            since=iso(row.created_at), place=place, seconds=None, reason=stopped or _FREE,
        )
        for place, row in enumerate(rows, 1)
    ]  # fmt: skip


def _verifications(session: Session, stopped: str, now: int) -> list[answers.WaitingJob]:
    late = (VERIFICATION.queued, MatchVerification.deadline <= now)
    query = (
        select(MatchVerification)
        .where(*late)
        .order_by(MatchVerification.deadline, MatchVerification.id)
        .limit(MAX_JOBS)
    )
    query = query.options(joinedload(MatchVerification.match).joinedload(Match.league))
    return [
        answers.WaitingJob(
            kind="verification", id=row.match_id, name=f"a match of {row.match.league.game}",
            since=iso(row.created_at), place=place, seconds=None, reason=stopped or _FREE,
        )
        for place, row in enumerate(session.scalars(query), 1)
    ]  # fmt: skip


def _lessons(session: Session, stopped: str, now: int) -> list[answers.WaitingJob]:
    late = (LESSON.queued, LessonRow.deadline <= now)
    query = (
        select(LessonRow).where(*late).order_by(LessonRow.deadline, LessonRow.id).limit(MAX_JOBS)
    )
    query = query.options(joinedload(LessonRow.version).options(_WITH_OWNER))
    rows = session.scalars(query.options(joinedload(LessonRow.season)))
    lately = job_times.of_lessons(session, now=now)
    return [
        answers.WaitingJob(
            kind="lesson",
            id=str(row.season_id),
            season_name=row.season.name,
            name=f"{row.version.bot.full_name} v{row.version.number}",
            since=iso(row.created_at),
            place=place,
            seconds=None if stopped else lately.seconds(place),
            reason=stopped or _FREE,
        )
        for place, row in enumerate(rows, 1)
    ]
