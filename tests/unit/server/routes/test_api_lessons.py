"""Lessons, memories and findings over the API: who may read them, and who may report them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import insert
from werkzeug.test import TestResponse

from matchbox.bundle import digest
from matchbox.match import wire
from server.db.models import Lesson, Season, SeasonState, User, Version
from tests.books import Books, learned, lost
from tests.unit.server.routes.conftest import Browse, Caller
from tests.unit.server.test_lessons import School, a_school

FOUND: dict[str, Any] = {
    "matches": 2,
    "out_of": 2,
    "same": 2,
    "different": [],
    "unrepeatable": [],
    "replayed_only": [],
    "standing": "same",
    "lessons": {
        "lessons": 0,
        "out_of": 0,
        "same": 0,
        "different": [],
        "unrepeatable": [],
        "not_repeated": [],
    },
}


@pytest.fixture
def school(books: Books, alice: User, bob: User, charlie: User) -> School:
    """Alice's and bob's bots have played the first round of a season that lets them learn."""
    books.league(paused=True)
    versions = [books.bot(owner, f"{owner.name}-pupil") for owner in (alice, bob)]
    return a_school(books, charlie, versions)


def told(answer: TestResponse) -> Any:
    """The JSON of the answer."""
    return answer.json


def park_a_lesson(school: School) -> None:
    """Has the platform fail at lesson 1 as often as it may."""
    school.taught()
    job, _ = school.jobs()
    for _ in range(school.books.settings.attempts):
        school.books.lose(lost(job))
        job = next(iter(school.jobs()), job)


def test_an_owner_reads_lessons_and_memory_and_nobody_else_does(
    school: School, as_alice: Caller, as_bob: Caller, as_charlie: Caller, nobody: Caller
) -> None:
    school.taught()
    for job in school.jobs():
        school.remember(learned(job, b"of " + job.pupil.version.encode()))
    mine = digest(b"of " + school.versions[0].digest.encode())
    mine_alone = told(as_alice.get("/seasons/spring/lessons"))["items"]
    assert [(one["bot"], one["after"], one["log"]) for one in mine_alone] == [
        ("alice/alice-pupil", mine, "aha\n")
    ]
    assert as_alice.get(f"/memories/{mine}").data.startswith(b"of ")
    assert told(as_alice.get("/bots/bob/bob-pupil/lessons"))["items"] == []
    assert as_alice.get("/bots/bob/nobody/lessons").status_code == 404
    assert as_bob.get(f"/memories/{mine}").status_code == 403
    assert as_bob.get(f"/memories/{'0' * 64}").status_code == 403
    assert as_charlie.get(f"/memories/{mine}").status_code == 200
    assert len(told(as_charlie.get("/seasons/spring/lessons"))["items"]) == 2
    first = told(as_charlie.get("/seasons/spring/lessons?limit=1"))
    second = told(as_charlie.get(f"/seasons/spring/lessons?limit=1&cursor={first['next']}"))
    shown = [one["bot"] for page in (first, second) for one in page["items"]]
    assert (sorted(shown), second["next"]) == (["alice/alice-pupil", "bob/bob-pupil"], None)
    for path in ("/seasons/spring/lessons", f"/memories/{mine}"):
        assert nobody.get(path).status_code == 401


def test_operators_alone_end_a_parked_lesson(
    school: School, as_alice: Caller, as_charlie: Caller
) -> None:
    school.taught()
    job, _ = school.jobs()
    assert as_charlie.post("/lessons/1/skip").status_code == 409
    for _ in range(school.books.settings.attempts):
        school.books.lose(lost(job))
        job = next(iter(school.jobs()), job)
    assert as_alice.post("/lessons/1/skip").status_code == 403
    assert as_charlie.post("/lessons/77/skip").status_code == 404
    assert told(as_charlie.post("/lessons/1/requeue"))["parked"] is False
    assert as_charlie.post("/lessons/1/skip").status_code == 409


def test_operators_alone_are_told_why_a_lesson_was_lost(
    school: School, as_alice: Caller, as_charlie: Caller
) -> None:
    school.taught()
    for job in school.jobs():
        school.books.lose(lost(job, "the box did not open"))
    for caller, why in ((as_alice, ""), (as_charlie, "the box did not open")):
        lessons = told(caller.get("/seasons/spring/lessons"))["items"]
        assert {one["trouble"] for one in lessons} == {why}


def test_the_answer_to_a_skip_is_the_lesson_even_of_a_version_that_learns_nothing(
    school: School, as_charlie: Caller
) -> None:
    park_a_lesson(school)
    with school.books.write() as session:
        session.get_one(Version, school.versions[0].id).learns = False
    skipped = told(as_charlie.post("/lessons/1/skip"))
    assert (skipped["id"], skipped["state"], skipped["parked"]) == (1, "failed", False)


def test_an_operator_gives_a_parked_lesson_again_by_its_form(
    school: School, browse: Browse, alice: User, charlie: User
) -> None:
    park_a_lesson(school)
    form = "/admin/lessons/1/requeue"
    assert browse(alice).send(form).status_code == 403
    assert browse(charlie).send(form).location == "/admin#parked"
    assert browse(charlie).send(form).status_code == 409


def test_an_operator_ends_a_parked_lesson_by_its_form(
    school: School, browse: Browse, as_charlie: Caller, alice: User, charlie: User
) -> None:
    park_a_lesson(school)
    form = "/admin/lessons/1/skip"
    assert browse(alice).send(form).status_code == 403
    assert browse(charlie).send(form).location == "/admin#parked"
    lessons = told(as_charlie.get("/seasons/spring/lessons"))["items"]
    assert {one["id"]: one["state"] for one in lessons}[1] == "failed"


def test_a_finding_is_an_operator_s_on_a_season_that_is_over(
    school: School, as_alice: Caller, as_charlie: Caller, nobody: Caller
) -> None:
    where = "/seasons/spring/verifications"
    assert as_charlie.post(where, FOUND).status_code == 409
    with school.books.write() as session:
        session.get_one(Season, school.season.id).state = SeasonState.FINISHED
    assert as_alice.post(where, FOUND).status_code == 403
    assert as_charlie.post(where, FOUND | {"same": 1}).status_code == 422
    assert as_charlie.post(where, FOUND | {"different": ["x"]}).status_code == 422
    assert told(nobody.get("/seasons/spring"))["verified"] is None
    assert as_charlie.post(where, FOUND).status_code == 201
    assert told(nobody.get("/seasons/spring"))["verified"]["same"] == 2


def test_a_finding_may_name_the_first_matches_and_lessons_only(
    school: School, as_charlie: Caller, nobody: Caller
) -> None:
    where = "/seasons/spring/verifications"
    with school.books.write() as session:
        session.get_one(Season, school.season.id).state = SeasonState.FINISHED
    ids = [f"{number:032x}" for number in range(1000)]
    many = {"different": 0, "unrepeatable": 2000, "replayed_only": 38_000}
    lessons = {"different": 0, "unrepeatable": 0, "not_repeated": 60_000}
    found = FOUND | {"matches": 40_002, "out_of": 40_002, "counts": many}
    given = FOUND["lessons"] | {"lessons": 60_001, "out_of": 60_001, "same": 1}
    given["not_repeated"] = ["alice/one 1"]
    found |= {"unrepeatable": ids, "replayed_only": ids}
    found |= {"lessons": given, "lesson_counts": lessons}
    assert as_charlie.post(where, found | {"same": 3}).status_code == 422
    less = many | {"unrepeatable": 999, "replayed_only": 39_001}
    assert as_charlie.post(where, found | {"counts": less}).status_code == 422
    for wrong in ({"different": ["alice/one 2"]}, {"same": 2}, {"out_of": 60_000}):
        answer = as_charlie.post(where, found | {"lessons": given | wrong})
        assert (answer.status_code, told(answer)["detail"]) == (
            422,
            "the findings do not add up to the lessons that were given again",
        )
    kept = told(as_charlie.post(where, found))
    assert (kept["counts"], kept["lesson_counts"]) == (many, lessons)
    assert told(nobody.get("/seasons/spring"))["verified"] == kept
    page = nobody.client.get(f"/seasons/{school.season.id}").text
    verified = page.split("Verified ")[1].split("</p>")[0]
    assert re.search("2.?000 with bots that .* each time, 38.?000 by their moves only", verified)


def test_a_finding_that_is_too_long_is_refused_without_a_word_on_files(as_charlie: Caller) -> None:
    long = FOUND | {"replayed_only": [f"{number:032x}" for number in range(40_000)]}
    answer = as_charlie.post("/seasons/spring/verifications", long)
    assert (answer.status_code, told(answer)["detail"]) == (413, "the request is longer than 1 MiB")


def test_an_arena_gets_records_and_memories_and_brings_lessons_back(
    school: School, arena: Caller, inside: Caller
) -> None:
    school.taught()
    job, _ = school.jobs()
    mine = {"headers": arena.headers}
    match = next(iter(job.played))
    assert arena.client.get(f"/internal/records/{match}", **mine).data
    assert inside.client.get(f"/internal/records/{match}").status_code == 401
    claim = wire.to_plain(job.claim())
    assert arena.client.post("/internal/claims", json=claim, **mine).status_code == 204
    result = {"task": wire.REMEMBER, "message": wire.to_plain(learned(job, b"much"))}
    for accepted in (True, False):
        answer = arena.client.post("/internal/results", json=result, **mine)
        assert answer.json == {"accepted": accepted}
    name = digest(b"much")
    assert arena.client.get(f"/internal/memories/{name}", **mine).data == b"much"
    assert arena.client.get(f"/internal/memories/{'0' * 64}", **mine).status_code == 404


def test_the_lessons_of_a_bot_follow_on_pages(school: School, as_alice: Caller) -> None:
    school.taught()
    with school.books.write() as session:
        given = {"season_id": school.season.id, "version_id": school.versions[0].id, "played": []}
        rows = [given | {"round": at, "state": "learned", "created_at": 0} for at in (1, 2)]
        session.execute(insert(Lesson), rows)
    path, rounds = "/bots/alice/alice-pupil/lessons", []
    page = told(as_alice.get(f"{path}?limit=2"))
    rounds += [one["round"] for one in page["items"]]
    page = told(as_alice.get(f"{path}?limit=2&cursor={page['next']}"))
    rounds += [one["round"] for one in page["items"]]
    assert (rounds, page["next"]) == ([3, 2, 1], None)
    assert as_alice.get(f"{path}?cursor=x").status_code == 422
