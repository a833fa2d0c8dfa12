"""A running season's page asks for nothing, or for the parts that have changed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from dashboard.source import Source
from matchbox.answers.courses import Stamp
from tests.unit.dashboard import cast, seasons
from tests.unit.dashboard.cast import ALICE, NOBODY, SOURCE, make_app

SEEN = f"{seasons.STAMP.course}.{seasons.STAMP.standing}"
PARTS = ("state", "bracket", "standing", "cross-table", "course")


def client_of(source: Source) -> FlaskClient:
    """A browser that looks at this source's pages."""
    return make_app(source).test_client()


def poll(client: FlaskClient, seen: str, **more: Any) -> Any:
    """Returns the answer to a page that has shown these parts."""
    return client.get("/seasons/7", query_string={"part": "live", "seen": seen, **more})


def parts_of(html: str) -> dict[str, str]:
    """The live parts in this HTML, by id."""
    found = {}
    for name in PARTS:
        match = re.search(rf'<(div|section) id="{name}".*?\n?</\1>(?=\s*(<|$))', html, re.S)
        if match:
            found[name] = match.group(0)
    return found


def test_the_page_asks_for_news_of_what_it_shows() -> None:
    page = client_of(SOURCE).get("/seasons/7?round=1&bots=2").text
    (address,) = re.findall(r'hx-get="([^"]*)"', page)
    asked = address.replace("&amp;", "&")
    assert asked == f"/seasons/7?part=live&seen={quote(SEEN)}&round=1&bots=2"
    over = replace(SOURCE, season=lambda number: seasons.season(7, state="finished"))
    assert "hx-get" not in client_of(over).get("/seasons/7").text


@pytest.mark.parametrize(
    ("state", "seconds"),
    [("draft", None), ("open", 20), ("frozen", 20), ("running", 4), ("paused", 20),
     ("finished", None), ("cancelled", None)],
)  # fmt: skip
def test_the_page_of_a_season_asks_for_news_until_it_is_over(
    state: str, seconds: int | None
) -> None:
    source = replace(SOURCE, season=lambda number: seasons.season(number, state=state))
    page = client_of(source).get("/seasons/7").text
    asked = re.findall(r'<section id="state"[^>]* hx-trigger="every (\d+)s"', page)
    assert asked == ([str(seconds)] if seconds else [])
    assert ("htmx.min.js" in page) == bool(seconds)


def test_without_news_nothing_is_read_but_the_stamp() -> None:
    def unwanted(*asked: Any, **more: Any) -> Any:
        raise AssertionError("this was read for nothing")

    source = replace(
        NOBODY, season=unwanted, season_course=unwanted, season_standings=unwanted,
        season_fixtures=unwanted, season_meetings=unwanted, following=unwanted,
    )  # fmt: skip
    answer = poll(client_of(source), SEEN)
    assert (answer.status_code, answer.data) == (204, b"")


def test_with_news_the_parts_are_those_of_the_whole_page() -> None:
    for source in (SOURCE, NOBODY, replace(SOURCE, season=lambda number: seasons.cup())):
        client = client_of(source)
        answer = poll(client, "")
        assert answer.status_code == 200
        assert "<html" not in answer.text
        found = parts_of(answer.text)
        whole = parts_of(client.get("/seasons/7").text)
        assert set(found) == set(PARTS)
        assert found == whole


def test_a_standing_that_has_been_shown_is_not_sent_again() -> None:
    def unwanted(season: int) -> Any:
        raise AssertionError("a standing was read for nothing")

    source = replace(SOURCE, season_standings=unwanted)
    answer = poll(client_of(source), f"running-2-q3.{seasons.STAMP.standing}")
    assert answer.status_code == 200
    assert set(parts_of(answer.text)) == {"state", "bracket", "course"}


@pytest.mark.parametrize("before", ["open-0-1", "frozen-0-1", "paused-2-q3"])
def test_a_page_of_another_state_is_sent_nothing_so_that_it_loads_itself_again(before: str) -> None:
    answer = poll(client_of(SOURCE), f"{before}.{seasons.STAMP.standing}")
    assert (answer.status_code, answer.data) == (200, b"")


def test_the_page_of_a_finished_season_says_who_leads() -> None:
    over = replace(SOURCE, season=lambda number: seasons.season(7, state="finished"))
    assert "leads" in parts_of(client_of(over).get("/seasons/7").text)["state"]


def test_all_who_look_at_the_same_are_sent_what_was_drawn_once() -> None:
    drawn: list[int] = []
    stamp = seasons.STAMP

    def season(number: int) -> Any:
        drawn.append(number)
        return seasons.season(number)

    viewer = ALICE
    source = replace(
        SOURCE, season=season, season_stamp=lambda number: stamp, viewer=lambda: viewer
    )
    client = client_of(source)
    first = poll(client, "running-1.ab12")
    viewer = ALICE.model_copy(update={"name": "bob"})
    assert poll(client, "running-1.ab12").data == first.data
    assert len(drawn) == 1
    poll(client, "running-1.ab12", round=1)
    assert len(drawn) == 2, "another round is another part"
    stamp = Stamp(course="running-2-q1", standing="ab12")
    poll(client, "running-1.ab12")
    assert len(drawn) == 3, "what has changed is drawn again"


def test_each_sees_bots_of_their_own_marked() -> None:
    viewer: Any = ALICE
    client = client_of(replace(SOURCE, viewer=lambda: viewer))
    hers = poll(client, "").text
    viewer = ALICE.model_copy(update={"name": "bob"})
    his = poll(client, "").text
    assert re.findall(r'id="(v\d+)" class="mine"', hers) == ["v1"]
    assert "v1" not in re.findall(r'id="(v\d+)" class="mine"', his)


def test_what_is_drawn_for_all_has_nothing_of_one_visitors_address() -> None:
    client = client_of(NOBODY)
    assert "x=planted" in poll(client, "", x="planted").text
    assert "planted" not in poll(client, "").text


def test_a_long_standing_is_shown_a_page_at_a_time() -> None:
    lines = [cast.line(rank, f"owner-{rank}/bot", 1500 - rank, 50, 9) for rank in range(1, 502)]
    lines[222] = cast.line(223, "alice/bot", 1277, 50, 9)
    source = replace(
        SOURCE, viewer=lambda: ALICE, season_standings=lambda number: cast.board(*lines)
    )
    client = client_of(source)
    html = client.get("/seasons/7?round=1&page=1").text
    assert re.findall(r'<tr id="v(\d+)"', html) == [str(rank) for rank in range(1, 51)]
    assert 'href="/seasons/7?round=1&amp;lines=11#standing"' in html
    assert 'href="/seasons/7?round=1&amp;lines=5#v223">bot</a>' in html
    assert "The first 40 are drawn" in html
    sorts = "heading sorts the lines shown here; the CSV has all"
    assert sorts in html
    last = client.get("/seasons/7?lines=99").text
    assert re.findall(r'<tr id="v(\d+)"', last) == ["501"]
    whole = replace(source, season_standings=lambda number: cast.board(*lines[:200]))
    short = client_of(whole).get("/seasons/7").text
    assert short.count('<tr id="v') == 200
    assert "lines=" not in short
    assert sorts not in short


def test_mixed_teams_are_linked_on_the_pages_of_the_standing_that_have_some() -> None:
    own: dict[str, Any] = {"score": 60.0, "score_ci95": (58.0, 62.0)}
    mixed = {
        "mixed_rank": 1,
        "mixed_range": (1, 1),
        "mixed_score": 51.0,
        "mixed_ci95": (50.0, 52.0),
    }
    lines = [cast.line(at, f"eve/b{at}", None, 0.0, 9, **own) for at in range(1, 201)]
    lines.append(cast.line(201, "eve/last", None, 0.0, 9, **own, **mixed))
    board = cast.board(*lines, cooperative=True)
    client = client_of(replace(SOURCE, season_standings=lambda season: board))
    for page, has in ((1, False), (5, True)):
        html = client.get(f"/seasons/7?lines={page}").text
        assert ('id="mixed"' in html, 'href="#mixed"' in html) == (has, has)
