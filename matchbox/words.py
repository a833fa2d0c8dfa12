"""Machine words for chance, in the compiled build: BLAKE2b, and numbers of 512 bits to draw from.

A number is 16 words of 32 bits, the lowest first. Only compiled code calls these functions, for
plain Python's numbers know no width; there `hashlib` and whole numbers do the same, and quicker.
What is declared here and never set is an array.
"""
# ruff: noqa: F821

from __future__ import annotations

from typing import Any, Final

COMPILED: Final = not __file__.endswith(".py")
"""Whether these functions are there to be called."""
LIMIT: Final = 128
"""Bytes of the longest text that is hashed here."""
_DIGITS: Final = b"0123456789abcdef"
_ORDERS: Final = bytes(
    int(word, 16)
    for word in "0123456789abcdef" "ea489fd61c02b753" "b8c052fdae367194" "7931dcbe265a40f8"
    "905724afe1bc683d" "2c6a0b834d75fe19" "c51fed4a0763928b" "db7ec13950f4862a"
    "6fe9b308c2d714a5" "a2847615fb9e3cd0"
)  # fmt: skip
"""Which words of a block are mixed in, round by round; the last two rounds are the first two."""


def key(state: Any, secret: bytes, size: int) -> None:
    """Begins a hash of so many bytes with this key; without one, where it is empty."""
    length = len(secret)
    state[0] = 0x6A09E667F3BCC908 ^ 0x01010000
    state[0] ^= length << 8 ^ size
    state[1] = 0xBB67AE8584CAA73B
    state[2] = 0x3C6EF372FE94F82B
    state[3] = 0xA54FF53A5F1D36F1
    state[4] = 0x510E527FADE682D1
    state[5] = 0x9B05688C2B3E6C1F
    state[6] = 0x1F83D9ABFB41BD6B
    state[7] = 0x5BE0CD19137E2179
    if length:
        _mix(state, secret, length, 128, 0)


def number(found: Any, keyed: Any, first: int, second: int, before: int) -> None:
    """What a hash makes of two numbers of 64 bits, behind so many bytes that are in it."""
    state: Any
    block: Any
    for place in range(8):
        state[place] = keyed[place]
    block[0], block[1] = _all_turned(first), _all_turned(second)
    for place in range(2, 16):
        block[place] = 0
    _rounds(state, block, _ORDERS, before + 16, 0xFFFFFFFFFFFFFFFF)
    _count(found, state)


def text_number(found: Any, text: bytes) -> None:
    """What BLAKE2b makes of a text."""
    state: Any
    length = len(text)
    key(state, b"", 64)
    _mix(state, text, length, length, 0xFFFFFFFFFFFFFFFF)
    _count(found, state)


def read(found: Any, digest: bytes) -> None:
    """The number that 64 bytes are."""
    block: Any
    _load(block, digest, 64)
    _count(found, block)


def in_hex(secret: bytes, texts: list[bytes]) -> list[str]:
    """What BLAKE2b makes of each text with this key: 32 bytes."""
    keyed: Any
    state: Any
    told: Any
    key(keyed, secret, 32)
    found = []
    for text in texts:
        for place in range(8):
            state[place] = keyed[place]
        length = len(text)
        _mix(state, text, length, 128 + length, 0xFFFFFFFFFFFFFFFF)
        for place in range(32):
            byte = state[place >> 3] >> ((place & 7) << 3) & 0xFF
            told[2 * place] = _DIGITS[byte >> 4]
            told[2 * place + 1] = _DIGITS[byte & 15]
        found.append(told[:64].decode("ascii"))
    return found


def _count(words: Any, state: Any) -> None:
    """What a hash of 512 bits is as a number, its first byte the highest."""
    for place in range(8):
        word = state[7 - place]
        words[2 * place] = _turned(word >> 32)
        words[2 * place + 1] = _turned(word)


def bits(words: Any, at: int, count: int) -> int:
    """Up to 64 bits of a number from a place on; two words that are 0 lie behind it."""
    place, shift = at >> 5, at & 31
    low = words[place]
    high = words[place + 1]
    found: int = (high << 32 | low) >> shift
    if shift + count > 64:
        high = words[place + 2]
        found |= high << (64 - shift)
    if count < 64:
        one = 1
        found &= (one << count) - 1
    return found


def divide(words: Any, by: int) -> int:
    """Divides a number by one below 2**32; what it leaves."""
    rest = 0
    for place in range(15, -1, -1):
        part = rest << 32 | words[place]
        words[place] = part // by
        rest = part % by
    return rest


def multiply(words: Any, size: int, by: int) -> int:
    """Multiplies a number of so many words by one below 2**32; how many words it has then."""
    carried = 0
    for place in range(size):
        part = words[place]
        part = part * by + carried
        words[place] = part & 0xFFFFFFFF
        carried = part >> 32
    if carried:
        words[size] = carried
        size += 1
    return size


def is_over(words: Any, size: int) -> bool:
    """Whether a number of so many words is more than 1 << 448."""
    if size != 15 or words[14] != 1:
        return size > 15 or (size == 15 and words[14] > 1)
    low = 0
    for place in range(14):
        low |= words[place]
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


def _turned(word: int) -> int:
    """The word's four bytes in the other order."""
    return (word & 0xFF) << 24 | (word & 0xFF00) << 8 | (word >> 8 & 0xFF00) | (word >> 24 & 0xFF)


def _all_turned(word: int) -> int:
    """The same of eight."""
    low: int = _turned(word >> 32)
    high: int = _turned(word)
    return high << 32 | low


def _mix(state: Any, text: Any, length: int, mixed: int, last: int) -> None:
    """One block of BLAKE2b (RFC 7693): the text and zeros."""
    block: Any
    _load(block, text, length)
    _rounds(state, block, _ORDERS, mixed, last)


def _rounds(state: Any, block: Any, order: Any, mixed: int, last: int) -> None:
    v: Any
    for place in range(8):
        v[place] = state[place]
    v[8] = 0x6A09E667F3BCC908
    v[9] = 0xBB67AE8584CAA73B
    v[10] = 0x3C6EF372FE94F82B
    v[11] = 0xA54FF53A5F1D36F1
    v[12] = 0x510E527FADE682D1
    v[12] ^= mixed
    v[13] = 0x9B05688C2B3E6C1F
    v[14] = 0x1F83D9ABFB41BD6B
    v[14] ^= last
    v[15] = 0x5BE0CD19137E2179
    for turn in range(12):
        at = 16 * turn if turn < 10 else 16 * turn - 160
        _columns(v, block, order + at)
        _diagonals(v, block, order + at + 8)
    for place in range(8):
        state[place] ^= v[place] ^ v[place + 8]


def _columns(v: Any, block: Any, order: Any) -> None:
    v[0] += v[4] + block[order[0]]
    v[12] = (v[12] ^ v[0]) >> 32 | (v[12] ^ v[0]) << 32
    v[8] += v[12]
    v[4] = (v[4] ^ v[8]) >> 24 | (v[4] ^ v[8]) << 40
    v[0] += v[4] + block[order[1]]
    v[12] = (v[12] ^ v[0]) >> 16 | (v[12] ^ v[0]) << 48
    v[8] += v[12]
    v[4] = (v[4] ^ v[8]) >> 63 | (v[4] ^ v[8]) << 1
    v[1] += v[5] + block[order[2]]
    v[13] = (v[13] ^ v[1]) >> 32 | (v[13] ^ v[1]) << 32
    v[9] += v[13]
    v[5] = (v[5] ^ v[9]) >> 24 | (v[5] ^ v[9]) << 40
    v[1] += v[5] + block[order[3]]
    v[13] = (v[13] ^ v[1]) >> 16 | (v[13] ^ v[1]) << 48
    v[9] += v[13]
    v[5] = (v[5] ^ v[9]) >> 63 | (v[5] ^ v[9]) << 1
    v[2] += v[6] + block[order[4]]
    v[14] = (v[14] ^ v[2]) >> 32 | (v[14] ^ v[2]) << 32
    v[10] += v[14]
    v[6] = (v[6] ^ v[10]) >> 24 | (v[6] ^ v[10]) << 40
    v[2] += v[6] + block[order[5]]
    v[14] = (v[14] ^ v[2]) >> 16 | (v[14] ^ v[2]) << 48
    v[10] += v[14]
    v[6] = (v[6] ^ v[10]) >> 63 | (v[6] ^ v[10]) << 1
    v[3] += v[7] + block[order[6]]
    v[15] = (v[15] ^ v[3]) >> 32 | (v[15] ^ v[3]) << 32
    v[11] += v[15]
    v[7] = (v[7] ^ v[11]) >> 24 | (v[7] ^ v[11]) << 40
    v[3] += v[7] + block[order[7]]
    v[15] = (v[15] ^ v[3]) >> 16 | (v[15] ^ v[3]) << 48
    v[11] += v[15]
    v[7] = (v[7] ^ v[11]) >> 63 | (v[7] ^ v[11]) << 1


def _diagonals(v: Any, block: Any, order: Any) -> None:
    v[0] += v[5] + block[order[0]]
    v[15] = (v[15] ^ v[0]) >> 32 | (v[15] ^ v[0]) << 32
    v[10] += v[15]
    v[5] = (v[5] ^ v[10]) >> 24 | (v[5] ^ v[10]) << 40
    v[0] += v[5] + block[order[1]]
    v[15] = (v[15] ^ v[0]) >> 16 | (v[15] ^ v[0]) << 48
    v[10] += v[15]
    v[5] = (v[5] ^ v[10]) >> 63 | (v[5] ^ v[10]) << 1
    v[1] += v[6] + block[order[2]]
    v[12] = (v[12] ^ v[1]) >> 32 | (v[12] ^ v[1]) << 32
    v[11] += v[12]
    v[6] = (v[6] ^ v[11]) >> 24 | (v[6] ^ v[11]) << 40
    v[1] += v[6] + block[order[3]]
    v[12] = (v[12] ^ v[1]) >> 16 | (v[12] ^ v[1]) << 48
    v[11] += v[12]
    v[6] = (v[6] ^ v[11]) >> 63 | (v[6] ^ v[11]) << 1
    v[2] += v[7] + block[order[4]]
    v[13] = (v[13] ^ v[2]) >> 32 | (v[13] ^ v[2]) << 32
    v[8] += v[13]
    v[7] = (v[7] ^ v[8]) >> 24 | (v[7] ^ v[8]) << 40
    v[2] += v[7] + block[order[5]]
    v[13] = (v[13] ^ v[2]) >> 16 | (v[13] ^ v[2]) << 48
    v[8] += v[13]
    v[7] = (v[7] ^ v[8]) >> 63 | (v[7] ^ v[8]) << 1
    v[3] += v[4] + block[order[6]]
    v[14] = (v[14] ^ v[3]) >> 32 | (v[14] ^ v[3]) << 32
    v[9] += v[14]
    v[4] = (v[4] ^ v[9]) >> 24 | (v[4] ^ v[9]) << 40
    v[3] += v[4] + block[order[7]]
    v[14] = (v[14] ^ v[3]) >> 16 | (v[14] ^ v[3]) << 48
    v[9] += v[14]
    v[4] = (v[4] ^ v[9]) >> 63 | (v[4] ^ v[9]) << 1


def _load(block: Any, text: Any, length: int) -> None:
    """The text's bytes as words, the lowest byte of each first; zeros behind it."""
    for place in range(16):
        block[place] = 0
    for place in range(length):
        byte = text[place]
        block[place >> 3] |= byte << ((place & 7) << 3)
