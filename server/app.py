"""Makes the web applications. Settings, database, routes and pages are wired together only here."""

from __future__ import annotations

import os
from datetime import timedelta
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from apiflask import APIFlask
from flask import request
from flask.json.provider import DefaultJSONProvider
from flask_compress import Compress
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.pages import make_pages
from matchbox.settings import read_settings
from server import auth
from server.context import make_context
from server.db.session import WEB_WAIT_MS
from server.headers import guard_answers
from server.metrics import Metrics
from server.openapi import complete_document
from server.openid_client import Provider, check_installed
from server.problems import register_error_handlers
from server.rate_limits import limit_rates
from server.recent import Recent
from server.request_log import log_requests, shown_path
from server.routes import blueprints, health, internal
from server.routes.addresses import teach_addresses
from server.routes.request_rules import check_requests
from server.routes.source import ServerSource
from server.sent_code import sent_code
from server.services.sessions import LIFE_DAYS
from server.session_cookie import SessionCookie
from server.streams import Streams

if TYPE_CHECKING:
    from dashboard.source import Source
    from matchbox.settings import Settings
    from server.context import Context

MAX_BYTES: Final = (1 << 20) + (64 << 10)
"""The most bytes of a request's body: the longest zip, and the form around it."""
MAX_FIELDS: Final = 10_000
"""The most fields of an object in a JSON body."""


def create_app(context: Context) -> APIFlask:
    """Returns the public application. The database must have been migrated."""
    settings = context.settings
    app = _bare_app(context, spec_path="/api/v1/openapi.json")
    if hops := settings.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    for blueprint in blueprints():
        app.register_blueprint(blueprint)
    source: Source = ServerSource()
    app.extensions["matchbox-source"] = source
    pages = make_pages(source)
    pages.enable_openapi = False  # type: ignore[attr-defined]  # the framework reads it
    app.register_blueprint(pages)
    limit_rates(app, settings, sent_code)
    check_installed(settings)
    app.extensions["matchbox-openid"] = Provider(settings) if settings.openid_issuer else None
    app.extensions["matchbox-streams"] = Streams(settings)
    _guard(app, context)
    check_requests(app)
    Compress(app)
    app.spec_processor(complete_document)
    return app


def create_internal_app(context: Context) -> APIFlask:
    """Returns the application for arenas, which has a listener and a process of its own."""
    app = _bare_app(context)
    app.register_blueprint(internal.routes)
    app.register_blueprint(health.routes)
    _guard(app, context)
    return app


def from_environment() -> APIFlask:
    """Returns the public application with the settings of the process's environment."""
    return create_app(make_context(read_settings(os.environ, open), wait_ms=WEB_WAIT_MS))


def internal_from_environment() -> APIFlask:
    """Returns the application for arenas with the settings of the process's environment."""
    return create_internal_app(make_context(read_settings(os.environ, open), wait_ms=WEB_WAIT_MS))


def cookie_name(name: str, *, https: bool) -> str:
    """Returns the cookie's full name, which begins with __Host- over HTTPS.

    Browsers accept a cookie with that prefix only over HTTPS and from the host itself. So neither
    another host of the domain nor somebody on the network can plant one.
    """
    return f"__Host-{name}" if https else name


class _App(APIFlask):
    """An application that leaves the secrets of addresses out of its log of errors."""

    def log_exception(self, exc_info: Any) -> None:
        """Writes an unforeseen error into the log, with the request that caused it."""
        self.logger.error("Exception on %s [%s]", shown_path(), request.method, exc_info=exc_info)


class _Json(DefaultJSONProvider):
    """Reads JSON. A body that is nested too deep counts as one that is not valid JSON.

    So does one with an object of more than MAX_FIELDS: each field could be an error of its own,
    which takes memory and stands in the answer.
    """

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Returns the value. Raises ValueError."""
        try:
            return super().loads(s, object_pairs_hook=_fields, **kwargs)
        except RecursionError as error:
            raise ValueError("the JSON is nested too deep") from error


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_FIELDS:
        raise ValueError(f"an object of the JSON has more than {MAX_FIELDS} fields")
    return dict(pairs)


def _bare_app(context: Context, spec_path: str | None = None) -> APIFlask:
    """An application that counts its requests and answers errors, without any routes yet."""
    app = _App(
        "server",
        title="Matchbox",
        version=version("matchbox"),
        spec_path=spec_path,
        docs_path=None,
        json_errors=False,
    )
    app.json = _Json(app)
    app.session_interface = SessionCookie()
    app.config.update(_flask_settings(context.settings))
    app.extensions["matchbox"] = context
    app.extensions["matchbox-metrics"] = Metrics()
    app.extensions["matchbox-health"] = Recent()
    app.extensions["matchbox-metrics"].watch(app)
    log_requests(app, access=context.settings.access_log)
    teach_addresses(app)
    register_error_handlers(app)
    return app


def _guard(app: APIFlask, context: Context) -> None:
    auth.guard_entry(app)
    guard_answers(app, https_only=context.settings.https)


def _flask_settings(settings: Settings) -> dict[str, object]:
    return {
        "SECRET_KEY": settings.secret_key,
        "MAX_CONTENT_LENGTH": MAX_BYTES,
        "MAX_FORM_MEMORY_SIZE": MAX_BYTES,
        "MAX_FORM_PARTS": 32,
        "SESSION_COOKIE_NAME": cookie_name("matchbox_session", https=settings.https),
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": settings.https,
        "REMEMBER_COOKIE_NAME": cookie_name("matchbox_remember", https=settings.https),
        "REMEMBER_COOKIE_SECURE": settings.https,
        "PERMANENT_SESSION_LIFETIME": timedelta(days=LIFE_DAYS),
        "SESSION_REFRESH_EACH_REQUEST": False,
        "COMPRESS_MIMETYPES": ["text/html", "text/csv", "application/json"],
        "COMPRESS_STREAMS": True,
        "WTF_CSRF_CHECK_DEFAULT": False,
        "WTF_CSRF_TIME_LIMIT": None,
        "AUTO_404_RESPONSE": False,
        "AUTO_AUTH_ERROR_RESPONSE": False,
        "AUTO_SERVERS": False,
        "AUTO_VALIDATION_ERROR_RESPONSE": False,
        "AUTO_OPERATION_ID": True,
    }
