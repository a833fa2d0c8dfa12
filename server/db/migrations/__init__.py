"""Brings a database to the tables of this program, step by step, with alembic.

Knows the steps in `versions`; knows no row.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from matchbox.errors import Unavailable
from server.db.session import Database


def migrate(url: str) -> None:
    """Brings the database to the newest schema, in one transaction; does nothing if it is there."""
    database = Database(url)
    try:
        with database.connect() as connection:
            config = configuration()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        database.close()


def check_schema(database: Database) -> None:
    """Raises Unavailable unless the database has the schema of this program."""
    with database.read() as session:
        found = MigrationContext.configure(session.connection()).get_current_revision()
    wanted = ScriptDirectory.from_config(configuration()).get_current_head()
    if found != wanted:
        raise Unavailable(
            f"the database has schema {found or 'none'} and this program needs {wanted}; "
            "start the platform with `matchbox up`, which brings it up to date"
        )


def configuration() -> Config:
    """How alembic finds the steps."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config
