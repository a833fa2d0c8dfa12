"""`--export`: a match as a file of the game's own document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matchbox.games.creatures import terminal
from tests.unit.cli.conftest import Run

PLAY = ("play", "creatures", "stilllearning", "autopilot", "--seed", "2", "--box", "none")


def test_a_game_is_written_as_results_json_and_as_parsed_json(
    matchbox: Run, tmp_path: Path
) -> None:
    results, parsed = tmp_path / "results.json", tmp_path / "parsed.json"
    for file in (results, parsed):
        assert matchbox(*PLAY, "--export", file).code == 0
    (game,) = terminal.read_results(results)
    assert {game["winner"], game["loser"]} == {"stilllearning", "autopilot"}
    assert game["turns"][0]["number"] == 1
    assert json.loads(parsed.read_text()) == terminal.parse(results, tmp_path / "counted.json")


@pytest.mark.parametrize(
    ("game", "name", "told"),
    [
        ("creatures", "log.json", "--export of creatures writes results.json or parsed.json, not"),
        ("bomb", "results.json", "bomb has no file format of its own"),
        ("creatures", "nowhere/results.json", "cannot be written: there is no folder"),
    ],
)
def test_a_file_that_a_game_does_not_offer_is_wrong_usage(
    matchbox: Run, tmp_path: Path, game: str, name: str, told: str
) -> None:
    bots = ("autopilot", "autopilot") if game == "creatures" else ("simple", "simple")
    ran = matchbox("play", game, *bots, "--box", "none", "--export", tmp_path / name)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_no_file_is_ever_overwritten(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text("mine")
    ran = matchbox(*PLAY, "--export", file)
    assert (ran.code, file.read_text()) == (2, "mine")
    assert "exists already" in ran.err
