"""The benchmark runs, prints ratios, and writes only the file it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    """The benchmark, run as `make bench` runs it."""
    command = [sys.executable, "-m", "bench", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=CHECKOUT)


def test_it_prints_isolated_play_beside_the_plain_loop(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    words = ("--games", "20", "--repeats", "1", "--box", "bwrap", "none", "--json", str(file))
    done = bench(*words)
    assert done.returncode == 0, done.stderr
    assert "ratio" in done.stdout
    assert "One match of 20 games, fresh forks" in done.stdout
    found = json.loads(file.read_text())
    assert {one["pair"] for one in found["speeds"]} == {
        "simple v scared",
        "simple v medium",
        "scared v medium",
    }
    boxes = {one["box"] for one in found["speeds"]}
    assert "none" in boxes
    assert boxes == {one["box"] for one in found["costs"]}
    for one in found["costs"]:
        assert abs(one["match_ms"] - one["plain_ms"] - one["added_ms"]) < 1e-6


def test_a_box_that_is_none_is_named_and_left_out() -> None:
    done = bench("--games", "2", "--repeats", "1", "--box", "paper", "none")
    assert done.returncode == 0
    assert "there is no box 'paper'" in done.stderr
    assert "paper" not in done.stdout


def test_nonsense_is_refused() -> None:
    done = bench("--games", "1")
    assert done.returncode == 2
    assert "--games must be 2 or more" in done.stderr
