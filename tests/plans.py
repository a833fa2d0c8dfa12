"""The plans by which SQLite runs the statements of a block, as it explains them, and the rows that
a block loads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event, inspect
from sqlalchemy.orm import Session

from server.db.models import Base


@contextmanager
def explained(session: Session, only: str = "") -> Iterator[list[str]]:
    """The plan of each statement with this text that the session executes in the block."""
    plans: list[str] = []
    connection = session.connection()

    def explain(asked: Any, cursor: Any, text: str, given: Any, context: Any, many: bool) -> None:
        if only in text and not text.startswith("EXPLAIN"):
            rows = asked.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given)
            plans.append("; ".join(row[-1] for row in rows))

    event.listen(connection, "before_cursor_execute", explain)
    try:
        yield plans
    finally:
        event.remove(connection, "before_cursor_execute", explain)


@contextmanager
def loads_of(model: type[Base]) -> Iterator[list[Base]]:
    """The rows of this table that are loaded as objects in the block."""
    loaded: list[Base] = []

    def note(row: Base, context: Any) -> None:
        loaded.append(row)

    event.listen(model, "load", note)
    try:
        yield loaded
    finally:
        event.remove(model, "load", note)


def without(rows: list[Base], *columns: str) -> bool:
    """Whether there are rows, and these columns of none were read."""
    return bool(rows) and all(inspect(row).unloaded.issuperset(columns) for row in rows)
