"""Compares versions of an author's bot: starts a comparison, plays it in batches, and ends it.

Each author has a daily budget of bouts. `interim_results` evaluates the results. A batch is
scheduled once every match of the previous batch is final, so the finding depends on the results
alone.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from sqlalchemy import case, func, select

from matchbox import registry
from matchbox.errors import BadOption, Conflict, Forbidden, TooMany
from matchbox.league.sprt import MAX_BOUTS, Trial
from server.db.models import (
    UNFINISHED,
    Bot,
    Comparison,
    ComparisonState,
    League,
    Match,
    MatchState,
    Standing,
    User,
    Version,
    VersionState,
    VoidCause,
)
from server.db.session import compare_and_set, count_rows
from server.services import audit, exclusions, interim_results, notices
from server.services.accounts import require_owner
from server.services.events import publish
from server.services.fixtures import Fixture, deals_of, schedule
from server.services.interim_results import Plan
from server.services.leagues import field_of
from server.services.lookup import find_bot, find_comparison, versions_of
from server.services.match_sizing import MatchSizer
from server.services.standings import scope_of
from server.times import DAY_MS, lately, seconds_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

LOOK: Final = 100
"""The least number of bouts between two looks at the results."""
MIN_LOOKS: Final = 20
"""The least number of looks at the results: matches are kept short enough for it, however fast the
bots are."""
MAX_OTHERS: Final = 8
CANCELLED: Final = 100
"""The number of cancelled comparisons of a day after which an account starts no more: their matches
were made, though what was not played is not counted."""
COMPARED: Final = (VersionState.ACTIVE, VersionState.ACCEPTED)
_PLAYING: Final = (*COMPARED, VersionState.QUARANTINED)
"""The states of versions with which a comparison continues. With one in quarantine, it waits."""


def start(
    session: Session,
    actor: User,
    name: str,
    *,
    challenger: int | None = None,
    defender: int | None = None,
    field: int = 0,
    games: int = MAX_BOUTS,
    bounds: Sequence[float] = (0.0, 20.0),
    settings: Settings,
    now: int,
) -> Comparison:
    """Starts a comparison of two versions of the bot owner/name, and queues its first batch.

    A name without an owner means one of the actor's own bots. `default_versions` chooses the
    version numbers that are not given. With a `field`, both versions play that many of the league's
    best bots instead of each other. Raises UnknownGame if the game is not installed, Forbidden,
    NotFound, BadOption, Conflict or TooMany.
    """
    bot = _bot_to_compare(session, actor, name, settings)
    one, other = _versions(session, bot, challenger, defender)
    league = session.scalar(select(League).where(League.name == bot.game))
    if league is None:
        raise Conflict(f"there is no league of {bot.game} to compare in")
    others = _others(session, league, bot, field)
    row = Comparison(
        owner_id=actor.id,
        league=league,
        challenger=one,
        defender=other,
        field=[version.id for version in others],
        bounds=_bounds(bounds, games),
        deals=1,
        seed=secrets.token_hex(16),
        created_at=now,
    )
    row.deals = _deals(session, row, games, settings)
    plan = Plan.of(row)
    row.most = _whole_deals(games, plan)
    row.result = {**interim_results.begin(row, plan)}
    _check_budget(session, actor, row.most, settings, now)
    session.add(row)
    session.flush()
    first = _next_batch(session, row, plan)
    schedule(session, league, first, comparison=row, settings=settings, now=now)
    _publish_state(session, row, now)
    return row


def _bot_to_compare(session: Session, actor: User, name: str, settings: Settings) -> Bot:
    if not settings.comparison_games:
        raise Forbidden("the operator has switched off comparisons").to_everybody()
    bot = find_bot(session, name, actor)
    require_owner(actor, bot.owner_id)
    registry.package_of(bot.game)
    return bot


def cancel(session: Session, actor: User, number: int, *, now: int) -> None:
    """Cancels the comparison with that number; its unfinished matches become void.

    Its owner gets a notice if somebody else cancels it. Raises Forbidden, NotFound or Conflict.
    """
    comparison = find_comparison(session, number)
    require_owner(actor, comparison.owner_id)
    if comparison.state != ComparisonState.RUNNING:
        raise Conflict(f"comparison {comparison.id} is {comparison.state} already")
    _end(session, comparison, ComparisonState.CANCELLED, "it was cancelled", now)
    if actor.id != comparison.owner_id:
        audit.note(session, actor, "comparison.cancel", f"comparison:{comparison.id}", now=now)
        _notify_of_end(session, comparison, now)


def cancel_all(session: Session, owner: User, *, now: int) -> None:
    """Cancels all comparisons of an account that is being closed or deleted."""
    mine = (Comparison.owner_id == owner.id, Comparison.state == ComparisonState.RUNNING)
    for comparison in session.scalars(select(Comparison).where(*mine)).all():
        _end(session, comparison, ComparisonState.CANCELLED, "its account was closed", now)


def due(session: Session) -> list[int]:
    """Returns the numbers of the running comparisons whose matches are all final."""
    left = select(Match.id).where(Match.comparison_id == Comparison.id, Match.state.in_(UNFINISHED))
    running = (Comparison.state == ComparisonState.RUNNING, ~left.exists())
    return list(session.scalars(select(Comparison.id).where(*running).order_by(Comparison.id)))


def advance(session: Session, number: int, *, settings: Settings, now: int) -> None:
    """Evaluates a comparison that is due, and ends it or schedules its next batch.

    Does nothing if the comparison is not due.
    """
    row = session.get_one(Comparison, number)
    if number not in due(session):
        return
    if why := _why_gone(row) or interim_results.why_untestable(row):
        _end(session, row, ComparisonState.CANCELLED, why, now)
        _notify_of_end(session, row, now)
        return
    plan = Plan.of(row)
    following = _next_batch(session, row, plan)
    interim_results.update_result(session, row, plan, last=not following)
    if not following or interim_results.is_clear(row):
        _end(session, row, ComparisonState.FINISHED, "", now)
    elif why := _obstacle(session, row):
        _end(session, row, ComparisonState.CANCELLED, why, now)
    else:
        schedule(session, row.league, following, comparison=row, settings=settings, now=now)
        _publish_state(session, row, now)
    if row.state != ComparisonState.RUNNING:
        _notify_of_end(session, row, now)


def left_today(session: Session, user: User, settings: Settings, *, now: int) -> int:
    """Returns how many bouts the account may still ask for before midnight, UTC.

    A running comparison counts with the most bouts that it may play, a finished one with the bouts
    that it has played.
    """
    counted = case(
        (Comparison.state == ComparisonState.RUNNING, Comparison.most), else_=Comparison.games
    )
    today = _today(user, now)
    used = session.scalar(select(func.sum(counted)).where(*today)) or 0
    return max(0, settings.comparison_games - used)


def _today(user: User, now: int) -> tuple[ColumnElement[bool], ...]:
    """The conditions for the comparisons that the account has started since midnight, UTC."""
    since = lately(Comparison.created_at, now % DAY_MS + 1, now)
    return Comparison.owner_id == user.id, since


def _check_budget(session: Session, user: User, games: int, settings: Settings, now: int) -> None:
    mine = (Comparison.owner_id == user.id, Comparison.state == ComparisonState.RUNNING)
    running = count_rows(session, Comparison, *mine)
    if running >= settings.comparisons_at_once:
        raise TooMany(
            f"{running} of your comparisons are running, and no more are allowed at a time; wait "
            "until one is over, or cancel it"
        )
    midnight_s = seconds_until(now - now % DAY_MS + DAY_MS, now)
    ended = (Comparison.state == ComparisonState.CANCELLED, *_today(user, now))
    cancelled = count_rows(session, Comparison, *ended)
    if cancelled >= CANCELLED:
        raise TooMany(
            f"{cancelled} of your comparisons were cancelled today, and no more are started; try "
            "again after midnight, UTC",
            midnight_s,
        )
    left = left_today(session, user, settings, now=now)
    if games > left:
        raise TooMany(
            f"you asked for {games} bouts, and you have {left} of {settings.comparison_games} left "
            "for today; ask for fewer, or again after midnight, UTC",
            midnight_s if games <= settings.comparison_games else None,
        )


def default_versions(
    numbers: Sequence[int],
    active: int | None,
    *,
    challenger: int | None = None,
    defender: int | None = None,
) -> tuple[int | None, int | None]:
    """Returns the challenger and the defender, choosing from `numbers` those that are not given.

    The challenger is the newest version. The defender is the active version, or the newest of the
    others if the challenger is the active one. A number is None if there is no version to choose.
    """
    if challenger is None:
        challenger = max((one for one in numbers if one != defender), default=None)
    if defender is None:
        others = [one for one in numbers if one != challenger]
        defender = active if active in others else max(others, default=None)
    return challenger, defender


def _versions(
    session: Session, bot: Bot, challenger: int | None, defender: int | None
) -> tuple[Version, Version]:
    """The challenger and the defender, for which see `default_versions`. Raises Conflict."""
    if bot.retired_at is not None:
        raise Conflict(f"{bot.full_name} is retired")
    known = {one.number: one for one in versions_of(session, bot) if one.state in COMPARED}
    active = next((one.number for one in known.values() if one.state == VersionState.ACTIVE), None)
    numbers = default_versions(list(known), active, challenger=challenger, defender=defender)
    for field, number in zip(("challenger", "defender"), numbers, strict=True):
        if number not in known:
            named = "other accepted version" if known else "accepted version"
            named = named if number is None else f"accepted version {number}"
            raise Conflict(f"{bot.full_name} has no {named} to compare").of(field)
    one, other = (known[number] for number in numbers if number is not None)
    if one is other:
        raise Conflict(
            f"version {one.number} would meet itself; name another version of {bot.full_name}"
        ).of("challenger", "defender")
    return one, other


def _others(session: Session, league: League, bot: Bot, count: int) -> Sequence[Version]:
    """Up to `count` active versions of other owners, best first. Raises BadOption or Conflict."""
    if not 0 <= count <= MAX_OTHERS:
        raise BadOption(f"a field has 0 to {MAX_OTHERS} bots, not {count}").of("field")
    if not count:
        return []
    field = [one for one in field_of(session, league) if one.bot.owner_id != bot.owner_id]
    standing = session.get(Standing, scope_of(league))
    lines = standing.lines if standing is not None else []
    place = {line["version_id"]: number for number, line in enumerate(lines)}
    field.sort(key=lambda one: (place.get(one.id, len(place)), one.id))
    if not field:
        raise Conflict(f"nobody else plays {league.game} here; compare without a field").of("field")
    return field[:count]


def _bounds(bounds: Sequence[float], games: int) -> list[float]:
    if not 1 <= games <= MAX_BOUTS:
        raise BadOption(f"a comparison has up to {MAX_BOUTS} bouts, not {games}").of("games")
    try:
        low, high = bounds
        trial = Trial(low, high)
    except ValueError as error:
        raise BadOption(f"these bounds cannot be tested: {error}") from None
    if not -1000 <= low < high <= 1000:
        raise BadOption("the bounds of a comparison lie between -1000 and 1000 Elo")
    return [trial.lower, trial.upper]


def _deals(session: Session, row: Comparison, games: int, settings: Settings) -> int:
    """The number of deals of each match.

    It is the league's own number if an operator has named one, or if `match_seconds` is 0.
    Otherwise a match takes `match_seconds`, unless that leaves fewer than MIN_LOOKS looks or
    takes more than `games` bouts. The number decides when the results are looked at, and affects
    the finding in no other way.
    """
    if not (row.league.paced and settings.match_seconds):
        return row.league.deals
    plan = Plan.of(row)
    most = min(games, max(LOOK, games // MIN_LOOKS)) // plan.bouts
    return max(1, min(most, MatchSizer(session, row.league).deals(plan.tables, settings)))


def _whole_deals(games: int, plan: Plan) -> int:
    """The number of games, rounded down to a multiple of the plan's bouts.

    Raises BadOption if that is 0.
    """
    if games < plan.bouts:
        raise BadOption(f"the smallest batch takes {plan.bouts} bouts here; ask for that many").of(
            "games"
        )
    return games - games % plan.bouts


def _next_batch(session: Session, row: Comparison, plan: Plan) -> list[Fixture]:
    """The matches of the next batch; empty if the comparison has played all its games."""
    last = session.scalar(select(func.max(Match.number)).where(Match.comparison_id == row.id))
    first = 0 if last is None else (last + 1) // len(plan.tables)
    several = -(-LOOK // plan.bouts)
    groups = range(first, min(first + several, row.most // plan.bouts))
    deals = {group: deals_of(row.seed, group, row.deals) for group in groups}
    return [
        Fixture(group * len(plan.tables) + place, table, deals[group])
        for group in groups
        for place, table in enumerate(plan.tables)
    ]


def _why_gone(row: Comparison) -> str:
    """The reason why no result of the comparison can be read; empty if the game is installed."""
    game = row.league.game
    return "" if game in registry.packages() else f"the game {game} is not installed any more"


def _obstacle(session: Session, row: Comparison) -> str:
    """The reason why the comparison cannot go on; empty if it can."""
    old = (Match.comparison_id == row.id, Match.rules != row.league.rules)
    if session.scalar(select(Match.id).where(*old).limit(1)) is not None:
        return f"the rules of {row.league.game} have changed"
    everybody = {row.challenger_id, row.defender_id, *row.field}
    gone = (Version.id.in_(everybody), Version.state.not_in(_PLAYING))
    version = session.scalar(select(Version).where(*gone).order_by(Version.id).limit(1))
    if version is not None:
        return f"version {version.number} of {version.bot.full_name} is {version.state}"
    of_closed = (Bot.versions.any(Version.id.in_(everybody)), User.closed_at.is_not(None))
    bot = session.scalar(select(Bot).join(Bot.owner).where(*of_closed).order_by(Bot.id).limit(1))
    return "" if bot is None else f"the account of {bot.full_name} is closed"


def _end(session: Session, row: Comparison, state: ComparisonState, why: str, now: int) -> None:
    """Ends the comparison. Its unfinished matches become void; those under way count as played.

    Without the game nobody knows how many bouts a match has, so then those since the last look are
    left out.
    """
    mine, games = Match.comparison_id == row.id, row.games
    if not _why_gone(row):
        sent = Match.state.in_((MatchState.FINISHED, MatchState.RUNNING))
        plan = Plan.of(row)
        played = count_rows(session, Match, mine, sent) * plan.bouts // len(plan.tables)
        games = max(games, played)
    exclusions.make_void(session, VoidCause.COMPARED, why, mine, now=now)
    values = {
        "state": state,
        "finished_at": now,
        "games": games,
        "result": {**interim_results.result_of(row), "why": why},
    }
    compare_and_set(session, row, values, Comparison.state == ComparisonState.RUNNING)
    _publish_state(session, row, now)


def _publish_state(session: Session, row: Comparison, now: int) -> None:
    publish(session, f"comparison.{row.state}", row.id, now=now)


def _notify_of_end(session: Session, row: Comparison, now: int) -> None:
    text = (
        f"The comparison of {row.challenger.bot.full_name} is over after {row.games} bouts: "
        f"{interim_results.finding(row)}."
    )
    subject = f"comparison:{row.id}"
    notices.notify_account(session, row.owner_id, "comparison-end", subject, text, now=now)
