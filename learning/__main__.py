"""`python -m learning`: computes the table of bots/skull/regret, and plots the learning curve."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cli import output
from learning import curve, table
from learning.regret import solve

CHECKOUT: Final = Path(__file__).resolve().parent.parent
BOT: Final = CHECKOUT / "bots" / "skull" / "regret"
DOCS: Final = CHECKOUT / "docs"
MARKS: Final = (1, 2, 5, 10, 20, 50, 100)
"""The iterations at which the curve is measured; the last is the table's own number."""


def main(words: Sequence[str]) -> int:
    """Learns and writes the table and the curve; returns 0."""
    options = _options(words)
    points = []
    for iterations in options.marks:
        values, solved = solve(iterations, options.workers)
        text = table.text(iterations, values, solved)
        found = curve.share(BOT, text, options.games, options.seed, options.workers)
        left = table.mean_exploitability(solved)
        points.append(curve.CurvePoint(iterations, left, options.games, *found))
        won = 100 * found[0]
        output.note(f"{iterations} iterations: {won:.1f}% won, exploitability {left:.4f}")
    options.docs.mkdir(parents=True, exist_ok=True)
    options.table.write_text(text)
    (options.docs / "learning.tsv").write_text(curve.tsv(points))
    (options.docs / "learning.html").write_text(curve.page(points, options.seed))
    output.note(f"written: {options.table}, learning.tsv and learning.html in {options.docs}")
    return 0


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m learning", description=__doc__)
    parser.add_argument("--marks", nargs="+", type=int, default=MARKS, help="iterations, rising")
    parser.add_argument("--games", type=int, default=1000, help="against the rival at every mark")
    parser.add_argument("--seed", default="learning", help="of these games; learning has no chance")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--table", type=Path, default=BOT / "table.txt")
    parser.add_argument("--docs", type=Path, default=DOCS)
    options = parser.parse_args(words)
    if options.marks[0] < 1 or options.games < 2 or options.workers < 1:
        parser.error("--marks and --workers must be 1 or more, and --games 2 or more")
    if list(options.marks) != sorted(set(options.marks)):
        parser.error("--marks must rise: the table is that of the last one")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
