"""The promises of the box `docker` beside the suite of every box, on a real engine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from matchbox import build
from matchbox.errors import BoxUnavailable
from sandbox import docker_box, docker_image, orphans
from sandbox.box import Box, open_box
from sandbox.policy import MIB, Engine, Limits
from sandbox.program import Program
from tests import engine
from tests.contract.test_every_box import ENTRY, HERE, parent_of
from tests.installation import eventually, gone

HOST = (
    "import sys; from pathlib import Path; from sandbox.box import open_box\n"
    f"box = open_box('docker', preload=(), entry={ENTRY!r}, paths=[Path({str(HERE)!r})])\n"
    "seat = box.seat(); seat.ask(b''); print(seat.pid, flush=True); sys.stdin.read()\n"
)


@pytest.fixture(scope="module")
def client(docker_engine: str) -> Any:
    return docker_box.connect()


@pytest.fixture
def box(seat_images: None) -> Iterator[Box]:
    with opened() as box:
        yield box


def opened(**more: Any) -> Box:
    return open_box("docker", preload=(), entry=ENTRY, paths=[HERE], **more)


def containers(client: Any, owner: str = "") -> list[Any]:
    """The containers of this process, or of that owner."""
    label = f"{orphans.OWNER}={owner or orphans.owner()}"
    return list(client.containers.list(all=True, filters={"label": label}, ignore_removed=True))


@contextlib.contextmanager
def another_worker() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A process with a box of its own, and the pid of its seat."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOST], stdin=pipe, stdout=pipe) as worker:
        assert worker.stdout is not None
        try:
            yield worker, int(worker.stdout.readline())
        finally:
            worker.kill()


def owner_of(pid: int) -> str:
    return f"{orphans.owner().partition('.')[0]}.{pid}.{orphans._start_time(pid)}"


def test_a_container_has_every_flag_of_the_wall(box: Box, client: Any) -> None:
    with contextlib.closing(box.seat()):
        told = containers(client)[0].attrs
    host = told["HostConfig"]
    assert (told["Config"]["User"], host["NetworkMode"]) == ("65534:65534", "none")
    assert (host["ReadonlyRootfs"], host["Privileged"]) == (True, False)
    assert (host["CapDrop"], host["CapAdd"]) == (["ALL"], None)
    assert (host["IpcMode"], host["LogConfig"]["Type"]) == ("private", "none")
    assert (host["PidsLimit"], host["NanoCpus"]) == (32, 10**9)
    assert 0 < host["Memory"] == host["MemorySwap"]
    assert host["SecurityOpt"][0] == "no-new-privileges"
    assert host["SecurityOpt"][1].startswith("seccomp={")
    mount = told["Mounts"]
    assert [(one["Type"], one["Destination"], one["RW"]) for one in mount] == [
        ("bind", "/run/matchbox", False)
    ]


def test_a_spare_is_ready_before_it_is_needed(box: Box, client: Any) -> None:
    with contextlib.closing(box.seat()), contextlib.closing(box.seat()):
        assert eventually(lambda: len(containers(client)) == 3)


def test_a_seat_with_more_memory_gets_a_container_with_more(box: Box, client: Any) -> None:
    limits = Limits(memory_mb=700, cpu_ms=5000)
    with contextlib.closing(box.seat(limits)) as seat:
        assert seat.ask(b"kept = bytearray(600 << 20); reply = b'room'") == b"room"
        assert max(one.attrs["HostConfig"]["Memory"] for one in containers(client)) > 700 * MIB


def test_a_closed_box_leaves_no_container_and_no_socket(client: Any, seat_images: None) -> None:
    with opened() as box, contextlib.closing(box.seat()) as seat:
        seat.ask(b"")
        folders = docker_box._directory(Engine())
        assert [one for one in folders.iterdir() if one.name.startswith(orphans.owner())]
    assert eventually(lambda: not containers(client))
    assert not [one for one in folders.iterdir() if one.name.startswith(orphans.owner())]


def test_what_a_killed_worker_left_is_cleared_away_and_a_live_ones_is_kept(
    client: Any, seat_images: None
) -> None:
    with another_worker() as (dead, seat), another_worker() as (live, kept):
        left, is_alive = owner_of(dead.pid), owner_of(live.pid)
        # A stopped zygote does not notice the end of its host.
        zygotes = [one.attrs["State"]["Pid"] for one in containers(client, left)]
        for zygote in zygotes:
            os.kill(zygote, signal.SIGSTOP)
        dead.kill()
        dead.wait()
        assert containers(client, left)
        with opened():
            assert not [one for one in containers(client, left) if one.status == "running"]
        assert eventually(lambda: gone(seat) and not containers(client, left))
        assert containers(client, is_alive)
        assert not gone(parent_of(kept))


def test_an_owner_in_another_namespace_is_not_ours_to_judge() -> None:
    assert orphans.is_alive("1.1.1")
    assert orphans.is_alive(orphans.owner())
    assert not orphans.is_alive(orphans.owner() + "0")
    assert not orphans.is_alive(f"{orphans.owner().partition('.')[0]}.word.1")


def test_an_image_of_other_content_is_refused_by_name(client: Any, tmp_path: Path) -> None:
    (tmp_path / "newer.py").write_text("serve = print\n")
    program = Program((), "newer:serve", (tmp_path,))
    with pytest.raises(BoxUnavailable, match=docker_image.name(program.packages())) as raised:
        open_box("docker", preload=(), entry=program.entry, paths=program.paths)
    assert "matchbox build-image" in str(raised.value)


def test_a_seat_plays_in_the_build_of_its_host(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    preload = ("matchbox.dice",)
    engine.build(Program(preload, ENTRY, (HERE,)).packages())
    for used in sorted({"plain", build.in_use()}):
        monkeypatch.setattr(build, "in_use", lambda used=used: used)
        with (
            open_box("docker", preload=preload, entry=ENTRY, paths=[HERE]) as box,
            contextlib.closing(box.seat()) as seat,
        ):
            file = seat.ask(b"from matchbox import dice; reply = dice.__file__.encode()")
        assert file.startswith(b"/box/matchbox/compiled/") == (used == "compiled")


def test_a_base_that_is_not_there_is_named(client: Any) -> None:
    packages = Program((), ENTRY, (HERE,)).packages()
    with pytest.raises(BoxUnavailable, match="the image was not built"):
        docker_image.build(client, packages, "matchbox.invalid/none:1")


def test_a_runtime_that_the_engine_lacks_is_named(seat_images: None) -> None:
    with pytest.raises(BoxUnavailable, match="no-such-runtime"):
        opened(engine=Engine(runtime="no-such-runtime"))


def test_a_folder_for_sockets_that_cannot_be_is_named(seat_images: None) -> None:
    with pytest.raises(BoxUnavailable, match="MATCHBOX_SOCKETS"):
        opened(engine=Engine(sockets="/proc/sockets"))


def test_no_engine_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    with pytest.raises(BoxUnavailable, match="no Docker engine answers: start one"):
        opened()
