"""The server's metrics for Prometheus: requests, the time that they take, and the queue's length.

Names no account, bot or address. With several web processes set PROMETHEUS_MULTIPROC_DIR, and the
counts of all processes are added up.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from flask import g, request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from server import queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask, Response

    from server.context import Context

METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
BUCKETS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The metrics of one app."""

    def __init__(self) -> None:
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
        """Counts every request of the app."""

        @app.before_request
        def start() -> None:
            g.started = time.perf_counter()

        @app.after_request
        def count(response: Response) -> Response:
            endpoint = request.endpoint or "none"
            method = request.method if request.method in METHODS else "other"
            self._requests.labels(method, endpoint, str(response.status_code)).inc()
            if "started" in g:
                self._seconds.labels(endpoint).observe(time.perf_counter() - g.started)
            return response

    def text(self, context: Context) -> bytes:
        """Returns all counts, and the present length of the queue, in Prometheus' text format."""
        shown = CollectorRegistry()
        shown.register(_Queue(context))
        counted = CollectorRegistry()
        try:
            MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        except ValueError:  # The variable is not set: this is the only process.
            counted = self._registry
        return generate_latest(shown) + generate_latest(counted)


class _Queue(Collector):
    """The length of the queue, read from the database at each request."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def collect(self) -> Iterator[GaugeMetricFamily]:
        with self._context.read() as session:
            queue = queries.queue(session)
        matches = GaugeMetricFamily("matchbox_matches", "Matches by state", labels=["state"])
        for state in ("queued", "running", "parked"):
            matches.add_metric([state], getattr(queue, state))
        yield matches
        yield GaugeMetricFamily(
            "matchbox_pending_versions", "Versions before their verdict", queue.pending_versions
        )
        yield GaugeMetricFamily(
            "matchbox_parked_versions",
            "Versions whose try-out waits for an operator",
            queue.parked_versions,
        )
        yield GaugeMetricFamily(
            "matchbox_quarantined_versions",
            "Versions that were present too often when the platform failed",
            queue.quarantined_versions,
        )
