"""`python -m bench.figures`: plays, and writes docs/figures.md. Exits with 1 if a figure
disagrees."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench.figures import bomb, creatures, skull, thegame, war
from bench.figures.compare import WITHIN, Section, too_far
from bench.figures.laboratory import Laboratory
from bench.figures.page import COLUMNS, cells, page
from cli import output

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "figures.md"

SECTIONS: Final[dict[str, Callable[[Laboratory], Section]]] = {
    "bomb": bomb.section,
    "skull": skull.section,
    "war": war.section,
    "thegame": thegame.section,
    "creatures": creatures.section,
}


def main(words: Sequence[str]) -> int:
    """Plays the games of the options and writes the page; returns 0 if every figure agrees."""
    options = _options(words)
    laboratory = Laboratory(options.seed, options.scale, options.workers, options.box)
    sections = []
    for game in options.games or SECTIONS:
        section = SECTIONS[game](laboratory)
        agreeing = sum(row.agrees for row in section.rows)
        output.note(f"{section.title}: {agreeing} of {len(section.rows)} figures agree")
        sections.append(section)
    if options.out is not None:
        options.out.write_text(page(sections, options.seed))
        output.note(f"written: {options.out}")
    rows = [row for section in sections for row in section.rows]
    wrong = [row for row in rows if not row.agrees]
    if wrong:
        output.table(COLUMNS, map(cells, wrong), "figures that disagree")
    if far := too_far(rows):
        output.note(f"fewer than {WITHIN:.0%} of the figures are within their common errors")
    return 1 if wrong or far else 0


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench.figures", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"some of: {', '.join(SECTIONS)}")
    parser.add_argument("--seed", default="figures")
    parser.add_argument("--scale", type=float, default=1.0, help="of the usual number of games")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--box", default="none", help="a kind of box, or none; the figures do not depend on it"
    )
    parser.add_argument(
        "--out", type=Path, help="the page; where all games are played: " + PAGE.name
    )
    options = parser.parse_args(words)
    unknown = sorted(set(options.games) - set(SECTIONS))
    if unknown:
        parser.error(f"there are no figures of {unknown[0]}; there are: {', '.join(SECTIONS)}")
    if options.scale <= 0 or options.workers < 1:
        parser.error("--scale must be more than 0, and --workers 1 or more")
    if options.out is None and not options.games and options.scale == 1.0:
        options.out = PAGE
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
