"""Finds rows by name or number. Each `find_` raises NotFound if there is no such row."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import bindparam, inspect, select
from sqlalchemy.orm import defer, joinedload
from sqlalchemy.orm.attributes import set_committed_value

from matchbox.errors import NotFound, quoted
from matchbox.whole_numbers import whole_number
from server.db.models import (
    Bot,
    Comparison,
    Entry,
    League,
    Lesson,
    Match,
    Season,
    SeasonState,
    User,
    Version,
    VersionState,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

Row = TypeVar("Row", Comparison, Lesson, Version)

_SEASON: Final = select(Season).options(joinedload(Season.league), defer(Season.rounds))
"""A season may have thousands of rounds, so they are loaded only when they are read."""
SHORT_ID: Final = 8
"""The fewest digits that can stand for a match's id."""
MAX_FULL_NAME: Final = 65
"""The most characters of a bot's name with its owner's: 32 each, and the slash."""
FOUND_SEASONS: Final = "seasons"
"""The key under which a page's session keeps the seasons that were found, by number or name."""
_NUMBERED: Final = _SEASON.where(Season.id == bindparam("wanted"))
_NAMED: Final = _SEASON.where(Season.name == bindparam("wanted"))
_BEGINNING: Final = (
    select(Match.id).where(Match.id >= bindparam("first"), Match.id <= bindparam("last")).limit(2)
)
_ENTRIES: Final = (
    select(Entry)
    .where(Entry.season_id == bindparam("season"))
    .order_by(Entry.id)
    .options(
        joinedload(Entry.bot).joinedload(Bot.owner), joinedload(Entry.version).defer(Version.report)
    )
)


def find_bot(session: Session, name: str, viewer: User | None = None) -> Bot:
    """Returns the bot owner/name. A name without an owner means one of the viewer's own bots."""
    owner, slash, own = name.partition("/")
    if not slash and viewer is not None:
        owner, own = viewer.name, name
    row = session.scalar(select(Bot).join(Bot.owner).where(User.name == owner, Bot.name == own))
    if row is None:
        theirs = session.scalars(select(Bot.name).join(Bot.owner).where(User.name == owner)).all()
        near = get_close_matches(own, theirs, n=1)
        hint = f"; did you mean {owner}/{near[0]}?" if near else ""
        full = f"{owner}/{own}"
        shown = full if len(full) <= MAX_FULL_NAME else f"{full[:MAX_FULL_NAME]}..."
        raise NotFound(f"there is no bot {shown}{hint}").of("bot")
    return row


def find_version(session: Session, number: int) -> Version:
    """Returns the version with that row number."""
    return _get(session, Version, number)


def versions_of(session: Session, bot: Bot) -> Sequence[Version]:
    """Returns the versions of the bot in order, without their reports, which are long."""
    query = select(Version).where(Version.bot_id == bot.id).order_by(Version.number)
    return session.scalars(query.options(defer(Version.report))).all()


def active_version(session: Session, bot: int) -> Version | None:
    """Returns the active version of the bot with that row number; None if it has none."""
    active = (Version.bot_id == bot, Version.state == VersionState.ACTIVE)
    return session.scalar(select(Version).where(*active))


def find_match(session: Session, name: str) -> Match:
    """Returns the match with that id or first digits."""
    return session.get(Match, name) or session.get_one(Match, whole_id(session, name))


def whole_id(session: Session, name: str) -> str:
    """Returns the id of the match with that id or first digits. Raises NotFound."""
    # Every hexadecimal digit sorts before "g". With `LIKE`, SQLite would read every match.
    last = f"{name}g" if len(name) >= SHORT_ID else name
    found = session.scalars(_BEGINNING, {"first": name, "last": last}).all()
    if not found:
        raise NotFound(f"there is no match {quoted(name)}")
    if len(found) > 1:
        raise NotFound(f"several matches begin with {name}: give more of the id's digits")
    return found[0]


def find_lesson(session: Session, number: int) -> Lesson:
    """Returns the lesson with that number."""
    return _get(session, Lesson, number)


def find_comparison(session: Session, number: int) -> Comparison:
    """Returns the comparison with that number."""
    return _get(session, Comparison, number)


def find_league(session: Session, name: str) -> League:
    """Returns the league with that name."""
    row = session.scalar(select(League).where(League.name == name))
    if row is None:
        raise NotFound(f"there is no league {quoted(name)}; `matchbox league list` names them").of(
            "league"
        )
    return row


def find_season(session: Session, name: int | str, viewer: User | None = None) -> Season:
    """Returns the season with that number or name, with its league and entries loaded.

    Only an operator finds a draft. A page's session keeps the season, so that a second call is
    quick.
    """
    text = str(name)
    number = whole_number(text)
    query, wanted = (_NAMED, text) if number is None else (_NUMBERED, number)
    kept: dict[int | str, Season] = session.info.get(FOUND_SEASONS, {})
    row = kept.get(wanted) or session.scalar(query, {"wanted": wanted})
    drafts = viewer is not None and viewer.operator
    if row is None or (row.state == SeasonState.DRAFT and not drafts):
        hint = _newest_season(session, text, drafts=drafts)
        raise NotFound(f"there is no season {quoted(name)}{hint}")
    if "entries" not in inspect(row).dict:
        entries = session.scalars(_ENTRIES, {"season": row.id}).all()
        set_committed_value(row, "entries", entries)
    kept[wanted] = row
    return row


def _newest_season(session: Session, league: str, *, drafts: bool) -> str:
    """A hint at the newest season of the league with this name; empty if there is none."""
    query = select(Season.name).join(Season.league).where(League.name == league)
    if not drafts:
        query = query.where(Season.state != SeasonState.DRAFT)
    newest = session.scalar(query.order_by(Season.id.desc()).limit(1))
    return f"; {league} is a league, and its newest season is {quoted(newest)}" if newest else ""


def _get(session: Session, model: type[Row], key: int) -> Row:
    row = session.get(model, key)
    if row is None:
        raise NotFound(f"there is no {model.__tablename__} {key}")
    return row
