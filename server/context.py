"""The context of a process, which every use case needs: settings, database, queue and clock.

It is made once when a program starts, and passed on. Knows no web and no task.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import structlog
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from matchbox.errors import BadSetting, Unavailable
from matchbox.settings import Settings
from server import outbox
from server.db.migrations import check_schema
from server.db.session import WAIT_MS, Database
from server.services.pair_counts import PairCountCache

log = structlog.get_logger(__name__)


def clock() -> int:
    """Returns the time, UTC in whole milliseconds."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Context:
    """Settings, database, queue and clock. A process has one context."""

    settings: Settings
    database: Database
    sender: outbox.Sender
    now: Callable[[], int] = clock
    pair_counts: PairCountCache = field(default_factory=PairCountCache)

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Opens a writer's session; after its commit, sends the messages that it posted.

        If the broker is down, the ledger's tick sends them later.
        """
        with self.database.write() as session:
            yield session
        if session.info.get(outbox.POSTED):
            try:
                outbox.flush(self.database, self.sender, self.now())
            except Unavailable as error:
                log.warning("outbox.waits", why=str(error))

    def read(self) -> AbstractContextManager[Session]:
        """Opens a reader's session, which sees the database as it is at one moment."""
        return self.database.read()

    def close(self) -> None:
        """Closes all connections to the database."""
        self.database.close()


def database_url(settings: Settings) -> str:
    """Returns the database's SQLAlchemy address: the setting, or SQLite in the data folder.

    Raises BadSetting if SQLAlchemy does not understand the setting, or if it names no file or
    server.
    """
    if settings.database_url:
        return _checked(settings.database_url)
    return sqlite_url(Path(settings.data).resolve() / "matchbox.db")


def sqlite_url(file: Path) -> str:
    """The SQLAlchemy URL of this database; in a URL, % begins the code of a character."""
    return f"sqlite:///{file}".replace("%", "%25")


def _checked(url: str) -> str:
    try:
        address = make_url(url)
        in_file = address.database not in (None, "", ":memory:")
        valid = in_file or address.get_backend_name() != "sqlite"
    except (ArgumentError, ValueError):
        valid = False
    if not valid:  # The address is not shown: there may be a password in it.
        raise BadSetting(
            "MATCHBOX_DATABASE_URL is not a database URL; write it as sqlite:////FOLDER/FILE "
            "or postgresql+psycopg://ACCOUNT:PASSWORD@HOST/DATABASE"
        )
    return url


def make_context(
    settings: Settings, *, sender: outbox.Sender | None = None, wait_ms: int = WAIT_MS
) -> Context:
    """Makes the context of this process. The database must have been migrated.

    A writer waits at most `wait_ms` for its turn.

    Raises BadSetting if a required setting is empty, or Unavailable if the database's schema is not
    the one of this version.
    """
    if not settings.secret_key:
        raise BadSetting("MATCHBOX_SECRET_KEY is not set; give it 32 random characters or more")
    if sender is None and not settings.broker_url:
        raise BadSetting(
            "MATCHBOX_BROKER_URL is not set; `matchbox up` sets it to the broker it starts"
        )
    database = Database(database_url(settings), wait_ms)
    try:
        check_schema(database)
    except Unavailable:
        database.close()
        raise
    return Context(settings, database, sender or outbox.CelerySender(settings.broker_url))
