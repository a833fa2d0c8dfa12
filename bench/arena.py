"""`python -m bench.arena KIND`: the memory that an arena holds, as JSON.

It runs in a process of its own, so memory of other measurements is not counted. The process imports
all that Celery's would, but has no broker.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.contests import CONTESTS, bots_of, job_of
from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.match import frames
from matchbox.match.referee import play
from matchbox.match.seat import Seat
from matchbox.settings import Settings, limits_of
from matchbox.settings_of_play import WIDTH
from sandbox.policy import Limits
from worker.arena.boxes import open_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.box import Box
    from sandbox.box_seat import BoxSeat

_NO_BROKER: Final = {"MATCHBOX_BROKER_URL": "redis://127.0.0.1:1/0"}
_EVERY: Final = 10
"""The number of frames between two checks of the seats."""


def main(words: Sequence[str]) -> int:
    """Plays once with one bout at a time, and once with the laboratory's number; returns 0."""
    os.environ.update(_NO_BROKER)
    import_module("worker.arena.main")
    box = open_named(words[0])
    assert box is not None
    with box:
        single, _ = held(box, 1)
        busy, worker = held(box, WIDTH)
    sys.stdout.write(json.dumps({"seat_mib": single, "busy_mib": busy, "worker_mib": worker}))
    return 0


def held(box: Box, width: int) -> tuple[float, float]:
    """The private memory of a match of bomb with `width` bouts at a time, in MiB: the most that one
    of both seats held, and the most that this process held."""
    contest = next(one for one in CONTESTS if one.game == "bomb")
    bots = bots_of(contest)
    seats: list[BoxSeat] = []
    job = job_of(contest, bots, Settings().most_deals, width)
    package = registry.package_of(contest.game)
    most, looks = [0.0, 0.0], 0

    def open_seat() -> BoxSeat:
        seats.append(box.seat(Limits(**limits_of(Settings()))))
        return seats[-1]

    def look(_: int) -> None:
        nonlocal looks
        looks += 1
        if looks % _EVERY == 0:
            most[0] = max([most[0], *(_private_mib(one.pid) for one in seats)])
            most[1] = max(most[1], _private_mib("self"))

    def open_player(entrant: int, rotation: int) -> Seat:
        files = read_bundle(bots[entrant].data).files
        return Seat(open_seat, frames.load_frame(package, files, None, "00"))

    play(registry.game(contest.game), job, open_player, on_progress=look, rotations=[0])
    return most[0], most[1]


def _private_mib(pid: int | str) -> float:
    """MiB that no other process shares; 0 if this account may not look."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024
    return 0.0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
