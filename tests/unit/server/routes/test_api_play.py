"""Tables with people in the API: open, read, join, move, leave, close."""

from __future__ import annotations

from typing import Any

from matchbox.match.wire import TakeTurn
from server.db.models import User
from tests.books import Books, really_played
from tests.unit.server.routes.conftest import Caller, open_season, start_season
from tests.unit.server.test_play import book, taken


def arena_plays(books: Books) -> None:
    """Takes the sent turns, as an arena does."""
    for job in books.sent(TakeTurn):
        book(books, taken(books, job))


def opened(as_alice: Caller, *seats: str) -> dict[str, Any]:
    """A table of bomb that was just opened."""
    answer = as_alice.post("/tables", {"game": "bomb", "seats": list(seats)})
    assert answer.status_code == 201
    body: dict[str, Any] = answer.get_json()
    assert answer.headers["Location"] == f"/api/v1/tables/{body['id']}"
    return body


def test_a_game_is_played_by_the_api(
    books: Books, as_alice: Caller, as_bob: Caller, nobody: Caller, bob: User
) -> None:
    books.bot(bob, "simple")
    table = opened(as_alice, "me", "bob/simple")
    address = f"/tables/{table['id']}"
    while table["state"] != "finished":
        assert nobody.get(address).status_code == 401
        assert as_bob.get(address).status_code == 403
        if table["choices"]:
            answer = as_alice.post(f"{address}/moves", {"move": table["choices"][0]["move"]})
            assert answer.status_code == 200
        arena_plays(books)
        table = as_alice.get(address).get_json()
        assert table["record"] is None or table["state"] == "finished"
    watched = nobody.get(address).get_json()
    assert watched["record"]["deals"] == [watched["deal"]]
    assert watched["record"]["seats"][0] == "person"
    assert as_alice.get("/tables").get_json()["items"][0]["id"] == table["id"]
    opened(as_alice, "me", "bob/simple")
    page = as_alice.get("/tables?limit=1").get_json()
    older = as_alice.get(f"/tables?limit=1&cursor={page['next']}").get_json()
    assert {one["items"][0]["id"] for one in (page, older)} > {table["id"]}
    assert older["next"] is None


def test_a_table_goes_on_from_a_match(
    books: Books, as_alice: Caller, alice: User, bob: User, charlie: User
) -> None:
    match = start_season(books, charlie, open_season(books, charlie, alice, bob))[0]
    for job in books.dispatch():
        books.record(really_played(books, job))
    record = as_alice.get(f"/matches/{match}").get_json()["record"]
    body = {"game": "bomb", "seats": ["me", "bob/bob-bot"]}
    place = {"match": match, "bout": 0, "moves": 4}
    answer = as_alice.post("/tables", {**body, "place": place})
    assert answer.status_code == 201
    arena_plays(books)
    table = as_alice.get(f"/tables/{answer.get_json()['id']}").get_json()
    shown = [step["move"] for step in table["steps"][1:5]]
    moves = record["bouts"][0]["moves"][:4]
    assert all(one in (None, move) for one, move in zip(shown, moves, strict=True))
    assert shown[0] == moves[0]
    assert table["place"] == place
    assert opened(as_alice, "me", "bob/bob-bot")["place"] is None
    refused = as_alice.post("/tables", {**body, "place": {**place, "moves": 5000}})
    assert refused.status_code == 422
    assert "choose an earlier position" in refused.get_json()["detail"]
    assert as_alice.post("/tables", {**body, "place": {"match": match}}).status_code == 422


def test_a_refused_move_says_why(books: Books, as_alice: Caller, bob: User) -> None:
    books.bot(bob, "simple")
    table = opened(as_alice, "me", "bob/simple")
    for wrong, why in (
        ("fly", "fly is not a move of a turn"),
        ("\ud800", "it holds half a character"),
    ):
        answer = as_alice.post(f"/tables/{table['id']}/moves", {"move": wrong})
        assert answer.status_code == 422
        assert f"the rules refuse this move: {why}" in answer.get_json()["detail"]


def test_a_move_counts_only_in_the_turn_that_it_names(
    books: Books, as_alice: Caller, bob: User
) -> None:
    books.bot(bob, "simple")
    table = opened(as_alice, "me", "bob/simple")
    address = f"/tables/{table['id']}"
    assert table["turn"] == 0
    move = {"move": table["choices"][0]["move"], "turn": 0}
    made = as_alice.post(f"{address}/moves", move)
    assert (made.status_code, made.get_json()["turn"]) == (200, 1)
    arena_plays(books)
    table = as_alice.get(address).get_json()
    assert move["move"] in [choice["move"] for choice in table["choices"]], "legal once more"
    sent_again = as_alice.post(f"{address}/moves", move)
    assert sent_again.status_code == 409
    assert "chosen for another turn" in sent_again.get_json()["detail"]
    assert as_alice.get(address).get_json() == table
    assert as_alice.post(f"{address}/moves", {**move, "turn": 1}).status_code == 200


def test_a_friend_joins_with_the_secret(as_alice: Caller, as_bob: Caller) -> None:
    table = opened(as_alice, "me", "friend")
    address = f"/tables/{table['id']}"
    assert as_bob.post(f"{address}/join", {"secret": "0" * 32}).status_code == 403
    joined = as_bob.post(f"{address}/join", {"secret": table["join"]}).get_json()
    assert (joined["me"], joined["state"]) == (1, "persons")
    assert as_bob.post(f"{address}/leave").get_json()["state"] == "ended"
    assert as_bob.post(f"{address}/leave").status_code == 409
    late = as_alice.post(f"{address}/moves", {"move": 0})
    assert (late.status_code, late.get_json()["detail"]) == (409, "this game is over already")


def test_only_operators_close_tables(
    as_alice: Caller, as_bob: Caller, as_charlie: Caller, nobody: Caller
) -> None:
    table = opened(as_alice, "me", "friend")
    address = f"/tables/{table['id']}"
    assert nobody.post(f"{address}/close").status_code == 401
    assert as_bob.post(f"{address}/close").status_code == 403
    seen = as_charlie.get(address).get_json()
    assert (seen["me"], seen["view"], seen["steps"]) == (None, None, [])
    assert "join" not in seen or seen["join"] is None
    assert as_charlie.post(f"{address}/close").get_json()["state"] == "ended"


def test_nobody_opens_a_table_without_an_account(nobody: Caller) -> None:
    assert nobody.post("/tables", {"game": "bomb", "seats": ["me", "friend"]}).status_code == 401
    assert nobody.get("/tables").status_code == 401
