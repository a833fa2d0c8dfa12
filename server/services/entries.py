"""Enters bots into open seasons, and takes them out again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, delete, select

from matchbox.errors import Conflict, Forbidden, NotFound
from server.db.models import Bot, Entry, Season, SeasonState
from server.db.session import rows_changed
from server.services import admission, audit, events
from server.services.accounts import require_owner
from server.services.lookup import find_bot, find_season
from server.services.seasons import require_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.db.models import User


def enter(session: Session, actor: User, name: int | str, bot_name: str, *, now: int) -> Entry:
    """Enters the bot owner/name into an open season; its version is fixed at the freeze.

    A name without an owner means one of the actor's own bots. Raises Forbidden or NotFound. Raises
    Conflict if the season is not open or takes no more of this author's bots, or if the bot plays
    another game, is retired or has entered already.
    """
    season, bot = find_season(session, name, actor), find_bot(session, bot_name, actor)
    require_owner(actor, bot.owner_id)
    require_state(season, SeasonState.OPEN, "bots enter before the start")
    if bot.game != season.league.game:
        raise Conflict(
            f"{bot.full_name} plays {bot.game}, and {season.name} is a season of "
            f"{season.league.game}"
        )
    if bot.retired_at is not None:
        raise Conflict(f"{bot.full_name} is retired; enter another bot")
    if _entry(session, season, bot) is not None:
        raise Conflict(f"{bot.full_name} is in season {season.name} already")
    admission.check_entry(session, season, bot)
    entry = _add(session, season, bot, now)
    _note_for_others(session, actor, "season.enter", season, bot, now)
    return entry


def leave(session: Session, actor: User, name: int | str, bot_name: str, *, now: int) -> None:
    """Takes the bot out of an open season.

    Raises Forbidden, Conflict if the season is not open, or NotFound if the bot is not in it.
    """
    season, bot = find_season(session, name, actor), find_bot(session, bot_name, actor)
    require_owner(actor, bot.owner_id)
    require_state(season, SeasonState.OPEN, "bots leave before the start")
    entry = _entry(session, season, bot)
    if entry is None:
        raise NotFound(f"{bot.full_name} is not in season {season.name}").of("bot")
    season.entries.remove(entry)
    session.delete(entry)
    session.flush()
    events.publish(session, "season.left", season.id, now=now)
    _note_for_others(session, actor, "season.leave", season, bot, now)


def leave_next_edition(session: Session, season: Season, bot: Bot, *, now: int) -> bool:
    """Takes the bot out of the league's scheduled edition to come, if that is not frozen yet.

    The schedule has opened it with the bots of this season, while they were playing. Returns True
    if the bot was in it.
    """
    after = _scheduled_after(season)
    return leave_early_seasons(session, Bot.id == bot.id, seasons=after, now=now) > 0


def enter_next_edition(session: Session, season: Season, bot: Bot, *, now: int) -> Season | None:
    """Enters the bot into the edition that `leave_next_edition` takes it out of; returns that.

    Returns None if none is open, or if the bot is in it already or may not enter.
    """
    which = select(Season).where(Season.state == SeasonState.OPEN, *_scheduled_after(season))
    found = session.scalars(which.order_by(Season.edition).limit(1)).first()
    if found is None or bot.retired_at is not None or _entry(session, found, bot) is not None:
        return None
    try:
        admission.check_entry(session, found, bot)
    except (Conflict, Forbidden):
        return None
    _add(session, found, bot, now)
    return found


def leave_early_seasons(
    session: Session,
    *bots: ColumnElement[bool],
    seasons: Sequence[ColumnElement[bool]] = (),
    now: int,
) -> int:
    """Takes the bots that these conditions select out of every season that is a draft or open, or
    of those that `seasons` selects. Returns how many entries ended."""
    states = Season.state.in_((SeasonState.DRAFT, SeasonState.OPEN))
    early = select(Season.id).where(states, *seasons)
    theirs = (Entry.season_id.in_(early), Entry.bot_id.in_(select(Bot.id).where(*bots)))
    left = session.scalars(
        select(Entry.season_id)
        .join(Entry.season)
        .where(*theirs, Season.state == SeasonState.OPEN)
        .order_by(Entry.season_id)
        .distinct()
    ).all()
    ended = rows_changed(session, delete(Entry).where(*theirs))
    for season in left:
        events.publish(session, "season.left", season, now=now)
    return ended


def _scheduled_after(season: Season) -> tuple[ColumnElement[bool], ...]:
    later = (Season.league_id == season.league_id, Season.edition > season.edition)
    return (*later, Season.starts_at.is_not(None))


def _add(session: Session, season: Season, bot: Bot, now: int) -> Entry:
    entry = Entry(season_id=season.id, bot=bot)
    season.entries.append(entry)
    session.flush()
    events.publish(session, "season.entered", season.id, now=now)
    return entry


def _note_for_others(
    session: Session, actor: User, action: audit.Action, season: Season, bot: Bot, now: int
) -> None:
    """Writes to the audit log if the actor is an operator who does not own the bot."""
    if actor.id != bot.owner_id:
        detail = {"bot": bot.full_name}
        audit.note(session, actor, action, f"season:{season.id}", detail, now=now)


def _entry(session: Session, season: Season, bot: Bot) -> Entry | None:
    wanted = (Entry.season_id == season.id, Entry.bot_id == bot.id)
    return session.scalar(select(Entry).where(*wanted))
