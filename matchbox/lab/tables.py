"""An experiment's result as rows of text: for a file, for the terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Rows = list[list[str]]


def tsv(lines: Iterable[Sequence[object]]) -> str:
    """The rows with tabs between their cells."""
    return "".join("\t".join(map(str, line)) + "\n" for line in lines)


def percent(share: float, interval: Sequence[float]) -> str:
    """A share with half its interval's width, as "44.4 ±0.3"."""
    return f"{100 * share:.1f} ±{50 * (interval[1] - interval[0]):.1f}"


def crosstable(result: Mapping[str, Any]) -> Rows:
    """A row per bot that moves first: its name, its share against each bot, then its total."""
    shares = {
        (pair["first"], pair["second"]): percent(pair["first_share"], pair["ci95"])
        for pair in result["pairs"]
    }
    totals = {total["bot"]: percent(total["share"], total["ci95"]) for total in result["totals"]}
    bots = result["bots"]
    return [
        [first, *(shares.get((first, second), "") for second in bots), totals[first]]
        for first in bots
    ]


def sizes_of(result: Mapping[str, Any]) -> list[int]:
    """The table sizes of a grid, rising."""
    return sorted({cell["players"] for cell in result["cells"]})


def grid_rows(result: Mapping[str, Any]) -> Rows:
    """A row per bot: its name, then its mean score with half its interval's width by size."""
    sizes = sizes_of(result)
    cells = {(cell["bot"], cell["players"]): cell for cell in result["cells"]}
    bots = dict.fromkeys(cell["bot"] for cell in result["cells"])
    return [[bot, *(_score(cells[bot, size]) for size in sizes)] for bot in bots]


def won_rows(result: Mapping[str, Any]) -> Rows:
    """A row per bot: its name, then the share of games won in % by size; none where none was."""
    sizes = sizes_of(result)
    won = {(cell["bot"], cell["players"]): 100 * cell.get("won", 0) for cell in result["cells"]}
    bots = dict.fromkeys(cell["bot"] for cell in result["cells"])
    rows = [[bot, *(f"{won[bot, size]:.1f}" for size in sizes)] for bot in bots]
    return rows if any(won.values()) else []


def place_rows(result: Mapping[str, Any]) -> Rows:
    """A row per table size and bot: players, bot, games, share of first places, mean place."""
    return [
        [
            str(table["players"]),
            one["bot"],
            str(one["games"]),
            percent(one["first_share"], one["ci95"]),
            f"{one['mean_place']:.2f}",
        ]
        for table in result["tables"]
        for one in table["places"]
    ]


def fact_rows(result: Mapping[str, Any]) -> Rows:
    """A line per table size of what else was found, its columns in the first row."""
    rows = [
        {"players": str(table["players"]), **dict(_flat("", table))} for table in result["tables"]
    ]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return [columns, *([row.get(column, "") for column in columns] for row in rows)]


def _flat(prefix: str, facts: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Every number with its name; one within a group as "group: name"."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{name}: ", value)
        elif isinstance(value, float):
            yield prefix + name, f"{value:.4g}"


def _score(cell: Mapping[str, Any]) -> str:
    low, high = cell["ci95"]
    return f"{cell['mean']:.2f} ±{(high - low) / 2:.2f}"
