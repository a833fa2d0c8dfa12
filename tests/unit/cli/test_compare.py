"""`compare`: verdicts, exit codes, and refused questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.worker.bots import COUNTING, turning

BARE = ("--box", "none", "--seed", "1")
KEYS = {"verdict", "llr", "games", "elo", "ci95", "bounds", "pairs", "alpha", "beta", "seconds"}


def test_a_better_bot_is_found_soon_and_the_exit_says_yes(matchbox: Run) -> None:
    told = matchbox("compare", "medium", "simple", "--game", "bomb", *BARE, "--json")
    found = told.json
    assert (told.code, found["verdict"]) == (0, "better")
    assert found.keys() >= KEYS
    assert found["llr"] >= found["llr_bounds"][1]
    assert found["games"] == 2 * sum(found["pairs"]) < 1000
    assert found["games"] % 50 == 0
    assert 100 < found["ci95"][0] < found["elo"] < found["ci95"][1] < 600
    assert found["forfeits"] == {"medium": 0, "simple": 0}


def test_processes_change_nothing_and_the_other_way_round_is_a_no(matchbox: Run) -> None:
    words = ("compare", "simple", "medium", "--game", "bomb", *BARE, "--json")
    one, two = matchbox(*words), matchbox(*words, "--workers", 2)
    assert one.code == two.code == 1
    assert one.json["verdict"] == "not-better"
    times = {"workers", "seconds", "games_per_second"}
    assert {k: v for k, v in one.json.items() if k not in times} == {
        k: v for k, v in two.json.items() if k not in times
    }


def test_who_keeps_state_between_games_is_played_alone_and_named(
    matchbox: Run, tmp_path: Path
) -> None:
    counting = tmp_path / "counting.py"
    counting.write_bytes(COUNTING)
    words = ("compare", counting, "simple", "--game", "bomb", "--games", 50, *BARE)
    alone = matchbox(*words, "--json").json
    narrow = matchbox(*words, "--width", 0, "--json").json
    wide = matchbox(*words, "--width", 250, "--json").json
    assert alone["stateful"] == alone["alone"] == wide["stateful"] == ["counting"]
    assert alone["pairs"] == narrow["pairs"] != wide["pairs"]
    assert wide["alone"] == []
    assert "so each of its games was played again by a fresh process" in matchbox(*words).err


def test_games_that_do_not_say_are_no_yes(matchbox: Run) -> None:
    words = ("--games", 8, "--bounds=-5,5", *BARE)
    told = matchbox("compare", "medium", "counter", "--game", "bomb", *words)
    assert told.code == 1
    assert "verdict\tundecided" in told.out
    assert "bouts\t8 of 8" in told.out


@pytest.mark.parametrize("field", [["--field", "simple,scared"], ["--field", "simple", "scared"]])
def test_a_field_is_met_by_both_on_the_same_deals(matchbox: Run, field: list[str]) -> None:
    words = ("compare", "medium", "counter", "--game", "bomb", "--games", 160, *BARE, "--json")
    found = matchbox(*words, *field).json
    assert (found["field"], found["games"], found["deals"]) == (["simple", "scared"], 160, 20)
    assert (found["llr"], found["elo"], found["by_opponent"].keys()) == (
        None,
        None,
        {"simple", "scared"},
    )


def test_teams_are_compared_by_their_cards(matchbox: Run) -> None:
    words = ("compare", "counting", "random", "--game", "thegame", "--games", 40, *BARE)
    told = matchbox(*words)
    assert told.code == 0
    assert "difference a bout\t+" in told.out
    assert "deals\t20" in told.out


def test_a_bot_that_breaks_forfeits_and_that_is_told(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_bytes(turning("return 1 / 0"))
    told = matchbox("compare", file, "simple", "--game", "bomb", "--games", 100, *BARE)
    assert told.code == 1
    assert "verdict\tnot-better" in told.out
    assert "forfeits\tbroken 100" in told.out
    assert "none: all deals came out the same" in told.out
    assert "ZeroDivisionError" in told.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["simple", "simple", "--game", "bomb"], "both are the same bot"),
        (["simple", "medium", "scared", "--game", "bomb"], "name it with --field"),
        (["simple", "medium", "--game", "bomb", "--bounds", "20,0"], "LOW below HIGH"),
        (["simple", "medium", "--game", "bomb", "--bounds", "much"], "write, for example, 0,20"),
        (["simple", "medium", "--game", "bomb", "--bounds=-1001,1001"], "from -1000 to 1000"),
        (["simple", "medium", "--game", "bomb", "--bounds", "0,1_0"], "write, for example, 0,20"),
        (["simple", "medium", "--game", "bomb", "--bounds", "1e0,2e1"], "write, for example, 0,20"),
        (["simple", "medium", "--game", "bomb", "--bounds", "0,5,9"], "write, for example, 0,20"),
        (["simple", "medium", "--game", "bomb", "--bounds", "5,5.001"], "0.01 Elo apart"),
        (["simple", "medium", "--game", "bomb", "--bounds", "nan,5"], "LOW below HIGH"),
        (["simple", "medium", "--game", "bomb", "--field", "scared", "--bounds", "0,9"], "--bound"),
        (["bluffer", "random", "--game", "skull", "--players", "4"], "see --field"),
        (["simple", "medium", "--game", "bomb", "--field", ","], "--field names no bot"),
        (["simple", "medium", "--game", "bomb", "--field", ""], "--field names no bot"),
        (["simple", "medium", "--game", "bomb", "--players", "3"], "bomb is played by 2"),
    ],
)
def test_what_is_no_question_is_wrong_usage(matchbox: Run, words: list[str], told: str) -> None:
    ran = matchbox("compare", *words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
