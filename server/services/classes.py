"""The class of a league: a code that anybody may join with, and accounts made from a list of names.

Members of the class may enter the league's seasons, and their bots enter open seasons
automatically.
"""

from __future__ import annotations

import csv
import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import select

from matchbox.bundle import NAME, check_name
from matchbox.errors import BadName, BadNames, BadOption, Conflict, Forbidden, NotFound, quoted
from server.db.models import (
    Bot,
    Entry,
    Invitation,
    League,
    Role,
    Season,
    SeasonState,
    User,
    Version,
)
from server.services import accounts, admission, audit, events, passwords
from server.services.accounts import require_operator
from server.services.leagues import active_in
from server.services.lookup import find_league

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from server.context import Context
    from server.services.accounts import Acting

MAX_NAMES: Final = 100
"""The most accounts that are made at once."""
_TITLES: Final = {"username", "user", "login"}
"""Other headings that spreadsheets have above the accounts."""
NO_NOTES: Final[Mapping[str, str]] = {}
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""The letters and digits of a code. Those that are easily mistaken for others are left out."""
_STROKED: Final = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae"})
"""Letters that do not decompose into a plain letter and a mark, as umlauts do."""


@dataclass(frozen=True)
class NewAccount:
    """An account that was just made, with its password, which is stored nowhere."""

    name: str
    password: str
    note: str = ""


class NameList(NamedTuple):
    """The names of accounts to make, and the notes on them by name."""

    names: list[str]
    notes: dict[str, str]


def renew_code(session: Session, actor: User, league_name: str, *, now: int) -> str:
    """Gives the league a new code, and returns it; an earlier one stops working.

    Raises Forbidden or NotFound.
    """
    require_operator(actor)
    league = find_league(session, league_name)
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(8))
    code = league.join_code = f"{drawn[:4]}-{drawn[4:]}"
    session.flush()
    audit.note(session, actor, "league.code", f"league:{league.id}", now=now)
    return code


def withdraw_code(session: Session, actor: User, league_name: str, *, now: int) -> None:
    """Makes the league's code stop working. Raises Forbidden, or NotFound if it has none."""
    require_operator(actor)
    league = find_league(session, league_name)
    if league.join_code is None:
        raise NotFound(f"league {league.name} has no code")
    league.join_code = None
    session.flush()
    audit.note(session, actor, "league.uncode", f"league:{league.id}", now=now)


def league_of(session: Session, code: str) -> League:
    """Returns the league with this code; case and separators do not matter. Raises NotFound."""
    letters = "".join(letter for letter in code.lower() if letter.isalnum())
    wanted = f"{letters[:4]}-{letters[4:]}"
    found = session.scalar(select(League).where(League.join_code == wanted))
    if found is None:
        raise NotFound(
            "this code does not work, or no longer does; ask the person who gave it to you"
        )
    return found


def leagues_of(session: Session, user: User) -> Sequence[League]:
    """Returns the leagues whose classes the account is in, the last joined first."""
    mine = (Invitation.user_id == user.id, Invitation.joined.is_(True))
    query = select(League).join(Invitation, Invitation.league_id == League.id).where(*mine)
    return session.scalars(query.order_by(Invitation.at.desc(), League.id.desc())).all()


def join(session: Session, actor: User, code: str, *, now: int) -> League:
    """Brings the account into the class of the league with this code, and enters its bots.

    A second call changes nothing. Raises NotFound.
    """
    league = league_of(session, code)
    if _bring_in(session, actor, league, now=now):
        audit.note(session, actor, "league.join", f"league:{league.id}", now=now)
        enter_members(session, league, now=now, user=actor.id)
    return league


def sign_up(session: Session, code: str, name: str, password: str, *, now: int) -> User:
    """Creates an author's account in the class of the league with this code.

    It works where sign-up is closed, too. Raises NotFound, BadName or Conflict.
    """
    hashed = passwords.hash_password(password, name)  # slow: before the first statement
    league = league_of(session, code)
    user = accounts.add(session, name, hashed, Role.AUTHOR, now=now)
    _bring_in(session, user, league, now=now)
    audit.note(session, user, "league.join", f"league:{league.id}", now=now)
    return user


def read_list(text: str) -> NameList:
    """Reads a list of accounts to make: one name a line, or CSV.

    A second column holds notes, such as the pupils' real names. A heading may say where the names
    are ("account", or "name"), and the notes ("note", or "name" beside the accounts), also in the
    plural. Columns are separated by commas, semicolons or tabs. Empty lines are left out, and so is
    the byte order mark that spreadsheets write.

    Raises BadOption, also for a first line that looks like another heading.
    """
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    if not lines:
        return NameList([], {})
    comma = next((sign for sign in "\t;," if sign in lines[0]), ",")
    try:
        read = csv.reader(lines, delimiter=comma, skipinitialspace=True)
        rows = [[cell.strip() for cell in row] for row in read]
    except csv.Error as error:
        raise BadOption(f"the list is not CSV: {error}; give one name a line").of("names") from None
    if len(rows) != len(lines):  # What follows the quotation mark would be a part of the cell.
        raise BadOption("a quotation mark is not closed in its line; close it, or leave it out").of(
            "names"
        )
    heading = [cell.lower().removesuffix("s") for cell in rows[0]]
    if "account" in heading or "name" in heading:
        own = _accounts_column(heading, rows[1:])
        other = next(
            (one for one in ("note", "name") if one in heading and one != heading[own]), None
        )
        names = _column(rows[1:], own)
        notes = _column(rows[1:], heading.index(other)) if other else []
    elif heading[0] in _TITLES or (_TITLES & {*heading} and not NAME.fullmatch(rows[0][0])):
        raise BadOption(
            f"the first line, {quoted(lines[0])}, looks like a heading; call the column with the "
            "names of the accounts 'account' and the one with the notes 'note', or leave it out"
        ).of("names")
    else:
        names, notes = _column(rows, 0), _column(rows, 1)
        if _can_be_accounts(notes) and not _can_be_accounts(names):
            raise BadOption(
                f"the accounts are in the first column, and {_wrong(names)}: correct it; or, if "
                "they are in the second, write 'note' and 'account' above the columns"
            ).of("names")
    noted = zip(names, notes or [""] * len(names), strict=True)
    return NameList(names, {name: note for name, note in noted if note})


def _accounts_column(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Returns the number of the column with the names of the accounts: "account", or else "name".

    If only another column can be the accounts, as in "login,name", it is that one. Raises BadOption
    if more than one can: "name" may well hold the real names, which are not for everybody.
    """
    if "account" in heading:
        return heading.index("account")
    own = heading.index("name")
    others = [
        number
        for number, title in enumerate(heading)
        if title not in ("name", "note") and _can_be_accounts(_column(rows, number))
    ]
    if not others:
        return own
    if len(others) == 1 and not _can_be_accounts(_column(rows, own)):
        return others[0]
    raise BadOption(
        "the first line does not say which column has the names of the accounts; call that one "
        "'account', and the one with the notes 'note'"
    ).of("names")


def _can_be_accounts(names: Sequence[str]) -> bool:
    return all(map(NAME.fullmatch, names)) and len({*names}) == len(names)


def _wrong(names: Sequence[str]) -> str:
    """What is wrong with names of which not all can be accounts."""
    odd = next((name for name in names if not NAME.fullmatch(name)), None)
    if odd is not None:
        return f"{quoted(odd)} can be no account"
    return f"{quoted(max(names, key=names.count))} is there twice"


def _column(rows: Sequence[Sequence[str]], number: int) -> list[str]:
    return [row[number] if number < len(row) else "" for row in rows]


def check_names(session: Session, actor: User, league_name: str, names: Sequence[str]) -> None:
    """Raises BadNames with every name that no account can be made for, and the reasons.

    Raises Forbidden, NotFound, or BadOption for no names or too many.
    """
    require_operator(actor)
    find_league(session, league_name)
    if not 1 <= len(names) <= MAX_NAMES:
        raise BadOption(f"give 1 to {MAX_NAMES} names, not {len(names)}").of("names")
    refused = []
    for place, name in enumerate(names):
        why = "is in the list twice" if name in names[:place] else name_refusal(session, name)
        if why:
            refused.append((name, why))
    if refused:
        raise BadNames(refused).of("names")


def make_accounts(
    context: Context,
    actor: User,
    acting: Acting[User],
    league_name: str,
    names: Sequence[str],
    notes: Mapping[str, str] = NO_NOTES,
) -> list[NewAccount]:
    """Creates an author's account for each name, in the league's class: all of them or none.

    `notes` are the operators' notes on the accounts, by name. The passwords are hashed between two
    transactions, so that nobody waits for them; `acting` opens the second. Raises the errors of
    `check_names` and of `acting`, or BadOption for a note that is too long or on no account.
    """
    with context.read() as session:
        check_names(session, actor, league_name, names)
    if lost := sorted(notes.keys() - set(names)):
        raise BadOption(f"there is a note on {lost[0]!r}, which is none of the names").of("names")
    checked = {name: accounts.checked_note(note) for name, note in notes.items()}
    drawn = [NewAccount(name, passwords.readable(), checked.get(name, "")) for name in names]
    hashed = [passwords.hash_readable(one.password) for one in drawn]
    with acting() as (session, actor, now):
        check_names(session, actor, league_name, names)
        league = find_league(session, league_name)
        for one, password in zip(drawn, hashed, strict=True):
            user = accounts.add(session, one.name, password, Role.AUTHOR, now=now)
            user.note = one.note
            _bring_in(session, user, league, now=now)
            detail = {"role": "author", "league": league.name}
            audit.note(session, actor, "user.create", f"user:{user.id}", detail, now=now)
    return drawn


def enter_members(
    session: Session,
    league: League,
    *,
    season: Season | None = None,
    user: int | None = None,
    bot: int | None = None,
    now: int,
) -> list[Season]:
    """Enters the active bots of the league's class into its open seasons; returns the seasons.

    With `season`, `user` or `bot`, only those of this season, this account or this bot. If the
    league limits the bots of an author, the newest uploads fill the places. Bots that are
    `admission.shut_out` stay out.
    """
    member = (Invitation.league_id == league.id, Invitation.joined.is_(True))
    query = active_in(league).join(Invitation, Invitation.user_id == Bot.owner_id).where(*member)
    if user is not None:
        query = query.where(Bot.owner_id == user)
    if bot is not None:
        query = query.where(Bot.id == bot)
    versions = session.scalars(query).all()[::-1]  # the newest first
    if not versions:
        return []
    open_ones = select(Season).where(Season.league_id == league.id)
    wanted = open_ones.where(Season.state == SeasonState.OPEN).order_by(Season.id)
    found = [season] if season is not None else session.scalars(wanted).all()
    return [one for one in found if _enter(session, one, versions, now)]


def enter_accepted(session: Session, bot: Bot, *, now: int) -> list[Season]:
    """Enters the bot into the open seasons of its game whose class its owner is in."""
    return [
        season
        for league in leagues_of(session, bot.owner)
        if league.game == bot.game
        for season in enter_members(session, league, bot=bot.id, now=now)
    ]


def full_seasons(session: Session, bot: Bot) -> list[tuple[Season, list[str]]]:
    """Returns the open seasons of the class that do not take the bot because its owner's places are
    taken, each with the bots that have them."""
    inside = [
        (one, admission.places_taken(session, one, bot.owner)) for one in _open_to(session, bot)
    ]
    return [(one, names) for one, names in inside if names and bot.name not in names]


def shut_seasons(session: Session, bot: Bot) -> list[Season]:
    """Returns the open seasons of the class with a place for the bot into which only its owner
    enters it: it is `admission.shut_out`."""
    return [
        season
        for season in _open_to(session, bot)
        if bot.id in admission.shut_out(session, season.league)
        and not admission.places_taken(session, season, bot.owner)
    ]


def _open_to(session: Session, bot: Bot) -> Sequence[Season]:
    """The open seasons of the bot's game whose class its owner is in."""
    leagues = [one.id for one in leagues_of(session, bot.owner) if one.game == bot.game]
    waiting = (Season.league_id.in_(leagues), Season.state == SeasonState.OPEN)
    return session.scalars(select(Season).where(*waiting).order_by(Season.id)).all()


def _enter(session: Session, season: Season, versions: Iterable[Version], now: int) -> bool:
    inside = select(Entry.bot_id).where(Entry.season_id == season.id)
    left_out = set(session.scalars(inside)) | admission.shut_out(session, season.league)
    entered = False
    for version in versions:
        if version.bot_id in left_out:
            continue
        try:
            admission.check_entry(session, season, version.bot)
        except (Conflict, Forbidden):
            continue
        season.entries.append(Entry(season_id=season.id, bot=version.bot))
        session.flush()
        events.publish(session, "season.entered", season.id, now=now)
        entered = True
    return entered


def _bring_in(session: Session, user: User, league: League, *, now: int) -> bool:
    """Makes the account a member of the class. Returns False if it is one already."""
    known = session.get(Invitation, (league.id, user.id))
    if known is None:
        session.add(Invitation(league_id=league.id, user_id=user.id, at=now, joined=True))
    elif known.joined:
        return False
    else:
        known.joined = True
    session.flush()
    return True


def name_refusal(session: Session, name: str) -> str:
    """Returns the reason why no account can have this name, as the end of a sentence; "" if one
    can."""
    try:
        accounts.check_free(session, name)
    except Conflict:
        return "is taken"
    except BadName:
        better = to_account_name(name)
        hint = f"try {better}" if better else "use 2 to 32 of a-z, 0-9 and -"
        return f"cannot be an account's name; {hint}"
    return ""


def to_account_name(name: str) -> str | None:
    """Returns the name in the letters that accounts may have, or None if nothing fits."""
    plain = unicodedata.normalize("NFKD", name.lower().translate(_STROKED))
    written = plain.replace("\N{COMBINING DIAERESIS}", "e")
    letters = "".join(sign for sign in written if not unicodedata.combining(sign))
    better = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
    try:
        return check_name(better)
    except BadName:
        return None
