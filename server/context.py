"""The things that every use case needs: settings, database, queue and clock.

Made once at a program's start and handed on; knows no web and no task.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import structlog
from sqlalchemy.orm import Session

from matchbox.errors import BadSetting, Unavailable
from matchbox.settings import Settings
from server import outbox
from server.db.migrations import check_schema
from server.db.session import Database
from server.services.pair_counts import Tallies

log = structlog.get_logger(__name__)


def clock() -> int:
    """UTC in whole milliseconds."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Context:
    """One for a process."""

    settings: Settings
    database: Database
    sender: outbox.Sender
    now: Callable[[], int] = clock
    tallies: Tallies = field(default_factory=Tallies)

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A writer's session; what it posted is sent after its commit, if the broker is there.

        If the broker is down, the ledger's tick sends it later.
        """
        with self.database.write() as session:
            yield session
        if session.info.get(outbox.POSTED):
            try:
                outbox.flush(self.database, self.sender, self.now())
            except Unavailable as error:
                log.warning("outbox.waits", why=str(error))

    def read(self) -> AbstractContextManager[Session]:
        """A reader's session: one moment of the books."""
        return self.database.read()

    def close(self) -> None:
        """Gives the database's connections back."""
        self.database.close()


def database_url(settings: Settings) -> str:
    """The SQLAlchemy address of the books: the one set, or SQLite in the data folder."""
    if settings.database_url:
        return settings.database_url
    return f"sqlite:///{Path(settings.data).resolve() / 'matchbox.db'}"


def make_context(settings: Settings, *, sender: outbox.Sender | None = None) -> Context:
    """The context of this process. The database must have been migrated.

    Raises BadSetting if a needed setting is empty, Unavailable if the schema is not ours.
    """
    if not settings.secret_key:
        raise BadSetting("MATCHBOX_SECRET_KEY is not set; give it 32 random characters or more")
    if sender is None and not settings.broker_url:
        raise BadSetting(
            "MATCHBOX_BROKER_URL is not set; `matchbox up` sets it to the broker it starts"
        )
    database = Database(database_url(settings))
    check_schema(database)
    return Context(settings, database, sender or outbox.CelerySender(settings.broker_url))
