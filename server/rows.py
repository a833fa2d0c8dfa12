"""Finds the row that an address names, so that a route can hand it to a service.

Knows tables and names; decides nothing. Each raises NotFound where there is no such row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from matchbox.errors import NotFound
from server.db.models import Bot, League, Lesson, Match, Season, User, Version
from server.queries.games import find_season

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def bot_row(session: Session, owner: str, name: str) -> Bot:
    """The bot owner/name."""
    query = select(Bot).join(Bot.owner).where(User.name == owner, Bot.name == name)
    row = session.scalar(query)
    if row is None:
        raise NotFound(f"there is no bot {owner}/{name}")
    return row


def named_bot(session: Session, text: str, user: User) -> Bot:
    """The bot that the account means: owner/name, or the name alone of one of its own."""
    owner, slash, name = text.partition("/")
    return bot_row(session, owner, name) if slash else bot_row(session, user.name, text)


def version_row(session: Session, number: int) -> Version:
    """The version with that row number."""
    row = session.get(Version, number)
    if row is None:
        raise NotFound(f"there is no version {number}")
    return row


def match_row(session: Session, name: str) -> Match:
    """The match with that id."""
    row = session.get(Match, name)
    if row is None:
        raise NotFound(f"there is no match {name}")
    return row


def lesson_row(session: Session, number: int) -> Lesson:
    """The lesson with that row number."""
    row = session.get(Lesson, number)
    if row is None:
        raise NotFound(f"there is no lesson {number}")
    return row


def league_row(session: Session, name: str) -> League:
    """The league of that name."""
    row = session.scalar(select(League).where(League.name == name))
    if row is None:
        raise NotFound(f"there is no league {name!r}")
    return row


def season_row(session: Session, name: str, viewer: User | None = None) -> Season:
    """The season of that number or name; a draft for an operator alone."""
    return find_season(session, name, viewer)
