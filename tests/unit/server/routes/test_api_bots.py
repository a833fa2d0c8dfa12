"""Bots and versions in the API."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from matchbox.bundle import digest
from matchbox.settings import Settings
from server.app import create_app
from server.db.models import User
from server.services import accounts
from tests.books import SIMPLE, Books
from tests.unit.server.routes.conftest import Caller, problem


def form(**more: Any) -> dict[str, Any]:
    """Returns the fields of an upload, with its file."""
    file = more.pop("file", SIMPLE)
    name = more.pop("file_name", "simple.py")
    return {"game": "bomb", "name": "timid", "file": (BytesIO(file), name), **more}


def test_an_upload_is_a_pending_version_whose_address_tells_the_verdict(
    as_alice: Caller, books: Books
) -> None:
    answer = as_alice.post("/bots", data=form())
    assert answer.status_code == 201, answer.text
    told: Any = answer.json
    assert answer.headers["Location"] == f"/api/v1/versions/{told['id']}"
    assert (told["bot"], told["number"], told["state"]) == ("alice/timid", 1, "pending")
    assert told["digest"] == digest(SIMPLE)
    assert told["report"] is None
    assert as_alice.get(f"/versions/{told['id']}").json == told
    assert [job.version for job in books.postman.take()] == [told["digest"]]  # type: ignore[union-attr]


def test_json_carries_a_bot_as_well(as_alice: Caller) -> None:
    body = {"game": "bomb", "name": "timid", "file": SIMPLE.decode(), "class": "Simple"}
    answer = as_alice.post("/bots", body)
    assert answer.status_code == 201, answer.text
    told: Any = answer.json
    assert (told["digest"], told["class_name"]) == (digest(SIMPLE), "Simple")


def test_everybody_may_ask_for_the_limits_of_a_bot(books: Books) -> None:
    settings = replace(books.settings, cpu_ms=70, libraries="none")
    client = create_app(replace(books.context, settings=settings)).test_client()
    assert client.get("/api/v1/limits").json == {
        "cpu_ms": 70,
        "start_cpu_ms": 5000,
        "bank_ms": 60_000,
        "wall_factor": 4,
        "memory_mb": 256,
        "log_bytes": 16_384,
        "tryout_deals": 2,
        "libraries": [],
    }
    page = client.get("/submit").text
    assert "A bot has 70 ms of processor time for a decision, 5,000 ms to load" in page
    assert '<a href="/api/v1/limits">All limits of this platform</a>' in page
    assert "may import the standard library;" in page


def test_the_same_file_again_is_the_same_version(as_alice: Caller) -> None:
    first, again = as_alice.post("/bots", data=form()), as_alice.post("/bots", data=form())
    assert first.json == again.json


def test_a_next_version_needs_no_game(as_alice: Caller, as_bob: Caller) -> None:
    as_alice.post("/bots", data=form())
    file = {"file": (BytesIO(SIMPLE + b"# mended\n"), "simple.py")}
    told: Any = as_alice.post("/bots/timid/versions", data=file).json
    assert (told["bot"], told["number"]) == ("alice/timid", 2)
    file = {"file": (BytesIO(SIMPLE), "simple.py")}
    problem(as_bob.post("/bots/timid/versions", data=file), 404)


def test_uploads_are_for_accounts(nobody: Caller) -> None:
    problem(nobody.post("/bots", data=form()), 401)
    problem(nobody.post("/bots/timid/versions", {"file": "x"}), 401)


def test_without_a_wall_only_operators_upload(
    as_alice: Caller, as_charlie: Caller, books: Books
) -> None:
    books.wall(walled=False)
    told = problem(as_alice.post("/bots", data=form()), 403)
    assert told["type"] == "urn:matchbox:problem:uploads-closed"
    assert "no namespaces" in told["detail"]
    assert as_charlie.post("/bots", data=form()).status_code == 201


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"game": "chess"}, 404, "chess"),
        ({"name": "Timid!"}, 422, "cannot be a name"),
        ({"name": "../../etc"}, 422, "cannot be a name"),
        ({"file": b""}, 422, "empty"),
        ({"file": b"\xff\xfe"}, 422, "UTF-8"),
        ({"file": b"x = '\x00'"}, 422, "U+0000"),
        ({"file": b"#" * (64 * 1024 + 1)}, 422, "65536"),
        ({"file": b"PK\3\4 nothing"}, 422, "zip"),
        ({"class": "not a class"}, 422, "class"),
        ({"flavour": "sweet"}, 422, "flavour"),
        ({"game": "x" * 65}, 422, "game"),
    ],
)
def test_a_poor_upload_is_refused_by_name(
    as_alice: Caller, fields: dict[str, Any], status: int, said: str
) -> None:
    assert said in problem(as_alice.post("/bots", data=form(**fields)), status)["detail"]


@pytest.mark.parametrize("name", ["../../../etc/passwd", "C:\\con", "\u202egpj.py", "a" * 5000, ""])
def test_what_a_file_is_called_does_not_matter(as_alice: Caller, name: str) -> None:
    answer = as_alice.post("/bots", data=form(file_name=name or "\t"))
    assert answer.status_code == 201, answer.text


def test_a_field_that_is_missing_is_named(as_alice: Caller) -> None:
    told = problem(as_alice.post("/bots", {"game": "bomb"}), 422)
    assert sorted(told["errors"]) == ["file", "name"]


def test_a_field_that_is_there_twice_is_refused(as_alice: Caller) -> None:
    data = form()
    data["game"] = ["bomb", "skull"]
    assert "more than once" in problem(as_alice.post("/bots", data=data), 422)["detail"]


def test_another_content_type_is_refused(as_alice: Caller) -> None:
    problem(as_alice.post("/bots", data=SIMPLE, content_type="text/x-python"), 415)
    broken = as_alice.post("/bots", data=b"{", content_type="application/json")
    assert "the body is not JSON" in problem(broken, 400)["detail"]
    problem(as_alice.post("/bots", data=b"[]", content_type="application/json"), 422)


def test_a_quota_says_when_to_come_back(as_alice: Caller, alice: User, books: Books) -> None:
    for number in range(Settings().uploads_per_hour):
        books.bot(alice, f"bot-{number}")
    refused = as_alice.post("/bots", data=form())
    told = problem(refused, 429)
    assert "come back in" in told["detail"]
    assert (refused.headers["Retry-After"], told["retry_after"]) == ("3600", 3600)


def test_bots_are_listed_by_game_and_owner_page_by_page(
    nobody: Caller, books: Books, alice: User, bob: User
) -> None:
    for owner, name in ((alice, "one"), (alice, "two"), (bob, "three")):
        books.bot(owner, name)
    first: Any = nobody.get("/bots?limit=2").json
    assert [bot["bot"] for bot in first["items"]] == ["bob/three", "alice/two"]
    second: Any = nobody.get(f"/bots?limit=2&cursor={first['next']}").json
    assert [bot["bot"] for bot in second["items"]] == ["alice/one"]
    assert second["next"] is None
    mine: Any = nobody.get("/bots?owner=alice&game=bomb").json
    assert [bot["name"] for bot in mine["items"]] == ["two", "one"]


@pytest.mark.parametrize(
    "query",
    ["cursor=nonsense", "cursor=1.2", "cursor=" + "9" * 40, "limit=0", "limit=201", "limit=many",
     "colour=red", "cursor=-1"],
)  # fmt: skip
def test_a_query_that_makes_no_sense_is_refused(nobody: Caller, query: str) -> None:
    problem(nobody.get(f"/bots?{query}"), 422)
    problem(nobody.get(f"/matches?{query}"), 422)


def test_no_address_holds_nul(nobody: Caller) -> None:
    problem(nobody.get("/bots?owner=a%00b"), 400)
    problem(nobody.get("/seasons/a%00b"), 400)


def test_only_the_owner_and_operators_see_the_log(
    nobody: Caller, as_alice: Caller, as_bob: Caller, as_charlie: Caller, books: Books, alice: User
) -> None:
    number = books.bot(alice, "timid").id
    for path in (f"/versions/{number}", "/bots/alice/timid"):
        for caller, sees in (
            (nobody, False),
            (as_bob, False),
            (as_alice, True),
            (as_charlie, True),
        ):
            told = caller.get(path)
            assert told.status_code == 200
            assert ("hello from the bot" in told.text) is sees


def test_a_bundle_is_for_its_owner_and_operators(
    nobody: Caller, as_alice: Caller, as_bob: Caller, as_charlie: Caller, books: Books, alice: User
) -> None:
    path = f"/versions/{books.bot(alice, 'timid', SIMPLE).id}/bundle"
    problem(nobody.get(path), 401)
    problem(as_bob.get(path), 403)
    assert as_alice.get(path).data == as_charlie.get(path).data == SIMPLE
    assert as_alice.get(path).headers["Content-Disposition"] == 'attachment; filename="timid-1.py"'


def test_the_houses_bundles_are_for_everybody(nobody: Caller, books: Books) -> None:
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    version = books.upload(house, "simple")
    assert nobody.get(f"/versions/{version.digest}/bundle").data == SIMPLE


def test_a_zip_comes_back_as_it_went(as_alice: Caller) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("player.py", SIMPLE)
    told: Any = as_alice.post("/bots", data=form(file=packed.getvalue(), file_name="a.zip")).json
    answer = as_alice.get(f"/versions/{told['id']}/bundle")
    assert answer.data == packed.getvalue()
    assert answer.headers["Content-Disposition"].endswith('timid-1.zip"')


def test_an_accepted_version_is_activated_by_its_owner(
    nobody: Caller, as_alice: Caller, as_bob: Caller, books: Books, alice: User
) -> None:
    books.bot(alice, "timid", SIMPLE)
    books.bot(alice, "timid", SIMPLE + b"# two\n")
    path, body = "/bots/alice/timid/activate", {"version": 1}
    problem(nobody.post(path, body), 401)
    problem(as_bob.post(path, body), 403)
    problem(as_alice.post(path, {"version": 7}), 404)
    problem(as_alice.post(path, {"version": "1"}), 422)
    told: Any = as_alice.post(path, body).json
    assert (told["number"], told["state"]) == (1, "active")
    bot: Any = nobody.get("/bots/alice/timid").json
    assert [one["state"] for one in bot["versions"]] == ["accepted", "active"]


def test_a_refused_version_is_not_activated(as_alice: Caller, books: Books, alice: User) -> None:
    books.upload(alice, "timid")
    problem(as_alice.post("/bots/alice/timid/activate", {"version": 1}), 409)


def test_a_bot_is_retired_once_by_its_owner_or_an_operator(
    nobody: Caller, as_alice: Caller, as_bob: Caller, as_charlie: Caller, books: Books, alice: User
) -> None:
    books.bot(alice, "timid")
    path = "/bots/alice/timid/retire"
    problem(nobody.post(path), 401)
    problem(as_bob.post(path), 403)
    told: Any = as_charlie.post(path).json
    assert told["retired_at"] is not None
    assert "retired already" in problem(as_alice.post(path), 409)["detail"]
    problem(as_alice.post("/bots", data=form()), 409)


def test_what_is_not_there_is_not_found(nobody: Caller, as_alice: Caller) -> None:
    for path in ("/bots/alice/nothing", "/versions/999", f"/versions/{'0' * 64}", "/versions/0",
                 "/versions/none", "/bots/A/b", f"/versions/{'9' * 30}"):  # fmt: skip
        problem(nobody.get(path), 404)
    problem(as_alice.post("/bots/alice/nothing/retire"), 404)


def test_an_operator_tries_a_parked_version_out_again(
    as_charlie: Caller, as_alice: Caller, books: Books, alice: User
) -> None:
    from tests.books import lost

    number = books.upload(alice, "timid").id
    for _ in range(books.settings.attempts):
        (job,) = books.try_outs()
        books.lose(lost(job))
    told: Any = as_alice.get(f"/versions/{number}").json
    assert told["parked"]
    problem(as_alice.post(f"/versions/{number}/requeue"), 403)
    told = as_charlie.post(f"/versions/{number}/requeue").json
    assert not told["parked"]
    problem(as_charlie.post(f"/versions/{number}/requeue"), 409)
