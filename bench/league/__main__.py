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
from bench.options import read
from cli import output

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "league.md"


def main(words: Sequence[str]) -> int:
    """Tests the promises of the options and writes the page; returns 0 if every goal is met."""
    parser = argparse.ArgumentParser("python -m bench.league", description=__doc__)
    options = read(words, parser, "promise", PROMISES, 20, PAGE)
    effort = Effort(options.seed, options.scale, options.workers)
    found: list[Figure] = []
    for name in options.names or PROMISES:
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
