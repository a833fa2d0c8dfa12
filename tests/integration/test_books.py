"""The tables on SQLite and on Postgres: one schema, one outcome, whichever process writes at the
same time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, select, text

from matchbox.errors import BadOption, NotFound
from matchbox.match import record as records
from matchbox.match import wire
from matchbox.match.wire import MatchPlayed, PlayMatch
from server import queries
from server.db.migrations import check_schema, configuration, migrate
from server.db.models import Base, Match, MatchState, Result, Role, Season, Standing, Version
from server.db.session import Database
from server.queries.users import users
from server.services import account_operations, job_kinds, jobs, matches, standings
from server.services.tick import tick
from tests.books import (
    SIMPLE,
    Books,
    open_books,
    play_out,
    played,
    really_played,
    record_all,
    record_and_refill,
    record_in_batches,
    season_of,
    tick_often,
)

WRITERS = 4
BOTS = Path(__file__).resolve().parents[2] / "bots/bomb"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'books.db'}"
    found: str = request.getfixturevalue("postgres_database")
    return found


@pytest.fixture
def books(url: str) -> Iterator[Books]:
    """Books in it, with a wall reported and the ranked queue at rest."""
    opened = migrated(url)
    yield opened
    opened.context.close()


def migrated(url: str) -> Books:
    """Books in a database that was empty."""
    migrate(url)
    opened = open_books(url)
    opened.wall()
    opened.league(paused=True)
    return opened


def a_season(books: Books, *, deals: int = 2) -> Season:
    """A season of the three shipped players and one player that commits a fault in every bout."""
    operator = books.person("charlie", Role.OPERATOR)
    texts = {name: (BOTS / f"{name}.py").read_bytes() for name in ("simple", "scared", "medium")}
    texts["broken"] = SIMPLE.replace(b"BOT = SimplePlayer", BROKEN)
    versions = [books.bot(books.person(name), "bot", text) for name, text in texts.items()]
    return season_of(books, operator, versions, deals=deals)


BROKEN = b"""class Broken(SimplePlayer):
    def turn(self, game_data, play_a_card):
        return 1 // (game_data.draw_pile_size() - 17)
"""


def story(books: Books, season: Season) -> tuple[str, list[str], list[dict[str, Any]]]:
    """Returns the digest of the standing, the digests of all records by number, and the standing's
    lines."""
    with books.read() as session:
        standing = session.get_one(Standing, standings.scope_of(season))
        query = select(Result.digest).join(Result.match).order_by(Match.number)
        lines = [{**line, "version_id": None} for line in standing.lines]
        return standing.rows_digest, list(session.scalars(query)), lines


# The schema


def test_the_migrations_make_the_tables_of_the_models(url: str) -> None:
    migrate(url)
    database = Database(url)
    with database.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    check_schema(database)
    database.close()


def test_migrating_again_changes_nothing_and_going_back_leaves_nothing(url: str) -> None:
    migrate(url)
    migrate(url)
    database = Database(url)
    with database.connect() as connection:
        config = configuration()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with database.connect() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
    database.close()


def test_numbers_of_deals_that_somebody_named_are_no_paced_ones_after_the_migration(
    url: str,
) -> None:
    database, config = Database(url), configuration()
    with database.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0007")
        for statement in OLD_LEAGUES:
            connection.execute(text(statement))
        connection.commit()
    migrate(url)
    with database.connect() as connection:
        rows = connection.execute(text("SELECT name, paced, deals FROM league ORDER BY id"))
        found = [(name, bool(paced), deals) for name, paced, deals in rows]
    assert found == [("bomb", True, 10), ("skull", False, 10), ("mine", False, 10)]
    database.close()


_LEAGUE = (
    "INSERT INTO league (options, rules, seats, deals, created_at, continuous, paused, id, name, "
    "game, seed) VALUES ('{}', '1', 2, 10, 0, true, false, "
)
_EDIT = "INSERT INTO audit (at, action, subject, detail) VALUES (0, 'league.edit', 'league:"
_SEASON = (
    "INSERT INTO season (id, league_id, name, state, cycles, deals, seed, created_at, told) "
    "VALUES (1, 1, 'spring', 'running', 1, 2, 'x', 0, 3)"
)
_PERSON = (
    'INSERT INTO "user" (id, name, role, muted, shares, created_at) '
    "VALUES (1, 'alice', 'author', '[]', false, 0)"
)
OLD_LEAGUES = (
    _LEAGUE + "1, 'bomb', 'bomb', 'a')",
    _LEAGUE + "2, 'skull', 'skull', 'b')",
    _LEAGUE + "3, 'mine', 'bomb', 'c')",
    _EDIT + """1', '{"format"\\: {}}')""",
    _EDIT + """2', '{"deals"\\: 10}')""",
)
"""The own leagues of two games, the second with a number that an operator set, and an operator's
league."""


def test_a_season_that_was_announced_is_so_after_the_migration_and_back(url: str) -> None:
    database, config = Database(url), configuration()
    with database.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0012")
        for statement in (OLD_LEAGUES[0], _SEASON):
            connection.execute(text(statement))
        command.upgrade(config, "head")
        assert connection.scalar(text("SELECT announced FROM season")) == 3
        command.downgrade(config, "0012")
        assert connection.scalar(text("SELECT told FROM season")) == 3
    database.close()


def test_accounts_and_invitations_are_open_and_unjoined_after_the_migration(url: str) -> None:
    database, config = Database(url), configuration()
    with database.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0013")
        connection.execute(text(OLD_LEAGUES[0]))
        connection.execute(text(_PERSON))
        connection.execute(text("INSERT INTO invitation (league_id, user_id, at) VALUES (1, 1, 0)"))
        command.upgrade(config, "0014")
        assert not connection.scalar(text("SELECT joined FROM invitation"))
        assert connection.scalar(text("SELECT join_code FROM league")) is None
        assert connection.scalar(text('SELECT closed_at FROM "user"')) is None
        command.downgrade(config, "0013")
        assert connection.scalar(text("SELECT count(*) FROM invitation")) == 1
    database.close()


def test_the_causes_of_void_matches_follow_from_their_reasons_in_the_migration(
    books: Books,
) -> None:
    reasons = {
        "out of the season: alice/one": "excluded",
        "the season was cancelled": "cancelled",
        "": "cancelled",
        "the arena lost its disk": "operator",
    }
    a_season(books)
    with books.write() as session:
        found = session.scalars(select(Match).order_by(Match.number)).all()
        for match, why in zip(found, reasons, strict=False):
            match.state, match.void_why = MatchState.VOID, why
        league = {
            "alice/one v1 was suspended": "suspended",
            "the account alice was closed": "closed",
            "the rules changed": "rules",
            "the wall was down": "operator",
        }
        for match, why in zip(found[len(reasons) :], league, strict=False):
            match.state, match.void_why, match.season_id = MatchState.VOID, why, None
    config = configuration()
    with books.context.database.connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0042")
        command.upgrade(config, "head")
        query = "SELECT void_why, void_cause FROM match WHERE state = 'void'"
        assert dict(connection.execute(text(query)).all()) == reasons | league
        waiting = "SELECT count(*) FROM match WHERE state != 'void' AND void_cause IS NOT NULL"
        assert connection.scalar(text(waiting)) == 0


_TABLE = (
    "INSERT INTO play_table (id, game, rules, options, deal, limits, state, said, deadline, why, "
    "created_at) VALUES ('{name}', 'bomb', '1', '{{}}', 'x', '{{}}', 'open', '[]', 0, '', 0)"
)
_SEAT = (
    "INSERT INTO play_seat (table_id, seat, user_id, created_at) "
    "VALUES ('{name}', {seat}, {user}, 0)"
)


def test_the_only_person_at_a_table_has_opened_it_before_the_migration(url: str) -> None:
    sat = {"alone": ["NULL", "1"], "friends": ["1", "2"]}
    database, config = Database(url), configuration()
    with database.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0048")
        connection.execute(text(_PERSON))
        connection.execute(text(_PERSON.replace("1, 'alice'", "2, 'bob'")))
        for name, people in sat.items():
            connection.execute(text(_TABLE.format(name=name)))
            for seat, user in enumerate(people):
                connection.execute(text(_SEAT.format(name=name, seat=seat, user=user)))
        command.upgrade(config, "0049")
        found = connection.execute(text("SELECT id, opener_id FROM play_table"))
        assert dict(found.all()) == {"alone": 1, "friends": None}
        command.downgrade(config, "0048")
        assert connection.scalar(text("SELECT count(*) FROM play_seat")) == 4
    database.close()


def test_a_platform_goes_on_after_two_billion_events_and_messages(postgres_database: str) -> None:
    books = migrated(postgres_database)
    with books.context.database.connect() as connection:
        for table in ("event", "outbox"):
            connection.execute(text(f"SELECT setval('{table}_id_seq', {2**31 - 1})"))
    books.bot(books.person("alice"), "counter")
    with books.read() as session:
        assert queries.last_event(session) > 2**31
    books.context.close()


def test_the_migrations_are_in_the_package() -> None:
    folder = files("server.db.migrations")
    assert {"env.py", "script.py.mako", "versions"} <= {item.name for item in folder.iterdir()}


# A season, really played


def test_a_season_is_the_same_story_on_both_databases_and_in_any_order(
    tmp_path: Path, postgres_database: str
) -> None:
    def backwards(jobs: list[PlayMatch]) -> list[MatchPlayed]:
        return [really_played(second, job) for job in reversed(jobs)] * 2

    first = migrated(f"sqlite:///{tmp_path / 'books.db'}")
    season = a_season(first)
    play_out(first, lambda jobs: [really_played(first, job) for job in jobs])
    second = migrated(postgres_database)
    second.person("somebody")  # so that no row has the same number
    second.bot(second.person("else"), "bot")
    again = a_season(second)
    play_out(second, backwards)
    assert first.season(season).state == second.season(again).state == "finished"
    assert story(first, season) == story(second, again)
    assert len(story(first, season)[1]) == 12
    for books in (first, second):
        books.context.close()


def test_the_standing_of_a_season_names_who_was_at_fault(books: Books) -> None:
    season = a_season(books, deals=3)
    play_out(books, lambda jobs: [really_played(books, job) for job in jobs])
    with books.read() as session:
        lines = session.get_one(Standing, standings.scope_of(season)).lines
    forfeits = {line["bot"].split("/")[0]: line["forfeits"] for line in lines}
    assert forfeits["broken"] > 0
    assert forfeits["simple"] == forfeits["scared"] == forfeits["medium"] == 0
    assert lines[-1]["bot"].startswith("broken/")


def test_a_result_is_kept_byte_for_byte(books: Books) -> None:
    a_season(books)
    (job, *_) = books.dispatch()
    message = really_played(books, job)
    books.record(message)
    with books.read() as session:
        result = session.get_one(Result, job.match)
        assert result.record == message.record
        assert result.digest == records.digest(records.unpack(message.record))


def test_a_log_of_any_characters_is_kept(books: Books) -> None:
    a_season(books)
    (job, *_) = books.dispatch()
    message = played(job)
    books.record(
        MatchPlayed(
            **{
                **{name: getattr(message, name) for name in message.__struct_fields__},
                "logs": ["nul \0", "lone \ud800, paired \U0001f4a3"],
            }
        )
    )
    with books.read() as session:
        assert session.get_one(Result, job.match).logs == [
            "nul \N{REPLACEMENT CHARACTER}",
            "lone ?, paired \U0001f4a3",
        ]


def test_an_arena_with_a_name_of_any_characters_claims_its_job(books: Books) -> None:
    a_season(books)
    (job, *_) = books.dispatch()
    for _ in range(2):
        with books.write() as session:
            match, now = session.get_one(Match, job.match), books.clock()
            name = "nul \0, lone \ud800"
            kind = job_kinds.KINDS["match"]
            jobs.claim(session, kind, match, 1, arena=name, settings=books.settings, now=now)
    assert match.arena == "nul \N{REPLACEMENT CHARACTER}, lone ?"


@pytest.mark.parametrize("name", ["half \ud800", "nul \0"])
def test_a_text_that_no_book_can_hold_is_the_caller_s_fault(name: str, books: Books) -> None:
    for ask in (queries.league, queries.season, queries.version):
        with pytest.raises((NotFound, BadOption)), books.read() as session:
            ask(session, None, name)
    with pytest.raises((NotFound, BadOption)), books.read() as session:
        queries.bot_name(session, name)
    with pytest.raises(BadOption), books.write() as session:
        session.add(Season(league_id=1, name=f"{name} \ud800", deals=1, seed="x", created_at=0))
        session.flush()


def test_a_number_that_no_book_can_hold_is_the_caller_s_fault(books: Books) -> None:
    for asked in ({"season": 10**20}, {"cursor": f"{10**20}.1.x"}):
        with pytest.raises(BadOption), books.read() as session:
            queries.matches(session, **asked)
    with pytest.raises(NotFound), books.read() as session:
        queries.season(session, None, 10**20)


# Many at once


def test_a_note_is_found_as_it_is_written(books: Books) -> None:
    """The locale of the tests' Postgres is C."""
    operator = books.person("charlie", Role.OPERATOR)
    with books.write() as session:
        account_operations.set_note(session, operator, "charlie", "Özlem Ünal", now=books.clock())
        for wanted, found in (("Özlem", 1), ("m Ü", 1), ("zLEM", 1)):
            assert users(session, operator, wanted=wanted).found == found, wanted


def test_many_ledgers_book_every_result_once(books: Books, url: str) -> None:
    season = a_season(books, deals=1)
    messages = [wire.to_plain(played(job)) for job in books.dispatch()]
    with ProcessPoolExecutor(WRITERS, get_context("spawn")) as pool:
        turns = range(WRITERS)
        booked = list(pool.map(record_all, [url] * WRITERS, [messages] * WRITERS, turns))
    assert sum(booked) == len(messages) == books.count(Result) == 12
    play_out(books)
    assert books.season(season).state == "finished"


def test_two_ledgers_book_a_season_as_one_does(books: Books, url: str, tmp_path: Path) -> None:
    alone = migrated(f"sqlite:///{tmp_path / 'alone.db'}")
    season = a_season(alone)
    play_out(alone)
    told = story(alone, season)
    alone.context.close()
    season = a_season(books)
    booked, sent = 0, 0
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        while True:
            tick(books.context)
            messages = [wire.to_plain(played(job)) for job in waiting(books)]
            if not messages:
                break
            sent += len(messages)
            booked += sum(pool.map(record_in_batches, [url] * 2, [messages] * 2, range(2)))
    assert booked == sent == books.count(Result) == len(told[1])
    assert books.season(season).state == "finished"
    assert story(books, season) == told


def waiting(books: Books) -> list[PlayMatch]:
    """Returns the jobs of all matches that any ledger has sent and none has booked."""
    with books.read() as session:
        running = session.scalars(select(Match).where(Match.state == MatchState.RUNNING))
        return [matches.job_of(match, books.settings) for match in running]


def test_many_ticks_at_once_send_every_attempt_once(books: Books, url: str) -> None:
    books.league()
    for name in ("alice", "bob", "dora"):
        books.bot(books.person(name), "bot")
    with ProcessPoolExecutor(WRITERS, get_context("spawn")) as pool:
        sent = [
            job for jobs in pool.map(tick_often, [url] * WRITERS, [5] * WRITERS) for job in jobs
        ]
    assert len(sent) == len(set(sent)) == books.settings.ranked_backlog
    with books.read() as session:
        numbers = session.scalars(select(Match.number).order_by(Match.number)).all()
    assert list(numbers) == list(range(books.settings.ranked_backlog))


def test_a_versions_first_match_is_sent_while_more_are_under_way_than_the_window_has(
    books: Books, url: str
) -> None:
    books.wall()
    books.league()
    for name in ("one", "two", "three"):
        books.bot(books.person(f"of-{name}"), name)
    assert tick_often(url, 1)
    books.bot(books.person("of-four"), "four")
    narrow = open_books(url, dispatch_window=1, ranked_backlog=100)
    tick(narrow.context)
    first = narrow.sent(PlayMatch)
    assert len(first) == 1
    narrow.context.close()


def test_many_ledgers_refill_the_window_and_send_every_match_once(books: Books, url: str) -> None:
    a_season(books, deals=1)
    window, sent = 4, []
    narrow = open_books(url, dispatch_window=window)
    jobs = narrow.dispatch()
    with ProcessPoolExecutor(WRITERS, get_context("spawn")) as pool:
        while jobs:
            assert len(jobs) <= window
            sent += [(job.match, job.attempt) for job in jobs]
            messages = [wire.to_plain(played(job)) for job in jobs]
            given = [(url, messages, turn, window) for turn in range(WRITERS)]
            tasks = [pool.submit(record_and_refill, *one) for one in given]
            found = [one for task in tasks for one in task.result()]
            jobs = [wire.from_plain(PlayMatch, one) for one in found]
    narrow.context.close()
    assert len(sent) == len(set(sent)) == books.count(Result) == 12
    assert {attempt for _, attempt in sent} == {1}


def test_a_season_disturbed_in_every_way_ends_as_one_that_was_not(tmp_path: Path, url: str) -> None:
    calm = migrated(f"sqlite:///{tmp_path / 'calm.db'}")
    told = a_season(calm)
    play_out(calm)
    books = migrated(url)
    season = a_season(books)
    chance = random.Random(7)
    kept: list[MatchPlayed] = []
    for _ in range(60):
        books.postman.down = chance.random() < 0.3
        for message in chance.sample(kept, min(3, len(kept))):
            books.record(message)
        play_some(books, chance, kept)
        books.clock.pass_by(minutes=chance.choice([0.1, 6]))
    books.postman.down = False
    play_out(books)
    books.clock.pass_by(minutes=6)
    play_out(books)
    assert books.season(season).state == "finished"
    assert books.count(Result) == 12
    assert story(books, season) == story(calm, told)
    with books.read() as session:
        assert set(session.scalars(select(Match.state))) == {MatchState.FINISHED}
        assert max(session.scalars(select(Match.attempt))) > 1
        assert len(session.scalars(select(Version)).all()) == 4
    for one in (calm, books):
        one.context.close()


def play_some(books: Books, chance: random.Random, kept: list[MatchPlayed]) -> None:
    """Ticks; of the sent jobs, loses some, books some at once, and books the others late."""
    tick(books.context)
    for job in books.postman.take():
        assert isinstance(job, PlayMatch)
        fate = chance.random()
        if fate < 0.4:
            kept.append(played(job))
        elif fate < 0.5:
            books.record(played(job))
