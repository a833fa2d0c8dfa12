"""URL converters, which check the parts of an address before a route runs."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from flask import request
from werkzeug.exceptions import BadRequest
from werkzeug.routing import BaseConverter

from matchbox.hooks import NAME

if TYPE_CHECKING:
    from flask import Flask, Response


class Name(BaseConverter):
    """A bot's, an owner's, a key's or a code's name."""

    regex = "[a-z0-9][a-z0-9-]{1,31}"


class LeagueName(BaseConverter):
    """A game's name or a league's: the league of a game has the game's name."""

    regex = NAME.pattern


class MatchId(BaseConverter):
    """32 hex digits, or the first 8 or more of them."""

    regex = "[0-9a-f]{8,32}"


class Digits(BaseConverter):
    """32 hex digits: the whole id of a table or a match."""

    regex = "[0-9a-f]{32}"


class Digest(BaseConverter):
    """64 hex digits."""

    regex = "[0-9a-f]{64}"


class Number(BaseConverter):
    """A whole number that can be the key of a row."""

    regex = "[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> int:
        """Returns the part as a number."""
        return int(value)


class VersionId(BaseConverter):
    """A version's number, or the digest of its bundle."""

    regex = "[1-9][0-9]{0,8}|[0-9a-f]{64}"


class SeasonName(BaseConverter):
    """A season's number or name."""

    regex = "[^/]{1,64}"


class ArenaName(BaseConverter):
    """The full name of an arena, such as arena-1@host."""

    regex = "[^/]{1,200}"


SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "name": {"type": "string", "pattern": f"^{Name.regex}$"},
    "league": {"type": "string", "pattern": f"^{LeagueName.regex}$"},
    "match": {"type": "string", "pattern": f"^{MatchId.regex}$"},
    "digits": {"type": "string", "pattern": f"^{Digits.regex}$"},
    "digest": {"type": "string", "pattern": f"^{Digest.regex}$"},
    "number": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    "version": {"type": "string", "pattern": f"^({VersionId.regex})$"},
    "season": {"type": "string", "minLength": 1, "maxLength": 64},
    "arena": {"type": "string", "minLength": 1, "maxLength": 200},
}
"""The OpenAPI schema of each converter."""


def teach_addresses(app: Flask) -> None:
    """Registers the converters, such as `<name:owner>`, refuses addresses that contain NUL, and
    leaves the host out of redirects."""
    app.url_map.converters.update(
        name=Name,
        league=LeagueName,
        match=MatchId,
        digits=Digits,
        digest=Digest,
        number=Number,
        version=VersionId,
        season=SeasonName,
        arena=ArenaName,
    )

    @app.before_request
    def refuse_nul() -> None:
        """Raises BadRequest if the address contains NUL: no database can store it, so no row could
        match."""
        values = (value for _, value in request.args.items(multi=True))
        if "\0" in request.path or any("\0" in value for value in values):
            raise BadRequest("an address may not hold the character NUL")

    @app.after_request
    def lead_to_this_site(response: Response) -> Response:
        """Leaves scheme and host out of a redirect to the right spelling of an address, as from
        /docs to /docs/: a proxy may not have told them."""
        if response.status_code == HTTPStatus.PERMANENT_REDIRECT and response.location:
            place = urlsplit(response.location)
            path = "/" + place.path.lstrip("/")
            response.location = place._replace(scheme="", netloc="", path=path).geturl()
        return response
