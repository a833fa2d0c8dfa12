"""What a page asks the database grows neither with the bots and versions of an account nor with
the leagues."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.orm import Session

from server import queries
from server.db.models import (
    Draft,
    FaultCount,
    League,
    Lesson,
    Match,
    MatchVerification,
    PlaySeat,
    PlayState,
    PlayTable,
    Season,
    SeasonState,
    Turn,
    User,
    Version,
    VersionState,
)
from server.queries import comparisons as compared
from server.queries import history, personal_data
from server.queries.classes import author_results
from server.queries.faults import faults
from server.queries.job_queue import queue_detail
from server.queries.personal_data import write_personal_data
from server.queries.waiting import of_match
from server.services import classes, comparisons, health, leagues, operations, ranked, seasons
from server.times import HOUR_MS
from tests.books import GAME, SIMPLE, Books, play_out, season_of


def asked(books: Books, query: Callable[[Session], Any]) -> int:
    """The number of statements of this query."""
    return len(statements_of(books, query))


def statements_of(books: Books, query: Callable[[Session], Any]) -> list[str]:
    """The statements of this query."""
    statements: list[str] = []
    with books.read() as session:
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *told: statements.append(told[2]))
        query(session)
    return statements


def test_the_rerun_of_a_round_takes_one_statement_for_each_match_and_few_more(
    books: Books, charlie: User
) -> None:
    books.league(paused=True)
    owners = [books.person(f"owner-{number}") for number in range(6)]
    season = season_of(books, charlie, [books.bot(one, f"{one.name}-bot") for one in owners])
    play_out(books)
    with books.write() as session:
        session.get_one(Season, season.id).state = SeasonState.RUNNING
        session.execute(update(Match).values(round=0))
    with books.write() as session:
        statements: list[str] = []
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *told: statements.append(told[2]))
        why = "the arena was broken"
        new = operations.rerun(session, charlie, season.id, 1, why, now=books.clock())
    assert len(new) == 30
    assert len(statements) < 30 + 45
    (results,) = (one for one in statements if "FROM result" in one)
    assert "result.logs" not in results, "what the bots printed is not needed"


def test_the_reports_of_try_outs_are_not_loaded_for_pages_without_them(
    books: Books, alice: User, charlie: User
) -> None:
    books.league()
    version = books.bot(alice, "one")
    now = books.clock()
    with books.write() as session:
        count = FaultCount(version_id=version.id, kind="crash", bouts=1, matches=1)
        count.hour, count.match_id = now - now % HOUR_MS, "0" * 32
        session.add(count)
        classes.join(session, alice, classes.renew_code(session, charlie, GAME, now=now), now=now)
    told = [
        *statements_of(books, lambda session: author_results(session, charlie, GAME)),
        *statements_of(books, lambda session: faults(session, charlie, now=now)),
    ]
    assert sum("FROM version" in one and "version.number" in one for one in told) >= 2
    assert not [one for one in told if "version.report" in one]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(lambda s, alice: queries.author(s, "alice"), id="author"),
        pytest.param(lambda s, alice: queries.bot(s, alice, "alice", "one"), id="bot"),
        pytest.param(lambda s, alice: history.ratings(s, "alice", "one"), id="ratings"),
        pytest.param(compared.comparisons, id="comparisons"),
    ],
)
def test_more_bots_and_versions_need_no_more_statements(
    books: Books, alice: User, query: Callable[[Session, User], Any]
) -> None:
    books.league()
    books.bot(alice, "one", SIMPLE + b"# 1\n")
    more(books, alice, 2)
    few = asked(books, lambda session: query(session, alice))
    for number in range(3, 7):
        more(books, alice, number)
    assert asked(books, lambda session: query(session, alice)) <= few


def test_a_ranked_queue_needs_no_more_statements_for_more_newcomers(
    books: Books, alice: User
) -> None:
    league = books.league(paused=True)
    for number in range(2):
        books.bot(books.person(f"p{number}"), "bot")

    def read_field(session: Session) -> None:
        ranked._Field(session, session.get_one(League, league.id)).read_changes(session, league)

    few = asked(books, read_field)
    for number in range(2, 6):
        books.bot(books.person(f"p{number}"), "bot")
    assert asked(books, read_field) <= few


def write_data(books: Books, session: Session, account: User) -> None:
    """Writes the account's data into a zip, which nobody reads."""
    owner, now = session.get_one(User, account.id), books.clock()
    write_personal_data(session, owner, io.BytesIO(), settings=books.settings, now=now)


def test_an_accounts_data_needs_no_more_statements_for_more_versions(
    books: Books, alice: User
) -> None:
    for number in range(21):  # from then on, a bot's matches are looked up by all of them at once
        books.bot(alice, "one", SIMPLE + b"# %d\n" % number)
    few = asked(books, lambda session: write_data(books, session, alice))
    for number in range(21, 28):
        books.bot(alice, "one", SIMPLE + b"# %d\n" % number)
    assert asked(books, lambda session: write_data(books, session, alice)) <= few


def test_an_accounts_data_needs_no_more_statements_for_more_tables(
    books: Books, alice: User
) -> None:
    table_of(books, alice, 0)
    few = asked(books, lambda session: write_data(books, session, alice))
    for number in range(1, 5):
        table_of(books, alice, number)
    assert asked(books, lambda session: write_data(books, session, alice)) == few


def table_of(books: Books, user: User, number: int) -> None:
    """A table at which the user sat, and that ended before the first move."""
    now = books.clock()
    seat = PlaySeat(seat=0, user_id=user.id, created_at=now)
    with books.write() as session:
        session.add(
            PlayTable(
                id=f"{number:032x}", game=GAME, rules="1", options={}, deal="0" * 32, limits={},
                state=PlayState.ENDED, said=[], deadline=now, created_at=now, seats=[seat],
            )
        )  # fmt: skip


def test_an_accounts_data_finds_all_matches_of_a_bot_with_one_statement(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league(paused=True)
    season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")], cycles=6)
    monkeypatch.setattr(personal_data, "MAX_ITEMS", 2)
    statements: list[str] = []
    file = io.BytesIO()
    with books.read() as session:
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *told: statements.append(told[2]))
        owner, now = session.get_one(User, alice.id), books.clock()
        write_personal_data(session, owner, file, settings=books.settings, now=now)
    lines = ZipFile(file).read("results.csv").decode().splitlines()
    assert len(lines) == 1 + books.count(Match)
    assert len(lines) > 1 + 2
    assert sum("ORDER BY match_seat.created_at DESC" in one for one in statements) <= 2


def test_more_leagues_need_no_more_statements(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    def judge(session: Session) -> None:
        health.judge(session, books.settings, now=books.clock())

    def queue(session: Session) -> None:
        queue_detail(session, charlie, settings=books.settings, now=books.clock())

    def waits(session: Session) -> None:
        newest = select(Match).order_by(Match.number.desc(), Match.id).limit(1)
        row = session.scalars(newest).one()
        of_match(session, row, settings=books.settings, now=books.clock())

    versions = [books.bot(alice, "one"), books.bot(bob, "two")]
    another_league(books, charlie, versions, 0)
    few = [asked(books, query) for query in (judge, queue, waits)]
    for number in range(1, 6):
        another_league(books, charlie, versions, number)
    assert [asked(books, query) for query in (judge, queue, waits)] == few


def another_league(books: Books, charlie: User, versions: Sequence[Version], number: int) -> None:
    """One more league whose ranked queue rests, and one whose season waits to be resumed."""
    for name, continuous in (("ranked", True), ("seasonal", False)):
        with books.write() as session:
            leagues.create(
                session, charlie, name=f"{name}-{number}", game=GAME, continuous=continuous,
                settings=books.settings, now=books.clock(),
            )  # fmt: skip
    asked = {"league": f"seasonal-{number}", "seed": f"a seed for tests {number}"}
    season = season_of(books, charlie, versions, name=f"season-{number}", **asked)
    with books.write() as session:
        seasons.pause(session, charlie, season.id, now=books.clock())


def more(books: Books, alice: User, number: int) -> None:
    """One more bot, one more version of the first, and a comparison of it with the last."""
    books.bot(alice, f"more-{number}")
    books.bot(alice, "one", SIMPLE + b"# %d\n" % number)
    with books.write() as session:
        actor = session.get_one(User, alice.id)
        asked: dict[str, Any] = {"challenger": number, "defender": number - 1, "games": 20}
        comparisons.start(
            session, actor, "one", **asked, settings=books.settings, now=books.clock()
        )
        comparisons.cancel_all(session, actor, now=books.clock())  # few may run at once


def test_more_waiting_jobs_need_no_more_statements(
    books: Books, alice: User, charlie: User
) -> None:
    def queue(session: Session) -> None:
        queue_detail(session, charlie, settings=books.settings, now=books.clock())

    def admin(session: Session) -> None:
        queries.admin(session, charlie, now=books.clock())

    books.league()
    versions = [books.bot(alice, "one"), books.bot(charlie, "two")]
    season = season_of(books, charlie, versions, cycles=6)
    a_job_of_each_kind(books, season, 0)
    few = [asked(books, query) for query in (queue, admin)]
    for number in range(1, 4):
        a_job_of_each_kind(books, season, number)
    assert [asked(books, query) for query in (queue, admin)] == few


def a_job_of_each_kind(books: Books, season: Season, number: int) -> None:
    """A version in quarantine, and a try-out, a draft, a turn, a lesson and a verification that
    wait, all of an account of their own."""
    owner, now = books.person(f"waiting-{number}"), books.clock()
    suspect, pending, pupil = (books.bot(owner, name) for name in ("suspect", "pending", "pupil"))
    table_of(books, owner, number)
    with books.write() as session:
        session.get_one(Version, suspect.id).state = VersionState.QUARANTINED
        waits = session.get_one(Version, pending.id)
        waits.state, waits.deadline, waits.settled_at = VersionState.PENDING, now, None
        match = session.scalars(select(Match).order_by(Match.id).offset(number).limit(1)).one()
        due: dict[str, Any] = {"deadline": now, "created_at": now}
        session.add_all([
            Draft(owner_id=owner.id, game=GAME, digest="0" * 64, data=b"", **due),
            Turn(table_id=f"{number:032x}", number=0, **due),
            Lesson(season_id=season.id, version_id=pupil.id, round=number, played=[], **due),
            MatchVerification(match=match, **due),
        ])  # fmt: skip


def test_what_bots_printed_is_read_only_where_it_is_shown(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])
    play_out(books)
    with books.read() as session:
        name = session.scalars(select(Match.id).where(Match.result.has())).first()
    assert name is not None

    def reads_output(query: Callable[[Session], Any]) -> bool:
        return any("result.printed" in one for one in statements_of(books, query))

    assert reads_output(lambda session: queries.match_log(session, charlie, name))
    assert not reads_output(lambda session: queries.match(session, charlie, name))
    assert not reads_output(lambda session: queries.record_of(session, name))
