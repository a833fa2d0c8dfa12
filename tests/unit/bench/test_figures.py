"""Our figures beside the given ones: when two agree, the page's words, and when the command
fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.figures import __main__ as figures
from bench.figures import compare
from bench.figures.compare import Given, Ours, Row, Section
from bench.figures.page import page, table
from matchbox import registry

CHECKOUT = Path(__file__).resolve().parents[3]


def a_row(given: Given, value: float, error: float = 0.0) -> Row:
    """A figure of ours beside a given one."""
    return Row("share, %", "document", given, Ours(value, error, 1000))


@pytest.mark.parametrize(
    ("given", "value", "error", "agrees"),
    [
        (compare.value(50.0), 50.0, 0.0, True),
        (compare.value(50.0), 50.1, 0.0, False),
        (compare.value(50.0, 0.3), 50.5, 0.0, True),
        (compare.value(50.0, 0.3), 50.6, 0.0, False),
        (compare.value(50.0, 0.3), 50.8, 0.4, True),
        (compare.value(50.0, 0.3), 49.1, 0.4, False),
        (compare.between(25, 35), 25.0, 0.0, True),
        (compare.between(25, 35), 36.0, 0.0, False),
        (compare.between(25, 35), 24.0, 1.0, True),
    ],
)
def test_figures_agree_where_chance_explains_the_difference(
    given: Given, value: float, error: float, agrees: bool
) -> None:
    assert a_row(given, value, error).agrees is agrees


def test_a_share_has_the_error_of_its_number_of_games() -> None:
    assert compare.ours_percent(0.5, 10_000).error == pytest.approx(0.98, abs=0.001)
    assert compare.ours_percent(0.0, 100).error > 1
    assert compare.counted(20.989, 100_000).error == pytest.approx(0.253, abs=0.001)


def test_a_mean_has_the_error_of_its_spread() -> None:
    ours = compare.ours_mean({0: 50, 10: 50})
    assert (ours.value, ours.games) == (5.0, 100)
    assert ours.error == pytest.approx(0.98, abs=0.001)


def test_the_page_marks_what_disagrees() -> None:
    rows = [a_row(compare.value(50, 0.3), 50.1, 0.2), a_row(compare.between(1, 2), 3)]
    made = page([Section("Chess", "Two games.", rows)], "seven")
    assert "Seed `seven`; 1 of 2 figures agree, 1 of them within their common errors." in " ".join(
        made.split()
    )
    assert "## Chess\n\nTwo games.\n\n| figure |" in made
    first, second = table(rows).splitlines()[2:]
    assert first == ("| share, % | document | 50 ±0.3 | 50.1 ±0.2 | 1,000 | 0.100 | 0.613 | yes |")
    assert second.endswith("| 1 to 2 | 3 | 1,000 | 1.000 | 0.000 | **no** |")


def test_a_figure_that_disagrees_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Section("Bomb", "", [a_row(compare.value(50), 51)])
    monkeypatch.setitem(figures.SECTIONS, "bomb", lambda laboratory: wrong)
    assert figures.main(["bomb"]) == 1
    said = capsys.readouterr()
    assert "0 of 1 figures agree" in said.err
    assert "share, %" in said.out


@pytest.mark.parametrize(("far", "fails"), [(1, 0), (2, 1)])
def test_more_figures_beyond_their_errors_than_chance_leaves_fail(
    far: int, fails: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    near = [a_row(compare.value(50, 0.3), 50.2)] * (19 - far)
    rows = [*near, *[a_row(compare.value(50, 0.3), 50.4)] * far]
    monkeypatch.setitem(figures.SECTIONS, "bomb", lambda laboratory: Section("Bomb", "", rows))
    assert figures.main(["bomb"]) == fails
    assert f"{len(rows)} of {len(rows)} figures agree" in capsys.readouterr().err


def a_few(game: str, path: Path) -> str:
    """Returns the page of a few games. One seed in twenty gives a figure that differs by chance."""
    words = (game, "--scale", "0.004", "--workers", "1", "--seed", "few", "--out", str(path))
    assert figures.main(words) == 0
    return path.read_text()


@pytest.mark.parametrize("game", figures.SECTIONS)
def test_a_few_games_of_each_already_agree(game: str, tmp_path: Path) -> None:
    made = a_few(game, tmp_path / "page.md")
    assert f"## {registry.game(game).spec.title}\n" in made
    assert "reference run" in made


def test_the_same_seed_makes_the_same_page(tmp_path: Path) -> None:
    assert a_few("bomb", tmp_path / "one.md") == a_few("bomb", tmp_path / "two.md")


def test_another_seed_does_not_write_the_page_of_the_docs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "PAGE", tmp_path / "figures.md")
    rows = [a_row(compare.value(50, 0.3), 50)]
    monkeypatch.setattr(figures, "SECTIONS", {"bomb": lambda _: Section("Bomb", "", rows)})
    for words, written in ((["--seed", "x"], False), ([], True)):
        assert figures.main(words) == 0
        assert (tmp_path / "figures.md").exists() is written


@pytest.mark.parametrize("words", [["chess"], ["--scale", "0"], ["--workers", "0"]])
def test_nonsense_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        figures.main(words)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_the_kept_page_has_every_game_and_no_figure_that_disagrees() -> None:
    kept = (CHECKOUT / "docs" / "figures.md").read_text()
    games: dict[str, Any] = {name: registry.game(name).spec.title for name in figures.SECTIONS}
    assert all(f"## {title}\n" in kept for title in games.values())
    assert "**no**" not in kept
