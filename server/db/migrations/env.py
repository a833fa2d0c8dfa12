"""Run by alembic: gives it the connection that `migrate` opened, and this program's tables.

For writing a new step, `alembic -x url=... revision --autogenerate` opens its own connection.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from server.db.models import Base
from server.db.session import Database


def run(connection: Connection) -> None:
    """Runs the steps in the connection's transaction."""
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    database = Database(context.get_x_argument(as_dictionary=True)["url"])
    with database.connect() as opened:
        run(opened)
    database.close()
