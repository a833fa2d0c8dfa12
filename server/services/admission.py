"""Invites accounts to leagues, enters bots for leagues that take everybody, leaves out bots without
an active version at a scheduled start, and checks the limits.

The limits of authors are entry to a league's seasons, the number of bots there, and daily uploads.
None of them apply to the house and to operators.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from matchbox.errors import Conflict, Forbidden, NotFound, TooMany, quoted
from server.db.models import Bot, Entry, Invitation, League, Season, User, Version, VersionState
from server.db.session import rows_changed
from server.services import audit, notices
from server.services.accounts import require_operator
from server.services.league_settings import admission_of
from server.services.leagues import field_of
from server.services.lookup import find_league, versions_of
from server.times import DAY_MS, lately, minute_after, seconds_until

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def invite(session: Session, actor: User, league_name: str, name: str, *, now: int) -> None:
    """Invites the account of that name to the league's seasons.

    A second call changes nothing. Raises Forbidden or NotFound.
    """
    require_operator(actor)
    league, user = find_league(session, league_name), _user(session, name)
    if session.get(Invitation, (league.id, user.id)) is None:
        session.add(Invitation(league_id=league.id, user_id=user.id, at=now))
        audit.note(session, actor, "league.invite", f"league:{league.id}", {"user": name}, now=now)
        session.flush()


def uninvite(session: Session, actor: User, league_name: str, name: str, *, now: int) -> None:
    """Withdraws an invitation; bots already in a season stay. Raises Forbidden or NotFound."""
    require_operator(actor)
    league, user = find_league(session, league_name), _user(session, name)
    which = (Invitation.league_id == league.id, Invitation.user_id == user.id)
    if rows_changed(session, delete(Invitation).where(*which)) != 1:
        raise NotFound(f"{name} is not invited to league {league.name}").of("user")
    audit.note(session, actor, "league.uninvite", f"league:{league.id}", {"user": name}, now=now)


def may_enter(session: Session, league: League, user: User) -> bool:
    """Whether this account's bots may play in the league's seasons."""
    if user.trusted or admission_of(league).by == "open":
        return True
    return session.get(Invitation, (league.id, user.id)) is not None


def check_entry(session: Session, season: Season, bot: Bot) -> None:
    """Checks that the bot may enter the season.

    Raises Forbidden if its owner may not enter or the account is closed, or Conflict if the owner
    has as many bots in the season as the league allows.
    """
    if bot.owner.closed_at is not None:
        raise Forbidden(f"the account {bot.owner.name} is closed, so its bots enter no season")
    if not may_enter(session, season.league, bot.owner):
        raise Forbidden(
            f"league {season.league.name} is by invitation, and {bot.owner.name} is not invited; "
            "ask an operator"
        )
    if names := places_taken(session, season, bot.owner):
        most, inside = admission_of(season.league).bots, " and ".join(names)
        raise Conflict(
            f"{season.name} takes {most} of one author's bots, and {bot.owner.name} has {inside} "
            "in it; take one out first"
        )


def places_taken(session: Session, season: Season, user: User) -> list[str]:
    """Returns the account's bots in the season if it takes no more of them; else none."""
    most = admission_of(season.league).bots
    if user.trusted or most is None:
        return []
    inside = select(Bot.name).join(Entry, Entry.bot_id == Bot.id).order_by(Entry.id)
    mine = (Entry.season_id == season.id, Bot.owner_id == user.id)
    names = session.scalars(inside.where(*mine)).all()
    return list(names) if len(names) >= most else []


def shut_out(session: Session, league: League) -> set[int]:
    """The row numbers of the bots that are disqualified in the newest of the league's seasons that
    they were entered into: they come back only if somebody enters them."""
    newest = select(func.max(Entry.id)).join(Entry.season).where(Season.league_id == league.id)
    last = newest.group_by(Entry.bot_id)
    out = select(Entry.bot_id).where(Entry.id.in_(last), Entry.out == "disqualified")
    return set(session.scalars(out))


def enter_everybody(session: Session, season: Season) -> None:
    """If the league is set to enter all bots, enters the active version of every bot whose owner
    may enter.

    Bots that an author has entered keep their places. If the league limits the bots of an author,
    the author's newest uploads fill the places that are left. Bots that are `shut_out` stay out.
    """
    admission = admission_of(season.league)
    if not admission.everybody:
        return
    left_out = {entry.bot_id for entry in season.entries} | shut_out(session, season.league)
    places = Counter(entry.bot.owner_id for entry in season.entries)
    chosen: list[Version] = []
    for version in sorted(field_of(session, season.league), key=lambda one: -one.id):
        owner = version.bot.owner
        full = admission.bots is not None and places[owner.id] >= admission.bots
        if version.bot_id in left_out or (full and not owner.trusted):
            continue
        if may_enter(session, season.league, owner):
            places[owner.id] += 1
            chosen.append(version)
    for version in reversed(chosen):
        season.entries.append(Entry(season_id=season.id, bot=version.bot, version=version))
    session.flush()


def leave_out_idle(session: Session, season: Season, *, now: int) -> list[str]:
    """Takes the bots without an active version out of a season that starts by its schedule.

    Their owners get a notice. Returns their full names.
    """
    active = set(
        session.scalars(select(Version.bot_id).where(Version.state == VersionState.ACTIVE))
    )
    idle = [entry for entry in season.entries if entry.bot_id not in active]
    for entry in idle:
        bot, newest = entry.bot, versions_of(session, entry.bot)[-1]
        text = (
            f"{bot.full_name} is not in season {season.name}, which has started: it has no active "
            f"version. Its newest one, version {newest.number}, is {newest.state}. Once it has an "
            "active version, it can play in the league's next season."
        )
        subject = f"season:{season.id}"
        notices.notify_account(session, bot.owner_id, "season-start", subject, text, now=now)
        season.entries.remove(entry)
        session.delete(entry)
    session.flush()
    return sorted(entry.bot.full_name for entry in idle)


def check_uploads(session: Session, user: User, game: str, *, now: int) -> None:
    """Raises TooMany if the author has used up the daily uploads of one of the game's leagues.

    Only leagues that the author may enter count, and the smallest of their limits holds.
    """
    if user.trusted:
        return
    leagues = session.scalars(select(League).where(League.game == game).order_by(League.id))
    limits = [
        (most, league.name)
        for league in leagues
        if (most := admission_of(league).uploads) and may_enter(session, league, user)
    ]
    if not limits:
        return
    most, name = min(limits)
    today = lately(Version.created_at, DAY_MS, now)
    mine = (Bot.owner_id == user.id, Bot.game == game, today)
    query = select(Version.created_at).join(Version.bot).where(*mine)
    made = session.scalars(query.order_by(Version.created_at)).all()
    if len(made) >= most:
        opens = made[-most] + DAY_MS
        raise TooMany(
            f"league {name} takes {most} uploads of an author in 24 hours, and you have made "
            f"{len(made)}; the next one is taken from {minute_after(opens)} on",
            seconds_until(opens, now),
        )


def _user(session: Session, name: str) -> User:
    user = session.scalar(select(User).where(User.name == name))
    if user is None:
        raise NotFound(f"there is no account {quoted(name)}").of("user")
    return user
