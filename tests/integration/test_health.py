"""Frozen processes: the platform says within a minute what is wrong, and when it is well again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from tests.installation import Installation, descendants, eventually, installed, visitor

pytestmark = pytest.mark.slow

TOLD_MS: Final = 60_000
"""The age of the last report or tick by which the page must have said so."""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform with an operator."""
    with installed(tmp_path_factory.mktemp("health") / "data", anew=True) as platform:
        platform.operator()
        yield platform


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """Stops the process and those that it has started, for the length of the block."""
    pids = [pid, *descendants(pid)]
    for one in pids:
        os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in pids:
            os.kill(one, signal.SIGCONT)


def wrong(platform: Installation) -> dict[str, Any]:
    """What is wrong, by the kind of check."""
    return {one["kind"]: one for one in platform.get("/health")["findings"]}


def test_a_frozen_arena_is_told_within_a_minute_and_forgotten_when_it_goes_on(
    platform: Installation,
) -> None:
    eventually(lambda: "arenas" not in wrong(platform))
    with frozen(platform.programs()["arena-1"]):
        told = eventually(lambda: wrong(platform).get("arenas", {}))
        seconds = int(told["text"].rpartition(" s.")[0].rpartition(" ")[2])
        assert 1000 * seconds <= TOLD_MS, told
        status = platform.command("status")
        assert status.returncode == 1
        assert told["remedy"] in status.stdout
    eventually(lambda: "arenas" not in wrong(platform))


def test_a_frozen_ledger_is_told_though_it_may_hold_the_writer_s_lock(
    platform: Installation,
) -> None:
    def named() -> bool:
        with visitor() as anybody:
            return "ledger" in anybody.get(f"{platform.url}/readyz").json().get("wrong", ())

    with frozen(platform.programs()["ledger"]):
        eventually(named)
    eventually(lambda: not named())


def test_a_frozen_broker_is_told(platform: Installation) -> None:
    with frozen(platform.programs()["broker"]):
        told = eventually(lambda: wrong(platform).get("broker", {}))
    assert "cannot be reached" in told["text"]
    eventually(lambda: "broker" not in wrong(platform))
