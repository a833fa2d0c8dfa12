"""The entrants of a league's seasons, the number of their bots, and its uploads a day."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from matchbox.errors import Conflict, Forbidden, NotFound, TooMany
from matchbox.league.format import Admission, given
from server.db.models import Audit, Bot, League, Season, User, Version
from server.services import (
    account_operations,
    accounts,
    admission,
    entries,
    leagues,
    seasons,
)
from tests.books import SIMPLE, Books


def cup(books: Books, charlie: User, **asked: Any) -> League:
    """A league of bomb with these entry rules."""
    with books.write() as session:
        return leagues.create(
            session,
            charlie,
            name="cup",
            game="bomb",
            admission=given(Admission, asked),
            settings=books.settings,
            now=books.clock(),
        )


def season_in(books: Books, charlie: User, league: str = "cup", name: str = "spring") -> Season:
    """An open season."""
    with books.write() as session:
        return seasons.create(session, charlie, name=name, league=league, now=books.clock())


def enter(books: Books, user: User, season: Season, version: Version) -> None:
    """Enters the version's bot."""
    with books.write() as session:
        row, bot = session.get_one(Season, season.id), session.get_one(Bot, version.bot_id)
        entries.enter(session, user, row.id, bot.full_name, now=books.clock())


def frozen(books: Books, charlie: User, season: Season) -> list[str]:
    """Freezes the versions of the season; returns its entrants."""
    with books.write() as session:
        row = session.get_one(Season, season.id)
        seasons.freeze(session, charlie, row.id, now=books.clock())
        fixed = [(one.bot, one.version) for one in row.entries]
        return sorted(f"{bot.full_name} v{one.number}" for bot, one in fixed if one is not None)


def test_an_author_enters_one_bot_unless_the_league_says_otherwise(
    books: Books, alice: User, charlie: User
) -> None:
    books.league(paused=True)
    cup(books, charlie)
    one, two = books.bot(alice, "one"), books.bot(alice, "two")
    spring = season_in(books, charlie)
    enter(books, alice, spring, one)
    with pytest.raises(Conflict, match="takes 1 of one author's bots, and alice has one in it"):
        enter(books, alice, spring, two)
    enter(books, alice, season_in(books, charlie, name="summer"), two)
    with books.write() as session:
        row = session.scalars(select(League).where(League.name == "cup")).one()
        more = given(Admission, {"bots": 2})
        leagues.edit(session, charlie, row.name, admission=more, now=books.clock())
    enter(books, alice, spring, two)


@pytest.mark.parametrize("league", ["bomb", "cup"])
def test_the_game_s_own_league_and_operators_are_bound_by_no_number(
    books: Books, alice: User, charlie: User, league: str
) -> None:
    books.league(paused=True)
    cup(books, charlie)
    owner = alice if league == "bomb" else charlie
    spring = season_in(books, charlie, league)
    for name in ("one", "two", "three"):
        enter(books, owner, spring, books.bot(owner, name))


def test_only_who_is_invited_enters(books: Books, alice: User, bob: User, charlie: User) -> None:
    books.league(paused=True)
    league = cup(books, charlie, by="invitation")
    ones = {user.name: books.bot(user, "one") for user in (alice, bob, charlie)}
    spring = season_in(books, charlie)
    with books.write() as session:
        row = session.get_one(League, league.id)
        for _ in range(2):
            admission.invite(session, charlie, row.name, "alice", now=books.clock())
        with pytest.raises(NotFound, match="no account 'nobody'"):
            admission.invite(session, charlie, row.name, "nobody", now=books.clock())
        with pytest.raises(Forbidden):
            admission.invite(session, alice, row.name, "bob", now=books.clock())
    with pytest.raises(Forbidden, match="cup is by invitation, and bob is not invited"):
        enter(books, bob, spring, ones["bob"])
    for user in (alice, charlie):
        enter(books, user, spring, ones[user.name])
    with books.write() as session:
        row = session.get_one(League, league.id)
        admission.uninvite(session, charlie, row.name, "alice", now=books.clock())
        with pytest.raises(NotFound, match="alice is not invited"):
            admission.uninvite(session, charlie, row.name, "alice", now=books.clock())
        log = list(session.scalars(select(Audit.action).order_by(Audit.id)))
    assert log[-2:] == ["league.invite", "league.uninvite"]
    assert frozen(books, charlie, spring) == ["alice/one v1", "charlie/one v1"]


def test_no_bot_of_a_closed_account_enters(books: Books, alice: User, charlie: User) -> None:
    books.league(paused=True)
    cup(books, charlie)
    one, spring = books.bot(alice, "one"), season_in(books, charlie)
    with books.write() as session:
        account_operations.close(session, charlie, "alice", "spam", now=books.clock())
    with pytest.raises(Forbidden, match="the account alice is closed"):
        enter(books, charlie, spring, one)


def test_everybody_who_may_is_entered_the_author_s_choice_first_and_else_the_newest(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    cup(books, charlie, everybody=True, bots=2)
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    chosen = books.bot(alice, "oldest")
    others = [(alice, "older"), (alice, "newest"), (bob, "one")]
    for owner, name in (*others, (house, "x1"), (house, "x2"), (house, "x3")):
        books.bot(owner, name)
    books.upload(bob, "untried", SIMPLE + b"# untried")
    spring = season_in(books, charlie)
    enter(books, alice, spring, chosen)
    assert frozen(books, charlie, spring) == [
        "alice/newest v1", "alice/oldest v1", "bob/one v1",
        "house/x1 v1", "house/x2 v1", "house/x3 v1",
    ]  # fmt: skip


def test_everybody_of_a_league_by_invitation_is_who_is_invited(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    league = cup(books, charlie, everybody=True, by="invitation")
    for user in (alice, bob, charlie):
        books.bot(user, "one")
    with books.write() as session:
        row = session.get_one(League, league.id)
        admission.invite(session, charlie, row.name, "alice", now=books.clock())
    spring = season_in(books, charlie)
    assert frozen(books, charlie, spring) == ["alice/one v1", "charlie/one v1"]


def test_a_version_that_comes_after_the_freeze_does_not_enter(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    cup(books, charlie, everybody=True)
    for user in (alice, bob):
        books.bot(user, "one")
    spring = season_in(books, charlie)
    assert frozen(books, charlie, spring) == ["alice/one v1", "bob/one v1"]
    books.bot(alice, "one", SIMPLE + b"# the second")
    with books.write() as session:
        row = session.get_one(Season, spring.id)
        seasons.start(session, charlie, row.id, settings=books.settings, now=books.clock())
        assert [one.version and one.version.number for one in row.entries] == [1, 1]


def upload(books: Books, user: User, number: int) -> None:
    """Uploads one more version."""
    books.upload(user, "one", SIMPLE + f"# {number}\n".encode())


def test_a_league_takes_so_many_uploads_of_an_author_a_day_and_says_when_the_next(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    cup(books, charlie, uploads=2)
    upload(books, alice, 1)
    books.upload(alice, "another", game="skull")
    books.clock.pass_by(minutes=100)
    upload(books, alice, 2)
    books.clock.pass_by(minutes=100)
    with pytest.raises(TooMany) as refused:
        upload(books, alice, 3)
    assert str(refused.value) == (
        "league cup takes 2 uploads of an author in 24 hours, and you have made 2; the next one is "
        "taken from 2023-11-15 22:14 UTC on"
    )
    assert refused.value.wait_s == (24 * 60 - 200) * 60
    upload(books, alice, 2)  # the same again is no upload
    for number in range(4):
        upload(books, charlie, number)
    upload(books, bob, 1)
    books.clock.pass_by(minutes=24 * 60 - 200)
    upload(books, alice, 3)
    with pytest.raises(TooMany):
        upload(books, alice, 4)


def test_a_league_that_one_may_not_enter_limits_nobody_s_uploads(
    books: Books, alice: User, charlie: User
) -> None:
    books.league(paused=True)
    cup(books, charlie, uploads=1, by="invitation")
    for number in range(3):
        upload(books, alice, number)
