"""Stores the state of a log-in by an OpenID Connect provider in the browser's signed cookie.

Knows the cookie and the app's provider; asks neither the provider nor the database.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final

from flask import current_app
from flask import session as cookie

from matchbox.errors import Forbidden, NotFound
from server.auth import context
from server.openid_client import Identity, Provider, Start
from server.times import MINUTE_MS, has_passed

MAX_MS: Final = 10 * MINUTE_MS
"""The time in ms that a log-in may take until the provider's answer, and as long again from there
to its end."""
BY_PROVIDER: Final = "by_openid"
"""The cookie's mark of a session that began with a log-in by the provider."""
_TABS: Final = 2
"""The number of log-ins, the newest ones, that a browser may have under way, each in a tab."""
_BEGUN: Final = "openid_starts"
_FOUND: Final = "openid_found"
_AGAIN: Final = "this log-in took too long, or was not begun in this browser; begin it again"


def provider() -> Provider:
    """Returns the provider of the settings. Raises NotFound if there is none."""
    found: Provider | None = current_app.extensions["matchbox-openid"]
    if found is None:
        raise NotFound("this platform has password log-in only: no OpenID Connect provider is set")
    return found


def remember_start(start: Start, after: str) -> None:
    """Stores the request to the provider; `after` is the path to go to in the end."""
    cookie.pop(_FOUND, None)
    own = asdict(replace(start, url=""))  # The address is long, and not needed any more.
    begun = {"start": own, "after": after, "at": context().now()}
    cookie[_BEGUN] = [*cookie.get(_BEGUN, []), begun][-_TABS:]


def take_start(state: str) -> tuple[Start, str]:
    """Returns the stored request with this state and the path to go to, and deletes them. Raises
    Forbidden if there is none."""
    begun = cookie.get(_BEGUN, [])
    found = next((one for one in begun if one["start"]["state"] == state), None)
    cookie[_BEGUN] = [one for one in begun if one is not found]
    kept = _fresh(found)
    if kept is None:
        raise Forbidden(_AGAIN)
    return Start(**kept["start"]), kept["after"]


def remember_identity(known: Identity, after: str) -> None:
    """Stores the identity that came back in this browser; `after` is the path to go to then."""
    cookie[_FOUND] = {"identity": asdict(known), "after": after, "at": context().now()}


def found_identity() -> tuple[Identity, str] | None:
    """Returns the identity that came back in this browser, and the path to go to; None if none did
    lately."""
    kept = _fresh(cookie.get(_FOUND))
    if kept is None:
        return None
    known = kept["identity"]
    return Identity(**{**known, "names": tuple(known["names"])}), kept["after"]


def need_identity() -> tuple[Identity, str]:
    """Returns the identity that came back, and the path to go to.

    Raises Forbidden if none came back lately, or NotFound if no provider is set.
    """
    provider()
    found = found_identity()
    if found is None:
        raise Forbidden(_AGAIN)
    return found


def forget_identity() -> None:
    """Forgets that identity."""
    cookie.pop(_FOUND, None)


def _fresh(kept: Any) -> dict[str, Any] | None:
    """The cookie's value, unless it is missing or too old."""
    if kept is None or has_passed(MAX_MS + 1, kept["at"], context().now()):
        return None
    return dict(kept)
