"""The cross table of a season: whole up to 60 bots, else the parts that the reader chooses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from dashboard import cross_tables
from dashboard.cross_tables import Cell, Crossed
from dashboard.source import Source
from matchbox.answers.courses import Meeting
from matchbox.answers.standings import Board
from tests.unit.dashboard import cast, seasons
from tests.unit.dashboard.cast import SOURCE
from tests.unit.dashboard.test_pages import Seen, get


def board(bots: int) -> Board:
    """The standing of a season of so many bots, whose names are their places."""
    first, *_ = cast.BOARD.lines
    lines = [
        replace(first, rank=at, version_id=at, bot=f"alice/at-{at}", name=f"at-{at}")
        for at in range(1, bots + 1)
    ]
    return cast.board(*lines, rows_digest=f"{bots}")


def source_of(bots: int) -> Source:
    """The source of a season of so many bots."""
    return replace(SOURCE, season_standings=lambda season: board(bots))


def shown(page: Seen) -> tuple[list[str], list[str]]:
    """The bots in the columns of the table, and the addresses of the form that chooses them."""
    named = [attrs["title"] for tag, attrs in page.elements if tag == "abbr" and "title" in attrs]
    names = ("bots", "against")
    fields = [attrs["name"] for tag, attrs in page.elements if attrs.get("name") in names]
    return [one for one in named if one.startswith("alice/at-")], fields


def test_it_holds_both_sides_of_every_pair() -> None:
    lines = cast.BOARD.lines
    met = seasons.meetings(7, *[[line.version_id for line in lines]] * 2)
    first, second, *_ = cross_tables.crossed(lines, lines, met)
    assert first == Crossed(
        1, lines[0].bot, [None, Cell(0.75, (0.6, 0.86), 28, 3), *[None] * (len(lines) - 2)]
    )
    assert second.cells[:3] == [Cell(0.25, (0.14, 0.4), 28, 1), None, first.cells[1]]


def test_every_share_has_its_interval() -> None:
    cells = [
        attrs["title"]
        for tag, attrs in get("/seasons/7").elements
        if tag == "td" and "title" in attrs
    ]
    assert any("75.0% of 28 bouts, 95% interval 60.0% to 86.0%" in one for one in cells)


@pytest.mark.parametrize("bots", [2, 40, 60])
def test_it_is_whole_up_to_sixty_bots(bots: int) -> None:
    columns, fields = shown(get("/seasons/7", source_of(bots)))
    assert columns == [f"alice/at-{place}" for place in range(1, bots + 1)]
    assert fields == []


def test_of_more_bots_the_reader_chooses_both_parts() -> None:
    page = get("/seasons/7?round=1&bots=3&against=2", source_of(130))
    columns, fields = shown(page)
    assert columns == [f"alice/at-{place}" for place in range(44, 87)]
    assert set(fields) == {"bots", "against"}
    assert "87 to 130" in page.text
    assert "which of the 130 bots" in page.text
    chosen = [attrs["value"] for tag, attrs in page.elements if "selected" in attrs]
    assert chosen == ["3", "2"]
    kept = [a for tag, a in page.elements if tag == "input" and a.get("name") == "round"]
    assert [one["value"] for one in kept] == ["1"], "the chosen round stays chosen"
    others, _ = shown(get("/seasons/7?bots=99&against=-1", source_of(130)))
    assert others[0] == "alice/at-1"


def test_every_bot_is_in_one_part() -> None:
    for bots in (61, 120, 121, 500):
        parts = cross_tables._parts(bots)
        places = [place for one in parts for place in range(one.first, one.last + 1)]
        assert places == list(range(1, bots + 1))
        assert max(one.last - one.first + 1 for one in parts) <= cross_tables.MAX_BOTS


@pytest.mark.parametrize(
    "none",
    [cast.board(*cast.BOARD.lines, cooperative=True, rows_digest="teams"), cast.board()],
    ids=["teams", "no results"],
)
def test_teams_and_a_season_without_results_have_none(none: Board) -> None:
    page = get("/seasons/7", replace(SOURCE, season_standings=lambda season: none))
    assert "Who beats whom" not in page.text


def test_it_is_drawn_once_for_each_standing() -> None:
    asked: list[int] = []

    def meetings(season: int, rows: Collection[int], columns: Collection[int]) -> list[Meeting]:
        asked.append(season)
        return []

    standing = board(3)
    source = replace(SOURCE, season_standings=lambda season: standing, season_meetings=meetings)
    get("/seasons/7", source)
    get("/seasons/7?round=1", source)
    assert asked == [7]
    standing = standing.model_copy(update={"rows_digest": "newer"})
    get("/seasons/7", source)
    assert asked == [7, 7]


def test_at_a_larger_table_it_tells_who_was_ahead() -> None:
    larger = replace(SOURCE, season_course=lambda season: seasons.course(7, seats=3))
    assert "how often a bot was ahead of the others" in get("/seasons/7", larger).text
    assert "share of the points against the others" in get("/seasons/7").text
