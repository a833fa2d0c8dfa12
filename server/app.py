"""Makes the web application: the one place where settings, books, routes and pages are wired."""

from __future__ import annotations

import os
from datetime import timedelta
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from apiflask import APIFlask
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.pages import make_pages
from matchbox.settings import read_settings
from server import auth
from server.context import make_context
from server.headers import guard_answers
from server.metrics import Metrics
from server.openapi import mend
from server.problems import tell_errors
from server.rates import limit_rates
from server.routes import blueprints
from server.routes.addresses import teach_addresses
from server.routes.source import make_source

if TYPE_CHECKING:
    from matchbox.settings import Settings
    from server.context import Context

MOST_BYTES: Final = (1 << 20) + (64 << 10)
"""Of a request: the longest zip, and the form around it."""
SESSION_DAYS: Final = 30


def create_app(context: Context) -> APIFlask:
    """The application over these books. The database must have been migrated."""
    app = APIFlask(
        "server",
        title="Matchbox",
        version=version("matchbox"),
        spec_path="/api/v1/openapi.json",
        docs_path=None,
        json_errors=False,
    )
    app.config.update(_flask_settings(context.settings))
    app.extensions["matchbox"] = context
    app.extensions["matchbox-metrics"] = Metrics(context)
    if context.settings.trusted_proxies:
        hops = context.settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    app.extensions["matchbox-metrics"].watch(app)
    teach_addresses(app)
    tell_errors(app)
    for blueprint in blueprints():
        app.register_blueprint(blueprint)
    app.extensions["matchbox-source"] = make_source()
    pages = make_pages(app.extensions["matchbox-source"])
    pages.enable_openapi = False  # type: ignore[attr-defined]  # the framework asks each one
    app.register_blueprint(pages)
    limit_rates(app, context.settings)
    auth.guard_entry(app)
    guard_answers(app, https_only=context.settings.secure_cookies)
    app.spec_processor(mend)
    return app


def from_environment() -> APIFlask:
    """The application that the process's environment describes, for a web server."""
    return create_app(make_context(read_settings(os.environ)))


def _flask_settings(settings: Settings) -> dict[str, object]:
    return {
        "SECRET_KEY": settings.secret_key,
        "MAX_CONTENT_LENGTH": MOST_BYTES,
        "MAX_FORM_MEMORY_SIZE": MOST_BYTES,
        "MAX_FORM_PARTS": 32,
        "SESSION_COOKIE_NAME": "matchbox_session",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": settings.secure_cookies,
        "PERMANENT_SESSION_LIFETIME": timedelta(days=SESSION_DAYS),
        "WTF_CSRF_CHECK_DEFAULT": False,
        "WTF_CSRF_TIME_LIMIT": None,
        "AUTO_404_RESPONSE": False,
        "AUTO_AUTH_ERROR_RESPONSE": False,
        "AUTO_SERVERS": False,
        "AUTO_VALIDATION_ERROR_RESPONSE": False,
        "AUTO_OPERATION_ID": True,
    }
