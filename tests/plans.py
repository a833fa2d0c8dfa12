"""The plans by which SQLite runs the statements of a block, as it explains them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session


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
