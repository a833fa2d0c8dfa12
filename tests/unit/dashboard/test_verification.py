"""The verification of a match on its page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from dashboard import replays
from dashboard.source import Source
from matchbox.answers.matches import Match, MatchVerification, Steps
from matchbox.errors import BadRecord
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import MATCH, NOBODY, SOURCE, make_app

BROKEN: Final = cast.match(MATCH)
"""A match whose record does not replay any more."""


def get(path: str, source: Source = SOURCE) -> str:
    """The HTML of this page."""
    answer = make_app(source).test_client().get(path)
    assert answer.status_code == 200
    return answer.text


def told(source: Any = SOURCE, **more: Any) -> Source:
    """A source with this verification."""
    given: dict[str, Any] = {
        "match": MATCH,
        "state": "done",
        "finding": "same",
        "bout": None,
        "move": None,
        "asked_at": "2026-11-20T10:00:00.000Z",
        "finished_at": "2026-11-20T10:01:00.000Z",
        **more,
    }
    return replace(source, verification=lambda name: MatchVerification(**given))


def test_a_match_is_verified_by_a_button_that_needs_an_account() -> None:
    assert f'action="/matches/{MATCH}/verify"' in get(f"/matches/{MATCH}")
    nobodys = get(f"/matches/{MATCH}", NOBODY)
    assert f"/matches/{MATCH}/verify" not in nobodys
    assert f"/login?next=/matches/{MATCH}" in nobodys


def test_the_part_that_is_asked_for_alone_leads_to_the_match_after_a_log_in() -> None:
    part = get(f"/matches/{MATCH}/verification", told(NOBODY))
    assert f'href="/login?next=/matches/{MATCH}"' in part
    client = make_app().test_client()
    assert client.get("/matches/nowhere/verification").status_code == 404


@pytest.mark.parametrize("shown", [cast.waiting("finished", "its record was removed"), BROKEN])
def test_a_refusal_is_told_on_a_page_without_bouts_too(shown: Match) -> None:
    def steps(*asked: object) -> Steps:
        raise BadRecord("bout 0 does not replay")

    source = replace(SOURCE, match=lambda name: shown, steps=steps)
    with make_app(source).test_request_context():
        page = replays.match_page(source, MATCH, error="its bots cannot play now")
    assert "Its bots cannot play now" in page


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({}, "the record is the same, byte for byte"),
        ({"finding": "different"}, "does not replay by its rules"),
        ({"finding": "different", "bout": 1, "move": 3}, "bout 2 at move 4</a>"),
        ({"finding": "unrepeatable", "bout": 1, "move": 3}, "the result stands"),
        ({"finding": "replayed_only"}, "because a file is missing or the arena had another"),
        (
            {"finding": "replayed_only", "why": "numpy is newer"},
            "The arena's reason: “numpy is newer”",
        ),
        ({"state": "failed", "finding": None}, "There is no finding, because the platform"),
        ({"state": "failed", "finding": None, "why": "it has new rules"}, "it has new rules."),
        ({"state": "waiting", "finding": None}, "An arena plays this match again"),
    ],
)
def test_every_finding_is_told(changed: dict[str, Any], says: str) -> None:
    page = get(f"/matches/{MATCH}", told(**changed))
    assert says in page
    assert ("htmx.min.js" in page) == (changed.get("state") == "waiting")
    assert ("Verify again" in page) == (changed.get("state") != "waiting")


def test_a_waiting_page_asks_for_its_part_alone() -> None:
    waiting = told(state="waiting", finding=None, finished_at=None)
    address = f"/matches/{MATCH}/verification"
    assert f'hx-get="{address}"' in get(f"/matches/{MATCH}", waiting)
    part = get(address, told())
    assert "the same, byte for byte" in part
    assert "hx-get" not in part
    assert "<html" not in part
