"""A refused move is shown at the function that was asked, on the page and in the API."""

from __future__ import annotations

from typing import Any

import pytest

from matchbox.errors import FaultKind, SeatFault
from server.db.models import User
from tests.books import Books, tried_out
from tests.unit.server.routes.conftest import Browse, Caller
from tests.unit.worker.illegal import ILLEGAL
from worker.arena.failed_function import CalledFunction
from worker.arena.tryout import try_out
from worker.arena.verdict_messages import reason


@pytest.mark.parametrize("case", ILLEGAL, ids=": ".join)
def test_the_verdict_on_a_draft_names_the_function_in_every_game(
    case: tuple[str, str], browse: Browse, as_alice: Caller, alice: User, books: Books
) -> None:
    line, words, source = ILLEGAL[case]
    draft: Any = as_alice.post("/drafts", {"game": case[0], "file": source}).json
    (job,) = books.try_outs()
    books.settle(try_out(job, source.encode(), None))
    answer: Any = as_alice.get(f"/drafts/{draft['id']}").json
    told = answer["report"]
    assert told["verdict"] == "illegal"
    assert f"begins in player.py, line {line})" in told["reasons"][0]
    assert words in told["reasons"][0]
    page = browse(alice).get(f"/drafts/{draft['id']}").text
    assert f">Fix line {line}</a>" in page
    wrong = page.partition('class="line wrong">')[2].partition("\n")[0]
    assert "def " in wrong


@pytest.mark.parametrize("kind", ["memory", "crash", "protocol", "illegal"])
def test_the_verdict_on_a_version_names_the_function_as_well(
    kind: FaultKind, browse: Browse, as_alice: Caller, alice: User, books: Books
) -> None:
    line, _, source = ILLEGAL["bomb", "turn"]
    books.upload(alice, "timid", source.encode())
    (job,) = books.try_outs()
    fault = SeatFault(kind, "ended with exit code 3 instead of answering")
    told = reason(fault, "turn", {}, "", CalledFunction("player.py", line, "turn"))
    books.settle(tried_out(job, accepted=False, verdict=kind, reasons=[told], log=""))
    bot: Any = as_alice.get("/bots/alice/timid").json
    assert bot["versions"][0]["report"]["reasons"] == [told]
    page = browse(alice).get("/bots/alice/timid/versions/1").text
    assert f">Fix line {line}</a>" in page
    assert "def turn" in page.partition('class="line wrong">')[2].partition("\n")[0]
