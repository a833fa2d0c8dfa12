"""`matchbox up` on an empty folder: its output, its log-ins, its end, and its repairs."""

from __future__ import annotations

import json
import os
import signal
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from cli.folder import settings_of
from tests.builders import shipped
from tests.installation import (
    START_S,
    Installation,
    claim,
    descendants,
    eventually,
    gone,
    installed,
    listening,
    up,
    visitor,
)
from tests.services import free_port

pytestmark = pytest.mark.slow

PROGRAMS: Final = ("broker", "web", "internal", "ledger", "beat", "arena-1 arena-2")


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A platform that runs."""
    settings = {"MATCHBOX_KEEP_NOTICE_DAYS": "0"}
    with installed(tmp_path_factory.mktemp("up") / "data", settings, anew=True) as platform:
        yield platform


def refusal(data: Path, port: int) -> str:
    """Returns the message of a `matchbox up` that does not start."""
    process = up(data, port, {})
    told, _ = process.communicate(timeout=START_S)
    assert process.returncode == 1
    return told.strip()


def rests(platform: Installation) -> dict[str, Any]:
    """Returns the demonstration league once all its matches are played and on the board."""

    def look() -> dict[str, Any]:
        resting, board = platform.rests(), platform.get("/leaderboards/bomb")
        done = len(platform.items("/matches", game="bomb", state="finished"))
        return {} if not resting or not done or board["matches"] != done else board

    return eventually(look, why=platform.logs())


def played(platform: Installation) -> dict[str, str]:
    """Returns when each finished match ended, by id."""
    found = platform.items("/matches", state="finished")
    return {match["id"]: match["finished_at"] for match in found}


def test_it_prints_its_address_and_the_operators_link(platform: Installation) -> None:
    first, second, third = platform.told.splitlines()
    assert first == f"Matchbox is running at {platform.url}"
    assert platform.url.startswith("http://127.0.0.1:")
    assert second.startswith(f"Become its first operator, once: {platform.url}/first/mbx_")
    assert str(platform.data / "logs") in third
    assert "Ctrl-C" in third
    assert settings_of(platform.data).server_url == platform.url
    with visitor() as anybody:
        assert anybody.get(f"{platform.url}/readyz").status_code == 200


def test_it_listens_on_this_machine_alone_with_a_port_of_their_own_for_arenas(
    platform: Installation,
) -> None:
    port = int(platform.url.rpartition(":")[2])
    running = platform.programs()
    everything = [platform.pid, *descendants(platform.pid)]
    public, for_arenas = (
        listening([running[name], *descendants(running[name])]) for name in ("web", "internal")
    )
    assert public == {("127.0.0.1", port)}
    assert [host for host, _ in for_arenas] == ["127.0.0.1"]
    assert not public & for_arenas
    assert listening(everything) == public | for_arenas


def test_what_arenas_ask_is_at_their_port_alone(platform: Installation) -> None:
    ((host, port),) = listening([platform.programs()["internal"]])
    with visitor() as anybody:
        assert anybody.post(f"{platform.url}/internal/claims", json={}).status_code == 404
        inside = f"http://{host}:{port}"
        assert anybody.post(f"{inside}/internal/claims", json={}).status_code == 401
        assert anybody.get(f"{inside}/login").status_code == 404


def is_open_to_others(path: Path) -> bool:
    """Returns whether other accounts have a right to this file or folder. The platform is at work,
    and may have deleted it by now."""
    with suppress(FileNotFoundError):
        return not path.is_symlink() and bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    return False


def test_its_data_is_its_owners_alone(platform: Installation) -> None:
    found = [
        Path(folder, name)
        for folder, folders, files in os.walk(platform.data)
        for name in (".", *folders, *files)
    ]
    open_to_others = [str(place) for place in found if is_open_to_others(place)]
    assert stat.S_IMODE((platform.data / "secrets.json").stat().st_mode) == 0o600
    assert open_to_others == []


def test_a_command_in_another_shell_keeps_data_for_its_days(platform: Installation) -> None:
    told = platform.command("admin", "prune", "--data", str(platform.data), "--dry-run", "--json")
    days = {name: one["kept_days"] for name, one in json.loads(told.stdout).items()}
    assert (days["notices"], days["deliveries"]) == (None, 7)


def test_an_arena_knows_no_database_and_no_key(platform: Installation) -> None:
    words = Path(f"/proc/{platform.programs()['arena-1']}/environ").read_text()
    assert "MATCHBOX_ARENA_TOKEN" in words
    assert "MATCHBOX_SECRET_KEY" not in words
    assert "MATCHBOX_DATABASE_URL" not in words


def test_each_arena_has_a_core_of_its_own(platform: Installation) -> None:
    usable = sorted(os.sched_getaffinity(0))
    wanted = [{usable[0]}, {usable[min(1, len(usable) - 1)]}]

    def runs_on() -> list[set[int]]:
        running = platform.programs()
        return sorted((os.sched_getaffinity(running[f"arena-{n}"]) for n in (1, 2)), key=min)

    eventually(lambda: runs_on() == wanted, why=platform.logs())


def test_the_link_makes_its_visitor_the_operator_and_nobody_after_him(
    tmp_path: Path,
) -> None:
    with installed(tmp_path / "data") as platform:
        with visitor() as charlie:
            assert claim(charlie, platform.link, "charlie").url.path == "/admin"
        with visitor() as mallory:
            assert "This link has been used" in mallory.get(platform.link).text
            assert claim(mallory, platform.link, "mallory").status_code in (400, 403)
            assert mallory.get(f"{platform.url}/admin").url.path == "/login"
        login = {"name": "mallory", "password": "correct horse battery"}
        assert platform.ask("POST", "/login", json=login).status_code == 401


def test_a_second_one_on_the_same_data_says_so(platform: Installation) -> None:
    assert refusal(platform.data, 0) == (
        f"matchbox: Matchbox is already running on {platform.data} (process {platform.pid}): "
        "stop it first, or choose another folder with --data"
    )


def test_without_a_box_the_pages_say_what_is_missing(tmp_path: Path) -> None:
    bare = {"MATCHBOX_BOX": "bwrap", "PATH": str(tmp_path)}
    platform = Installation(tmp_path / "data", bare)
    platform.start()
    why = "Only operators may submit bots here now: bubblewrap is not installed"
    try:
        with visitor() as bob:
            eventually(lambda: why in bob.get(f"{platform.url}/submit").text, why=platform.logs())
    finally:
        platform.end()


def test_a_port_that_is_taken_is_told(platform: Installation, tmp_path: Path) -> None:
    port = int(platform.url.rpartition(":")[2])
    assert refusal(tmp_path / "other", port) == (
        f"matchbox: port {port} is taken: choose another one, as in `make up PORT=8001`"
    )


@pytest.mark.parametrize("names", PROGRAMS)
def test_a_program_that_is_killed_is_started_again(platform: Installation, names: str) -> None:
    running = platform.programs()
    below = [pid for name in names.split() for pid in descendants(running[name])]
    killed = {platform.kill(name) for name in names.split()}
    eventually(lambda: all(map(gone, below)), why=f"{names} left something running")
    eventually(lambda: not set(platform.programs().values()) & killed)
    eventually(lambda: running.keys() == platform.programs().keys())
    token = platform.author(f"friend-{len(platform.items('/bots'))}")
    mine = shipped("bomb", "scared") + f"# after {names} was killed\n".encode()
    told = platform.upload("careful", mine, token=token).json()
    assert platform.verdict(told["id"])["state"] == "active"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_everything_it_started_and_goes_on_where_it_was(
    tmp_path: Path, number: signal.Signals
) -> None:
    port = free_port()
    with installed(tmp_path / "data", port=port) as platform:
        board, matches = rests(platform), played(platform)
        everything = descendants(platform.pid)
        assert platform.end(number) == 0
        assert [pid for pid in everything if not gone(pid)] == []
        assert nobody_answers(platform.url)
        platform.start()
        assert platform.url == f"http://127.0.0.1:{port}"
        platform.ready()
        again = rests(platform)
        assert again["rows_digest"] == board["rows_digest"]
        assert again["lines"] == board["lines"]
        assert played(platform) == matches


def test_nothing_is_left_running_when_it_is_killed_and_the_next_one_goes_on(
    tmp_path: Path,
) -> None:
    with installed(tmp_path / "data", {"MATCHBOX_LEAGUE_MATCHES": "8"}) as platform:
        before = played(platform)
        matches = eventually(lambda: played(platform) if played(platform) != before else {})
        everything = descendants(platform.pid)
        os.kill(platform.pid, signal.SIGKILL)
        eventually(lambda: all(map(gone, everything)), why="something is left running")
        platform.end()
        platform.start()
        assert platform.link
        platform.ready()
        rests(platform)
        assert matches.items() <= played(platform).items()


def nobody_answers(url: str) -> bool:
    """Returns whether no server listens at the URL."""
    try:
        httpx.get(url, timeout=START_S)
    except httpx.ConnectError:
        return True
    return False
