"""The operators' forms for a season, a match, a version: each leads back or shows an error."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from sqlalchemy import update

from dashboard import wording
from server.db.models import User, Version, VersionState
from server.services.remote_names import arena_name
from server.times import iso
from tests.books import Books, really_played
from tests.unit.server.routes.conftest import Browse, open_season, start_season
from tests.unit.server.test_leases import ONE, report

BOT = {"bot": "alice/alice-bot", "reason": "two accounts, one author"}


def test_an_operator_operates_a_season(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    season = open_season(books, charlie, alice, bob)
    start_season(books, charlie, season)
    page, operator = f"/seasons/{season}/operate", browse(charlie)
    assert browse(None).get(page).location.startswith("/login")
    assert browse(alice).get(page).status_code == 403
    for step in ("disqualify", "reinstate", "rerun", "recompute"):
        assert browse(alice).send(f"/seasons/{season}/{step}", **BOT).status_code == 403
    assert operator.get(page).status_code == 200
    assert operator.send(f"/seasons/{season}/disqualify", **BOT).location == page
    assert "two accounts, one author" in browse(None).get(f"/seasons/{season}").text
    refused = operator.send(f"/seasons/{season}/disqualify", **BOT)
    assert refused.status_code == 409
    assert "is disqualified from season first already" in refused.text
    assert operator.send(f"/seasons/{season}/reinstate", **BOT).location == page
    assert operator.send(f"/seasons/{season}/rerun", round="1", reason="no disk").location == page
    wrong = operator.send(f"/seasons/{season}/rerun", round="one", reason="no disk")
    assert wrong.status_code == 422
    assert 'value="no disk"' not in wrong.text, "what was typed goes back to its own form alone"
    assert operator.send(f"/seasons/{season}/recompute").location == f"{page}#standing"
    shown = operator.get(page).text
    computed = shown.partition("It is computed automatically after matches end, last ")[2]
    assert wording.exact(iso(books.clock())) in computed.partition("</p>")[0]
    for deed in ("disqualify", "reinstate", "rerun", "recompute"):
        assert f"season.{deed}" in shown


def test_an_operator_operates_a_match(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    name, _ = start_season(books, charlie, open_season(books, charlie, alice, bob))
    for job in books.dispatch():
        if job.match == name:
            books.record(really_played(books, job))
    page, operator = f"/matches/{name}/operate", browse(charlie)
    assert page in operator.get(f"/matches/{name}").text
    assert page not in browse(alice).get(f"/matches/{name}").text
    void = f"/admin/matches/{name}/void"
    assert browse(None).send(void, reason="no disk").status_code == 401
    assert browse(alice).send(void, reason="no disk").status_code == 403
    unsaid = operator.send(void, reason=" ")
    assert unsaid.status_code == 422
    assert "Say why" in unsaid.text
    assert operator.send(void, reason="no disk").location == page
    assert "Void: it counts nowhere: no disk." in browse(None).get(f"/matches/{name}").text
    assert operator.send(void, reason="no disk").status_code == 409
    again = f"/admin/matches/{name}/again"
    assert operator.send(again, reason="the disk is back").location == page
    assert operator.send(again, reason="the disk is back").status_code == 409
    assert "Played again as" in operator.get(page).text


def test_an_operator_reinstates_a_version(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    number = books.bot(alice, "shaky").id
    with books.write() as session:
        gone = {"state": VersionState.SUSPENDED, "trouble": "8 of 80 bouts"}
        session.execute(update(Version).values(**gone))
    page = "/bots/alice/shaky/versions/1"
    assert "8 of 80 bouts" in browse(alice).get(page).text
    reinstate = f"/admin/versions/{number}/reinstate"
    assert browse(alice).send(reinstate, reason="a mended box").status_code == 403
    assert browse(charlie).send(reinstate, reason="a mended box").location == page
    assert books.version(number).state == VersionState.ACTIVE
    assert browse(charlie).send(reinstate, reason="a mended box").status_code == 409


def test_the_log_s_page_shows_what_was_done(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    season = open_season(books, charlie, alice, bob)
    start_season(books, charlie, season)
    assert browse(None).get("/admin/audit").location == "/login?next=/admin/audit"
    assert browse(alice).get("/admin/audit").status_code == 403
    page = browse(charlie).get(f"/admin/audit?subject=season:{season}").text
    assert "season.start" in page
    assert f'href="/seasons/{season}"' in page
    assert "/admin/audit" in browse(charlie).get("/admin").text


def test_an_operator_stops_an_arena_and_makes_its_matches_void(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    start_season(books, charlie, open_season(books, charlie, alice, bob))
    report(books, ONE)
    for job in books.dispatch():
        books.record(replace(really_played(books, job), arena=ONE))
    page, operator = f"/admin/arenas/{ONE}", browse(charlie)
    assert browse(None).get(page).location.startswith("/login")
    assert browse(alice).get(page).status_code == 403
    assert operator.get("/admin/arenas/arena-9@nowhere").status_code == 404
    assert page in operator.get("/admin/health").text
    for step in ("stop", "go-on", "void"):
        times = {"since": "2020-01-01", "until": "2030-01-01"}
        assert browse(alice).send(f"{page}/{step}", reason="x", **times).status_code == 403
    assert operator.send(f"{page}/stop", reason="a bad disk").location == page
    assert "It is stopped and gets no jobs: a bad disk." in operator.get(page).text
    assert operator.send(f"{page}/stop", reason="a bad disk").status_code == 409
    assert "is not a time" in operator.get(f"{page}?since=now").text
    counted = operator.get(f"{page}?since=2020-01-01").text
    assert "that ended on it since 2020-01-01T00:00:00.000Z can be made void" in counted
    times = {"since": "2020-01-01", "until": "2030-01-01"}
    assert 'name="again" value="1" checked' in counted
    refused = operator.send(f"{page}/void", reason=" ", **times)
    assert refused.status_code == 422
    assert 'name="again" value="1">' in refused.text, "it was not ticked"
    assert operator.send(f"{page}/void", reason="a bad disk", **times).location == page
    assert "0 matches that ended" in operator.get(f"{page}?since=2020-01-01").text
    assert operator.send(f"{page}/go-on", reason="a new disk").location == page
    shown = operator.get(page).text
    assert all(f"arena.{deed}" in shown for deed in ("stop", "go-on", "void"))


def test_an_operator_makes_a_key_drains_its_host_and_removes_it(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    page, operator = "/admin/arenas", browse(charlie)
    assert browse(None).get(page).location.startswith("/login")
    assert browse(alice).get(page).status_code == 403
    assert browse(alice).send("/admin/arena-keys", name="lab").status_code == 403
    assert "No other host has a key yet." in operator.get(page).text
    made = operator.send("/admin/arena-keys", name="lab")
    key = re.search(r"mba_[A-Za-z0-9_-]{43}", made.text)
    assert key is not None
    assert made.headers["Cache-Control"] == "no-store"
    assert key.group() not in operator.get(page).text
    report(books, arena_name("lab", 1))
    health = operator.get("/admin/health").text
    assert "lab-1" in health
    assert '<td data-label="Kind">Matches</td>' in health
    for name, status in (("lab", 409), ("L", 422), ("x" * 25, 422)):
        assert operator.send("/admin/arena-keys", name=name).status_code == status
    place, keys = "/admin/arena-keys/lab", f"{page}#keys"
    for step in ("drain", "undrain", "remove"):
        assert browse(alice).send(f"{place}/{step}").status_code == 403
    assert operator.send(f"{place}/drain").location == keys
    assert operator.send(f"{place}/drain").status_code == 409
    assert "it has no job left" in operator.get(page).text
    assert "draining" in operator.get(f"/admin/arenas/{arena_name('lab', 1)}").text
    assert "draining" in operator.get("/admin/health").text
    assert operator.send(f"{place}/undrain").location == keys
    assert operator.send(f"{place}/undrain").status_code == 409
    assert operator.send(f"{place}/remove").location == keys
    assert operator.send(f"{place}/remove").status_code == 404
    assert "removed" in operator.get("/admin/health").text
    assert operator.send("/admin/arena-keys", name="lab").status_code == 409
    lines = operator.get("/admin/audit").text
    assert all(f"arena-key.{deed}" in lines for deed in ("make", "drain", "undrain", "remove"))


@pytest.mark.parametrize(
    ("path", "fields", "wrong"),
    [
        ("/leagues/bomb/invite", {"user": "nobody"}, "user"),
        ("/leagues/bomb/uninvite", {"user": "bob"}, "user"),
        ("/seasons", {"league": "nothing"}, "league"),
        ("/leagues/bomb", {"separation": "odd"}, "separation"),
        ("/leagues", {"name": "new", "game": "chess"}, "game"),
        ("/seasons/{season}/enter", {"bot": "alice/nobody"}, "bot"),
        ("/seasons/{season}/disqualify", {"bot": "bob/other", "reason": "why"}, "bot"),
        ("/seasons/{season}/rerun", {"round": "77", "reason": "why"}, "round"),
        (
            "/bots/alice/alice-bot/compare",
            {"challenger": "1", "defender": "9", "field": "0", "games": "50"},
            "defender",
        ),
    ],
)
def test_a_refusal_names_the_field_that_it_is_about(
    browse: Browse,
    books: Books,
    alice: User,
    bob: User,
    charlie: User,
    path: str,
    fields: dict[str, str],
    wrong: str,
) -> None:
    season = open_season(books, charlie, alice)
    books.bot(bob, "other")
    if path.endswith("rerun"):
        season = open_season(books, charlie, alice, bob, name="second")
        start_season(books, charlie, season)
    answer = browse(charlie).send(path.format(season=season), **fields)
    assert answer.status_code in (404, 409, 422), answer.text
    assert f'data-wrong="{wrong}"' in answer.text
