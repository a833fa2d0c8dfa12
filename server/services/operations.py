"""The actions of operators: disqualify, reinstate, replay a round, recompute a standing.

Each action is refused if the state does not allow it. Each is written to the audit log, with its
reason if it needs one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from matchbox.errors import Conflict, NotFound
from server.db.models import (
    UNDER_WAY,
    Bot,
    Entry,
    Match,
    MatchSeat,
    MatchState,
    Result,
    Season,
    SeasonState,
    Standing,
    VersionState,
)
from server.services import (
    admission,
    audit,
    board_counts,
    classes,
    entries,
    exclusions,
    faults,
    notices,
    standings,
    voids,
)
from server.services.accounts import require_operator
from server.services.events import publish
from server.services.lookup import find_bot, find_league, find_season, find_version
from server.services.pair_counts import PairCountCache
from server.services.voids import reason_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.context import Context
    from server.db.models import User
    from server.services.accounts import Acting
    from server.services.standings import ComputedStanding

_WITH_VERSIONS: Final = (SeasonState.FROZEN, *UNDER_WAY, SeasonState.FINISHED)
TRIES: Final = 5
"""How often a standing is recomputed that changes meanwhile."""


class _Stale(Exception):
    """The stored standing has changed while it was computed."""


def disqualify(
    session: Session, actor: User, season_name: int | str, name: str, reason: str, *, now: int
) -> None:
    """Disqualifies the bot owner/name: the season goes on without it, and its matches do not count.

    It also leaves the schedule's next edition, which its owner may enter again.

    Raises Forbidden, NotFound (it is not in the season), BadOption (no reason), or Conflict if
    the season has not begun or was cancelled, or if the bot is disqualified already.
    """
    entry, why = _entry_for_operator(session, actor, season_name, name, reason)
    season, bot = entry.season, entry.bot
    if season.state == SeasonState.CANCELLED:
        raise Conflict(f"season {season.name} is cancelled; nothing counts in it any more")
    if season.state not in _WITH_VERSIONS:
        raise Conflict(
            f"season {season.name} is {season.state}; before its start take the bot out with "
            "`matchbox season leave`"
        )
    if entry.out == "disqualified":
        raise Conflict(f"{bot.full_name} is disqualified from season {season.name} already")
    void = exclusions.exclude_entry(session, entry, "disqualified", why, now=now)
    left = entries.leave_next_edition(session, season, bot, now=now)
    standings.mark(session, season)
    _note_season(
        session, actor, "season.disqualify", season, bot, {"reason": why, "void": void}, now
    )
    text = (
        f"{bot.full_name} is disqualified from season {season.name}: {why}. It gets no "
        "further matches there, and its matches in that season no longer count."
    )
    if left:
        text += " It also leaves the league's next season."
    text += " It is not entered into later seasons of the league by itself; you may enter it."
    subject = f"season:{season.id}"
    notices.notify_account(session, bot.owner_id, "disqualification", subject, text, now=now)


def reinstate(
    session: Session, actor: User, season_name: int | str, name: str, reason: str, *, now: int
) -> list[str]:
    """Takes a disqualification back; returns the ids of the new matches.

    The bot's matches count again. Those that became void with the disqualification are replaced by
    new ones, on the same deals if nobody could read these yet, else on fresh ones. The bot enters
    the schedule's next edition again. Raises the errors of `disqualify`, and Conflict if the bot
    cannot come back.
    """
    entry, why = _entry_for_operator(session, actor, season_name, name, reason)
    season, bot = entry.season, entry.bot
    if entry.out == "suspended" and bot.owner.deleted_at is not None:
        raise Conflict(f"{bot.full_name} plays no further matches: {exclusions.AUTHOR_GONE}")
    if entry.out == "suspended" and season.state == SeasonState.FINISHED:
        raise Conflict(
            f"season {season.name} is over; {bot.full_name} can play no more matches there, and "
            "those that it has played count"
        )
    if entry.out == "suspended":
        raise Conflict(
            f"{bot.full_name} is suspended for its faults; reinstate its version instead, with "
            "`matchbox admin reinstate-version`"
        )
    if entry.out != "disqualified":
        raise Conflict(f"{bot.full_name} is not disqualified from season {season.name}")
    if season.state not in _WITH_VERSIONS:
        raise Conflict(f"season {season.name} is {season.state}; nothing is played in it any more")
    knock_out = season.format.get("kind") == "knock-out" and season.state != SeasonState.FINISHED
    if knock_out and voids.has_opened(session, season, entry.out_at or 0):
        raise Conflict(f"season {season.name} is a knock-out and has gone on without the bot")
    playing = season.state != SeasonState.FINISHED
    if playing and entry.version is not None and entry.version.state == VersionState.SUSPENDED:
        raise Conflict(f"{bot.full_name} was suspended since; reinstate its version first")
    shut_out = bot.id in admission.shut_out(session, season.league)
    made = exclusions.restore_entry(session, entry, now=now)
    later = entries.enter_next_edition(session, season, bot, now=now) if shut_out else None
    standings.mark(session, season)
    _note_season(
        session, actor, "season.reinstate", season, bot, {"reason": why, "new": len(made)}, now
    )
    text = (
        f"{bot.full_name} is back in season {season.name}: {why}. What it has played there counts "
        "again."
    )
    if later is not None:
        text += f" It is also in season {later.name} again."
    subject = f"season:{season.id}"
    notices.notify_account(session, bot.owner_id, "reinstatement", subject, text, now=now)
    return [match.id for match in made]


def rerun(
    session: Session, actor: User, name: int | str, number: int | None, reason: str, *, now: int
) -> list[str]:
    """Makes every match of a season's round void, and replays it on fresh deals.

    Returns the ids of the new matches. Rounds count from 1; None means the last one opened. A match
    with a bot that is out of the season is not replayed. Raises Forbidden, BadOption (no reason),
    NotFound (no such season or round), or Conflict if the season is neither running nor paused, or
    if later rounds depend on this one.
    """
    require_operator(actor)
    season, why = find_season(session, name, actor), reason_of(reason)
    if season.state not in UNDER_WAY:
        raise Conflict(
            f"season {season.name} is {season.state}; only a season that is running or paused can "
            "do this"
        )
    number = season.round if number is None else number
    in_round = (Match.season_id == season.id, Match.round == number - 1)
    stands = (*in_round, Match.state != MatchState.VOID)
    with_seats = selectinload(Match.seats).joinedload(MatchSeat.version)
    counted = selectinload(Match.result).load_only(Result.record, Result.record_days)
    rows = select(Match).options(with_seats, counted)
    found = session.scalars(rows.where(*stands).order_by(Match.number)).all()
    if not found:
        raise NotFound(f"season {season.name} has no match to play again in round {number}").of(
            "round"
        )
    for match in found:
        voids.require_open(session, match)
    new = voids.void_all(session, found, why, again=True, fresh=True, now=now)
    detail = {"round": number, "reason": why, "void": len(found), "new": len(new)}
    _note_season(session, actor, "season.rerun", season, None, detail, now)
    return [match.id for match in new]


def recompute_season(context: Context, actor: User, acting: Acting[User], name: int | str) -> None:
    """Recomputes the standing of a season.

    Raises Forbidden, NotFound, Conflict if it keeps changing, or the errors of `acting`.
    """
    require_operator(actor)
    with context.read() as session:
        scope = standings.scope_of(find_season(session, name, actor))
    recompute_scope(context, acting, scope)


def recompute_league(context: Context, actor: User, acting: Acting[User], name: str) -> None:
    """Recomputes a league's standing and live ratings.

    Raises Forbidden, NotFound, Conflict if it keeps changing, or the errors of `acting`.
    """
    require_operator(actor)
    with context.read() as session:
        scope = standings.scope_of(find_league(session, name))
    recompute_scope(context, acting, scope)


def recompute(session: Session, actor: User, fresh: ComputedStanding, *, now: int) -> None:
    """Stores a standing that was just computed, and notes how it differs. Raises Forbidden."""
    require_operator(actor)
    before = session.get(Standing, fresh.scope)
    changed = before is None or before.rows_digest != fresh.rows_digest
    standings.store(session, fresh, now=now)
    of_season = fresh.scope.startswith("season:")
    detail: dict[str, Any] = {"rows_digest": fresh.rows_digest, "changed": changed}
    if before is not None and changed:
        detail |= standings.differences(before, fresh)
    action: audit.Action = "season.recompute" if of_season else "league.recompute"
    audit.note(session, actor, action, fresh.scope, detail, now=now)


def reinstate_version(session: Session, actor: User, number: int, reason: str, *, now: int) -> None:
    """Lets a suspended version play again, with its forfeits set to 0, and notifies its owner.

    If it becomes active, the bot enters the open seasons of its owner's classes. Raises Forbidden,
    NotFound, BadOption (no reason), or Conflict if it is not suspended.
    """
    require_operator(actor)
    version, why = find_version(session, number), reason_of(reason)
    before = version.state
    faults.lift_suspension(session, version, now=now)
    if before == VersionState.SUSPENDED and version.state == VersionState.ACTIVE:
        classes.enter_accepted(session, version.bot, now=now)
    subject = f"version:{version.id}"
    audit.note(session, actor, "version.reinstate", subject, {"reason": why}, now=now)
    text = (
        f"{version.bot.full_name} v{version.number} is no longer suspended, and its forfeits are "
        f"reset to 0: {why}."
    )
    notices.notify_account(session, version.bot.owner_id, "reinstatement", subject, text, now=now)


def recompute_scope(context: Context, acting: Acting[User], scope: str) -> None:
    """Recomputes a standing, in a reader's session so that writers do not wait for it.

    If the stored one has changed meanwhile, it is computed again, up to TRIES times. Only the first
    time counts all matches. Raises Conflict after the last.
    """
    counts = PairCountCache()
    for _ in range(TRIES):
        with context.read() as session:
            before = board_counts.stamp(session, scope)
            fresh = standings.compute(session, scope, counts)
        with suppress(_Stale), acting() as (session, actor, now):
            if board_counts.stamp(session, scope) != before:
                raise _Stale  # A turn that ends in an error does not count as a change.
            recompute(session, actor, fresh, now=now)
            return
    raise Conflict(
        f"the standing changed each of the {TRIES} times that it was computed; try again when "
        "fewer matches end"
    )


def _entry_for_operator(
    session: Session, actor: User, season_name: int | str, name: str, reason: str
) -> tuple[Entry, str]:
    """The bot's entry in the season, and the reason as it is stored."""
    require_operator(actor)
    season = find_season(session, season_name, actor)
    bot, why = find_bot(session, name, actor), reason_of(reason)
    wanted = (Entry.season_id == season.id, Entry.bot_id == bot.id)
    entry = session.scalar(select(Entry).where(*wanted))
    if entry is None:
        raise NotFound(f"{bot.full_name} is not in season {season.name}").of("bot")
    return entry, why


def _note_season(
    session: Session,
    actor: User,
    action: audit.Action,
    season: Season,
    bot: Bot | None,
    detail: dict[str, Any],
    now: int,
) -> None:
    named = {"bot": bot.full_name, **detail} if bot is not None else detail
    audit.note(session, actor, action, f"season:{season.id}", named, now=now)
    publish(session, action, season.id, now=now)
