"""Drafts through the API and the form."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from matchbox.bundle import digest
from matchbox.match.wire import TryOut
from server.db.models import User
from tests.books import SIMPLE, Books, tried_out
from tests.unit.server.routes.conftest import Browse, Caller, problem


def settle(books: Books, *, accepted: bool = True, **more: Any) -> None:
    """Settles the waiting drafts, as an arena does."""
    for job in books.sent(TryOut):
        books.settle(tried_out(job, accepted=accepted, **more))


def test_a_draft_of_the_api_tells_its_verdict_at_its_address(
    as_alice: Caller, books: Books
) -> None:
    answer = as_alice.post("/drafts", {"game": "bomb", "file": SIMPLE.decode(), "class": "Simple"})
    assert answer.status_code == 201, answer.text
    told: Any = answer.json
    assert answer.headers["Location"] == f"/api/v1/drafts/{told['id']}"
    assert (told["state"], told["report"], told["digest"]) == ("pending", None, digest(SIMPLE))
    settle(books, accepted=False)
    told = as_alice.get(f"/drafts/{told['id']}").json
    assert (told["state"], told["report"]["verdict"]) == ("refused", "crash")
    assert told["report"]["log"] == "hello from the bot\n"


def test_a_file_does_as_well_and_a_name_is_not_asked_for(as_alice: Caller) -> None:
    file = {"game": "bomb", "file": (BytesIO(SIMPLE), "simple.py")}
    assert as_alice.post("/drafts", data=file).status_code == 201
    assert problem(as_alice.post("/drafts", {"game": "bomb", "file": "#", "name": "x"}), 422)
    assert problem(as_alice.get("/drafts/99"), 404)


def test_the_form_leads_to_the_verdict_which_names_the_line(
    browse: Browse, alice: User, bob: User, books: Books
) -> None:
    visitor = browse(alice)
    answer = visitor.send("/submit/try", game="bomb", source="x\n" + SIMPLE.decode())
    assert (answer.status_code, answer.location) == (303, "/drafts/1")
    assert "Being tried out" in visitor.get("/drafts/1").text
    settle(books, accepted=False, reasons=["No such name (player.py, line 1): x."])
    page = visitor.get("/drafts/1").text
    assert "It would be refused. Your bot ended with an error." in page
    assert "No such name (player.py, line 1): x." in page
    assert 'class="line wrong"' in page
    assert 'data-line="1"' in page
    assert browse(bob).get("/drafts/1").status_code == 404
    stranger = browse(None)
    assert stranger.get("/drafts/1").location == "/login?next=/drafts/1"
    assert stranger.send("/submit/try", game="bomb", source="x").status_code == 401


def test_what_cannot_be_tried_is_shown_again_with_the_reason(browse: Browse, alice: User) -> None:
    answer = browse(alice).send("/submit/try", game="bomb", source="x = '\u202e'")
    assert answer.status_code == 422
    assert "invisible character" in answer.text
    assert 'id="verdict"' in answer.text
