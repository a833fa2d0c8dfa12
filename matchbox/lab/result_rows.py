"""An experiment's result as rows of text: for a file, for the terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard

from matchbox.lab.statistics import is_lopsided

if TYPE_CHECKING:
    from matchbox.lab.grid import CellResult, GridResult
    from matchbox.lab.matrix import MatrixResult, PairResult
    from matchbox.lab.places import PlacesResult

Rows = list[list[str]]
Result: TypeAlias = "MatrixResult | GridResult | PlacesResult"
FEWEST_DEALS: Final = 20
"""The mean score of fewer deals is shown without its interval, as on a board: the interval would
hold the truth too seldom, and may reach beyond the greatest score."""
_LOPSIDED: Final = 0.1
"""An interval of scores is lopsided if "± half the width" misstates an end by more of that half."""


def is_matrix(result: Result) -> TypeGuard[MatrixResult]:
    """Whether every bot played against every other."""
    return "pairs" in result


def is_grid(result: Result) -> TypeGuard[GridResult]:
    """Whether teams played a cooperative game."""
    return "cells" in result


def is_places(result: Result) -> TypeGuard[PlacesResult]:
    """Whether the bots took places at tables of any size."""
    return "tables" in result


def tsv(lines: Iterable[Sequence[object]]) -> str:
    """The rows as lines, with tabs between the cells."""
    return "".join("\t".join(map(str, line)) + "\n" for line in lines)


def percent(share: float, interval: Sequence[float]) -> str:
    """A share with half its interval's width, as "44.4 ±0.3".

    An interval that reaches further to one side is written out, as "97.0 (91.5 to 100.0)".
    """
    low, high = interval
    if is_lopsided(share, (low, high)):
        return f"{100 * share:.1f} ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * share:.1f} ±{50 * (high - low):.1f}"


def crosstable(result: MatrixResult) -> Rows:
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


def both_orders(result: MatrixResult) -> Rows:
    """A row per bot: its name, then its share against each bot over both orders."""
    shares = _both_shares(result)
    bots = result["bots"]
    return [[bot, *(shares.get((bot, other), "") for other in bots)] for bot in bots]


def pair_rows(result: MatrixResult) -> Rows:
    """A row per ordered pair, under a header: its counts, the first one's share in this order, and
    the first one's share over both orders."""
    shares = _both_shares(result)
    counts = ("first", "second", "games", "first_wins", "second_wins", "draws", "mean_turns")
    rows = [
        [
            *_cells(pair, counts),
            percent(pair["first_share"], pair["ci95"]),
            shares.get((pair["first"], pair["second"]), ""),
        ]
        for pair in result["pairs"]
    ]
    return [[*counts, "first_share %", "over both orders %"], *rows]


def _cells(row: Mapping[str, object], columns: Iterable[str]) -> list[str]:
    """The values of these columns."""
    return [str(row[column]) for column in columns]


def _both_shares(result: MatrixResult) -> dict[tuple[str, str], str]:
    """Every bot's share against every other over both orders, by the two names."""
    shares = {}
    for row in result["both_orders"]:
        low, high = row["ci95"]
        shares[row["bot"], row["other"]] = percent(row["share"], (low, high))
        shares[row["other"], row["bot"]] = percent(1 - row["share"], (1 - high, 1 - low))
    return shares


def shares_rows(result: MatrixResult) -> Rows:
    """A row per ordered pair with the game's facts that are shares or means, alone or by name,
    under a header; no rows if there are none."""
    rows = [{**_pair(pair), **dict(_flat("", pair.get("facts", {})))} for pair in result["pairs"]]
    return _with_columns(rows) if any(row.keys() - {"first", "second"} for row in rows) else []


def counts_rows(result: MatrixResult) -> dict[str, Rows]:
    """The counts that the game reports by name, such as the wins of every card. Each count has a
    row per ordered pair and name, under a header."""
    found: dict[str, list[dict[str, str]]] = {}
    for pair in result["pairs"]:
        for name, counts in _groups(pair):
            found.setdefault(name, []).extend(
                {**_pair(pair), "": key, **{column: str(n) for column, n in count.items()}}
                for key, count in counts.items()
                if isinstance(count, Mapping)
            )
    return {name: _with_columns(rows) for name, rows in found.items() if rows}


def sizes_of(result: GridResult) -> list[int]:
    """The table sizes of a grid, ascending."""
    return sorted({cell["players"] for cell in result["cells"]})


def grid_rows(result: GridResult) -> Rows:
    """A row per bot: its name, then for each size its mean score and half the interval's width."""
    sizes = sizes_of(result)
    cells = {(cell["bot"], cell["players"]): cell for cell in result["cells"]}
    bots = dict.fromkeys(cell["bot"] for cell in result["cells"])
    return [[bot, *(_score(cells[bot, size]) for size in sizes)] for bot in bots]


def highest_rows(result: GridResult) -> Rows:
    """A row per bot: its name, then for each size its highest score, then the highest of all."""
    sizes = sizes_of(result)
    highest = {(cell["bot"], cell["players"]): cell["max"] for cell in result["cells"]}
    bots = dict.fromkeys(cell["bot"] for cell in result["cells"])
    scores = {bot: [highest[bot, size] for size in sizes] for bot in bots}
    return [[bot, *map(str, row), str(max(row))] for bot, row in scores.items()]


def won_rows(result: GridResult) -> Rows:
    """A row per bot: its name, then by size the percentage of games won; no rows without wins."""
    sizes = sizes_of(result)
    won = {(cell["bot"], cell["players"]): 100 * cell.get("won", 0) for cell in result["cells"]}
    bots = dict.fromkeys(cell["bot"] for cell in result["cells"])
    rows = [[bot, *(f"{won[bot, size]:.1f}" for size in sizes)] for bot in bots]
    return rows if any(won.values()) else []


def place_rows(result: PlacesResult) -> Rows:
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


def fact_rows(result: PlacesResult) -> Rows:
    """A row per table size with the other facts, under a header."""
    rows = [
        {"players": str(table["players"]), **dict(_flat("", table))} for table in result["tables"]
    ]
    return _with_columns(rows)


def _pair(pair: PairResult) -> dict[str, str]:
    return {"first": pair["first"], "second": pair["second"]}


def _groups(pair: PairResult) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """The facts of the pair that are numbers by name."""
    facts: Mapping[str, Any] = pair.get("facts", {})
    return ((name, value) for name, value in facts.items() if isinstance(value, Mapping))


def _with_columns(rows: Sequence[Mapping[str, str]]) -> Rows:
    """The column names, then the rows; a cell is empty if its row lacks the column."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return [columns, *([row.get(column, "") for column in columns] for row in rows)]


def _flat(prefix: str, facts: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Every number with its name; one within a group as "group: name"."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{name}: ", value)
        elif isinstance(value, float):
            yield prefix + name, f"{value:.4g}"


def _score(cell: CellResult) -> str:
    """A mean score with half its interval's width, or with the ends of a lopsided one.

    Scores have no scale of their own, as shares have, so the width of the interval is the scale.
    """
    mean, (low, high) = cell["mean"], cell["ci95"]
    if low == high or cell["deals"] < FEWEST_DEALS:  # One score in all shows no spread.
        return f"{mean:.2f}"
    half = (high - low) / 2
    if abs(mean - low - half) > half * _LOPSIDED:
        return f"{mean:.2f} ({low:.2f} to {high:.2f})"
    return f"{mean:.2f} ±{half:.2f}"


def round_rows(rounds: Iterable[tuple[int, Result]]) -> Rows:
    """A header, then a row per round: its number, and the figure of every bot in it.

    The figure is the percentage of points or of first places, or the mean score.
    """
    rows = [(str(number), dict(current_figures(result))) for number, result in rounds]
    columns = list(rows[0][1])
    return [["round", *columns], *([number, *figures.values()] for number, figures in rows)]


def current_figures(result: Result) -> Iterable[tuple[str, str]]:
    """The results so far in one experiment, by bot or by bot and table size."""
    if is_matrix(result):
        return ((row["bot"], percent(row["share"], row["ci95"])) for row in result["totals"])
    if is_grid(result):
        return ((f"{row['bot']}, {row['players']}", _score(row)) for row in result["cells"])
    assert is_places(result)
    return (
        (f"{row['bot']}, {table['players']}", percent(row["first_share"], row["ci95"]))
        for table in result["tables"]
        for row in table["places"]
    )
