"""Backups of a platform whose season runs: taken, damaged, and restored on SQLite and Postgres."""

from __future__ import annotations

import errno
import fcntl
import gc
import json
import os
import resource
import stat
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest
from sqlalchemy import func, inspect, select, text

from cli import folder, main
from matchbox.errors import BadBackup, Conflict, Unavailable
from server import backup as backups
from server.backup import archive
from server.db import migrations
from server.db.migrations import head, migrate
from server.db.models import (
    Audit,
    Base,
    Entry,
    Event,
    Match,
    Memory,
    Result,
    Role,
    Season,
    Standing,
    User,
)
from server.db.session import Database
from server.services import audit, events, standings
from server.services.tick import tick
from tests.books import SIMPLE, Books, open_books, play_out, played, season_of
from tests.traced import memory_traced

SECRETS = {"MATCHBOX_SECRET_KEY": "k" * 40, "MATCHBOX_ARENA_TOKEN": "t" * 40}
OTHER = {"sqlite": "postgres", "postgres": "sqlite"}
NAMES = ("ann", "ben", "cat", "dan")


def empty(kind: str, request: pytest.FixtureRequest, path: Path) -> str:
    """The address of an empty database of this kind."""
    if kind == "sqlite":
        return f"sqlite:///{path / 'target.db'}"
    found: str = request.getfixturevalue("postgres_database")
    return found


def begun(url: str) -> tuple[Books, Season]:
    """Books with a season that has just begun."""
    migrate(url)
    books = open_books(url, dispatch_window=4)
    books.wall()
    books.league(paused=True)
    operator = books.person("charlie", Role.OPERATOR)
    versions = [
        books.bot(books.person(name), "bot", SIMPLE + f"# {name} \u00fc\n".encode())
        for name in NAMES
    ]
    return books, season_of(books, operator, versions, cycles=3)


def play_some(books: Books, most: int) -> None:
    """Books up to `most` results."""
    while books.count(Result) < most:
        tick(books.context)
        for job in books.postman.take():
            books.record(played(job))  # type: ignore[arg-type]
        books.clock.pass_by(seconds=5)


def ending(books: Books) -> tuple[str, str, list[str]]:
    """Plays the season to its end: its state, its standing's digest, and its records' digests."""
    books.clock.pass_by(minutes=10)  # leases of matches from before the backup
    play_out(books)
    with books.read() as session:
        season = session.scalars(select(Season)).one()
        standing = session.get_one(Standing, standings.scope_of(season))
        digests = sorted(session.scalars(select(Result.digest)))
        return season.state, standing.rows_digest, digests


def contents(url: str) -> dict[str, list[str]]:
    """Every row of every table, to the letter."""
    database = Database(url)
    with database.read() as session:
        found = {
            table.name: sorted(repr(tuple(row)) for row in session.execute(select(table)))
            for table in Base.metadata.sorted_tables
        }
    database.close()
    return found


def restored(file: Path, url: str) -> Books:
    """Restores the file into the database; returns its books."""
    with backups.Reader(file) as reader:
        backups.restore(reader, url)
    return open_books(url, dispatch_window=4)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, list[str]]:
    """The end of the season if nothing disturbs it."""
    books, _ = begun(f"sqlite:///{tmp_path_factory.mktemp('undisturbed') / 'books.db'}")
    end = ending(books)
    books.context.close()
    return end


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Books]:
    """A season in the middle, on SQLite; tests only read it."""
    books, _ = begun(f"sqlite:///{tmp_path_factory.mktemp('running') / 'books.db'}")
    play_some(books, 8)
    yield books
    books.context.close()


@pytest.fixture(scope="module")
def file(running: Books, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of that season."""
    path = tmp_path_factory.mktemp("backup") / "matchbox.backup"
    backups.take(running.context.database.url, path, SECRETS)
    return path


# There and back


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_season_goes_on_from_a_backup_taken_while_its_matches_are_booked(
    kind: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    undisturbed: tuple[str, str, list[str]],
) -> None:
    books, _ = begun(empty(kind, request, tmp_path))
    play_some(books, 5)
    before, over = books.count(Result), threading.Event()
    first = tmp_path / "first.backup"

    def keep_booking() -> None:
        while not over.is_set() and books.count(Result) < 14:
            play_some(books, books.count(Result) + 1)

    booking = threading.Thread(target=keep_booking)
    booking.start()
    try:
        backups.take(books.context.database.url, first, SECRETS)
    finally:
        over.set()
        booking.join()
    after = books.count(Result)
    assert ending(books) == undisturbed
    url = books.context.database.url
    books.context.close()
    if kind == "postgres":
        _clear(url)
    target = f"sqlite:///{tmp_path / 'moved.db'}" if kind == "postgres" else _postgres(request)
    moved = restored(first, target)
    assert before <= moved.count(Result) <= after
    assert ending(moved) == undisturbed
    second = tmp_path / "second.backup"
    backups.take(target, second, SECRETS)
    moved.context.close()
    back = f"sqlite:///{tmp_path / 'back.db'}" if kind == "sqlite" else url
    home = restored(second, back)
    home.context.close()
    assert contents(back) == contents(target)


def _postgres(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue("postgres_database")
    return found


def _clear(url: str) -> None:
    database = Database(url)
    with database.connect() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    database.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_row_arrives_to_the_letter_and_no_id_is_given_twice(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, running: Books, file: Path
) -> None:
    url = empty(kind, request, tmp_path)
    home = restored(file, url)
    assert contents(url) == contents(running.context.database.url)
    with running.read() as session:
        highest = session.scalar(select(func.max(Event.id))) or 0
    with home.write() as session:
        events.publish(session, "season.open", 1, now=home.clock())
        session.flush()
        assert (session.scalar(select(func.max(Event.id))) or 0) > highest
    assert home.person("zoe").id > max(map(len, NAMES))
    home.context.close()


def test_postgres_knows_at_once_how_many_rows_it_got(
    request: pytest.FixtureRequest, tmp_path: Path, running: Books, file: Path
) -> None:
    home = restored(file, empty("postgres", request, tmp_path))
    with running.read() as session:
        booked = session.scalar(select(func.count()).select_from(Result))
    with home.read() as session:  # -1 is a table that Postgres has not looked at.
        seen = session.scalar(text("SELECT reltuples FROM pg_class WHERE relname = 'result'"))
    assert seen == booked
    home.context.close()


def test_an_id_that_was_given_and_deleted_stays_given(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source = f"sqlite:///{tmp_path / 'source.db'}"
    migrate(source)
    books = open_books(source)
    with books.write() as session:
        for _ in range(7):
            events.publish(session, "season.open", 1, now=books.clock())
        session.flush()
        session.execute(text("DELETE FROM event"))
    books.context.close()
    there, again = tmp_path / "there.backup", tmp_path / "again.backup"
    backups.take(source, there, SECRETS)
    middle = _postgres(request)
    restored(there, middle).context.close()
    backups.take(middle, again, SECRETS)
    home = restored(again, f"sqlite:///{tmp_path / 'home.db'}")
    with home.write() as session:
        events.publish(session, "season.open", 1, now=home.clock())
        session.flush()
        assert session.scalars(select(Event.id)).all() == [8]
    home.context.close()


def test_a_backup_of_an_older_schema_is_brought_up_to_date(tmp_path: Path, running: Books) -> None:
    old = Database(f"sqlite:///{tmp_path / 'old.db'}")
    with old.connect() as connection:
        migrations.upgrade(connection, "0008")
        connection.execute(
            text(
                "INSERT INTO user (id, name, role, muted, shares, created_at)"
                " VALUES (7, 'olga', 'author', '[]', 0, 1)"
            )
        )
    old.close()
    file = tmp_path / "old.backup"
    assert backups.take(old.url, file, {}).schema == "0008"
    home = restored(file, f"sqlite:///{tmp_path / 'home.db'}")
    with home.read() as session:
        assert session.scalars(select(User.name)).all() == ["olga"]
        assert migrations.revision(session.connection()) == head()
    home.context.close()


# The file


def test_it_is_its_owners_alone_and_says_what_it_holds(file: Path, running: Books) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [found.name for found in file.parent.iterdir()] == [file.name]
    found = backups.check(file)
    assert (found.schema, found.database) == (head(), "sqlite")
    counts = {part.name: part.rows for part in found.tables}
    assert counts["result"] == running.count(Result)
    assert set(counts) == set(Base.metadata.tables)
    with backups.Reader(file) as reader:
        assert reader.secrets() == SECRETS


def test_a_database_of_the_environment_is_kept_with_the_secrets_of_the_data_folder(
    running: Books,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", running.context.database.url)
    made = folder.make(tmp_path / "data")
    kept = {
        name: value for name, value in folder.environment(made, 8000, {}).items() if name in SECRETS
    }
    words = ["admin", "backup", str(tmp_path / "with.backup"), "--data", str(made)]
    assert main.run(words) == 0
    with backups.Reader(tmp_path / "with.backup") as reader:
        assert reader.secrets() == kept
    assert "no secrets" not in capsys.readouterr().err
    words = ["admin", "backup", str(tmp_path / "without.backup"), "--data", str(tmp_path / "none")]
    assert main.run([*words, "--json"]) == 0
    told = capsys.readouterr()
    assert "It has no secrets" in told.err
    assert json.loads(told.out)["secrets"] is False


def test_a_restore_fills_the_database_whose_address_is_in_a_file(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    books = tmp_path / "elsewhere.db"
    (tmp_path / "address").write_text(f"sqlite:///{books}\n")
    monkeypatch.setenv("MATCHBOX_DATABASE_URL_FILE", str(tmp_path / "address"))
    home = tmp_path / "home"
    assert main.run(["admin", "restore", str(file), "--data", str(home)]) == 0
    assert books.exists()
    assert not (home / "matchbox.db").exists()
    monkeypatch.delenv("MATCHBOX_DATABASE_URL_FILE")
    monkeypatch.setenv("MATCHBOX_DATA", str(home))
    assert main.run(["migrate"]) == 2
    assert f"has its database at sqlite:///{books}: set" in capsys.readouterr().err


def test_a_file_that_exists_is_not_overwritten(file: Path, running: Books) -> None:
    size = file.stat().st_size
    with pytest.raises(Conflict, match="exists; give the backup another name"):
        backups.take(running.context.database.url, file, SECRETS)
    assert file.stat().st_size == size


def test_a_folder_that_takes_no_file_is_named_and_nothing_is_left(
    running: Books, tmp_path: Path
) -> None:
    wrong = tmp_path / "missing" / "matchbox.backup"
    with pytest.raises(Unavailable, match="could not be written: No such file or directory"):
        backups.take(running.context.database.url, wrong, SECRETS)
    assert list(tmp_path.iterdir()) == []


def test_a_backup_that_fails_halfway_is_one_sentence_and_leaves_nothing(
    running: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unraised: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    gc.collect()
    unraised.clear()  # Other tests have left these.
    small, whole = tmp_path / "small.backup", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, whole[1]))
    try:
        with pytest.raises(Unavailable, match="could not be written: File too large"):
            backups.take(running.context.database.url, small, SECRETS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, whole)
    gc.collect()
    assert (unraised, list(tmp_path.iterdir())) == ([], [])


def test_every_flipped_byte_of_the_data_is_noticed(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    with zipfile.ZipFile(file) as opened:
        parts = [
            (one.header_offset + 30 + len(one.filename) + 20 + one.compress_size // 2)
            for one in opened.infolist()
            if one.compress_size > 60
        ]
    assert len(parts) > 10
    for place in parts:
        hurt = tmp_path / "hurt.backup"
        hurt.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        with pytest.raises(BadBackup, match=r"hurt.backup is damaged in (the table|its) \w+"):
            backups.check(hurt)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_a_truncated_file_is_called_so(file: Path, tmp_path: Path, share: float) -> None:
    cut = tmp_path / "cut.backup"
    whole = file.read_bytes()
    cut.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(BadBackup, match="is truncated: its end is missing"):
        backups.check(cut)


def test_another_file_is_no_backup(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("not a zip")
    with pytest.raises(BadBackup, match="is not a backup of Matchbox"):
        backups.check(other)
    with pytest.raises(BadBackup, match="cannot be read: No such file"):
        backups.check(tmp_path / "missing")


def rewritten(file: Path, path: Path, **changed: Any) -> Path:
    """The same backup with another manifest."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            kept = old.read(name)
            if name == "manifest.json":
                kept = json.dumps({**json.loads(kept), **changed}).encode()
            new.writestr(name, kept)
    return path


def test_a_newer_schema_or_format_is_refused_by_name(file: Path, tmp_path: Path) -> None:
    newer = rewritten(file, tmp_path / "newer.backup", schema="9999", release="9.0.0")
    says = rf"made by Matchbox 9.0.0 with schema 9999, and this .* up to {head()}; restore it with"
    with pytest.raises(BadBackup, match=says):
        backups.check(newer)
    target = f"sqlite:///{tmp_path / 'target.db'}"
    with backups.Reader(newer) as reader, pytest.raises(BadBackup, match=says):
        backups.restore(reader, target)
    assert not (tmp_path / "target.db").exists()
    with pytest.raises(BadBackup, match="has format 99 of backups"):
        backups.check(rewritten(file, tmp_path / "format.backup", format=99))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_is_restored_from_a_damaged_file_or_into_a_database_in_use(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, file: Path
) -> None:
    manifest = backups.check(file)
    wrong = [
        msgspec.structs.replace(part, sha256="0" * 64) if part.name == "result" else part
        for part in manifest.tables
    ]
    hurt = rewritten(file, tmp_path / "hurt.backup", tables=msgspec.to_builtins(wrong))
    url = empty(kind, request, tmp_path)
    with backups.Reader(hurt) as reader, pytest.raises(BadBackup, match="the table result"):
        backups.restore(reader, url)
    database = Database(url)
    with database.connect() as connection:
        assert inspect(connection).get_table_names() == []
    database.close()
    migrate(url)
    with backups.Reader(file) as reader, pytest.raises(Conflict, match="is not empty"):
        backups.restore(reader, url)


def test_what_postgres_cannot_store_is_named(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source = f"sqlite:///{tmp_path / 'source.db'}"
    migrate(source)
    books = open_books(source)
    books.person("n" * 1000)
    books.context.close()
    backups.take(source, tmp_path / "odd.backup", SECRETS)
    with (
        backups.Reader(tmp_path / "odd.backup") as reader,
        pytest.raises(BadBackup, match=r"the table user of .* holds a row that this database"),
    ):
        backups.restore(reader, _postgres(request))


def test_a_text_with_nul_can_move_to_postgres(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source, url = f"sqlite:///{tmp_path / 'source.db'}", _postgres(request)
    migrate(source)
    books = open_books(source)
    charlie = books.person("charlie", Role.OPERATOR)
    with books.write() as session:
        audit.note(session, charlie, "a\0ction", "user:1", {"why": "n\0l"}, now=books.clock())  # type: ignore[arg-type]
    books.context.close()
    backups.take(source, tmp_path / "odd.backup", SECRETS)
    moved = restored(tmp_path / "odd.backup", url)
    with moved.read() as session:
        row = session.scalars(select(Audit).where(Audit.subject == "user:1")).one()
    assert (row.action, row.detail) == ("a\ufffdction", {"why": "n\0l"})
    moved.context.close()


def test_a_reason_that_is_too_long_is_cut_for_postgres(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source, url = f"sqlite:///{tmp_path / 'source.db'}", _postgres(request)
    books, _ = begun(source)
    with books.write() as session:
        for match in session.scalars(select(Match)):
            match.void_why = "\0" + "why " * 200
        for entry in session.scalars(select(Entry)):
            entry.out_why = "\0" + "out " * 200
    books.context.close()
    backups.take(source, tmp_path / "odd.backup", SECRETS)
    moved = restored(tmp_path / "odd.backup", url)
    with moved.read() as session:
        found = {*session.scalars(select(Match.void_why)), *session.scalars(select(Entry.out_why))}
    assert found == {("\ufffd" + word * 200)[:500] for word in ("why ", "out ")}
    moved.context.close()


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "long.backup"
    row = (1, "x" * 10_000, b"y" * 10_000)
    with memory_traced() as most:
        with path.open("wb") as out:
            writer = archive.Writer(out)
            writer.table("long", ["a", "b", "c"], (row for _ in range(1000)))
            about = {"release": "0", "schema": head(), "database": "sqlite", "made_at": "now"}
            writer.finish({}, {}, **about)
        backups.check(path)
        assert most() < 4 << 20


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_backup_holds_few_long_rows_at_a_time(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source, path = empty(kind, request, tmp_path), tmp_path / "long.backup"
    migrate(source)
    books = open_books(source)
    with books.write() as session:
        for number in range(60):
            session.add(Memory(digest=str(number), data=os.urandom(1 << 20)))
            session.flush()
    books.context.close()
    gc.collect()
    with memory_traced() as most:
        backups.take(source, path, SECRETS)
        assert most() < 30 << 20


def test_two_backups_into_one_file_leave_the_first_whole(tmp_path: Path) -> None:
    url, path = f"sqlite:///{tmp_path / 'source.db'}", tmp_path / "one.backup"
    migrate(url)
    books = open_books(url)
    books.person("ann")
    books.context.close()
    refused: list[str] = []

    def begin_another(done: int, total: int) -> None:
        with pytest.raises(Conflict) as error:
            backups.take(url, path, SECRETS)
        refused.append(str(error.value))

    (tmp_path / ".one.backup.part").write_text("left by a backup that was killed")
    made = backups.take(url, path, SECRETS, begin_another)
    assert set(refused) == {f"another command is writing {path}: wait for it"}
    assert backups.check(path).rows == made.rows
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("disk", ["network", "without locks"])
def test_two_backups_on_a_network_disk_leave_the_first_whole(
    disk: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = fcntl.flock

    def lock(file: IO[bytes], how: int) -> None:
        if disk == "without locks" or not file.writable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        locks(file, how)

    monkeypatch.setattr(fcntl, "flock", lock)
    url, path = f"sqlite:///{tmp_path / 'source.db'}", tmp_path / "one.backup"
    migrate(url)
    refused: list[str] = []

    def begin_another(done: int, total: int) -> None:
        with pytest.raises(Conflict) as error:
            backups.take(url, path, SECRETS)
        refused.append(str(error.value))

    made = backups.take(url, path, SECRETS, begin_another)
    told = f"another command is writing {path}: wait for it"
    if disk == "without locks":
        told += f", or, if none is, delete {tmp_path / '.one.backup.part'}"
    assert set(refused) == {told}
    assert backups.check(path).rows == made.rows
