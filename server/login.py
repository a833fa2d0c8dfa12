"""Logs a browser in and out: the row of its session, and its cookie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request
from flask import session as cookie
from flask_login import login_user, logout_user
from sqlalchemy import event

from server.auth import Visitor, context, session_secret
from server.services import sessions

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from server.db.models import User


def start_session(session: Session, user: User) -> None:
    """Logs the browser in, and ends the session that it had.

    Stores it with whatever else the database session changes, and sets the cookie once that is
    committed: so a change and the login after it happen both or neither. Raises Forbidden if the
    password has changed since it was checked.
    """
    if before := session_secret():
        sessions.forget(session, before)
    agent = request.headers.get("User-Agent", "")
    address, now = request.remote_addr, context().now()
    secret = sessions.begin(session, user, agent=agent, address=address, now=now)
    asking = Visitor(user.id, user.name, user.role, user.scopes, key=secret)
    event.listen(session, "after_commit", lambda _: _set_cookie(asking), once=True)


def end_session() -> None:
    """Logs the browser out. Its cookie and all copies of it stop working."""
    if secret := session_secret():
        with context().write() as session:
            sessions.forget(session, secret)
    forget_cookie()


def forget_cookie() -> None:
    """Takes the cookie from the browser, whose session has ended."""
    logout_user()
    cookie.clear()


def _set_cookie(asking: Visitor) -> None:
    cookie.clear()
    cookie.permanent = True
    login_user(asking)
