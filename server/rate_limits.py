"""Limits how many requests an account or a network may send.

Counts in the broker's Redis, or else in memory, where each web process counts for itself. Knows the
limits of the settings, but not what a request does.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import wraps
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any, Final

from flask import g, request
from flask_limiter import Limiter
from flask_limiter.errors import RateLimitExceeded
from flask_login import current_user

from matchbox.errors import CallerFault
from server.auth import remote_arena
from server.problems import AGAIN
from server.times import CLOCKS_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask, Response
    from flask_limiter import RequestLimit

    from matchbox.settings import Settings

WAIT_S: Final = 1.0
"""The time, in seconds, that a request waits for a broker that hangs."""
UNCOUNTED: Final = ("/internal/", "/healthz", "/readyz", "/metrics", "/assets/")
"""Paths whose requests are not counted: the platform's own, and files."""
PROGRAMS: Final = ("/api/", "/remote/")
"""Paths that programs request. Programs may want to know how much of a limit is left."""
PASSWORD_CHECKS: Final = (
    "accounts.log_in",
    "accounts.change_password",
    "forms_accounts.log_in",
    "forms_accounts.change_password",
)
"""Endpoints that check a password. A right one does not count as an attempt: a whole class may log
in from one network in the same minute."""
SLOW: Final = (
    "accounts.sign_up",
    "accounts.delete",
    "accounts.request_link",
    "forms_accounts.sign_up",
    "forms_accounts.claim",
    "forms_accounts.delete",
    "forms_accounts.request_link",
    "forms_accounts.set_password",
    "forms_notices.request_confirmation",
    "forms_classes.join",
    "forms_openid.link",
    "forms_openid.unlink",
)
"""Endpoints that hash a password, which takes a third of a second, or mail a link for one."""
OPERATORS_PASSWORDS: Final = (
    "users.create",
    "users.reset",
    "forms_users.create",
    "forms_users.reset",
)
"""Endpoints by which operators give passwords. They count apart: an operator who gives a whole
class new passwords must not stop its log-ins."""
CODE_CHECKS: Final = ("pages.join", "classes.invited", "classes.join")
"""Endpoints that reveal whether a league has a certain code, and hash nothing."""
PROVIDER_REQUESTS: Final = (
    "forms_openid.begin",
    "forms_openid.come_back",
    "forms_openid.sign_up",
    "pages.openid_out",
)
"""Endpoints that send a request to an OpenID Connect provider, or make an account for an identity
there."""
_CODE_SIGN_UPS: Final = ("forms_classes.join", "accounts.sign_up")
"""Endpoints that make an account with a code."""
CLASS_RATE: Final = 120
"""A limit per minute that lets a whole class in one network pass: of accounts made with one code;
and of one network's tries of codes, checks of passwords, requests to a provider, and passwords that
operators give. Codes that work count too: otherwise a visitor over the limit could tell which ones
work."""
ARENA_FACTOR: Final = 10
"""An arena on another host may send this many times as many requests as others: it sends about
three for each match, and matches can be short. A result that is refused for too long is lost."""
_ARENA: Final = "arena:"
TOO_FAST: Final = (
    "too many attempts came from your network; nothing was done, so wait a minute and send this "
    "again"
)
AGAIN_S: Final = 5
"""The seconds after which a client should try again if something is unavailable."""
IPV6_PREFIX_LENGTH: Final = 64
"""All addresses with the same first 64 bits count as one network, since they usually have one
owner."""


class _Limiter(Limiter):
    """A limiter that reports the rest of a limit only to programs, and after a refusal.

    The report costs two more requests to the broker.
    """

    @property
    def current_limit(self) -> RequestLimit | None:
        """The limit that the answer reports; None if it reports none."""
        limit = super().current_limit
        reported = limit is not None and (limit.breached or request.path.startswith(PROGRAMS))
        return limit if reported else None


def limit_rates(app: Flask, settings: Settings, sent_code: Callable[[], str]) -> None:
    """Limits the requests of every network and account of the app to the settings' rates.

    Call it after all routes are registered: it sets the stricter limits of some of them.
    `sent_code` returns the code of a league that the request came with, or "". With a code, the
    limit is the code's and not the network's: a whole class may share an address.
    """
    app.before_request(_find_asker)  # runs before the limiter's own
    limiter = _Limiter(
        key_func=lambda: g.asker,
        application_limits=[lambda: f"{_most(settings)} per minute"],
        application_limits_exempt_when=lambda: request.path.startswith(UNCOUNTED),
        storage_uri=storage_uri(settings.broker_url),
        storage_options=_patience(settings.broker_url),
        in_memory_fallback_enabled=True,
        swallow_errors=True,  # errors of the broker; later requests count in memory
        fail_on_first_breach=False,  # a refused guess of a code counts for all limits of guesses
        on_breach=_note_breach,
        headers_enabled=True,
        key_prefix="matchbox-rates",
    )
    app.after_request(_ask_only_the_refused_to_wait)  # runs after the limiter's own
    limiter.init_app(app)
    for endpoint, rate in _stricter(limiter, settings, sent_code):
        view: Any = app.view_functions[endpoint]
        app.view_functions[endpoint] = _shown_again(view, rate(view))


def _stricter(
    limiter: _Limiter, settings: Settings, sent_code: Callable[[], str]
) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yields the endpoints with stricter limits, each with the decorator that limits its view."""
    few = limiter.shared_limit(
        f"{settings.logins_per_minute} per minute",
        scope="passwords",
        key_func=client_network,
        exempt_when=lambda: bool(sent_code()),
    )
    with_code = limiter.shared_limit(
        f"{CLASS_RATE} per minute",
        scope="codes",
        key_func=lambda: f"code:{sent_code()}",
        exempt_when=lambda: not sent_code(),
    )
    wrong = limiter.shared_limit(
        f"{settings.logins_per_minute} per minute",
        scope="passwords",
        key_func=client_network,
        deduct_when=lambda response: 400 <= response.status_code < 500,
    )
    proving, codes, joining, provider, operators = (
        limiter.shared_limit(
            f"{max(CLASS_RATE, settings.logins_per_minute)} per minute",
            scope=scope,
            key_func=client_network,
        )
        for scope in ("proving", "guesses", "joining", "abroad", "operators")
    )
    rates: dict[str, Callable[[Any], Any]] = dict.fromkeys(SLOW, few)
    rates |= {**dict.fromkeys(CODE_CHECKS, codes), **dict.fromkeys(PROVIDER_REQUESTS, provider)}
    rates |= dict.fromkeys(OPERATORS_PASSWORDS, operators)
    rates |= dict.fromkeys(PASSWORD_CHECKS, lambda view: proving(wrong(view)))
    rates |= dict.fromkeys(_CODE_SIGN_UPS, lambda view: joining(few(with_code(view))))
    yield from rates.items()


def _most(settings: Settings) -> int:
    """The number of requests that may come from this asker in a minute.

    The limiter asks for it also at paths whose requests are not counted, and so have no asker.
    """
    times = ARENA_FACTOR if g.get("asker", "").startswith(_ARENA) else 1
    return times * settings.requests_per_minute


def _find_asker() -> None:
    """Finds whom the request counts for.

    The limiter itself would take an error of the database for a failure of its storage, and each
    process would count alone for a while.
    """
    if not request.path.startswith(UNCOUNTED):
        g.asker = asker()


def _note_breach(limit: RequestLimit) -> None:
    """Keeps the seconds to wait for the answer, the longest if there are several limits.

    Clears a count that would last longer than its minute: it began while the clock was ahead. Else
    nobody who was counted then would be answered before that time comes.
    """
    wait_s = limit.reset_at - time.time()
    if wait_s > limit.limit.get_expiry() + CLOCKS_MS / 1000:
        limit.limiter.clear(limit.limit, *limit.request_args)
        wait_s = 0
    g.wait_s = max(g.get("wait_s", 1), int(wait_s))


def _shown_again(view: Any, limited: Any) -> Any:
    """Returns the limited view; beyond the limit it shows its form again, if it has one."""
    again = getattr(view, AGAIN, None)
    if again is None:
        return limited

    @wraps(view)
    def answer(**parts: object) -> Any:
        try:
            return limited(**parts)
        except RateLimitExceeded:
            return again(TOO_FAST, 429, **parts)

    return answer


def _ask_only_the_refused_to_wait(response: Response) -> Response:
    """Removes Retry-After, which the limiter sets on every answer, where waiting does not help.

    A 503 gets AGAIN_S seconds, or those that its error names, but none after a change. A 429 gets
    those of the limit, or of a TooMany.
    """
    wait = g.get("wait_s", AGAIN_S if response.status_code == 503 else None)
    if wait is not None:
        response.headers["Retry-After"] = str(wait)
    elif response.status_code != 429 or "wait_s" in g:
        response.headers.pop("Retry-After", None)
    return response


def storage_uri(broker_url: str) -> str:
    """Returns the address of the counters: that of the broker in the limiter's form, or memory."""
    if not broker_url:
        return "memory://"
    for socket in ("redis+socket://", "unix://"):
        if broker_url.startswith(socket):
            return "redis+unix://" + broker_url.removeprefix(socket).split("?")[0]
    return broker_url


def _patience(broker_url: str) -> dict[str, Any]:
    """The options that limit how long a request waits for the counters, in seconds, before it
    counts in memory."""
    if not broker_url:
        return {}
    return {"socket_timeout": WAIT_S, "socket_connect_timeout": WAIT_S}


def client_network() -> str:
    """Returns the network that the request comes from, as `network_of` spells it."""
    return network_of(request.remote_addr or "nowhere")


def network_of(address: str) -> str:
    """Returns the /64 network of an IPv6 address, or an IPv4 address as it is.

    An IPv4 address that is mapped into IPv6 is returned as IPv4. A text that is not an address is
    returned as it is.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), IPV6_PREFIX_LENGTH), strict=False))


def asker() -> str:
    """Returns the key under which the request is counted: its account or arena, or else its
    network."""
    if request.path.startswith("/remote/"):
        with suppress(CallerFault):
            return f"{_ARENA}{remote_arena()}"
        return client_network()
    return f"account:{current_user.id}" if current_user.is_authenticated else client_network()
