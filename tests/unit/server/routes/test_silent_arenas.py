"""While every arena is frozen, home, the operators' page and readiness say so, and nothing else
does."""

from __future__ import annotations

from typing import Any

import pytest

from server.db.models import User
from server.services import walls
from server.services.tick import tick
from tests.books import Books
from tests.unit.server.routes.conftest import Browse, Caller, open_season, start_season


@pytest.fixture
def under_way(books: Books, alice: User, bob: User, charlie: User) -> Books:
    """A platform that is playing matches."""
    start_season(books, charlie, open_season(books, charlie, alice, bob))
    assert books.dispatch()
    tick(books.context)
    return books


@pytest.fixture
def frozen(under_way: Books) -> Books:
    """The same platform after eight minutes without a report of an arena."""
    under_way.clock.pass_by(minutes=8)
    tick(under_way.context)
    return under_way


def page(text: str) -> str:
    """Returns the page's text on one line."""
    return " ".join(text.split())


def test_home_says_that_nothing_is_played(under_way: Books, browse: Browse, nobody: Caller) -> None:
    browser = browse(None)
    assert "being played," in page(browser.get("/").text)
    assert nobody.get("/queue").json["silent"] is False  # type: ignore[index]
    under_way.clock.pass_by(minutes=8)
    for path in ("/", "/?part=now"):
        shown = page(browser.get(path).text)
        assert (
            "No arena that plays matches reports at the moment, so nothing is being played" in shown
        )
        assert "wait until one is back" in shown
        assert "being played," not in shown
        assert "Under way: played" not in shown
    assert nobody.get("/queue").json["silent"] is True  # type: ignore[index]


def test_home_says_it_also_while_the_express_arena_reports(
    under_way: Books, browse: Browse, nobody: Caller
) -> None:
    under_way.clock.pass_by(minutes=8)
    with under_way.write() as session:
        report = {"arena": "arena-express", "box": "bwrap", "walled": True, "express": True}
        walls.report_wall(session, report, now=under_way.clock())
    assert "so nothing is being played" in page(browse(None).get("/").text)
    assert nobody.get("/queue").json["silent"] is True  # type: ignore[index]


def test_the_operators_page_says_it_at_its_head_and_of_the_wall(
    under_way: Books, browse: Browse, charlie: User
) -> None:
    browser = browse(charlie)
    before = browser.get("/admin").text
    assert "run behind the wall" in before
    under_way.clock.pass_by(minutes=8)
    shown = page(browser.get("/admin").text)
    assert "run behind the wall" not in shown
    assert "No arena reports any more; the last report came" in shown
    head = shown[: shown.index("The wall</h2>")]
    assert "has not reported for 8 min." in head
    assert 'href="/admin/health">What to do</a>' in head


def test_a_server_that_answers_is_ready_and_says_that_the_platform_is_not_well(
    frozen: Books, nobody: Caller
) -> None:
    answer = nobody.client.get("/readyz")
    told: Any = answer.json
    assert (answer.status_code, told["status"], told["healthy"]) == (200, "ready", False)
    assert "arenas" in told["wrong"]


def test_a_warning_alone_leaves_the_platform_healthy(
    under_way: Books, nobody: Caller, browse: Browse, charlie: User
) -> None:
    with under_way.write() as session:
        report = {"box": "bwrap", "walled": True, "release": "0.0.1"}
        walls.report_wall(session, report, now=under_way.clock())
    told: Any = nobody.client.get("/readyz").json
    assert told == {"status": "ready", "healthy": True, "wrong": ["releases"]}
    shown = page(browse(charlie).get("/admin").text)
    assert '<a href="/admin/health">1 warning</a> about the platform.' in shown
