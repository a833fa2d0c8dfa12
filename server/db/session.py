"""Opens the database, on SQLite or Postgres, for one writer at a time and any number of readers.

Knows how transactions begin, but not what a table means. Since writers take turns, a service can
read, decide and write without interference. A reader sees the database at one moment.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeVar, cast

from sqlalchemy import (
    ColumnElement,
    ColumnExpressionArgument,
    Connection,
    CursorResult,
    Engine,
    Table,
    Update,
    UpdateBase,
    bindparam,
    create_engine,
    event,
    func,
    make_url,
    select,
    update,
)
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from matchbox.errors import BadOption, Unavailable
from server.db import errors
from server.times import MINUTE_MS

Item = TypeVar("Item")
WAIT_MS: Final = 30_000
"""The time that a writer waits for its turn, in milliseconds."""
WEB_WAIT_MS: Final = 10_000
"""The time that a request waits for its turn to write, in milliseconds. It gives up before its
client does."""
IDLE_MS: Final = MINUTE_MS
"""The time, in milliseconds, for which a writer on Postgres may be idle while others wait.

Postgres ends the connection of one that has hung or lost its network, and frees the lock.
"""
BUSY: Final = (
    "another change has kept the database for too long, so nothing was changed; try again in a few "
    "seconds, and tell an operator if this goes on"
)
CROWDED: Final = (
    "too many requests read the database at the moment, so nothing was done; try again in a few "
    "seconds, and tell an operator if this goes on"
)
"""What a reader is told who has got no connection in time."""
_NO_ROOM_OR_TURN: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_WRITERS: Final = 0x6D61746368626F78
"""The key of the Postgres advisory lock for writers: "matchbox" in ASCII."""


class Database:
    """A database with one engine for writers and one for readers. Close it with `close`."""

    def __init__(self, url: str, wait_ms: int = WAIT_MS, idle_ms: int = IDLE_MS) -> None:
        self.url = url
        sqlite = make_url(url).get_backend_name() == "sqlite"
        if sqlite:
            self._writers = _sqlite(url, "IMMEDIATE", wait_ms)
            self._readers = _sqlite(url, "DEFERRED", wait_ms)
        else:
            self._writers = _postgres(url, wait_ms, idle_ms)
            self._readers = _postgres_readers(url, wait_ms)

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Yields a session that no other writer overlaps.

        It commits at the end, or not at all on an error. The turn begins with the first statement.
        Raises Unavailable if the turn does not come in time, and BadOption for a value that a
        database cannot hold.
        """
        with _clear_errors(self.url), Session(self._writers, expire_on_commit=False) as session:
            yield session
            session.commit()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Yields a session that sees the database at one moment and cannot change it."""
        with (
            _clear_errors(self.url, CROWDED),
            Session(self._readers, expire_on_commit=False) as session,
        ):
            yield session

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Yields a writer's bare connection in one transaction, for migrations and restores.

        It may be idle for as long as it likes. Raises Unavailable if the turn does not come in
        time.
        """
        with _clear_errors(self.url), self._writers.begin() as connection:
            if connection.dialect.name != "sqlite":
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield connection

    def size(self) -> int:
        """Returns how many bytes the database takes, without the free part of a SQLite file."""
        with self.read() as session:
            connection = session.connection()
            if connection.dialect.name != "sqlite":
                asked = connection.exec_driver_sql("SELECT pg_database_size(current_database())")
                return int(asked.scalar_one())
            pages, free, page = (
                connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("page_count", "freelist_count", "page_size")
            )
            return int((pages - free) * page)

    def shrink(self) -> None:
        """Gives the free part of a SQLite file back to the disk, if it is more than half of it.

        Changes nothing if another process uses the file, or if the disk has no room for the copy.
        """
        if self._writers.dialect.name != "sqlite":
            return
        with closing(self._writers.raw_connection()) as connection:
            cursor = connection.cursor()  # SQLAlchemy would begin a transaction.
            free, pages = (
                cursor.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("freelist_count", "page_count")
            )
            if 2 * free <= pages:
                return
            try:
                cursor.execute("VACUUM")
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode not in _NO_ROOM_OR_TURN:
                    raise

    def checkpoint(self) -> None:
        """Moves what is in the log of a SQLite file into the file, which is whole without it then.

        SQLite also does so when the last connection closes, but does not say if that fails. Raises
        Unavailable if it does, as on a full disk.
        """
        if self._writers.dialect.name != "sqlite":
            return
        with closing(self._writers.raw_connection()) as connection:
            try:  # As a raw cursor: SQLAlchemy would begin a transaction.
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as error:
                wrapped = DBAPIError(None, None, error)
                raise Unavailable(errors.sentence(wrapped, self.url)) from error

    def close(self) -> None:
        """Closes every connection."""
        self._writers.dispose()
        self._readers.dispose()


def in_parts(items: Iterable[Item], most: int) -> Iterator[list[Item]]:
    """Yields the items in lists of at most `most`: a statement takes a limited number of values."""
    left = iter(items)
    while part := list(islice(left, most)):
        yield part


def count_rows(session: Session, model: type[Any], *which: ColumnExpressionArgument[bool]) -> int:
    """Returns how many of the model's rows these conditions select."""
    return session.scalar(select(func.count()).select_from(model).where(*which)) or 0


def rows_changed(session: Session, statement: UpdateBase) -> int:
    """Returns the number of rows that the statement changed; loaded objects keep their values."""
    blind = statement.execution_options(synchronize_session=False)
    return cast("CursorResult[Any]", session.execute(blind)).rowcount


def compare_and_set(
    session: Session,
    row: Any,
    values: Mapping[str, Any],
    *so_far: ColumnElement[bool],
    **known: object,
) -> bool:
    """Changes the row if the `so_far` conditions still hold, and the `known` columns still have
    these values; returns False if not. A known value may not be None.

    The statement is cached by its conditions. Make them once per module: new ones for each call are
    three times as slow.
    """
    change = _change(type(row).__table__, so_far, tuple(known))
    if session.autoflush:  # By itself it flushes only for statements about mapped classes.
        session.flush()
    before = {_known(name): value for name, value in known.items()}
    changed = session.connection().execute(change, {"row": row.id, **before, **values})
    if changed.rowcount != 1:
        return False
    for name, value in values.items():
        set_committed_value(row, name, value)
    return True


@lru_cache
def _change(
    table: Table, so_far: tuple[ColumnElement[bool], ...], known: tuple[str, ...]
) -> Update:
    """The statement that changes a row of the table under these conditions."""
    same = [table.c[name] == bindparam(_known(name)) for name in known]
    return update(table).where(table.c.id == bindparam("row"), *same, *so_far)


def _known(name: str) -> str:
    """The name of the parameter for the earlier value of a column."""
    return f"known_{name}"


@contextmanager
def _clear_errors(url: str, crowded: str = BUSY) -> Iterator[None]:
    """Puts errors of the database into sentences; `crowded` is for a pool without connections."""
    try:
        yield
    except (DataError, OverflowError, UnicodeEncodeError) as error:
        raise BadOption(
            "the request holds a number or a text that the database cannot store, such as NUL, "
            "half a character, or a number of twenty digits"
        ) from error
    except (IntegrityError, InterfaceError):
        raise
    except DatabaseError as error:
        if isinstance(error, ProgrammingError) and not errors.is_about_access(error):
            raise
        if errors.is_about_turn(error):
            raise Unavailable(BUSY) from error
        raise Unavailable(errors.sentence(error, url)) from error
    except PoolTimeout as error:
        raise Unavailable(crowded) from error


def _sqlite(url: str, mode: str, wait_ms: int) -> Engine:
    engine = create_engine(url, pool_size=8, max_overflow=128, pool_timeout=wait_ms / 1000)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver's own BEGIN would come too late
        for pragma in (
            f"busy_timeout = {wait_ms}",
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            f"query_only = {'OFF' if mode == 'IMMEDIATE' else 'ON'}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()
        # SQLite's own leaves letters beyond ASCII as they are.
        connection.create_function("lower", 1, _lower, deterministic=True)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {mode}")

    return engine


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _postgres(url: str, wait_ms: int, idle_ms: int) -> Engine:
    options = f"-c lock_timeout={wait_ms} -c idle_in_transaction_session_timeout={idle_ms}"
    engine = create_engine(
        url,
        pool_size=2,
        max_overflow=6,
        pool_timeout=wait_ms / 1000,
        isolation_level="READ COMMITTED",  # Another one would show rows from before its turn.
        connect_args={"options": options},
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS})")

    return engine


def _postgres_readers(url: str, wait_ms: int) -> Engine:
    return create_engine(
        url,
        max_overflow=10,
        pool_timeout=wait_ms / 1000,
        execution_options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
    )
