from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.named_bots import shipped_names
from dashboard import figures, ratings
from dashboard.evidence import surprises
from dashboard.figures import (
    COLOURS,
    DRAWN,
    SYMBOLS,
    Mark,
    colour,
    finding,
    label,
    leaderboard,
    marks,
    plot,
    walk,
)
from matchbox import registry
from matchbox.answers.standings import Upset
from tests.unit.dashboard.cast import BOARD, HISTORY, SOURCE, board, line, make_app
from tests.unit.dashboard.compared import COMPARISONS

PAGES = ("#faf9f6", "#17181b")  # --page of site.css, light and dark


def luminance(tint: str) -> float:
    """WCAG's relative luminance of a colour like #0077bb."""
    parts = [int(tint[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def points_of(figure: go.Figure) -> go.Scatter:
    """The trace of the points."""
    return next(one for one in figure.data if one.mode == "markers")


def test_the_page_gets_the_figure_without_a_template_of_plotly() -> None:
    figure = leaderboard(BOARD)
    sent = json.loads(figure.to_json())
    assert go.Figure(sent) == figure
    assert "layout" not in sent["layout"]["template"]
    assert sent["layout"]["height"] == 84 + 30 * len(BOARD.lines)


def test_nothing_in_a_figure_ends_its_element() -> None:
    figure = plot([go.Scatter(x=[1], y=[1], name="</script><script>alert(1)</script>")])
    assert not set("<>") & set(figure.to_json())
    assert figure.data[0].name == json.loads(figure.to_json())["data"][0]["name"]


@pytest.mark.parametrize(
    "wrong",
    [{"rows": 3}, {"height": "tall"}, {"xaxis": {"type": "elo"}}, {"yaxis": {"unit": "Elo"}}],
    ids=str,
)
def test_plotly_refuses_a_layout_that_it_cannot_draw(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Invalid (property|value)"):
        plot([], **wrong)


def test_plotly_refuses_a_trace_that_it_cannot_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Mark("the bot's own", "circle")
    monkeypatch.setattr(figures, "marks", lambda bots: dict.fromkeys(bots, wrong))
    with pytest.raises(ValueError, match="'color' property of scatter"):
        leaderboard(BOARD)


@pytest.mark.parametrize(
    ("path", "figure"),
    [
        ("/leaderboards/bomb", leaderboard(BOARD)),
        ("/seasons/7", leaderboard(BOARD)),
        ("/bots/alice/careful", ratings.figure("alice/careful", HISTORY, 4)),
        ("/comparisons/2", walk(COMPARISONS[2])),
    ],
)
def test_a_page_holds_its_figure_and_leaves_room_for_it(path: str, figure: go.Figure) -> None:
    html = make_app().test_client().get(path).text
    sent = re.search(r'<script type="application/json" id="figure-data"[^>]*>(.*?)</script>', html)
    assert sent is not None
    assert go.Figure(json.loads(sent[1])) == figure
    assert f'data-height="{figure.layout.height}"' in html


SLOW = ("alembic", "plotly", "scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special")
"""Libraries that take long to import, and that few pages or tasks need."""


def imported(statements: str) -> set[str]:
    """Returns the slow libraries that a fresh Python has imported after these statements."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {statements}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MATCHBOX_BROKER_URL": "redis://127.0.0.1:1/0"},
    )
    return set(SLOW) & set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    ["server.app", "worker.arena.main", "worker.ledger.main", "cli.main", "learning.__main__"],
)
def test_no_process_imports_a_slow_library_when_it_starts(module: str) -> None:
    assert not imported(f"import {module}")


@pytest.mark.parametrize(
    ("path", "drawn"), [("/", False), ("/leaderboards/bomb", True)], ids=["home", "board"]
)
def test_the_first_page_with_a_figure_imports_plotly(path: str, drawn: bool) -> None:
    asked = f"assert make_app().test_client().get({path!r}).status_code == 200"
    made = f"from tests.unit.dashboard.cast import make_app; {asked}"
    assert ("plotly" in imported(made)) == drawn


def test_intervals_are_drawn_before_points() -> None:
    modes = [one.mode for one in leaderboard(BOARD).data]
    assert modes == ["lines"] * (len(modes) - 1) + ["markers"]


def test_a_bar_spans_its_interval() -> None:
    figure = leaderboard(board(line(1, "alice/careful", 1600.0, 20.0, 50)))
    bar, points = figure.data
    assert bar.x == (1580.0, 1620.0, None)
    assert bar.y == ("alice/careful", "alice/careful", None)
    assert points.x == (1600.0,)


def test_no_bar_touches_the_frame() -> None:
    low, high = leaderboard(BOARD).layout.xaxis.range
    assert low < 1284
    assert high > 1660


def test_bots_stand_in_the_order_of_the_board_whatever_their_colours() -> None:
    axis = leaderboard(BOARD).layout.yaxis
    assert axis.categoryarray == tuple(one.bot for one in BOARD.lines)
    assert axis.range == (len(BOARD.lines) - 0.5, -0.5)


def test_a_provisional_point_is_hollow_and_says_so() -> None:
    points = points_of(leaderboard(BOARD))
    place = points.y.index("bob/tin-drum")
    assert points.marker.symbol[place] == "circle-open"
    assert points.customdata[place][1].endswith("3 bouts forfeited<br>provisional")


def test_hovering_tells_the_counts() -> None:
    estimate, counts, _ = points_of(leaderboard(BOARD)).customdata[0]
    assert estimate == "Elo 1642 (1624 to 1660)"
    assert counts == "412 matches: 206 won, 20 drawn, 186 lost"
    told = board(line(1, "a/a", 1500.0, 9.0, 1, bout_wins=501, bout_losses=499))
    shown = points_of(leaderboard(told)).customdata[0][1]
    assert shown.endswith("<br>bouts: 501 won, 0 drawn, 499 lost")
    once = board(line(1, "a/a", 1500.0, 9.0, 1, forfeits=1))
    assert "<br>1 bout forfeited" in points_of(leaderboard(once)).customdata[0][1]


def test_axes_have_units() -> None:
    assert leaderboard(BOARD).layout.xaxis.title.text == "Elo"


def test_a_cooperative_board_shows_scores() -> None:
    none = {"wins": 0, "draws": 0, "losses": 0}
    team = line(1, "alice/team", None, 0.0, 40, score=41.25, score_ci95=[40.0, 42.5], **none)
    figure = leaderboard(board(team, cooperative=True))
    assert points_of(figure).customdata[0][1] == "40 matches"
    assert points_of(figure).x == (41.25,)
    assert points_of(figure).customdata[0][0] == "Score per bout 41.2 (40.0 to 42.5)"
    assert "Score" in figure.layout.xaxis.title.text


def test_a_bot_without_a_rating_is_left_to_the_table() -> None:
    figure = leaderboard(board(line(1, "alice/a", 1500.0, 90.0, 3), line(2, "bob/b", None, 0.0, 0)))
    assert points_of(figure).y == ("alice/a",)


def test_an_empty_board_is_still_a_figure() -> None:
    assert points_of(leaderboard(board())).x == ()
    assert finding(board()) == "Nobody has been rated yet"


def test_a_long_board_stops() -> None:
    lines = [line(rank, f"bob/b{rank}", 2000.0 - rank, 9.0, 50) for rank in range(1, 200)]
    assert len(points_of(leaderboard(board(*lines))).x) == DRAWN


@given(st.text(max_size=60))
def test_a_bot_keeps_one_of_seven_colours(name: str) -> None:
    assert colour(name) == colour(name)
    assert colour(name) in COLOURS


def alike(count: int) -> list[str]:
    """Names of bots that have the same colour of their own."""
    bots = map("bob/b{}".format, range(20 * count))
    return [bot for bot in bots if colour(bot) == COLOURS[0]][:count]


def test_bots_of_a_figure_differ_in_colour_while_there_are_colours() -> None:
    looks = marks(alike(len(COLOURS)))
    assert sorted(mark.colour for mark in looks.values()) == sorted(COLOURS)
    assert {mark.symbol for mark in looks.values()} == {"circle"}


def test_no_bot_loses_its_own_colour_to_one_whose_colour_is_taken() -> None:
    first, second, third = sorted(alike(3))
    other = next(bot for bot in map("zoe/z{}".format, range(99)) if colour(bot) == COLOURS[1])
    looks = marks([third, other, second, first])
    assert [looks[bot].colour for bot in (first, other)] == [COLOURS[0], COLOURS[1]]
    assert [looks[bot].colour for bot in (second, third)] == [COLOURS[2], COLOURS[3]]


@given(st.sets(st.text(max_size=8), max_size=DRAWN))
def test_no_two_bots_of_a_figure_look_alike_in_any_order(bots: set[str]) -> None:
    looks = marks(sorted(bots))
    assert looks.keys() == bots
    assert len(set(looks.values())) == len(bots)
    assert looks == marks(sorted(bots, reverse=True))


def test_more_bots_than_marks_have_their_own_colours() -> None:
    many = alike(len(SYMBOLS) * len(COLOURS) + 1)
    assert marks(many)[sorted(many)[-1]] == Mark(COLOURS[0], "circle")


def test_a_leaderboards_figure_and_table_give_a_bot_the_same_colour() -> None:
    first, second = sorted(alike(2))
    standing = board(
        line(1, second, 1600.0, 9.0, 50), line(2, first, 1500.0, 9.0, 50, provisional=True)
    )
    marker = points_of(leaderboard(standing)).marker
    assert marker.color == (COLOURS[1], COLOURS[0])
    assert marker.symbol == ("circle", "circle-open")
    with make_app(replace(SOURCE, leaderboard=lambda game: standing)).test_client() as client:
        table = client.get("/leaderboards/bomb").text.partition('id="board"')[2]
    dots = re.findall(r'<circle [^>]*fill="(#\w+)"', table.partition("</table>")[0])
    assert dots == [COLOURS[1], COLOURS[0]]


def test_the_shipped_players_of_a_game_have_different_colours() -> None:
    games = {game: shipped_names(game) for game in registry.games()}
    often = Counter(chain.from_iterable(games.values()))
    for game, bots in games.items():
        shown = [f"house/{bot}" if often[bot] == 1 else f"house/{game}-{bot}" for bot in bots]
        assert len({colour(bot) for bot in shown}) == len(shown), shown


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("tint", COLOURS)
def test_every_colour_stands_out_in_light_and_dark(tint: str, page: str) -> None:
    assert contrast(tint, page) >= 3


@given(st.text(max_size=60))
def test_a_label_holds_no_markup(text: str) -> None:
    assert not set(label(text)) & set("<>&")
    assert len(label(text)) <= 26


def test_bots_whose_long_names_begin_alike_have_rows_of_their_own() -> None:
    bots = [f"a-class-of-computer-science/a-long-name-of-a-bot-{number}" for number in (1, 2)]
    figure = leaderboard(board(*(line(1, bot, 1500.0, 9.0, 50) for bot in bots)))
    assert points_of(figure).y == figure.layout.yaxis.tickvals == tuple(bots)
    assert figure.layout.yaxis.ticktext == (
        "a-class-of…name-of-a-bot-1",
        "a-class-of…name-of-a-bot-2",
    )


def test_the_finding_says_who_leads_and_how_sure_we_are() -> None:
    sure = line(1, "alice/a", 1700.0, 9.0, 99, rank_range=[1, 1])
    second = line(2, "bob/b", 1500.0, 9.0, 99, rank_range=[2, 2])
    level = line(2, "bob/b", 1690.0, 9.0, 99, rank_range=[1, 2])
    third = line(3, "bob/c", 1680.0, 9.0, 99, rank_range=[1, 3])
    assert finding(board(sure, second)) == "alice/a leads, and we are sure"
    assert finding(board(sure, level)) == "alice/a leads, but bob/b may be as strong"
    assert finding(board(sure, level, third)) == "alice/a leads, but 3 bots may be first"


def test_equals_share_the_lead() -> None:
    level = [line(1, bot, 1500.0, 9.0, 50, rank_range=[1, 3]) for bot in ("a/a", "b/b", "c/c")]
    assert finding(board(*level[:2])) == "a/a and b/b share the lead"
    assert finding(board(*level)) == "3 bots share the lead"


def test_where_borda_ranks_its_scores_are_drawn() -> None:
    scored = line(1, "a/a", 1600.0, 20.0, 50, score=0.625, score_ci95=[0.6, 0.65])
    figure = leaderboard(board(scored, by="borda"))
    assert points_of(figure).x == (0.625,)
    assert "Expected share of points 0.625 (0.600 to 0.650)" in str(points_of(figure).customdata)


def test_a_deleted_author_has_no_internal_name_in_figures_and_sentences() -> None:
    gone, here = "deleted-author-6/bold", "bob/tin"
    upset = Upset(winner=gone, loser=here, games=500, share=0.7)
    lines = line(1, gone, 1600.0, 20.0, 50), line(2, here, 1500.0, 20.0, 50)
    measured = board(*lines, upsets=[upset])
    figure = leaderboard(measured)
    assert figure.layout.yaxis.ticktext == ("a deleted author/bold", "bob/tin")
    points = points_of(figure)
    assert [one[2] for one in points.customdata] == ["a deleted author/bold", "bob/tin"]
    assert "%{y}" not in points.hovertemplate
    assert finding(measured).startswith("a deleted author/bold leads")
    assert surprises(measured)[0].startswith("a deleted author/bold took 70% of 500 bouts")
