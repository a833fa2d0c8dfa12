"""Scheduled backups: while a season runs, and before an upgrade."""

from __future__ import annotations

import gzip
import json
import sqlite3
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import select

from cli import main
from cli.prepare import prepare
from matchbox.errors import Unavailable
from matchbox.settings import Settings
from server import backup as backups
from server.backup import folder
from server.db.errors import wait_for_start
from server.db.migrations import head, migrate, revision
from server.db.models import Delivery, Notice, Result, Season, SeasonState
from server.db.session import Database
from tests import services
from tests.books import SECRET, Books, open_books
from tests.integration.test_backup import begun, ending, play_some
from tests.services import driver_url
from worker.ledger.backups import Backups, back_up

KEPT = Path(__file__).parent / "books-0.1.0"


def wanted(books: Books, place: Path) -> Books:
    """The books, with a backup every hour."""
    place.mkdir()
    settings = replace(
        books.settings, backup_folder=str(place), backup_every_hours=1, least_free_mb=0
    )
    return replace(books, context=replace(books.context, settings=settings))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_one_made_on_the_schedule_while_a_season_runs_goes_on_to_the_same_end(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'books.db'}"
    if kind == "postgres":
        url = request.getfixturevalue("postgres_database")
    books, _ = begun(url)
    scheduled = wanted(books, tmp_path / "kept")
    play_some(books, 4)
    over = threading.Event()

    def keep_booking() -> None:
        while not over.is_set() and books.count(Result) < 12:
            play_some(books, books.count(Result) + 1)

    booking = threading.Thread(target=keep_booking)
    booking.start()
    try:
        path = back_up(scheduled.context)
    finally:
        over.set()
        booking.join()
    assert path is not None
    assert backups.check(path).rows > 0
    undisturbed = ending(books)
    books.context.close()
    with backups.Reader(path) as reader:
        backups.restore(reader, f"sqlite:///{tmp_path / 'home.db'}")
    home = open_books(f"sqlite:///{tmp_path / 'home.db'}", dispatch_window=4)
    assert home.count(Result) >= 4
    assert ending(home) == undisturbed
    home.context.close()


def test_the_thread_of_the_ledger_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.ledger.backups.EVERY_S", 0.02)
    books, _ = begun(f"sqlite:///{tmp_path / 'books.db'}")
    place = tmp_path / "kept"
    thread = Backups(wanted(books, place).context)
    thread.start()
    with closing(thread):
        deadline = time.monotonic() + 240
        while not (place.exists() and folder.backups_in(place, folder.SCHEDULED)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    books.context.close()
    (path,) = folder.backups_in(place, folder.SCHEDULED)
    assert backups.check(path).database == "sqlite"


# Before an upgrade


@pytest.fixture(params=["sqlite", "postgres"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """The settings of a platform with the books of 0.1.0."""
    data = tmp_path / "data"
    data.mkdir()
    url = f"sqlite:///{data / 'matchbox.db'}"
    if request.param == "sqlite":
        (data / "matchbox.db").write_bytes(gzip.decompress((KEPT / "sqlite.db.gz").read_bytes()))
    else:
        url = request.getfixturevalue("postgres_database")
        with psycopg.connect(driver_url(url), autocommit=True) as connection:
            connection.execute(gzip.decompress((KEPT / "postgres.sql.gz").read_bytes()))
    return Settings(data=str(data), database_url=url, secret_key=SECRET)


def schema(settings: Settings) -> str | None:
    """The schema of its database."""
    database = Database(settings.database_url)
    with database.read() as session:
        found = revision(session.connection())
    database.close()
    return found


def test_the_data_of_0_1_0_is_backed_up_before_it_is_upgraded(
    old: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(old)
    assert schema(old) == head()
    place = Path(old.data) / "backups"
    (path,) = place.iterdir()
    assert path.name.startswith("before-0012-")
    assert f"the database was backed up into {path}" in capsys.readouterr().err
    assert backups.check(path).schema == "0012"
    with backups.Reader(path) as reader:
        assert reader.secrets() == {"MATCHBOX_SECRET_KEY": SECRET}
        backups.restore(reader, f"sqlite:///{tmp_path / 'home.db'}")
    home = open_books(f"sqlite:///{tmp_path / 'home.db'}", dispatch_window=4)
    with home.read() as session:
        assert session.scalars(select(Season.state)).one() == SeasonState.RUNNING
    assert home.count(Result) == 10
    home.context.close()
    prepare(old)
    assert list(place.iterdir()) == [path]


def test_an_upgrade_without_its_backup_does_not_run(old: Settings) -> None:
    (Path(old.data) / "backups").touch()
    with pytest.raises(Unavailable) as told:
        prepare(old)
    assert schema(old) == "0012"
    assert str(told.value) == (
        "the database has schema 0012 and is not upgraded, because the backup before it failed: "
        f"{old.data}/backups cannot be the folder of backups: File exists. Make room, or give "
        "another folder with MATCHBOX_BACKUP_FOLDER; MATCHBOX_BACKUP_BEFORE_UPGRADE=false "
        "upgrades without a backup"
    )


def test_an_upgrade_that_fails_again_and_again_costs_no_older_backup(old: Settings) -> None:
    place = Path(old.data) / "backups"
    place.mkdir()
    earlier = [f"before-{number}-20260101T000000Z.backup" for number in ("0010", "0011")]
    for name in earlier:
        (place / name).touch()
    wanted = replace(old, backups_kept=4)
    made = [folder.take_before_upgrade(wanted, now=1_800_000_000_000 + 1000 * n) for n in range(6)]
    assert sorted(place.iterdir()) == [*(place / name for name in earlier), made[0], made[-1]]


def test_an_operator_may_upgrade_without_a_backup(
    old: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", old.database_url)
    monkeypatch.setenv("MATCHBOX_DATA", old.data)
    monkeypatch.setenv("MATCHBOX_BACKUP_BEFORE_UPGRADE", "false")
    assert main.run(["migrate"]) == 0
    assert schema(old) == head()
    assert not (Path(old.data) / "backups").exists()


# A Postgres that is still starting


def test_a_start_waits_for_a_postgres_that_is_still_starting(tmp_path: Path) -> None:
    told: list[str] = []

    def hear(why: str) -> None:
        told.append(why)
        moved.rename(place)

    with ExitStack() as stack:
        url = stack.enter_context(services.postgres())
        place = Path(url.partition("host=")[2])
        moved = place.rename(place.with_name(place.name + "-away"))
        wait_for_start(url, 60, hear)
        Database(url).close()
    (why,) = told
    assert "cannot be reached; start Postgres" in why


def test_the_wait_for_postgres_has_an_end(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://nobody@127.0.0.1:{services.free_port()}/books"
    told: list[str] = []
    begun_at = time.monotonic()
    with pytest.raises(Unavailable, match=r"cannot be reached; start Postgres.*waited for 1 s"):
        wait_for_start(url, 1, told.append)
    assert 1 <= time.monotonic() - begun_at < 50
    assert len(told) == 1
    with pytest.raises(Unavailable):
        wait_for_start(url, 0, told.append)


def test_nobody_waits_for_what_waiting_does_not_mend(postgres_url: str) -> None:
    missing = postgres_url.replace("/postgres?", "/nowhere?")
    begun_at = time.monotonic()
    wait_for_start(missing, 60, print)
    wait_for_start("sqlite:///nowhere.db", 60, print)
    assert time.monotonic() - begun_at < 50


# Deliveries that waited


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """A backup in which two mails wait."""
    url = f"sqlite:///{tmp_path / 'books.db'}"
    migrate(url)
    books = open_books(url)
    alice = books.person("alice")
    with books.write() as session:
        for number in range(2):
            notice = Notice(user_id=alice.id, kind="verdict", subject="", text=f"{number}", at=1)
            session.add(Delivery(notice=notice, attempts=0, due_at=1))
    books.context.close()
    backups.take(url, tmp_path / "two.backup", {"MATCHBOX_SECRET_KEY": SECRET})
    return tmp_path / "two.backup"


@pytest.mark.parametrize(
    ("options", "left", "says"),
    [
        ([], 0, "2 mails and deliveries were waiting in the backup and will not be sent"),
        (
            ["--keep-deliveries"],
            2,
            "waiting in the backup will be sent, also if they were sent after it",
        ),
    ],
)
def test_a_restore_says_what_becomes_of_waiting_deliveries(
    waiting: Path,
    options: list[str],
    left: int,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = tmp_path / "home"
    words = ["admin", "restore", str(waiting), "--data", str(home)]
    assert main.run([*words, "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["waiting_deliveries"] == 2
    assert main.run(["admin", "restore", str(waiting), "--data", str(home), *options]) == 0
    assert says in " ".join(capsys.readouterr().err.split())
    with sqlite3.connect(home / "matchbox.db") as connection:
        assert connection.execute("SELECT count(*) FROM delivery").fetchone()[0] == left
        assert connection.execute("SELECT count(*) FROM notice").fetchone()[0] == 2
    connection.close()
