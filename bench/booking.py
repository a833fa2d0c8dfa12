"""The processor time in which the ledger books a match of two deals together with others, in games
of the plain loop.

`bench/site` fills the database and starts the ledger.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Final

from bench.contests import CONTESTS
from bench.site.books import Size, fill
from bench.site.ledger import started

SIZE: Final = Size(bots=10, matches=1_000)
"""The platform before the matches are booked. `make growth` shows that a longer history costs no
more."""
_LOOP_GAMES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Booked:
    """The ledger's mean processor time for a match, over the matches that wait in its queue."""

    matches: int
    """The number of these matches."""
    match_ms: float
    games: float
    """The games of bomb, averaged over its tables, that the plain loop plays in that time."""


def booked(repeats: int) -> Booked:
    """Books the same matches `repeats` times, each time after the plain loop; returns the
    medians."""
    taken: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="mbx-bench-") as name:
        filled, used = Path(name, "filled.db"), Path(name, "used.db")
        fill(f"sqlite:///{filled}", SIZE)
        for _ in range(repeats):
            loop_ms = fmean(_loop_ms())
            for old in Path(name).glob(f"{used.name}*"):
                old.unlink()
            shutil.copyfile(filled, used)
            ledger = started(f"sqlite:///{used}")
            taken.append((ledger.book_ms, ledger.book_ms / loop_ms))
    match_ms, games = (median(part) for part in zip(*taken, strict=True))
    return Booked(ledger.booked, match_ms, games)


def _loop_ms() -> list[float]:
    """The processor time of a game in the plain loop, for each table of bomb."""
    found = []
    for contest in CONTESTS:
        if contest.game == "bomb":
            began = time.process_time()
            contest.loop(_LOOP_GAMES)
            found.append(1000 * (time.process_time() - began) / _LOOP_GAMES)
    return found
