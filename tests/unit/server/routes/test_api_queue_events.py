"""The queue and the news in the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import delete
from werkzeug.test import TestResponse

from server import streams
from server.db.models import Event, User
from server.routes import api_events
from tests.books import Books
from tests.unit.server.routes.conftest import Caller, problem


@pytest.fixture(autouse=True)
def short_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a stream end at once instead of waiting for more."""
    monkeypatch.setattr(api_events, "LIFE_S", 0.0)


def events(answer: TestResponse) -> Iterator[dict[str, Any]]:
    """Yields the events of the stream."""
    for line in answer.text.splitlines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_the_queue_is_counted(nobody: Caller, books: Books, alice: User) -> None:
    books.upload(alice, "timid")
    told: Any = nobody.get("/queue").json
    assert (told["queued"], told["running"], told["parked"]) == (0, 0, 0)
    assert told["pending_versions"] == 1


def test_news_is_told_after_the_event_last_seen(nobody: Caller, books: Books, alice: User) -> None:
    books.bot(alice, "timid")
    answer = nobody.get("/events?after=0")
    assert answer.mimetype == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    told = list(events(answer))
    assert [one["kind"] for one in told] == ["version.uploaded", "version.settled"]
    again = nobody.client.get("/api/v1/events", headers={"Last-Event-ID": str(told[0]["id"])})
    assert [one["kind"] for one in events(again)] == ["version.settled"]


def test_a_stream_begins_with_what_comes_next(nobody: Caller, books: Books, alice: User) -> None:
    books.bot(alice, "timid")
    answer = nobody.get("/events")
    assert list(events(answer)) == []
    assert "retry: " in answer.text


def test_a_client_misses_nothing_between_two_streams_of_which_the_first_was_quiet(
    nobody: Caller, books: Books, alice: User
) -> None:
    books.bot(alice, "timid")
    quiet = nobody.get("/events")
    assert list(events(quiet)) == []
    last = [line.removeprefix("id: ") for line in quiet.text.splitlines() if "id: " in line]
    books.bot(alice, "bold")
    again = nobody.client.get("/api/v1/events", headers={"Last-Event-ID": last[-1]})
    assert [one["kind"] for one in events(again)] == ["version.uploaded", "version.settled"]


def test_a_client_that_has_missed_events_is_told_so(
    nobody: Caller, books: Books, alice: User
) -> None:
    for name in ("timid", "bold"):
        books.bot(alice, name)
    with books.write() as session:
        session.execute(delete(Event).where(Event.id <= 2))
    assert next(events(nobody.get("/events?after=2")))["kind"] != "reset"
    told = list(events(nobody.get("/events?after=1")))
    assert [one["kind"] for one in told] == ["reset", "version.uploaded", "version.settled"]
    assert told[0]["id"] == 1
    assert [one["kind"] for one in events(nobody.get("/events?after=5"))] == ["reset"]


def test_news_holds_no_secret(nobody: Caller, books: Books, alice: User) -> None:
    books.bot(alice, "timid")
    for one in events(nobody.get("/events?after=0")):
        assert set(one) == {"id", "kind", "subject", "at"}


@pytest.mark.parametrize("last", ["nonsense", "-1", "9" * 50, "١"])
def test_a_last_event_that_makes_no_sense_is_as_none(nobody: Caller, last: str) -> None:
    header = {"Last-Event-ID": last.encode().decode("latin-1")}
    answer = nobody.client.get("/api/v1/events", headers=header)
    assert answer.status_code == 200


def test_a_client_that_knows_later_events_than_a_restored_database_hears_what_comes(
    nobody: Caller, books: Books, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_events, "LIFE_S", 0.5)
    monkeypatch.setattr(api_events, "PAUSE_S", 0.5)
    books.bot(alice, "timid")
    answer = nobody.get("/events?after=5000", buffered=False)
    parts = iter(answer.response)
    assert next(parts) == b"retry: 2000\nid: 2\n\n"
    assert b"event: reset\n" in next(parts)
    assert next(parts) == b": still here\n\n"
    books.bot(alice, "bold")
    assert b"version.uploaded" in next(parts)


def test_there_are_only_so_many_streams_and_each_gives_its_place_back(nobody: Caller) -> None:
    waiting = [watch(nobody, f"10.0.0.{number // 4}") for number in range(streams.STREAMS)]
    assert {answer.status_code for answer in waiting} == {200}
    problem(watch(nobody, "10.0.9.9"), 503)
    for answer in waiting:
        answer.close()
    assert watch(nobody, "10.0.9.9").status_code == 200


def test_an_address_has_its_share_of_them_and_no_more(nobody: Caller) -> None:
    waiting = [watch(nobody, "10.0.0.1") for _ in range(4)]
    refused = problem(watch(nobody, "10.0.0.1"), 429)
    assert "4 event streams of yours are open" in refused["detail"]
    assert watch(nobody, "10.0.0.2").status_code == 200
    waiting.pop().close()
    assert watch(nobody, "10.0.0.1").status_code == 200


def test_an_account_has_its_share_wherever_it_is_and_leaves_the_address_its_own(
    nobody: Caller, as_alice: Caller, as_bob: Caller
) -> None:
    for number in range(4):
        assert watch(as_alice, f"10.0.0.{number}").status_code == 200
    problem(watch(as_alice, "10.0.0.9"), 429)
    assert watch(as_bob, "10.0.0.1").status_code == 200
    assert watch(nobody, "10.0.0.1").status_code == 200


def watch(caller: Caller, address: str) -> TestResponse:
    """Opens a stream as a client at that address; returns the answer, which stays open."""
    return caller.get("/events", buffered=False, environ_base={"REMOTE_ADDR": address})


def test_a_poor_question_is_refused(nobody: Caller) -> None:
    problem(nobody.get("/events?after=yesterday"), 422)
    problem(nobody.get("/events?before=1"), 422)
