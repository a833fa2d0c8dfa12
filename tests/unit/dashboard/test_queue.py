"""The operators' page of the queue, and the reason why a try-out or a match waits, on its own
page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from matchbox.answers.matches import Match
from matchbox.answers.queue import QueueDetail, Waiting
from matchbox.errors import Forbidden
from tests.unit.dashboard import cast, queued
from tests.unit.dashboard.cast import EMPTY, MATCH, NOBODY, OPERATOR, SOURCE, get

ARENAS = "No arena is running at the moment. It goes on by itself when one is back."


def test_the_queue_is_for_operators() -> None:
    def refuses() -> QueueDetail:
        raise Forbidden("only operators may see this")

    assert get("/admin/queue").status_code == 200
    assert get("/admin/queue", replace(SOURCE, queue_detail=refuses)).status_code == 403
    assert get("/admin/queue", NOBODY).location == "/login?next=/admin/queue"


def test_it_says_what_waits_in_which_order_and_why() -> None:
    page = get("/admin/queue").text
    for said in (
        "1,208 matches and 123 try-outs wait",
        "At most 32 matches",
        "1.4 s",
        "unknown",
        "The season spring is paused.",
        "comparisons in",
        'href="/matches/0123456789abcdef"',
        'href="/bots/bob/ledger/versions/3"',
        "a draft of alice",
        "One try-out comes before it.",
        "a table of bomb",
        'bob/ledger v3 in <a href="/seasons/7">season spring</a>',
        "46 s",
    ):
        assert said in page, said


def test_it_says_that_nothing_waits_or_that_all_stands_still() -> None:
    nothing = replace(EMPTY, viewer=OPERATOR.viewer)
    assert "Nothing is waiting" in get("/admin/queue", nothing).text
    still = replace(OPERATOR, queue_detail=lambda: queued.QUEUE.model_copy(
        update={"stopped": ARENAS}))  # fmt: skip
    assert ARENAS in get("/admin/queue", still).text


def test_a_version_that_waits_says_its_place_and_an_estimate() -> None:
    waits = replace(SOURCE, waiting=lambda number: queued.WAITING)
    page = get("/bots/alice/careful/versions/4", waits).text
    assert "Waits for its try-out" in page
    assert "2 try-outs come before it." in page
    assert 'Place <b class="number">3</b> in the queue, done in about 40 s.' in page
    page = get("/bots/alice/careful/versions/4", SOURCE).text
    assert "Being tried out" in page
    assert "in the queue" not in page


def test_a_draft_that_waits_says_why() -> None:
    waits = cast.draft(1).model_copy(update={"waiting": queued.WAITING})
    page = get("/drafts/1", replace(SOURCE, draft=lambda number: waits)).text
    assert "done in about 40 s" in page


def test_a_match_that_waits_says_why() -> None:
    path = f"/matches/{MATCH}"
    waits = cast.waiting("queued", "closed until it is over")
    for waiting, said in (
        (queued.WAITING, "Place <b"),
        (queued.HELD, "The league bomb is paused.</p>"),
        (queued.WAITING.model_copy(update={"seconds": None}), "for an unknown time."),
    ):
        source = replace(SOURCE, match=partial(_told, waits, waiting))
        assert said in get(path, source).text


def _told(match: Match, waiting: Waiting, name: str) -> Match:
    return match.model_copy(update={"waiting": waiting})
