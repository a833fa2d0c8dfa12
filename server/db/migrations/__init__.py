"""Brings a database to the tables of this program, step by step, with alembic.

Knows the steps in `versions`; of the rows, only the one that names the release. Most processes only
compare revisions: alembic and what it needs take a tenth of their start, so it is imported where a
database is upgraded.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from matchbox.errors import Unavailable
from server.db.session import Database

if TYPE_CHECKING:
    from alembic.config import Config

RELEASE: Final = "release"
"""The setting that names the newest release that has used the database, and its schema."""
_SETTING: Final = sa.table(
    "setting",
    sa.column("name", sa.String),
    sa.column("value", sa.JSON),
    sa.column("changed_at", sa.BigInteger),
)
_VERSION: Final = sa.table("alembic_version", sa.column("version_num", sa.String))
"""The table in which alembic stores the revision of a database."""


def migrate(url: str) -> None:
    """Brings the database to the newest schema, in one transaction; does nothing if it is there.

    A SQLite file that an upgrade leaves mostly empty becomes smaller.

    Raises Unavailable if a newer release has used the database, or if it cannot be used.
    """
    database = Database(url)
    try:
        with database.connect() as connection:
            before = revision(connection)
            upgrade(connection)
        if before not in (None, head()):
            database.shrink()
    finally:
        database.close()


def upgrade(connection: sa.Connection, to: str | None = None) -> None:
    """Upgrades the database to this revision, or to the newest. Raises Unavailable."""
    from alembic import command

    refuse_newer(connection)
    config = configuration()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, to or "head")
    except DBAPIError as error:
        raise _first_of(error) from None
    if to is None:
        _sign(connection)


def _first_of(error: DBAPIError) -> DBAPIError:
    """Returns the error that began it.

    If the disk is full, SQLite may undo the whole transaction. Then alembic fails to remove a table
    that it was making, and would hide the cause.
    """
    first, earlier = error, error.__context__
    while earlier is not None:
        first = earlier if isinstance(earlier, DBAPIError) else first
        earlier = earlier.__context__
    return first


def check_schema(database: Database) -> None:
    """Raises Unavailable unless the database has the schema of this program."""
    with database.read() as session:
        connection = session.connection()
        refuse_newer(connection)
        found = revision(connection)
    if found != head():
        raise Unavailable(
            f"the database has schema {found or 'none'} and this program needs {head()}; "
            "start the platform with `matchbox up`, which brings it up to date"
        )


def refuse_newer(connection: sa.Connection) -> None:
    """Raises Unavailable if the database has a schema that this program does not know."""
    found = revision(connection)
    if found is None or knows(found):
        return
    raise Unavailable(
        f"the database was last used by {_release_of(connection)}, with schema {found}, and this "
        f"is Matchbox {version('matchbox')}, which knows schemas up to {head()}; start that "
        "release again, or restore a backup from before the upgrade"
    )


def revision(connection: sa.Connection) -> str | None:
    """The database's revision; None for an empty database."""
    if not sa.inspect(connection).has_table(_VERSION.name):
        return None
    found: str | None = connection.scalar(sa.select(_VERSION.c.version_num))
    return found


def head() -> str:
    """The newest revision that this program knows."""
    return max(_revisions())


def knows(found: str) -> bool:
    """Returns whether this program has the revision."""
    return found in _revisions()


def configuration() -> Config:
    """Returns alembic's configuration, with the place of the steps."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config


@cache
def _revisions() -> frozenset[str]:
    """The revisions of all steps. The name of a step's file begins with its revision."""
    steps = (Path(__file__).parent / "versions").glob("*_*.py")
    return frozenset(step.name.partition("_")[0] for step in steps if step.name[0] != "_")


def _sign(connection: sa.Connection) -> None:
    """Stores this release and its schema, for the message with which an older release refuses the
    database."""
    value = {"release": version("matchbox"), "schema": head()}
    mine = _SETTING.c.name == RELEASE
    if connection.scalar(sa.select(_SETTING.c.value).where(mine)) == value:
        return
    connection.execute(_SETTING.delete().where(mine))
    connection.execute(_SETTING.insert().values(name=RELEASE, value=value, changed_at=0))


def _release_of(connection: sa.Connection) -> str:
    try:
        stored = connection.scalar(sa.select(_SETTING.c.value).where(_SETTING.c.name == RELEASE))
    except sa.exc.SQLAlchemyError:
        stored = None
    return f"Matchbox {stored['release']}" if stored else "a newer release of Matchbox"
