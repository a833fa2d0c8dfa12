"""`simulate war` without bots: the figures, the files, and refused options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli import output
from matchbox.games.war import statistics
from tests.unit.cli.conftest import Run

WORDS = ("simulate", "war", "--games", "1500", "--seed", "7")
MACHINE = {"workers", "seconds", "games_per_second"}


def figures(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the document without the fields that depend on the machine."""
    return {key: value for key, value in document.items() if key not in MACHINE}


def test_it_has_the_figures_of_the_document(matchbox: Run) -> None:
    document = matchbox(*WORDS, "--json").json
    assert (document["game"], document["games"], document["seed"]) == ("war", 1500, "7")
    assert document["options"] == {"play": "dealt"}
    for side in ("winning", "losing"):
        assert document[side]["min"] <= document[side]["mean"] <= document[side]["max"]
    assert document["winning"]["mean"] + document["losing"]["mean"] == pytest.approx(364)
    assert document["decided"] + document["draws"] == 1500
    assert document["won_by_lower_initial"] == pytest.approx(0.192, abs=0.05)
    assert document["correlation_winners"] == document["correlation_losers"]
    assert document["ran_out_in_tie"] > 0


def test_more_processes_change_no_figure_and_another_seed_all(matchbox: Run) -> None:
    one = figures(matchbox(*WORDS, "--json").json)
    assert figures(matchbox(*WORDS, "--workers", "2", "--json").json) == one
    other = figures(matchbox(*WORDS[:-1], "8", "--json").json)
    assert other["winning"] != one["winning"]


def test_the_tables_and_sentences_are_shown(matchbox: Run) -> None:
    told = matchbox("simulate", "war", "--games", "20", "--seed", "1")
    lines = told.out.splitlines()
    assert lines[0].split("\t")[:3] == ["game", "initial_1", "initial_2"]
    assert lines[20].startswith("20\t")
    assert any(line.startswith("final total of winners\t") for line in lines)
    assert any(line.startswith("correlation of losers\t") for line in lines)
    document = matchbox("simulate", "war", "--games", "20", "--seed", "1", "--json").json
    cases = document["lower_initial_wins"]
    assert len(cases) == document["won_by_lower_initial_games"] > 0
    assert all("\t".join(map(str, case.values())) in lines for case in cases)
    assert "losers have the same correlation" in told.out
    assert "no bots, seed 1" in told.err


def test_many_games_are_not_shown_one_by_one(matchbox: Run) -> None:
    assert not matchbox("simulate", "war", "--games", "51").out.startswith("game\t")


def test_it_writes_the_games_and_a_page_that_loads_nothing(matchbox: Run, tmp_path: Path) -> None:
    tsv, html = tmp_path / "games.tsv", tmp_path / "page.html"
    told = matchbox("simulate", "war", "--games", "30", "--tsv", tsv, "--html", html, "--json")
    lines = [line.split("\t") for line in tsv.read_text().splitlines()]
    assert len(lines) == 31
    assert lines[0][-1] == "ran_out_in_tie"
    finals = [max(int(line[3]), int(line[4])) for line in lines[1:] if line[5] != "0"]
    assert max(finals) == told.json["winning"]["max"]
    page = html.read_text()
    assert "30 games of dealt Addition War" in page
    assert 'src="http' not in page
    assert "<link" not in page


@pytest.mark.parametrize(
    "words, why",
    [
        (("simulate", "war", "--option", "play=choose"), "name two bots"),
        (("simulate", "war", "--option", "cards=3"), "no option"),
        (("simulate", "war", "--players", "2"), "--players is for bots"),
        (("simulate", "war", "--mirror"), "--mirror is for bots"),
        (("simulate", "war", "--mixed"), "--mixed is for bots"),
        (("simulate", "war", "--box", "bwrap"), "--box is for bots"),
    ],
)
def test_options_that_need_bots_say_so(matchbox: Run, words: tuple[str, ...], why: str) -> None:
    told = matchbox(*words)
    assert told.code == 2
    assert why in told.err


@pytest.mark.parametrize("play", ["choose", "dealt"])
def test_bots_play_either_game_and_its_plays_are_counted(matchbox: Run, play: str) -> None:
    words = ("simulate", "war", "highest", "random", "--games", "20", "--box", "none", "--json")
    document = matchbox(*words, "--option", f"play={play}").json
    assert not document["faults"]
    assert {pair["mean_turns"] for pair in document["pairs"]} == {13.0}


def test_one_game_is_one_game(matchbox: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    monkeypatch.setattr(output, "table", lambda columns, rows, title="": titles.append(title))
    matchbox("simulate", "war", "--games", 1)
    assert "1 game of dealt war" in titles


def test_one_drawn_game_is_one_game(matchbox: Run) -> None:
    document = matchbox("simulate", "war", "--games", 20, "--json").json
    assert "1 game was drawn, in 0 both" in " ".join(
        statistics.sentences({**document, "draws": 1, "equal_initials": 0})
    )
