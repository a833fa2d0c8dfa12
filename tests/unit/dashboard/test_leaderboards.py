from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import Any

import pytest
from flask import template_rendered

from dashboard import board_figures, sparklines
from matchbox.answers.board_figures import BoardFigures, LengthLine, PairLine, SeatLine
from tests.unit.dashboard import cast, counted
from tests.unit.dashboard.cast import BOARD, SOURCE, html, make_app
from tests.unit.dashboard.states import MANY

CROWDED = replace(SOURCE, leaderboard=lambda game: MANY)


def test_the_board_is_plain_until_more_columns_are_asked_for() -> None:
    client = make_app().test_client()
    plain = client.get("/leaderboards/bomb").text
    for absent in ('data-label="May be"', "W–D–L", "Forfeits", "Bouts lost by a fault"):
        assert absent not in plain
    more = client.get("/leaderboards/bomb?columns=more").text
    for there in ("May be", "W–D–L", "Forfeits", "Bouts lost by a fault", "Fewer columns"):
        assert there in more
    assert 'data-label="May be"' in client.get("/leaderboards/bomb").text, (
        "the choice is remembered"
    )
    assert 'data-label="May be"' in client.get("/seasons/7").text, "on every board"
    client.get("/leaderboards/bomb?columns=few")
    assert 'data-label="May be"' not in client.get("/leaderboards/bomb").text


def test_the_columns_are_offered_whatever_else_the_address_holds() -> None:
    seen = html("/leaderboards/bomb?endpoint=x&_anchor=y&_method=POST&q=care")
    assert "/leaderboards/bomb?" in seen
    assert "q=care&amp;columns=more#board" in seen


def test_a_board_of_a_thousand_bots_is_shown_by_fifty() -> None:
    first, last = html("/leaderboards/bomb", CROWDED), html("/leaderboards/bomb?page=20", CROWDED)
    assert first.count("<tr id=") == last.count("<tr id=") == 50
    assert ">b50</a>" in first
    assert ">b1000</a>" in last
    assert ">b1000</a>" in html("/leaderboards/bomb?page=99", CROWDED)
    assert len(first) < 100_000
    assert len(html("/leaderboards/bomb?columns=more", CROWDED)) < 150_000


@pytest.mark.parametrize(("bots", "shown"), [(200, 200), (201, 50)])
def test_a_board_of_up_to_two_hundred_bots_is_shown_whole(bots: int, shown: int) -> None:
    board = cast.board(*MANY.lines[:bots])
    seen = html("/leaderboards/bomb", replace(SOURCE, leaderboard=lambda game: board))
    assert seen.count("<tr id=") == shown
    assert ('rel="next"' in seen or "page=2" in seen) == (shown < bots)


def test_everybody_finds_their_own_bot() -> None:
    assert "/leaderboards/bomb?page=16#v777" in html("/leaderboards/bomb", CROWDED)
    nobody = replace(CROWDED, viewer=lambda: None)
    assert "Yours:" not in html("/leaderboards/bomb", nobody)


def test_a_table_is_drawn_once_for_whoever_sees_the_same() -> None:
    board = cast.board(*MANY.lines[:30])
    source = replace(SOURCE, leaderboard=lambda game: board)
    app = make_app(source)
    drawn: list[str] = []

    def note(_: object, template: Any, **more: object) -> None:
        drawn.append(template.name)

    with template_rendered.connected_to(note, app):
        one, same = (app.test_client().get("/leaderboards/bomb").text for _ in range(2))
        assert one == same
        assert drawn.count("board_table.html") == 1
        more = app.test_client().get("/leaderboards/bomb?columns=more").text
        assert 'data-label="May be"' in more
        assert drawn.count("board_table.html") == 2


def test_a_kept_table_marks_the_viewer_s_own_bots_and_nobody_else_s() -> None:
    lines = [line for line in MANY.lines if line.owner == "alice" or line.rank < 20]
    board = cast.board(*lines)
    alice = replace(SOURCE, leaderboard=lambda game: board)
    nobody = replace(alice, viewer=lambda: None)
    for _ in range(2):
        assert 'class="mine"' in html("/leaderboards/bomb", alice)
        assert 'class="mine"' not in html("/leaderboards/bomb", nobody)


@pytest.mark.parametrize(("wanted", "rows"), [("alice", 1), ("B77", 11), ("bob/b1000", 1)])
def test_a_bot_is_found_by_its_name_or_its_author(wanted: str, rows: int) -> None:
    assert html(f"/leaderboards/bomb?q={wanted}", CROWDED).count("<tr id=") == rows


def test_a_search_that_finds_nobody_says_so() -> None:
    assert "is called “zoe”" in html("/leaderboards/bomb?q=zoe")


def test_csv_and_json_stay_whole() -> None:
    client = make_app(CROWDED).test_client()
    assert len(client.get("/leaderboards/bomb.csv").text.splitlines()) == 1001
    told = client.get("/leaderboards/bomb.json").text
    assert told == CROWDED.leaderboard("bomb").json_text()
    assert told.count('"version_id"') == 1000


def test_a_page_that_is_up_to_date_is_not_sent_again() -> None:
    client = make_app(replace(SOURCE, board_stamp=lambda game: "now")).test_client()
    assert client.get("/leaderboards/bomb?seen=now").status_code == 204
    assert client.get("/leaderboards/bomb?seen=older").status_code == 200
    assert "seen=now" in client.get("/leaderboards/bomb").text


@pytest.mark.parametrize("part", ["pairs", "seats", "lengths"])
def test_the_data_of_a_figure_is_there_as_csv_and_json(part: str) -> None:
    client = make_app().test_client()
    lines = getattr(counted.FIGURES, part)
    rows = list(csv.DictReader(client.get(f"/leaderboards/bomb/{part}.csv").text.splitlines()))
    told = client.get(f"/leaderboards/bomb/{part}.json").json
    assert len(rows) == len(lines)
    assert told == [one.plain() for one in lines]
    if part != "lengths":
        assert float(rows[0]["share_low"]) == lines[0].ci95[0]
    empty = make_app(cast.EMPTY).test_client().get(f"/leaderboards/bomb/{part}.csv")
    header = ",".join(rows[0]) + "\n"
    assert (empty.status_code, empty.text) == (200, header)


def test_the_map_shows_both_sides_of_a_pair_and_nothing_of_one_that_never_met() -> None:
    figure = board_figures.pairs(counted.FIGURES)
    (heat,) = figure.data
    assert heat.z[0][1] == pytest.approx(1 - heat.z[1][0])
    assert heat.z[0][0] is None
    assert heat.z[0][5] is None
    bouts, low, high = heat.customdata[1][0]
    assert (bouts, low, high) == ("40 bouts", pytest.approx(0.35), pytest.approx(0.55))


def test_hovering_tells_one_bout_in_the_singular() -> None:
    once = {"pairs": [a_pair(0.6, 0.2).model_copy(update={"bouts": 1})], "bots": ["a/a", "b/b"]}
    (heat,) = board_figures.pairs(counted.FIGURES.model_copy(update=once)).data
    _, points = board_figures.seats([a_seat(0.5, 0.1, bouts=1)]).data
    (bar,) = board_figures.lengths([LengthLine(moves=1, bouts=1)]).data
    assert (heat.customdata[0][1][0], points.customdata[0][0]) == ("1 bout", "1 bout")
    assert list(bar.customdata[0]) == ["1 move", "1 bout"]


def test_the_map_of_a_long_board_is_shown_part_by_part() -> None:
    asked: list[tuple[int | None, int]] = []

    def figures(game: str, top: int | None, after: int) -> BoardFigures:
        asked.append((top, after))
        return counted.FIGURES.model_copy(update={"field": 130})

    lines = [replace(BOARD.lines[0], rank=at, version_id=at) for at in range(1, 131)]
    source = replace(SOURCE, leaderboard=lambda game: cast.board(*lines), board_figures=figures)
    client = make_app(source).test_client()
    page = client.get("/leaderboards/bomb/pairs?top=60&page=2").text
    assert "?top=60&amp;page=3" in page
    assert "The map has the places 61 to" in page
    client.get("/leaderboards/bomb/pairs?top=60&page=99")
    client.get("/leaderboards/bomb/pairs")
    assert asked == [(60, 60), (60, 120), (20, 0)]
    bots = counted.FIGURES.bots
    drawn = json.loads(board_figures.pairs(counted.FIGURES, 61).to_json())
    assert drawn["data"][0]["x"] == [str(61 + at) for at in range(len(bots))]
    assert [name.split()[0] for name in drawn["layout"]["yaxis"]["ticktext"]] == drawn["data"][0][
        "x"
    ]
    assert f'"{61 + len(bots) - 1} ' in page, "a bot has the number of its place"
    assert "page=2" not in make_app().test_client().get("/leaderboards/bomb/pairs").text


def a_pair(share: float, half: float) -> PairLine:
    """Two bots."""
    return PairLine(first="a/a", first_version=1, second="b/b", second_version=1, bouts=10,
                    deals=5, share=share, ci95=(share - half, share + half))  # fmt: skip


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([], "No two of these bots have met yet"),
        ([a_pair(0.6, 0.2)], "None of the 1 pair is settled: every interval still contains 50%"),
        ([a_pair(0.3, 0.1), a_pair(0.5, 0.1)],
         "1 of 2 pairs is settled; most one-sided: b/b takes 70.0% from a/a"),
    ],
)  # fmt: skip
def test_the_map_says_how_many_pairs_are_settled(pairs: list[PairLine], said: str) -> None:
    found = counted.FIGURES.model_copy(update={"pairs": pairs})
    assert board_figures.pairs_finding(found) == said


def a_seat(share: float, half: float, **own: Any) -> SeatLine:
    """A seat of a table of two."""
    row = {"players": 2, "seat": 0, "bouts": 10, "deals": 5, **own}
    return SeatLine(share=share, ci95=(share - half, share + half), **row)


def test_a_seat_is_called_an_advantage_only_where_its_interval_says_so() -> None:
    says = board_figures.seats_finding
    assert says([a_seat(0.52, 0.03)]) == "No seat shows an advantage: every interval contains 50%"
    sure = says([a_seat(0.53, 0.01), a_seat(0.47, 0.01, seat=1)])
    assert sure == "The first seat is an advantage: it takes 53.0% ± 1.0 of the points"
    three = says([a_seat(0.5, 0.01), a_seat(0.4, 0.01, seat=2, players=3)])
    assert three.startswith("The third seat is a disadvantage at tables of 3")


def test_lengths_are_told_by_their_quartiles_and_drawn_in_few_bars() -> None:
    lines = [LengthLine(moves=moves, bouts=1) for moves in range(1, 1001)]
    assert board_figures.lengths_finding(lines) == (
        "Half of all bouts take 250 to 750 moves; the median is 500"
    )
    drawn = board_figures.bars(lines)
    assert len(drawn) <= board_figures.BINS
    assert sum(bar.bouts for bar in drawn) == 1000
    assert (drawn[0].low, drawn[-1].high >= 1000) == (1, True)
    one = [LengthLine(moves=9, bouts=5)]
    assert board_figures.lengths_finding(one) == "Half of all bouts or more take 9 moves"


def test_a_small_line_needs_two_points_and_ends_where_the_value_is() -> None:
    assert sparklines.rating(None) == sparklines.rating([1500.0]) == ""
    risen = sparklines.rating([1400.0, 1500.0, 1600.0])
    assert 'aria-label="from 1400 to 1600"' in risen
    assert "M2 18L36 10L70 2" in risen
    assert sparklines.rating([float(at) for at in range(900)]).count("L") == sparklines.POINTS - 1
    assert "L70 2" not in sparklines.rating([1500.0, 1501.0]), "noise does not fill the height"


def test_no_style_stands_in_a_small_line() -> None:
    assert "style" not in sparklines.share([0.1, 0.9])


def test_a_small_line_of_the_board_ends_where_the_board_is() -> None:
    stored = {line.version_id: [1400.0, 1480.0] for line in BOARD.lines}
    source = replace(SOURCE, rating_trails=lambda game, versions: stored)
    board = BOARD.lines[0]
    assert board.elo is not None
    assert f'aria-label="from 1400 to {board.elo:.0f}"' in html("/leaderboards/bomb", source)
    alike = replace(SOURCE, rating_trails=lambda game, versions: {board.version_id: [board.elo]})
    assert 'class="spark"' not in html("/leaderboards/bomb", alike), "one point is no line"


@pytest.mark.parametrize(("half", "path"), [(2.8, "M2 12L36 10L70 8"), (0.1, "M2 18L36 10L70 2")])
def test_the_small_line_of_a_score_is_as_high_as_its_interval(half: float, path: str) -> None:
    own = {"score": 42.6, "score_ci95": (42.6 - half, 42.6 + half)}
    team = cast.board(cast.line(1, "alice/careful", None, 0.0, 60, **own), cooperative=True)
    trails = {1: [41.2, 41.9]}
    source = replace(
        SOURCE, leaderboard=lambda game: team, rating_trails=lambda game, versions: trails
    )
    page = html("/leaderboards/bomb", source)
    assert 'aria-label="from 41.2 to 42.6"' in page
    assert f'd="{path}"' in page


def test_the_share_of_a_seat_says_how_far_its_interval_reaches_to_either_side() -> None:
    few = SeatLine(players=2, seat=0, bouts=20, deals=10, share=0.9, ci95=(0.59, 0.98))
    assert board_figures.seats_finding([few]).endswith("90.0% (59.0 to 98.0) of the points")
