"""Matches in the API: their records, their embargo, their logs."""

from __future__ import annotations

from typing import Any

import pytest

from matchbox.match import record as records
from matchbox.match import wire
from matchbox.match.wire import PlayMatch, Verified, Verify
from server.db.models import Match, User
from server.services import job_kinds
from tests.books import Books, lost, played
from tests.unit.server.routes.conftest import (
    Browse,
    Caller,
    play_all,
    problem,
)


@pytest.fixture
def parked(books: Books, queued: str) -> str:
    """A match that is parked after too many faults of the platform."""
    for _ in range(books.settings.attempts):
        for job in books.dispatch():
            books.lose(lost(job)) if job.match == queued else books.record(played(job))
    assert books.match(queued).state == "parked"
    return queued


def test_a_match_under_embargo_tells_its_status_and_entrants_to_anybody(
    queued: str, books: Books, nobody: Caller, as_alice: Caller, as_charlie: Caller
) -> None:
    seeds = books.match(queued).deals
    for caller in (nobody, as_alice, as_charlie):
        answer = caller.get(f"/matches/{queued}")
        told: Any = answer.json
        assert (told["state"], told["record"]) == ("queued", None)
        assert "closed until" in told["embargo"]
        assert {one["bot"] for one in told["entrants"]} == {"alice/alice-bot", "bob/bob-bot"}
        assert not any(seed in answer.text for seed in seeds)


def test_a_match_that_is_over_tells_its_record(queued: str, books: Books, nobody: Caller) -> None:
    play_all(books)
    told: Any = nobody.get(f"/matches/{queued}").json
    record = told["record"]
    assert (told["state"], told["embargo"]) == ("finished", None)
    assert record["match"] == queued
    assert record["deals"] == books.match(queued).deals
    assert len(record["bouts"]) == 2 * len(record["deals"])
    with books.read() as session:
        from server import queries

        assert told["digest"] == records.digest(queries.record_of(session, queued))


def test_a_log_is_for_the_owners_of_its_bots_and_operators(
    queued: str, books: Books, nobody: Caller, as_alice: Caller, as_bob: Caller, as_charlie: Caller
) -> None:
    problem(as_alice.get(f"/matches/{queued}/log"), 403)
    play_all(books)
    problem(nobody.get(f"/matches/{queued}/log"), 401)
    hers: Any = as_alice.get(f"/matches/{queued}/log").json
    his: Any = as_bob.get(f"/matches/{queued}/log").json
    assert [one["bot"] for one in hers["items"]] == ["alice/alice-bot"]
    assert [one["bot"] for one in his["items"]] == ["bob/bob-bot"]
    both: Any = as_charlie.get(f"/matches/{queued}/log").json
    assert len(both["items"]) == 2


def test_a_log_of_others_is_closed(queued: str, books: Books, app: Any, make_app: Any) -> None:
    play_all(books)
    from tests.unit.server.routes.conftest import token_of

    dora = Caller(app.test_client(), token_of(books, books.person("dora")))
    assert "only the owners" in problem(dora.get(f"/matches/{queued}/log"), 403)["detail"]


def test_the_first_digits_of_an_id_are_enough_while_they_are_one_matchs(
    queued: str, books: Books, nobody: Caller
) -> None:
    short: Any = nobody.get(f"/matches/{queued[:8]}").json
    assert short["id"] == queued
    assert nobody.get(f"/matches/{queued[:7]}").status_code == 404
    twin = queued[:9] + queued[9:][::-1]
    with books.write() as session:
        first = session.get_one(Match, queued)
        kept = (
            *("league_id", "number", "why", "rules", "limits", "width", "created_at"),
            *("first_deal", "deal_count", "other_deals"),
        )
        session.add(Match(id=twin, **{name: getattr(first, name) for name in kept}))
    told = problem(nobody.get(f"/matches/{queued[:8]}"), 404)
    assert "more of the id's digits" in told["detail"]
    whole: Any = nobody.get(f"/matches/{twin}").json
    assert whole["id"] == twin


def test_matches_are_listed_by_what_is_asked_page_by_page(
    queued: str, books: Books, nobody: Caller
) -> None:
    jobs = books.dispatch()
    books.record(played(jobs[0]))
    finished: Any = nobody.get("/matches?state=finished").json
    assert [one["id"] for one in finished["items"]] == [jobs[0].match]
    one: Any = nobody.get("/matches?bot=alice/alice-bot&game=bomb&season=1&limit=1").json
    assert len(one["items"]) == 1
    other: Any = nobody.get(f"/matches?limit=200&cursor={one['next']}").json
    assert one["items"][0]["id"] not in {match["id"] for match in other["items"]}
    none: Any = nobody.get("/matches?bot=nobody/nothing").json
    assert none == {"items": [], "next": None}
    problem(nobody.get("/matches?state=lost"), 422)
    problem(nobody.get("/matches?season=first"), 422)


def test_a_parked_match_is_for_operators_to_play_again(
    parked: str, as_alice: Caller, as_charlie: Caller, nobody: Caller
) -> None:
    problem(nobody.post(f"/matches/{parked}/requeue"), 401)
    problem(as_alice.post(f"/matches/{parked}/requeue"), 403)
    shown: Any = as_alice.get(f"/matches/{parked}").json
    seen: Any = as_charlie.get(f"/matches/{parked}").json
    assert shown["trouble"] is None
    assert "the box did not open" in seen["trouble"]
    told: Any = as_charlie.post(f"/matches/{parked}/requeue").json
    assert told["state"] == "queued"
    problem(as_charlie.post(f"/matches/{parked}/requeue"), 409)


def test_an_unfinished_match_is_for_operators_to_make_void(
    queued: str, books: Books, as_alice: Caller, as_charlie: Caller
) -> None:
    why = {"reason": "the arena lost its disk"}
    problem(as_alice.post(f"/matches/{queued}/void", why), 403)
    problem(as_charlie.post(f"/matches/{queued}/void", {}), 422)
    told: Any = as_charlie.post(f"/matches/{queued[:8]}/void", why).json
    assert (told["id"], told["state"], told["record"]) == (queued, "void", None)
    assert told["void_why"] == "the arena lost its disk"
    problem(as_charlie.post(f"/matches/{queued}/void", why), 409)
    assert queued not in {job.match for job in books.dispatch() if isinstance(job, PlayMatch)}


def test_what_is_not_there_is_not_found(nobody: Caller, as_charlie: Caller) -> None:
    for name in ("0" * 32, "nonsense", "0" * 33, "G" * 32):
        problem(nobody.get(f"/matches/{name}"), 404)
        problem(as_charlie.post(f"/matches/{name}/void", {"reason": "none"}), 404)


def test_a_match_is_verified_by_the_api(
    queued: str, books: Books, nobody: Caller, as_alice: Caller, as_bob: Caller
) -> None:
    address = f"/matches/{queued}/verification"
    assert "closed until" in problem(as_alice.post(address), 403)["detail"]
    play_all(books)
    problem(nobody.post(address), 401)
    problem(nobody.get(address), 404)
    asked = as_alice.post(f"/matches/{queued[:8]}/verification")
    assert (asked.status_code, asked.get_json()["state"]) == (202, "waiting")
    assert "already" in problem(as_bob.post(address), 409)["detail"]
    (job,) = books.sent(Verify)
    found = Verified(
        verification=job.verification, attempt=1, token=job.token, finding="different", bout=1,
        move=2,
    )  # fmt: skip
    with books.write() as session:
        job_kinds.book(
            session,
            wire.BOOK_VERIFICATION,
            wire.to_plain(found),
            settings=books.settings,
            now=books.clock(),
        )
    told: Any = nobody.get(address).json
    assert (told["match"], told["state"], told["finding"]) == (queued, "done", "different")
    assert (told["bout"], told["move"]) == (1, 2)


def test_a_match_is_verified_by_the_form_of_its_page(
    queued: str, books: Books, browse: Browse, nobody: Caller, alice: User
) -> None:
    play_all(books)
    form = f"/matches/{queued}/verify"
    assert browse(None).send(form).status_code == 401
    problem(nobody.get(f"/matches/{queued}/verification"), 404)
    assert browse(alice).send(form).location == f"/matches/{queued}#verification"
    told: Any = nobody.get(f"/matches/{queued}/verification").json
    assert told["state"] == "waiting"
