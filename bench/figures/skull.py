"""Skull: the ends of random agents' games, at every table size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any, Final

from bench.figures.compare import (
    REFERENCE,
    Ours,
    Row,
    Section,
    by_name,
    counted,
    ours_mean,
    ours_percent,
    value,
)
from bench.figures.laboratory import Laboratory
from matchbox.lab.result_rows import is_places

GAMES: Final = 5000
REFERENCE_GAMES: Final = 50_000
PERCENT: Final = 0.4
"""The error of each percentage that the reference run states."""
ROUNDS: Final = 0.04
"""The error of each mean of rounds that the reference run states."""

PUBLISHED: Final = {
    2: (81.1, 18.9, 4.95, 22.8, 41.9, 39.4, 18.7),
    3: (86.0, 14.0, 8.26, 51.6, 30.4, 36.7, 32.9),
    4: (86.4, 13.6, 11.90, 91.2, 23.1, 35.2, 41.7),
    5: (85.6, 14.4, 15.76, 140.3, 18.5, 34.1, 47.4),
    6: (85.2, 14.8, 19.66, 197.3, 15.4, 33.3, 51.3),
}
"""By players: the percentages of games won by two points and by the last one in; the mean rounds
and moves; the percentages of challenges that were met, ended by an own and by another's skull."""

ENDS: Final = {"met": 4, "own_skull": 5, "other_skull": 6}
"""The places in PUBLISHED of the ends of a challenge."""

DOCUMENT: Final = {
    2: (57.5, 5.42), 3: (54.9, 6.67), 4: (52.6, 8.01), 5: (51.8, 9.22), 6: (51.0, 10.44),
}  # fmt: skip
"""The document's single challenge, by players: ended by a skull in percent, moves."""

DOCUMENT_GAMES: Final = 5000
"""The reference run states neither the number of these games nor their errors. It is about as far
from the exact figures as this many games would be."""

EXACT: Final = {2: (58.1451, 5.40024), 3: (54.4184, 6.67190)}
"""The same figures for two and three players, computed exactly: by following every move of the
single challenge with its probability, as tests/unit/bench/test_exact.py does for two."""


def section(laboratory: Laboratory) -> Section:
    """The reference run's tables; the document gives no figures."""
    games = laboratory.games(GAMES)
    return Section(
        "Skull",
        f"{games:,} games of random agents at every table size, and as many of the document's "
        "single challenge (`--option variant=document`). The document publishes no figures, and "
        "the reference run states no errors of the single challenge: its figures are taken as "
        f"those of {DOCUMENT_GAMES:,} games. For two and three players they can be worked out "
        "exactly.",
        [*_published(laboratory), *_document(laboratory)],
    )


def _published(laboratory: Laboratory) -> Iterator[Row]:
    found = laboratory.simulate("skull", ["random"], GAMES, players="2-6").results
    result, spread = found.result(), found.histogram()
    assert is_places(result)
    for players, table in by_name(result["tables"], "players").items():
        given, games = PUBLISHED[players], table["games"]
        for place, name in enumerate(("won_by_points", "last_one_in")):
            figure = f"{players} players, {name.replace('_', ' ')}, %"
            ours = ours_percent(table[name], games)
            yield Row(figure, REFERENCE, value(given[place], PERCENT), ours)
        yield Row(
            f"{players} players, mean rounds",
            REFERENCE,
            value(given[2], ROUNDS),
            Ours(table["mean_rounds"], ROUNDS * sqrt(REFERENCE_GAMES / games), games),
        )
        yield _moves(f"{players} players, mean moves", given[3], spread[f"{players} players"])
        yield from _ends(players, table)


def _ends(players: int, table: Mapping[str, Any]) -> Iterator[Row]:
    """The ends of challenges. Each round has one."""
    rounds = round(table["mean_rounds"] * table["games"])
    for name, share in table["challenges"].items():
        figure = f"{players} players, challenges: {name.replace('_', ' ')}, %"
        given = value(PUBLISHED[players][ENDS[name]], PERCENT)
        yield Row(figure, REFERENCE, given, ours_percent(share, rounds))


def _document(laboratory: Laboratory) -> Iterator[Row]:
    options = ["variant=document"]
    found = laboratory.simulate("skull", ["random"], GAMES, players="2-6", options=options).results
    result, spread = found.result(), found.histogram()
    assert is_places(result)
    for players, table in by_name(result["tables"], "players").items():
        title, counts = f"{players} players, single challenge", spread[f"{players} players"]
        ended, moved = f"{title}: ended by a skull, %", f"{title}: mean moves"
        ours = ours_percent(1 - table["challenges"]["met"], table["games"])
        skull, moves = DOCUMENT[players]
        yield Row(ended, REFERENCE, counted(skull, DOCUMENT_GAMES), ours)
        yield _moves(moved, moves, counts, DOCUMENT_GAMES)
        if players in EXACT:
            skull, moves = EXACT[players]
            yield Row(ended, "exact", value(skull), ours)
            yield Row(moved, "exact", value(moves), ours_mean(counts))


def _moves(name: str, given: float, spread: Mapping[int, int], games: int = REFERENCE_GAMES) -> Row:
    """The reference run's mean of moves beside ours.

    It states no error of this mean, so it gets that of as many games of ours as it played.
    """
    ours = ours_mean(spread)
    error = ours.error * sqrt(ours.games / games)
    return Row(name, REFERENCE, value(given, error), ours)
