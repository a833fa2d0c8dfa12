"""The operators' actions on seasons and matches in the API, and the log of them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from server.db.models import Audit, User, Version, VersionState
from tests.books import Books, played
from tests.unit.server.routes.conftest import (
    Caller,
    open_season,
    play_all,
    problem,
    start_season,
)

WHY = {"reason": "the arena lost its disk"}
BOT = {"bot": "alice/alice-bot", "reason": "two accounts, one author"}


@pytest.fixture
def season(books: Books, charlie: User, alice: User, bob: User) -> int:
    """A running season of a bot of alice's and one of bob's."""
    number = open_season(books, charlie, alice, bob)
    start_season(books, charlie, number)
    return number


def first_match(caller: Caller, season: int) -> str:
    """The id of the season's first match."""
    listed: Any = caller.get(f"/matches?season={season}").json
    return str(listed["items"][-1]["id"])


@pytest.mark.parametrize(
    "path, body",
    [
        ("/seasons/first/disqualify", BOT),
        ("/seasons/first/reinstate", BOT),
        ("/seasons/first/rerun", WHY),
        ("/seasons/first/recompute", None),
        ("/leagues/bomb/recompute", None),
        ("/matches/{match}/void", WHY),
        ("/matches/{match}/again", WHY),
        ("/matches/{match}/requeue", None),
        ("/versions/1/reinstate", WHY),
    ],
)
def test_only_operators_may(
    path: str, body: Any, season: int, nobody: Caller, as_alice: Caller
) -> None:
    path = path.format(match=first_match(nobody, season))
    problem(nobody.post(path, body), 401)
    problem(as_alice.post(path, body), 403)


def test_a_bot_is_disqualified_and_reinstated(
    season: int, as_charlie: Caller, nobody: Caller
) -> None:
    told: Any = as_charlie.post(f"/seasons/{season}/disqualify", BOT).json
    outs = {one["bot"]: (one["out"], one["out_why"]) for one in told["entrants"]}
    assert outs == {
        "alice/alice-bot": ("disqualified", "two accounts, one author"),
        "bob/bob-bot": ("", ""),
    }
    assert nobody.get("/seasons/first").json["entrants"][0]["out"] == "disqualified"  # type: ignore[index]
    problem(as_charlie.post(f"/seasons/{season}/disqualify", BOT), 409)
    problem(as_charlie.post(f"/seasons/{season}/disqualify", {**BOT, "bot": "bob/none"}), 404)
    back: Any = as_charlie.post("/seasons/first/reinstate", BOT).json
    assert {one["out"] for one in back["entrants"]} == {""}


def test_a_finished_match_is_void_and_played_again(
    season: int, books: Books, as_charlie: Caller, nobody: Caller
) -> None:
    jobs = books.dispatch()

    assert books.record(played(jobs[0]))
    name = jobs[0].match
    void: Any = as_charlie.post(f"/matches/{name}/void", {**WHY, "again": True}).json
    assert (void["state"], void["void_why"]) == ("void", WHY["reason"])
    assert void["record"]["match"] == name
    new: Any = nobody.get(f"/matches/{void['replaced_by']}").json
    assert (new["state"], new["replaces"]) == ("queued", name)
    problem(as_charlie.post(f"/matches/{name}/void", WHY), 409)
    problem(as_charlie.post(f"/matches/{name}/again", WHY), 409)
    other: Any = as_charlie.post(f"/matches/{jobs[1].match}/void", WHY).json
    assert other["replaced_by"] is None
    again: Any = as_charlie.post(f"/matches/{jobs[1].match}/again", WHY).json
    assert (again["state"], again["replaces"]) == ("queued", jobs[1].match)


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "x" * 401}, {**WHY, "score": 1}])
def test_a_deed_without_its_reason_is_refused(
    body: dict[str, Any], season: int, as_charlie: Caller
) -> None:
    problem(as_charlie.post(f"/matches/{first_match(as_charlie, season)}/void", body), 422)
    problem(as_charlie.post("/seasons/first/rerun", body), 422)


def test_a_round_is_played_again(season: int, as_charlie: Caller, books: Books) -> None:
    told: Any = as_charlie.post("/seasons/first/rerun", {**WHY, "round": 1}).json
    assert told["state"] == "running"
    states: Any = as_charlie.get(f"/matches?season={season}").json
    assert "void" in {one["state"] for one in states["items"]}
    problem(as_charlie.post("/seasons/first/rerun", {**WHY, "round": 50}), 404)
    assert play_all(books)
    problem(as_charlie.post("/seasons/first/rerun", WHY), 409)


def test_a_standing_is_computed_now(season: int, as_charlie: Caller, books: Books) -> None:

    assert all(books.record(played(job)) for job in books.dispatch()[:1])
    before: Any = as_charlie.get("/seasons/first/standings").json
    told: Any = as_charlie.post("/seasons/first/recompute").json
    assert (before["matches"], told["matches"]) == (0, 1)
    league: Any = as_charlie.post("/leagues/bomb/recompute").json
    assert league == as_charlie.get("/leagues/bomb").json
    problem(as_charlie.post("/leagues/nothing/recompute"), 404)
    as_charlie.post("/seasons", {"name": "later", "league": "bomb", "draft": True})
    assert as_charlie.post("/seasons/later/recompute").status_code == 200


def test_a_suspended_version_is_reinstated(
    books: Books, alice: User, as_charlie: Caller, nobody: Caller
) -> None:
    number = books.bot(alice, "shaky").id
    problem(as_charlie.post(f"/versions/{number}/reinstate", WHY), 409)
    with books.write() as session:
        gone = {"state": VersionState.SUSPENDED, "trouble": "8 of 80 bouts", "forfeits": 8}
        session.execute(update(Version).values(**gone))
    shown: Any = nobody.get(f"/versions/{number}").json
    assert (shown["state"], shown["trouble"], shown["forfeits"]) == (
        "suspended",
        "8 of 80 bouts",
        8,
    )
    told: Any = as_charlie.post(f"/versions/{number}/reinstate", WHY).json
    assert (told["state"], told["trouble"], told["forfeits"]) == ("active", "", 0)


def test_the_log_is_for_operators_and_paged(
    season: int, nobody: Caller, as_alice: Caller, as_charlie: Caller
) -> None:
    problem(nobody.get("/audit"), 401)
    problem(as_alice.get("/audit"), 403)
    as_charlie.post("/seasons/first/disqualify", BOT)
    page: Any = as_charlie.get("/audit?limit=2").json
    assert page["items"][0]["action"] == "season.disqualify"
    assert page["items"][0]["actor"] == "charlie"
    assert page["items"][0]["name"] == "first"
    older: Any = as_charlie.get(f"/audit?limit=2&cursor={page['next']}").json
    assert older["items"][0]["id"] < page["items"][-1]["id"]
    mine: Any = as_charlie.get(f"/audit?subject=season:{season}&action=season.disqualify").json
    assert [one["detail"]["reason"] for one in mine["items"]] == [BOT["reason"]]
    problem(as_charlie.get("/audit?cursor=nonsense"), 422)


def test_an_action_that_does_not_exist_is_refused_with_those_that_do(
    books: Books, as_charlie: Caller
) -> None:
    told = problem(as_charlie.get("/audit?action=nonsense"), 422)["detail"]
    assert told.startswith("there is no action 'nonsense'; the actions: arena-key.drain, ")
    assert "season.start" in told
    assert as_charlie.get("/audit?action=season.start").json == {"items": [], "next": None}
    with books.write() as session:
        session.add(Audit(at=1, action="bot.crown", subject="bot:1", detail={}))
    earlier: Any = as_charlie.get("/audit?action=bot.crown").json
    assert [one["action"] for one in earlier["items"]] == ["bot.crown"]


def test_health_and_faults_are_for_operators(
    season: int, nobody: Caller, as_alice: Caller, as_charlie: Caller, books: Books
) -> None:
    play_all(books)
    for path in ("/health", "/faults"):
        problem(nobody.get(path), 401)
        problem(as_alice.get(path), 403)
    assert "findings" in as_charlie.get("/health").get_json()
    counted: Any = as_charlie.get("/faults?days=7").json
    assert counted["days"] == 7
    problem(as_charlie.get("/faults?days=8"), 422)
