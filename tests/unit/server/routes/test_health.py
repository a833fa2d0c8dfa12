"""The server's liveness, readiness and counters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask

from matchbox.errors import BrokerUnavailable
from server import metrics, recent
from server.db.models import User
from server.services import accounts, health
from server.services.broker import waiting_results
from tests.books import Books
from tests.unit.server.routes.conftest import Caller, MakeApp, problem


def test_a_server_that_answers_is_alive_and_ready(nobody: Caller) -> None:
    assert nobody.client.get("/healthz").json == {"status": "alive"}
    told: Any = nobody.client.get("/readyz").json
    wrong = ["ledger"]  # none runs here
    assert told == {"status": "ready", "healthy": False, "wrong": wrong}


def test_a_monitors_header_of_its_own_is_ignored(app: APIFlask, books: Books, alice: User) -> None:
    with books.write() as session:
        scoped = accounts.make_token(session, alice, "laptop", scopes=["submit"], now=books.clock())
    for path in ("/healthz", "/readyz", "/metrics"):
        for token in (scoped, "unknown"):
            headers = {"Authorization": f"Bearer {token}"}
            assert app.test_client().get(path, headers=headers).status_code == 200, path


def test_without_its_broker_it_is_alive_and_not_ready(make_app: MakeApp) -> None:
    client = make_app(broker_url="redis+socket:///nowhere/broker.sock").test_client()
    assert client.get("/healthz").status_code == 200
    told = problem(client.get("/readyz"), 503)
    assert told["type"] == "urn:matchbox:problem:broker-unavailable"


def test_a_broker_that_is_not_there_is_named_without_its_address() -> None:
    with pytest.raises(BrokerUnavailable, match="is the broker running") as told:
        waiting_results("redis://:secret@127.0.0.1:1/0")
    assert "secret" not in str(told.value)


def test_no_part_of_the_counts_is_told_as_the_whole_if_their_folder_is_gone(
    nobody: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody.get("/games")
    monkeypatch.setattr(
        metrics, "ValueClass", None
    )  # As if the process had begun with the setting.
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "gone"))
    told = nobody.client.get("/metrics").text
    assert "matchbox_broker_up" in told
    assert "matchbox_requests_total" not in told


def test_requests_and_the_queue_are_counted(make_app: MakeApp) -> None:
    nobody = Caller(make_app().test_client())
    nobody.get("/games")
    nobody.get("/nothing")
    nobody.client.open("/", method="BREW")
    answer = nobody.client.get("/metrics")
    assert answer.mimetype == "text/plain"
    for line in (
        'matchbox_requests_total{endpoint="games.games",method="GET",status="200"} 1.0',
        'matchbox_requests_total{endpoint="none",method="GET",status="404"} 1.0',
        'matchbox_requests_total{endpoint="none",method="other",status="405"} 1.0',
        'matchbox_matches{state="queued"} 0.0',
        "matchbox_pending_versions 0.0",
    ):
        assert line in answer.text


def test_however_often_it_is_asked_the_health_is_judged_once_in_a_while(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = Caller(make_app().test_client())
    judged: list[int] = []
    judge = health.judge

    def counted(*args: Any, **more: Any) -> Any:
        judged.append(more["now"])
        return judge(*args, **more)

    monkeypatch.setattr(recent, "KEPT_S", 60.0)
    monkeypatch.setattr(health, "judge", counted)
    ready = [nobody.client.get("/readyz").json for _ in range(5)]
    told = [nobody.client.get("/metrics").text for _ in range(5)]
    assert ready == ready[:1] * 5
    assert all("matchbox_broker_up" in one for one in told)
    assert told[-1].count('matchbox_requests_total{endpoint="health.ready"') == 1
    assert len(judged) == 2  # once for each address
    monkeypatch.setattr(recent, "KEPT_S", 0.0)
    nobody.client.get("/readyz")
    assert len(judged) == 3
