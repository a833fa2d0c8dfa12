"""The forms of tables: one is opened with bots of the list or by name, joined, left and closed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from apiflask import APIFlask

from dashboard import play as pages
from server.db.models import PlayTable, User
from server.queries import play
from server.services import uploads
from tests.books import Books, really_played
from tests.unit.server.routes.conftest import Browse, Caller, open_season, start_season


@pytest.fixture
def bots(books: Books, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds two bots, of which the lists have one."""
    monkeypatch.setattr(pages, "LISTED", 1)
    books.bot(bob, "simple")
    books.bot(bob, "timid")


def test_a_bot_that_is_named_beside_the_list_takes_the_seat(
    browse: Browse, alice: User, books: Books, bots: None
) -> None:
    visitor = browse(alice)
    assert 'name="other-1"' in visitor.get("/play/bomb").text
    for typed, player in (("", "bob/timid"), (" bob/simple ", "bob/simple")):
        fields = {"seats": "2", "seat-0": "me", "seat-1": "bob/timid", "other-1": typed}
        answer = visitor.send("/play/bomb", **fields)
        assert answer.status_code == 303, answer.text
        table = answer.location.rpartition("/")[2]
        with books.read() as session:
            found = play.table(session, alice, table, settings=books.settings)
        assert [seat.name for seat in found.seats] == ["alice", player]


def test_a_name_that_no_bot_has_is_refused_and_stays_in_its_field(
    browse: Browse, alice: User, bots: None
) -> None:
    fields = {"seats": "2", "seat-0": "me", "seat-1": "bob/timid", "other-1": "bob/nobody"}
    answer = browse(alice).send("/play/bomb", **fields)
    assert answer.status_code == 404
    assert "There is no bot bob/nobody" in answer.text
    assert 'value="bob/nobody"' in answer.text
    assert 'data-wrong="other-1"' in answer.text
    fields |= {"seat-1": "bob/nobody", "other-1": ""}
    assert 'data-wrong="seat-1"' in browse(alice).send("/play/bomb", **fields).text


def test_a_table_goes_on_from_the_step_of_a_match_that_is_shown(
    browse: Browse, books: Books, alice: User, bob: User, charlie: User
) -> None:
    match = start_season(books, charlie, open_season(books, charlie, alice, bob))[0]
    for job in books.dispatch():
        books.record(really_played(books, job))
    visitor = browse(alice)
    shown = visitor.get(f"/matches/{match}?bout=1&move=3&seat=1").text
    (address,) = re.findall(r'id="go-on" href="([^"]+)">Play on from here', shown)
    assert address == f"/play/bomb?match={match}&amp;bout=1&amp;moves=3&amp;seat=1"
    page = visitor.get(unescape(address)).text
    assert f'href="/matches/{match}?bout=1&amp;move=3">bout 2 of match' in page
    assert 'name="option-' not in page
    assert "without what they have learned in seasons" in page
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', page))
    fields |= dict(re.findall(r'name="(seat-\d)">.*?<option value="([^"]+)" selected', page, re.S))
    assert fields["seat-1"] == "me"
    table = visitor.send("/play/bomb", **fields).location.rpartition("/")[2]
    with books.read() as session:
        row = session.get_one(PlayTable, table)
        assert len(row.said) == 3
    origin = f'goes on from <a href="/matches/{match}?bout=1&amp;move=3">bout 2 of match'
    assert origin in visitor.get(f"/play/bomb/{table}").text
    refused = visitor.send("/play/bomb", **{**fields, "moves": "5000"})
    assert refused.status_code == 422
    assert "choose an earlier position" in refused.text
    assert 'name="moves" value="5000"' in refused.text
    (other,) = re.findall(r'name="seat-0">.*?<option value="([^"]+)" selected', page, re.S)
    assert "does not play any more" not in page
    with books.write() as session:
        uploads.retire(session, charlie, other, now=books.clock())
    page = visitor.get(unescape(address)).text
    assert f"{other} does not play any more." in page
    assert f'value="{other}"' not in page
    owner = alice if other.startswith("alice/") else bob
    successor = books.bot(owner, "successor").bot.full_name
    page = visitor.get(unescape(address)).text
    assert f"{successor} takes its seat, unless you choose another." in page
    assert f'<option value="{successor}" selected>' in page
    over = visitor.get(f"/matches/{match}?bout=1&step=5000").text
    assert re.search(r'id="go-on" href="[^"]+" hidden>', over)
    for wrong in ("moves=x", "moves=1&bout=99", "moves=1&bout=0&match=0"):
        assert visitor.get(f"/play/bomb?match={match}&bout=0&{wrong}").status_code in (200, 404)
    assert visitor.get(f"/play/bomb?match={match}&bout=99&moves=1").status_code == 404
    assert visitor.get(f"/play/skull?match={match}&bout=0&moves=1").status_code == 404
    late = visitor.get(f"/play/bomb?match={match}&bout=0&moves=5000")
    assert (late.status_code, "has no move 5000" in late.text) == (404, True)
    unknown = visitor.send("/play/bomb", **{**fields, "match": "f" * 5000})
    assert (unknown.status_code, "f" * 100 in unknown.text) == (404, False)
    login = browse(None).get(unescape(address)).text
    assert f"next=/play/bomb?match%3D{match}%26bout%3D1%26moves%3D3" in login


TWO = {"seats": "2", "seat-0": "me", "seat-1": "friend"}


def test_two_people_meet_play_and_part_by_forms(
    browse: Browse, as_alice: Caller, alice: User, bob: User, nobody: Caller
) -> None:
    host, guest = browse(alice), browse(bob)
    page = host.send("/play/bomb", **TWO).location
    address = f"/tables/{page.rpartition('/')[2]}"

    def table() -> Any:
        return as_alice.get(address).json

    secret = table()["join"]
    assert guest.send(f"{page}/join", secret="0" * 32).status_code == 403
    assert guest.send(f"{page}/join", secret=secret).location == page
    assert table()["state"] == "persons"
    move = json.dumps(table()["choices"][0]["move"])
    refused = host.send(f"{page}/moves", move="{")
    assert refused.status_code == 422
    assert "is not a move" in refused.text
    half = host.send(f"{page}/moves", move='"\\ud800"')
    assert (half.status_code, "it holds half a character" in half.text) == (422, True)
    assert browse(None).send(f"{page}/moves", move=move).status_code == 401
    assert len(table()["steps"]) == 1, "the beginning"
    assert host.send(f"{page}/moves", move=move, turn="0").location == page
    assert len(table()["steps"]) == 2
    again = host.send(f"{page}/moves", move=move, turn="0")
    assert (again.status_code, "chosen for another turn" in again.text) == (409, True)
    assert guest.send(f"{page}/leave").location == page
    assert table()["state"] == "ended"
    late = host.send(f"{page}/leave")
    assert (late.status_code, "This game is over already" in late.text) == (409, True)
    late = host.send(f"{page}/moves", move=move)
    assert (late.status_code, 'role="alert"' in late.text) == (409, True)


def test_an_operator_closes_a_table_by_its_form(
    browse: Browse, as_alice: Caller, alice: User, charlie: User
) -> None:
    page = browse(alice).send("/play/bomb", **TWO).location
    assert browse(alice).send(f"{page}/close").status_code == 403
    assert browse(charlie).send(f"{page}/close").location == "/play#tables"
    told: Any = as_alice.get(f"/tables/{page.rpartition('/')[2]}").json
    assert told["state"] == "ended"


def test_where_play_is_switched_off_the_pages_say_so_and_have_no_form(
    app: APIFlask, browse: Browse, alice: User, books: Books
) -> None:
    visitor = browse(alice)
    assert 'action="/play/bomb"' in visitor.get("/play/bomb").text
    settings = replace(books.settings, play_tables=0)
    app.extensions["matchbox"] = replace(books.context, settings=settings)
    for page in ("/play", "/play/bomb"):
        told = visitor.get(page).text
        assert "Play against bots is switched off" in told
        assert 'action="/play/bomb"' not in told
    refused = visitor.send("/play/bomb", **TWO)
    assert refused.status_code == 403


def test_a_table_whose_rules_have_changed_says_that_it_cannot_go_on(
    browse: Browse, as_alice: Caller, alice: User, bob: User, books: Books
) -> None:
    host = browse(alice)
    page = host.send("/play/bomb", **TWO).location
    name = page.rpartition("/")[2]
    told: Any = as_alice.get(f"/tables/{name}").json
    browse(bob).send(f"{page}/join", secret=told["join"])
    assert "It is your turn" in host.get(page).text
    with books.write() as session:
        session.get_one(PlayTable, name).rules = "older"
    after = host.get(page).text
    assert "it cannot go on. Leave the table" in after
    assert f'action="{page}/leave"' in after
