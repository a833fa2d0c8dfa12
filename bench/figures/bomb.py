"""Bomb: the win matrix of its document's three players, and the lengths of their games."""

from __future__ import annotations

from typing import Any, Final

from bench.figures.compare import (
    REFERENCE,
    Given,
    Row,
    Section,
    by_name,
    counted,
    ours_interval,
    ours_mean,
    ours_percent,
    value,
)
from bench.figures.laboratory import Laboratory
from matchbox.lab.result_rows import is_matrix

BOTS: Final = ("simple", "scared", "medium")
GAMES: Final = 50_000

FIRST: Final = {
    ("simple", "simple"): 44.4, ("simple", "scared"): 20.8, ("simple", "medium"): 21.1,
    ("scared", "simple"): 76.9, ("scared", "scared"): 48.8, ("scared", "medium"): 31.6,
    ("medium", "simple"): 82.3, ("medium", "scared"): 63.2, ("medium", "medium"): 45.1,
}  # fmt: skip
"""Percentage of games that the first to move wins, +-0.3, from 100,000 games each."""

BOTH: Final = {
    ("simple", "scared"): (21.65, 21.96),
    ("simple", "medium"): (19.45, 19.39),
    ("scared", "medium"): (34.07, 34.18),
}
"""Percentage that the first of the pair wins, both orders together: in the document's 20,000 games,
and in the reference run's 200,000."""

TOTALS: Final = {"simple": (20.55, 20.67), "scared": (56.21, 56.11), "medium": (73.24, 73.21)}
TURNS: Final = {("scared", "simple"): 17.1, ("medium", "medium"): 22.2}
"""Mean turns, stated without an error. The plain loop of bench/plain/bomb.py, which is independent
of the platform, has 22.35 +-0.04 for the second, so we take one in the last digit as the error."""


def section(laboratory: Laboratory) -> Section:
    """Every figure of the document, and of the reference run."""
    found = laboratory.simulate("bomb", BOTS, GAMES, mirror=True).results
    result, spread = found.result(), found.histogram()
    assert is_matrix(result)
    pairs = by_name(result["pairs"], "first", "second")
    rows = [_row(pairs, *pair, REFERENCE, value(share, 0.3)) for pair, share in FIRST.items()]
    rows.append(_row(pairs, "simple", "scared", "document", counted(20.989, 100_000)))
    for pair, (published, reference) in BOTH.items():
        ours = _both(pairs, *pair)
        name = f"{pair[0]} against {pair[1]}, both orders: won, %"
        rows.append(Row(name, "document", counted(published, 20_000), ours))
        rows.append(Row(name, REFERENCE, value(reference, 0.2), ours))
    for bot, total in by_name(result["totals"], "bot").items():
        bounds = [100 * bound for bound in total["ci95"]]
        ours = ours_interval(100 * total["share"], bounds, 4 * result["games"])
        published, reference = TOTALS[bot]
        rows.append(Row(f"{bot} in all: won, %", "document", counted(published, 40_000), ours))
        rows.append(Row(f"{bot} in all: won, %", REFERENCE, value(reference, 0.2), ours))
    for pair, turns in TURNS.items():
        ours = ours_mean(spread[" v ".join(pair)])
        name = f"{pair[0]} first, {pair[1]} second: mean turns"
        rows.append(Row(name, REFERENCE, value(turns, 0.1), ours))
    return Section(
        "Bomb",
        f"{result['games']:,} games of every ordered pair of the document's players, each also "
        "against itself, on the same deals. The reference run states no error of its mean "
        "turns; one in the last digit is taken.",
        rows,
    )


def _row(pairs: Any, first: str, second: str, source: str, given: Given) -> Row:
    pair = pairs[first, second]
    name = f"{first} first, {second} second: first won, %"
    return Row(name, source, given, ours_percent(pair["first_share"], pair["games"]))


def _both(pairs: Any, one: str, other: str) -> Any:
    """The share that `one` wins of both orders."""
    there, back = pairs[one, other], pairs[other, one]
    won = there["first_wins"] + back["second_wins"]
    return ours_percent(won / (2 * there["games"]), 2 * there["games"])
