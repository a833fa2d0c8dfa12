"""The options of a program that plays, and writes a page of the documentation."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from math import inf
from pathlib import Path


def read(
    words: Sequence[str],
    parser: argparse.ArgumentParser,
    kind: str,
    known: Collection[str],
    seed: str | int,
    page: Path,
) -> argparse.Namespace:
    """Reads `names` (some of the known ones, or none), `seed`, `scale`, `workers` and `out`, and
    what the parser reads already. `kind` is what they name: "game" or "promise".

    Without --out, `out` is the page if everything is done as usual, else None.
    """
    some = f"some of: {', '.join(known)}"
    parser.add_argument("names", nargs="*", metavar=kind.upper(), help=some)
    parser.add_argument("--seed", type=type(seed), default=seed)
    parser.add_argument("--scale", type=float, default=1.0, help="of the usual numbers")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--out", type=Path, help=f"the page; usually {page.name}, if all is done as usual"
    )
    options = parser.parse_args(words)
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no {kind} here is called {unknown[0]}; there are: {', '.join(known)}")
    if not 0 < options.scale < inf or options.workers < 1:
        parser.error("--scale must be a number above 0, and --workers 1 or more")
    usual = not options.names and (options.scale, options.seed) == (1, seed)
    if options.out is None and usual:
        options.out = page
    return options
