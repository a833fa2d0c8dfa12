"""The only source of chance. Knows how a seed becomes draws; knows no game."""

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
PLACES_PER_DRAW: Final = 40
"""One draw fills at most this many places of a shuffle."""
_NUMBERS: Final = 1 << 64
"""One step can begin at most this many numbers."""
_WORD: Final = 1 << 62
_LIMIT: Final = 1 << 448
"""The draws from one number of 512 bits have at most this many results; 64 bits are left over."""
_IN_LIMBS: Final = limbs.COMPILED
"""Whether numbers are kept in limbs until a draw is too large for them."""
_SMALL: Final = 1 << 32
_STEPS: Final = [step.to_bytes(8, "big") + bytes(8) for step in range(64)]
"""The hash input of the first number of each step, by step."""


@lru_cache(1000)
def _plan(size: int) -> tuple[int, list[tuple[int, int, int]]]:
    """Plans how one draw fills the last places of `size` items.

    Returns the number of ways to fill them, and the places in as few parts as possible, so that the
    number of ways of each part fits a machine word. A part is (above, below, its number of ways):
    the places items[below:above].
    """
    parts = []
    above, last = size, max(min(size, 1), size - PLACES_PER_DRAW)
    while above > last:
        below = above - 1
        while below > last and perm(above, above - below + 1) < _WORD:
            below -= 1
        parts.append((above, below, perm(above, above - below)))
        above = below
    return perm(size, size - last), parts


_PLANS: Final = [_plan(size) for size in range(64)]


def _swap(items: MutableSequence[Any], above: int, below: int, number: int) -> None:
    """Fills items[below:above] from items[:above], in the way with this number.

    The number is less than above! / below!. Its digits, in the bases above, above - 1, ..., say
    which item comes to each place, from the last place down (R. Durstenfeld, 1964).
    """
    for size in range(above, below, -1):
        other = number % size
        number //= size
        items[size - 1], items[other] = items[other], items[size - 1]


def _swap_bytes(items: bytearray, above: int, below: int, number: int) -> None:
    """The same as `_swap`, where the compiler knows the memory layout of the items."""
    for size in range(above, below, -1):
        other = number % size
        number //= size
        items[size - 1], items[other] = items[other], items[size - 1]


class Dice(Protocol):
    """The source of chance for the rules."""

    def below(self, n: int) -> int:
        """Returns a whole number from 0 to n - 1, all equally likely."""

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffles the items in place; all orders are equally likely."""

    def choice(self, items: Sequence[T]) -> T:
        """Returns one of the items, all equally likely."""


class SeededDice:
    """The dice of one step of one deal: BLAKE2b(seed, step), computed only when asked for.

    A draw divides one number of 512 bits; its bias is below 2**-64.
    """

    __slots__ = (
        "_begun", "_drawn", "_limbs", "_limit", "_results", "_seed", "_size", "_step", "_value",
        "_whole",
    )  # fmt: skip
    _limbs: Any
    """Compiled build: the part of the last number that no draw has used yet, in limbs."""
    _results: Any
    """Compiled build: how many results the draws from it have had in all, in limbs."""
    _size: int
    """Compiled build: the number of limbs in `_results`; 0 before the first number."""
    _whole: bool
    """Whether the step has changed to whole numbers, as it does at a draw too large for limbs."""

    def __init__(self, seed: bytes, step: int) -> None:
        self._seed = seed
        self._step = step
        self._begun = 0
        """How many numbers the step has begun."""
        self._value = 0
        """The part of the last number that no draw has used yet."""
        self._drawn = 1
        """How many results the draws from that number have had in all."""
        self._limit = 0
        """How many results they may have."""
        if _IN_LIMBS:
            self._size = 0
            self._whole = False

    def at(self, step: int) -> SeededDice:
        """Sets these dice to the beginning of another step of the deal, and returns them."""
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
        """Returns a whole number from 0 to n - 1. Raises ValueError if n is not positive."""
        if n < 1:
            raise ValueError(f"there is no number from 0 to below {n}")
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
        """Shuffles the items in place; all orders are equally likely (Fisher and Yates)."""
        size = len(items)
        while size > 1:
            if _IN_LIMBS and not self._whole and size < len(_PLANS):
                size = self._shuffle_small(items, size)
                continue
            ways, parts = _PLANS[size] if size < len(_PLANS) else _plan(size)
            number = self.below(ways)
            for above, below, part_ways in parts:
                number, part = divmod(number, part_ways)
                if isinstance(items, bytearray):
                    _swap_bytes(items, above, below, part)
                else:
                    _swap(items, above, below, part)
                size = below

    def choice(self, items: Sequence[T]) -> T:
        """Returns one of the items. Raises ValueError if there are none."""
        return items[self.below(len(items))]

    def _small(self, n: int) -> int:
        """`below` in limbs."""
        if not self._size or self._have(n):
            self._begin_limbs()
            self._have(n)
        return limbs.divide(self._limbs, n)

    def _shuffle_small(self, items: MutableSequence[T], size: int) -> int:
        """One draw of `shuffle` in limbs; returns how many places are still to be filled."""
        last = size - PLACES_PER_DRAW if size > PLACES_PER_DRAW else 1
        if not self._size or self._have_permutations(size, last):
            self._begin_limbs()
            self._have_permutations(size, last)
        while size > last:
            below = limbs.lowest_place(size, last)
            number = limbs.divide(self._limbs, limbs.permutations(size, below))
            if isinstance(items, bytearray):
                _swap_bytes(items, size, below, number)
            else:
                _swap(items, size, below, number)
            size = below
        return size

    def _have_permutations(self, size: int, last: int) -> bool:
        """Counts a draw that fills items[last:size]; returns whether the number is used up."""
        full = False
        while size > last:
            below = limbs.lowest_place(size, last)
            full = self._have(limbs.permutations(size, below))
            size = below
        return full

    def _have(self, n: int) -> bool:
        """Counts a draw below n; returns whether the number is used up."""
        self._size = limbs.multiply(self._results, self._size, n)
        return limbs.is_over(self._results, self._size)

    def _begin_limbs(self) -> None:
        """Begins the next number, in limbs."""
        limbs.read(self._limbs, self._digest())
        self._results[0] = 1
        self._size = 1

    def _leave_limbs(self) -> None:
        """Switches from limbs to whole numbers."""
        self._whole = True
        if self._size:
            self._value = sum(self._limbs[place] << 32 * place for place in range(16))
            self._drawn = sum(self._results[place] << 32 * place for place in range(self._size))
            self._limit = _LIMIT

    def _begin(self, n: int) -> None:
        """Begins the next number, with room for a draw below n and 64 bits more."""
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
    """Returns the 32 bytes that seed a player's own generator; they hide the deal's seed."""
    text = _players(match, rotation, seat + 1)[seat]
    return blake2b(text, key=unhexlify(deal), digest_size=32).digest()


def player_seeds(deal: bytes, match: str, rotation: int, seats: int) -> list[str]:
    """Returns `player_seed` for each seat, in hex."""
    keyed = blake2b(key=deal, digest_size=32)
    seeds = []
    for text in _players(match, rotation, seats):
        seed = keyed.copy()
        seed.update(text)
        seeds.append(seed.hexdigest())
    return seeds


@lru_cache(100)
def _players(match: str, rotation: int, seats: int) -> list[bytes]:
    """By seat, the hash input that identifies a player; the same in all deals of a match."""
    return [f"{match}:{rotation}:{seat}:player".encode() for seat in range(seats)]


def derive_deals(seed: str, count: int, *, start: int = 0) -> list[str]:
    """Derives `count` deal seeds (32 hex digits each) from a text, as `simulate --seed` does."""
    key = blake2b(seed.encode(), digest_size=32).digest()
    return [
        blake2b(n.to_bytes(8, "big"), key=key, digest_size=SEED_BYTES).hexdigest()
        for n in range(start, start + count)
    ]


def deals_from(first: str, count: int) -> list[str]:
    """Returns the deals of a match, or of all matches that share them, derived from the first.

    Each has 32 hex digits. From 1 on, deal n is bytes 16n to 16n + 15 of SHAKE256(first). A match's
    record reveals its first deal, so the others are never dealt anywhere else.
    """
    size = 2 * SEED_BYTES
    drawn = shake_256(bytes.fromhex(first)).hexdigest(SEED_BYTES * count)
    return [first, *(drawn[at : at + size] for at in range(size, count * size, size))]
