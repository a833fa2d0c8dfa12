"""The text of docs/performance.md, which `make bench` writes and prints. Measures nothing."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Final

from bench.booking import Booked
from bench.goals import Goal
from bench.growth import Grown
from bench.measure import LONG_REPEATS, Cost, Lone, Long, Memory, Seats, Speed
from matchbox import build
from matchbox.settings_of_play import WIDTH

HEAD: Final = """# Performance

`make bench` writes this page up to the section "The site". Shipped bots play every game in
isolation: each bot in a process of its own behind the wall, seeded and recorded, with the referee
and all seats on one core. For comparison, the same players play in the plain loop of `bench/plain`,
in one process, with nothing checked. The ratio is the plain loop's processor time divided by that
of the referee and all its seats. It is the median over repeats in which the two alternate (three
for the numbers of games and bots, one for the largest number of games). Ratios carry over to other
machines; microseconds do not. On a machine with other work, a ratio may differ by a fifth from run
to run. `none` is the same play without a wall, in one process. `bytes` is the length of the stored
record. `tictactoe` is the game of [add-a-game.md](add-a-game.md), which has no optional functions.
"""
"""The page before its tables."""

BY_HAND: Final = "## The site"
"""The heading of the first section written by hand. `make bench` keeps that section and all after
it."""
_BUILDS: Final = {"compiled": "hot path compiled", "plain": "hot path in plain Python"}

_SPEEDS: Final = "game table box plain referee seats ratio bytes"

_GROWTH: Final = """## How it grows

Bomb, in jobs as `matchbox simulate` cuts them, in microseconds a game."""
_GROWN: Final = {
    "games": "A pair, in processor time.",
    "bots": "Round robins with about the same number of games in all, so with fewer games for "
    "each pair: the share of forks grows. In processor time.",
    "cores": "A pair, in wall time: a referee and its bots on one core, and two of these side by "
    "side. The ratio compares with the plain loop on one core, in the mean of the cores used.",
    "cores, thinking": "The same with bots that think for a millisecond at every turn.",
}
_GOALS: Final = (
    "## Goals\n\nA ratio compares with the plain loop on one core; that of a game is the mean of "
    "its tables. `tests/contract/test_identity.py` checks that the same job gives the same bytes "
    "at any width, in any worker, box and build."
)
_GOAL_COLUMNS: Final = "goal must stretch measured held"
NOT_HELD: Final = "Goals that are not held"
"""The heading of the section written by hand that says why."""
_GAMES: Final = "## Each game beside its plain loop\n\nProcessor time of a game, in microseconds."
_COST: Final = (
    "## One match of 20 games of bomb\n\nFresh forks, one game at a time, in milliseconds."
)
_LONE: Final = (
    "## One game of bomb\n\nAlone, in milliseconds of wall time: in open seats, with fresh forks, "
    "and in a box that is opened for it."
)
_LONG: Final = (
    "## {games:,} games of a pair\n\nIn one match, "
    f"{WIDTH} bouts at once, in seconds of wall time, "
    f"the median of up to {LONG_REPEATS} runs: from the job to its record, and from its row in the "
    "queue to its result and ratings in the database, an SQLite file. Messages are passed "
    "directly, without a broker."
)
_BOOKING: Final = (
    "## Booking a match\n\nA ledger with an SQLite file of a thousand matches books matches of two "
    "deals that arrive together. The table has its mean processor time for a match, and how many "
    "games of bomb the plain loop plays in that time, in the mean of its tables."
)
_SEATS: Final = (
    "## Both seats of a match\n\nForked, walled, killed and reaped in an open box, in "
    "milliseconds; and how many games of bomb the plain loop plays in that time. The goal is 4 ms "
    "on a machine where that is 100 games."
)
_MEMORY: Final = (
    "## Memory\n\nThe greatest memory that is not shared with other processes, in MiB: of a seat "
    f"with one bout of bomb in progress and with {WIDTH}, and of the arena that referees them."
)


def kept(before: str) -> str:
    """The sections of an older page that are written by hand; "" if there are none."""
    place = before.find(f"\n{BY_HAND}\n")
    return before[place:] if place >= 0 else ""


def tables(
    reached: Sequence[Goal],
    fast: Sequence[Speed],
    plain: Sequence[Speed],
    single: Sequence[Cost],
    alone: Sequence[Lone],
    walls: Sequence[Seats],
    held: Sequence[Memory],
    long: Sequence[Long],
    booked: Sequence[Booked],
    grown: Sequence[Grown],
) -> str:
    """The tables under their headings, without those that have no rows.

    With speeds of the compiled build in `fast`, `plain` has plain Python's.
    """
    most_games = max((one.games for one in long), default=0)
    sections = [
        f"Measured with the {_BUILDS[build.in_use()]}, Python {platform.python_version()}, "
        f"{platform.machine()}, "
        f"{os.cpu_count()} cores at a load of {os.getloadavg()[0]:.1f}: a load far above that "
        "disturbs caches and all wall times.",
        _section(f"{_GOALS}\n\n{outcome(reached)}", _GOAL_COLUMNS, map(_goal, reached)),
        _section(_GAMES, _SPEEDS, map(_speed, fast)),
        _section("", "game box ratio", _means(fast)),
        *_builds(fast, plain),
        _section(_COST, "box plain match added", map(_cost, single)),
        _section(_LONE, "box seats forks opened", map(_lone, alone)),
        _section(_LONG.format(games=most_games), "box record database", map(_long, long)),
        _section(_BOOKING, "matches ms games", map(_booked, booked)),
        *(_growth(grown) if grown else ()),
        _section(_SEATS, "box median least games", map(_seats, walls)),
        _section(_MEMORY, "box seat busy worker", map(_memory, held)),
    ]
    return "\n\n".join(filter(None, sections))


def outcome(reached: Sequence[Goal]) -> str:
    """How many goals are held, and the names of the others."""
    others = "; ".join(goal.name for goal in reached if not goal.held)
    if not others:
        return f"All {len(reached)} goals are held."
    anchor = NOT_HELD.lower().replace(" ", "-")
    count = sum(goal.held for goal in reached)
    return f"{count} of {len(reached)} goals are held. [These are not](#{anchor}): {others}."


def _growth(grown: Sequence[Grown]) -> Iterator[str]:
    yield _GROWTH
    for by, words in _GROWN.items():
        rows = [_grown(one) for one in grown if one.by == by]
        yield _section(words, f"{by.partition(',')[0]} games plain isolated ratio", rows)


def _section(words: str, names: str, rows: Iterable[Sequence[str]]) -> str:
    """The words and a table under them; "" if the table has no rows."""
    lines = [names.split(), ["---"] * len(names.split()), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{words}\n\n{table}".lstrip() if len(lines) > 2 else ""


def _means(fast: Sequence[Speed]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for game, box in dict.fromkeys((one.game, one.box) for one in fast):
        ratios = [one.ratio for one in fast if (one.game, one.box) == (game, box)]
        rows.append((game, box, f"{fmean(ratios):.2f}"))
    return rows


def _builds(fast: Sequence[Speed], plain: Sequence[Speed]) -> Iterator[str]:
    """The ratios of both builds in the box in which both were measured."""
    if not plain:
        return
    compiled = {game: ratio for game, box, ratio in _means(fast) if box == plain[0].box}
    rows = [(game, ratio, compiled[game]) for game, _, ratio in _means(plain)]
    words = (
        f"The ratios in {plain[0].box} without the compiled hot path and with it, one measured "
        "after the other."
    )
    yield _section(words, "game plain compiled", rows)
    yield _section("And the parts of the time without it.", _SPEEDS, map(_speed, plain))


def _speed(one: Speed) -> tuple[str, ...]:
    spent = (f"{part:.0f}" for part in (one.plain_us, one.referee_us, one.seats_us))
    return one.game, one.table, one.box, *spent, f"{one.ratio:.2f}", f"{one.bytes:.1f}"


def _grown(one: Grown) -> tuple[str, ...]:
    spent = (f"{part:.0f}" for part in (one.plain_us, one.isolated_us))
    return f"{one.size:,}", f"{one.games:,}", *spent, f"{one.ratio:.2f}"


def _goal(one: Goal) -> tuple[str, ...]:
    return one.name, one.must, one.stretch, f"{one.measured:.2f}", "yes" if one.held else "no"


def _long(one: Long) -> tuple[str, ...]:
    return one.box, f"{one.played_s:.2f}", f"{one.booked_s:.2f}"


def _booked(one: Booked) -> tuple[str, ...]:
    return str(one.matches), f"{one.match_ms:.2f}", f"{one.games:.1f}"


def _cost(one: Cost) -> tuple[str, ...]:
    return one.box, f"{one.plain_ms:.2f}", f"{one.match_ms:.2f}", f"{one.added_ms:.2f}"


def _lone(one: Lone) -> tuple[str, ...]:
    spent = (f"{part:.2f}" for part in (one.seated_ms, one.forked_ms, one.opened_ms))
    return one.box, *spent


def _seats(one: Seats) -> tuple[str, ...]:
    return one.box, f"{one.both_ms:.2f}", f"{one.quickest_ms:.2f}", f"{one.games:.0f}"


def _memory(one: Memory) -> tuple[str, ...]:
    return one.box, f"{one.seat_mib:.1f}", f"{one.busy_mib:.1f}", f"{one.worker_mib:.1f}"
