"""Slow try-outs on a real platform with two arenas: which other try-outs they delay.

Compares the order of events, never seconds: an arena takes try-outs in the order in which they were
sent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from tests.installation import Installation, eventually, installed
from tests.unit.worker.bots import GOOD, turning

pytestmark = pytest.mark.slow

BANK_MS: Final = 6_000
"""The time that a slow bot takes of an arena: more than the quick ones' try-outs together."""
SETTINGS: Final = {"MATCHBOX_BANK_MS": str(BANK_MS), "MATCHBOX_LEASE_MINUTES": "5"}
SLOW: Final = turning(
    "import time",
    "begun = time.process_time()",
    "while time.process_time() - begun < 0.5: pass",
    "return None",
)


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform with two arenas, whose try-outs may take BANK_MS of a bot's time."""
    with installed(tmp_path_factory.mktemp("turns") / "data", SETTINGS) as platform:
        platform.operator()
        yield platform


def upload(platform: Installation, name: str, data: bytes, token: str = "") -> int:
    """Uploads the file; returns the version's number."""
    answer = platform.upload(name, data + f"\n# {name}\n".encode(), token=token)
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["id"]
    return number


def times(platform: Installation, version: int) -> dict[str, Any]:
    """Returns the version's state, and the times of its upload, the beginning of its try-out and
    its verdict."""
    names = ("state", "created_at", "claimed_at", "settled_at")
    with closing(sqlite3.connect(Path(platform.data) / "matchbox.db")) as books:
        query = f"SELECT {', '.join(names)} FROM version WHERE id = ?"
        return dict(zip(names, books.execute(query, (version,)).fetchone(), strict=True))


def claimed(platform: Installation, version: int) -> int:
    """Waits until the version's try-out has begun; returns when."""
    found: int = eventually(lambda: times(platform, version)["claimed_at"], why=platform.logs())
    return found


def test_an_author_of_slow_bots_keeps_only_themselves_waiting(platform: Installation) -> None:
    slow = platform.author("slow")
    others = [platform.author(f"quick-{number}") for number in range(3)]
    first, second, third = [upload(platform, f"slow-{n}", SLOW, slow) for n in range(3)]
    claimed(platform, first)
    quick = [upload(platform, f"bot-{n}", GOOD.encode(), who) for n, who in enumerate(others)]
    for number, token in zip(quick, others, strict=True):
        assert platform.verdict(number, token=token)["state"] == "active"
    assert platform.verdict(first, token=slow)["report"]["verdict"] == "timeout"
    began = claimed(platform, second)
    assert began >= times(platform, first)["settled_at"]
    assert max(claimed(platform, number) for number in quick) <= began
    last, before = times(platform, third), times(platform, second)
    assert last["claimed_at"] is None or last["claimed_at"] >= before["settled_at"]


def test_without_turns_they_keep_others_waiting(platform: Installation) -> None:
    """An operator's try-outs take no turns, as nobody's did in older releases."""
    somebody = platform.author("somebody")
    slow = [upload(platform, f"slower-{number}", SLOW) for number in range(3)]
    quick = upload(platform, "bot", GOOD.encode(), somebody)
    began = claimed(platform, quick)
    starts = [times(platform, number)["claimed_at"] for number in slow]
    assert None not in starts
    assert began >= max(starts)
    assert began - min(starts) > BANK_MS // 2, "an arena played a slow one before it"
