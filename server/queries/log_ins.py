"""The ways in which people log in: by a password, or by an OpenID Connect provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox.answers.accounts import IdentityLine, LogInWays, OpenidFound
from matchbox.errors import Forbidden
from server.services import identities
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User
    from server.openid_client import Identity


def log_in_ways(session: Session, user: User, *, issuer: str) -> LogInWays:
    """Returns the ways to log in to the account; `issuer` is the present provider's."""
    lines = [
        IdentityLine(
            id=row.id,
            issuer=row.issuer,
            logs_in=row.issuer == issuer,
            created_at=iso(row.created_at),
            used_at=iso(row.used_at),
        )
        for row in identities.identities(session, user)
    ]
    return LogInWays(has_password=user.password is not None, identities=lines)


def openid_found(
    session: Session, viewer: User | None, known: Identity, settings: Settings
) -> OpenidFound:
    """Returns the facts for the page of somebody whom the provider knows, but who has no account
    here."""
    refused = ""
    try:
        identities.check_may_sign_up(known, settings)
    except Forbidden as error:
        refused = str(error)
    return OpenidFound(
        known_as=known.names[0] if known.names else "",
        suggested=identities.suggest_name(session, known),
        refused=refused,
        asks_password=viewer is not None and viewer.password is not None,
    )
