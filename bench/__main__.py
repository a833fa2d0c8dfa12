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
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from bench import booking, growth, page, sample_game
from bench.booking import Booked
from bench.contests import CONTESTS
from bench.goals import Goal, goals
from bench.growth import Grown
from bench.measure import (
    Cost,
    Lone,
    Long,
    Memory,
    Seats,
    Speed,
    costs,
    lone,
    long_matches,
    memory,
    seats,
    speeds,
)
from matchbox import build
from matchbox.errors import BadOption, BoxUnavailable
from matchbox.settings import WIDTH
from worker.arena import cpu_affinity
from worker.arena.boxes import open_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.box import Box

LARGEST: Final = 50
"""The largest number of games in the growth measurement, as a multiple of the games of a table in
one repeat."""
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
        long = long_matches(boxes) if options.page else []
        grown = _grow(others, options, usable)
    # The ledger's process would not know the sample game.
    books = [booking.booked(options.repeats)] if options.page else []
    _show_speeds(fast, options)
    _show_costs(single)
    _show_lone(alone)
    _show_seats(walls)
    _show_memory(held)
    _show_long(long)
    _show_booked(books)
    _show_grown(grown)
    reached = goals(fast, plain, alone, walls, long, books, grown) if options.page else []
    if options.page is not None:
        _show_goals(reached)
        text = page.page(reached, fast, plain, single, alone, walls, held, long, books, grown)
        before = options.page.read_text(encoding="utf-8") if options.page.exists() else ""
        options.page.write_text(text + page.kept(before), encoding="utf-8")
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
        "--games", type=int, default=2000, help="of each table and repeat; long games less often"
    )
    parser.add_argument("--repeats", type=int, default=5, help="how many goes a median is over")
    parser.add_argument(
        "--box",
        nargs="+",
        default=["bwrap", "docker", "process", "none"],
        help="bwrap, docker, process, none",
    )
    parser.add_argument("--speeds", action="store_true", help="every game, and nothing else")
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


def _show_speeds(found: Sequence[Speed], options: argparse.Namespace) -> None:
    print(
        f"Every game beside its plain loop, {build.in_use()} hot path, medians of "
        f"{options.repeats} repeats, processor time of a game in microseconds"
    )
    print(
        f"{'game':<10} {'table':<26} {'box':<8} {'plain':>8} {'referee':>8} {'seats':>8} "
        f"{'ratio':>6} {'bytes':>6}"
    )
    for one in found:
        print(
            f"{one.game:<10} {one.table:<26} {one.box:<8} {one.plain_us:>8.1f} "
            f"{one.referee_us:>8.1f} {one.seats_us:>8.1f} {one.ratio:>6.2f} {one.bytes:>6.1f}"
        )
    for game, kind in dict.fromkeys((one.game, one.box) for one in found):
        ratios = [one.ratio for one in found if (one.game, one.box) == (game, kind)]
        if len(ratios) > 1:
            print(f"{game:<10} {'in the mean':<26} {kind:<8} {'':>26} {fmean(ratios):>6.2f}")


def _show_costs(found: Sequence[Cost]) -> None:
    if found:
        print("\nOne match of 20 games of bomb, fresh forks, one game at a time")
        print(f"{'box':<8} {'plain ms':>9} {'match ms':>9} {'added ms':>9}")
    for one in found:
        print(f"{one.box:<8} {one.plain_ms:>9.2f} {one.match_ms:>9.2f} {one.added_ms:>9.2f}")


def _show_lone(found: Sequence[Lone]) -> None:
    if found:
        print("\nOne game of bomb alone, in open seats, fresh forks, a fresh box")
        print(f"{'box':<8} {'seats ms':>9} {'forks ms':>9} {'box ms':>9}")
    for one in found:
        print(f"{one.box:<8} {one.seated_ms:>9.2f} {one.forked_ms:>9.2f} {one.opened_ms:>9.2f}")


def _show_seats(found: Sequence[Seats]) -> None:
    if found:
        print("\nBoth seats of a match, forked, walled, killed and buried in a warm box")
        print(f"{'box':<8} {'median ms':>9} {'least ms':>9} {'plain games':>12}")
    for one in found:
        print(f"{one.box:<8} {one.both_ms:>9.2f} {one.quickest_ms:>9.2f} {one.games:>12.0f}")


def _show_long(found: Sequence[Long]) -> None:
    if found:
        print("\n10,000 games of a pair of bomb, to the record and to the database")
        print(f"{'box':<8} {'record s':>9} {'database s':>11}")
    for one in found:
        print(f"{one.box:<8} {one.played_s:>9.2f} {one.booked_s:>11.2f}")


def _show_booked(found: Sequence[Booked]) -> None:
    for one in found:
        print(
            f"\nA match booked with others, mean of {one.matches}: {one.match_ms:.2f} ms of the "
            f"ledger's processor time, {one.games:.1f} games of bomb in the plain loop"
        )


def _show_goals(found: Sequence[Goal]) -> None:
    print("\nGoals")
    for one in found:
        verdict = "held" if one.held else "MISSED"
        print(f"{verdict:<6} {one.measured:>7.2f} of {one.must:<16} {one.name}")


def _show_grown(found: Sequence[Grown]) -> None:
    if found:
        print("\nHow isolated play of bomb grows, beside the plain loop on one core")
        print(f"{'by':<16} {'size':>7} {'games':>7} {'plain us':>9} {'boxed us':>9} {'ratio':>6}")
    for one in found:
        print(
            f"{one.by:<16} {one.size:>7} {one.games:>7} {one.plain_us:>9.1f} "
            f"{one.isolated_us:>9.1f} {one.ratio:>6.2f}"
        )


def _show_memory(found: Sequence[Memory]) -> None:
    if found:
        print(f"\nPrivate memory of a seat with 1 bout in it and {WIDTH}, and of its arena, in MiB")
    for one in found:
        print(f"{one.box:<8} {one.seat_mib:>9.1f} {one.busy_mib:>9.1f} {one.worker_mib:>9.1f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
