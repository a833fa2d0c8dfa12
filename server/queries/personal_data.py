"""Writes all data that the platform stores for an account into a zip, for its owner."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import selectinload

from matchbox.bundle import ending
from server.db.models import (
    Audit,
    Bot,
    Bundle,
    Draft,
    Invitation,
    League,
    Lesson,
    MatchSeat,
    MatchVerification,
    Memory,
    Notice,
    PlaySeat,
    PlayTable,
    User,
    Version,
)
from server.db.session import in_parts
from server.queries import match_lines, play
from server.queries.bots import bot as answered_bot
from server.queries.comparisons import comparisons
from server.queries.inbox import delivery_settings
from server.queries.pagination import MAX_ITEMS
from server.queries.platform import account, sessions, tokens
from server.services import classes, identities
from server.services.embargo import embargoed_matches
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy.orm import Session

    from matchbox.settings import Settings

COLUMNS: Final = (
    "match", "game", "season", "state", "finished_at", "bot", "version", "points", "against",
    "score",
)  # fmt: skip
_FETCH_SIZE: Final = 20
"""The number of files or memories that are fetched at a time."""
_FILES: Final = (
    select(Version.number, Bundle.data)
    .join(Bundle, Bundle.digest == Version.digest)
    .where(Version.bot_id == bindparam("bot"), func.length(Bundle.data) > 0)
    .order_by(Version.number)
    .execution_options(yield_per=_FETCH_SIZE)
)
"""Selects the number and the file of each version of a bot, but for removed files."""
_PLAYED: Final = (
    select(MatchSeat.match_id, MatchSeat.created_at, MatchSeat.number)
    .join(MatchSeat.version)
    .where(Version.bot_id == bindparam("bot"))
    .distinct()
    .order_by(MatchSeat.created_at.desc(), MatchSeat.number.desc(), MatchSeat.match_id.desc())
    .execution_options(yield_per=MAX_ITEMS)
)
"""Selects all matches of a bot, newest first, in one query. Page by page, each page of a bot with
many versions would read all its seats again."""
README: Final = """All that this Matchbox keeps for your account, but for what your bots printed
in matches and lessons: the pages of these matches and of your bots show you that.

account.json   your account, the operators' note on it, its classes and invitations, its sessions
               and tokens (without secrets), the identities elsewhere with which you log in,
               where notices are sent, when you last changed your address, when you last asked for
               a new password, and, for uploads that wait for their verdicts, the networks they
               came from
notices.json   your inbox
actions.json   what you did that is in the log, and what others did to your account
bots/          each bot: bot.json with its versions and their reports, the file of each version
               unless it was removed, and each memory that it has had
drafts/        the files that you tried in the last hour
tables.json    the games that you played yourself, each with its record once it is over
comparisons.json  the comparisons of your versions
verifications.json  the matches that you had played again
results.csv    a line for each of your bots in each match; points are a share of 1, and the score is
               the team's mean of a bout in a cooperative game, which has no points
"""


def write_personal_data(
    session: Session, user: User, file: IO[bytes], *, settings: Settings, now: int
) -> None:
    """Writes the account's zip into the file. Results under an embargo have no points yet."""
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        archive.writestr("account.json", _text(_account(session, user, settings, now)))
        archive.writestr("notices.json", _text(_notices(session, user)))
        archive.writestr("actions.json", _text(_actions(session, user)))
        with archive.open("tables.json", "w", force_zip64=True) as part:
            _write_list(part, _tables(session, user))
        compared = [one.plain() for one in _items(partial(comparisons, session, user))]
        archive.writestr("comparisons.json", _text(compared))
        archive.writestr("verifications.json", _text(_verifications(session, user)))
        drafts = select(Draft).where(Draft.owner_id == user.id).order_by(Draft.id)
        for draft in session.scalars(drafts):
            archive.writestr(f"drafts/{draft.id}.{ending(draft.data)}", draft.data)
        bots = session.scalars(select(Bot).where(Bot.owner_id == user.id).order_by(Bot.id)).all()
        for row in bots:
            folder = f"bots/{row.name}"
            answer = answered_bot(session, user, user.name, row.name)
            archive.writestr(f"{folder}/bot.json", _text(answer.plain()))
            for number, data in session.execute(_FILES, {"bot": row.id}):
                archive.writestr(f"{folder}/v{number}.{ending(data)}", data)
            for memory in _memories(session, row):
                archive.writestr(f"{folder}/memories/{memory.digest}", memory.data)
        with archive.open("results.csv", "w", force_zip64=True) as part:
            _write_results(session, bots, part)


def _account(session: Session, user: User, settings: Settings, now: int) -> dict[str, object]:
    return {
        **account(user).plain(),
        "created_at": iso(user.created_at),
        "note": user.note,
        "leagues": [league.name for league in classes.leagues_of(session, user)],
        "invitations": _invitations(session, user),
        "delivery": delivery_settings(session, user, settings).plain(),
        "sessions": [one.plain() for one in sessions(session, user, None, now=now)],
        "tokens": [one.plain() for one in tokens(session, user)],
        "identities": [
            {
                "issuer": row.issuer,
                "subject": row.subject,
                "created_at": iso(row.created_at),
                "used_at": iso(row.used_at),
            }
            for row in identities.identities(session, user)
        ],
        "email_changed_at": iso(user.email_changed_at),
        "reset_asked_at": iso(user.reset_asked_at),
        "networks": _networks(session, user),
    }


def _networks(session: Session, user: User) -> list[str]:
    """Returns the networks that are kept with the account's uploads until their verdicts."""
    versions = select(Version.network).join(Version.bot).where(Bot.owner_id == user.id)
    found = set(session.scalars(versions.where(Version.network != "")))
    drafts = select(Draft.network).where(Draft.owner_id == user.id, Draft.network != "")
    return sorted(found.union(session.scalars(drafts)))


def _invitations(session: Session, user: User) -> list[dict[str, object]]:
    """Returns the leagues to which operators have invited the account by its name."""
    by_name = (Invitation.user_id == user.id, Invitation.joined.is_(False))
    query = select(League.name, Invitation.at).join(League, League.id == Invitation.league_id)
    return [
        {"league": name, "at": iso(at)}
        for name, at in session.execute(query.where(*by_name).order_by(League.id))
    ]


def _notices(session: Session, user: User) -> list[dict[str, object]]:
    query = select(Notice).where(Notice.user_id == user.id).order_by(Notice.id)
    return [
        {
            "kind": row.kind,
            "subject": row.subject,
            "text": row.text,
            "at": iso(row.at),
            "read_at": iso(row.read_at),
        }
        for row in session.scalars(query)
    ]


def _actions(session: Session, user: User) -> list[dict[str, object]]:
    own = or_(Audit.actor_id == user.id, Audit.subject == f"user:{user.id}")
    return [
        {
            "action": row.action,
            "subject": row.subject,
            "detail": row.detail,
            "at": iso(row.at),
            "by_you": row.actor_id == user.id,
        }
        for row in session.scalars(select(Audit).where(own).order_by(Audit.id))
    ]


def _verifications(session: Session, user: User) -> list[dict[str, object]]:
    asked = MatchVerification.asker_id == user.id
    query = select(MatchVerification).where(asked).order_by(MatchVerification.id)
    return [
        {
            "match": row.match_id,
            "finding": row.finding,
            "created_at": iso(row.created_at),
            "finished_at": iso(row.finished_at),
        }
        for row in session.scalars(query)
    ]


def _tables(session: Session, user: User) -> Iterator[dict[str, object]]:
    """Yields the tables at which the account has a seat; those that are played have no record.

    Of a table of an earlier release with several people, nobody knows who opened it.
    """
    mine = PlayTable.seats.any(PlaySeat.user_id == user.id)
    ordered = select(PlayTable).where(mine).order_by(PlayTable.created_at, PlayTable.id)
    with_seats = ordered.options(selectinload(PlayTable.seats))
    for row in session.scalars(with_seats.execution_options(yield_per=100)):
        yield {
            "table": row.id,
            "game": row.game,
            "state": row.state,
            "why": row.why,
            "place": row.place,
            "opened": row.opener_id == user.id,
            "seats": [seat.seat for seat in row.seats if seat.user_id == user.id],
            "created_at": iso(row.created_at),
            "finished_at": iso(row.finished_at),
            "record": play.record_for(row, user),
        }


def _items(page_of: Callable[..., Any], **which: Any) -> Iterator[Any]:
    """Yields the items of every page of a list."""
    page = page_of(**which, limit=MAX_ITEMS)
    yield from page.items
    while page.next is not None:
        page = page_of(**which, cursor=page.next, limit=MAX_ITEMS)
        yield from page.items


def _memories(session: Session, bot: Bot) -> Iterator[Memory]:
    """Yields what the bot's versions have learned."""
    learned = select(Lesson.after).join(Lesson.version).where(Version.bot_id == bot.id)
    ordered = select(Memory).where(Memory.digest.in_(learned)).order_by(Memory.digest)
    return iter(session.scalars(ordered).yield_per(_FETCH_SIZE))


def _write_results(session: Session, bots: Sequence[Bot], part: IO[bytes]) -> None:
    with io.TextIOWrapper(part, "utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for bot in bots:
            writer.writerows(_lines(session, bot))


def _lines(session: Session, bot: Bot) -> Iterator[tuple[object, ...]]:
    for ids in in_parts(session.scalars(_PLAYED, {"bot": bot.id}), MAX_ITEMS):
        rows = match_lines.rows_of(session, ids)
        for match in match_lines.lines_of(session, rows, embargoed_matches(session, ids)):
            against = [one.bot for one in match.entrants if one.bot != bot.full_name]
            for own in (one for one in match.entrants if one.bot == bot.full_name):
                match_cells = (match.id, match.game, match.season, match.state, match.finished_at)
                result = (own.points, " ".join(against), match.score)
                yield (*match_cells, own.bot, own.version, *result)


def _write_list(part: IO[bytes], items: Iterable[object]) -> None:
    """Writes a JSON list, of which only one item is held at a time."""
    before = "["
    for item in items:
        lines = _text(item).split("\n")  # Only JSON's own breaks: a text has none of these.
        part.write("\n  ".join((before, *lines)).encode())
        before = ","
    part.write(b"[]" if before == "[" else b"\n]")


def _text(plain: object) -> str:
    return json.dumps(plain, indent=2, ensure_ascii=False)
