"""Opens the next edition of each scheduled league, and starts it when it is due or puts it off.

A league on a cron line always has one edition to come; a single start is that of one edition. It
starts at its time, or once the previous edition is over if that is later. If the platform was down
at several start times, one edition starts late and the others are not made up for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, or_, select, true
from sqlalchemy.orm import aliased

from matchbox.errors import BadOption, Conflict, Forbidden
from server.db.models import (
    UNDER_WAY,
    UPCOMING,
    WAITING,
    Bot,
    Entry,
    Invitation,
    League,
    Season,
    SeasonState,
    Version,
    VersionState,
)
from server.services import audit, classes, divisions, schedule, seasons, starts
from server.services.admission import check_entry
from server.services.events import storable
from server.services.league_settings import admission_of, schedule_of
from server.times import MINUTE_MS, has_passed

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

MAX_CHARACTERS: Final = 500
"""The most characters of the stored reason why a season could not start."""
VERDICTS_MS: Final = 10 * MINUTE_MS
"""The longest time, in ms, for which a start waits for the verdicts on uploads made before it, and
on versions in quarantine."""
OVERDUE_MS: Final = VERDICTS_MS + 10 * MINUTE_MS
"""An edition that could have started this many ms ago is overdue."""
_WAITING: Final = (SeasonState.OPEN, SeasonState.FROZEN)
_NUMBER: Final = re.compile(r" ([0-9]{1,9})$")


def leagues_without_edition(
    session: Session, *which: ColumnElement[bool], now: int
) -> list[League]:
    """Returns the scheduled leagues that are not paused and lack their next edition.

    With `which`, only those that it selects.
    """
    to_come = (Season.league_id == League.id, Season.state.in_(UPCOMING))
    waits = select(Season.id).where(*to_come, Season.starts_at.is_not(None))
    found = _scheduled(session, ~waits.exists(), *which)
    return [league for league in found if _lacks_edition(session, league, now)]


def _lacks_edition(session: Session, league: League, now: int) -> bool:
    """Whether a scheduled league without an edition to come gets one: always by cron, and for a
    single start if it is still to come and no edition has had it."""
    plan = schedule_of(league)
    if plan.once is None:
        return True
    with suppress(BadOption):  # as when the time zone is gone
        time = schedule.next_start(plan, now)
        had = select(Season.id).where(Season.league_id == league.id, Season.starts_at == time)
        return time is not None and session.scalar(had.limit(1)) is None
    return False


def broken_schedules(session: Session, *, now: int) -> list[tuple[str, str]]:
    """Returns the names of the scheduled leagues whose next start cannot be computed, each with the
    reason: its time zone is not known on this machine any more."""
    broken: list[tuple[str, str]] = []
    for league in _scheduled(session):
        try:
            schedule.next_start(schedule_of(league), now)
        except BadOption as error:
            broken.append((league.name, str(error)))
    return broken


def _scheduled(session: Session, *which: ColumnElement[bool]) -> list[League]:
    """The scheduled leagues that are not paused, those that `which` selects."""
    awake = (League.continuous.is_(False), League.paused.is_(False))
    found = session.scalars(select(League).where(*awake, *which).order_by(League.id))
    return [league for league in found if schedule_of(league).automatic]


def open_next(session: Session, number: int, *, now: int) -> None:
    """Opens the league's next edition if it still lacks one; enters the bots of its last one."""
    for league in leagues_without_edition(session, League.id == number, now=now):
        _open(session, league, now)


def due(session: Session, *, now: int) -> list[int]:
    """Returns the numbers of the editions that are to start now.

    An edition's time must have come, no other edition of its league may be under way, and the
    uploads that were made before its time must have their verdicts, also those in quarantine. It
    waits for them for VERDICTS_MS at most.
    """
    other = aliased(Season)
    played = (other.league_id == Season.league_id, other.state.in_(UNDER_WAY))
    query = (
        select(Season)
        .join(Season.league)
        .where(League.paused.is_(False), Season.division == 1, Season.state.in_(_WAITING))
        .where(Season.starts_at <= now, ~select(other.id).where(*played).exists())
    )
    found = session.scalars(query.order_by(Season.starts_at, Season.id)).all()
    return [season.id for season in found if not _awaits_verdict(session, season, now)]


def overdue(session: Session, *, now: int) -> list[tuple[str, int]]:
    """Returns the names of the editions that the ledger fails to start, each with the time since
    which it could, UTC in ms: the edition's own, or the end of the one before."""
    found = []
    for number in due(session, now=now):
        season = session.get_one(Season, number)
        ends = select(func.max(Season.finished_at)).where(Season.league_id == season.league_id)
        since = max(season.starts_at or 0, session.scalar(ends) or 0)
        if has_passed(OVERDUE_MS, since, now):
            found.append((season.name, since))
    return found


def _awaits_verdict(session: Session, season: Season, now: int) -> bool:
    """Whether an upload that was made before the edition's time, and may play in it, has no verdict
    yet or is in quarantine. False once the edition has waited for long enough, or its versions are
    fixed."""
    time = season.starts_at
    if season.state != SeasonState.OPEN or time is None or has_passed(VERDICTS_MS, time, now):
        return False
    league, admission = season.league, admission_of(season.league)
    invited = select(Invitation.user_id).where(Invitation.league_id == league.id)
    plays: list[ColumnElement[bool]] = [
        Bot.id.in_(select(Entry.bot_id).where(Entry.season_id == season.id)),
        Bot.owner_id.in_(invited.where(Invitation.joined.is_(True))),
    ]
    if admission.everybody:
        plays.append(true() if admission.by == "open" else Bot.owner_id.in_(invited))
    waits = (Version.state.in_(WAITING), Version.deadline.is_not(None))
    uploaded = select(Version.id).join(Version.bot).where(*waits, Version.created_at <= time)
    its_game = (Bot.game == league.game, Bot.retired_at.is_(None))
    return session.scalar(uploaded.where(*its_game, or_(*plays)).limit(1)) is not None


def start(session: Session, number: int, *, settings: Settings, now: int) -> None:
    """Starts the edition if it is still due. Raises Conflict if it cannot start.

    If it starts without bots that are in quarantine, opens the next edition with them.
    """
    if number not in due(session, now=now):
        return
    season = session.get_one(Season, number)
    held = _in_quarantine(session, season)
    seasons.begin(session, None, season, settings=settings, now=now)
    if held:
        with suppress(BadOption):  # as when the time zone is gone
            which = League.id == season.league_id
            for league in leagues_without_edition(session, which, now=now):
                _open(session, league, now, held)


def postpone(session: Session, number: int, why: str, *, now: int) -> None:
    """Moves the edition to the schedule's next time if it is still due, and stores the reason."""
    if number not in due(session, now=now):
        return
    season = session.get_one(Season, number)
    starts_at = starts.free_start(session, season.league, but=season.edition, now=now)
    for row in divisions.divisions_of(session, season):
        row.starts_at, row.trouble = starts_at, storable(why, MAX_CHARACTERS)
    session.flush()
    audit.note(session, None, "season.put-off", f"season:{number}", {"why": why}, now=now)


def too_late(session: Session, *, now: int) -> list[int]:
    """Returns the numbers of the editions to come that have a later time than the schedule's first
    free one: the clock was ahead when it was set."""
    to_come = (Season.state.in_(UPCOMING), Season.division == 1, Season.starts_at > now)
    waiting = session.scalars(select(Season).where(*to_come).order_by(Season.id))
    return [season.id for season in waiting if _earlier_start(session, season, now)]


def move_up(session: Session, number: int, *, now: int) -> None:
    """Moves the edition to the schedule's first free time if it still has a later one."""
    season = session.get_one(Season, number)
    if (starts_at := _earlier_start(session, season, now)) is not None:
        for row in divisions.divisions_of(session, season):
            row.starts_at = starts_at


def _earlier_start(session: Session, season: Season, now: int) -> int | None:
    """The schedule's first free time, if it is before that of the edition; else None."""
    if season.state not in UPCOMING or season.starts_at is None:
        return None
    try:
        first = starts.free_start(session, season.league, but=season.edition, now=now)
    except BadOption:  # as when the time zone is gone
        return None
    return first if first is not None and first < season.starts_at else None


def _in_quarantine(session: Session, season: Season) -> list[Bot]:
    """The bots in an open season that have no active version, and one in quarantine."""
    versions = select(Version.bot_id)
    held = versions.where(Version.state == VersionState.QUARANTINED)
    active = versions.where(Version.state == VersionState.ACTIVE)
    bots = select(Bot).join(Entry, Entry.bot_id == Bot.id).where(Entry.season_id == season.id)
    left = (Entry.version_id.is_(None), Bot.id.in_(held), Bot.id.not_in(active))
    found = bots.where(*left).order_by(Entry.id)
    return list(session.scalars(found))


def _open(session: Session, league: League, now: int, held: Sequence[Bot] = ()) -> None:
    last = _last_edition(session, league.name)
    season = seasons.add(session, league, name=next_name(session, league.name), now=now)
    if last is not None:
        _carry_over(session, season, divisions.divisions_of(session, last), held)
    classes.enter_members(session, league, season=season, now=now)  # in the places that are left
    audit.note(session, None, "season.create", f"season:{season.id}", now=now)


def _last_edition(session: Session, league: str) -> Season | None:
    """The highest division of the league's newest edition.

    A draft, or a season that was cancelled before it began, counts only if it had a place in the
    schedule, or if there is no other season.
    """
    scheduled_or_begun = or_(Season.starts_at.is_not(None), Season.started_at.is_not(None))
    counts = or_(
        scheduled_or_begun, Season.state.not_in((SeasonState.DRAFT, SeasonState.CANCELLED))
    )
    query = select(Season).join(Season.league).where(League.name == league)
    newest = query.order_by(counts.desc(), Season.edition.desc(), Season.division).limit(1)
    return session.scalars(newest).first()


def _carry_over(
    session: Session, season: Season, last: Sequence[Season], held: Sequence[Bot]
) -> None:
    """Enters the last edition's bots and those that were `held` from it by a quarantine.

    Leaves out disqualified bots, and those that may not play now.
    """
    playing = Version.state.in_((VersionState.ACTIVE, VersionState.QUARANTINED))
    new = set(session.scalars(select(Version.bot_id).where(playing)))
    entries = [entry for row in last for entry in row.entries if entry.out != "disqualified"]
    for bot in (*(entry.bot for entry in entries), *held):
        if bot.id in new and bot.retired_at is None:
            with suppress(Conflict, Forbidden):
                check_entry(session, season, bot)
                season.entries.append(Entry(season_id=season.id, bot=bot))
                session.flush()


def next_name(session: Session, league: str) -> str:
    """Returns a free name for the league's next season: the last one's with a new number.

    "Autumn 2" is followed by "Autumn 3", "Term 2026" by "Term 2027", and a name without a number by
    itself and the number of the edition. The first season gets the league's name and 1.
    """
    last = _last_edition(session, league)
    name = league if last is None else last.name
    counted = _NUMBER.search(name)
    stem = name[: counted.start() if counted else None][:40].rstrip()
    number = 1 if last is None else 1 + (int(counted[1]) if counted else last.edition)
    while session.scalar(select(Season.id).where(Season.name == f"{stem} {number}")) is not None:
        number += 1
    return f"{stem} {number}"
