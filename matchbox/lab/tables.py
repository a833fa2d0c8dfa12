"""An experiment's result as rows of text: for a file, for the terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

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


def shares_rows(result: Mapping[str, Any]) -> Rows:
    """A row per ordered pair of what the game tells of it in one number, its columns in the first
    row; no row where it tells nothing."""
    rows = [
        {**_pair(pair), **{name: f"{value:.4g}" for name, value in _facts(pair, float)}}
        for pair in result["pairs"]
    ]
    return _with_columns(rows) if any(len(row) > len(_PAIR) for row in rows) else []


def counts_rows(result: Mapping[str, Any]) -> dict[str, Rows]:
    """What the game counts by name, such as the wins of every card: for each such count a row per
    ordered pair and name, its columns in the first row."""
    found: dict[str, list[dict[str, str]]] = {}
    for pair in result["pairs"]:
        for name, counts in _facts(pair, dict):
            found.setdefault(name, []).extend(
                {**_pair(pair), "": key, **{what: str(n) for what, n in count.items()}}
                for key, count in counts.items()
                if isinstance(count, Mapping)
            )
    return {name: _with_columns(rows) for name, rows in found.items() if rows}


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
    return _with_columns(rows)


_PAIR: Final = ("first", "second")


def _pair(pair: Mapping[str, Any]) -> dict[str, str]:
    return {side: pair[side] for side in _PAIR}


def _facts(pair: Mapping[str, Any], kind: type) -> Iterable[tuple[str, Any]]:
    """What the game tells of the pair in that kind of value."""
    facts: Mapping[str, Any] = pair.get("facts", {})
    return ((name, value) for name, value in facts.items() if isinstance(value, kind))


def _with_columns(rows: Sequence[Mapping[str, str]]) -> Rows:
    """The rows' names of columns, then the rows; empty where a row has no such column."""
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


def round_rows(result: Mapping[str, Any]) -> Rows:
    """The columns' names, then a row per round: its number, and how far every bot came in it.

    That is the share of the points in %, of first places in %, or the mean score.
    """
    rounds = [(str(one["round"]), dict(reached(one))) for one in result["rounds"]]
    columns = list(rounds[0][1])
    return [["round", *columns], *([number, *reached.values()] for number, reached in rounds)]


def reached(one: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """What every bot, or every bot at a table size, has come to in one experiment so far."""
    if "totals" in one:
        return ((row["bot"], percent(row["share"], row["ci95"])) for row in one["totals"])
    if "cells" in one:
        return ((f"{row['bot']}, {row['players']}", _score(row)) for row in one["cells"])
    return (
        (f"{row['bot']}, {table['players']}", percent(row["first_share"], row["ci95"]))
        for table in one["tables"]
        for row in table["places"]
    )
