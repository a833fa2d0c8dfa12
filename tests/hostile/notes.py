"""A bot that passes notes wins no more often than without them: `python -m tests.hostile.notes
2000`.

It plays the same deals twice against medium, with and without notes. It knows the order of the
rotations, which no bot of a league does. The bouts of the second rotation are compared in pairs:
the deals are fixed, so only the notes can make a difference. Knows one attack.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import re
import runpy
import secrets
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from cli import named_bots
from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.match.referee import play
from matchbox.match.wire import Entrant, PlayMatch
from sandbox.box import KINDS, Box
from sandbox.policy import LIBRARIES
from sandbox.program import LIBRARY, Program
from tests import engine
from tests.hostile import stage
from worker.arena.boxes import ENTRY, open_named
from worker.arena.match_seats import MatchSeats

MAX_Z: Final = 3.0
BOUTS: Final = 2000
PLACES: Final = 17
_LOG_BYTES: Final = 4096
_PACK: Final = Path(__file__).parent / "carries_notes" / "pack.py"


@dataclass(frozen=True, slots=True)
class Bout:
    """The second bout of one deal."""

    won: bool
    left: int | None
    """The bot's note in the first bout; None if the bot had nothing to note."""
    found: int | None
    """The bot's reading in the second bout."""


@dataclass(frozen=True, slots=True)
class Found:
    """The result of the pairs of bouts."""

    box: str
    pairs: int
    won_with: float
    """Share of the second bouts, with notes."""
    won_without: float
    left: int
    """The number of notes that were left."""
    right: int
    """The number of these that were read correctly."""
    z: float
    """Standard errors by which the bot wins more with notes, over the pairs that differ."""


def carrier(place: str, pages: str, *, notes: bool) -> bytes:
    """The bot, with its places for notes."""
    packed: bytes = runpy.run_path(str(_PACK))["bundle"](place, pages, notes)
    return packed


def second_bout(box: Box | None, number: int, bot: bytes) -> Bout:
    """Plays the deal of that number in both rotations. The bot moves first in the first one."""
    medium, memory = named_bots.find("bomb", "medium"), str(number).encode()
    job = PlayMatch(
        attempt=1,
        token="",
        game="bomb",
        limits=stage.LIMITS,
        match=f"notes {number}",
        rules=registry.game("bomb").spec.rules,
        options={},
        deals=derive_deals("notes", 1, start=number),
        seats=[
            Entrant(digest(bot), memory=digest(memory)),
            Entrant(medium.version, medium.class_name),
        ],
    )
    bundles = {digest(bot): bot, medium.version: medium.data}
    match_seats = MatchSeats(job, bundles, box, memories={digest(memory): memory})
    spoken = io.StringIO()
    with redirect_stdout(spoken) if box is None else nullcontext():
        played = play(registry.game("bomb"), job, match_seats.open_player, rotations=(0, 1))
    said = spoken.getvalue() if box is None else match_seats.logs(_LOG_BYTES)[0]
    assert not played.notes, played.notes
    return Bout(
        won=played.record.bouts[1].places[1] == 1,
        left=_number("left", said),
        found=_number("read", said),
    )


def _number(word: str, log: str) -> int | None:
    told = re.search(rf"^{word} (\d+)$", log, re.MULTILINE)
    return int(told[1]) if told else None


def compare(box: Box | None, pairs: int, start: int = 0) -> Found:
    """Plays this number of deals with and without notes."""
    place, pages = f"{LIBRARY}/{secrets.token_hex(8)}", sorted(LIBRARY.glob("encodings/cp*.py"))
    told = " ".join(map(str, pages[:PLACES]))
    with_notes, without = (carrier(place, told, notes=notes) for notes in (True, False))
    both = []
    for number in range(start, start + pairs):
        for page in pages[:PLACES]:
            _evict(page)
        both.append((second_bout(box, number, with_notes), second_bout(box, number, without)))
    more = sum(one.won and not other.won for one, other in both)
    fewer = sum(other.won and not one.won for one, other in both)
    return Found(
        box=box.kind if box is not None else "none",
        pairs=pairs,
        won_with=round(sum(one.won for one, _ in both) / pairs, 4),
        won_without=round(sum(one.won for _, one in both) / pairs, 4),
        left=sum(one.left is not None for one, _ in both),
        right=sum(one.left is not None and one.left == one.found for one, _ in both),
        z=round((more - fewer) / math.sqrt(max(1, more + fewer)), 2),
    )


def _evict(page: Path) -> None:
    """Makes the machine forget a file, which it would otherwise read from the disk only once."""
    with page.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def images() -> None:
    """Builds the images for containers of the shipped players, on the engine of DOCKER_HOST."""
    program = Program(tuple(registry.seat_modules()), ENTRY, libraries=tuple(LIBRARIES))
    engine.build(program.packages(), program.with_libraries().packages())


def run(kind: str, pairs: int) -> Found:
    """The comparison in a box of that kind; `none` is this process, where notes always arrive."""
    with engine.engine() if kind == "docker" else nullcontext() as host:
        if host is not None:
            os.environ["DOCKER_HOST"] = host
            images()
        box = open_named(kind)
        with box if box is not None else nullcontext():
            return compare(box, pairs)


def main() -> None:
    """Prints the result in each box; fails if notes win, or if the perfect channel does not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=int, nargs="?", default=BOUTS)
    parser.add_argument("--box", choices=(*KINDS, "none"), help="this one alone")
    given = parser.parse_args()
    failed = False
    for kind in (given.box,) if given.box else ("none", *KINDS):
        found = run(kind, given.pairs)
        print(json.dumps(asdict(found)), flush=True)
        failed |= (found.z < MAX_Z) if kind == "none" else (found.z >= MAX_Z)
    sys.exit(failed)


if __name__ == "__main__":
    main()
