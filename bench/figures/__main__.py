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
from bench.options import read
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
    parser = argparse.ArgumentParser("python -m bench.figures", description=__doc__)
    parser.add_argument(
        "--box", default="none", help="a kind of box, or none; the figures do not depend on it"
    )
    options = read(words, parser, "game", SECTIONS, "figures", PAGE)
    laboratory = Laboratory(options.seed, options.scale, options.workers, options.box)
    sections = []
    for game in options.names or SECTIONS:
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
