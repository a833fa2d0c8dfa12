"""Copies the rows of all tables from a database to a backup, and back.

Knows SQLite and Postgres, but not what a table means: it works with the tables that it finds, so
that it also copies those of an older schema. JSON is copied as text, to the letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ColumnElement,
    Connection,
    Insert,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    cast,
    column,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy import table as light_table
from sqlalchemy.exc import DataError, IntegrityError

from matchbox.errors import BadBackup
from server.backup.archive import Progress, Reader, TablePart, Watch, Writer

REVISION_TABLE: Final = "alembic_version"
_CHUNK_ROWS: Final = 200
"""The most rows that are read, or written, together."""
_CHUNK_LONG_ROWS: Final = 10
"""The most rows that are read together of a table whose rows may have megabytes."""
_CHUNK_BYTES: Final = 4 << 20
"""The most bytes that are written together, except for one longer row."""
_LIMITS: Final = {("match", "void_why"): 500, ("entry", "out_why"): 500}
"""The most characters of columns. On SQLite, releases up to 0.3.14 could store more there when they
renamed a deleted author's bots."""


def names(connection: Connection) -> list[str]:
    """The names of all tables in the database."""
    return sorted(set(inspect(connection).get_table_names()))


def dump(
    connection: Connection, writer: Writer, only: Iterable[str], watch: Watch | None
) -> dict[str, int]:
    """Writes the rows of these tables. Returns the highest id that each table has given."""
    tables = _reflect(connection, only)
    counts = [connection.scalar(select(func.count()).select_from(one)) for one in tables]
    progress = Progress(watch, sum(count or 0 for count in counts))
    for table in tables:
        columns = [str(one.name) for one in table.columns]
        rows = connection.execute(
            select(*map(_readable, table.columns)),
            execution_options={"stream_results": True, "max_row_buffer": _rows_at_a_time(table)},
        )
        writer.table(str(table.name), columns, progress.counted(rows))
    return _last_ids(connection, tables)


def load(connection: Connection, reader: Reader, watch: Watch | None) -> None:
    """Writes the backup's rows into tables of the backup's schema, which must be empty.

    Outside JSON, U+FFFD replaces NUL in a text for Postgres, which stores none. Raises BadBackup if
    the file is damaged, or holds what this kind of database cannot store.
    """
    tables = _reflect(connection, set(names(connection)) - {REVISION_TABLE})
    parts = {part.name: part for part in reader.manifest.tables}
    if {table.name: sorted(table.columns.keys()) for table in tables} != {
        part.name: sorted(part.columns) for part in parts.values()
    }:
        raise BadBackup(
            f"{reader.path} does not have the tables of its schema {reader.manifest.schema}; "
            "use another backup"
        )
    for table in reversed(tables):
        connection.execute(table.delete())
    progress = Progress(watch, reader.manifest.rows)
    for table in tables:
        part = parts[table.name]
        statement = _insert(table, part.columns, connection.dialect.name)
        limits = [_LIMITS.get((part.name, name)) for name in part.columns]
        for rows in _batches(progress.counted(reader.rows(part))):
            if connection.dialect.name == "postgresql":
                rows = [list(map(_for_postgres, row, limits)) for row in rows]
            _write(connection, statement, rows, reader, part)
    _count_on(connection, parts)


def analyze(connection: Connection) -> None:
    """Makes Postgres analyze its tables, so that it plans its first queries well.

    Postgres does so by itself, but only a minute later. SQLite plans without such counts.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("ANALYZE"))


def _reflect(connection: Connection, only: Iterable[str]) -> Sequence[Table]:
    """The tables as the database has them, each after those that it refers to."""
    found = MetaData()
    found.reflect(connection, only=sorted(only))
    return found.sorted_tables


def _rows_at_a_time(table: Table) -> int:
    bytes_or_json = any(isinstance(one.type, JSON | LargeBinary) for one in table.columns)
    return _CHUNK_LONG_ROWS if bytes_or_json else _CHUNK_ROWS


def _readable(found: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast(found, Text) if isinstance(found.type, JSON) else found


def _insert(table: Table, columns: Iterable[str], dialect: str) -> Insert:
    """Returns a statement that inserts a row. Its parameters `v0`, `v1`, ... are in the order of
    the columns."""
    values: dict[str, Any] = {}
    for place, name in enumerate(columns):
        kind = table.columns[name].type
        is_json = isinstance(kind, JSON)
        bound = bindparam(f"v{place}", type_=Text() if is_json else kind)
        values[name] = cast(bound, JSON) if is_json and dialect == "postgresql" else bound
    return insert(table).values(values)


def _for_postgres(value: Any, limit: int | None) -> Any:
    """The value as Postgres can store it: texts are cut at the limit, and U+FFFD replaces NUL."""
    return value.replace("\0", "\ufffd")[:limit] if isinstance(value, str) else value


def _write(
    connection: Connection,
    statement: Insert,
    rows: Sequence[Sequence[Any]],
    reader: Reader,
    part: TablePart,
) -> None:
    try:
        connection.execute(
            statement, [{f"v{place}": v for place, v in enumerate(row)} for row in rows]
        )
    except (DataError, IntegrityError, OverflowError) as error:
        why = str(getattr(error, "orig", error)).splitlines()[0]
        raise BadBackup(
            f"the table {part.name} of {reader.path} holds a row that this database refuses: {why}"
        ) from error


def _batches(rows: Iterable[list[Any]]) -> Iterator[list[list[Any]]]:
    batch: list[list[Any]] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, bytes | str))
        if len(batch) >= _CHUNK_ROWS or size >= _CHUNK_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


_SEQUENCES: Final = light_table("sqlite_sequence", column("name"), column("seq"))
"""The table in which SQLite keeps the highest ids of tables that never reuse one."""
_SCHEMA: Final = light_table("sqlite_master", column("name"), column("sql"))


def _last_ids(connection: Connection, tables: Iterable[Table]) -> dict[str, int]:
    if connection.dialect.name == "sqlite":
        kept = connection.execute(select(_SEQUENCES.c.name, _SEQUENCES.c.seq))
        return {str(row.name): int(row.seq) for row in kept}
    given = {}
    for table in tables:
        sequence = _sequence(connection, table.name)
        if sequence is not None:
            last_value, called = column("last_value", BigInteger), column("is_called", Boolean)
            state = select(last_value, called).select_from(text(sequence))
            last, used = connection.execute(state).one()
            given[table.name] = last if used else 0
    return given


def _count_on(connection: Connection, parts: Mapping[str, TablePart]) -> None:
    """Makes each table give ids that are higher than all that it ever gave."""
    if connection.dialect.name == "sqlite":
        counting = select(_SCHEMA.c.name).where(_SCHEMA.c.sql.like("%AUTOINCREMENT%"))
        given = {row.name: row.seq for row in connection.execute(select(_SEQUENCES))}
        for name in connection.scalars(counting).all():
            last = max(given.get(name, 0), parts[name].last_id or 0)
            connection.execute(delete(_SEQUENCES).where(_SEQUENCES.c.name == name))
            connection.execute(insert(_SEQUENCES).values(name=name, seq=last))
        return
    for name, part in parts.items():
        sequence = _sequence(connection, name)
        if sequence is not None:
            highest = connection.scalar(select(func.max(light_table(name, column("id")).c.id)))
            last = max(highest or 0, part.last_id or 0)
            connection.execute(select(func.setval(sequence, max(last, 1), last > 0)))


def _sequence(connection: Connection, table: str) -> str | None:
    """The Postgres sequence of the table's ids; None if it has none."""
    if "id" not in {one["name"] for one in inspect(connection).get_columns(table)}:
        return None
    quoted = connection.dialect.identifier_preparer.quote(table)
    found: str | None = connection.scalar(select(func.pg_get_serial_sequence(quoted, "id")))
    return found
