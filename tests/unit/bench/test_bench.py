"""The benchmark runs, prints ratios, and writes only the file it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from bench import page as written
from bench import sample_game
from bench.contests import CONTESTS
from bench.goals import BOOKED_GAMES, least, most
from bench.measure import speeds
from cli import named_bots
from matchbox import build, registry
from worker.arena import cpu_affinity

CHECKOUT = Path(__file__).resolve().parents[3]

FROZEN = {
    "__init__.py": "2a8dca3de0cf0b3b",
    "bomb.py": "61c6509aff28bb39",
    "creatures.py": "7bd7f7d905b5e8d3",
    "skull.py": "cfc96e4acfec51ad",
    "thegame.py": "f0fdae071c81a537",
    "tictactoe.py": "9b2eea0d67400558",
    "war.py": "0e7ea9af8f583b86",
}

BUILT_IN = {name for name in registry.games() if named_bots.shipped_names(name)}


def test_the_sections_that_are_written_by_hand_stay_on_the_page() -> None:
    by_hand = f"\n{written.BY_HAND}\n\nEvery must is held.\n"
    assert written.kept(f"# Performance\n\nolder figures\n{by_hand}") == by_hand
    assert written.kept("# Performance\n") == ""
    stays = written.kept((CHECKOUT / "docs/performance.md").read_text())
    headings = {"## The site", f"## {written.NOT_HELD}", "## Load", "## Growth"}
    assert headings <= set(stays.splitlines())


def test_the_goals_that_are_not_held_are_named_above_the_table() -> None:
    held, missed = least("fast", (1.0, 2.0), 1.5), least("faster", (2.0, 3.0), 1.5)
    assert written.outcome([held, held]) == "All 2 goals are held."
    assert written.outcome([held, missed]) == (
        "1 of 2 goals are held. [These are not](#goals-that-are-not-held): faster."
    )


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    """The benchmark, run as `make bench` runs it."""
    command = [sys.executable, "-m", "bench", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=CHECKOUT)


def test_it_prints_isolated_play_beside_the_plain_loop(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    page = tmp_path / "performance.md"
    words = ("--games", "20", "--repeats", "1", "--box", "bwrap", "none", "--json", str(file),
             "--page", str(page))  # fmt: skip
    done = bench(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout in page.read_text()
    found = json.loads(file.read_text())
    assert {one["game"] for one in found["speeds"]} == {*BUILT_IN, sample_game.GAME}
    boxes = {one["box"] for one in found["speeds"]}
    assert "none" in boxes
    assert boxes == {one["box"] for one in found["costs"]}
    for one in found["costs"]:
        assert abs(one["match_ms"] - one["plain_ms"] - one["added_ms"]) < 1e-6
    for one in found["speeds"]:
        assert one["plain_us"] > 0
        assert one["referee_us"] > 0
        assert (one["seats_us"] > 0) == (one["box"] != "none")
        assert f"| {one['table']} | {one['box']} |" in page.read_text()
    assert [one["box"] for one in found["memory"]] == ["bwrap"]
    assert all(0 < one["seat_mib"] <= one["busy_mib"] for one in found["memory"])
    assert all(one["worker_mib"] > 0 for one in found["memory"])
    assert {one["box"] for one in found["long"]} == boxes
    assert {one["games"] for one in found["long"]} == {100}
    assert all(min(one["played_s"], one["booked_s"]) > 0 for one in found["long"])
    (booked,) = found["booked"]
    assert booked["matches"] > 1
    assert 0 < booked["match_ms"] < booked["games"]  # A game of the loop takes less than a ms.
    assert f"| {booked['matches']} | {booked['match_ms']:.2f} |" in page.read_text()
    check_goals(found, page.read_text(), done.stdout)
    assert (build.in_use() == "compiled") == ("| game | plain | compiled |" in page.read_text())
    assert "## Both seats of a match" in done.stdout
    assert [one["box"] for one in found["seats"]] == ["bwrap"]
    assert all(0 < one["quickest_ms"] <= one["both_ms"] for one in found["seats"])
    assert [one["box"] for one in found["lone"]] == ["bwrap"]
    assert all(0 < one["seated_ms"] < one["opened_ms"] for one in found["lone"])
    assert "## One game of bomb\n" in done.stdout
    trios = [one for one in (1, 2) if one <= len(cpu_affinity.usable_cores())]
    sizes: dict[str, list[int]] = {}
    for one in found["growth"]:
        sizes.setdefault(one["by"], []).append(one["size"])
        assert one["ratio"] * one["isolated_us"] == pytest.approx(one["plain_us"])
        assert f"| {one['size']:,} | {one['games']:,} |" in page.read_text()
    assert sizes == {
        "games": [100, 1000],
        "bots": [2, 4, 8, 16],
        "cores": trios,
        "cores, thinking": trios,
    }


def check_goals(found: dict[str, Any], page: str, shown: str) -> None:
    """Every goal of the design has a line with its measurement and whether it is held."""
    names = [one["name"] for one in found["goals"]]
    assert len(names) == len(set(names))
    builds = ["plain Python", *(["compiled"] if build.in_use() == "compiled" else [])]
    games = [*BUILT_IN, sample_game.GAME]
    assert {f"{game} on one core, {built}" for game in games for built in builds} <= set(names)
    assert any("two cores" in name for name in names) == (len(cpu_affinity.usable_cores()) > 1)
    assert sum("where the plain loop takes 40 us" in name for name in names) == 4
    assert {"the record of a game of bomb", "100 games of a pair, to the database"} <= set(names)
    (books,) = [one for one in found["goals"] if "booked with others" in one["name"]]
    assert books["held"] == (found["booked"][0]["games"] <= BOOKED_GAMES)
    for one in found["goals"]:
        told = f"| {one['measured']:.2f} | {'yes' if one['held'] else 'no'} |"
        assert f"| {one['name']} | {one['must']} | {one['stretch']} {told}" in page
        assert one["name"] in shown


def test_a_goal_is_held_at_its_figure_and_missed_beyond_it() -> None:
    assert least("a ratio", (0.45, 1), 0.45).held
    assert not least("a ratio", (0.45, 1), 0.4499).held
    assert most("a time", (2, None), 2.0, "s").held
    assert not most("a time", (2, None), 2.01, "s").held


def test_the_plain_loops_are_as_they_were_frozen() -> None:
    """No change may slow a baseline to reach a goal: each change must be entered here, too."""
    found = {
        file.name: blake2b(file.read_bytes(), digest_size=8).hexdigest()
        for file in (CHECKOUT / "bench" / "plain").glob("*.py")
    }
    assert found == FROZEN


def test_the_plain_loop_plays_as_many_games_as_the_box_from_every_seat() -> None:
    for contest in CONTESTS:
        games = contest.games(20)
        assert games % len(contest.bots) == 0
        assert 1 <= games <= 20 * max(1, contest.share)


def test_one_game_can_be_measured_alone() -> None:
    done = bench("--game", "war", "--games", "2", "--repeats", "1", "--box", "none")
    assert done.returncode == 0, done.stderr
    assert "random v highest" in done.stdout
    assert "simple v scared" not in done.stdout
    assert "grows" not in done.stdout


def test_a_box_that_is_none_is_named_and_left_out() -> None:
    done = bench("--games", "2", "--repeats", "1", "--box", "paper", "none")
    assert done.returncode == 0
    assert "there is no box 'paper'" in done.stderr
    assert "paper" not in done.stdout


def test_nonsense_is_refused() -> None:
    done = bench("--games", "1")
    assert done.returncode == 2
    assert "--games must be 2 or more" in done.stderr


def test_the_record_of_a_long_match_of_bomb_takes_eight_bytes_a_game_at_most() -> None:
    pairs = [one for one in CONTESTS if one.game == "bomb"]
    found = speeds([("none", None)], 2000, 1, pairs)
    assert len(found) == 3
    assert all(0 < one.bytes <= 8 for one in found), found


def test_the_game_of_the_page_is_there_while_it_is_measured() -> None:
    before = registry.packages()
    with sample_game.installed():
        assert registry.game(sample_game.GAME).spec.title == "Tic-tac-toe"
        assert f"{sample_game.GAME}.player" in registry.seat_modules()
    assert registry.packages() == before
    assert sample_game.GAME not in sys.modules
