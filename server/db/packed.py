"""Packs lists, and the deals of a match, into columns that take little room on disk."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from sqlalchemy import LargeBinary, TypeDecorator

from matchbox.dice import SEED_BYTES, deals_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Dialect

_LEVEL: Final = 3
_DECODER: Final = msgspec.msgpack.Decoder(list[Any])


class PackedList(TypeDecorator[list[Any]]):
    """A column of plain lists: msgpack, compressed with zlib. An empty list takes no bytes."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: list[Any] | None, dialect: Dialect) -> bytes | None:
        """Returns the bytes to store."""
        return None if value is None else pack_list(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> list[Any] | None:
        """Returns the list in the bytes."""
        return None if value is None else unpack_list(value)


def pack_list(value: list[Any]) -> bytes:
    """Returns a list of plain data as bytes."""
    return zlib.compress(msgspec.msgpack.encode(value), _LEVEL) if value else b""


def unpack_list(data: bytes) -> list[Any]:
    """Returns the list that was packed."""
    return _DECODER.decode(zlib.decompress(data)) if data else []


class PackedDeals(NamedTuple):
    """The deals of a match. The fields have the names of the match's columns."""

    first_deal: bytes
    deal_count: int
    other_deals: bytes
    """The seeds of the others, in order; empty if they follow from the first."""


def pack_deals(seeds: Sequence[str]) -> PackedDeals:
    """Packs at least one seed of 32 hex digits."""
    first, *others = seeds
    follow = others == deals_from(first, len(seeds))[1:]
    written = b"" if follow else bytes.fromhex("".join(others))
    return PackedDeals(bytes.fromhex(first), len(seeds), written)


def unpack_deals(packed: PackedDeals) -> list[str]:
    """Returns the seeds, in order."""
    first, count, others = packed
    if not others:
        return deals_from(first.hex(), count)
    places = range(0, len(others), SEED_BYTES)
    return [first.hex(), *(others[at : at + SEED_BYTES].hex() for at in places)]
