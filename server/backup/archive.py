"""A backup as one zip file: its manifest, the secrets, and a stream of rows for each table.

Knows how the file is laid out, written, read and checked; knows no database. In the zip:

    tables/<name>   the rows: a length of 4 bytes, big-endian, and a msgpack array, again and again
    secrets.json    the settings that the data cannot be used without
    manifest.json   the release, the schema, and each part's columns, rows and SHA-256; written last
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, TypeVar

import msgspec

from matchbox.bundle import BROKEN_ZIP
from matchbox.errors import BadBackup

FORMAT: Final = 1
SECRETS: Final = "secrets.json"
_MANIFEST: Final = "manifest.json"
_LEVEL: Final = 3
"""Records are compressed already, so more effort gains little."""
_LENGTH: Final = 4
_LONGEST: Final = 1 << 30
"""The most bytes of a row."""
_BROKEN: Final = (*BROKEN_ZIP, KeyError, msgspec.MsgspecError)
"""Exceptions that a damaged file raises."""
_OTHER: Final = "use another backup, or copy this one again from where it was kept"
Row = TypeVar("Row", bound=Sequence[Any])
Watch = Callable[[int, int], None]
"""Called with the numbers of rows so far and in all."""


class TablePart(msgspec.Struct, frozen=True):
    """One table in the file."""

    name: str
    columns: list[str]
    rows: int
    sha256: str
    last_id: int | None = None
    """The highest id that was ever given; None for a table whose ids are not generated."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a backup."""

    format: int
    release: str
    """The release of Matchbox that made the backup."""
    schema: str
    """The database's revision, as alembic names it."""
    database: str
    """sqlite or postgresql."""
    made_at: str
    """ISO 8601, UTC."""
    secrets_sha256: str
    tables: list[TablePart]

    @property
    def rows(self) -> int:
        """The number of rows in all tables."""
        return sum(table.rows for table in self.tables)


class Progress:
    """Counts rows, and calls `watch` with the numbers now and then."""

    def __init__(self, watch: Watch | None, total: int) -> None:
        self._watch, self._total, self._done = watch, total, 0

    def counted(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yields the rows."""
        for row in rows:
            yield row
            self._done += 1
            if self._watch is not None and (self._done % 500 == 0 or self._done == self._total):
                self._watch(self._done, self._total)


class Writer:
    """Writes a backup into a file that is open for writing: tables first, then `finish`.

    Close it by leaving its `with` block.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        self._tables: list[TablePart] = []

    def __enter__(self) -> Writer:
        """The writer itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes what was not finished; otherwise Python would do so after the file was closed."""
        with suppress(OSError, ValueError):
            self._zip.close()

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Writes the rows of a table one after another; each holds the values of the columns."""
        encode = msgspec.msgpack.Encoder().encode
        digest, count = hashlib.sha256(), 0
        with self._zip.open(f"tables/{name}", "w", force_zip64=True) as part:
            for row in rows:
                packed = encode(tuple(row))
                frame = len(packed).to_bytes(_LENGTH) + packed
                digest.update(frame)
                part.write(frame)
                count += 1
        self._tables.append(TablePart(name, list(columns), count, digest.hexdigest()))

    def finish(self, secrets: Mapping[str, str], last_ids: Mapping[str, int], **about: str) -> None:
        """Writes the secrets and the manifest. `about` holds the manifest's texts."""
        kept = msgspec.json.encode(dict(secrets))
        self._zip.writestr(SECRETS, kept)
        tables = [
            msgspec.structs.replace(table, last_id=last_ids.get(table.name))
            for table in self._tables
        ]
        secrets_sha256 = hashlib.sha256(kept).hexdigest()
        manifest = Manifest(format=FORMAT, secrets_sha256=secrets_sha256, tables=tables, **about)
        self._zip.writestr(_MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        self._zip.close()


class Reader:
    """A backup opened for reading; close it by leaving its `with` block.

    Every method raises BadBackup, whose text names the file and the fault.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _opened(path)
        try:
            self._zip = self._unzipped()
            with self._guard("its manifest"):
                self.manifest = self._manifest(self._zip.read(_MANIFEST))
        except BadBackup:
            self._file.close()
            raise

    def __enter__(self) -> Reader:
        """The reader itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the file."""
        self._zip.close()
        self._file.close()

    def secrets(self) -> dict[str, str]:
        """The secrets, by the names of their settings."""
        with self._guard("its secrets"):
            kept = self._zip.read(SECRETS)
            if hashlib.sha256(kept).hexdigest() != self.manifest.secrets_sha256:
                raise ValueError
            return msgspec.json.decode(kept, type=dict[str, str])

    def rows(self, table: TablePart) -> Iterator[list[Any]]:
        """Yields the table's rows; raises at the end unless they have the table's checksum."""
        with self._guard(f"the table {table.name}"):
            decode = msgspec.msgpack.Decoder(list[Any]).decode
            digest, count = hashlib.sha256(), 0
            with self._zip.open(f"tables/{table.name}") as part:
                while length := part.read(_LENGTH):
                    packed = _exactly(part, int.from_bytes(length))
                    digest.update(length)
                    digest.update(packed)
                    count += 1
                    row = decode(packed)
                    if len(row) != len(table.columns):
                        raise ValueError
                    yield row
            if (count, digest.hexdigest()) != (table.rows, table.sha256):
                raise ValueError

    def check(self, watch: Watch | None = None) -> None:
        """Reads everything once. `watch` is called with the numbers of rows so far and in all."""
        self.secrets()
        progress = Progress(watch, self.manifest.rows)
        for table in self.manifest.tables:
            for _ in progress.counted(self.rows(table)):
                pass

    def _unzipped(self) -> zipfile.ZipFile:
        if self._file.read(4) != b"PK\3\4":
            raise BadBackup(f"{self.path} is not a backup of Matchbox")
        try:
            return zipfile.ZipFile(self._file)
        except _BROKEN as error:
            raise BadBackup(f"{self.path} is truncated: its end is missing; {_OTHER}") from error

    def _manifest(self, text: bytes) -> Manifest:
        number = msgspec.json.decode(text, type=dict[str, Any]).get("format")
        if isinstance(number, int) and number > FORMAT:
            raise BadBackup(
                f"{self.path} has format {number} of backups, and this release knows formats up to "
                f"{FORMAT}; use the release that made it, or a newer one"
            )
        return msgspec.json.decode(text, type=Manifest)

    @contextmanager
    def _guard(self, part: str) -> Iterator[None]:
        try:
            yield
        except BadBackup:
            raise
        except _BROKEN as error:
            raise BadBackup(f"{self.path} is damaged in {part}; {_OTHER}") from error


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror}") from error


def _exactly(part: IO[bytes], length: int) -> bytes:
    if length > _LONGEST:
        raise ValueError
    found = part.read(length)
    if len(found) != length:
        raise ValueError
    return found
