"""Comparisons by API and by form: requested, shown to their owners, cancelled."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import update

from matchbox.match.wire import PlayMatch
from server.db.models import Bot, League, User
from server.services.tick import tick
from tests.books import Books, played
from tests.unit.server.routes.conftest import Browse, Caller, problem

WANTED = {"bot": "mine", "games": 200}


@pytest.fixture
def mine(books: Books, alice: User) -> None:
    """Two versions of alice's bot."""
    for number in (1, 2):
        books.bot(alice, "mine", b"from matchbox.games.bomb import *\nBOT = %d\n" % number)


def play(books: Books) -> None:
    """Plays all waiting matches."""
    for _ in range(4):
        tick(books.context)
        for job in books.sent(PlayMatch):
            books.record(played(job))
    tick(books.context)


def test_a_comparison_is_asked_for_and_polled_until_it_is_over(
    mine: None, books: Books, as_alice: Caller
) -> None:
    made = as_alice.post("/comparisons", WANTED)
    assert made.status_code == 201, made.text
    told: Any = made.json
    assert made.headers["Location"] == f"/api/v1/comparisons/{told['id']}"
    assert (told["challenger"], told["defender"], told["state"]) == (2, 1, "running")
    assert (told["verdict"], told["llr"], told["looks"]) == ("undecided", 0.0, [])
    play(books)
    over: Any = as_alice.get(f"/comparisons/{told['id']}").json
    assert over["state"] == "finished"
    assert over["games"] == over["looks"][-1][0] == 2 * sum(over["pairs"])
    assert over["matches"] == over["finished"] == over["games"] // 4
    listed: Any = as_alice.get("/comparisons?bot=alice/mine").json
    assert [one["id"] for one in listed["items"]] == [told["id"]]
    assert listed["items"][0].items() <= over.items()
    other: Any = as_alice.get("/comparisons?bot=alice/other").json
    assert other == {"items": [], "next": None}


def test_it_is_for_who_asked_and_operators_alone(
    mine: None, as_alice: Caller, as_bob: Caller, as_charlie: Caller, nobody: Caller
) -> None:
    made: Any = as_alice.post("/comparisons", WANTED).json
    path = f"/comparisons/{made['id']}"
    problem(nobody.get(path), 401)
    problem(as_bob.get(path), 403)
    problem(as_bob.post(f"{path}/cancel"), 403)
    problem(nobody.get("/comparisons"), 401)
    problem(as_bob.post("/comparisons", {"bot": "alice/mine"}), 403)
    assert as_charlie.get(path).status_code == 200
    assert as_bob.get("/comparisons").json == {"items": [], "next": None}
    cancelled: Any = as_charlie.post(f"{path}/cancel").json
    assert (cancelled["state"], cancelled["why"]) == ("cancelled", "it was cancelled")
    problem(as_alice.post(f"{path}/cancel"), 409)
    problem(as_alice.get("/comparisons/99"), 404)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"bot": "none"}, 404),
        ({"bot": "mine", "challenger": 2, "defender": 2}, 409),
        ({"bot": "mine", "field": 9}, 422),
        ({"bot": "mine", "bounds": [0]}, 422),
        ({"bot": "mine", "bounds": [20, 0]}, 422),
        ({"bot": "mine", "games": 10_001}, 422),
        ({"bot": "mine", "rated": True}, 422),
    ],
)
def test_what_cannot_be_compared_is_told(
    mine: None, as_alice: Caller, body: dict[str, Any], status: int
) -> None:
    problem(as_alice.post("/comparisons", body), status)


def test_over_its_budget_an_author_is_told_when_to_come_back(mine: None, as_alice: Caller) -> None:
    for _ in range(2):
        assert as_alice.post("/comparisons", {**WANTED, "games": 10_000}).status_code == 201
    told = problem(as_alice.post("/comparisons", WANTED), 429)
    assert "running" in told["detail"]


def test_the_form_leads_to_the_comparison_whose_page_and_matches_are_there(
    mine: None, books: Books, browse: Browse, alice: User
) -> None:
    visitor = browse(alice)
    assert "better than version" in visitor.get("/bots/alice/mine").text
    fields = {"challenger": "2", "defender": "1", "field": "0", "games": "200"}
    answer = visitor.send("/bots/alice/mine/compare", **fields)
    assert (answer.status_code, answer.location) == (303, "/comparisons/1")
    play(books)
    assert "Log likelihood ratio" in visitor.get("/comparisons/1").text
    assert "alice/</span><wbr>mine" in visitor.get("/matches?comparison=1").text
    assert visitor.send("/bots/alice/mine/compare", **fields).location == "/comparisons/2"
    assert visitor.send("/comparisons/2/cancel").location == "/comparisons/2"
    assert "Ended early: it was cancelled" in visitor.get("/comparisons/2").text
    for wrong, why in (
        ({"games": "many"}, "games"),
        ({"defender": "2", "games": "100"}, "would meet itself"),
    ):
        again = visitor.send("/bots/alice/mine/compare", **{**fields, **wrong})
        form = again.text.partition('id="compare-title"')[2].partition("</section>")[0]
        assert (again.status_code in (409, 422), why in form, 'role="alert"' in form) == (True,) * 3
        assert f'value="{wrong["games"]}"' in form
        assert re.search('name="challenger">.*<option selected>2</option>', form)


def test_the_page_of_a_comparison_says_what_its_matches_wait_for(
    mine: None, books: Books, browse: Browse, alice: User
) -> None:
    visitor = browse(alice)
    fields = {"challenger": "2", "defender": "1", "field": "0", "games": "200"}
    page = visitor.send("/bots/alice/mine/compare", **fields).location
    assert "Its matches wait" not in visitor.get(page).text
    books.league(paused=True)
    assert "Its matches wait: The league bomb is paused" in visitor.get(page).text
    books.league()
    play(books)
    assert "Its matches wait" not in visitor.get(page).text


def test_versions_of_a_game_that_is_not_installed_are_not_compared(
    mine: None, books: Books, browse: Browse, alice: User
) -> None:
    with books.write() as session:
        session.execute(update(Bot).values(game="gone"))
        session.execute(update(League).values(name="gone", game="gone"))
    fields = {"challenger": "2", "defender": "1", "field": "0", "games": "200"}
    refused = browse(alice).send("/bots/alice/mine/compare", **fields)
    assert refused.status_code == 404
    assert "There is no game" in refused.text
    assert 'value="200"' in refused.text
