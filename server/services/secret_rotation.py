"""Ends all sessions and API tokens, in case somebody else knows the secrets behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import delete, update

from server.db.models import BrowserSession, Token
from server.db.session import rows_changed
from server.services import accounts, audit

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


class Ended(NamedTuple):
    """The numbers of sessions and tokens that were ended."""

    sessions: int
    tokens: int


def end_everything(session: Session, *, sessions: bool, tokens: bool, now: int) -> Ended:
    """Ends every browser session, and revokes every API token, as asked; the log keeps it."""
    ended = rows_changed(session, delete(BrowserSession)) if sessions else 0
    working = accounts.working_tokens()
    revoked = 0
    if tokens:
        revoked = rows_changed(session, update(Token).where(*working).values(revoked_at=now))
    detail = {"sessions": ended, "tokens": revoked}
    audit.note(session, None, "platform.log-out", "platform", detail, now=now)
    return Ended(ended, revoked)
