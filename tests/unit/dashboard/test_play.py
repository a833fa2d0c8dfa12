"""What the pages of play say, and to whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from dashboard import play
from dashboard.source import Source
from matchbox.answers.matches import Step
from matchbox.answers.play import Choice, TableSeat
from matchbox.errors import Forbidden
from tests.unit.dashboard import playing
from tests.unit.dashboard.cast import NOBODY, OPERATOR, SOURCE, make_app
from tests.unit.dashboard.playing import NAME, table

TABLE = f"/play/bomb/{NAME}"


def get(path: str, source: Source = SOURCE) -> TestResponse:
    """The answer to a request for this page."""
    return make_app(source).test_client().get(path)


def seen(**more: Any) -> Any:
    """A source whose table has these fields."""
    return replace(SOURCE, table=lambda name, **asked: table(name, **asked, **more))


def test_the_first_page_leads_to_every_game_and_lists_ones_tables() -> None:
    page = get("/play").text
    assert 'href="/play/bomb"' in page
    assert f'href="{TABLE}"' in page
    assert "/close" not in page
    assert f'action="{TABLE}/close"' in get("/play", OPERATOR).text
    assert "log in" in get("/play", NOBODY).text


def test_the_form_offers_the_bots_the_best_first() -> None:
    page = get("/play/bomb").text
    assert page.index("house/careful, 1612 Elo") < page.index("bob/new")
    assert '<option value="me" selected>You' in page
    assert '<option value="house/careful" selected>' in page
    nobodys = get("/play/bomb", NOBODY).text
    assert "Start the game" not in nobodys
    assert "/login?next=/play/bomb" in nobodys
    assert get("/play/chess").status_code == 404


def test_the_table_has_every_move_as_a_button_and_marks_on_its_board() -> None:
    page = get(TABLE).text
    assert "It is your turn." in page
    assert '''value="&#34;draw&#34;"''' in page
    assert '''data-picks="[&#34;pile&#34;]"''' in page
    assert 'data-pick="pile"' in page
    assert get(f"/play/war/{NAME}").status_code == 404


def test_many_moves_are_one_list() -> None:
    choices = [Choice(move=n, words=f"Place {n}", group="Places", picks=[]) for n in range(17)]
    page = get(TABLE, seen(choices=choices)).text
    assert '<select name="move"><optgroup label="Places">' in page
    assert '<button name="move"' not in page


def test_the_json_tells_what_is_new_and_nothing_where_nothing_is() -> None:
    client = make_app(SOURCE).test_client()
    assert client.get(f"{TABLE}.json?revision=persons-0-1").status_code == 204
    news = client.get(f"{TABLE}.json?revision=old&since=0").get_json()
    assert news["mine"] is True
    assert [step["text"] for step in news["steps"]] == ["The start"]
    assert news["steps"][0]["board"].startswith("<svg")
    assert "It is your turn." in news["parts"]
    assert client.get(f"{TABLE}.json?since=1").get_json()["steps"] == []


def test_a_stranger_gets_nothing() -> None:
    def closed(name: str, **_: Any) -> Any:
        raise Forbidden("this table is closed to others until its game is over")

    source = replace(NOBODY, table=closed, table_revision=lambda name: None)
    for address in (TABLE, f"{TABLE}.json", f"{TABLE}.json?revision=persons-0-1"):
        answer = get(address, source)
        assert answer.status_code == 403
        assert "svg class" not in answer.text


def test_the_link_is_shown_while_a_seat_is_free() -> None:
    page = get(TABLE, seen(state="open", join="5" * 32, choices=[], to_move=[])).text
    assert f"{TABLE}?join={'5' * 32}" in page
    assert "Waiting for a friend" in page
    invited = get(f"{TABLE}?join=5", seen(state="open", me=None, view=None, steps=[], choices=[]))
    assert "Take the seat" in invited.text


@pytest.mark.parametrize(
    ("places", "me", "told"),
    [
        ([1, 2], 0, "You won. Explosion."),
        ([2, 1], 0, "You lost. house/careful won. Explosion."),
        ([1, 2], None, "alice won. Explosion."),
        ([1, 1], 0, "A draw. Explosion."),
    ],
)
def test_the_end_says_who_won(places: list[int], me: int | None, told: str) -> None:
    over = table(state="finished", places=places, scores=[1, 0], me=me, why="explosion")
    assert play.result(over) == told


def test_a_team_has_one_score() -> None:
    over = table(state="finished", places=[1, 1], scores=[80, 80], why="blocked")
    assert play.result(over) == "80 points together. Blocked."


def test_a_finished_table_is_seen_by_any_seat() -> None:
    asked: list[int | None] = []

    def steps(name: str, seat: int | None) -> Any:
        asked.append(seat)
        return type("Steps", (), {"steps": table().steps})

    over = seen(state="finished", places=[1, 2], scores=[1, 0], digest="d" * 64, deal=playing.DEAL)
    source = replace(over, table_steps=steps)
    for seat in ("table", "1", "9", "x"):
        assert get(f"{TABLE}?seat={seat}", source).status_code == 200
    assert asked == [None, 1]
    assert "Download the record" in get(TABLE, source).text


def test_the_same_bot_in_two_seats_is_told_apart() -> None:
    seats = [TableSeat(seat=at, kind="bot", name="house/careful", version=2) for at in range(2)]
    assert play.names(table(seats=seats, me=None)) == ["house/careful (0)", "house/careful (1)"]


def test_lines_have_names_in_place_of_seats() -> None:
    told = [Step(seat=1, text="turns over a card of seat 0", move=None, view=table().view)]
    page = get(TABLE, seen(steps=told)).text
    assert "turns over a card of alice" in page


def test_moves_of_a_group_stand_together() -> None:
    choices = [Choice(move=n, words=str(n), group="ab"[n % 2], picks=["x"]) for n in range(4)]
    found = [(group, [row["move"] for row in rows]) for group, rows in play.groups(choices)]
    assert found == [("a", ["0", "2"]), ("b", ["1", "3"])]
