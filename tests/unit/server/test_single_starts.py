"""Leagues with a single start: one season starts at that time, and no other one after it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from matchbox.errors import BadOption, Conflict
from matchbox.league.format import Schedule, given
from matchbox.match.wire import TryOut
from server.db.models import League, Match, Season, User
from server.services import editions, leagues, seasons
from server.services.tick import tick
from server.times import iso
from tests.books import SIMPLE, Books, given_parts, play_out, tried_out

TIME = "2023-11-14 22:20"
START = "2023-11-14T22:20"


@pytest.fixture
def league(books: Books, charlie: User) -> League:
    """A league of bomb with a single start a few minutes from now, the other leagues at rest."""
    books.league(paused=True)
    return a_league(books, charlie, schedule={"once": TIME})


def a_league(books: Books, charlie: User, **asked: Any) -> League:
    with books.write() as session:
        knobs: dict[str, Any] = {"game": "bomb", "deals": 1, **given_parts(asked)}
        return leagues.create(
            session, charlie, name="cup", settings=books.settings, now=books.clock(), **knobs
        )


def edit(books: Books, charlie: User, **fields: str | None) -> None:
    """Changes these fields of the league's schedule."""
    with books.write() as session:
        changed = given(Schedule, fields)
        leagues.edit(session, charlie, "cup", schedule=changed, now=books.clock())


def a_season(books: Books, charlie: User, name: str, *, draft: bool = False) -> Season:
    """Makes a season of the league by hand."""
    with books.write() as session:
        return seasons.create(
            session, charlie, name=name, league="cup", draft=draft, now=books.clock()
        )


def told(books: Books) -> list[tuple[str, str, str | None]]:
    """Returns name, state and start of every season, oldest first."""
    with books.read() as session:
        rows = session.scalars(select(Season).order_by(Season.id)).all()
        return [(row.name, row.state, minute(row.starts_at)) for row in rows]


def minute(at: int | None) -> str | None:
    """Returns the time up to its minute."""
    return None if at is None else (iso(at) or "")[:16]


def to_the_start(books: Books) -> None:
    """Moves the clock to the single start, and ticks once."""
    books.clock.now = books.clock() // 600_000 * 600_000 + 600_001
    assert minute(books.clock()) == START
    tick(books.context)


def two_bots(books: Books, *owners: User) -> None:
    for owner in owners:
        books.bot(owner, f"{owner.name}s")


def test_one_season_opens_starts_at_its_time_and_none_follows(
    books: Books, league: League, charlie: User, alice: User, bob: User
) -> None:
    two_bots(books, alice, bob)
    for _ in range(2):
        tick(books.context)
        assert told(books) == [("cup 1", "open", START)]
    to_the_start(books)
    assert told(books) == [("cup 1", "running", START)]
    play_out(books)
    for _ in range(3):
        books.clock.pass_by(minutes=60 * 24 * 200)
        tick(books.context)
    assert told(books) == [("cup 1", "finished", START)]
    edit(books, charlie, once=TIME, zone="UTC")  # A form sends the same again.
    a_season(books, charlie, "by hand")
    assert told(books)[1:] == [("by hand", "open", None)]


def test_two_ledgers_that_see_the_same_start_start_it_once(
    books: Books, league: League, alice: User, bob: User
) -> None:
    two_bots(books, alice, bob)
    tick(books.context)
    books.clock.now = books.clock() // 600_000 * 600_000 + 600_001
    with books.read() as session:
        numbers = [editions.due(session, now=books.clock()) for _ in range(2)]
    assert numbers == [[1], [1]]
    for [number] in numbers:
        with books.write() as session:
            editions.start(session, number, settings=books.settings, now=books.clock())
            matches = len(session.scalars(select(Match.id)).all())
        assert matches == 2
    with books.write() as session:  # Both have seen before that a league lacks its season.
        editions.open_next(session, league.id, now=books.clock())
    assert told(books) == [("cup 1", "running", START)]


def test_the_season_that_is_open_already_gets_the_time(
    books: Books, charlie: User, alice: User, bob: User
) -> None:
    books.league(paused=True)
    a_league(books, charlie)
    a_season(books, charlie, "draft", draft=True)
    a_season(books, charlie, "first")
    a_season(books, charlie, "second")
    edit(books, charlie, once="2023-11-14T23:20", zone="Europe/Berlin")
    tick(books.context)
    wanted = [("draft", "draft", None), ("first", "open", START), ("second", "open", None)]
    assert told(books) == wanted
    edit(books, charlie, once="2023-11-14 23:30")
    assert told(books)[1] == ("first", "open", "2023-11-14T22:30")
    edit(books, charlie, once=None)
    tick(books.context)
    assert [one[2] for one in told(books)] == [None] * 3


def test_a_start_waits_for_verdicts(books: Books, league: League, alice: User, bob: User) -> None:
    two_bots(books, alice)
    late = books.upload(bob, "bobs", SIMPLE + b"# late\n")
    tick(books.context)
    to_the_start(books)
    assert told(books) == [("cup 1", "open", START)]
    for job in books.sent(TryOut):
        if job.version == late.digest:
            books.settle(tried_out(job))
    tick(books.context)
    assert told(books) == [("cup 1", "running", START)]


def test_with_too_few_bots_an_operator_starts_it_or_names_a_new_time(
    books: Books, league: League, charlie: User, alice: User
) -> None:
    two_bots(books, alice)
    tick(books.context)
    to_the_start(books)
    tick(books.context)
    assert told(books) == [("cup 1", "open", None)]
    with books.read() as session:
        assert "has fewer than 2 bots" in session.scalars(select(Season.trouble)).one()
    edit(books, charlie, once="2023-11-14 23:00")
    tick(books.context)
    assert told(books) == [("cup 1", "open", "2023-11-14T23:00")]


def test_a_season_that_was_started_early_has_had_the_time_and_a_cancelled_one_leaves_it(
    books: Books, league: League, charlie: User, alice: User, bob: User
) -> None:
    two_bots(books, alice, bob)
    tick(books.context)
    with books.write() as session:
        seasons.cancel(session, charlie, "cup 1", now=books.clock())
    tick(books.context)
    assert told(books) == [("cup 1", "cancelled", START)]
    a_season(books, charlie, "again")
    assert told(books)[1:] == [("again", "open", START)]
    with books.write() as session:
        seasons.start(session, charlie, "again", settings=books.settings, now=books.clock())
    tick(books.context)
    a_season(books, charlie, "third")
    assert told(books)[1:] == [("again", "running", START), ("third", "open", None)]


def test_it_stands_for_a_cron_line_and_is_not_one_of_a_continuous_league(
    books: Books, league: League, charlie: User
) -> None:
    tick(books.context)
    edit(books, charlie, cron="0 * * * *")
    assert told(books) == [("cup 1", "open", "2023-11-14T23:00")]
    both = {"once": TIME, "cron": "0 * * * *"}
    with pytest.raises(BadOption, match="leave out one of them") as caught:
        edit(books, charlie, **both)
    assert caught.value.fields == ("once",)
    edit(books, charlie, once=TIME)
    assert told(books) == [("cup 1", "open", START)]
    with books.write() as session, pytest.raises(Conflict, match="is continuous"):
        leagues.edit(
            session, charlie, "bomb", schedule=given(Schedule, {"once": TIME}), now=books.clock()
        )
    books.clock.pass_by(minutes=60 * 24)
    with pytest.raises(BadOption, match="which is past"):
        edit(books, charlie, once="2023-11-14 23:00")


def test_a_league_whose_zone_is_gone_opens_no_season(books: Books, league: League) -> None:
    with books.write() as session:
        session.get_one(League, league.id).schedule = {"once": TIME, "zone": "Mars/Phobos"}
    tick(books.context)
    assert told(books) == []
    with books.read() as session:
        [(name, why)] = editions.broken_schedules(session, now=books.clock())
    assert (name, "Mars/Phobos" in why) == ("cup", True)
