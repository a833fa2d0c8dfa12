"""Pages and answers about matches and seasons with removed records do not break."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from matchbox.match.wire import TryOut
from server.db.models import Match, User
from server.services.tick import prune_some, tick
from tests.books import Books, tried_out
from tests.unit.server.routes.conftest import (
    Browse,
    Caller,
    open_season,
    play_all,
    problem,
    start_season,
)


@pytest.fixture
def season(books: Books, charlie: User, alice: User, bob: User) -> int:
    """A finished season."""
    number = open_season(books, charlie, alice, bob)
    start_season(books, charlie, number)
    play_all(books)
    tick(books.context)
    return number


@pytest.fixture
def gone(books: Books, season: int) -> str:
    """The id of a match of the season whose record was removed."""
    with books.read() as session:
        name = session.scalars(select(Match.id).where(Match.season_id == season)).first()
    assert name is not None
    books.clock.pass_by(minutes=60 * 24 * 31)
    days: dict[str, Any] = {
        "keep_output_days": 30,
        "keep_record_days": 30,
        "keep_season_record_days": 30,
    }
    settings = replace(books.settings, **days)
    assert prune_some(replace(books.context, settings=settings))["season-records"]
    return name


def test_the_page_of_a_match_says_it_and_shows_the_result(
    browse: Browse, gone: str, charlie: User
) -> None:
    for user in (None, charlie):
        page = browse(user).get(f"/matches/{gone}")
        assert page.status_code == 200
        assert f"The record of match {gone} was removed after 30 days" in page.text


def test_every_other_page_goes_on(browse: Browse, gone: str, season: int, charlie: User) -> None:
    for path in ("/", "/matches", f"/seasons/{season}", "/games/bomb", "/bots/alice/alice-bot"):
        for user in (None, charlie):
            assert browse(user).get(path).status_code == 200, path
    assert browse(None).get(f"/matches/{gone}/bouts/0.json").status_code == 404


def test_the_page_of_a_version_says_that_the_output_of_its_try_out_was_removed(
    browse: Browse, as_alice: Caller, books: Books, alice: User, bob: User
) -> None:
    books.upload(alice, "one")
    (job,) = books.sent(TryOut)
    books.settle(tried_out(job, accepted=False))
    books.clock.pass_by(minutes=60 * 24 * 31)
    settings = replace(books.settings, keep_tryout_days=30)
    assert prune_some(replace(books.context, settings=settings))["tryouts"] == 1
    path = "/bots/alice/one/versions/1"
    page = browse(alice).get(path).text
    assert "What it printed was removed after 30 days." in page
    assert "ZeroDivisionError: division by zero in line 3" in page
    assert "What it printed" not in browse(bob).get(path).text
    report = as_alice.get("/bots/alice/one").get_json()["versions"][0]["report"]
    assert (report["log"], report["log_days"], report["verdict"]) == (None, 30, "crash")


def test_the_api_says_it_and_keeps_the_result(
    nobody: Caller, as_alice: Caller, gone: str, season: int
) -> None:
    answer = nobody.get(f"/matches/{gone}")
    told: Any = answer.json
    assert answer.status_code == 200
    assert "removed after 30 days; its result stays" in told["embargo"]
    assert (told["record"], told.get("bouts"), told["state"]) == (None, None, "finished")
    assert all(one["points"] is not None for one in told["entrants"])
    assert len(told["digest"]) == 64
    assert nobody.get(f"/seasons/{season}/standings").status_code == 200
    (log, *_) = (as_alice.get(f"/matches/{gone}/log").json or {})["items"]
    assert log["text"] == "The output was removed after 30 days."


def test_who_wants_the_records_hears_why_there_are_none(
    arena: Caller, as_alice: Caller, gone: str, season: int
) -> None:
    why = "removed after 30 days"
    assert why in problem(as_alice.post(f"/matches/{gone}/verification"), 404)["detail"]
    for path, code in (("export", 404), ("archive", 409)):
        told = problem(as_alice.get(f"/seasons/{season}/{path}"), code)["detail"]
        assert "30 days after its end" in told
    answer = arena.client.get(f"/internal/records/{gone}", headers=arena.headers)
    assert answer.status_code == 404
    assert why in answer.text
