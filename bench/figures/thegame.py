"""The Game: the number of cards that each strategy plays, by rule set and number of players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bench.figures.compare import (
    REFERENCE,
    Row,
    Section,
    between,
    ours_exact,
    ours_interval,
    ours_percent,
    value,
)
from bench.figures.laboratory import Laboratory
from matchbox.lab.result_rows import is_grid

GAMES: Final = 5000
LEGAL_GAMES: Final = 1000
DOCUMENT_GAMES: Final = 1000
"""The number of games in each cell: 21,000 in all."""

ARTICLE: Final = {
    "random": (12.24, 12.72, 12.68, 12.98, 13.17, 13.30, 13.36),
    "minimal": (7.79, 7.56, 6.68, 6.14, 5.76, 5.48, 5.32),
    "trick": (5.73, 5.08, 5.03, 4.81, 4.76, 4.70, 4.71),
}
"""Mean cards for 1 to 7 players under the article's rules, +-0.05."""

LEGAL: Final = {
    "article": (70.4, 69.0, 66.5, 71.2, 74.5, 75.9, 76.1),
    "backwards": (82.0, 86.6, 86.2, 89.7, 90.6, 90.4, 89.5),
    "published": (76.9, 79.3, 75.0, 80.0, 82.2),
}
"""Mean cards of the legal minimal strategy from 1 player on, +-0.4."""

WON: Final = {"article": (0.0, 0.2), "backwards": (3.7, 8.3), "published": (0.5, 1.5)}
"""Percentage of games that the legal minimal strategy wins; least and most of all table sizes."""


def section(laboratory: Laboratory) -> Section:
    """The document's table, its greatest score, and the tables of legal play."""
    return Section(
        "The Game",
        f"{laboratory.games(GAMES):,} games of every strategy of the document at every table size "
        f"under the article's rules; {laboratory.games(LEGAL_GAMES):,} of the minimal strategy "
        "without illegal plays under each rule set. The document draws a plot and names only its "
        "first rows and its greatest score.",
        [*_article(laboratory), *_greatest(laboratory), *_legal(laboratory), *_random(laboratory)],
    )


def _article(laboratory: Laboratory) -> Iterator[Row]:
    cells = _cells(laboratory, list(ARTICLE), GAMES, "article", 7)
    for cell in cells:
        given = value(ARTICLE[cell["bot"]][cell["players"] - 1], 0.05)
        yield Row(f"{cell['bot']}, {_players(cell)}: mean cards", REFERENCE, given, _mean(cell))
    won = sum(cell["won"] for cell in cells)
    yield Row("games won by any of them", "document", value(0.0), ours_exact(won))


def _greatest(laboratory: Laboratory) -> Iterator[Row]:
    """The most cards of as many games as the document has; with fewer games the figure has no
    meaning."""
    if laboratory.scale < 1:
        return
    cells = _cells(laboratory, list(ARTICLE), DOCUMENT_GAMES, "article", 7)
    most = max(cell["max"] for cell in cells)
    yield Row("most cards in 21,000 games", REFERENCE, between(25, 35), ours_exact(most))


def _legal(laboratory: Laboratory) -> Iterator[Row]:
    for rules, means in LEGAL.items():
        least, most = WON[rules]
        for cell in _cells(laboratory, ["legal"], LEGAL_GAMES, rules, len(means)):
            name = f"legal, {rules}, {_players(cell)}"
            given = value(means[cell["players"] - 1], 0.4)
            yield Row(f"{name}: mean cards", REFERENCE, given, _mean(cell))
            won = ours_percent(cell["won"], cell["games"])
            yield Row(f"{name}: won, %", REFERENCE, between(least, most), won)


def _random(laboratory: Laboratory) -> Iterator[Row]:
    for rules, means in LEGAL.items():
        for cell in _cells(laboratory, ["random"], LEGAL_GAMES, rules, len(means)):
            name = f"random, {rules}, {_players(cell)}: mean cards"
            yield Row(name, REFERENCE, between(12, 15), _mean(cell))


def _cells(
    laboratory: Laboratory, bots: Sequence[str], usual: int, rules: str, players: int
) -> list[Mapping[str, Any]]:
    options = [f"rules={rules}"]
    sizes = f"1-{players}"
    done = laboratory.simulate("thegame", bots, usual, players=sizes, options=options)
    result = done.results.result()
    assert is_grid(result)
    return list[Mapping[str, Any]](result["cells"])


def _mean(cell: Mapping[str, Any]) -> Any:
    return ours_interval(cell["mean"], cell["ci95"], cell["games"])


def _players(cell: Mapping[str, Any]) -> str:
    return f"{cell['players']} player{'s' * (cell['players'] > 1)}"
