"""The functions of the pages' source that tell of log-ins by an OpenID Connect provider."""

from __future__ import annotations

from typing import Any

from matchbox.answers.accounts import LogInWays, OpenidFound
from server import openid_flow
from server.auth import account, context, viewer
from server.queries import log_ins


def of_log_ins() -> dict[str, Any]:
    """Returns the functions by their names in the source."""
    return {
        "log_in_ways": _log_in_ways,
        "openid_label": _openid_label,
        "openid_found": _openid_found,
        "openid_out": lambda: openid_flow.provider().end_address(),
    }


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
