"""The inbox and webhooks by command, with a real server and a database of the test's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.services import notices

if TYPE_CHECKING:
    from server.db.models import User
    from tests.unit.cli.conftest import Platform, Run


@pytest.fixture
def told(platform: Platform, alice: User) -> None:
    """Gives alice two notices."""
    with platform.books.write() as session:
        for text in ("spring has begun", "spring is over"):
            notices.notify_account(session, alice.id, "season-end", "season:1", text, now=1)


@pytest.mark.usefixtures("told")
def test_the_inbox_is_shown_newest_first_and_read_on_request(matchbox: Run) -> None:
    document = matchbox("inbox", "--json").json
    assert [(item["text"], item["read_at"]) for item in document] == [
        ("spring is over", None),
        ("spring has begun", None),
    ]
    assert matchbox("inbox", "--most", "2").err == ""
    newest = matchbox("inbox", "--most", "1", "--read", "--json")
    assert len(newest.json) == 1
    assert newest.err == "There are more than 1; --most shows them.\n"
    assert matchbox("inbox", "--unread", "--json").json == []
    shown = matchbox("inbox").out.splitlines()
    assert shown[1] == "\t1970-01-01T00:00:00.001Z\tspring is over"


@pytest.mark.usefixtures("alice")
def test_a_webhook_is_added_with_its_secret_listed_without_and_removed(matchbox: Run) -> None:
    made = matchbox("webhook", "add", "https://hooks.example/1", "--json").json
    assert made["secret"].startswith("whsec_")
    (listed,) = matchbox("webhook", "list", "--json").json
    assert "secret" not in listed
    assert listed["url"] == "https://hooks.example/1"
    assert "https://hooks.example/1" in matchbox("webhook", "list").out
    assert matchbox("webhook", "remove", made["id"]).code == 0
    gone = matchbox("webhook", "remove", made["id"])
    assert (gone.code, gone.err) == (1, f"matchbox: you have no webhook {made['id']}\n")


@pytest.mark.usefixtures("alice")
def test_a_webhook_that_may_not_be_is_refused_with_a_sentence(matchbox: Run) -> None:
    told = matchbox("webhook", "add", "http://127.0.0.1/")
    assert told.code == 1
    assert told.err == "matchbox: the URL must start with https://\n"
