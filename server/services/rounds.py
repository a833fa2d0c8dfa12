"""Schedules the matches of a season's next rounds. Plays and rates none.

The matches follow from the season's seed, its entrants and the results of earlier rounds. The order
in which results arrive makes no difference. The clock matters only to a season with a budget of
hours.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import func, select

from matchbox import registry
from matchbox.errors import Conflict
from matchbox.league import course
from matchbox.league.bradley_terry import NoRating
from matchbox.league.format import Format
from matchbox.league.season import Field, Progress, Round
from server.db.models import UNFINISHED, Entry, Match, Season, SeasonState
from server.db.session import compare_and_set
from server.services import faults, lessons, season_progress
from server.services.events import publish
from server.services.fixtures import Fixture, deals_of, schedule
from server.services.match_sizing import MatchSizer
from server.times import HOUR_MS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

MAX_DEALS: Final = 200_000
"""The most deals of a season whose deals follow from its bots' speed.

The standing is computed from all of them.
"""
MAX_PER_TRANSACTION: Final = 1_000
"""If tables have three seats or more, no further round is opened after this many matches. To draw
the seatings of a whole season can take minutes, in which nobody else could write."""
_UNFINISHED: Final = (
    select(Match.id).where(Match.season_id == Season.id, Match.state.in_(UNFINISHED)).exists()
)
_DUE: Final = (Season.state == SeasonState.RUNNING, ~_UNFINISHED)


def open_first(session: Session, season: Season, *, settings: Settings, now: int) -> list[str]:
    """Queues the first matches of a season whose versions are fixed; returns their ids.

    Entrants that are out already play none of them. Raises Conflict if these entrants cannot play a
    season of that format.
    """
    plan, field = season_progress.format_of(season), season_progress.field_of(session, season)
    try:
        course.check(plan, field)
        field = _sized(session, season, plan, field, settings)
        past = season_progress.progress_of(session, season, plan)
        past = replace(past, counts=None)  # Nothing was played.
        first = _openable(plan, field, past)
    except course.Unplayable as error:
        raise Conflict(f"season {season.name} cannot start: {error}") from None
    if not any(one.pairings for one in first):
        raise Conflict(_why_nothing(plan, season))
    first[0] = replace(first[0], order=tuple(field.order))
    return _write(session, season, first, settings=settings, now=now)


def due(session: Session) -> list[Season]:
    """Returns the running seasons whose matches are all final: finished or void."""
    return list(session.scalars(select(Season).where(*_DUE).order_by(Season.id)))


def is_due(session: Session, season: Season) -> bool:
    """Whether the season is running, and all its matches are final."""
    return session.scalar(select(Season.id).where(Season.id == season.id, *_DUE)) is not None


def leavers(
    session: Session, season: Season, *, settings: Settings, now: int
) -> list[tuple[int, str]]:
    """Returns the numbers of the entries to take out for their forfeits now that all matches are
    final, with the reasons.

    None leaves after the last round, or where all rounds are paired together: there is no match
    left to be spared, and who has won a knock-out keeps its title.
    """
    plan = season_progress.format_of(season)
    together = plan.kind == "round-robin" and _together(plan)
    if together or lessons.have_begun(session, season):
        return []
    found = faults.forfeiters(session, season, settings=settings)
    try:
        return found if found and next_of(session, season, now=now) else []
    except Conflict:  # Without them, `next_of` says it again if the season still cannot go on.
        return found


def settle_round(
    session: Session,
    season: Season,
    leaving: Iterable[tuple[int, str]],
    *,
    settings: Settings,
    now: int,
) -> bool:
    """Does the work after a round; returns True once it is done.

    Takes out the `leavers`, and opens lessons. Returns False until all lessons are settled; until
    then it only looks at them.
    """
    if not lessons.have_begun(session, season):
        for number, why in leaving:
            faults.take_out(session, session.get_one(Entry, number), why, now=now)
    return lessons.settle_lessons(session, season, settings=settings, now=now)


def next_of(session: Session, season: Season, *, now: int) -> list[Round]:
    """Returns the rounds to open now that all matches are final; empty if the season is over.

    Raises Conflict with the reason if the season cannot go on.
    """
    plan = season_progress.format_of(season)
    over = plan.hours is not None and now >= (season.started_at or now) + plan.hours * HOUR_MS
    if over or not season.round:  # A season from before there were rounds has all its matches.
        return []
    field = season_progress.field_of(session, season)
    try:
        return _openable(plan, field, season_progress.progress_of(session, season, plan))
    except NoRating:
        raise Conflict("the results determine no rating, so no round can be paired") from None


def open_next(
    session: Session, season: Season, rounds: Sequence[Round], *, settings: Settings, now: int
) -> bool:
    """Schedules these rounds. Returns False if there are none.

    Schedules nothing if the season is not due any more, or if somebody else has opened them.
    """
    if rounds and is_due(session, season):
        _write(session, season, rounds, settings=settings, now=now)
    return bool(rounds)


def _sized(
    session: Session, season: Season, plan: Format, field: Field, settings: Settings
) -> Field:
    """The field with the season's number of deals per match, which is set here unless fixed."""
    if not season.paced:
        return field
    # After its first stage an adaptive season plays about as much again: see `course.budget`.
    matches = plan.matches or course.size(plan, field) * (2 if plan.kind == "adaptive" else 1)
    season.deals = MatchSizer(session, season.league).deals_of_all(
        list(season_progress.rows_of(season).values()),
        settings,
        teams=field.cooperative,
        most=max(season.league.deals, MAX_DEALS // max(matches, 1)),
    )
    session.flush()
    return replace(field, deals=season.deals)


def _openable(plan: Format, field: Field, past: Progress) -> list[Round]:
    """The rounds that may be opened now: all that can be paired already.

    If lessons come between rounds, or the season has a budget of hours: only those up to the first
    with matches. If tables have three seats or more: only some.
    """
    in_parts = not field.paired and not field.cooperative
    most = 1 if not _together(plan) else MAX_PER_TRANSACTION if in_parts else inf
    found: list[Round] = []
    while True:
        before = len(found)
        for one in course.next_rounds(plan, field, past):
            found.append(one)
            if sum(len(one.pairings) for one in found) >= most:
                return found
        if any(one.pairings for one in found):
            return found
        if len(found) == before:
            return []
        past = replace(past, rounds=(*past.rounds, *found[before:]))


def _together(plan: Format) -> bool:
    """Whether rounds that do not depend on each other's results are opened together."""
    return plan.learning == "off" and plan.hours is None


def _write(
    session: Session, season: Season, rounds: Sequence[Round], *, settings: Settings, now: int
) -> list[str]:
    """Queues the matches of these rounds; returns their ids, or none if somebody else was first."""
    first = season.round
    values = {
        "round": first + len(rounds),
        "rounds": [*season.rounds, *(_kept(one) for one in rounds)],
    }
    if not compare_and_set(session, season, values, Season.round == first):
        return []
    fixtures = _fixtures(session, season, first, rounds)
    ids = schedule(
        session,
        season.league,
        fixtures,
        season=season,
        memories=lessons.memories(session, season),
        settings=settings,
        now=now,
    )
    if first:
        publish(session, "season.round", season.id, now=now)
    return ids


def _fixtures(
    session: Session, season: Season, first: int, rounds: Iterable[Round]
) -> list[Fixture]:
    """The matches of these rounds, under the next numbers.

    Each match has deals of its own. In a cooperative game all matches of a round share their deals.
    """
    last = session.scalar(select(func.max(Match.number)).where(Match.season_id == season.id))
    number = 0 if last is None else last + 1
    rows = season_progress.rows_of(season)
    shared = registry.game(season.league.game).spec.cooperative
    tables = [(at, one) for at, found in enumerate(rounds, first) for one in found.pairings]
    return [
        Fixture(
            at,
            tuple(rows[entrant] for entrant in pairing.seats),
            deals_of(season.seed, where if shared else at, season.deals),
            where,
        )
        for at, (where, pairing) in enumerate(tables, number)
    ]


def _kept(one: Round) -> dict[str, Any]:
    """The form in which a round is stored in the season's row. It has no pairings, since matches
    have rows."""
    kept: dict[str, Any] = msgspec.to_builtins(replace(one, pairings=()))
    return {name: value for name, value in kept.items() if value}


def _why_nothing(plan: Format, season: Season) -> str:
    if any(entry.out for entry in season.entries):
        return f"season {season.name} cannot start: its bots that are not out are too few"
    if plan.matches is not None:
        return (
            f"season {season.name} cannot start: its budget of {plan.matches} matches does not "
            "cover a round; raise it"
        )
    return (
        f"no table of {season.league.seats} can be filled without two bots of one owner; "
        "have more owners enter"
    )
