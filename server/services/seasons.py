"""Takes seasons through their states: draft, open, frozen with fixed versions, running, finished.

The same seed and the same entered bytes lead to the same season in every database: to the same
matches, deals and records, and the same digest of the standing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from matchbox import registry
from matchbox.errors import BadName, BadOption, Conflict, UnknownGame
from matchbox.league.format import Format, Given, given, write
from server.db.models import (
    UNDER_WAY,
    UPCOMING,
    Bot,
    Entry,
    League,
    Match,
    Season,
    SeasonState,
    Version,
    VersionState,
    VoidCause,
)
from server.db.session import compare_and_set
from server.services import (
    admission,
    audit,
    classes,
    divisions,
    events,
    exclusions,
    lessons,
    rounds,
    standings,
    starts,
)
from server.services.accounts import require_operator
from server.services.league_settings import changed_format, format_of
from server.services.leagues import adopt_rules, check_deals
from server.services.lookup import find_league, find_season

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User
    from server.services.standings import ComputedStanding

_LIVING: Final = (*UPCOMING, *UNDER_WAY)


def create(
    session: Session,
    actor: User,
    *,
    name: str,
    league: str,
    cycles: int | None = None,
    deals: int | None = None,
    seed: str | None = None,
    format: Given[Format] | None = None,  # noqa: A002 - the season's own name for it
    draft: bool = False,
    now: int,
) -> Season:
    """Makes a season of that league, open for entries or a draft.

    Fields that `format` leaves out are those of the league; `cycles` is short for the field of that
    name, and may not contradict it. A season with a given seed can be repeated, so its number of
    deals is fixed here and does not follow from the bots' speed.

    Raises Forbidden, BadName, BadOption, NotFound (no such league), Conflict (name or seed taken).
    """
    require_operator(actor)
    where = find_league(session, league)
    _check_name(session, name)
    form = dict(format.fields) if format else {}
    if cycles is not None:
        _check_cycles(cycles, form)
        form["cycles"] = cycles
    if seed is not None:
        _check_seed(session, seed)
    if deals is not None or seed is not None:
        deals = check_deals(where.deals if deals is None else deals)
    state = SeasonState.DRAFT if draft else SeasonState.OPEN
    given_form = given(Format, form)
    changed_format(where, given_form)
    made = add(
        session, where, name=name, form=given_form, deals=deals, seed=seed, state=state, now=now
    )
    if not draft:
        classes.enter_members(session, where, season=made, now=now)
    audit.note(session, actor, "season.create", f"season:{made.id}", form, now=now)
    return made


def add(
    session: Session,
    league: League,
    *,
    name: str,
    form: Given[Format] | None = None,
    deals: int | None = None,
    seed: str | None = None,
    state: SeasonState = SeasonState.OPEN,
    now: int,
) -> Season:
    """Makes the league's next edition, without bots. Raises BadOption; checks only the format."""
    played = form.replace_in(format_of(league)) if form else format_of(league)
    newest = select(func.max(Season.edition)).where(Season.league_id == league.id)
    season = Season(
        league=league,
        name=name,
        state=state,
        format=write(played),
        edition=1 + (session.scalar(newest) or 0),
        cycles=played.cycles,
        deals=league.deals if deals is None else deals,
        paced=league.paced and deals is None,
        seed=seed or secrets.token_hex(16),
        created_at=now,
        starts_at=starts.of_new_season(session, league, now=now),
    )
    session.add(season)
    session.flush()
    if state == SeasonState.OPEN:
        events.publish(session, "season.open", season.id, now=now)
    return season


def publish(session: Session, actor: User, name: int | str, *, now: int) -> None:
    """Opens a draft for entries. A start that has passed is moved to the schedule's next time.

    Raises Forbidden, NotFound or Conflict.
    """
    season = _season_for_operator(session, actor, name)
    values = {}
    if season.starts_at is not None and season.starts_at <= now:
        values["starts_at"] = starts.free_start(session, season.league, but=season.edition, now=now)
    _change(session, season, (SeasonState.DRAFT,), SeasonState.OPEN, now, **values)
    classes.enter_members(session, season.league, season=season, now=now)
    audit.note(session, actor, "season.open", f"season:{season.id}", now=now)


def freeze(session: Session, actor: User, name: int | str, *, now: int) -> list[Season]:
    """Fixes the versions of an open season, and divides it; returns the divisions.

    If the league says so, first enters every bot that may play. A version that becomes active later
    does not play. Raises Forbidden, NotFound, or Conflict if the season is not open, has too few
    bots, or a bot has no active version.
    """
    season = _season_for_operator(session, actor, name)
    made = _freeze(session, season, now)
    audit.note(session, actor, "season.freeze", f"season:{season.id}", now=now)
    return made


def start(
    session: Session, actor: User, name: int | str, *, settings: Settings, now: int
) -> list[str]:
    """Starts all divisions of an edition; returns the ids of the first matches, now queued.

    An open season is frozen first. Raises Forbidden, NotFound, or Conflict if it cannot be played.
    """
    season = _season_for_operator(session, actor, name)
    return begin(session, actor, season, settings=settings, now=now)


def begin(
    session: Session, actor: User | None, season: Season, *, settings: Settings, now: int
) -> list[str]:
    """Starts a season like `start`, but does not check the actor's rights. Raises Conflict.

    If the schedule starts it (`actor` is None), bots without an active version are left out.
    """
    left_out = []
    if season.state == SeasonState.OPEN:
        left_out = admission.leave_out_idle(session, season, now=now) if actor is None else []
        _freeze(session, season, now)
    require_state(season, SeasonState.FROZEN, "a season starts once, open or frozen")
    spec = registry.game(season.league.game).spec
    if season.league.rules != spec.rules:
        adopt_rules(season.league, spec)
    matches = []
    for row in divisions.divisions_of(session, season):
        _change(session, row, (SeasonState.FROZEN,), SeasonState.RUNNING, now, started_at=now)
        row.trouble = ""
        matches += rounds.open_first(session, row, settings=settings, now=now)
    detail = {"left_out": left_out} if left_out else {}
    audit.note(session, actor, "season.start", f"season:{season.id}", detail, now=now)
    return matches


def pause(session: Session, actor: User, name: int | str, *, now: int) -> None:
    """Pauses all divisions of the edition: no more matches are sent, those under way finish.

    Raises Forbidden, NotFound or Conflict.
    """
    running, paused = (SeasonState.RUNNING,), SeasonState.PAUSED
    _change_all(session, actor, name, "season.pause", running, paused, now)


def pause_outdated(session: Session, *, now: int) -> None:
    """Pauses the seasons whose game is not installed any more, or has other rules than they began
    with: no arena can play their matches."""
    for season in session.scalars(select(Season).where(Season.state == SeasonState.RUNNING)).all():
        if why := _why_outdated(session, season):
            stop(session, season, why, now=now)


def stop(session: Session, season: Season, why: str, *, now: int) -> None:
    """Pauses a running season that cannot go on, and stores the reason, which its page shows.

    Raises Conflict if it is not running.
    """
    _change(session, season, (SeasonState.RUNNING,), SeasonState.PAUSED, now)
    season.trouble = events.storable(why, 500)
    audit.note(session, None, "season.pause", f"season:{season.id}", {"why": why}, now=now)


def stopped(session: Session) -> list[tuple[str, str]]:
    """Returns the names of the seasons that paused because they cannot go on, with the reasons."""
    paused = (Season.state == SeasonState.PAUSED, Season.trouble != "")
    found = session.execute(select(Season.name, Season.trouble).where(*paused).order_by(Season.id))
    return [(name, why) for name, why in found]


def resume(session: Session, actor: User, name: int | str, *, now: int) -> None:
    """Resumes all divisions of the edition. Raises Forbidden, NotFound or Conflict."""
    paused, running = (SeasonState.PAUSED,), SeasonState.RUNNING
    for season in _change_all(session, actor, name, "season.resume", paused, running, now):
        if why := _why_outdated(session, season):
            raise Conflict(f"season {season.name} cannot go on: {why}; cancel it")
        season.trouble = ""


def cancel(session: Session, actor: User, name: int | str, *, now: int) -> None:
    """Ends all unfinished divisions of the edition; their unplayed matches become void.

    Lessons that are not over end, too. Raises Forbidden, NotFound or Conflict.
    """
    over = SeasonState.CANCELLED
    ended = _change_all(session, actor, name, "season.cancel", _LIVING, over, now, finished_at=now)
    numbers, why = [row.id for row in ended], "the season was cancelled"
    exclusions.make_void(session, VoidCause.CANCELLED, why, Match.season_id.in_(numbers), now=now)
    lessons.cancel(session, numbers, now=now)
    for row in ended:  # Results may have come since the standing was computed last.
        standings.mark(session, row)


def finish(
    session: Session, fresh: ComputedStanding, *, places: Sequence[int] = (), now: int
) -> Season:
    """Finishes a season with its final standing; `places` is the final order of a knock-out.

    Raises Conflict if the season has ended already.
    """
    season = session.get_one(Season, int(fresh.scope.partition(":")[2]))
    _change(session, season, UNDER_WAY, SeasonState.FINISHED, now, finished_at=now)
    season.places = list(places)
    standings.store(session, fresh, now=now)
    return season


def _freeze(session: Session, season: Season, now: int) -> list[Season]:
    require_state(season, SeasonState.OPEN, "only an open season can be frozen")
    _fix_versions(session, season)
    admission.enter_everybody(session, season)
    fewest = divisions.fewest_bots(season.league)
    if len(season.entries) < fewest:
        raise Conflict(f"season {season.name} has fewer than {fewest} bots; enter more")
    made = divisions.divide(session, season, now=now)
    for row in made:
        _change(session, row, (SeasonState.OPEN,), SeasonState.FROZEN, now)
    return made


def _fix_versions(session: Session, season: Season) -> None:
    inside = select(Entry.bot_id).where(Entry.season_id == season.id)
    query = select(Version).where(Version.bot_id.in_(inside), Version.state == VersionState.ACTIVE)
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    active = {version.bot_id: version for version in session.scalars(query.options(with_owner))}
    idle = [entry.bot.full_name for entry in season.entries if entry.bot_id not in active]
    if idle:
        names = ", ".join(sorted(idle))
        raise Conflict(
            f"these bots have no active version: {names}; take them out of the season, or wait for "
            "those that are being tried out"
        )
    for entry in season.entries:
        entry.version = active[entry.bot_id]
    session.flush()


def _why_outdated(session: Session, season: Season) -> str:
    """Why no arena can play the season's matches; empty if they can be played."""
    try:
        spec = registry.game(season.league.game).spec
    except UnknownGame:
        return f"the game {season.league.game} is not installed any more"
    begun = session.scalar(select(Match.rules).where(Match.season_id == season.id).limit(1))
    changed = begun is not None and begun != spec.rules
    return f"the rules of {spec.title} have changed since it began" if changed else ""


def require_state(season: Season, state: SeasonState, why: str) -> None:
    """Raises Conflict unless the season is in that state; `why` ends the message."""
    if season.state != state:
        raise Conflict(f"season {season.name} is {season.state}; {why}")


def _change_all(
    session: Session,
    actor: User,
    name: int | str,
    action: audit.Action,
    before: Sequence[SeasonState],
    after: SeasonState,
    now: int,
    **values: int | None,
) -> list[Season]:
    """Changes the state of those divisions of the season's edition whose state is in `before`.

    Returns them. Raises Forbidden, NotFound, or Conflict if the season is over or there are none.
    """
    season = _season_for_operator(session, actor, name)
    taken = [row for row in divisions.divisions_of(session, season) if row.state in before]
    if season.state not in _LIVING:
        step = action.removeprefix("season.")
        what = f"name {taken[0].name!r}, which is not" if taken else f"nothing is left to {step}"
        raise Conflict(f"season {season.name} is {season.state}; {what}")
    for row in taken or [season]:  # The season itself: its state is wrong, which is an error.
        _change(session, row, before, after, now, **values)
        audit.note(session, actor, action, f"season:{row.id}", now=now)
    return taken


def _season_for_operator(session: Session, actor: User, name: int | str) -> Season:
    """The season with that number or name, for an operator. Raises Forbidden or NotFound."""
    require_operator(actor)
    return find_season(session, name, actor)


def _change(
    session: Session,
    season: Season,
    before: Sequence[SeasonState],
    after: SeasonState,
    now: int,
    **values: int | None,
) -> None:
    """Sets the season's state. Raises Conflict unless its state is one of `before`."""
    if not compare_and_set(session, season, {"state": after, **values}, Season.state.in_(before)):
        wanted = " or ".join(before)
        raise Conflict(f"season {season.name} is {season.state}; it must be {wanted}")
    events.publish(session, f"season.{after}", season.id, now=now)


def _check_name(session: Session, name: str) -> None:
    longest = divisions.LONGEST_NAME
    if not 1 <= len(name) <= longest or not name.isprintable() or name != name.strip():
        raise BadName(
            f"a season's name has 1 to {longest} printable characters, no space at its ends"
        ).of("name")
    if name.isdecimal() or name in registry.packages():
        raise BadName(f"{name!r} cannot be a season's name: it is a number, or names a game").of(
            "name"
        )
    if "/" in name or name in (".", ".."):  # An address cannot have it as one part.
        raise BadName(f"{name!r} cannot be a season's name: it has a slash, or only dots").of(
            "name"
        )
    if session.scalar(select(Season.id).where(Season.name == name)) is not None:
        raise Conflict(f"there is a season {name!r} already; choose another name").of("name")


def _check_cycles(cycles: int, form: Mapping[str, object]) -> None:
    if form.get("cycles", cycles) != cycles:
        raise BadOption(
            f"cycles is {cycles}, and {form['cycles']} in the format: leave out one of them"
        ).of("cycles")


def _check_seed(session: Session, seed: str) -> None:
    if not 16 <= len(seed) <= 64 or not seed.isprintable():
        raise BadOption(
            "a season's seed has 16 to 64 printable characters, and is nothing a bot could guess: "
            "its deals all follow from it"
        )
    if session.scalar(select(Season.id).where(Season.seed == seed)) is not None:
        raise Conflict(
            "another season has this seed; choose a new one: no deal is played in two seasons"
        )
