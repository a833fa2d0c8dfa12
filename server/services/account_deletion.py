"""Deletes an account. Its matches stay, under the name of a deleted author.

The account's row stays, under a name that says nothing: matches refer to bots, and bots to owners.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import String, cast, delete, not_, select, update

from matchbox.errors import Conflict
from matchbox.league.season import Field
from server.db.models import (
    LONGEST_REASON,
    UNDER_WAY,
    Bot,
    BrowserSession,
    Comparison,
    Delivery,
    Draft,
    Entry,
    Event,
    FormerName,
    Identity,
    Invitation,
    League,
    Match,
    MatchState,
    Notice,
    PlaySeat,
    PlayTable,
    Role,
    Season,
    SeasonState,
    Standing,
    Token,
    User,
    Verification,
    Version,
    Webhook,
)
from server.db.session import in_parts
from server.services import accounts, audit, contact, exclusions, logins, standings, uploads
from server.services.account_operations import (
    account_of,
    closed_why,
    leave_everything,
    require_another_operator,
)
from server.services.accounts import DELETED
from server.services.events import SUBJECT, publish, storable
from server.services.passwords import digest_of
from server.services.play import left_why
from server.services.season_progress import rows_of
from server.services.standings import scope_of
from server.services.voids import reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.context import Context

QUERY_CHUNK: Final = 1000
"""The number of standings that are read with one statement."""
PLAYING: Final = (SeasonState.FROZEN, *UNDER_WAY)


def delete_account(
    context: Context, actor: User, password: str, *, network: str, begun: int | None = None
) -> None:
    """Deletes the actor's account, once `logins.confirm` has confirmed it.

    Its name is never used again. Its bots are retired and leave every season; their matches stay.
    Raises the errors of `confirm`, or Conflict for the last operator.
    """
    logins.confirm(context, actor, password, network=network, begun=begun)
    with context.write() as session:
        now = context.now()
        user = accounts.same_password(session, actor)
        require_another_operator(session, user)
        _delete(session, user, now=now)
        audit.note(session, user, "user.delete", f"user:{user.id}", now=now)


def delete_closed_account(
    session: Session, actor: User | None, name: str, reason: str, *, now: int
) -> User:
    """Deletes the account of somebody else, as `delete_account` does.

    It must be closed, so that nobody is deleted by a slip. `actor` is None for somebody at the
    machine itself. Raises Forbidden, NotFound, BadOption as `reason_of` does, or Conflict if the
    account is open.
    """
    user = account_of(session, actor, name)
    reason = reason_of(reason)
    if user.closed_at is None:
        raise Conflict(f"the account {name} is open; close it first")
    _delete(session, user, now=now)
    audit.note(session, actor, "user.delete", f"user:{user.id}", {"reason": reason}, now=now)
    return user


def _delete(session: Session, user: User, *, now: int) -> None:
    former = user.name
    _keep_draws(session, user)
    _rename(session, user, now=now)
    _end_its_bots(session, user, now=now)
    _forget(session, user, now=now)
    _rename_in_standings(session, user, former)
    _rename_in_texts(session, user, former)


def _keep_draws(session: Session, user: User) -> None:
    """Stores the draw of its seasons that lack it, from older releases: it follows from the
    names."""
    for season in _entered(session, user):
        if season.rounds and "order" not in season.rounds[0]:
            order = Field(tuple(rows_of(season)), season.seed).order
            season.rounds = [{**season.rounds[0], "order": order}, *season.rounds[1:]]


def _rename(session: Session, user: User, *, now: int) -> None:
    session.add(FormerName(digest=digest_of(user.name)))
    name = f"{DELETED}{user.id}"
    while session.scalar(select(User.id).where(User.name == name)) is not None:
        name += "x"  # The name belongs to an account from before such names were reserved.
    user.name, user.password, user.role = name, None, Role.AUTHOR
    user.email = user.email_asked = user.email_asked_at = user.reset_asked_at = None
    user.email_changed_at, user.note = None, ""
    user.muted, user.shares, user.deleted_at, user.closed_at = [], False, now, now
    session.flush()


def _end_its_bots(session: Session, user: User, *, now: int) -> None:
    """Retires the bots, and takes them out of seasons, comparisons and the queue."""
    leave_everything(session, user, now=now)
    inside = (Bot.owner_id == user.id, Season.state.in_(PLAYING), Entry.out == "")
    entered = select(Entry).join(Entry.bot).join(Entry.season).where(*inside)
    for entry in session.scalars(entered).all():
        exclusions.exclude_entry(session, entry, "suspended", exclusions.AUTHOR_GONE, now=now)
        publish(session, "season.suspend", entry.season_id, now=now)
    alive = (Bot.owner_id == user.id, Bot.retired_at.is_(None))
    for bot in session.scalars(select(Bot).where(*alive)).all():
        uploads.retire(session, user, bot.full_name, now=now)


def _forget(session: Session, user: User, *, now: int) -> None:
    """Deletes the account's notices, webhooks, invitations and drafts, and whatever logs in to it.

    The bots' files stay, since they are needed to play matches again.
    """
    notices = select(Notice.id).where(Notice.user_id == user.id)
    session.execute(delete(Delivery).where(Delivery.notice_id.in_(notices)))
    links = contact.hide_addresses(session, user, now=now)
    session.execute(delete(Notice).where(Notice.user_id == user.id, not_(links)))
    for table in (Webhook, BrowserSession, Invitation, Token, Identity):
        session.execute(delete(table).where(table.user_id == user.id))
    session.execute(delete(Draft).where(Draft.owner_id == user.id))
    session.flush()


def _rename_in_standings(session: Session, user: User, former: str) -> None:
    """Replaces the former name in the standings and the rounds of seasons that are stored."""
    games = select(Bot.game).where(Bot.owner_id == user.id)
    leagues = select(League).where(League.game.in_(games), League.continuous.is_(True))
    entered = _entered(session, user)
    for season in entered:
        season.rounds = _renamed(season.rounds, former, user.name)
    subjects = {scope_of(one): one for one in (*entered, *session.scalars(leagues))}
    for part in in_parts(subjects, QUERY_CHUNK):
        for standing in session.scalars(select(Standing).where(Standing.scope.in_(part))):
            standing.facts = _renamed(standing.facts, former, user.name)
            standing.lines = _renamed(standing.lines, former, user.name)
            # Whoever is computing it now stores nothing with the former name. Each deletion leaves
            # another mark, since a finished season keeps it.
            if standings.is_marked(standing):
                standings.mark(session, subjects[standing.scope])
            else:
                standing.field = user.name
    session.flush()


def _entered(session: Session, user: User) -> Sequence[Season]:
    """The seasons of the account's bots."""
    seasons = select(Season).join(Season.entries).join(Entry.bot).where(Bot.owner_id == user.id)
    return session.scalars(seasons).unique().all()


def _rename_in_texts(session: Session, user: User, former: str) -> None:
    """Replaces the former name in public texts about the bots: reasons on pages, and events."""
    void = select(Match).where(Match.state == MatchState.VOID)
    for match in session.scalars(void.where(Match.void_why.contains(f"{former}/"))):
        match.void_why = _renamed_reason(match.void_why, former, user.name)
    own = exclusions.has_seat_of(
        *session.scalars(select(Version.id).join(Version.bot).where(Bot.owner_id == user.id))
    )
    closed = update(Match).where(Match.void_why == closed_why(former), own)
    session.execute(closed.values(void_why=closed_why(user.name)))
    entered = select(Entry).join(Entry.bot).where(Bot.owner_id == user.id, Entry.out != "")
    for entry in session.scalars(entered):
        entry.out_why = _renamed_reason(entry.out_why, former, user.name)
    named = cast(Comparison.result, String).contains(f"{former}/")
    for comparison in session.scalars(select(Comparison).where(named)):
        comparison.result = _renamed(comparison.result, former, user.name)
    seasons = [season.id for season in _entered(session, user)]
    verified = select(Verification).where(Verification.season_id.in_(seasons))
    for verification in session.scalars(verified):
        verification.lessons = _renamed(verification.lessons, former, user.name)
    for bot in user.bots:
        event = update(Event).where(Event.subject == f"{former}/{bot.name}"[:SUBJECT])
        session.execute(event.values(subject=bot.full_name[:SUBJECT]))
    sat = PlayTable.id.in_(select(PlaySeat.table_id).where(PlaySeat.user_id == user.id))
    left = update(PlayTable).where(PlayTable.why == left_why(former), sat)
    session.execute(left.values(why=left_why(user.name)))
    session.flush()


def _renamed_reason(text: str, before: str, after: str) -> str:
    """Returns the reason with the new name, cut to what its column takes."""
    return storable(_renamed(text, before, after), LONGEST_REASON)


def _renamed(value: Any, before: str, after: str) -> Any:
    """Returns a copy of plain data in which the owner's name `before` is replaced by `after` in
    names of bots."""
    if isinstance(value, dict):
        return {name: _renamed(part, before, after) for name, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part, before, after) for part in value]
    if isinstance(value, str) and f"{before}/" in value:
        return re.sub(rf"(?<![\w-]){re.escape(before)}(?=/)", after, value)
    return value
