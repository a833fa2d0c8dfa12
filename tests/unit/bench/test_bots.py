"""The page of all bots: every game, every bot, an interval at every share."""

from __future__ import annotations

import re
from pathlib import Path

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


def test_the_same_seed_makes_the_same_page(tmp_path: Path) -> None:
    pages = []
    for name in ("one.md", "two.md"):
        out = ["--workers", "1", "--out", str(tmp_path / name)]
        field.main(["bomb", "--scale", "0.005", "--seed", "a", *out])
        pages.append((tmp_path / name).read_text())
    assert pages[0] == pages[1]


def test_a_game_without_bots_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        field.main(["chess"])
    assert "there are no bots of chess" in capsys.readouterr().err
