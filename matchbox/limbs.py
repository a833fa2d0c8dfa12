"""Numbers of 512 bits as machine words, for chance in the compiled build.

A number is 16 limbs of 32 bits, the lowest first: a list or C array of ints. Only compiled code
calls these functions: plain Python's integers have no fixed width, and are faster there.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox import build

COMPILED: Final = build.in_use() == "compiled"
"""Whether this build uses these functions."""
_LIMB: Final = 0xFFFFFFFF


def read(found: Any, digest: bytes) -> None:
    """Sets `found`, 16 limbs, to the number in 64 bytes, the highest byte first."""
    for place in range(16):
        at = 60 - 4 * place
        found[place] = (
            digest[at] << 24 | digest[at + 1] << 16 | digest[at + 2] << 8 | digest[at + 3]
        )


def bits(limbs: Any, at: int, count: int) -> int:
    """Returns up to 64 bits of a number, from bit `at` on. Two limbs of 0 must follow it."""
    place, shift = at >> 5, at & 31
    low = limbs[place]
    high = limbs[place + 1]
    found: int = (high << 32 | low) >> shift
    if shift + count > 64:
        high = limbs[place + 2]
        found |= high << (64 - shift)
    if count < 64:
        one = 1
        found &= (one << count) - 1
    return found


def divide(limbs: Any, by: int) -> int:
    """Divides a number in place by one below 2**32; returns the remainder."""
    rest = 0
    for place in range(15, -1, -1):
        part = rest << 32 | limbs[place]
        limbs[place] = part // by
        rest = part % by
    return rest


def multiply(limbs: Any, size: int, by: int) -> int:
    """Multiplies a number of `size` limbs in place by one below 2**32; returns its new size."""
    carried = 0
    for place in range(size):
        part = limbs[place]
        part = part * by + carried
        limbs[place] = part & _LIMB
        carried = part >> 32
    if carried:
        limbs[size] = carried
        size += 1
    return size


def is_over(limbs: Any, size: int) -> bool:
    """Whether a number of `size` limbs is greater than 1 << 448."""
    if size != 15 or limbs[14] != 1:
        return size > 15 or (size == 15 and limbs[14] > 1)
    low = 0
    for place in range(14):
        low |= limbs[place]
    return bool(low)


def lowest_place(above: int, last: int) -> int:
    """The lowest `below`, `last` or above, with `permutations(above, below)` below 2**32."""
    below, found = above - 1, above
    while below > last and found * below >> 32 == 0:
        found *= below
        below -= 1
    return below


def permutations(above: int, below: int) -> int:
    """The number of ways to fill the last above - below of `above` places: above! / below!."""
    found = 1
    while above > below:
        found *= above
        above -= 1
    return found
