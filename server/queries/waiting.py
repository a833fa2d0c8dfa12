"""Finds the reason why a match or a try-out waits, its place in the queue, and an estimate of the
time.

A place is computed from the numbers of queued and running jobs, by indexes. It is that of the
present moment, and may change when others begin to wait.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select, tuple_

from matchbox.answers.bots import Draft as AnsweredDraft
from matchbox.answers.bots import Version as AnsweredVersion
from matchbox.answers.matches import Match as AnsweredMatch
from matchbox.answers.queue import Waiting
from server.db.models import (
    TRUSTED,
    WAITING,
    Bot,
    Comparison,
    ComparisonState,
    Draft,
    DraftState,
    League,
    Match,
    MatchState,
    Season,
    SeasonState,
    User,
    Version,
    VersionState,
)
from server.db.session import count_rows
from server.queries import drafts, job_times
from server.queries.bots import version as version_answer
from server.queries.matches import match as match_answer
from server.services import disk, dispatch, signs, turns
from server.services.arena_lines import arena_lines
from server.services.walls import wall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

PARKED: Final = "The platform failed at it too often; an operator has been told."
_NEXT: Final = "It is next: an arena takes it as soon as one is free."
_NEXT_MATCH: Final = "It is the next to be sent. The matches sent before it are played first."
_NO_WALL: Final = "An arena has no wall around bots, so authors' uploads wait."
_QUEUED: Final = Match.state == MatchState.QUEUED


class Tryout(NamedTuple):
    """A try-out that has no verdict yet and is not parked."""

    kind: type[Version | Draft]
    id: int
    owner: int
    role: str
    order: tuple[int, int, int]
    deadline: int
    claimed_at: int | None
    created_at: int
    quarantined: bool

    def sent(self, now: int) -> bool:
        """Whether it was sent to the arenas. If so, it has its author's turn, unless it is in
        quarantine."""
        return self.deadline > now


class TryoutQueue(NamedTuple):
    """The try-outs that wait, in their order, and the reasons that hold all of them up."""

    waits: list[Tryout]
    claimed: int
    """How many try-outs are running in arenas."""
    busy: set[int]
    slow: set[int]
    pace: job_times.Pace
    walled: bool
    stopped: str

    def waiting(self, row: Tryout, now: int) -> Waiting:
        """Returns the reason why this try-out waits, its place and its time."""
        place = self.waits.index(row) + 1
        if self.stopped:
            return Waiting(place=place, seconds=None, reason=self.stopped)
        if not (self.walled or row.sent(now) or row.role in TRUSTED):
            return Waiting(place=place, seconds=None, reason=_NO_WALL)
        seconds = self.pace.seconds(self.claimed + place)
        return Waiting(place=place, seconds=seconds, reason=self._reason(row, place, now))

    def _reason(self, row: Tryout, place: int, now: int) -> str:
        if not (row.sent(now) or row.role in TRUSTED or row.quarantined):
            if row.owner in self.busy:
                return "Another upload of its author is tried out first: they take turns."
            if row.owner in self.slow:
                return (
                    "Its author's last try-outs took long. Such try-outs share half of the arenas, "
                    "so it waits until one of them is over."
                )
        return jobs_ahead_text(place, "try-out")


def match(
    session: Session, viewer: User | None, name: str, *, settings: Settings, now: int
) -> AnsweredMatch:
    """Returns the match as `queries.match` does, with the reason why it waits, if it waits."""
    found = match_answer(session, viewer, name)
    waits = None
    if found.state in (MatchState.QUEUED, MatchState.PARKED):
        row = session.get_one(Match, found.id)
        waits = of_match(session, row, settings=settings, now=now)
    return found.model_copy(update={"waiting": waits})


def version(
    session: Session, viewer: User | None, name: str | int, *, settings: Settings, now: int
) -> AnsweredVersion:
    """Returns the version as `queries.version` does; its owner and operators see why it waits."""
    found = version_answer(session, viewer, name)
    row = session.get_one(Version, found.id)
    waits = of_tryout(session, row, settings=settings, now=now) if found.mine else None
    return found.model_copy(update={"waiting": waits})


def draft(
    session: Session, viewer: User | None, number: int, *, settings: Settings, now: int
) -> AnsweredDraft:
    """Returns the viewer's draft, with the reason why it waits, if it waits. Raises NotFound."""
    found = drafts.draft(session, viewer, number)
    row = session.get_one(Draft, found.id)
    waits = of_tryout(session, row, settings=settings, now=now)
    return found.model_copy(update={"waiting": waits})


def of_match(session: Session, row: Match, *, settings: Settings, now: int) -> Waiting:
    """Returns why this queued or parked match waits."""
    held = PARKED if row.state == MatchState.PARKED else why_not(session, row)
    if held:
        return Waiting(place=None, seconds=None, reason=held)
    under_way = dispatch.under_way(session)
    first = dispatch.first_matches(session)
    is_first = row.id in first
    place = first.index(row.id) + 1 if is_first else _place(session, row, under_way)
    why = stopped(session, settings, now=now, express=False) or full_disk(settings)
    pace, running = job_times.of_matches(session, now=now), sum(under_way.values())
    return of_place(place, running, pace, first=is_first, stopped=why)


def of_place(
    place: int, running: int, pace: job_times.Pace, *, first: bool, stopped: str
) -> Waiting:
    """Returns why the queued match with this place waits, unless all matches are `stopped`.

    The queue of the `first` matches of versions is served before that of the `running` matches.
    """
    if stopped:
        return Waiting(place=place, seconds=None, reason=stopped)
    if first:
        reason = jobs_ahead_text(place, "match", "matches")
        return Waiting(place=place, seconds=pace.seconds(place), reason=reason)
    reason = _NEXT_MATCH if place == 1 else jobs_ahead_text(place, "match", "matches")
    return Waiting(place=place, seconds=pace.seconds(running + place), reason=reason)


def of_tryout(
    session: Session, row: Version | Draft, *, settings: Settings, now: int
) -> Waiting | None:
    """Returns why this try-out waits; None if it is over or running."""
    if row.state not in (*WAITING, DraftState.PENDING):
        return None
    if row.deadline is None:
        return Waiting(place=None, seconds=None, reason=PARKED)
    line = tryouts(session, settings, now=now)
    own = next((one for one in line.waits if (one.kind, one.id) == (type(row), row.id)), None)
    return None if own is None else line.waiting(own, now)


def tryouts(session: Session, settings: Settings, *, now: int) -> TryoutQueue:
    """Returns all try-outs that wait: first those that were sent, in the order of sending."""
    versions = select(Version, User.id, User.role).join(Version.bot).join(Bot.owner)
    versions = versions.where(Version.state.in_(WAITING), Version.deadline >= 0)
    drafts = select(Draft, User.id, User.role).join(Draft.owner)
    drafts = drafts.where(Draft.state == DraftState.PENDING, Draft.deadline >= 0)
    found = [
        Tryout(
            type(row),
            row.id,
            owner,
            role,
            turns.order(row),
            row.deadline or 0,
            row.claimed_at,
            row.created_at,
            row.state == VersionState.QUARANTINED,
        )
        for query in (versions, drafts)
        for row, owner, role in session.execute(query)
    ]
    sent = [one for one in found if one.sent(now)]
    waits = sorted(
        (one for one in sent if one.claimed_at is None), key=lambda one: (one.deadline, one.id)
    )
    due = [one for one in found if not one.sent(now)]
    waits += sorted(due, key=lambda one: one.order)
    return TryoutQueue(
        waits,
        sum(one.claimed_at is not None for one in sent),
        {one.owner for one in sent if not one.quarantined},
        turns.slow_authors(session, now) if due else set(),
        job_times.of_tryouts(session, now=now),
        wall(session).walled,
        stopped(session, settings, now=now),
    )


def stopped(session: Session, settings: Settings, *, now: int, express: bool = True) -> str:
    """Returns the reason why nothing at all is played now, as a sentence; empty if there is none.

    Without `express`, the reason why nothing is played that express arenas do not take.
    """
    reporting = (one for one in arena_lines(session, now) if one.state == "reports")
    able = [one for one in reporting if not (one.stopped or one.key_state == "draining")]
    if not able:
        return "No arena is running at the moment. It goes on by itself when one is back."
    if not express and all(one.express for one in able):
        return (
            "Only the express arena is running at the moment, and it plays no matches. They go on "
            "by themselves when another arena is back."
        )
    if signs.ledger_is_late(session, settings, now):
        return (
            "The platform sends nothing at the moment: its ledger or its broker stands still. It "
            "goes on by itself when they are back."
        )
    return ""


def full_disk(settings: Settings) -> str:
    """Returns the reason why no match is sent while the disk is full, as a sentence; empty if it is
    not. Other jobs are sent all the same."""
    if disk.is_full(settings):
        return "The disk of this platform is almost full, so no match is sent until it has room."
    return ""


def why_not(session: Session, row: Match) -> str:
    """Returns the reason why this queued match may not be sent, as a sentence; empty if it may."""
    if row.comparison_id is not None:
        comparison = session.get(Comparison, row.comparison_id)
        if comparison is None or comparison.state != ComparisonState.RUNNING:
            return "Its comparison is over."
    if why := paused(row.league, row.season):
        return why
    versions = [seat.version for seat in row.seats]
    for one in versions:
        if one.state == VersionState.QUARANTINED:
            return f"{one.bot.full_name} is in quarantine; it plays on once it was tried out alone."
    if not all(one.owner.trusted for one in versions) and not wall(session).walled:
        return "An arena has no wall around bots, so matches of authors' bots wait."
    return ""


def paused(league: League, season: Season | None) -> str:
    """Returns the reason why no match of the season, or else of the league, is sent; empty if there
    is none."""
    if season is not None:
        running = season.state == SeasonState.RUNNING
        return "" if running else f"The season {season.name} is {season.state}."
    if league.paused:
        return f"The league {league.name} is paused until an operator resumes it."
    return ""


def _place(session: Session, row: Match, under_way: dispatch.UnderWay) -> int:
    """The match's place among all queued ones, as leagues, seasons and comparisons take turns."""
    mine = (row.league_id, row.season_id)
    before = tuple_(Match.number, Match.id) < tuple_(row.number, row.id)
    compared = _compared(session)
    reached = {one: under_way[one] for one in compared}
    if row.comparison_id is not None:
        own = (*mine, row.comparison_id)
        ahead = count_rows(
            session, Match, _QUEUED, Match.comparison_id == row.comparison_id, before
        )
        turn = reached.get(own, under_way[own]) + ahead + 1
        ahead += _sooner(turn, ((reached[one], compared[one]) for one in compared if one != own))
        turn = sum(reached.values()) + ahead + 1
    else:
        ahead = count_rows(session, Match, *_of(mine), before)
        turn = under_way[*mine, None] + ahead + 1
        ahead += _sooner(turn, [(sum(reached.values()), sum(compared.values()))])
    outside = None if row.comparison_id is not None else mine
    others = [one for one in dispatch.waiting_scopes(session) if one != outside]
    waiting = _outside_comparisons(session)
    return ahead + _sooner(turn, ((under_way[*one, None], waiting[one]) for one in others)) + 1


def _sooner(turn: int, others: Iterable[tuple[int, int]]) -> int:
    """The number of matches that are sent before a scope's turn; `others` has (under way, queued)
    of each other scope."""
    return sum(min(queued, max(0, turn - under_way)) for under_way, queued in others)


def _compared(session: Session) -> dict[dispatch.Scope, int]:
    """The number of queued matches of each comparison."""
    scope = (Match.league_id, Match.season_id, Match.comparison_id)
    found = select(*scope, func.count()).where(_QUEUED, Match.comparison_id.is_not(None))
    return {
        (league, season, comparison): count
        for league, season, comparison, count in session.execute(found.group_by(*scope))
    }


def _outside_comparisons(session: Session) -> Counter[tuple[int, int | None]]:
    """The number of queued matches of each league or season, without comparisons."""
    scope = (Match.league_id, Match.season_id)
    found = select(*scope, func.count()).where(_QUEUED, Match.comparison_id.is_(None))
    rows = session.execute(found.group_by(*scope))
    return Counter({(league, season): count for league, season, count in rows})


def _of(scope: tuple[int, int | None]) -> tuple[ColumnElement[bool], ...]:
    league, season = scope
    outside = () if season is not None else (Match.comparison_id.is_(None),)
    return (Match.league_id == league, Match.season_id == season, _QUEUED, *outside)


def jobs_ahead_text(place: int, one: str, many: str = "") -> str:
    """Returns a sentence with the number of jobs of a kind before the one with this place."""
    if place == 1:
        return _NEXT
    before = f"{place - 1:,} {many or one + 's'} come" if place > 2 else f"One {one} comes"
    return f"{before} before it."
