"""Liveness, readiness and metrics of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify
from prometheus_client import CONTENT_TYPE_LATEST

from matchbox.errors import BrokerUnavailable
from server.auth import context
from server.services import health

if TYPE_CHECKING:
    from matchbox.answers.health import Health
    from server.metrics import Metrics
    from server.recent import Recent

routes = APIBlueprint("health", __name__, enable_openapi=False)


@routes.get("/healthz")
def alive() -> Response:
    """Answers as long as the process runs."""
    return jsonify({"status": "alive"})


@routes.get("/readyz")
def ready() -> Response:
    """Checks that the database can be read and the broker reached; a 503 says which one failed.

    A server that answers pages is ready, whatever else is wrong. `wrong` names the kinds of
    findings about the platform's health, and `healthy` is false if one of them is bad.
    """
    recent: Recent[Health] = current_app.extensions["matchbox-health"]
    judged = recent.get(_judged)
    if judged.figures.broker is False:
        raise BrokerUnavailable("the queue cannot be reached; is the broker running?")
    wrong = sorted({one.kind for one in judged.findings})
    healthy = all(one.level != "bad" for one in judged.findings)
    return jsonify({"status": "ready", "healthy": healthy, "wrong": wrong})


@routes.get("/metrics")
def metrics() -> Response:
    """Returns the metrics in Prometheus' text format."""
    counted: Metrics = current_app.extensions["matchbox-metrics"]
    return Response(counted.text(context()), content_type=CONTENT_TYPE_LATEST)


def _judged() -> Health:
    ctx = context()
    with ctx.read() as session:
        return health.judge(session, ctx.settings, now=ctx.now())
