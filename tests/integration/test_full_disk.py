"""A platform on a really full disk: it shows pages, takes nothing, and goes on once there is
room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest

from tests.builders import shipped
from tests.installation import Installation, eventually, installed
from tests.services import missing, needs

pytestmark = pytest.mark.slow

DISK_MB: Final = 96
MIN_MB: Final = 24
"""The room that the platform wants to keep free."""
LITTLE: Final = 12 << 20
"""Less than MIN_MB, in bytes, and enough to write a season."""
ON_A_DISK: Final = """
set -e
mkdir -p "$3"
mount -t tmpfs -o "size=$1,mode=0700" matchbox "$2"
cp -a "$3/." "$2"
mount --bind "$2" "$3"
shift 3
exec "$@"
"""
"""Puts the folder $3 on a disk of this size, mounted at $2; then becomes the command that follows.
"""


@pytest.fixture(scope="module")
def own_mounts() -> list[str]:
    """Returns the command prefix that gives a program mounts of its own, which end with its last
    process."""
    command = [needs("unshare"), "--mount"]
    if os.geteuid() != 0:
        command.append("--map-root-user")
    probe = [*command, "mount", "-t", "tmpfs", "matchbox", "/mnt"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        missing(f"this needs the right to mount a disk of its own: {done.stderr.strip()}")
    return command


@pytest.fixture(scope="module")
def platform(
    own_mounts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """A platform with an operator whose data folder is on a small disk."""
    place = tmp_path_factory.mktemp("full")
    data, disk = place / "data", place / "disk"
    disk.mkdir()
    words = ["sh", "-c", ON_A_DISK, "sh", f"{DISK_MB}m", str(disk), str(data)]
    settings = {"MATCHBOX_LEAST_FREE_MB": str(MIN_MB)}
    with installed(data, settings, within=[*own_mounts, *words]) as platform:
        platform.operator()
        eventually(platform.rests)
        yield platform


def disk_of(platform: Installation) -> Path:
    """Returns the data folder as the platform's processes see it."""
    return Path(f"/proc/{platform.pid}/root{platform.data}")


@contextmanager
def filled(folder: Path, name: str, *, but: int) -> Iterator[None]:
    """Fills the folder's disk except for `but` bytes, for the length of the block."""
    ballast = folder / name
    try:
        with ballast.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                with suppress(OSError):
                    while free_bytes(folder) - but >= size:
                        file.write(bytes(size))
        yield
    finally:
        ballast.unlink()


def free_bytes(folder: Path) -> int:
    """Returns the free bytes of the folder's disk."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def finding(platform: Installation) -> dict[str, Any]:
    """Returns the platform's finding about the full disk, not its warning of a small one."""
    found = platform.get("/health")["findings"]
    return next((one for one in found if (one["kind"], one["level"]) == ("disk", "bad")), {})


def ticks(platform: Installation, count: int) -> None:
    """Waits until the ledger has given `count` more signs of life."""
    seen: set[int] = set()

    def look() -> bool:
        health = platform.get("/health")
        at = datetime.fromisoformat(health["checked_at"]).timestamp() * 1000
        seen.add(round(at - health["figures"]["ledger_ms"]))
        return len(seen) > count

    eventually(look)


def test_a_full_disk_leaves_the_pages_and_takes_nothing_and_freed_it_goes_on(
    platform: Installation,
) -> None:
    disk, before = disk_of(platform), platform.items("/matches")
    assert before
    assert finding(platform) == {}
    token = platform.post("/tokens", name="pages")["token"]
    headers = {"Authorization": f"Bearer {token}"}
    pages = ("/", "/leaderboards/bomb", f"/matches/{before[0]['id']}", "/admin/health")
    with httpx.Client(base_url=platform.url, headers=headers, timeout=60) as reader:
        with filled(disk, "ballast", but=LITTLE):
            told = eventually(lambda: finding(platform))
            assert "No matches are sent and no uploads are taken" in told["text"]
            waiting = f"waiting-{uuid4().hex[:6]}"
            season = platform.post("/seasons", name=waiting, league="bomb", cycles=2, deals=1)
            for name in ("simple", "medium", "scared"):
                platform.post(f"/seasons/{waiting}/enter", bot=f"house/{name}")
            planned = platform.post(f"/seasons/{waiting}/start")["matches"]
            ticks(platform, 3)
            queue = platform.get("/queue")
            assert (queue["queued"], queue["running"]) == (planned, 0)
            with filled(disk, "more", but=0):
                assert free_bytes(disk) < 1 << 16
                for path in pages:
                    page = reader.get(path)
                    assert page.status_code == 200, f"{path}: {page.text}"
                assert "The disk of the data folder has only 0 MB left." in page.text
                refused = platform.upload("late", shipped("bomb", "simple"))
                assert refused.status_code == 507, refused.text
                assert "the disk of this platform is almost full" in refused.json()["detail"]
                assert platform.get("/queue")["queued"] == planned
        eventually(lambda: not finding(platform))
        eventually(platform.rests, why=platform.logs())
        assert len(platform.items("/matches", season=season["id"], state="finished")) == planned
        told = platform.upload("late", shipped("bomb", "simple") + f"# {waiting}\n".encode()).json()
        assert platform.verdict(told["id"])["state"] == "active"
        assert reader.get("/").status_code == 200
