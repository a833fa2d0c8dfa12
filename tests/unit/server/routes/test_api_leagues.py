"""Leagues in the API."""

from __future__ import annotations

import re
from typing import Any

import pytest
from apiflask import APIFlask

from matchbox.hooks import NAME
from matchbox.league.format import Format, write
from tests.unit.server.routes.conftest import Caller, problem

QUICK = {"name": "quick", "game": "bomb", "deals": 1}


def test_every_game_has_a_continuous_league_of_its_name(nobody: Caller) -> None:
    told: Any = nobody.get("/leagues").json
    assert [(one["name"], one["continuous"]) for one in told["items"]] == [("bomb", True)]
    own: dict[str, Any] = {"seasons": [], "season_count": 0, "invited": None}
    assert nobody.get("/leagues/bomb").json == {**told["items"][0], **own}


def test_an_operator_makes_a_league(nobody: Caller, as_alice: Caller, as_charlie: Caller) -> None:
    problem(nobody.post("/leagues", QUICK), 401)
    problem(as_alice.post("/leagues", QUICK), 403)
    made = as_charlie.post("/leagues", QUICK)
    assert made.status_code == 201, made.text
    assert made.headers["Location"] == "/api/v1/leagues/quick"
    assert as_charlie.get("/leagues/quick").json == made.json
    problem(as_charlie.post("/leagues", QUICK), 409)


def test_an_operator_invites_an_account_and_takes_it_back(
    as_alice: Caller, as_charlie: Caller
) -> None:
    for step, invited in (("invite", ["alice"]), ("uninvite", [])):
        problem(as_alice.post(f"/leagues/bomb/{step}", {"user": "alice"}), 403)
        answer: Any = as_charlie.post(f"/leagues/bomb/{step}", {"user": "alice"}).json
        assert answer["invited"] == invited


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"name": "bomb"}, 422),
        ({"name": "No!"}, 422),
        ({"game": "chess"}, 404),
        ({"seats": 7}, 422),
        ({"options": {"flavour": "sweet"}}, 422),
        ({"deals": 0}, 422),
        ({"deals": True}, 422),
        ({"separation": "some"}, 422),
        ({"surprise": 1}, 422),
    ],
)
def test_a_poor_league_is_refused(as_charlie: Caller, more: dict[str, Any], status: int) -> None:
    problem(as_charlie.post("/leagues", {**QUICK, **more}), status)


def test_an_operator_separates_the_rotations_of_a_league(
    as_bob: Caller, as_charlie: Caller
) -> None:
    made: Any = as_charlie.post("/leagues", {**QUICK, "separation": "strong"}).json
    assert made["separation"] == "strong"
    problem(as_bob.patch("/leagues/bomb", {"separation": "strong"}), 403)
    told: Any = as_charlie.patch("/leagues/bomb", {"separation": "strong"}).json
    assert told["separation"] == "strong"
    kept: Any = as_charlie.patch("/leagues/bomb", {"separation": None, "deals": 3}).json
    assert kept["separation"] == "strong"


def test_an_operator_pauses_and_resumes_a_league(
    nobody: Caller, as_bob: Caller, as_charlie: Caller
) -> None:
    problem(nobody.post("/leagues/bomb/pause"), 401)
    problem(as_bob.post("/leagues/bomb/pause"), 403)
    problem(as_charlie.post("/leagues/nothing/pause"), 404)
    paused: Any = as_charlie.post("/leagues/bomb/pause").json
    assert paused["paused"] is True
    resumed: Any = as_charlie.post("/leagues/bomb/resume").json
    assert resumed["paused"] is False


def test_games_and_their_boards_are_told(nobody: Caller) -> None:
    games: Any = nobody.get("/games").json
    (bomb,) = [game for game in games["items"] if game["name"] == "bomb"]
    assert (bomb["title"], bomb["seats"]) == ("Bomb", [2])
    board: Any = nobody.get("/leaderboards/bomb").json
    assert (board["league"], board["lines"]) == ("bomb", [])
    assert "chess" in problem(nobody.get("/leaderboards/chess"), 404)["detail"]


@pytest.mark.parametrize("name", ["connect_four", "2048", "go.9x9", "Chess", "x"])
def test_every_name_that_a_game_may_have_fits_all_addresses_of_games_and_leagues(
    app: APIFlask, name: str
) -> None:
    assert NAME.fullmatch(name)
    routes = app.url_map.bind("127.0.0.1")
    part, found = re.compile(r"<(\w+:)?game>|(?<=/leagues/)<(\w+:)?name>"), 0
    for rule in app.url_map.iter_rules():
        if not part.search(rule.rule):
            continue
        found += 1
        with_step = re.sub(r"<any[^>]*>", "pause", part.sub(name, rule.rule))
        method = next(iter((rule.methods or set()) - {"HEAD", "OPTIONS"}))
        endpoint, parts = routes.match(re.sub(r"<[^>]*>", "1" * 32, with_step), method)
        assert (endpoint, name in parts.values()) == (rule.endpoint, True), rule
    assert found > 30


def test_a_setting_without_a_meaning_is_refused_by_name(as_charlie: Caller) -> None:
    swiss = {**QUICK, "format": {"kind": "swiss", "question": "top"}}
    told: Any = problem(as_charlie.post("/leagues", swiss), 422)
    assert "question has no meaning in a swiss season" in told["detail"]
    made: Any = as_charlie.post("/leagues", {**QUICK, "format": {"kind": "swiss", "rounds": 7}})
    assert made.status_code == 201
    problem(as_charlie.patch("/leagues/quick", {"format": {"group": 4}}), 422)
    season = {"name": "cup", "league": "quick", "cycles": 3}
    told = problem(as_charlie.post("/seasons", season), 422)
    assert "cycles has no meaning in a swiss season" in told["detail"]
    both = {**season, "format": {"kind": "adaptive", "cycles": 2}}
    told = problem(as_charlie.post("/seasons", both), 422)
    assert "cycles is 3, and 2 in the format: leave out one of them" in told["detail"]
    assert as_charlie.post("/seasons", {**both, "cycles": 2}).status_code == 201
    problem(as_charlie.patch("/leagues/quick", {"deals": 3, "paced": True}), 422)


def test_a_client_may_send_back_every_setting_of_a_league_and_every_default(
    as_charlie: Caller,
) -> None:
    defaults = write(Format())
    assert as_charlie.post("/leagues", {**QUICK, "format": defaults}).status_code == 201
    swiss = {**defaults, "kind": "swiss", "rounds": 7}
    assert as_charlie.patch("/leagues/quick", {"format": swiss}).status_code == 200
    back: Any = as_charlie.get("/leagues/quick").json
    changed = {**back["format"], "kind": "round-robin", "cycles": 2}
    told = as_charlie.patch("/leagues/quick", {"format": changed})
    assert told.status_code == 200, "its rounds are the old ones"
    assert as_charlie.post("/seasons", {"league": "quick", "format": changed}).status_code == 201
