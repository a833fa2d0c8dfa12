"""`python -m bench`: prints the speed of isolated play as a ratio to the plain loop's. Writes a
file only if asked to."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench import booking, growth, page, sample_game
from bench.contests import CONTESTS
from bench.goals import goals
from bench.growth import Grown
from bench.measure import Speed, costs, lone, long_matches, memory, seats, speeds
from matchbox import build
from matchbox.errors import BadOption, BoxUnavailable
from worker.arena import cpu_affinity
from worker.arena.boxes import open_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.box import Box

LARGEST: Final = 50
"""The growth measurement plays up to this many times `--games` games."""
_GAMES: Final = tuple(dict.fromkeys(one.game for one in CONTESTS))


def main(words: Sequence[str]) -> int:
    """Measures and prints; returns 0."""
    options = _options(words)
    usable = cpu_affinity.usable_cores()
    cpu_affinity.pin(usable[os.getpid() % len(usable)])
    with ExitStack() as stack:
        stack.enter_context(sample_game.installed())
        boxes = _open(options.box, stack)
        contests = [one for one in CONTESTS if one.game in (options.game or [one.game])]
        fast = speeds(boxes, options.games, options.repeats, contests)
        others = [] if options.speeds else boxes
        single = costs(others, 4 * options.repeats)
        alone = lone(others, 4 * options.repeats)
        walls = seats(others, 40 * options.repeats)
        held = memory(others)
        plain = _in_plain_python(boxes[0][0], options) if options.page and boxes else []
        long = long_matches(boxes, options.games, options.repeats) if options.page else []
        grown = _grow(others, options, usable)
    # The ledger's process would not know the sample game.
    books = [booking.booked(options.repeats)] if options.page else []
    reached = goals(fast, plain, alone, walls, long, books, grown) if options.page else []
    tables = page.tables(reached, fast, plain, single, alone, walls, held, long, books, grown)
    print(tables)
    if options.page is not None:
        before = options.page.read_text(encoding="utf-8") if options.page.exists() else ""
        text = f"{page.HEAD}\n{tables}\n{page.kept(before)}"
        options.page.write_text(text, encoding="utf-8")
    if options.json is not None:
        parts: dict[str, Sequence[Any]] = {
            "speeds": fast, "costs": single, "lone": alone, "seats": walls, "memory": held,
            "long": long, "booked": books, "growth": grown, "goals": reached,
        }  # fmt: skip
        found = {name: [asdict(one) for one in part] for name, part in parts.items()}
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0


def _in_plain_python(kind: str, options: argparse.Namespace) -> list[Speed]:
    """The speeds in that box as plain Python. They need a process of their own: the build is chosen
    before any import."""
    if build.in_use() == "plain":
        return []
    words = ["--speeds", "--box", kind, "--games", options.games, "--repeats", options.repeats]
    words += ["--game", *options.game] if options.game else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "speeds.json")
        subprocess.run(
            [sys.executable, "-m", "bench", *map(str, words), "--json", str(file)],
            env=os.environ | {build.SETTING: "0"},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return [Speed(**one) for one in json.loads(file.read_text())["speeds"]]


def _grow(
    boxes: Sequence[tuple[str, Box | None]], options: argparse.Namespace, usable: Sequence[int]
) -> list[Grown]:
    """The growth of bomb in the first box, which is the best one unless boxes are named."""
    if not boxes or "bomb" not in (options.game or ["bomb"]):
        return []
    (kind, box), games, repeats = boxes[0], options.games, min(3, options.repeats)
    return [
        *growth.over_games(box, LARGEST * games, repeats),
        *growth.over_bots(box, 2 * games, repeats),
        *growth.over_cores(kind, 10 * games, options.repeats, usable),
        *growth.over_thinkers(kind, games // 10, options.repeats, usable),
    ]


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument("--game", nargs="+", choices=_GAMES, help="these games only")
    parser.add_argument(
        "--games",
        type=int,
        default=2000,
        help="games of each table and repeat; fewer of long games",
    )
    parser.add_argument("--repeats", type=int, default=5, help="how many goes a median is over")
    parser.add_argument(
        "--box",
        nargs="+",
        default=["bwrap", "docker", "process", "none"],
        help="bwrap, docker, process, none",
    )
    parser.add_argument("--speeds", action="store_true", help="measure only the speeds")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--page", type=Path, help="also write the tables to this page")
    options = parser.parse_args(words)
    if options.games < 2 or options.repeats < 1:
        parser.error("--games must be 2 or more, and --repeats 1 or more")
    return options


def _open(kinds: Sequence[str], stack: ExitStack) -> list[tuple[str, Box | None]]:
    """The boxes that work here; the others are named on stderr."""
    boxes: list[tuple[str, Box | None]] = []
    for kind in kinds:
        try:
            box = open_named(kind)
        except (BadOption, BoxUnavailable) as error:
            print(f"{kind}: {error}", file=sys.stderr)
            continue
        if box is not None:
            stack.callback(box.close)
        boxes.append((kind, box))
    return boxes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
