"""A finished season as one zip file, which can be verified without the server that played it.

Knows how an archive is laid out, written and read, and what makes one damaged or hostile; runs no
bots. In the zip:

    season.json       the season, its entrants, its lessons, its standing
    matches.jsonl     the rows: a line a match, in order
    records/<match>   as matchbox.match.record packs them
    bundles/<digest>  of the bots whose owners allow it
    memories/<digest> of the same bots
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from math import isclose
from typing import IO, Any, Final

import msgspec

from matchbox.bundle import BROKEN_ZIP, ZIP_BYTES, digest
from matchbox.errors import BadArchive, BadRecord
from matchbox.league.archive_layout import (
    ArchivedEntrant,
    ArchivedMatch,
    ArchivedStanding,
    SeasonFile,
)
from matchbox.league.counts import count
from matchbox.league.rows import Row, rows_of
from matchbox.league.standings import METHOD, Standing, digest_of, standing
from matchbox.match import record as records
from matchbox.match.memory import MEMORY_BYTES
from matchbox.match.record import Record

MAX_FILES: Final = 200_000
MAX_BYTES: Final = 8 << 30
"""The most that an archive may unpack to."""
_JSON_BYTES: Final = 256 << 20
CHUNK_BYTES: Final = 1 << 20
"""The number of bytes that are unpacked in one step."""
_SIZES: Final = {"records": 64 << 20, "bundles": ZIP_BYTES, "memories": MEMORY_BYTES}
_NAME: Final = re.compile(
    r"season\.json|matches\.jsonl|records/[0-9a-f]{32}|(bundles|memories)/[0-9a-f]{64}"
)
_CONTRADICTORY: Final = (ValueError, OverflowError)
"""Exceptions for rows that no season has, such as a bot that meets itself, or too large scores."""
_CLOSE: Final = 1e-6
"""The relative and absolute tolerance for a standing's figures, which differ between machines."""


def write(
    file: IO[bytes],
    head: SeasonFile,
    played: Iterable[tuple[ArchivedMatch, bytes]],
    bundles: Iterable[bytes],
    memories: Iterable[bytes],
) -> None:
    """Writes the archive; each match comes with its packed record."""
    encode = msgspec.json.encode
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("season.json", encode(head, order="deterministic"), zipfile.ZIP_DEFLATED)
        packer, lines = zlib.compressobj(), []  # A zip is written one file at a time.
        for match, packed in played:
            lines.append(packer.compress(encode(match) + b"\n"))
            archive.writestr(f"records/{match.match}", packed)
        listed = zipfile.ZipInfo("matches.jsonl", archive.getinfo("season.json").date_time)
        listed.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(listed, "w") as unpacked:
            unpacker = zlib.decompressobj()
            for part in [*lines, packer.flush()]:
                unpacked.write(unpacker.decompress(part, CHUNK_BYTES))
                while unpacker.unconsumed_tail:
                    unpacked.write(unpacker.decompress(unpacker.unconsumed_tail, CHUNK_BYTES))
            unpacked.write(unpacker.flush())
        for folder, found in (("bundles", bundles), ("memories", memories)):
            for data in found:
                archive.writestr(f"{folder}/{digest(data)}", data)


class Archive:
    """An archive opened for reading. Every method raises BadArchive, which names the fault."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
            _check_entries(self._zip.infolist())
        except BROKEN_ZIP as error:
            raise BadArchive(f"the archive cannot be read: {error}") from error
        self._names = frozenset(self._zip.namelist())
        self.head: SeasonFile = _decode(
            self._read("season.json", _JSON_BYTES), SeasonFile, "season.json"
        )
        """The season, its entrants, lessons and standing."""
        if self.head.standing.method > METHOD:
            raise BadArchive(
                f"the archive's standing was computed by method {self.head.standing.method}, and "
                f"this release has methods up to {METHOD}; verify it with a newer release"
            )
        lines = self._read("matches.jsonl", _JSON_BYTES).splitlines()
        self.matches: list[ArchivedMatch] = [
            _decode(line, ArchivedMatch, "matches.jsonl") for line in lines
        ]
        """The matches in order."""
        self._entrants: dict[str, ArchivedEntrant] = {one.name: one for one in self.head.entrants}
        self._check_names()
        self._check_matches()

    def entrant(self, name: str) -> ArchivedEntrant:
        """Returns the entrant of that name."""
        try:
            return self._entrants[name]
        except KeyError:
            raise BadArchive(f"the archive has no entrant {name!r}") from None

    def packed_record(self, match: str) -> bytes:
        """The match's packed record."""
        return self._read(f"records/{match}", _SIZES["records"])

    def record(self, match: ArchivedMatch) -> Record:
        """The match's record. Raises BadRecord unless it belongs to the row."""
        try:
            packed = self.packed_record(match.match)
            found = records.unpack(packed, most_bouts=len(match.bouts))
        except BadRecord as error:
            raise BadArchive(f"the record of match {match.match} is damaged: {error}") from error
        self._check_record(match, found)
        return found

    def bundle(self, version: str) -> bytes | None:
        """The bytes of that version, or None if its owner withholds them."""
        return self._get_by_digest("bundles", version)

    def memory(self, name: str) -> bytes | None:
        """The memory with that digest, or None if its owner withholds it."""
        return self._get_by_digest("memories", name)

    def rows(self) -> Iterator[Row]:
        """The rows that the standing is computed from: the bouts of all matches that count."""
        out = {one.name for one in self.head.entrants if one.out == "disqualified"}
        for match in self.matches:
            if match.state == "finished" and not out & set(match.seats):
                deals = self.record(match).deals
                yield from rows_of(match.match, deals, match.seats, match.bouts)

    def recompute_standing(self) -> Standing:
        """Computes the standing from the rows."""
        settings: dict[str, Any] = msgspec.structs.asdict(self.head.standing.settings)
        try:
            return standing(self.rows(), **settings)
        except _CONTRADICTORY as error:
            raise BadArchive(
                f"the standing cannot be computed from the archive: {error}"
            ) from error

    def recompute_digest(self) -> str:
        """Computes the standing's digest from the rows, by the method that the archive names."""
        settings: dict[str, Any] = msgspec.structs.asdict(self.head.standing.settings)
        how = {name: settings[name] for name in ("seat_term", "cooperative")}
        try:
            counts = count(self.rows(), **how)
        except _CONTRADICTORY as error:
            raise BadArchive(f"the rows of the archive cannot be counted: {error}") from error
        return digest_of(counts, method=self.head.standing.method, **settings)

    def _get_by_digest(self, folder: str, name: str) -> bytes | None:
        path = f"{folder}/{name}"
        if path not in self._names:
            return None
        data = self._read(path, _SIZES[folder])
        if digest(data) != name:
            raise BadArchive(
                f"{path} does not match the digest in its name; export the season again"
            )
        return data

    def _read(self, name: str, most: int) -> bytes:
        if name not in self._names:
            raise BadArchive(f"the archive has no {name}; export the season again")
        try:
            with self._zip.open(name) as packed:
                data = packed.read(most + 1)
        except BROKEN_ZIP as error:
            raise BadArchive(f"{name} of the archive cannot be read: {error}") from error
        if len(data) > most:
            raise BadArchive(f"{name} of the archive is longer than {most} bytes")
        return data

    def _check_names(self) -> None:
        """Refuses names that change a terminal or begin a line: a report prints them."""
        for name in self._entrants:
            if not name.isprintable():
                raise BadArchive(f"the archive has an entrant {name!r}, which is not a name")

    def _check_matches(self) -> None:
        if len({one.match for one in self.matches}) != len(self.matches):
            raise BadArchive("the archive has two matches with the same id")
        for match in self.matches:
            for name in match.seats:
                self.entrant(name)
        known = {one.match for one in self.matches}
        for lesson in self.head.lessons:
            self.entrant(lesson.entrant)
            if not known.issuperset(lesson.played):
                raise BadArchive(
                    f"a lesson of {lesson.entrant} names a match that is not in the archive"
                )

    def _check_record(self, match: ArchivedMatch, found: Record) -> None:
        season = self.head.season
        said = {
            "match": match.match,
            "game": season.game,
            "rules": season.rules,
            "options": season.options,
            "seats": [self.entrant(name).version for name in match.seats],
        }
        for name, wanted in said.items():
            if getattr(found, name) != wanted:
                raise BadRecord(f"the record of match {match.match} differs from its row in {name}")
        bouts = [
            (bout.deal, bout.rotation, bout.places, bout.scores, bout.forfeit)
            for bout in found.bouts
        ]
        if bouts != match.bouts or records.digest(found) != match.digest:
            raise BadRecord(f"the record of match {match.match} is not the one that its row names")
        if not all(bout.deal < len(found.deals) for bout in found.bouts):
            raise BadRecord(f"the record of match {match.match} has a bout without a deal")


def standings_agree(kept: ArchivedStanding, again: Standing) -> bool:
    """Whether a standing computed again equals the stored one: digest, order and figures."""
    lines: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(again.lines))
    if kept.digest != again.digest or len(lines) != len(kept.lines):
        return False
    return all(
        name in line and _same(line[name], value)
        for line, old in zip(lines, kept.lines, strict=True)
        for name, value in old.items()
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return bool(one == other)


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    """Raises BadArchive unless the zip holds only plain files of an archive, within the limits."""
    names = {entry.filename for entry in entries}
    if len(entries) > MAX_FILES or sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise BadArchive(
            f"the archive has more than {MAX_FILES} files, or unpacks to more than {MAX_BYTES} "
            "bytes"
        )
    if len(names) != len(entries):
        raise BadArchive("the archive holds two files of the same name")
    for entry in entries:
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or entry.flag_bits & 1:
            raise BadArchive(f"{entry.filename!r} of the archive is a link, or encrypted")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadArchive(f"{entry.filename!r} of the archive is packed by an unknown method")
        if not _NAME.fullmatch(entry.filename):
            raise BadArchive(f"the archive holds {entry.filename!r}, which is not part of a season")


def _decode(data: bytes, kind: type[Any], name: str) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadArchive(f"{name} of the archive cannot be decoded: {error}") from error
