"""Creates and edits leagues: the default league of every game, and those that operators make."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final, get_args

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import contains_eager, defer

from matchbox import registry
from matchbox.bundle import check_name
from matchbox.errors import BadGame, BadName, BadOption, Conflict, quoted
from matchbox.game import check_seats, fill_options
from matchbox.league.format import Admission, Format, Given, Schedule, given, read, write
from matchbox.match.hosted_bout import check_decisions
from matchbox.match.wire import Separation
from matchbox.settings_of_play import MAX_DEALS
from server.db.models import (
    UNDER_WAY,
    UPCOMING,
    Bot,
    League,
    Match,
    Rating,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
    VersionState,
    VoidCause,
)
from server.services import audit, exclusions, starts
from server.services import schedule as cron
from server.services.accounts import require_operator
from server.services.league_settings import admission_of, changed_format, schedule_of
from server.services.lookup import find_league

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from matchbox.game import Game, Spec
    from matchbox.settings import Settings

TABLE: Final = 2
"""How many seats a table has by default."""
TEAM: Final = 3
"""How many seats a table has by default in a cooperative game, where one bot takes all seats."""
SEPARATIONS: Final[tuple[Separation, ...]] = get_args(Separation)


def create(
    session: Session,
    actor: User,
    *,
    name: str,
    game: str,
    options: Mapping[str, object] | None = None,
    seats: int | None = None,
    deals: int | None = None,
    continuous: bool = False,
    separation: str | None = None,
    format: Given[Format] | None = None,  # noqa: A002 - it is what the league calls it
    admission: Given[Admission] | None = None,
    schedule: Given[Schedule] | None = None,
    settings: Settings,
    now: int,
) -> League:
    """Makes a league in which seasons are played.

    A `continuous` league also has a ranked queue and a leaderboard of all active bots of the game.
    Limits on entry do not apply to these; they can be set later, for seasons of the league. A
    league with a schedule enters every active bot into its seasons, unless `admission` says
    otherwise. Seats, deals and options that are not given have the game's defaults.

    Raises Forbidden, BadName, BadOption, UnknownGame or Conflict.
    """
    require_operator(actor)
    played = registry.game(game)
    league = _new(played.spec, name, settings.match_deals, now)
    league.seats = league.seats if seats is None else seats
    league.options = check_new(session, name, played, league.seats, options or {})
    _set_deals(league, deals)
    scheduled = _gets_times(schedule)
    if continuous:
        _check_endless(name, admission, scheduled)
    league.continuous = continuous
    _set_separation(league, separation)
    admitted = {"everybody": scheduled, **(admission.fields if admission else {})}
    _set(league, format, given(Admission, admitted), schedule, now)
    session.add(league)
    session.flush()
    fields = {"separation": separation, "format": format, "schedule": schedule}
    _note(session, actor, "league.create", league, {**fields, "admission": admission}, now)
    return league


def check_new(
    session: Session, name: str, game: Game, seats: int, options: Mapping[str, object]
) -> dict[str, str | int | bool]:
    """Returns every option of a new league. Raises BadName, BadOption or Conflict if its name,
    seats or options cannot be."""
    if check_name(name) in registry.packages():
        raise BadName(f"{name!r} is the default league of a game; choose another name").of("name")
    if session.scalar(select(League.id).where(League.name == name)) is not None:
        raise Conflict(f"there is a league {name!r} already; choose another name").of("name")
    filled = fill_options(game.spec, options)
    check_seats(game.spec, seats)
    check_decisions(game, seats, filled)
    return filled


def edit(
    session: Session,
    actor: User,
    name: str,
    *,
    deals: int | None = None,
    paced: bool | None = None,
    separation: str | None = None,
    format: Given[Format] | None = None,  # noqa: A002 - as in `create`
    admission: Given[Admission] | None = None,
    schedule: Given[Schedule] | None = None,
    now: int,
) -> None:
    """Changes those settings of the league that are given.

    A format applies to seasons made from now on; a number of deals also to ranked matches scheduled
    from now on, and to comparisons; everything else at once. With `paced` the number of deals
    follows from the bots' speed again. Admission applies to seasons only, even in a continuous
    league. Raises Forbidden, NotFound, BadOption, or Conflict if a continuous league would get a
    schedule.
    """
    require_operator(actor)
    if paced and deals is not None:
        raise BadOption(
            "with paced the bots' speed decides the number of deals: leave out deals or paced"
        ).of("deals")
    league = find_league(session, name)
    if league.continuous and _gets_times(schedule):
        raise Conflict(f"{league.name} is continuous; make another league for a schedule")
    _set_deals(league, deals)
    if paced is not None and deals is None:
        league.paced = paced
    _set_separation(league, separation)
    before = schedule_of(league)
    _set(league, format, admission, schedule, now)
    session.flush()
    if schedule_of(league) != before:  # A form sends the same one: what is due must not move.
        _reschedule(session, league, now)
    fields = {
        "deals": deals,
        "paced": paced,
        "separation": separation,
        "format": format,
        "admission": admission,
        "schedule": schedule,
    }
    _note(session, actor, "league.edit", league, fields, now)


def ensure_default_leagues(
    session: Session, games: Iterable[Game], settings: Settings, *, now: int
) -> list[League]:
    """Returns the default league of every game, and creates those that are missing.

    If a game has new rules, the ratings of all its continuous leagues start again. Matches that
    wait for a game that is not installed any more become void. Raises BadGame if a league of
    another game has the name of a game.
    """
    not_installed = (League.continuous.is_(True), League.game.not_in(registry.packages()))
    for gone in session.scalars(select(League).where(*not_installed)):
        _make_waiting_void(session, gone, f"the game {gone.game} is not installed", now)
    leagues = []
    for spec in (game.spec for game in games):
        league = session.scalar(select(League).where(League.name == spec.name))
        if league is None:
            league = _new(spec, spec.name, settings.match_deals, now)
            league.continuous = True
            session.add(league)
            session.flush()
        elif league.game != spec.name:
            raise BadGame(
                f"a league of {league.game} has the name of the game {spec.name}; "
                "give the game another name, or uninstall it"
            )
        endless = (League.game == spec.name, League.continuous.is_(True))
        for old in session.scalars(select(League).where(*endless, League.rules != spec.rules)):
            _renew(session, old, spec, now)
        leagues.append(league)
    return leagues


def set_paused(session: Session, actor: User, name: str, paused: bool, *, now: int) -> None:
    """Pauses or resumes a continuous league's queue, or the schedule of any other league.

    A start that falls into the pause is skipped, unless the season before is still under way: the
    next one starts once that is over. A league that is paused, or resumed, already stays as it is.
    Raises Forbidden or NotFound.
    """
    require_operator(actor)
    league = find_league(session, name)
    if league.paused == paused:
        return
    league.paused = paused
    session.flush()
    if not paused and not _is_under_way(session, league):
        _reschedule(session, league, now)
    _note(session, actor, "league.pause" if paused else "league.resume", league, {}, now)


def active_in(league: League) -> Select[Version]:
    """Selects the active version of every bot of the league's game, the oldest first.

    Bots of closed accounts are left out.
    """
    playing = (Bot.game == league.game, Bot.retired_at.is_(None), User.closed_at.is_(None))
    query = select(Version).join(Version.bot).join(Bot.owner).where(*playing)
    # Without statistics SQLite would take the index of states, and read the bots of every game.
    state = func.coalesce(Version.state, VersionState.PENDING)
    return query.where(state == VersionState.ACTIVE).order_by(Version.id)


def field_of(session: Session, league: League) -> Sequence[Version]:
    """Returns what `active_in` selects, with bots and owners loaded, but without reports."""
    named = contains_eager(Version.bot).contains_eager(Bot.owner)
    return session.scalars(active_in(league).options(named, defer(Version.report))).all()


def check_deals(deals: int) -> int:
    """Returns the number of deals of a match. Raises BadOption unless it is 1 to MAX_DEALS."""
    if not 1 <= deals <= MAX_DEALS:
        raise BadOption(f"a match has 1 to {MAX_DEALS} deals, not {deals}").of("deals")
    return deals


def _check_endless(name: str, admission: Given[Admission] | None, scheduled: bool) -> None:
    """Raises Conflict for a schedule, or for limits on entry: they have no effect on a ranked
    queue."""
    if scheduled:
        raise Conflict(f"{name} cannot be both continuous and scheduled; leave one out")
    wanted = read(Admission, {"bots": None, **(admission.fields if admission else {})})
    limits = {"by": wanted.by == "invitation", "bots": wanted.bots is not None}
    if named := [field for field, limited in limits.items() if limited]:
        raise Conflict(
            f"{name} is continuous, and every active bot of its game plays in it, so "
            f"{' and '.join(named)} would limit nobody; leave them out, or make a league that "
            "plays seasons"
        )


def _gets_times(schedule: Given[Schedule] | None) -> bool:
    """Whether seasons are to start by themselves."""
    given_times = () if schedule is None else map(schedule.fields.get, ("once", "cron"))
    return any(time is not None for time in given_times)


def _set_separation(league: League, separation: str | None) -> None:
    """Sets the separation, if one is given, of matches sent from now on. Raises BadOption."""
    if separation is None:
        return
    for known in SEPARATIONS:
        if separation == known:
            league.separation = known
            return
    text = f"separation is {quoted(separation)}; it must be one of {', '.join(SEPARATIONS)}"
    raise BadOption(text).of("separation")


def _set_deals(league: League, deals: int | None) -> None:
    """Fixes the number of deals of a match, if one is given. Raises BadOption."""
    if deals is not None:
        league.deals, league.paced = check_deals(deals), False


def _set(
    league: League,
    format: Given[Format] | None,  # noqa: A002 - as in `create`
    admission: Given[Admission] | None,
    schedule: Given[Schedule] | None,
    now: int,
) -> None:
    """Replaces the fields that are given. Raises BadOption."""
    if format:
        league.format = write(changed_format(league, format))
    if admission:
        league.admission = write(admission.replace_in(admission_of(league)))
    if schedule:
        old = schedule_of(league)
        wanted = schedule.replace_in(old)
        cron.check(wanted, now, old)
        league.schedule = write(wanted)


def _is_under_way(session: Session, league: League) -> bool:
    played = (Season.league_id == league.id, Season.state.in_(UNDER_WAY))
    return bool(session.scalar(select(select(Season.id).where(*played).exists())))


def _reschedule(session: Session, league: League, now: int) -> None:
    """Moves the scheduled season that has not started yet to the schedule's next free time.

    If there is none, the season that waits for an operator gets a single start, an open one before
    a draft.
    """
    to_come = (Season.league_id == league.id, Season.state.in_(UPCOMING))
    timed = (*to_come, Season.starts_at.is_not(None))
    edition = session.scalar(select(Season.edition).where(*timed).limit(1))
    if edition is None and schedule_of(league).once is not None:
        first = (Season.state == SeasonState.DRAFT, Season.edition)
        chosen = select(Season.edition).where(*to_come).order_by(*first).limit(1)
        edition = session.scalar(chosen)
    starts_at = starts.free_start(session, league, but=edition, now=now)
    its_own = (*to_come, Season.edition == edition)
    session.execute(update(Season).where(*its_own).values(starts_at=starts_at))


def _note(
    session: Session,
    actor: User,
    action: audit.Action,
    league: League,
    changes: Mapping[str, object],
    now: int,
) -> None:
    """Writes those of the changes that are given to the audit log."""
    plain = {
        name: dict(value.fields) if isinstance(value, Given) else value
        for name, value in changes.items()
    }
    detail = {name: value for name, value in plain.items() if value not in (None, {})}
    audit.note(session, actor, action, f"league:{league.id}", detail, now=now)


def _new(spec: Spec, name: str, deals: int, now: int) -> League:
    return League(
        name=name,
        game=spec.name,
        rules=spec.rules,
        options=fill_options(spec, {}),
        seats=_seats_of(spec),
        deals=deals,
        paced=True,
        format={},
        admission={},
        schedule={},
        seed=secrets.token_hex(16),
        created_at=now,
    )


def _seats_of(spec: Spec) -> int:
    wanted = TEAM if spec.cooperative else TABLE
    return wanted if wanted in spec.seats else spec.seats[0]


def _still_allowed(spec: Spec, options: Mapping[str, object]) -> dict[str, object]:
    """The options that the game still has, each with a value that it still allows."""
    kept: dict[str, object] = {}
    for name, value in options.items():
        with suppress(BadOption):
            fill_options(spec, {name: value})
            kept[name] = value
    return kept


def adopt_rules(league: League, spec: Spec) -> None:
    """Gives the league the game's present rules, and every option that they have.

    Its own options stay if they are still allowed; a default league takes the defaults.
    """
    own = {} if league.name == spec.name else _still_allowed(spec, league.options)
    league.rules, league.options = spec.rules, fill_options(spec, own)


def _renew(session: Session, league: League, spec: Spec, now: int) -> None:
    """Gives the league new rules: waiting matches become void, and ratings start again."""
    adopt_rules(league, spec)
    _make_waiting_void(session, league, "the rules changed", now)
    session.execute(delete(Rating).where(Rating.league_id == league.id))
    session.execute(delete(Standing).where(Standing.scope == f"league:{league.id}"))
    session.flush()


def _make_waiting_void(session: Session, league: League, why: str, now: int) -> None:
    """Makes the league's unfinished matches void, but not those of its seasons."""
    old = (Match.league_id == league.id, Match.season_id.is_(None))
    exclusions.make_void(session, VoidCause.RULES, why, *old, now=now)
