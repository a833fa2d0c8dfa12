"""`python -m bench.bots`: every shipped bot against every other, written to docs/bots.md.

Chooses the experiment for each game, and plays it in the laboratory of the figures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from bench.figures.laboratory import Laboratory
from cli import named_bots, output
from matchbox import registry
from matchbox.bundle import MAIN, read_bundle
from matchbox.lab import result_rows
from matchbox.lab.statistics import wilson

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "bots.md"
DUELS: Final = {"bomb": 2000, "war": 1000, "creatures": 1000}
"""Games of every ordered pair, where two play."""
SKULL_GAMES: Final = 1000
TEAM_GAMES: Final = 1000
TEAM_SIZES: Final = "3-5"

ABOUT: Final = (
    "Every shipped bot against every other. `make bots` plays them and writes this page. The bots "
    "are in `bots/`; each is one file or folder, as you could upload it, and its first lines say "
    "how it plays. A share is in percent, with half its 95% interval."
)

Rows = list[list[str]]


def duels(laboratory: Laboratory, game: str) -> Iterator[str]:
    """A game for two: the first to move by row, the second by column."""
    names, usual = named_bots.shipped_names(game), DUELS[game]
    found = laboratory.simulate(game, names, usual).results.result()
    assert result_rows.is_matrix(found)
    _check(found)
    yield (
        f"{laboratory.games(usual):,} games of every ordered pair: the share of the bot that "
        "moves first (row) against the one that moves second (column), and its share of all games."
    )
    yield _table(["first \\ second", *names, "all"], result_rows.crosstable(found))


def skull(laboratory: Laboratory, game: str) -> Iterator[str]:
    """Two at a table, pair by pair; then all bots together."""
    names = named_bots.shipped_names(game)
    won: dict[tuple[str, str], str] = {}
    for pair in combinations(names, 2):
        (table,) = _tables(laboratory, game, pair, "2")
        for one, other in (pair, pair[::-1]):
            won[one, other] = _share(table, one)
    yield (
        f"{laboratory.games(SKULL_GAMES):,} games of two, each as often in either seat: the share "
        "of the row against the column."
    )
    yield _table(
        ["", *names], [[one, *(won.get((one, other), "") for other in names)] for one in names]
    )
    sizes = _tables(laboratory, game, names, "3,6")
    yield (
        f"All at one table, {laboratory.games(SKULL_GAMES):,} games: the share of each seat. "
        "At six players each bot holds two seats."
    )
    rows = [[name, *(_share(table, name) for table in sizes)] for name in names]
    yield _table(["", *(f"{table['players']} players" for table in sizes)], rows)


def teams(laboratory: Laboratory, game: str) -> Iterator[str]:
    """A cooperative game: each bot fills tables of its own."""
    names = named_bots.shipped_names(game)
    for told, options in (
        ("rules=published", ["rules=published"]),
        ("rules=published, hints=true", ["rules=published", "hints=true"]),
    ):
        found = laboratory.simulate(
            game, names, TEAM_GAMES, players=TEAM_SIZES, options=options
        ).results.result()
        assert result_rows.is_grid(found)
        _check(found)
        yield (
            f"{laboratory.games(TEAM_GAMES):,} games under `{told}`, all seats held by one bot: "
            "mean cards laid, and games won in percent."
        )
        sizes = result_rows.sizes_of(found)
        heads = [f"{size} players: {what}" for what in ("cards", "won") for size in sizes]
        won = {(cell["bot"], cell["players"]): _won(cell) for cell in found["cells"]}
        rows = [
            [*row, *(won[row[0], size] for size in sizes)] for row in result_rows.grid_rows(found)
        ]
        yield _table(["bot", *heads], rows)


SECTIONS: Final[dict[str, Callable[[Laboratory, str], Iterator[str]]]] = {
    "bomb": duels,
    "skull": skull,
    "war": duels,
    "thegame": teams,
    "creatures": duels,
}


def page(laboratory: Laboratory, games: Sequence[str]) -> str:
    """The whole page."""
    seed = f"Seed `{laboratory.seed}`, scale {laboratory.scale:g}: the same give the same page."
    parts = ["# Bots", fill(f"{ABOUT} {seed}", 100)]
    for game in games:
        parts += [f"## {registry.game(game).spec.title}", _introduced(game)]
        for part in SECTIONS[game](laboratory, game):
            parts.append(part if part.startswith("|") else fill(part, 100))
        output.note(f"{game}: played")
    return "\n\n".join(parts) + "\n"


def main(words: Sequence[str]) -> int:
    """Plays the games and writes the page, or prints a part of it; returns 0."""
    parser = argparse.ArgumentParser("python -m bench.bots", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"some of: {', '.join(SECTIONS)}")
    parser.add_argument("--seed", default="bots")
    parser.add_argument("--scale", type=float, default=1.0, help="of the usual number of games")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--box", default="none", help="none, bwrap, process: the same figures")
    parser.add_argument("--out", type=Path, help=f"the page; where all are played: {PAGE.name}")
    options = parser.parse_args(words)
    unknown = sorted(set(options.games) - set(SECTIONS))
    if unknown:
        parser.error(f"there are no bots of {unknown[0]}; there are: {', '.join(SECTIONS)}")
    out: Path | None = options.out
    if out is None and not options.games and options.scale == 1:
        out = PAGE
    laboratory = Laboratory(options.seed, options.scale, options.workers, options.box)
    text = page(laboratory, options.games or list(SECTIONS))
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text)
        output.note(f"written: {out}")
    return 0


def _introduced(game: str) -> str:
    """The first sentence of every bot's own text."""
    rows = []
    for bot in named_bots.shipped(game):
        source = read_bundle(bot.data).files[MAIN].decode()
        rows.append([f"`{bot.name}`", source.lstrip('"').partition("\n")[0].rstrip('"')])
    return _table(["bot", "what it does"], rows)


def _tables(
    laboratory: Laboratory, game: str, names: Sequence[str], players: str
) -> list[Mapping[str, Any]]:
    found = laboratory.simulate(game, names, SKULL_GAMES, players=players).results.result()
    assert result_rows.is_places(found)
    _check(found)
    return list(found["tables"])


def _share(table: Mapping[str, Any], bot: str) -> str:
    one = next(place for place in table["places"] if place["bot"] == bot)
    return result_rows.percent(one["first_share"], one["ci95"])


def _won(cell: Mapping[str, Any]) -> str:
    return result_rows.percent(cell["won"], wilson(cell["won"], cell["games"]))


def _check(found: Mapping[str, Any]) -> None:
    """Raises RuntimeError if a shipped bot was at fault."""
    if found["faults"]:
        raise RuntimeError(f"a shipped bot was at fault: {found['faults'][0]}")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = "| " + " | ".join(columns) + " |"
    marks = "| --- |" + " ---: |" * (len(columns) - 1)
    if len(columns) == 2 and columns[0] == "bot":
        marks = "| --- | --- |"
    return "\n".join([heads, marks, *("| " + " | ".join(row) + " |" for row in rows)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
