"""Liveness, readiness and metrics of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from apiflask import APIBlueprint
from flask import Response, current_app, jsonify
from kombu import Connection
from kombu.exceptions import OperationalError
from prometheus_client import CONTENT_TYPE_LATEST

from matchbox.errors import BrokerUnavailable
from server import queries
from server.auth import context

if TYPE_CHECKING:
    from server.metrics import Metrics

BROKER_S: Final = 2
"""The seconds to wait for the broker."""

routes = APIBlueprint("health", __name__, enable_openapi=False)


@routes.get("/healthz")
def alive() -> Response:
    """Answers as long as the process runs."""
    return jsonify({"status": "alive"})


@routes.get("/readyz")
def ready() -> Response:
    """Checks that the database can be read and the broker reached; a 503 says which one failed."""
    with context().read() as session:
        queries.queue(session)
    if context().settings.broker_url:
        reach_broker(context().settings.broker_url)
    return jsonify({"status": "ready"})


@routes.get("/metrics")
def metrics() -> Response:
    """Returns the metrics in Prometheus' text format."""
    counted: Metrics = current_app.extensions["matchbox-metrics"]
    return Response(counted.text(context()), content_type=CONTENT_TYPE_LATEST)


def reach_broker(url: str) -> None:
    """Connects to the broker once. Raises BrokerUnavailable."""
    options = {"socket_connect_timeout": BROKER_S, "socket_timeout": BROKER_S, "max_retries": 0}
    try:
        with Connection(url, connect_timeout=BROKER_S, transport_options=options) as connection:
            connection.ensure_connection(max_retries=1, timeout=BROKER_S)
    except (OperationalError, OSError) as error:
        raise BrokerUnavailable("the queue cannot be reached; is the broker running?") from error
