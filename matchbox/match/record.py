"""The record of a match: what was decided, nothing about when or where.

Knows how a record is laid out, packed and digested; does not know how it came about.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

import msgspec
import zstandard

from matchbox.errors import BadRecord, FaultKind

SCHEMA: Final = 1
_MAX_BYTES: Final = 64 << 20


class Fault(msgspec.Struct, frozen=True, array_like=True):
    """A seat's fault: before which of the bout's moves, whose, and of what kind."""

    step: int
    """How many moves of the bout had been made."""
    seat: int
    kind: FaultKind


class Bout(msgspec.Struct, frozen=True):
    """One deal played once in one rotation of the seats."""

    deal: int
    """Index into the record's deals."""
    rotation: int
    """Seat s of the table is held by entrant (s + rotation) mod n."""
    moves: list[Any]
    """Every move in the order the rules saw them; steps of chance are not written down."""
    places: list[int]
    """A place per seat of the table, 1 is best."""
    scores: list[int]
    why: str
    faults: list[Fault] = []

    @property
    def forfeit(self) -> int | None:
        """The seat whose fault came first, or None."""
        return self.faults[0].seat if self.faults else None


class Record(msgspec.Struct, frozen=True):
    """A match: deals x rotations between given versions, its bouts in (deal, rotation) order."""

    match: str
    game: str
    rules: str
    options: dict[str, str | int | bool]
    deals: list[str]
    """32 hex digits each."""
    seats: list[str]
    """The digest of each entrant's version; seat order of rotation 0."""
    width: int
    """How many bouts were in flight at once in a seat's process."""
    bouts: list[Bout]
    python: str = ""
    """The Python minor version that the bots ran on, as "3.11"."""
    libraries: dict[str, str] = {}
    """Versions of the libraries that the boxes held beside the standard library."""
    memories: list[str] | msgspec.UnsetType = msgspec.UNSET
    """The digest of each entrant's memory, "" for none; not written where nobody had one."""
    schema: int = SCHEMA


def entrant(seat: int, rotation: int, seats: int) -> int:
    """Which entrant holds that seat of the table in that rotation."""
    return (seat + rotation) % seats


def rotations(seats: Sequence[str], *, cooperative: bool) -> range:
    """How a match is turned: once a seat; once in all where a team is one version throughout.

    There the rotations would be the same bout again.
    """
    return range(1 if cooperative and len(set(seats)) == 1 else len(seats))


def memories_of(digests: Sequence[str | None]) -> list[str] | msgspec.UnsetType:
    """The memories as a record names them; nothing where nobody remembered anything."""
    return [digest or "" for digest in digests] if any(digests) else msgspec.UNSET


def digest(record: Record) -> str:
    """64 hex digits over what was played; Python and library versions are not part of it."""
    played = msgspec.structs.replace(record, python="", libraries={})
    return blake2b(_encode(played), digest_size=32).hexdigest()


def pack(record: Record) -> bytes:
    """The record as it is stored: canonical JSON, compressed with zstandard."""
    return zstandard.ZstdCompressor(level=3).compress(_encode(record))


def unpack(data: bytes) -> Record:
    """The record that was packed. Raises BadRecord for anything else."""
    try:
        if zstandard.frame_content_size(data) > _MAX_BYTES:
            raise BadRecord(f"this record is longer than {_MAX_BYTES} bytes")
        text = zstandard.ZstdDecompressor().decompress(data, max_output_size=_MAX_BYTES)
        return msgspec.json.decode(text, type=Record)
    except (zstandard.ZstdError, msgspec.DecodeError, RecursionError) as error:
        raise BadRecord(f"these bytes are no match record: {error}") from error


def python_minor() -> str:
    """This interpreter's minor version, as "3.11"."""
    return ".".join(platform.python_version_tuple()[:2])


def _encode(record: Record) -> bytes:
    return msgspec.json.encode(record, order="deterministic")
