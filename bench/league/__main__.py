"""`python -m bench.league`: tests the promises of the league, and writes docs/league.md. Exits with
1 if a goal is missed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.league.effort import Effort, Figure
from bench.league.page import COLUMNS, cells, page
from bench.league.promises import PROMISES
from cli import output

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "league.md"


def main(words: Sequence[str]) -> int:
    """Tests the promises of the options and writes the page; returns 0 if every goal is met."""
    options = _options(words)
    effort = Effort(options.seed, options.scale, options.workers)
    found: list[Figure] = []
    for name in options.promises or PROMISES:
        figures = PROMISES[name](effort)
        for figure in figures:
            output.note(f"{figure.name}: {figure.ours}")
        found += figures
    if options.out is not None:
        options.out.write_text(page(found, options.seed))
        output.note(f"written: {options.out}")
    missed = [figure for figure in found if figure.met is False]
    if missed:
        output.table(COLUMNS, map(cells, missed), "goals that are missed")
    return 1 if missed else 0


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench.league", description=__doc__)
    parser.add_argument("promises", nargs="*", metavar="PROMISE", help=", ".join(PROMISES))
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--scale", type=float, default=1.0, help="of the usual number of trials")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help=f"the page; where all are tried: {PAGE.name}")
    options = parser.parse_args(words)
    unknown = sorted(set(options.promises) - set(PROMISES))
    if unknown:
        parser.error(f"no promise is called {', '.join(unknown)}; there are {', '.join(PROMISES)}")
    if options.scale <= 0 or options.workers < 1:
        parser.error("--scale must be above 0, and --workers 1 or more")
    if options.out is None and not options.promises and options.scale == 1:
        options.out = PAGE
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
