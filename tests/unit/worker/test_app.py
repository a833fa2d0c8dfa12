"""The settings that keep tasks safe on the broker."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
import redis
from kombu.utils.scheduling import cycle_by_name

from matchbox.errors import BadSetting, Unavailable
from matchbox.match import wire
from matchbox.setting_values import celery_address
from matchbox.settings import Settings
from server.services.broker import waiting_results
from worker.app import (
    ARENA_QUEUES,
    at_start,
    configuration,
    make_celery,
    send_result,
    transport_options,
)

SETTINGS = Settings(broker_url="redis://127.0.0.1:1/0")


def test_a_task_is_acknowledged_when_it_is_done_and_never_by_a_lost_worker() -> None:
    found = configuration(SETTINGS, "arena")
    assert found["task_acks_late"]
    assert found["task_reject_on_worker_lost"]
    assert found["worker_prefetch_multiplier"] == 1


def test_a_result_says_when_it_was_sent(redis_url: str) -> None:
    before = time.time_ns() // 1_000_000
    with make_celery(replace(SETTINGS, broker_url=redis_url), "arena") as app:
        send_result(app, wire.RECORD, {})
    found = waiting_results(redis_url)
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    assert found.results == 1
    assert found.oldest_at is not None
    assert before <= found.oldest_at <= time.time_ns() // 1_000_000


def test_only_json_is_read() -> None:
    assert configuration(SETTINGS, "ledger")["accept_content"] == ["json"]


def test_every_task_goes_to_the_queue_that_the_messages_name() -> None:
    app = make_celery(SETTINGS, "arena")
    for task, queue in wire.QUEUES.items():
        assert app.amqp.router.route({}, task)["queue"].name == queue


def test_what_people_wait_for_comes_first_and_leagues_take_turns_with_comparisons() -> None:
    order = cycle_by_name(transport_options(SETTINGS, "arena")["queue_order_strategy"])()
    order.update(ARENA_QUEUES)
    served = []
    for queue in ("ranked", "comparison", "tryout", "turn", "first", "ranked"):
        order.rotate(queue)
        found = order.consume(5)
        assert found[:3] == ["turn", "tryout", "first"]
        served.append(found[3])
    assert served == ["comparison", "ranked", "ranked", "ranked", "ranked", "comparison"]


def test_an_arena_looks_into_every_queue_that_has_work_for_it() -> None:
    mine = {queue for task, queue in wire.QUEUES.items() if task.startswith("arena.")}
    assert mine == set(ARENA_QUEUES)


def test_an_arena_keeps_a_task_longer_than_any_lease_and_the_books_give_it_back_soon() -> None:
    arena, ledger = (transport_options(SETTINGS, half) for half in ("arena", "ledger"))
    assert arena["visibility_timeout"] > 60 * SETTINGS.lease_minutes
    assert ledger["visibility_timeout"] < 60
    assert arena["unacked_key"] != ledger["unacked_key"]


@pytest.mark.parametrize("url", ["unix:///run/broker.sock", "redis+socket:///run/broker.sock"])
def test_a_unix_socket_is_an_address(url: str) -> None:
    assert celery_address(url) == "redis+socket:///run/broker.sock"
    app = make_celery(Settings(broker_url=url), "arena")
    assert app.connection().as_uri() == "redis+socket:///run/broker.sock"


def test_without_a_broker_it_says_where_one_comes_from() -> None:
    with pytest.raises(BadSetting, match="MATCHBOX_BROKER_URL is empty; `matchbox up` starts"):
        make_celery(Settings(), "ledger")


@pytest.mark.parametrize("error", [Unavailable("the database is away"), ValueError("nonsense")])
def test_a_worker_that_cannot_open_what_it_needs_ends(
    error: Exception, capfd: pytest.CaptureFixture[str]
) -> None:
    @at_start
    def open_all(**_: object) -> None:
        raise error

    with pytest.raises(SystemExit, match="this worker cannot start") as ended:
        open_all(sender="ledger@here")
    assert str(error) in f"{ended.value} {capfd.readouterr().err}"
