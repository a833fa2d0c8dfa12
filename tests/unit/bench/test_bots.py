"""The page of all bots: every game, every bot, an interval at every share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bench import bots as field
from cli import named_bots
from matchbox import registry

SHARE = re.compile(r"\d+\.\d+ (?:±\d+\.\d+|\(\d+\.\d to \d+\.\d\))")


@pytest.mark.parametrize("game", ["bomb", "skull", "thegame"])
def test_every_bot_has_its_line_and_every_share_its_interval(game: str, tmp_path: Path) -> None:
    made = tmp_path / "bots.md"
    assert field.main([game, "--scale", "0.005", "--workers", "1", "--out", str(made)]) == 0
    page = made.read_text()
    assert f"## {registry.game(game).spec.title}" in page
    names = named_bots.shipped_names(game)
    for name in names:
        assert f"| `{name}` | {name[0].upper()}" in page
    assert len(SHARE.findall(page)) >= len(names) * (len(names) - 1)


def test_a_games_tables_follow_from_its_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [field.section_of(game) for game in ("bomb", "skull", "thegame")]
    assert kinds == [field.duels, field.shared_tables, field.teams]
    known = {"another": None, **dict.fromkeys(registry.games()), "a-game": None}
    monkeypatch.setattr(registry, "games", lambda: known)
    monkeypatch.setattr(named_bots, "shipped_names", lambda game: ["one"])
    assert field.games_with_bots() == [*field.FIRST, "a-game", "another"]


class Results:
    """Stands for a laboratory that finds the same result whatever is played."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.results, self.found = self, {**found, "faults": []}

    def games(self, usual: int) -> int:
        """How many games are played of this usual number."""
        return usual

    def simulate(self, *_words: Any, **_options: Any) -> Results:
        """The experiment."""
        return self

    def result(self) -> Any:
        """What was found."""
        return self.found


def tables_of(names: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The section of a game for up to six with these bots."""
    places = [{"bot": name, "first_share": 0.5, "ci95": [0.4, 0.6]} for name in names]
    monkeypatch.setattr(named_bots, "shipped_names", lambda game: names)
    found = Results({"tables": [{"players": 6, "places": places}]})
    return "\n".join(field.shared_tables(found, "skull"))  # type: ignore[arg-type]


def test_one_bot_has_no_pairs_and_many_do_not_fit_at_one_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "games of two" not in tables_of(["one"], monkeypatch)
    few = tables_of(["one", "two"], monkeypatch)
    assert "games of two" in few
    assert "All at one table, 1,000 games" in few
    assert "At tables of 6, 1,000 games" in tables_of([*"abcdefghi"], monkeypatch)


@pytest.mark.parametrize("fact", [{}, {"won": 0.5}])
def test_a_team_has_a_share_of_wins_if_the_game_tells_it(
    monkeypatch: pytest.MonkeyPatch, fact: dict[str, float]
) -> None:
    games = {"games": 100, "deals": 100}
    cell = {"bot": "one", "players": 3, **games, "mean": 5.0, "ci95": [4.0, 6.0], **fact}
    monkeypatch.setattr(named_bots, "shipped_names", lambda game: ["one"])
    monkeypatch.setattr(field, "VARIANTS", {})
    text, table = field.teams(Results({"cells": [cell]}), "thegame")  # type: ignore[arg-type]
    assert ("games won" in text, "players: won" in table) == (bool(fact), bool(fact))


def test_the_same_seed_makes_the_same_page(tmp_path: Path) -> None:
    pages = []
    for name in ("one.md", "two.md"):
        out = ["--workers", "1", "--out", str(tmp_path / name)]
        field.main(["bomb", "--scale", "0.005", "--seed", "a", *out])
        pages.append((tmp_path / name).read_text())
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    "words",
    [
        ["--scale", "0"],
        ["--scale", "-1"],
        ["--scale", "inf"],
        ["--scale", "nan"],
        ["--workers", "0"],
    ],
)
def test_nonsense_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        field.main(words)
    assert "--scale must be a number above 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "written"),
    [([], True), (["--seed", "x"], False), (["--scale", "2"], False), (["bomb"], False)],
)
def test_only_the_usual_games_and_seed_write_the_page_of_the_docs(
    words: list[str], written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(field, "PAGE", tmp_path / "bots.md")
    monkeypatch.setattr(field, "page", lambda *_: "made")
    assert field.main(words) == 0
    assert (tmp_path / "bots.md").exists() is written


def test_a_game_without_bots_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        field.main(["chess"])
    assert "no game here is called chess; there are: bomb" in capsys.readouterr().err
