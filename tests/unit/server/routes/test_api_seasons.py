"""Seasons in the API, from their creation to their records."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from typing import Any

import msgspec
import pytest

from matchbox.league.archive import Archive
from matchbox.match import record as records
from matchbox.match.record import Record
from server import zips
from server.db.models import User
from tests.books import Books
from tests.seasons import unplayed
from tests.unit.server.routes.conftest import (
    Caller,
    open_season,
    play_all,
    problem,
    start_season,
)

AUTUMN = {"name": "autumn", "league": "bomb"}


@pytest.fixture
def season(books: Books, charlie: User, alice: User, bob: User) -> int:
    """An open season with a bot of alice's and one of bob's in it."""
    return open_season(books, charlie, alice, bob)


def test_an_operator_makes_a_season(nobody: Caller, as_alice: Caller, as_charlie: Caller) -> None:
    problem(nobody.post("/seasons", AUTUMN), 401)
    problem(as_alice.post("/seasons", AUTUMN), 403)
    made = as_charlie.post("/seasons", AUTUMN)
    assert made.status_code == 201, made.text
    told: Any = made.json
    assert made.headers["Location"] == f"/api/v1/seasons/{told['id']}"
    assert told["state"] == "open"
    assert nobody.get("/seasons/autumn").json == {**told, "may_enter": False}
    listed: Any = nobody.get("/seasons").json
    assert [one["name"] for one in listed["items"]] == ["autumn"]
    problem(as_charlie.post("/seasons", AUTUMN), 409)


def test_the_list_of_seasons_comes_in_long_pages(
    books: Books, nobody: Caller, charlie: User
) -> None:
    made = unplayed(books, books.league(), 201)
    first: Any = nobody.get("/seasons").json
    assert [one["id"] for one in first["items"]] == made[:0:-1]
    last: Any = nobody.get(f"/seasons?cursor={first['next']}").json
    assert ([one["id"] for one in last["items"]], last["next"]) == (made[:1], None)
    short: Any = nobody.get("/seasons?league=bomb&limit=2").json
    assert [one["id"] for one in short["items"]] == made[:-3:-1]
    assert nobody.get("/seasons?league=other").json == {"items": [], "next": None}
    problem(nobody.get("/seasons?cursor=x"), 422)
    problem(nobody.get("/seasons?limit=201"), 422)


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"league": "nothing"}, 404),
        ({"name": ""}, 422),
        ({"name": "bomb"}, 422),
        ({"name": "7"}, 422),
        ({"cycles": 0}, 422),
        ({"deals": "many"}, 422),
        ({"colour": "red"}, 422),
    ],
)
def test_a_poor_season_is_refused(as_charlie: Caller, more: dict[str, Any], status: int) -> None:
    problem(as_charlie.post("/seasons", {**AUTUMN, **more}), status)


def test_a_seed_that_can_be_guessed_is_refused_in_a_sentence(as_charlie: Caller) -> None:
    answer = as_charlie.post("/seasons", {**AUTUMN, "seed": "x1"})
    problem(answer, 422)
    assert "a season's seed has 16 to 64 printable characters" in answer.text


def test_bots_enter_and_leave_by_their_owners(
    nobody: Caller, as_alice: Caller, as_bob: Caller, as_charlie: Caller, books: Books, alice: User
) -> None:
    as_charlie.post("/seasons", AUTUMN)
    books.bot(alice, "timid")
    enter, leave = "/seasons/autumn/enter", "/seasons/autumn/leave"
    problem(nobody.post(enter, {"bot": "alice/timid"}), 401)
    problem(as_bob.post(enter, {"bot": "alice/timid"}), 403)
    problem(as_bob.post(enter, {"bot": "timid"}), 404)
    told: Any = as_alice.post(enter, {"bot": "timid"}).json
    assert [one["bot"] for one in told["entrants"]] == ["alice/timid"]
    problem(as_alice.post(enter, {"bot": "alice/timid"}), 409)
    problem(as_bob.post(leave, {"bot": "alice/timid"}), 403)
    told = as_charlie.post(leave, {"bot": "alice/timid"}).json
    assert told["entrants"] == []
    problem(as_alice.post(leave, {"bot": "timid"}), 404)


@pytest.mark.parametrize("step", ["start", "pause", "resume", "cancel"])
def test_only_operators_run_a_season(
    step: str, season: int, nobody: Caller, as_alice: Caller
) -> None:
    problem(nobody.post(f"/seasons/{season}/{step}"), 401)
    problem(as_alice.post(f"/seasons/{season}/{step}"), 403)


def test_a_draft_is_opened_and_its_versions_are_fixed(
    as_alice: Caller, as_charlie: Caller, season: int
) -> None:
    draft: Any = as_charlie.post("/seasons", {**AUTUMN, "draft": True}).json
    assert draft["state"] == "draft"
    operate = f"/seasons/{draft['id']}"
    early: Any = as_charlie.post(f"{operate}/rerun", {"reason": "none"}).json
    assert "is draft; only a season that is running" in early["detail"]
    assert as_charlie.get(f"{operate}/lessons").json == {"items": [], "next": None}
    assert as_charlie.get(f"{operate}/archive").status_code == 409
    assert "is draft; its records" in as_charlie.get(f"{operate}/export").get_json()["detail"]
    of_authors = "/leagues/bomb/results?season=autumn"
    assert as_charlie.get(of_authors).get_json()["season"] == "autumn"
    problem(as_alice.get("/seasons/autumn"), 404)
    problem(as_alice.post("/seasons/autumn/open"), 403)
    assert as_charlie.post("/seasons/autumn/open").get_json()["state"] == "open"
    assert as_alice.get("/seasons/autumn").status_code == 200
    problem(as_alice.post(f"/seasons/{season}/freeze"), 403)
    assert as_charlie.post(f"/seasons/{season}/freeze").get_json()["state"] == "frozen"


def test_a_season_that_is_over_is_exported_with_the_bots_that_one_may_have(
    books: Books, charlie: User, season: int, nobody: Caller, as_alice: Caller, as_charlie: Caller
) -> None:
    start_season(books, charlie, season)
    problem(nobody.get(f"/seasons/{season}/archive"), 409)
    play_all(books)
    as_alice.post("/account/sharing", {"shares": True})
    for caller, asked, files in (
        (nobody, "", 1),
        (as_alice, "?bundles=mine", 1),
        (as_charlie, "?bundles=mine", 0),
        (as_charlie, "?bundles=all", 2),
    ):
        with caller.get(f"/seasons/{season}/archive{asked}") as answer:
            assert (answer.status_code, answer.mimetype) == (200, "application/zip")
            assert answer.headers["Cache-Control"] == "private, no-cache"
            archive = Archive(BytesIO(answer.data))
            assert int(answer.headers["Content-Length"]) == len(answer.data)
        assert len(archive.matches) == 2
        given = [archive.bundle(one.version) for one in archive.head.entrants]
        assert len([one for one in given if one is not None]) == files
    problem(nobody.get(f"/seasons/{season}/archive?bundles=all"), 401)
    problem(as_alice.get(f"/seasons/{season}/archive?bundles=all"), 403)


def test_a_season_is_started_paused_resumed_and_cancelled(season: int, as_charlie: Caller) -> None:
    for step, state in (
        ("start", "running"),
        ("pause", "paused"),
        ("resume", "running"),
        ("cancel", "cancelled"),
    ):
        told: Any = as_charlie.post(f"/seasons/{season}/{step}").json
        assert told["state"] == state
    problem(as_charlie.post(f"/seasons/{season}/start"), 409)


def test_a_season_of_one_bot_does_not_start(
    books: Books, charlie: User, alice: User, as_charlie: Caller
) -> None:
    season = open_season(books, charlie, alice)
    assert "fewer than 2" in problem(as_charlie.post(f"/seasons/{season}/start"), 409)["detail"]


def test_a_finished_season_tells_its_standing(
    season: int, books: Books, charlie: User, nobody: Caller
) -> None:
    start_season(books, charlie, season)
    play_all(books)
    told: Any = nobody.get(f"/seasons/{season}").json
    assert told["state"] == "finished"
    board: Any = nobody.get("/seasons/first/standings").json
    assert {line["bot"] for line in board["lines"]} == {"alice/alice-bot", "bob/bob-bot"}
    assert board["matches"] == told["matches"]
    assert board["title"] == "first"


def test_records_are_exported_once_the_season_is_over(
    season: int, books: Books, charlie: User, nobody: Caller
) -> None:
    matches = start_season(books, charlie, season)
    assert "closed until it is over" in problem(nobody.get("/seasons/first/export"), 403)["detail"]
    play_all(books)
    answer = nobody.get(f"/seasons/{season}/export")
    assert answer.mimetype == "application/x-ndjson"
    lines = [msgspec.json.decode(line) for line in answer.data.splitlines()]
    told = [msgspec.convert(line["record"], Record) for line in lines]
    assert [record.match for record in told] == matches
    assert [records.digest(record) for record in told] == [line["digest"] for line in lines]


def test_a_download_that_is_read_slowly_keeps_no_connection_to_the_database(
    season: int, books: Books, charlie: User, nobody: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = start_season(books, charlie, season)
    play_all(books)
    monkeypatch.setattr(import_module("server.queries.games"), "_QUERY_CHUNK", 1)
    answer = nobody.get(f"/seasons/{season}/export", buffered=False)
    lines = answer.iter_encoded()
    first = msgspec.json.decode(next(lines))
    connections: Any = books.context.database._readers.pool
    assert connections.checkedout() == 0
    told = [first, *map(msgspec.json.decode, lines)]
    assert [line["record"]["match"] for line in told] == matches
    answer.close()


def test_only_a_few_downloads_of_records_go_on_at_once(
    season: int, books: Books, charlie: User, nobody: Caller
) -> None:
    start_season(books, charlie, season)
    play_all(books)
    path = f"/seasons/{season}/export"
    held = [nobody.get(path, buffered=False) for _ in range(zips.MAX_UNREAD)]
    refused = nobody.get(path)
    assert "try again in a minute" in problem(refused, 503)["detail"]
    assert refused.headers["Retry-After"] == "60"
    for one in held:
        one.close()
    with nobody.get(path, buffered=False) as answer:
        assert answer.status_code == 200


def test_what_is_not_there_is_not_found(nobody: Caller, as_charlie: Caller) -> None:
    for path in ("/seasons/nothing", "/seasons/999", f"/seasons/{'9' * 60}",
                 "/seasons/nothing/standings", "/seasons/nothing/export"):  # fmt: skip
        problem(nobody.get(path), 404)
    problem(as_charlie.post("/seasons/nothing/start"), 404)
