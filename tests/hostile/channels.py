"""What one seat can tell a later one, in bits: `python -m tests.hostile.channels --box bwrap`.

For each channel a seat writes a random bit or leaves it, and is closed; a fresh seat then reads a
number. How much the number says about the bit is their mutual information, with the bias of so few
trials taken off. Knows channels as pieces of code; knows no game.
"""

from __future__ import annotations

import argparse
import json
import math
import secrets
import statistics
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from matchbox.errors import SeatFault
from sandbox.box import KINDS, Box, open_box
from sandbox.policy import Limits, Wall
from sandbox.program import LIBRARY

TRIALS: Final = 100
_LIMITS: Final = Limits(cpu_ms=3000, memory_mb=128, wall_factor=10, bank_ms=60_000)
_ENTRY: Final = Path(__file__).parent.parent / "contract"
_CLOCK: Final = """
import ctypes
call, place = ctypes.CDLL(None).syscall, (ctypes.c_long * 2)()
def clock():
    call(ctypes.c_long(228), ctypes.c_long(3), place)
    return place[0] * 10**9 + place[1]
begun = clock()
"""
"""The finest clock that a seat has: the kernel's of its thread's own time, asked for directly."""
_TOLD: Final = "\nreply = str(value).encode()"
_STAT: Final = """
for copy in range(25):
    try:
        os.stat(f'{NAME}-{copy}')
    except FileNotFoundError:
        pass
"""
_WALK: Final = "data = bytearray(SIZE)\nfor at in range(0, SIZE, 64): data[at] = 1\n"
_BLOCK: Final = "data = bytearray(1 << 25)\n"
_ELAPSED: Final = "value = clock() - begun"

CHANNELS: Final[dict[str, tuple[str, str]]] = {
    "names of missing files": ("import os" + _STAT, f"import os{_CLOCK}{_STAT}{_ELAPSED}"),
    "page faults": (
        _BLOCK,
        "import resource\nvalue = resource.getrusage(resource.RUSAGE_SELF).ru_majflt",
    ),
    "addresses": (_BLOCK, "value = id(object()) >> 4 & 0xFFFF"),
    "processor caches": (
        _WALK.replace("SIZE", "(1 << 25)"),
        _CLOCK + 3 * _WALK.replace("SIZE", "(1 << 19)") + _ELAPSED,
    ),
    "memory given back": (_BLOCK, f"{_CLOCK}{_BLOCK}{_ELAPSED}"),
}
"""By name: what writes a 1, and what reads it into `value`."""


def measure(box: Box, channel: str, trials: int) -> float | None:
    """Bits of one use of the channel; None where the wall refuses it."""
    write, read = CHANNELS[channel]
    seen: list[tuple[bool, int]] = []
    for _ in range(trials):
        name = f"NAME = {str(LIBRARY / secrets.token_hex(8))!r}\n"
        bit = bool(secrets.randbelow(2))
        try:
            if bit:
                _run(box, name + write)
            else:
                _run(box, "")
            seen.append((bit, int(_run(box, name + read + _TOLD))))
        except SeatFault:
            return None
    return information(seen)


def _run(box: Box, code: str) -> bytes:
    with closing(box.seat(_LIMITS)) as seat:
        return seat.ask(code.encode())


def information(seen: Sequence[tuple[bool, int]]) -> float:
    """Mutual information of the bit and whether the number is above the median, less its bias."""
    middle = statistics.median(number for _, number in seen)
    pairs = Counter((bit, number > middle) for bit, number in seen)
    total = len(seen)
    bits, highs = Counter[bool](), Counter[bool]()
    for (bit, high), count in pairs.items():
        bits[bit] += count
        highs[high] += count
    raw = sum(
        count / total * math.log2(count * total / (bits[bit] * highs[high]))
        for (bit, high), count in pairs.items()
    )
    return max(0.0, raw - 1 / (2 * total * math.log(2)))


def main() -> None:
    """Prints a line for each channel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--box", choices=KINDS, default="bwrap")
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--without", action="append", default=[], help="a layer that is left out")
    given = parser.parse_args()
    wall = Wall(tuple(given.without))
    with open_box(
        given.box, preload=(), entry="echo_entry:serve", paths=[_ENTRY], wall=wall
    ) as box:
        for channel in CHANNELS:
            found = measure(box, channel, given.trials)
            told = "refused" if found is None else round(found, 3)
            print(json.dumps({"channel": channel, "bits": told}), flush=True)


if __name__ == "__main__":
    main()
