"""This release opens data of 0.1.0 and goes on; it refuses data of a newer release by name."""

from __future__ import annotations

import gzip
import json
import sqlite3
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from sqlalchemy import event, func, select, text
from sqlalchemy.orm import Session

from cli import folder, main
from cli.prepare import prepare
from matchbox.errors import Unavailable
from matchbox.settings import Settings
from server.context import make_context
from server.db.migrations import check_schema, configuration, head, migrate, revision, upgrade
from server.db.models import Match, MatchState, Result, Role, Season, SeasonState, Standing
from server.db.session import Database
from server.services import standings
from tests.books import SECRET, SIMPLE, Books, open_books, play_out, really_played, season_of
from tests.services import driver_url

KEPT = Path(__file__).parent / "books-0.1.0"
BOTS = Path(__file__).resolve().parents[2] / "bots/bomb"
PLAYED = 10
MATCHES = 48


def opened(url: str) -> Books:
    """The books, as they are at this release's schema."""
    return open_books(url, dispatch_window=4)


def ending(books: Books) -> tuple[str, str, list[str]]:
    """Plays the season to its end: its state, its standing's digest, and its records' digests."""
    books.clock.pass_by(minutes=60 * 24)
    books.wall()
    play_out(books, lambda jobs: [really_played(books, job) for job in jobs])
    with books.read() as session:
        season = session.scalars(select(Season)).one()
        standing = session.get_one(Standing, standings.scope_of(season))
        digests = list(session.scalars(select(Result.digest).join(Match).order_by(Match.number)))
        return season.state, standing.rows_digest, digests


@pytest.fixture(scope="module")
def played_through(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, list[str]]:
    """The end of the same season if this release plays it from the start."""
    url = f"sqlite:///{tmp_path_factory.mktemp('through') / 'books.db'}"
    migrate(url)
    books = opened(url)
    books.wall()
    books.league(paused=True)
    operator = books.person("charlie", Role.OPERATOR)
    texts = {name: shipped_by_0_1_0(name) for name in ("simple", "scared", "medium")}
    texts["alice"] = SIMPLE + "# alice, \u00fc\n".encode()
    versions = [books.bot(books.person(name), "bot", data) for name, data in texts.items()]
    season_of(books, operator, versions, cycles=4, deals=2)
    end = ending(books)
    books.context.close()
    return end


def shipped_by_0_1_0(name: str) -> bytes:
    """Returns the bytes of this shipped bot in release 0.1.0."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(gzip.decompress((KEPT / "sqlite.db.gz").read_bytes()))
    found: bytes = connection.execute(
        "SELECT data FROM bundle JOIN version USING (digest) JOIN bot ON bot.id = bot_id "
        "JOIN user ON user.id = owner_id WHERE user.name = ?",
        [name],
    ).fetchone()[0]
    connection.close()
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with the books of 0.1.0."""
    if request.param == "sqlite":
        path = tmp_path / "matchbox.db"
        path.write_bytes(gzip.decompress((KEPT / "sqlite.db.gz").read_bytes()))
        return f"sqlite:///{path}"
    found: str = request.getfixturevalue("postgres_database")
    with psycopg.connect(driver_url(found), autocommit=True) as connection:
        dump = gzip.decompress((KEPT / "postgres.sql.gz").read_bytes())
        connection.execute(dump)
    return found


def test_a_season_of_0_1_0_goes_on_to_the_same_end(
    url: str, played_through: tuple[str, str, list[str]]
) -> None:
    old = Database(url)
    with old.read() as session:
        assert revision(session.connection()) == "0012"
    old.close()
    migrate(url)
    books = opened(url)
    check_schema(books.context.database)
    with books.read() as session:
        assert session.scalars(select(Season.state)).one() == SeasonState.RUNNING
        assert session.scalar(select(func.count()).select_from(Result)) == PLAYED
        running = Match.state == MatchState.RUNNING
        assert session.scalar(select(func.count()).where(running))
    end = ending(books)
    books.context.close()
    assert end == played_through
    assert len(end[2]) == MATCHES
    assert end[0] == SeasonState.FINISHED


UNPACKED = (
    "SELECT match_id, position, seed FROM match_deal ORDER BY match_id, position",
    "SELECT match_id, bouts, notes, logs, moves, diagnostics FROM result ORDER BY match_id",
)


def test_deals_and_results_are_packed_and_unpacked_to_the_letter(url: str) -> None:
    database, config = Database(url), configuration()

    def rows() -> list[list[tuple[object, ...]]]:
        return [[tuple(row) for row in connection.execute(text(one))] for one in UNPACKED]

    with database.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0031")
        deals, results = rows()
        command.upgrade(config, "head")
        with Session(connection) as session:
            for match in session.scalars(select(Match)):
                assert match.deals == [seed for name, _, seed in deals if name == match.id]
            stored = list(session.scalars(select(Result).order_by(Result.match_id)))
            assert [one.match_id for one in stored] == [name for name, *_ in results]
            assert all(one.bouts and one.logs for one in stored)
        command.downgrade(config, "0031")
        again = rows()
    database.close()
    assert len(deals) == 2 * MATCHES
    assert len(results) == PLAYED
    assert (again[0], list(map(_plain, again[1]))) == (deals, list(map(_plain, results)))


def _plain(row: tuple[object, ...]) -> list[object]:
    """Returns a row of results in one form: SQLite gives JSON as text, Postgres parsed."""
    return [json.loads(one) if isinstance(one, str) and one[0] in "[{" else one for one in row]


def test_an_upgrade_by_hand_names_its_backup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.environment(data := folder.make(tmp_path / "data"), 8000, {})
    (data / "matchbox.db").write_bytes(gzip.decompress((KEPT / "sqlite.db.gz").read_bytes()))
    with folder.locked(data):  # As the older release does while it runs.
        assert main.run(["migrate", "--data", str(data)]) == 1
        assert "Matchbox is already running on" in capsys.readouterr().err
        assert not (data / "backups").exists()
    assert main.run(["migrate", "--data", str(data)]) == 0
    (path,) = (data / "backups").iterdir()
    assert capsys.readouterr().err == (
        f"Before the upgrade, the database was backed up into {path}.\n"
        "The database has this program's schema.\n"
    )


def test_an_upgrade_that_sqlite_undoes_in_the_middle_tells_the_cause(tmp_path: Path) -> None:
    path = tmp_path / "matchbox.db"
    path.write_bytes(gzip.decompress((KEPT / "sqlite.db.gz").read_bytes()))
    database = Database(f"sqlite:///{path}")

    def end_copies(_: object, cursor: Any, statement: str, *__: object) -> None:
        copies = statement.startswith("INSERT INTO _alembic_tmp_")
        cursor.connection.set_progress_handler((lambda: 1) if copies else None, 1)

    with pytest.raises(Unavailable, match="interrupted"), database.connect() as connection:
        event.listen(connection, "before_cursor_execute", end_copies)
        upgrade(connection)
    with database.read() as session:
        assert revision(session.connection()) == "0012"
    database.close()


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A data folder whose database a newer release has used."""
    folder = tmp_path / "data"
    folder.mkdir()
    migrate(f"sqlite:///{folder / 'matchbox.db'}")
    (folder / "secrets.json").write_text(
        f'{{"MATCHBOX_SECRET_KEY": "{SECRET}", "MATCHBOX_ARENA_TOKEN": "{SECRET[::-1]}"}}'
    )
    database = Database(f"sqlite:///{folder / 'matchbox.db'}")
    with database.connect() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        signed = """UPDATE setting SET value = '{"release": "9.0.0"}' WHERE name = 'release'"""
        connection.execute(text(signed))
    database.close()
    return folder


def refusal() -> str:
    """Returns the sentence that refuses the newer data."""
    return (
        "the database was last used by Matchbox 9.0.0, with schema 9999, and this is Matchbox "
        f"{version('matchbox')}, which knows schemas up to {head()}; start that release again, or "
        "restore a backup from before the upgrade"
    )


def test_a_newer_schema_is_refused_by_whatever_opens_the_database(newer: Path) -> None:
    settings = Settings(data=str(newer), secret_key=SECRET, broker_url="redis://127.0.0.1:1/0")
    for start in (lambda: prepare(settings), lambda: make_context(settings)):
        with pytest.raises(Unavailable) as told:
            start()
        assert str(told.value) == refusal()


@pytest.mark.parametrize(
    "words",
    [["migrate"], ["admin", "user", "create", "zoe"], ["admin", "user", "reset", "charlie"]],
    ids=" ".join,
)
def test_a_command_refuses_it_in_one_sentence(
    newer: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run([*words, "--data", str(newer)]) == 1
    assert capsys.readouterr().err == f"matchbox: {refusal()}\n"


def test_without_a_name_for_the_release_it_is_called_a_newer_one(newer: Path) -> None:
    url = f"sqlite:///{newer / 'matchbox.db'}"
    database = Database(url)
    with database.connect() as connection:
        connection.execute(text("DROP TABLE setting"))
    database.close()
    with pytest.raises(Unavailable, match="by a newer release of Matchbox, with schema 9999"):
        migrate(url)
