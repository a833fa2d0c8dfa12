"""A long command shows its progress, which costs next to nothing."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from cli.live import MIN_S, Live

BOTS = ("simple", "scared", "medium")
COMMAND = [
    str(Path(sys.executable).with_name("matchbox")),
    *("simulate", "bomb", *BOTS, "--games", "3000", "--seed", "7", "--box", "none", "--json"),
]


def at_a_terminal(command: list[str]) -> str:
    """Runs the command with a terminal as stderr but not as stdout; returns what it writes to
    stderr."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        told = b"".join(_read(ours))
        assert process.stdout is not None
        json.loads(process.stdout.read())
    os.close(ours)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", told.decode())


def _read(handle: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(handle, 65536)
        except OSError:  # Nobody holds the other end any more.
            return
        yield data


def test_simulate_shows_at_a_terminal_what_it_has_found_so_far() -> None:
    told = at_a_terminal(COMMAND)
    shown = re.findall(r"medium +(\d+\.\d) ±(\d+\.\d)", told)
    assert "playing bomb" in told
    assert float(shown[0][1]) > float(shown[-1][1]) > 0


SLOW = "from matchbox.games.bomb import *\n\nclass Slow(SimplePlayer):\n    def turn(self, *_):\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_bar_moves_while_a_job_is_played(tmp_path: Path, workers: str) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(f"{SLOW}        sum(range(100_000))\n")
    words = ("simulate", "bomb", str(slow), "simple", "--games", "60", "--box", "none", "--json")
    told = at_a_terminal([*COMMAND[:1], *words, "--width", "1", "--workers", workers])
    shown = {int(percent) for percent in re.findall(r"(\d+)%", told)}
    assert shown - {0, 83, 17, 100, 95}, "the jobs are of 50 deals and 10, the interval of 95%"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_whoever_stops_it_keeps_the_figures_and_reads_no_traceback(workers: str) -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "--games", "60000", "--workers", workers]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    ) as process:
        os.close(theirs)
        told = b""
        for data in _read(ours):
            if b"medium" in data and b"medium" not in told:
                os.killpg(process.pid, signal.SIGINT)
            told += data
    os.close(ours)
    assert process.returncode == 130
    assert b"Traceback" not in told
    *_, title, _, _, best, stopped = told.decode().splitlines()
    assert title == "so far, with the 95% interval"
    assert re.fullmatch(r"medium +\d+\.\d (±\d+\.\d|\(\d+\.\d to \d+\.\d\)) +", best)
    assert stopped.endswith("matchbox: stopped")


def test_whoever_ends_it_reads_no_warning() -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "--games", "60000", "--workers", "2"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        told = b""
        for data in _read(ours):
            if b"medium" in data and b"medium" not in told:
                process.terminate()
            told += data
    os.close(ours)
    assert process.returncode == 143
    assert b"Warning" not in told
    assert b"Traceback" not in told


def test_it_shows_nothing_without_a_terminal() -> None:
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["games"] == 3000


def test_figures_that_take_long_are_asked_for_seldom() -> None:
    now, asked = 0.0, []

    def rows() -> Iterator[tuple[str, str]]:
        nonlocal now
        asked.append(now)
        now += 0.5
        yield "[bold]", "50.0 ±1.0"

    console = Console(file=io.StringIO(), force_terminal=True)
    live = Live(console, lambda: now)
    for _ in range(240):
        live.show_figures(rows)
        now += MIN_S
    assert [later - sooner for sooner, later in pairwise(asked)] == [10.5] * (len(asked) - 1)
    assert len(asked) > 3
    console.print(*live.get_renderables())
    assert "[bold]  50.0 ±1.0" in console.file.getvalue()  # type: ignore[attr-defined]


def test_where_nobody_looks_no_figure_is_asked_for() -> None:
    live = Live(Console(file=io.StringIO()))
    live.show_figures(lambda: pytest.fail("it was asked for"))
    assert list(live.get_renderables())[1:] == []
