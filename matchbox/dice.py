"""The only door for chance. Knows how a seed becomes draws; knows no game."""

from __future__ import annotations

from binascii import unhexlify
from collections.abc import MutableSequence, Sequence
from functools import lru_cache
from hashlib import blake2b, shake_256
from math import perm
from typing import Any, Final, Protocol, TypeVar

from matchbox import limbs

T = TypeVar("T")

SEED_BYTES: Final = 16
_AT_ONCE: Final = 40
"""So many places of an order come out of one draw."""
_NUMBERS: Final = 1 << 64
"""A step can begin so many numbers."""
_WORD: Final = 1 << 62
_LIMIT: Final = 1 << 448
"""Draws out of one number of 512 bits have no more results in all, so that 64 bits are left."""
_IN_LIMBS: Final = limbs.COMPILED
"""Whether numbers are kept in limbs, as long as nothing is drawn that is too big for it."""
_SMALL: Final = 1 << 32
_STEPS: Final = [step.to_bytes(8, "big") + bytes(8) for step in range(64)]
"""What the first number of a step is hashed from."""


@lru_cache(1000)
def _plan(size: int) -> tuple[int, list[tuple[int, int, int]]]:
    """How the last places of so many are drawn at once: how many orders they have, and the places
    in as few parts as leave a part's orders one machine word.

    A part is the places from `above` down to `below`, and how many orders they have.
    """
    parts = []
    above, last = size, max(min(size, 1), size - _AT_ONCE)
    while above > last:
        below = above - 1
        while below > last and perm(above, above - below + 1) < _WORD:
            below -= 1
        parts.append((above, below, perm(above, above - below)))
        above = below
    return perm(size, size - last), parts


_PLANS: Final = [_plan(size) for size in range(64)]


def _swap(items: MutableSequence[Any], above: int, below: int, part: int) -> None:
    """Puts the items of these places into the order with this number."""
    for size in range(above, below, -1):
        other = part % size
        part //= size
        items[size - 1], items[other] = items[other], items[size - 1]


def _swap_bytes(items: bytearray, above: int, below: int, part: int) -> None:
    """The same where the compiler knows how the items lie in memory."""
    for size in range(above, below, -1):
        other = part % size
        part //= size
        items[size - 1], items[other] = items[other], items[size - 1]


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

    __slots__ = (
        "_begun", "_drawn", "_limbs", "_limit", "_results", "_seed", "_size", "_step", "_value",
        "_whole",
    )  # fmt: skip
    _limbs: Any
    """In limbs: what the draws have left of the last number,"""
    _results: Any
    """how many results they have had in all,"""
    _size: int
    """and how many limbs that takes; none before the first number."""
    _whole: bool
    """From a draw on that is too big for limbs, a step goes on in whole numbers."""

    def __init__(self, seed: bytes, step: int) -> None:
        self._seed = seed
        self._step = step
        self._begun = 0
        """How many numbers the step has begun."""
        self._value = 0
        """What the draws have left of the last number."""
        self._drawn = 1
        """How many results they have had in all."""
        self._limit = 0
        """How many they may have."""
        if _IN_LIMBS:
            self._size = 0
            self._whole = False

    def at(self, step: int) -> SeededDice:
        """The same dice, for another step of the deal."""
        self._step = step
        if not self._begun:  # Nothing was drawn.
            return self
        self._begun = 0
        self._drawn = 1
        self._limit = 0
        if _IN_LIMBS:
            self._size = 0
            self._whole = False
        return self

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1. Raises ValueError where n is not positive."""
        if n < 1:
            raise ValueError(f"no number lies below {n} and at or above 0")
        if _IN_LIMBS and not self._whole:
            if n < _SMALL:
                return self._small(n)
            self._leave_limbs()
        drawn = self._drawn * n
        if drawn > self._limit:
            self._begin(n)
            drawn = n
        self._drawn = drawn
        self._value, rest = divmod(self._value, n)
        return rest

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Puts the items into an order, each as likely as the others (Fisher and Yates)."""
        size = len(items)
        while size > 1:
            if _IN_LIMBS and not self._whole and size < len(_PLANS):
                size = self._order(items, size)
                continue
            orders, parts = _PLANS[size] if size < len(_PLANS) else _plan(size)
            order = self.below(orders)
            for above, below, results in parts:
                order, part = divmod(order, results)
                if isinstance(items, bytearray):
                    _swap_bytes(items, above, below, part)
                else:
                    _swap(items, above, below, part)
                size = below

    def choice(self, items: Sequence[T]) -> T:
        """One of the items. Raises ValueError where there is none."""
        return items[self.below(len(items))]

    def _small(self, n: int) -> int:
        """What `below` does, in limbs."""
        if not self._size or self._have(n):
            self._begin_limbs()
            self._have(n)
        return limbs.divide(self._limbs, n)

    def _order(self, items: MutableSequence[T], size: int) -> int:
        """What `shuffle` does in one go, in limbs; how many places are left."""
        last = size - _AT_ONCE if size > _AT_ONCE else 1
        if not self._size or self._have_orders(size, last):
            self._begin_limbs()
            self._have_orders(size, last)
        while size > last:
            below = limbs.part(size, last)
            part = limbs.divide(self._limbs, limbs.orders(size, below))
            if isinstance(items, bytearray):
                _swap_bytes(items, size, below, part)
            else:
                _swap(items, size, below, part)
            size = below
        return size

    def _have_orders(self, size: int, last: int) -> bool:
        """Counts the orders of these places in; whether the number has not so many results."""
        full = False
        while size > last:
            below = limbs.part(size, last)
            full = self._have(limbs.orders(size, below))
            size = below
        return full

    def _have(self, n: int) -> bool:
        """Counts a draw below n in; whether the number has not so many results."""
        self._size = limbs.multiply(self._results, self._size, n)
        return limbs.is_over(self._results, self._size)

    def _begin_limbs(self) -> None:
        """Begins another number in limbs."""
        limbs.read(self._limbs, self._digest())
        self._results[0] = 1
        self._size = 1

    def _leave_limbs(self) -> None:
        """Goes on in whole numbers."""
        self._whole = True
        if self._size:
            self._value = sum(self._limbs[place] << 32 * place for place in range(16))
            self._drawn = sum(self._results[place] << 32 * place for place in range(self._size))
            self._limit = _LIMIT

    def _begin(self, n: int) -> None:
        """Begins another number, with room for a draw below n and 64 bits more."""
        self._value = self._number()
        self._limit = _LIMIT
        while n > self._limit:
            self._value = self._value << 512 | self._number()
            self._limit <<= 512

    def _number(self) -> int:
        return int.from_bytes(self._digest(), "big")

    def _digest(self) -> bytes:
        step, begun = self._step, self._begun
        self._begun += 1
        if begun == 0 <= step < len(_STEPS):
            text = _STEPS[step]
        else:
            text = (step * _NUMBERS + begun).to_bytes(16, "big")
        return blake2b(text, key=self._seed).digest()


def player_seed(deal: str, match: str, rotation: int, seat: int) -> bytes:
    """The 32 bytes that seed a player's own generator: one way from the deal's seed."""
    text = _players(match, rotation, seat + 1)[seat]
    return blake2b(text, key=unhexlify(deal), digest_size=32).digest()


def player_seeds(deal: bytes, match: str, rotation: int, seats: int) -> list[str]:
    """The same for every seat, in hex."""
    texts = _players(match, rotation, seats)
    return [blake2b(text, key=deal, digest_size=32).hexdigest() for text in texts]


@lru_cache(100)
def _players(match: str, rotation: int, seats: int) -> list[bytes]:
    """What tells the players of a deal apart; it is the same in every deal of a match."""
    return [f"{match}:{rotation}:{seat}:player".encode() for seat in range(seats)]


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
