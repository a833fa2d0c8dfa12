"""The server's metrics for Prometheus: requests, the queue, and the platform's health.

Names no account, bot or address. With several web processes set PROMETHEUS_MULTIPROC_DIR, and the
counts of all processes are added up.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from flask import g, request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.values import MutexValue, ValueClass

from matchbox.answers.health import ArenaState, Level
from server import queries
from server.recent import Recent
from server.services import health
from server.services.findings import SYMPTOMS
from server.times import parse_time_ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask, Response

    from matchbox.answers.health import Figures, Health
    from matchbox.answers.matches import Queue
    from server.context import Context

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"})
BUCKETS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The metrics of one app."""

    def __init__(self) -> None:
        self._state: Recent[bytes] = Recent()
        self._registry = CollectorRegistry()
        labels = ("method", "endpoint", "status")
        self._requests = Counter(
            "matchbox_requests", "Requests answered", labels, registry=self._registry
        )
        self._seconds = Histogram(
            "matchbox_request_seconds",
            "Time to answer",
            ("endpoint",),
            buckets=BUCKETS,
            registry=self._registry,
        )

    def watch(self, app: Flask) -> None:
        """Counts every request of the app. The time is from `g.begun`, which request_log sets."""

        @app.after_request
        def count(response: Response) -> Response:
            endpoint = request.endpoint or "none"
            method = request.method if request.method in METHODS else "other"
            self._requests.labels(method, endpoint, str(response.status_code)).inc()
            if "begun" in g:
                self._seconds.labels(endpoint).observe(time.perf_counter() - g.begun)
            return response

    def text(self, context: Context) -> bytes:
        """Returns the counts of requests, the queue and the health in Prometheus' text format."""
        counted = self._registry
        if ValueClass is not MutexValue:  # PROMETHEUS_MULTIPROC_DIR is set.
            counted = CollectorRegistry()
            with suppress(ValueError):  # The folder is gone; only our own counts are left.
                MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        return self._state.get(lambda: _state_of(context)) + generate_latest(counted)


def _state_of(context: Context) -> bytes:
    shown = CollectorRegistry()
    shown.register(_State(context))
    return generate_latest(shown)


class _State(Collector):
    """The queue and the platform's health, read from the database."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def collect(self) -> Iterator[GaugeMetricFamily]:
        with self._context.read() as session:
            queue = queries.queue(session, now=self._context.now())
            judged = health.judge(session, self._context.settings, now=self._context.now())
        for name, meaning, label, values in (*_queued(queue), *_judged(judged)):
            metric = GaugeMetricFamily(name, meaning, labels=label)
            for labels, value in values:
                metric.add_metric(labels, value)
            yield metric


Samples: TypeAlias = "list[tuple[tuple[str, ...], float]]"
Gauge: TypeAlias = tuple[str, str, tuple[str, ...], Samples]
"""The name of a figure, its meaning, the names of its labels, and its samples with their labels."""


def _queued(queue: Queue) -> Iterator[Gauge]:
    states = ("queued", "running", "parked")
    matches: Samples = [((state,), getattr(queue, state)) for state in states]
    yield "matchbox_matches", "Matches by state", ("state",), matches
    for name, meaning, count in (
        ("pending", "Versions before their verdict", queue.pending_versions),
        ("parked", "Versions whose try-out waits for an operator", queue.parked_versions),
        (
            "quarantined",
            "Versions that were present too often when the platform failed",
            queue.quarantined_versions,
        ),
    ):
        yield f"matchbox_{name}_versions", meaning, (), [((), count)]


def _judged(judged: Health) -> Iterator[Gauge]:
    """The platform's health, as on /admin/health, without the names of arenas: anybody may read
    it."""
    found = [(one.kind, one.level) for one in judged.findings]
    every = ((kind, level) for kind in SYMPTOMS for level in get_args(Level))
    wrong: Samples = [(one, found.count(one)) for one in every]
    yield "matchbox_findings", "Things that are wrong, by kind", ("kind", "level"), wrong
    playing = [one for one in judged.arenas if not one.express]
    states = [one.state for one in playing]
    arenas: Samples = [((state,), states.count(state)) for state in get_args(ArenaState)]
    yield "matchbox_arenas", "Arenas that play matches, by state", ("state",), arenas
    reporting = [one for one in playing if one.state == "reports"]
    walled = sum(one.walled for one in reporting)
    busy = sum(bool(one.doing) for one in reporting)
    yield "matchbox_arenas_walled", "Arenas that report a wall", (), [((), walled)]
    yield "matchbox_arenas_busy", "Arenas that are at a job", (), [((), busy)]
    now = parse_time_ms(judged.checked_at)
    ages = [now - parse_time_ms(one.seen_at) for one in reporting]
    oldest = max(ages, default=0) / 1000
    yield "matchbox_arena_report_age_seconds", "Age of the oldest report", (), [((), oldest)]
    for state in ("queued", "running", "parked"):
        jobs: Samples = [((one.kind,), getattr(one, state)) for one in judged.jobs]
        yield f"matchbox_jobs_{state}", f"Jobs that are {state}, by kind", ("kind",), jobs
    waiting: Samples = [
        ((one.kind,), (now - parse_time_ms(one.oldest_at)) / 1000 if one.oldest_at else 0)
        for one in judged.jobs
    ]
    name = "matchbox_oldest_job_age_seconds"
    yield name, "Age of the oldest job that is not done", ("kind",), waiting
    yield from _measured(judged.figures)


def _measured(figures: Figures) -> Iterator[Gauge]:
    age = None if figures.ledger_ms is None else figures.ledger_ms / 1000
    waited = None if figures.results_ms is None else figures.results_ms / 1000
    backup = None if figures.backup_ms is None else figures.backup_ms / 1000
    for name, meaning, value in (
        ("broker_up", "Whether the broker answers", figures.broker),
        ("results_waiting", "Results that wait for the ledger", figures.results),
        ("oldest_result_age_seconds", "Age of the oldest result that waits", waited),
        ("ledger_age_seconds", "Age of the ledger's last sign of life", age),
        ("disk_free_bytes", "Free bytes on the watched disk with the least", figures.disk_free),
        ("backup_age_seconds", "Age of the last backup on the schedule", backup),
        ("mails_failing", "Mails tried twice or more, with none sent since", figures.mails_failing),
    ):
        samples: Samples = [] if value is None else [((), float(value))]
        yield f"matchbox_{name}", meaning, (), samples
