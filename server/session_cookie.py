"""The signed cookie of a browser's session. Knows signatures and their dates, but no accounts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from flask.sessions import SecureCookieSessionInterface
from itsdangerous import SignatureExpired, TimestampSigner

from server.times import CLOCKS_MS

if TYPE_CHECKING:
    from flask import Flask
    from itsdangerous import URLSafeTimedSerializer

_CLOCKS: Final = timedelta(milliseconds=CLOCKS_MS)


class SessionCookie(SecureCookieSessionInterface):
    """Reads and writes the cookie; also reads one of a web server whose clock is a little ahead.

    So a session goes on when the next request comes to another server, or the clock is set back.
    """

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Returns what signs the cookie and checks its signature; None without a secret key."""
        made = super().get_signing_serializer(app)
        if made is not None:
            made.signer = _Signer
        return made


class _Signer(TimestampSigner):
    def unsign(self, signed_value: Any, max_age: Any = None, return_timestamp: Any = False) -> Any:
        """Returns the value. Raises BadSignature, also if it is too old or of the far future."""
        try:
            return super().unsign(signed_value, max_age, return_timestamp)
        except SignatureExpired as error:
            signed_at = error.date_signed
            if signed_at is None or not signed_at - _CLOCKS <= datetime.now(UTC) < signed_at:
                raise
            return super().unsign(signed_value, None, return_timestamp)
