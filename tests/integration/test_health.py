"""Frozen processes: the platform says within a minute what is wrong, and when it is well again."""

from __future__ import annotations

import html
import os
import re
import signal
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest
import yaml  # type: ignore[import-untyped]

from server.services import alarms
from tests.installation import (
    PASSWORD,
    Installation,
    descendants,
    eventually,
    installed,
    visitor,
)
from tests.services import free_port, needs, running

pytestmark = pytest.mark.slow

TOLD_MS: Final = 120_000
"""The age of the last report by which the page must have said so: 45 s, and what a crowded machine
takes."""


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
def frozen(*programs: int) -> Iterator[None]:
    """Stops the processes and those that they have started, for the length of the block.

    One of those may end before it is stopped, or be killed meanwhile.
    """
    pids = [pid for one in programs for pid in (one, *descendants(one))]
    _send(signal.SIGSTOP, pids)
    try:
        yield
    finally:
        _send(signal.SIGCONT, pids)


def _send(number: signal.Signals, pids: Iterable[int]) -> None:
    for one in pids:
        with suppress(ProcessLookupError):
            os.kill(one, number)


@contextmanager
def frozen_outside_of_its_writes(platform: Installation, pid: int) -> Iterator[None]:
    """Freezes the process like `frozen`, at a moment at which it does not lock the database."""
    with ExitStack() as stack:

        def froze_well() -> bool:
            stack.enter_context(frozen(pid))
            if _may_write(platform):
                return True
            stack.close()
            return False

        eventually(froze_well)
        yield


def _may_write(platform: Installation) -> bool:
    """Returns whether the database takes a change within two seconds, as it does unless a frozen
    process locks it."""
    database = sqlite3.connect(platform.data / "matchbox.db", timeout=2, isolation_level=None)
    with closing(database):
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        database.execute("ROLLBACK")
        return True


def wrong(platform: Installation) -> dict[str, Any]:
    """Returns the findings, by the kind of check."""
    return {one["kind"]: one for one in platform.get("/health")["findings"]}


def test_a_frozen_arena_is_told_in_time_and_forgotten_when_it_goes_on(
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


def patiently(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Returns the answer; asks again while a server that was frozen for long is started again."""

    def answer() -> httpx.Response | None:
        with suppress(httpx.TransportError):
            return ask()
        return None

    found = eventually(answer)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def shown(platform: Installation) -> Iterator[Callable[[], str]]:
    """The text of the page of findings, as the operator sees it."""
    with visitor() as charlie:
        address = f"{platform.url}/login"
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', charlie.get(address).text)
        fields = {"name": "charlie", "password": PASSWORD, "csrf_token": token[1] if token else ""}
        assert charlie.post(address, data=fields).is_success

        def look() -> str:
            found = patiently(lambda: charlie.get(f"{platform.url}/admin/health"))
            assert found.url.path == "/admin/health"
            return html.unescape(found.text)

        yield look


ALL_ARENAS: Final = "No arena reports any more, so no match is played."


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("internal", "`internal` has given no sign of life for"),
        ("beat", "Beat has given no sign of life for"),
        ("arena", ALL_ARENAS),
        ("broker", "The broker cannot be reached"),
        ("supervisor", "`matchbox up` has given no sign of life for"),
    ],
)
def test_the_page_tells_of_a_frozen_process_until_it_goes_on(
    program: str, sentence: str, platform: Installation, shown: Callable[[], str]
) -> None:
    eventually(lambda: sentence not in shown())
    if program == "supervisor":
        freezing = stopped_alone(platform.pid)
    elif program == "arena":
        programs = platform.programs().items()
        freezing = frozen(*(pid for name, pid in programs if name.startswith("arena-")))
    elif program == "broker":
        freezing = frozen(platform.programs()[program])
    else:
        freezing = frozen_outside_of_its_writes(platform, platform.programs()[program])
    with freezing:
        eventually(lambda: sentence in shown())
        if program == "supervisor":
            assert f"kill -CONT {platform.pid}" in shown()
    eventually(lambda: sentence not in shown())


@contextmanager
def stopped_alone(pid: int) -> Iterator[None]:
    """Stops the process for the length of the block, but none of its children."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def readiness_inside(platform: Installation) -> dict[str, Any]:
    """Returns the platform's readiness, as the server for arenas reports it."""
    port = platform.settings["MATCHBOX_INTERNAL_PORT"]
    address = f"http://127.0.0.1:{port}/readyz"
    told: dict[str, Any] = patiently(lambda: httpx.get(address, timeout=60)).json()
    return told


def told(platform: Installation, sentence: str) -> int:
    """Returns how many of the operator's notices contain this sentence."""
    with closing(sqlite3.connect(platform.data / "matchbox.db", timeout=60)) as database:
        found = database.execute("SELECT text FROM notice WHERE kind = 'finding'")
        return sum(sentence in text for (text,) in found)


def remembered(platform: Installation, kind: str) -> bool:
    """Returns whether the operators were told of findings of this kind that are not over yet. They
    are not told of them again."""
    with closing(sqlite3.connect(platform.data / "matchbox.db", timeout=60)) as database:
        found = database.execute("SELECT value FROM setting WHERE name = ?", (alarms.NAME,))
        known = [msgspec.json.decode(text, type=dict[str, alarms.Alarm]) for (text,) in found]
    return any(
        alarm.told and name.partition(":")[0] == kind
        for one in known
        for name, alarm in one.items()
    )


def test_a_frozen_web_is_told_on_the_machine_at_internal_and_by_the_ledger_s_notice(
    platform: Installation, shown: Callable[[], str]
) -> None:
    eventually(lambda: readiness_inside(platform)["healthy"])
    with frozen_outside_of_its_writes(platform, platform.programs()["web"]):
        status = platform.command("status")
        assert status.returncode == 1
        assert "restart `web`" in status.stderr
        eventually(lambda: "web" in readiness_inside(platform)["wrong"])
        assert readiness_inside(platform)["status"] == "ready"
        assert not readiness_inside(platform)["healthy"]
        eventually(lambda: told(platform, "`web` has given no sign of life"))
    eventually(lambda: "`web` has given no sign" not in shown())


def test_a_frozen_ledger_is_told_by_the_page_and_once_by_a_notice_of_those_that_go_on(
    platform: Installation, shown: Callable[[], str]
) -> None:
    sentence = "The ledger has given no sign of life for"
    eventually(lambda: sentence not in shown())
    eventually(lambda: not remembered(platform, "ledger"))
    before = told(platform, sentence)
    with frozen_outside_of_its_writes(platform, platform.programs()["ledger"]):
        eventually(lambda: sentence in shown())
        eventually(lambda: told(platform, sentence) > before)
    eventually(lambda: sentence not in shown())
    assert told(platform, sentence) == before + 1
