"""Frozen processes: the platform says within a minute what is wrong, and when it is well again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml  # type: ignore[import-untyped]

from tests.installation import Installation, descendants, eventually, installed, visitor
from tests.services import free_port, needs, running

pytestmark = pytest.mark.slow

TOLD_MS: Final = 60_000
"""The age of the last report or tick by which the page must have said so."""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform with an operator."""
    port = {"MATCHBOX_INTERNAL_PORT": str(free_port())}
    data = tmp_path_factory.mktemp("health") / "data"
    with installed(data, port) as platform:
        platform.operator()
        yield platform


@pytest.fixture(scope="module")
def prometheus(
    platform: Installation, checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """A Prometheus with our files that looks at the platform every second, and alerts at once."""
    folder = tmp_path_factory.mktemp("prometheus")
    config, rules = (
        yaml.safe_load((checkout / "server/monitoring" / name).read_text())
        for name in ("prometheus.yml", "alerts.yml")
    )
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    ports = (httpx.URL(platform.url).port, platform.settings["MATCHBOX_INTERNAL_PORT"])
    for job, port in zip(config["scrape_configs"], ports, strict=True):
        job["static_configs"][0]["targets"] = [f"127.0.0.1:{port}"]
    for rule in rules["groups"][0]["rules"]:
        rule["for"] = "0s"
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    (folder / "alerts.yml").write_text(yaml.safe_dump(rules))
    address = f"127.0.0.1:{free_port()}"
    command = [needs("setpriv"), "--pdeathsig", "KILL", needs("prometheus")]
    command += [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    command += [f"--web.listen-address={address}"]
    with httpx.Client(base_url=f"http://{address}", timeout=60) as asking:

        def answers() -> bool:
            try:
                return asking.get("/-/ready").is_success
            except httpx.TransportError:
                return False

        with running(command, answers, folder / "log"):
            yield asking


def firing(prometheus: httpx.Client) -> set[str]:
    """The names of the alerts that Prometheus raises now."""
    alerts = prometheus.get("/api/v1/alerts").json()["data"]["alerts"]
    return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """Stops the process and those that it has started, for the length of the block.

    One of those may end before it is stopped, or be killed meanwhile.
    """
    pids = [pid, *descendants(pid)]
    _send(signal.SIGSTOP, pids)
    try:
        yield
    finally:
        _send(signal.SIGCONT, pids)


def _send(number: signal.Signals, pids: Iterable[int]) -> None:
    for one in pids:
        with suppress(ProcessLookupError):
            os.kill(one, number)


def wrong(platform: Installation) -> dict[str, Any]:
    """What is wrong, by the kind of check."""
    return {one["kind"]: one for one in platform.get("/health")["findings"]}


def test_a_frozen_arena_is_told_within_a_minute_and_forgotten_when_it_goes_on(
    platform: Installation, prometheus: httpx.Client
) -> None:
    eventually(lambda: "arenas" not in wrong(platform))
    targets = "/api/v1/targets?state=active"
    eventually(
        lambda: (
            {one["health"] for one in prometheus.get(targets).json()["data"]["activeTargets"]}
            == {"up"}
        )
    )
    eventually(lambda: not firing(prometheus) & {"MatchboxDown", "MatchboxArenaSilent"})
    with frozen(platform.programs()["arena-1"]):
        told = eventually(lambda: wrong(platform).get("arenas", {}))
        seconds = int(told["text"].rpartition(" s.")[0].rpartition(" ")[2])
        assert 1000 * seconds <= TOLD_MS, told
        status = platform.command("status")
        assert status.returncode == 1
        assert told["remedy"] in status.stdout
        eventually(lambda: "MatchboxArenaSilent" in firing(prometheus))
    eventually(lambda: "arenas" not in wrong(platform))
    eventually(lambda: "MatchboxArenaSilent" not in firing(prometheus))


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


def test_a_frozen_supervisor_is_told_while_the_platform_plays_on(platform: Installation) -> None:
    assert "supervisor" not in wrong(platform)
    os.kill(platform.pid, signal.SIGSTOP)
    try:
        told = eventually(lambda: wrong(platform).get("supervisor", {}))
    finally:
        os.kill(platform.pid, signal.SIGCONT)
    assert f"kill -CONT {platform.pid}" in told["remedy"]
    eventually(lambda: "supervisor" not in wrong(platform))
