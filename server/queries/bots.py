"""Bots and their versions; only owners and operators see logs and files."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import joinedload, selectinload

from matchbox.answers.bots import (
    FILE_REMOVED,
    Author,
    AuthorBot,
    BotLine,
    BotName,
    Bots,
    Report,
    VersionLine,
)
from matchbox.answers.bots import Bot as AnsweredBot
from matchbox.answers.bots import Version as AnsweredVersion
from matchbox.errors import Forbidden, NotFound, quoted
from matchbox.whole_numbers import whole_number
from server.db.models import (
    Bot,
    Bundle,
    Draft,
    Match,
    MatchSeat,
    MatchState,
    Result,
    User,
    Version,
    VersionState,
)
from server.queries.pagination import newest, sees, title_of
from server.queries.standings import Boarded, best_line, of_game
from server.services.accounts import HOUSE
from server.services.embargo import readable
from server.services.lookup import find_bot
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.answers.standings import BoardLine

_STATES: Final = selectinload(Bot.versions).load_only(Version.number, Version.state)
"""Loads the versions of many bots, without their reports, which are long."""
_LAST: Final = (
    select(MatchSeat.match_id, MatchSeat.seat)
    .join(Match, Match.id == MatchSeat.match_id)
    .where(MatchSeat.version_id == bindparam("version"), Match.state == MatchState.FINISHED)
    .where(Match.comparison_id.is_(None))
    .order_by(MatchSeat.created_at.desc(), MatchSeat.number.desc(), MatchSeat.match_id.desc())
    .limit(30)
    .subquery()
)
_NEWEST: Final = (
    select(_LAST.c.seat, Result.cpu_ms, Result.moves)
    .join(Match, Match.id == _LAST.c.match_id)
    .join(Result, Result.match_id == _LAST.c.match_id)
    .where(readable())
)
"""The processor time and the bouts of a version's newest rated matches, where they may be shown."""


def bots(
    session: Session,
    *,
    game: str | None = None,
    owner: str | None = None,
    retired: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> Bots:
    """Returns a page of bots, newest first; the retired ones only if asked for.

    Raises BadOption.
    """
    query = select(Bot).join(Bot.owner).options(joinedload(Bot.owner), _STATES)
    if game is not None:
        query = query.where(Bot.game == game)
    if owner is not None:
        query = query.where(User.name == owner)
    if not retired:
        query = query.where(Bot.retired_at.is_(None))
    shown, following = newest(session, query, Bot, cursor, limit)
    return Bots(items=[_item(row) for row in shown], next=following)


def my_bots(session: Session, viewer: User) -> list[BotLine]:
    """Returns all of the viewer's bots, newest first, including the retired ones."""
    query = select(Bot).where(Bot.owner_id == viewer.id).options(_STATES)
    return [_item(row) for row in session.scalars(query.order_by(Bot.id.desc()))]


def author(session: Session, name: str) -> Author:
    """Returns an author with all bots, newest first, including the retired. Raises NotFound."""
    row = session.scalar(select(User).where(User.name == name))
    if row is None:
        raise NotFound(f"there is no author {quoted(name)}")
    query = select(Bot).where(Bot.owner_id == row.id).options(_STATES)
    found = session.scalars(query.order_by(Bot.id.desc())).all()
    boards = {game: of_game(session, game) for game in {one.game for one in found}}
    return Author(
        name=row.name,
        created_at=iso(row.created_at),
        closed=row.closed_at is not None and row.deleted_at is None,
        bots=[
            AuthorBot(**vars(_item(one)), standing=_standing(boards[one.game], one))
            for one in found
        ],
    )


def bot(session: Session, viewer: User | None, owner: str, name: str) -> AnsweredBot:
    """Returns the bot owner/name. Raises NotFound."""
    row = find_bot(session, f"{owner}/{name}")
    return AnsweredBot(
        **vars(_item(row)),
        mine=sees(viewer, row.owner_id),
        standing=_standing(of_game(session, row.game), row),
        versions=[_version(one, viewer) for one in reversed(row.versions)],
        cpu_ms_per_bout=_cpu_ms_per_bout(session, row),
        closed=row.owner.closed_at is not None,
    )


def bot_name(session: Session, name: str) -> BotName:
    """Returns the only bot with that name. Raises NotFound if there is none, or more than one."""
    living = (Bot.name == name, Bot.retired_at.is_(None))
    found = session.scalars(select(Bot).where(*living).order_by(Bot.id)).all()
    if not found:
        raise NotFound(f"there is no bot {quoted(name)}")
    if len(found) > 1:
        names = ", ".join(row.full_name for row in found[:10])
        raise NotFound(f"several bots are called {quoted(name)}: {names}; name the owner too")
    return BotName(bot=found[0].full_name, owner=found[0].owner.name, name=name)


def version(session: Session, viewer: User | None, name: str | int) -> AnsweredVersion:
    """Returns the version with that row number or bundle digest.

    If several versions share the digest, the viewer's own comes first. Raises NotFound.
    """
    found = _versions(session, str(name))
    if not found:
        raise NotFound(f"there is no version {name}")
    own = [row for row in found if viewer is not None and row.bot.owner_id == viewer.id]
    row = (own or found)[0]
    return AnsweredVersion(
        **vars(_version(row, viewer)),
        bot=row.bot.full_name,
        owner=row.bot.owner.name,
        name=row.bot.name,
        game=row.bot.game,
        mine=sees(viewer, row.bot.owner_id),
    )


def uploaded_file(
    session: Session, viewer: User | None, name: str
) -> tuple[AnsweredVersion, bytes]:
    """Returns a version and its file.

    Owners and operators may read a file; everybody may read the shipped bots'. Raises NotFound or
    Forbidden.
    """
    found = version(session, viewer, name)
    if not found.mine and found.owner != HOUSE:
        raise Forbidden("a bot's file is for its owner and operators; this one is not yours")
    return found, bundle(session, found.digest)


def bundle(session: Session, digest: str) -> bytes:
    """Returns the uploaded bytes, or those of a draft. Raises NotFound, also if they were
    removed."""
    kept = session.get(Bundle, digest)
    if kept is not None and kept.data:
        return kept.data
    draft = session.scalar(select(Draft).where(Draft.digest == digest).limit(1))
    if draft is not None:
        return draft.data
    raise NotFound(f"there is no bundle {digest}" if kept is None else FILE_REMOVED)


def file_of(
    session: Session, viewer: User | None, owner: str, name: str, number: int
) -> bytes | None:
    """Returns a version's uploaded bytes, or None for a viewer who may not read them.

    They are empty if they were removed. Everybody may read the shipped bots'. Raises NotFound.
    """
    row = find_bot(session, f"{owner}/{name}")
    wanted = (Version.bot_id == row.id, Version.number == number)
    data = session.scalar(select(Bundle.data).join(Version).where(*wanted))
    if data is None:
        raise NotFound(f"{row.full_name} has no version {number}")
    return data if sees(viewer, row.owner_id) or row.owner.name == HOUSE else None


def _versions(session: Session, name: str) -> list[Version]:
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    query = select(Version).options(with_owner).order_by(Version.id)
    if len(name) == 64:
        query = query.where(Version.digest == name)
    elif (number := whole_number(name)) is not None:
        query = query.where(Version.id == number)
    else:
        return []
    return list(session.scalars(query))


def _item(row: Bot) -> BotLine:
    active = [one.number for one in row.versions if one.state == VersionState.ACTIVE]
    newest = row.versions[-1] if row.versions else None
    return BotLine(
        bot=row.full_name,
        owner=row.owner.name,
        name=row.name,
        game=row.game,
        title=title_of(row.game),
        created_at=iso(row.created_at),
        retired_at=iso(row.retired_at),
        active=active[0] if active else None,
        number=newest.number if newest else None,
        state=VersionState(newest.state).value if newest else None,
    )


def _version(row: Version, viewer: User | None) -> VersionLine:
    report = row.report
    if report is not None:
        if not sees(viewer, row.bot.owner_id):
            report = {name: value for name, value in report.items() if name != "log"}
        elif row.log_days is not None:
            report = {**report, "log_days": row.log_days}
    return VersionLine(
        id=row.id,
        number=row.number,
        digest=row.digest,
        class_name=row.class_name or None,
        state=VersionState(row.state).value,
        created_at=iso(row.created_at),
        settled_at=iso(row.settled_at),
        unrepeatable=row.unrepeatable,
        stateful=row.stateful_at is not None,
        sampled=row.sampled,
        trouble=_trouble(row, viewer),
        forfeits=row.forfeits,
        rated_bouts=row.rated_bouts,
        rated_matches=row.rated_matches,
        parked=row.parked,
        report=None if report is None else Report.model_validate(report),
    )


def _trouble(row: Version, viewer: User | None) -> str:
    """The platform's own errors are for operators, as those of a match; the owner also gets that of
    a try-out."""
    if row.parked:
        return row.trouble if sees(viewer, row.bot.owner_id) else ""
    if row.state == VersionState.QUARANTINED:
        told = viewer is not None and viewer.operator
        return row.trouble if told else row.trouble.partition(": ")[0]
    return row.trouble if row.state == VersionState.SUSPENDED else ""


def _cpu_ms_per_bout(session: Session, row: Bot) -> float | None:
    """Returns the mean of the active version over its newest matches, without comparisons."""
    active = [one.id for one in row.versions if one.state == VersionState.ACTIVE]
    if not active:
        return None
    spent, bouts = 0.0, 0
    for seat, cpu_ms, moves in session.execute(_NEWEST, {"version": active[0]}):
        if moves and seat < len(cpu_ms) and isfinite(cpu_ms[seat]):
            spent, bouts = spent + cpu_ms[seat], bouts + len(moves)
    return round(spent / bouts, 4) if bouts else None


def _standing(board: Boarded | None, row: Bot) -> BoardLine | None:
    if row.retired_at is not None:
        return None
    return best_line(board, [version.id for version in row.versions])
