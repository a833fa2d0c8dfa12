"""A database that is damaged, read-only or full while the site runs gives a sentence, no
traceback."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError

from matchbox.errors import Unavailable
from server.db import errors
from tests.books import Books
from tests.unit.server.routes.conftest import Browse, Caller, problem

PAGE: Final = 4096
WRITE_VERSION: Final = 18
"""The offset of the byte in an SQLite file that says which library may write it."""
POSTGRES: Final = "postgresql+psycopg://matchbox:secret@db.example/matchbox"


def closed(books: Books) -> Path:
    """Closes the database with all its data in the file, so the next reader reads the file anew."""
    url = make_url(books.settings.database_url)
    assert url.get_backend_name() == "sqlite"
    path = Path(url.database or "")
    books.context.database.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def damage(path: Path) -> None:
    """Overwrites a part of each page but the first, like a failing disk."""
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // PAGE):
            file.seek(page * PAGE)
            file.write(b"\xff" * 64)


def replace(path: Path) -> None:
    """Overwrites the file with something else."""
    path.write_bytes(b"not a database" * 1000)


def forbid_writing(path: Path) -> None:
    """Makes SQLite only read the file, under any user: as if a newer SQLite had written it."""
    with path.open("r+b") as file:
        file.seek(WRITE_VERSION)
        file.write(b"\x03")


@pytest.mark.parametrize(
    ("hurt", "sentence"),
    [
        (damage, "has damaged pages; stop, move it away, and restore a backup with"),
        (replace, "is not a database or is damaged; stop, move it away, and restore a backup"),
    ],
)
def test_a_database_that_is_damaged_while_the_site_runs_is_told(
    books: Books,
    browse: Browse,
    nobody: Caller,
    hurt: Callable[[Path], None],
    sentence: str,
) -> None:
    visitor = browse(None)
    assert visitor.get("/").status_code == 200
    path = closed(books)
    hurt(path)
    for address in ("/", "/matches", "/games/bomb"):
        page = visitor.get(address)
        assert page.status_code == 503, address
        assert f"{path} {sentence}" in page.text
        assert "Traceback" not in page.text
    told = problem(nobody.get("/bots"), 503)
    assert sentence in told["detail"]
    assert nobody.client.get("/healthz").status_code == 200


def test_a_database_that_becomes_read_only_is_read_and_says_why_it_takes_nothing(
    books: Books, browse: Browse, nobody: Caller
) -> None:
    visitor = browse(None)
    path = closed(books)
    forbid_writing(path)
    assert visitor.get("/").status_code == 200
    why = f"he database {path} cannot be written; give this account the right to write it"
    fields = {"name": "dora", "password": "a password of dora"}
    answer = visitor.send("/signup", **fields)
    assert (answer.status_code, why in answer.text) == (503, True)
    assert "Traceback" not in answer.text
    assert why in problem(nobody.post("/accounts", fields), 503)["detail"]
    assert nobody.get("/bots").status_code == 200


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            psycopg.errors.ReadOnlySqlTransaction(
                "cannot execute INSERT in a read-only transaction"
            ),
            "Postgres is read-only, so nothing can be stored; make it writable: cannot execute",
        ),
        (
            psycopg.errors.DiskFull(
                'could not extend file "base/5/16384": No space left on device\n'
                "HINT:  Check free disk space."
            ),
            "the disk of Postgres is full, so nothing can be stored; free some space: could not",
        ),
        (
            psycopg.errors.ReadOnlySqlTransaction("kann INSERT nicht ausführen"),
            "Postgres is read-only, so nothing can be stored; make it writable: kann INSERT",
        ),
        (
            psycopg.errors.DiskFull("konnte Datei »base/5/16384« nicht erweitern"),
            "the disk of Postgres is full, so nothing can be stored; free some space: konnte",
        ),
        (
            psycopg.errors.IdleInTransactionSessionTimeout("Verbindung wird abgebrochen"),
            "this process stood still in the middle of a change, so Postgres ended its connection",
        ),
        (
            psycopg.errors.AdminShutdown("terminating connection due to administrator command"),
            "the database cannot be used now; try again: terminating connection",
        ),
    ],
)
def test_what_postgres_refuses_is_told_in_one_line(error: Exception, sentence: str) -> None:
    wrapped: Any = DBAPIError.instance("INSERT", {}, error, psycopg.Error)
    told = errors.sentence(wrapped, POSTGRES)
    assert told.startswith(sentence)
    assert "\n" not in told
    assert "secret" not in told


def test_a_turn_that_does_not_come_is_known_in_every_language() -> None:
    error = psycopg.errors.LockNotAvailable("storniere Anfrage wegen Zeitüberschreitung")
    wrapped: Any = DBAPIError.instance("SELECT", {}, error, psycopg.Error)
    assert errors.is_about_turn(wrapped)


def test_a_postgres_without_a_free_connection_says_what_to_do() -> None:
    error = psycopg.OperationalError("connection failed: FATAL:  sorry, too many clients already")
    wrapped: Any = DBAPIError.instance(None, None, error, psycopg.Error)
    told = errors.sentence(wrapped, POSTGRES)
    assert told.startswith("Postgres has no connection left; raise its max_connections")


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ("FATAL:  das Datenbanksystem fährt herunter", True),
        ("FATAL:  the database system is starting up", True),
        ('FATAL:  password authentication failed for user "matchbox"', False),
        ('FATAL:  database "matchbox" does not exist', False),
        ('FATAL:  permission denied for database "matchbox"', False),
        ('server certificate for "x" does not match host name "db.example"', False),
    ],
)
def test_a_start_waits_for_a_postgres_of_any_language(
    said: str, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: object, **__: object) -> None:
        raise psycopg.OperationalError(f"connection failed: {said}")

    monkeypatch.setattr(psycopg, "connect", connect)
    told: list[str] = []
    with pytest.raises(Unavailable) if waits else nullcontext():
        errors.wait_for_start(POSTGRES, 0, told.append)


def test_a_postgres_that_cannot_be_reached_is_named_without_its_password() -> None:
    error: Any = DBAPIError.instance(
        None, None, psycopg.OperationalError("connection failed: server closed"), psycopg.Error
    )
    told = errors.sentence(error, POSTGRES)
    assert told.startswith("the database postgresql://matchbox:***@db.example/matchbox cannot be")
