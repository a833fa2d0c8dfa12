"""Plays a match of shipped bots and prints digests of the result, for other modules to compare:
`python -m tests.contract.identity bomb --box bwrap --width 16` in whatever build and process.

Knows the bots for each game; compares nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import msgspec

from cli import named_bots
from matchbox import build, registry
from matchbox.dice import derive_deals
from matchbox.game import fill_options
from matchbox.match import record as records
from matchbox.match.wire import Entrant, PlayMatch
from worker.arena.boxes import open_named
from worker.arena.play import play_job

if TYPE_CHECKING:
    from sandbox.box import Box

TABLES: Final[Mapping[str, Sequence[str]]] = {
    "bomb": ("medium", "scared"),
    "creatures": ("autopilot", "stilllearning"),
    "skull": ("random", "random", "random"),
    "thegame": ("random", "trick"),
    "war": ("random", "highest"),
}
"""The bots of each game: some that draw by lot beside some that do not."""
GAMES: Final = 1000
"""The least number of games in a match of this module."""
_LIMITS: Final = {
    "cpu_ms": 10_000,
    "start_cpu_ms": 60_000,
    "bank_ms": 3_600_000,
    "wall_factor": 20,
    "memory_mb": 512,
    "log_bytes": 1024,
}
"""Limits that are wide enough for any machine: a timeout would depend on the machine."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """The result of a match."""

    build: str
    """The build that played it: matchbox.build.in_use()."""
    packed: str
    """The digest of the packed record, to the last byte."""
    record: str
    """The digest of the record as if it had been played one bout at a time."""
    bouts: dict[str, str]
    """The digest of each bout, by its deal's seed and rotation. It does not depend on how deals are
    divided."""


def deals_of(game: str, games: int = GAMES) -> list[str]:
    """The seeds of enough deals for that many games in all rotations."""
    return derive_deals(f"identity of {game}", -(-games // len(TABLES[game])))


def play(game: str, box: Box | None, width: int, deals: Sequence[str]) -> PlayedMatch:
    """Plays these deals of the game's match."""
    return played_match(play_match(game, TABLES[game], box, width, deals))


def play_match(
    game: str, names: Sequence[str], box: Box | None, width: int, deals: Sequence[str]
) -> bytes:
    """The packed record of a match between these shipped bots. If `box` is None, it is played in
    this process."""
    spec = registry.game(game).spec
    bots = [named_bots.find(game, name) for name in names]
    job = PlayMatch(
        attempt=1,
        token="",
        game=game,
        limits=_LIMITS,
        match="identity",
        rules=spec.rules,
        options=fill_options(spec, {}),
        deals=list(deals),
        seats=[Entrant(bot.version, bot.class_name) for bot in bots],
        width=width,
    )
    return play_job(job, {bot.version: bot.data for bot in bots}, box).record


def played_match(packed: bytes) -> PlayedMatch:
    """The digests of a packed record."""
    record = records.unpack(packed)
    bouts = {
        f"{record.deals[bout.deal]}/{bout.rotation}": _digest(
            msgspec.json.encode(msgspec.structs.replace(bout, deal=0))
        )
        for bout in record.bouts
    }
    narrow = msgspec.structs.replace(record, width=1)
    return PlayedMatch(build.in_use(), _digest(packed), records.digest(narrow), bouts)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def main() -> None:
    """Prints the digests of one match as JSON."""
    parser = argparse.ArgumentParser(description="Digests of a match of shipped bots, as JSON.")
    parser.add_argument("game", choices=sorted(TABLES))
    parser.add_argument("--box", default="none", help="none, process, bwrap or docker")
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--from", type=int, dest="first", help="the first deal's number")
    parser.add_argument(
        "--step", type=int, default=1, help="every so manieth deal; -1: from behind"
    )
    asked = parser.parse_args()
    deals = deals_of(asked.game, asked.games)[asked.first :: asked.step]
    box = open_named(asked.box)
    try:
        played = play(asked.game, box, asked.width, deals)
    finally:
        if box is not None:
            box.close()
    print(json.dumps(msgspec.to_builtins(played)))


if __name__ == "__main__":
    main()
