"""Puts a database's errors into sentences that say what is wrong and what to do.

Knows the texts of SQLite and the SQLSTATEs of Postgres, whose texts may be in any language. Errors
of connecting have no SQLSTATE, and are known by their English texts. Looks at damaged pages of
SQLite.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import create_engine, make_url
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from matchbox.errors import Unavailable
from server.db.waiting import wait_while

CONNECT_S: Final = 5
"""How long `check_connection` waits for Postgres, in seconds."""
CHECK_S: Final = 5.0
"""The most processor time that a start spends on the pages, in seconds."""
_RESTORE: Final = "stop, move it away, and restore a backup with `matchbox admin restore`"
_SQLITE: Final = (
    ("file is not a database", f"{{place}} is not a database or is damaged; {_RESTORE}"),
    ("malformed", f"the database {{place}} has damaged pages; {_RESTORE}"),
    (
        "readonly",
        "the database {place} cannot be written; give this account the right to write it and its "
        "folder, and check whether the disk is mounted read-only",
    ),
    (
        "unable to open database file",
        "the database {place} cannot be opened; check whether its folder exists, this account may "
        "write there, and the disk has room",
    ),
    (
        "disk is full",
        "the disk of the database {place} is full, so nothing can be stored; free some space",
    ),
    (
        "disk I/O error",
        "the disk of the database {place} failed or is full; see the system's log and free space",
    ),
)

_NO_RIGHT: Final = "42501"
_NO_TURN: Final = "55P03"
_STOOD_STILL: Final = "25P03"
_DISK_FULL: Final = "53100"
_READ_ONLY: Final = "25006"
"""SQLSTATEs of Postgres: the account lacks a right, a lock did not come in time, a transaction
stood still, the disk is full, and the server is read-only."""
_CROWDED: Final = ("too many clients", "too many connections", "remaining connection slots")
"""Texts of Postgres for the lack of a connection, in English: they come without a SQLSTATE."""


def is_about_access(error: DBAPIError) -> bool:
    """Whether the cause is the server's address or the account's rights, and not the statement."""
    return error.statement is None or _state(error) == _NO_RIGHT


def is_about_turn(error: DBAPIError) -> bool:
    """Whether the turn of a writer has not come in time."""
    return _state(error) == _NO_TURN or "database is locked" in str(error.orig)


def _state(error: DBAPIError) -> str:
    """The SQLSTATE of Postgres; empty for errors of SQLite and of connecting."""
    return getattr(error.orig, "sqlstate", None) or ""


def sentence(error: DBAPIError, url: str) -> str:
    """Returns one sentence about an error of this database."""
    said = " ".join(str(error.orig).split())
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        for sign, words in _SQLITE:
            if sign in said:
                return words.format(place=address.database)
    elif _state(error) == _STOOD_STILL:
        return (
            "this process stood still in the middle of a change, so Postgres ended its connection "
            "and nothing of the change was stored; see why it was suspended or hung"
        )
    elif error.statement is None and any(sign in said for sign in _CROWDED):
        return (
            "Postgres has no connection left; raise its max_connections, or run fewer processes: "
            f"{said}"
        )
    elif error.statement is None:
        place = address.set(drivername="postgresql").render_as_string(hide_password=True)
        return (
            f"the database {place} cannot be reached; start Postgres, or correct "
            f"MATCHBOX_DATABASE_URL: {said}"
        )
    elif _state(error) == _NO_RIGHT:
        return (
            "the account of MATCHBOX_DATABASE_URL lacks a right in Postgres; make it the owner of "
            f"the database: {said}"
        )
    elif _state(error) == _DISK_FULL:
        return f"the disk of Postgres is full, so nothing can be stored; free some space: {said}"
    elif _state(error) == _READ_ONLY:
        return f"Postgres is read-only, so nothing can be stored; make it writable: {said}"
    return f"the database cannot be used now; try again: {said}"


_LASTING: Final = (
    *("does not exist", "authentication failed", "no password supplied", "pg_hba.conf"),
    *("is not permitted", "permission denied", "invalid"),
    *("does not support SSL", "certificate verify failed", "does not match host name"),
)
"""Texts of errors of connecting that no waiting mends. Without a SQLSTATE, a Postgres that speaks
another language cannot be told from one that is starting, and is waited for."""


def wait_for_start(url: str, most_s: float, report: Callable[[str], None]) -> None:
    """Waits up to `most_s` seconds while Postgres may be starting.

    Reports why once. Raises Unavailable if it has not started by then; other errors are left to the
    code that opens the database. SQLite needs no start.
    """
    if make_url(url).get_backend_name() == "sqlite":
        return
    engine = create_engine(url, poolclass=NullPool)

    def trouble() -> str:
        try:
            engine.connect().close()
        except OperationalError as error:
            if not any(sign in str(error.orig) for sign in _LASTING):
                return sentence(error, url)
        return ""

    wait_while(trouble, most_s, report)


def check_connection(url: str) -> None:
    """Connects to Postgres once, or looks for damaged pages of SQLite.

    Raises Unavailable if the database cannot be used.
    """
    if make_url(url).get_backend_name() == "sqlite":
        check_pages(url)
        return
    engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": CONNECT_S})
    try:
        engine.connect().close()
    except DBAPIError as error:
        raise Unavailable(sentence(error, url)) from error


def check_pages(url: str) -> None:
    """Looks for damaged pages of an SQLite file, for CHECK_S seconds of processor time at most.

    Raises Unavailable if there is one.
    """
    address = make_url(url)
    place = address.database
    if address.get_backend_name() != "sqlite" or not place or not Path(place).exists():
        return
    deadline = time.process_time() + CHECK_S
    try:
        with closing(sqlite3.connect(f"file:{quote(place)}?mode=ro", uri=True)) as connection:
            connection.set_progress_handler(lambda: time.process_time() > deadline, 10_000)
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            return
        raise Unavailable(sentence(DBAPIError(None, None, error), url)) from error
    if found != "ok":
        raise Unavailable(f"the database {place} has damaged pages; {_RESTORE}: {found}")
