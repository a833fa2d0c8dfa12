"""Mixed matches on a machine with far too much to do: `python -m tests.hostile.load 10000`.

Four times as many arenas play as there are processors, and one entrant in ten is an attack. No
match may be lost or void, no honest bot blamed, no process left behind, and no arena may grow.
Knows matches, processes and memory; knows no attack by name.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from cli.named_bots import shipped
from matchbox import registry
from matchbox.bundle import digest, read_bundle
from matchbox.dice import derive_deals
from matchbox.errors import BadBundle, MatchboxError
from matchbox.game import fill_options
from matchbox.match import record as records
from matchbox.match.wire import Entrant, PlayMatch
from matchbox.settings import Settings, limits_of
from sandbox.box import Box
from tests.builders import open_box
from tests.hostile import stage
from tests.installation import born
from worker.arena.play import play_job

OVERLOAD: Final = 4
"""The number of arenas for each processor."""
HOSTILE: Final = 0.1
BLOCK: Final = 10
"""The number of matches that an arena gets at once."""
ATTACKED: Final = "bomb"
_GROWTH_MB: Final = 16.0
_LEAVING_S: Final = 60.0


@dataclass
class Block:
    """The report of an arena on the matches it has played."""

    arena: int
    matches: int = 0
    hostile: int = 0
    decisions: int = 0
    endings: dict[str, int] = field(default_factory=dict)
    """Faults of attackers, by kind."""
    wrong: list[str] = field(default_factory=list)
    """Sentences about things that must never happen."""
    memory_mb: float = 0.0
    children: list[tuple[int, str]] = field(default_factory=list)
    """The arena's processes: number and time of birth."""


def limits(share: int) -> dict[str, int]:
    """The platform's usual limits, with times scaled by `share`."""
    usual = limits_of(Settings())
    times = {name: usual[name] // share for name in ("cpu_ms", "start_cpu_ms", "bank_ms")}
    return {**usual, **times, "memory_mb": 96}


def play_block(kind: str, numbers: list[int], share: int) -> Block:
    """Plays the matches of these numbers in this process's own box."""
    block = Block(os.getpid())
    for number in numbers:
        try:
            _play(_box(kind), number, share, block)
        except MatchboxError as error:
            block.wrong.append(f"match {number} was lost: {error}")
        block.matches += 1
    block.memory_mb = _memory_mb()
    block.children = list(_descendants(os.getpid()))
    return block


def _play(box: Box, number: int, share: int, block: Block) -> None:
    chance = random.Random(number)
    attacks = sorted(_attacks())
    names = [chance.choice(attacks) if chance.random() < HOSTILE else "" for _ in "ab"]
    game = ATTACKED if any(names) else chance.choice(sorted(_honest()))
    bundles = [_attacks()[name] if name else chance.choice(_honest()[game]) for name in names]
    job = _job(game, number, bundles, share if any(names) else 1)
    result = play_job(job, dict(map(_named, bundles)), box)
    record = records.unpack(result.record)
    block.hostile += sum(map(bool, names))
    block.decisions += sum(len(bout.moves) for bout in record.bouts)
    if len(record.bouts) != len(records.rotations(record.seats, cooperative=game == "thegame")):
        block.wrong.append(f"match {number} has {len(record.bouts)} bouts")
    for note in result.notes:
        if not names[note.entrant] or names[note.entrant] == "honest":
            block.wrong.append(f"match {number}, {names}: an honest bot forfeits, {note.detail}")
        block.endings[note.kind] = block.endings.get(note.kind, 0) + 1
    if any("SUCCEEDED" in log for log in result.logs):
        block.wrong.append(f"match {number}: an attack got what it wants, {names}")


def _job(game: str, number: int, bundles: list[bytes], share: int) -> PlayMatch:
    spec = registry.game(game).spec
    return PlayMatch(
        attempt=1,
        token="t" * 64,
        game=game,
        limits=limits(share),
        match=f"load {number}",
        rules=spec.rules,
        options=fill_options(spec, {}),
        deals=derive_deals(f"load {number}", 1),
        seats=[Entrant(digest(bundle)) for bundle in bundles],
    )


def _named(bundle: bytes) -> tuple[str, bytes]:
    return digest(bundle), bundle


@cache
def _box(kind: str) -> Box:
    return open_box(kind)


@cache
def _attacks() -> dict[str, bytes]:
    """Every attack that can be uploaded."""
    names = [name for name in stage.ATTACKS if stage.game_of(name) == ATTACKED]
    found = {name: stage.bot(name, stage.witnessed(name)) for name in names}
    return {name: bundle for name, bundle in found.items() if _is_taken(bundle)}


def _is_taken(bundle: bytes) -> bool:
    try:
        read_bundle(bundle)
    except BadBundle:
        return False
    return True


@cache
def _honest() -> dict[str, list[bytes]]:
    """The shipped bots of every game for two."""
    return {
        name: [bot.data for bot in shipped(name)]
        for name, game in registry.games().items()
        if 2 in game.spec.seats
    }


def _memory_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _descendants(pid: int) -> Iterator[tuple[int, str]]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                yield child, born(child)
                yield from _descendants(child)


def run(kind: str, matches: int, share: int, minutes: float) -> dict[str, Any]:
    """Plays this number of matches, or as many as the minutes allow; returns the observations."""
    begun, blocks = (
        time.monotonic(),
        [list(range(at, min(at + BLOCK, matches))) for at in range(0, matches, BLOCK)],
    )
    arenas = OVERLOAD * len(os.sched_getaffinity(0))
    done: list[Block] = []
    with tempfile.TemporaryDirectory() as folder:
        inherited = patch.dict(os.environ, {"TMPDIR": folder})
        with inherited, ProcessPoolExecutor(arenas, get_context("spawn")) as pool:
            waiting = iter(blocks)
            under_way: set[Future[Block]] = set()
            while True:
                late = time.monotonic() - begun > 60 * minutes
                while len(under_way) < arenas and not late and (block := next(waiting, None)):
                    under_way.add(pool.submit(play_block, kind, block, share))
                if not under_way:
                    break
                ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                done += [one.result() for one in ready]
        left = os.listdir(folder)
    return _told(done, matches, arenas, left, time.monotonic() - begun)


def _told(
    done: list[Block], wanted: int, arenas: int, left: list[str], seconds: float
) -> dict[str, Any]:
    played = sum(block.matches for block in done)
    wrong = [sentence for block in done for sentence in block.wrong]
    wrong += [f"files stayed behind: {', '.join(left)}"] if left else []
    wrong += [f"process {pid} stayed behind" for pid in _alive(done)]
    growth = max((_growth(done, arena) for arena in {one.arena for one in done}), default=0.0)
    if growth > _GROWTH_MB:
        wrong.append(f"an arena has grown by {growth:.0f} MiB")
    if played < wanted:
        wrong.append(f"only {played} of {wanted} matches were played in the time")
    endings: Counter[str] = sum((Counter(block.endings) for block in done), Counter())
    return {
        "matches": played,
        "arenas": arenas,
        "hostile_entrants": sum(block.hostile for block in done),
        "moves": sum(block.decisions for block in done),
        "endings_of_attackers": dict(sorted(endings.items())),
        "growth_mb": round(growth, 1),
        "seconds": round(seconds),
        "wrong": wrong,
    }


def _growth(done: list[Block], arena: int) -> float:
    """The growth of the arena after the first quarter of its blocks, when everything was loaded."""
    sizes = [block.memory_mb for block in done if block.arena == arena]
    return sizes[-1] - sizes[len(sizes) // 4]


def _alive(done: list[Block]) -> list[int]:
    """Processes of the arenas that still run after the arenas have ended."""
    known = {child for block in done for child in block.children if child[1]}
    until = time.monotonic() + _LEAVING_S
    while alive := [pid for pid, since in known if born(pid) == since]:
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    return alive


def main() -> None:
    """Prints the observations; fails if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matches", type=int, nargs="?", default=10_000)
    parser.add_argument("--box", default="bwrap")
    parser.add_argument(
        "--share", type=int, default=1, help="with an attack, times so many times shorter"
    )
    parser.add_argument("--minutes", type=float, default=240, help="ends after them, and fails")
    given = parser.parse_args()
    told = run(given.box, given.matches, given.share, given.minutes)
    print(json.dumps(told, indent=2))
    sys.exit(bool(told["wrong"]))


if __name__ == "__main__":
    main()
