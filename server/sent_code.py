"""The code of a league in a request. The rate limits use it."""

from __future__ import annotations

from flask import request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from matchbox.errors import MatchboxError
from server.auth import context
from server.services import classes


def sent_code() -> str:
    """Returns the code with which the request joins a league, as the league spells it; "" if no
    league has it.

    Raises nothing: the limiter would take an error for a failure of its storage, and stop counting
    there. An unreadable body has no code.
    """
    try:
        sent = _sent()
        if not isinstance(sent, str):
            return ""
        with context().read() as session:
            return classes.league_of(session, sent).join_code or ""
    except (HTTPException, MatchboxError, SQLAlchemyError):
        return ""


def _sent() -> object:
    if request.endpoint == "forms_classes.join":
        return (request.view_args or {}).get("code")
    if request.endpoint == "accounts.sign_up":
        body = request.get_json(silent=True)
        return body.get("code") if isinstance(body, dict) else None
    return None
