"""How often one account or network may ask. Counts in the broker's Redis, else in memory.

Knows the settings' numbers; does not know what a request does. In memory each web process
counts for itself.
"""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network, ip_address
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
    "accounts.change_password",
    "forms_accounts.log_in",
    "forms_accounts.sign_up",
    "forms_accounts.claim",
    "forms_accounts.change_password",
    "forms_operations.create_user",
)
"""Endpoints that hash a password, a third of a second each."""
PREFIX: Final = 64
"""Bits of an IPv6 address that count: whoever has one has the other 64 bits to himself."""


def limit_rates(app: Flask, settings: Settings) -> None:
    """Holds every network and account of the app to the settings' rates.

    Called when every route is there: those named in SLOW take a password each.
    """
    limiter = Limiter(
        key_func=asker,
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
        key_func=client_network,
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


def client_network() -> str:
    """The network that the request comes from, as limits count it."""
    return network_of(request.remote_addr or "nowhere")


def network_of(address: str) -> str:
    """The IPv6 /64 that the address is in; an IPv4 address whole, also one mapped into IPv6.

    A text that is no address stands for itself.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), PREFIX), strict=False))


def asker() -> str:
    """Whose requests are counted together with this one: an account's, or a network's."""
    return f"account:{current_user.id}" if current_user.is_authenticated else client_network()
