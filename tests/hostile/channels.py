"""The bits that one seat can pass to a later one: `python -m tests.hostile.channels --box bwrap`.

For each channel, a seat writes a random bit and is closed; a fresh seat then reads a number. The
mutual information of bit and number, less the bias of so few trials, is what the channel passes.
Knows channels as pieces of code; knows no game.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import secrets
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from matchbox.errors import SeatFault
from sandbox.box import KINDS, Box, open_box
from sandbox.policy import Limits, Wall
from sandbox.program import LIBRARY
from worker.arena.separation import LONGEST_S, SHORTEST_S

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
"""The finest clock of a seat: the kernel's clock of its thread's own time, read directly."""
_TOLD: Final = "\nreply = str(value).encode()"
_STAT: Final = """
for copy in range(25):
    try:
        os.stat(f'{NAME}-{copy}')
    except FileNotFoundError:
        pass
"""
_LINES: Final = """
import ctypes, mmap, sys
class View(ctypes.Structure):
    _fields_ = [("place", ctypes.c_void_p), ("rest", ctypes.c_size_t * 10)]
library, view = next(one._body.obj for one in sys.meta_path if hasattr(one, "_body")), View()
ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(library), ctypes.byref(view), 0)
page = mmap.mmap(-1, 4096, prot=7)
# Both for rsi lines from rdi on, rdx apart: the first flushes them, the second loads one by one.
page.write(bytes.fromhex("0fae3f 4801d7 48ffce 75f5 0faef0 c3").ljust(64, bytes(1)))
page.write(bytes.fromhex("0fb607 83e000 4801c7 4801d7 48ffce 75ef c3"))
code = ctypes.addressof(ctypes.c_char.from_buffer(page))
do = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
flush, load = do(code), do(code + 64)
marked, others = ([(view.place + at * 81920, 256, 320) for at in range(first, 32, 2)]
                  for first in (0, 1))
for at in range(640):
    ctypes.string_at(view.place + at * 4096, 1)
"""
_LOAD: Final = "for lines in marked: load(*lines)"
_COMPARE: Final = """
def took(lines):
    begun = clock()
    load(*lines)
    return clock() - begun
value = sum(took(one) < took(other) for one, other in zip(marked, others))
for lines in (*marked, *others): flush(*lines)
"""
"""Every fifth line of 2.5 MiB of the library's memory, which all seats of a machine share."""
_BLOCK: Final = "data = bytearray(1 << 25)\n"
_ELAPSED: Final = "value = clock() - begun"

CHANNELS: Final[dict[str, tuple[str, str]]] = {
    "names of missing files": ("import os" + _STAT, f"import os{_CLOCK}{_STAT}{_ELAPSED}"),
    "page faults": (
        _BLOCK,
        "import resource\nvalue = resource.getrusage(resource.RUSAGE_SELF).ru_majflt",
    ),
    "addresses": (_BLOCK, "value = id(object()) >> 4 & 0xFFFF"),
    "processor caches": (_LINES + _LOAD, _LINES + _CLOCK + _COMPARE),
    "memory given back": (_BLOCK, f"{_CLOCK}{_BLOCK}{_ELAPSED}"),
}
"""By name: the code that writes a 1, and the code that reads it into `value`."""


def measure(box: Box, channel: str, trials: int, *, apart: bool = False) -> float | None:
    """Bits of one use of the channel; None where the wall refuses it.

    `apart` has the seats separated as the rotations of a match are by strong separation.
    """
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
            if apart:
                box.renew()
                time.sleep(random.uniform(SHORTEST_S, LONGEST_S))
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
    parser.add_argument("--channel", choices=CHANNELS, help="this one alone")
    parser.add_argument("--apart", action="store_true", help="with strong separation")
    given = parser.parse_args()
    wall = Wall(tuple(given.without))
    with open_box(
        given.box, preload=(), entry="echo_entry:serve", paths=[_ENTRY], wall=wall
    ) as box:
        for channel in (given.channel,) if given.channel else CHANNELS:
            found = measure(box, channel, given.trials, apart=given.apart)
            told = "refused" if found is None else round(found, 3)
            print(json.dumps({"channel": channel, "bits": told}), flush=True)


if __name__ == "__main__":
    main()
