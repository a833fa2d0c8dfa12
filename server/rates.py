"""How often one account or address may ask. Counts in the broker's Redis, else in memory.

Knows the settings' numbers; does not know what a request does. In memory each web process
counts for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from flask import request
from flask_limiter import Limiter
from flask_login import current_user

if TYPE_CHECKING:
    from flask import Flask

    from matchbox.settings import Settings

FREE: Final = ("/internal/", "/healthz", "/readyz", "/metrics", "/assets/")
"""Paths that nobody counts: the platform's own, and files."""
SLOW: Final = (
    "accounts.log_in",
    "accounts.sign_up",
    "accounts.create_user",
    "forms.log_in",
    "forms.sign_up",
    "forms.claim",
    "forms.change_password",
    "forms_operate.create_user",
)
"""Endpoints that hash a password, a third of a second each."""


def limit_rates(app: Flask, settings: Settings) -> None:
    """Holds every address and account of the app to the settings' rates.

    Called when every route is there: those named in SLOW take a password each.
    """
    limiter = Limiter(
        key_func=_who,
        application_limits=[f"{settings.requests_per_minute} per minute"],
        application_limits_exempt_when=lambda: request.path.startswith(FREE),
        storage_uri=storage_uri(settings.broker_url),
        in_memory_fallback_enabled=True,
        headers_enabled=True,
        key_prefix="matchbox-rates",
    )
    limiter.init_app(app)
    few = limiter.shared_limit(
        f"{settings.logins_per_minute} per minute",
        scope="passwords",
        key_func=_address,
        methods=["POST"],
    )
    for endpoint in SLOW:
        view: Any = app.view_functions[endpoint]
        app.view_functions[endpoint] = few(view)


def storage_uri(broker_url: str) -> str:
    """The address of the counters: the broker's, in the counters' spelling, or memory."""
    if not broker_url:
        return "memory://"
    for socket in ("redis+socket://", "unix://"):
        if broker_url.startswith(socket):
            return "redis+unix://" + broker_url.removeprefix(socket).split("?")[0]
    return broker_url


def _address() -> str:
    return request.remote_addr or "nowhere"


def _who() -> str:
    return f"account:{current_user.id}" if current_user.is_authenticated else _address()
