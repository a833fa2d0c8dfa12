from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from dashboard.game_pages import drawing, ending, readme, summary
from matchbox import registry
from matchbox.errors import UnknownGame
from matchbox.games.bomb import draw
from tests.unit.dashboard.cast import steps


def test_a_view_is_drawn_by_its_game() -> None:
    svg = drawing("bomb", steps("", 0, None).steps[0].view)
    assert svg is not None
    assert ET.fromstring(svg).tag.endswith("svg")


def test_a_drawing_needs_no_style_of_its_own() -> None:
    for seat in (None, 0, 1):
        for step in steps("", 1, seat).steps:
            svg = drawing("bomb", step.view)
            assert svg is not None
            for element in ET.fromstring(svg).iter():
                assert "style" not in element.attrib
                assert not element.tag.endswith(("}style", "}script"))


def test_a_game_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownGame, match="chess"):
        drawing("chess", {})


def test_a_drawing_that_fails_is_a_note_with_the_reason() -> None:
    note = drawing("bomb", {"hand": "<b>"})
    assert note is not None
    assert note.startswith(
        '<p class="note warning">No drawing: the game bomb is broken: draw raised '
    )
    assert "matchbox.games.bomb.draw, line " in note


@pytest.mark.parametrize("drawn", [None, "<div></div>", "<svg><text>cut", b"<svg></svg>"])
def test_a_drawing_that_is_no_whole_svg_is_a_note(
    drawn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw, "draw", lambda view: drawn)
    note = drawing("bomb", {})
    assert note is not None
    assert "No drawing: draw of the game bomb returned no whole SVG element" in note


def test_the_readme_of_a_game_is_a_page() -> None:
    page = readme("bomb")
    assert page is not None
    assert "<h2 " in page
    assert "<h1" not in page
    assert "<table " in page


def test_a_readme_leads_to_the_docs_on_the_site() -> None:
    page = readme("bomb")
    assert page is not None
    assert 'href="/docs/bots"' in page
    assert "../" not in page


def test_the_reason_of_an_end_is_told_in_the_games_words() -> None:
    assert ending("bomb", "explosion") == "the bomb blew up"
    assert ending("war", "all cards are played") == "all cards are played"


@pytest.mark.parametrize("game", registry.games())
def test_a_game_is_summed_up_in_a_sentence(game: str) -> None:
    told = summary(game)
    assert told.endswith(".")
    assert 20 < len(told) < 200
    assert "\n" not in told
