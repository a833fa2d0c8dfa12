"""Uploads wait for their verdicts while every arena is killed, again and again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests.installation import Installation, eventually, installed
from tests.integration.uploads import Author
from tests.unit.worker.bots import turning

pytestmark = pytest.mark.slow

AUTHORS: Final = ("alice", "bob", "dora")
EACH: Final = 6
KILLS: Final = 4
LIMIT_S: Final = 900.0
"""Other tests run beside this one, and starting all arenas anew may take a minute each time."""
WORK: Final = "sum(range(300_000))"
"""Some 6 ms of work. A sleep would not do: it returns at once in a box."""
GOOD: Final = turning(WORK, "return None")
KINDS: Final = (
    ("accepted", GOOD),
    ("crash", turning(WORK, WORK, WORK, "return 1 / 0")),
    ("accepted", GOOD),
    ("illegal", turning(WORK, WORK, WORK, "return 7")),
)
"""The kinds of uploads. Good ones take so long to try out that a kill hits most of them there."""


def held(platform: Installation) -> set[int]:
    """Returns the versions without a verdict whose try-out an arena has begun."""
    query = "select id from version where state = 'pending' and arena is not null"
    with closing(sqlite3.connect(f"file:{platform.data / 'matchbox.db'}?mode=ro", uri=True)) as own:
        return {version for (version,) in own.execute(query)}


def kill_arenas(platform: Installation, spared: set[int]) -> set[int]:
    """Kills every arena once one has begun a version, and none has one that is in `spared`, which
    would be parked for that; returns the versions that this left without a verdict."""

    def begun_anew() -> set[int]:
        found = held(platform)
        return found if found.isdisjoint(spared) else set()

    begun = eventually(begun_anew, LIMIT_S, "no try-out begins")
    for name in ("arena-1", "arena-2"):
        platform.kill(name)
    return begun & held(platform)


def test_every_upload_gets_its_verdict_though_every_arena_is_killed_several_times(
    tmp_path: Path,
) -> None:
    with installed(tmp_path / "data") as platform:
        platform.operator()
        platform.post("/leagues/bomb/pause")  # Accepted versions play no matches.
        authors = [
            Author(platform, name, platform.author(name), KINDS, LIMIT_S) for name in AUTHORS
        ]
        for author in authors:
            for _ in range(EACH):
                author.upload()
        struck: set[int] = set()
        for _ in range(KILLS):
            struck |= kill_arenas(platform, struck)
        assert struck, "no kill found a try-out"
        found = [author.judge() for author in authors]
    assert [wrong for author in authors for wrong in author.wrong] == []
    assert sum(one["verdicts"] for one in found) == len(AUTHORS) * EACH
