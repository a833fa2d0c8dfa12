"""The code of a league that a request came with. Rates are limited by it."""

from __future__ import annotations

from flask import request

from matchbox.errors import NotFound
from server.auth import context
from server.services import classes


def sent_code() -> str:
    """Returns the code in the request's address or JSON, as its league has it; "" if none has."""
    body = request.get_json(silent=True) if request.is_json else None
    sent = (request.view_args or {}).get("code") or (
        body.get("code") if isinstance(body, dict) else None
    )
    if not isinstance(sent, str):
        return ""
    try:
        with context().read() as session:
            return classes.league_of(session, sent).join_code or ""
    except NotFound:
        return ""
