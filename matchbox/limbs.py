"""Numbers of 512 bits as machine words, for chance in the compiled build.

A number is 16 limbs of 32 bits, the lowest first. Only compiled code calls these functions, for
plain Python's numbers know no width; there whole numbers do the same, and quicker.
"""

from __future__ import annotations

from typing import Any, Final

from matchbox import build

COMPILED: Final = build.in_use() == "compiled"
"""Whether these functions are there to be called."""
_LIMB: Final = 0xFFFFFFFF


def read(found: Any, digest: bytes) -> None:
    """The number that 64 bytes are, the highest byte first."""
    for place in range(16):
        at = 60 - 4 * place
        found[place] = (
            digest[at] << 24 | digest[at + 1] << 16 | digest[at + 2] << 8 | digest[at + 3]
        )


def bits(limbs: Any, at: int, count: int) -> int:
    """Up to 64 bits of a number from a place on; two limbs that are 0 lie behind it."""
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
    """Divides a number by one below 2**32; what it leaves."""
    rest = 0
    for place in range(15, -1, -1):
        part = rest << 32 | limbs[place]
        limbs[place] = part // by
        rest = part % by
    return rest


def multiply(limbs: Any, size: int, by: int) -> int:
    """Multiplies a number of so many limbs by one below 2**32; how many limbs it has then."""
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
    """Whether a number of so many limbs is more than 1 << 448."""
    if size != 15 or limbs[14] != 1:
        return size > 15 or (size == 15 and limbs[14] > 1)
    low = 0
    for place in range(14):
        low |= limbs[place]
    return bool(low)


def part(above: int, last: int) -> int:
    """From this place down to which one there are fewer than 1 << 32 orders; `last` at most."""
    below, found = above - 1, above
    while below > last and found * below >> 32 == 0:
        found *= below
        below -= 1
    return below


def orders(above: int, below: int) -> int:
    """How many orders the places from the one down to the other have."""
    found = 1
    while above > below:
        found *= above
        above -= 1
    return found
