"""The record of a match: everything that was decided, and nothing about when or where.

Knows how a record is laid out, packed and digested; does not know how it was made.
"""

from __future__ import annotations

import bz2
import platform
import zlib
from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain
from operator import sub
from typing import Any, Final, Literal

import msgspec

from matchbox.dice import SEED_BYTES, deals_from
from matchbox.errors import BadRecord, FaultKind

SCHEMA: Final = 1
_MAX_BYTES: Final = 64 << 20
_MAX_HEAD: Final = 16 << 20
"""The longest head in bytes. In memory it may take twenty times as much."""
_END: Final = "\0"
_ENCODER: Final = msgspec.json.Encoder()
_MAX_BY_IDENTITY: Final = 1000
"""While packing, moves are remembered by `id`, which is faster, until there are this many."""
_ONLY_INT: Final = {int}
_LEVEL: Final = 4
"""The zlib level. Level 5 would save 6% of the bytes, but take half as long again."""
_BZIP2: Final = b"BZh"
"""The first bytes of a record that was packed with bzip2, as older versions did."""


class Fault(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A seat's fault."""

    step: int
    """The number of moves that had been made in the bout."""
    seat: int
    kind: FaultKind


class Bout(msgspec.Struct, frozen=True, gc=False):
    """One deal played once in one rotation of the seats."""

    deal: int
    """Index into the record's deals."""
    rotation: int
    """Seat s of the table is held by entrant (s + rotation) mod n."""
    moves: list[Any]
    """Every move in the order in which the rules made them; steps of chance are not recorded."""
    places: list[int]
    """A place per seat of the table; 1 is best."""
    scores: list[int]
    why: str
    faults: list[Fault] = []

    @property
    def forfeit(self) -> int | None:
        """The seat with the first fault, or None."""
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
    """The digest of each entrant's version, in the order of the seats in rotation 0."""
    width: int
    """How many bouts a seat's process played concurrently."""
    bouts: list[Bout]
    python: str = ""
    """The Python minor version of the bots, as "3.11"."""
    libraries: dict[str, str] = {}
    """Versions of the libraries in the boxes, beside the standard library."""
    memories: list[str] | msgspec.UnsetType = msgspec.UNSET
    """The digest of each entrant's memory, "" for none; absent if nobody had one."""
    schema: Literal[1] = SCHEMA


class _Head(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The head of a packed record, in front of the columns."""

    record: Record
    """The record without its bouts and deals."""
    bouts: int
    moves: list[Any]
    """The distinct moves. The character with code point n + 1 stands for moves[n]."""
    ends: list[tuple[list[int], list[int], str]]
    """The distinct (places, scores, why). The character with code point n stands for ends[n]."""
    faults: list[tuple[int, list[Fault]]]
    """The index of each bout that has faults, with these faults."""
    deals: int = 0
    """The number of deals if only the first is stored; 0 if all are."""


def entrant(seat: int, rotation: int, seats: int) -> int:
    """Returns the entrant that holds that seat of the table in that rotation."""
    return (seat + rotation) % seats


def seat_of(entrant: int, rotation: int, seats: int) -> int:
    """Returns the seat of the table that the entrant holds in that rotation."""
    return (entrant - rotation) % seats


def rotations(seats: Sequence[str], *, cooperative: bool) -> range:
    """The rotations of a match: one per seat.

    There is only one for a cooperative team of copies of one version, since in every rotation the
    same team would play the same deal.
    """
    return range(1 if cooperative and len(set(seats)) == 1 else len(seats))


def memories_of(digests: Sequence[str | None]) -> list[str] | msgspec.UnsetType:
    """The `memories` of a record, from each entrant's digest, or None for no memory."""
    return [digest or "" for digest in digests] if any(digests) else msgspec.UNSET


def digest(record: Record) -> str:
    """64 hex digits over what was played; Python and library versions are not part of it."""
    played = msgspec.structs.replace(record, python="", libraries={})
    return blake2b(_encode(played), digest_size=32).hexdigest()


def pack(record: Record) -> bytes:
    """The record as it is stored: a zlib stream, then the 16 bytes of each deal, not compressed.

    If all deals follow from the first, only the first is stored. The stream has a line of JSON
    (`_Head`), then four columns of characters. The first three have one character for each bout:
    the difference between the index of its deal and that of the bout before, its rotation, and its
    ending. The fourth has the moves: one character for each move, and a NUL after each bout.
    """
    bouts = record.bouts
    encode = msgspec.json.encode
    moves, ends = _Alphabet(1), _Alphabet(0)
    deals = [bout.deal for bout in bouts]
    columns = [
        *map(chr, map(sub, deals, [0, *deals])),
        *[chr(bout.rotation) for bout in bouts],
        *[ends[encode((bout.places, bout.scores, bout.why))] for bout in bouts],
        *moves.texts([bout.moves for bout in bouts]),
    ]
    head = _Head(
        record=msgspec.structs.replace(record, bouts=[], deals=[]),
        bouts=len(bouts),
        moves=moves.values_in_order,
        ends=ends.values_in_order,
        faults=[(index, bout.faults) for index, bout in enumerate(bouts) if bout.faults],
        deals=len(record.deals) if _follow(record) else 0,
    )
    text = _encode(head) + b"\n" + "".join(columns).encode("utf-8", "surrogatepass")
    stored = record.deals[:1] if head.deals else record.deals
    return zlib.compress(text, _LEVEL) + bytes.fromhex("".join(stored))


def unpack(
    data: bytes,
    *,
    most_bytes: int = _MAX_BYTES,
    most_head: int = _MAX_HEAD,
    most_bouts: int | None = None,
) -> Record:
    """The record that was packed.

    Raises BadRecord if the bytes are not a packed record, if they decompress to more than
    `most_bytes`, or the head to more than `most_head`, or if the record has more than `most_bouts`
    bouts (None: no limit).
    """
    reader = bz2.BZ2Decompressor() if data.startswith(_BZIP2) else zlib.decompressobj()
    most_bytes = min(most_bytes, _MAX_BYTES)
    try:
        text = reader.decompress(data, most_bytes)
        if not reader.eof:
            raise BadRecord(f"this record is cut short, or longer than {most_bytes} bytes")
        line, _, columns = text.partition(b"\n")
        if len(line) > most_head:
            raise BadRecord(f"this record has a head longer than {most_head} bytes")
        head = msgspec.json.decode(line, type=_Head)
        if most_bouts is not None and head.bouts > most_bouts:
            raise BadRecord(f"this record has {head.bouts} bouts, more than {most_bouts}")
        bouts = _bouts(head, columns.decode("utf-8", "surrogatepass"))
        return msgspec.structs.replace(
            head.record, bouts=bouts, deals=_deals(head, reader.unused_data)
        )
    except (
        OSError,
        EOFError,
        zlib.error,
        ValueError,
        LookupError,
        msgspec.DecodeError,
        RecursionError,
    ) as error:
        raise BadRecord(f"these bytes are not a match record: {error}") from error


def _follow(record: Record) -> bool:
    """Whether to store only the first deal, because all others follow from it.

    False if there are more deals than bouts: `unpack` derives at most one deal for each bout, so
    that a few bytes cannot make it derive many.
    """
    deals = record.deals
    return 1 < len(deals) <= len(record.bouts) and deals == deals_from(deals[0], len(deals))


def _deals(head: _Head, seeds: bytes) -> list[str]:
    """The stored deals, or all that follow from the only one stored. Raises ValueError."""
    stored = [seeds[at : at + SEED_BYTES].hex() for at in range(0, len(seeds), SEED_BYTES)]
    if not head.deals:
        return stored
    if len(seeds) != SEED_BYTES or not 1 < head.deals <= head.bouts:
        raise ValueError("the deals are cut short")
    return deals_from(stored[0], head.deals)


def _bouts(head: _Head, columns: str) -> list[Bout]:
    """The bouts in the columns. Raises ValueError or LookupError."""
    count = head.bouts
    *texts, rest = columns[3 * count :].split(_END)
    if len(texts) != count or rest:
        raise ValueError("the moves are cut short")
    move_of = {chr(number): move for number, move in enumerate(head.moves, 1)}
    faults = dict(head.faults)
    deal = 0
    bouts = []
    for index in range(count):
        deal += ord(columns[index])
        rotation = ord(columns[count + index])
        places, scores, why = head.ends[ord(columns[2 * count + index])]
        moves = list(map(move_of.__getitem__, texts[index]))
        bouts.append(Bout(deal, rotation, moves, places, scores, why, faults.get(index, [])))
    return bouts


class _Alphabet(dict[Any, str]):
    """A character for each distinct value; a new value gets the next character.

    Look a value up by itself, or by its JSON as bytes: `alphabet["draw"]` and `alphabet[b'"draw"']`
    are the same character. Lists and dicts cannot be keys, so they need the JSON.
    """

    def __init__(self, first: int) -> None:
        self.values_in_order: list[Any] = []
        """The values, in the order of their characters."""
        self._first = first
        """The code point of the first character."""
        self._of_integer: dict[int, str] = {}
        """The characters of integers, apart from the others: 1 equals True, but is another move."""
        self._of_id: dict[int, str] = {}
        """The characters of some values by `id`: a batch often uses one object for equal moves."""

    def __missing__(self, key: Any) -> str:
        kind = type(key)
        if kind is int:
            return self._of_integer.get(key) or self._of_integer.setdefault(key, self._next(key))
        if kind is str:
            character = self._next(key)
        elif kind is bytes:
            value = msgspec.json.decode(key)
            by_itself = type(value) is str or type(value) is int
            character = self[value] if by_itself else self._next(value)
        else:
            return self[msgspec.json.encode(key)]
        self[key] = character
        return character

    def texts(self, bouts: list[list[Any]]) -> list[str]:
        """The moves of each bout, written in characters, with a NUL at the end.

        The moves must live as long as this object, which remembers some of them by `id`.
        """
        first = next(chain.from_iterable(bouts), None)
        if type(first) is int and set(map(type, chain.from_iterable(bouts))) == _ONLY_INT:
            return [self._text_of_integers(moves) + _END for moves in bouts]
        return [self._text(moves) + _END for moves in bouts]

    def _text(self, moves: list[Any]) -> str:
        """The moves, written in characters. Tries the fast ways first."""
        try:
            if moves and type(moves[0]) is int and set(map(type, moves)) == _ONLY_INT:
                return self._text_of_integers(moves)
            if self._of_id:
                return "".join(map(self._of_id.__getitem__, map(id, moves)))
            return "".join(map(self.__getitem__, moves))
        except (KeyError, TypeError):  # An object is new (KeyError), or is a list or a dict.
            lines = _ENCODER.encode_lines(moves).split(b"\n")
            text = "".join(map(self.__getitem__, lines[:-1]))
            if len(self._of_id) < _MAX_BY_IDENTITY:
                self._of_id.update(zip(map(id, moves), text, strict=True))
            return text

    def _text_of_integers(self, moves: list[int]) -> str:
        """The same for moves that all are integers."""
        try:
            return "".join(map(self._of_integer.__getitem__, moves))
        except KeyError:  # One of them is new.
            return "".join(map(self.__getitem__, moves))

    def _next(self, value: Any) -> str:
        """The character of a new value."""
        self.values_in_order.append(value)
        return chr(self._first + len(self.values_in_order) - 1)


def is_of_this_python(record: Record) -> bool:
    """Whether the bots ran on this interpreter's minor version, as far as the record says."""
    return record.python in ("", python_minor())


def python_minor() -> str:
    """This interpreter's minor version, as "3.11"."""
    return ".".join(platform.python_version_tuple()[:2])


def _encode(record: Record | _Head) -> bytes:
    return msgspec.json.encode(record, order="deterministic")
