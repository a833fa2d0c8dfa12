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
from bench.options import read
from cli import named_bots, output
from matchbox import registry
from matchbox.bundle import MAIN, read_bundle
from matchbox.lab import result_rows
from matchbox.lab.statistics import wilson

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "bots.md"
GAMES: Final = 1000
"""Games of every pair, table size or team."""
MORE_GAMES: Final = {"bomb": 2000}
"""The same, for games that need more."""
TEAM_SIZES: Final = {"thegame": "3-5"}
"""The table sizes of a cooperative game, if not all."""
VARIANTS: Final = {"thegame": (["rules=published"], ["rules=published", "hints=true"])}
"""The options with which a cooperative game is played, if any."""
FIRST: Final = ("bomb", "skull", "war", "thegame", "creatures")
"""The games with which the page begins."""

ABOUT: Final = (
    "Every shipped bot against every other. `make bots` plays them and writes this page. The bots "
    "are in `bots/`; each is one file or folder, as you could upload it, and its first lines say "
    "how it plays. A share is in percent, with half its 95% interval; near 0 and "
    "100%, with its ends."
)

Rows = list[list[str]]


def duels(laboratory: Laboratory, game: str) -> Iterator[str]:
    """A game for two: the first to move by row, the second by column."""
    names, usual = named_bots.shipped_names(game), MORE_GAMES.get(game, GAMES)
    found = laboratory.simulate(game, names, usual).results.result()
    assert result_rows.is_matrix(found)
    _check(found)
    yield (
        f"{laboratory.games(usual):,} games of every ordered pair: the share of the bot that "
        "moves first (row) against the one that moves second (column), and its share of all games."
    )
    yield _table(["first \\ second", *names, "all"], result_rows.crosstable(found))


def shared_tables(laboratory: Laboratory, game: str) -> Iterator[str]:
    """Two at a table, pair by pair, if two can play; then all bots together."""
    names, seats = named_bots.shipped_names(game), registry.game(game).spec.seats
    if 2 in seats and len(names) > 1:
        yield from _pairs(laboratory, game, names)
    least = next((size for size in seats if size >= len(names)), seats[-1])
    sizes = sorted({least, seats[-1]})
    tables = _tables(laboratory, game, names, ",".join(map(str, sizes)))
    fit = "All at one table" if len(names) <= least else f"At tables of {least}"
    text = f"{fit}, {laboratory.games(GAMES):,} games: the share of each seat."
    held, left = divmod(seats[-1], len(names))
    if held > 1 and not left:
        text += f" At {seats[-1]} players each bot holds {held} seats."
    yield text
    rows = [[name, *(_share(table, name) for table in tables)] for name in names]
    yield _table(["", *(f"{table['players']} players" for table in tables)], rows)


def _pairs(laboratory: Laboratory, game: str, names: Sequence[str]) -> Iterator[str]:
    won: dict[tuple[str, str], str] = {}
    for pair in combinations(names, 2):
        (table,) = _tables(laboratory, game, pair, "2")
        for one, other in (pair, pair[::-1]):
            won[one, other] = _share(table, one)
    yield (
        f"{laboratory.games(GAMES):,} games of two, each as often in either seat: the share "
        "of the row against the column."
    )
    yield _table(
        ["", *names], [[one, *(won.get((one, other), "") for other in names)] for one in names]
    )


def teams(laboratory: Laboratory, game: str) -> Iterator[str]:
    """A cooperative game: each bot fills tables of its own."""
    names, players = named_bots.shipped_names(game), TEAM_SIZES.get(game, "")
    for options in VARIANTS.get(game, ([],)):
        found = laboratory.simulate(
            game, names, GAMES, players=players, options=options
        ).results.result()
        assert result_rows.is_grid(found)
        _check(found)
        tells_wins = any("won" in cell for cell in found["cells"])
        under = f" under `{', '.join(options)}`" if options else ""
        yield (
            f"{laboratory.games(GAMES):,} games{under}, all seats held by one bot: mean scores"
            f"{', and games won in percent' if tells_wins else ''}."
        )
        sizes = result_rows.sizes_of(found)
        heads, rows = [f"{size} players: score" for size in sizes], result_rows.grid_rows(found)
        if tells_wins:
            heads += [f"{size} players: won" for size in sizes]
            won = {(cell["bot"], cell["players"]): _won(cell) for cell in found["cells"]}
            rows = [[*row, *(won[row[0], size] for size in sizes)] for row in rows]
        yield _table(["bot", *heads], rows)


def section_of(game: str) -> Callable[[Laboratory, str], Iterator[str]]:
    """The kind of the game's tables."""
    spec = registry.game(game).spec
    if spec.cooperative:
        return teams
    return duels if spec.seats == (2,) else shared_tables


def games_with_bots() -> list[str]:
    """The games of the page, in its order."""
    found = [game for game in registry.games() if named_bots.shipped_names(game)]
    return sorted(found, key=lambda game: (game not in FIRST, [*FIRST, game].index(game), game))


def page(laboratory: Laboratory, games: Sequence[str]) -> str:
    """The whole page."""
    seed = f"Seed `{laboratory.seed}`, scale {laboratory.scale:g}: the same give the same page."
    parts = ["# Bots", fill(f"{ABOUT} {seed}", 100)]
    for game in games:
        parts += [f"## {registry.game(game).spec.title}", _introduced(game)]
        for part in section_of(game)(laboratory, game):
            parts.append(part if part.startswith("|") else fill(part, 100))
        output.note(f"{game}: played")
    return "\n\n".join(parts) + "\n"


def main(words: Sequence[str]) -> int:
    """Plays the games and writes the page, or prints a part of it; returns 0."""
    parser = argparse.ArgumentParser("python -m bench.bots", description=__doc__)
    parser.add_argument(
        "--box", default="none", help="a kind of box, or none; the figures do not depend on it"
    )
    known = games_with_bots()
    options = read(words, parser, "game", known, "bots", PAGE)
    laboratory = Laboratory(options.seed, options.scale, options.workers, options.box)
    text = page(laboratory, options.names or known)
    if options.out is None:
        sys.stdout.write(text)
    else:
        options.out.write_text(text)
        output.note(f"written: {options.out}")
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
    found = laboratory.simulate(game, names, GAMES, players=players).results.result()
    assert result_rows.is_places(found)
    _check(found)
    return list(found["tables"])


def _share(table: Mapping[str, Any], bot: str) -> str:
    one = next(place for place in table["places"] if place["bot"] == bot)
    return result_rows.percent(one["first_share"], one["ci95"])


def _won(cell: Mapping[str, Any]) -> str:
    won = cell.get("won", 0.0)
    return result_rows.percent(won, wilson(won, cell["games"]))


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
