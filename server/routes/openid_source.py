"""The functions of the pages' source that tell of log-ins, and of who is logged in."""

from __future__ import annotations

from typing import Any

from matchbox.answers.accounts import LoggedIn, LogInWays, OpenidFound
from server import openid_flow
from server.auth import account, context, reader, viewer, visitor
from server.queries import log_ins, users


def of_log_ins() -> dict[str, Any]:
    """Returns the functions by their names in the source."""
    return {
        "logged_in": _logged_in,
        "log_in_ways": _log_in_ways,
        "openid_label": _openid_label,
        "openid_found": _openid_found,
        "openid_out": lambda: openid_flow.provider().end_address(),
    }


def _logged_in(cursor: str | None = None) -> LoggedIn:
    made, asking = context(), visitor()
    with reader() as session:
        current = asking.session if asking else None
        return users.logged_in(session, viewer(session), current, now=made.now(), cursor=cursor)


def _log_in_ways() -> LogInWays:
    with context().read() as session:
        return log_ins.log_in_ways(session, account(session))


def _openid_label() -> str | None:
    settings = context().settings
    return settings.openid_label if settings.openid_issuer else None


def _openid_found() -> OpenidFound | None:
    openid_flow.provider()
    kept = openid_flow.found_identity()
    if kept is None:
        return None
    with context().read() as session:
        settings = context().settings
        return log_ins.openid_found(session, viewer(session), kept[0], settings)
