"""The only door for chance. Knows how a seed becomes draws; knows no game."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from functools import lru_cache
from hashlib import blake2b, shake_256
from math import perm
from typing import Final, Protocol, TypeVar

T = TypeVar("T")

SEED_BYTES: Final = 16
_orders: Final = lru_cache(1000)(perm)
_AT_ONCE: Final = 40
"""So many places of an order come out of one draw."""
_NUMBERS: Final = 1 << 64
"""A step can begin so many numbers."""
_WORD: Final = 1 << 62


@lru_cache(1000)
def _parts(above: int, below: int) -> list[tuple[int, int, int]]:
    """The places from `above` down to `below` in parts, each with how many orders it has: as few
    parts as leave a part's orders one machine word."""
    parts = []
    while above > below:
        size = above
        while size > below and perm(above, above - size + 1) < _WORD:
            size -= 1
        parts.append((above, size, perm(above, above - size)))
        above = size
    return parts


class Dice(Protocol):
    """Where the rules get their chance from."""

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, each as likely as the others."""

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Puts the items into an order, each as likely as the others."""

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, each as likely as the others."""


class SeededDice:
    """The dice of one step of one deal: BLAKE2b(seed, step), drawn only when asked for.

    A draw divides one number of 512 bits; its bias is below 2**-64.
    """

    __slots__ = ("_begun", "_room", "_seed", "_step", "_value")

    def __init__(self, seed: bytes, step: int) -> None:
        self._seed = seed
        self._step = step
        self._begun = 0
        """How many numbers the step has begun."""
        self._value = self._room = 0

    def at(self, step: int) -> SeededDice:
        """The same dice, for another step of the deal."""
        self._step = step
        self._begun = 0
        self._room = 0
        return self

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1. Raises ValueError where n is not positive."""
        if n < 1:
            raise ValueError(f"no number lies below {n} and at or above 0")
        if self._room < n << 64:
            self._refill(n)
        self._room //= n
        self._value, drawn = divmod(self._value, n)
        return drawn

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Puts the items into an order, each as likely as the others (Fisher and Yates)."""
        last = len(items) - 1
        while last > 0:
            first = max(0, last - _AT_ONCE)
            order = self.below(_orders(last + 1, last - first))
            for above, below, orders in _parts(last + 1, first + 1):
                order, part = divmod(order, orders)
                for size in range(above, below, -1):
                    other = part % size
                    part //= size
                    items[size - 1], items[other] = items[other], items[size - 1]
            last = first

    def choice(self, items: Sequence[T]) -> T:
        """One of the items. Raises ValueError where there is none."""
        return items[self.below(len(items))]

    def _refill(self, n: int) -> None:
        """Begins another number, with room for a draw below n and 64 bits more."""
        self._value, self._room = 0, 1
        while self._room < n << 64:
            number = self._step * _NUMBERS + self._begun
            digest = blake2b(number.to_bytes(16, "big"), key=self._seed).digest()
            self._value = self._value << 512 | int.from_bytes(digest, "big")
            self._room <<= 512
            self._begun += 1


def player_seed(deal: str, match: str, rotation: int, seat: int) -> bytes:
    """The 32 bytes that seed a player's own generator: one way from the deal's seed."""
    text = f"{match}:{rotation}:{seat}:player".encode()
    return blake2b(text, key=bytes.fromhex(deal), digest_size=32).digest()


def derive_deals(seed: str, count: int, *, start: int = 0) -> list[str]:
    """Deal seeds (32 hex digits each) derived from a text, as `simulate --seed` does."""
    key = blake2b(seed.encode(), digest_size=32).digest()
    return [
        blake2b(n.to_bytes(8, "big"), key=key, digest_size=SEED_BYTES).hexdigest()
        for n in range(start, start + count)
    ]


def deals_from(first: str, count: int) -> list[str]:
    """The deals of a match, or of all matches that share them: the others follow from the first.

    32 hex digits each; from 1 on, deal n is bytes 16n to 16n + 15 of SHAKE256(first). A match's
    record tells the first of its deals, so what follows from it is dealt nowhere else.
    """
    size = 2 * SEED_BYTES
    drawn = shake_256(bytes.fromhex(first)).hexdigest(SEED_BYTES * count)
    return [first, *(drawn[at : at + size] for at in range(size, count * size, size))]
