"""The two commands on a bare machine: what `make` refuses, and how `make up` starts and ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import services
from tests.installation import eventually, gone

STAND_IN = """#!/bin/sh
echo "$$ $*"
exec sleep 600
"""


@pytest.fixture
def folder(checkout: Path, tmp_path: Path) -> Path:
    """A folder with only the files that `make` reads."""
    shutil.copy(checkout / "Makefile", tmp_path)
    (tmp_path / "matchbox").mkdir()
    read = ("pyproject.toml", "requirements.lock", "requirements-dev.lock", "setup.py")
    for name in (*read, "matchbox/build.py"):
        (tmp_path / name).touch()
    return tmp_path


def program(path: Path, text: str) -> Path:
    """An executable file with that text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs `make` in the folder."""
    command = [services.needs("make"), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def started(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """`make up` with a stand-in for the platform: make, the stand-in's pid, its arguments."""
    program(folder / ".venv/bin/matchbox", STAND_IN)
    program(folder / ".venv/bin/pip", "")
    for stamp in (".libraries.stamp", ".matchbox.stamp", ".boxes.stamp"):
        (folder / ".venv" / stamp).touch()
    command = [services.needs("make"), "up", "PORT=8123", "DATA=elsewhere"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        pid, _, arguments = process.stdout.readline().strip().partition(" ")
        yield process, int(pid), arguments
        if not gone(int(pid)):
            os.kill(int(pid), signal.SIGKILL)


def test_make_alone_says_what_can_be_made(folder: Path) -> None:
    said = make(folder)
    assert said.returncode == 0
    assert "make up" in said.stdout
    assert "make test" in said.stdout


def test_it_refuses_an_old_python_in_one_sentence(folder: Path) -> None:
    old = program(folder / "old", "#!/bin/sh\nexit 1\n")
    said = make(folder, "setup", f"PYTHON={old}")
    assert said.returncode == 2
    assert said.stderr.startswith("Matchbox needs Python 3.11 or newer, and ")
    assert not (folder / ".venv").exists()


def test_it_says_so_where_there_is_no_python_at_all(folder: Path) -> None:
    said = make(folder, "setup", "PYTHON=")
    assert said.returncode == 2
    assert said.stderr.startswith("Matchbox needs Python 3.11 or newer: install it")


def test_it_names_the_package_that_makes_environments(folder: Path) -> None:
    broken = program(
        folder / "broken", '#!/bin/sh\n[ "$1" = -c ] || { mkdir -p .venv/bin; exit 1; }\n'
    )
    said = make(folder, "setup", f"PYTHON={broken}")
    assert said.returncode == 2
    assert "'apt install python3-venv' fixes it" in said.stderr
    assert not (folder / ".venv").exists()


def test_up_hands_on_the_port_and_the_folder(
    started: tuple[subprocess.Popen[str], int, str],
) -> None:
    assert started[2] == "up --port 8123 --data elsewhere"


def test_what_boxes_load_is_compiled_before_the_platform_starts(folder: Path) -> None:
    program(folder / ".venv/bin/pip", "")
    for stamp in (".libraries.stamp", ".matchbox.stamp"):
        (folder / ".venv" / stamp).touch()
    compiled, _, started = make(folder, "-n", "up").stdout.strip().splitlines()
    assert compiled.endswith("python -m compileall -q sandbox matchbox")
    assert " up " in started


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_the_platform_ends_with_make(
    name: str, started: tuple[subprocess.Popen[str], int, str]
) -> None:
    process, pid, _ = started
    process.send_signal(signal.Signals[name])
    eventually(lambda: gone(pid))


def test_ctrl_c_reaches_the_platform(started: tuple[subprocess.Popen[str], int, str]) -> None:
    process, pid, _ = started
    os.killpg(process.pid, signal.SIGINT)
    process.wait(services.DEADLINE_S)
    eventually(lambda: gone(pid))
