"""Uploads wait for their verdicts while every arena is killed, again and again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests.installation import Installation, eventually, installed
from tests.integration.uploads import VERDICT_S, Author
from tests.unit.worker.bots import text, turning

pytestmark = pytest.mark.slow

AUTHORS: Final = ("alice", "bob", "dora")
EACH: Final = 4
KILLS: Final = 3
SLOWLY: Final = ("import time", "time.sleep(0.1)")
KINDS: Final = (
    ("accepted", turning(*SLOWLY, "return None")),
    ("crash", turning(*SLOWLY, "return 1 / 0")),
    ("bundle", text("x = 1")),
    ("accepted", turning(*SLOWLY, "return None") + b"\n"),
)
"""Most take so long to try out that a kill finds them there."""


def asked(platform: Installation, query: str) -> list[tuple[int, int]]:
    """What the books answer."""
    with closing(sqlite3.connect(f"file:{platform.data / 'matchbox.db'}?mode=ro", uri=True)) as own:
        return own.execute(query).fetchall()


def kill_arenas(platform: Installation, spared: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Kills every arena once one holds a try-out that is not among these; the try-outs held then,
    by version and attempt."""

    def held() -> set[tuple[int, int]]:
        pending = "select id, attempt from version where state = 'pending' and arena is not null"
        return set(asked(platform, pending)) - spared

    found = eventually(held, why="no try-out begins")
    for name in ("arena-1", "arena-2"):
        platform.kill(name)
    return found


def test_every_upload_gets_its_verdict_though_every_arena_is_killed_several_times(
    tmp_path: Path,
) -> None:
    with installed(tmp_path / "data") as platform:
        platform.operator()
        platform.post("/leagues/bomb/pause")  # Those that are accepted play no matches.
        authors = [Author(platform, name, platform.author(name), KINDS) for name in AUTHORS]
        for author in authors:
            for _ in range(EACH):
                author.upload()
        struck: set[tuple[int, int]] = set()
        for _ in range(KILLS):
            struck |= kill_arenas(platform, struck)
        found = [author.judge() for author in authors]
        again = asked(platform, "select id, attempt from version where attempt > 1")
    assert [wrong for author in authors for wrong in author.wrong] == []
    assert sum(one["verdicts"] for one in found) == len(AUTHORS) * EACH
    assert max(one["slowest_s"] for one in found) <= VERDICT_S
    assert sum(attempt - 1 for _, attempt in again) >= KILLS, "the kills hit no try-outs"
