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


class Number(BaseConverter):
    """A whole number that can be the key of a row."""

    regex = "[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> int:
        """Returns the part as a number."""
        return int(value)


_TEXTS: Final = {
    "name": "[a-z0-9][a-z0-9-]{1,31}",  # a bot's, an owner's or a key's
    "code": "[A-Za-z0-9][A-Za-z0-9-]{1,31}",  # joins a league, in large or small letters
    "league": NAME.pattern,  # also a game's name, which the league of the game has
    "match": "[0-9a-f]{8,32}",  # 32 hex digits, or the first 8 or more of them
    "digits": "[0-9a-f]{32}",  # the whole id of a table or a match
    "digest": "[0-9a-f]{64}",
    "version": "[1-9][0-9]{0,8}|[0-9a-f]{64}",  # a version's number, or the digest of its bundle
    "season": "[^/]{1,64}",  # a season's number or name
    "arena": "[^/]{1,200}",  # the full name, such as arena-1@host
}
"""The regular expression of each converter whose part stays a text."""
SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    **{kind: {"type": "string", "pattern": f"^{regex}$"} for kind, regex in _TEXTS.items()},
    "version": {"type": "string", "pattern": f"^({_TEXTS['version']})$"},
    "number": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    "season": {"type": "string", "minLength": 1, "maxLength": 64},
    "arena": {"type": "string", "minLength": 1, "maxLength": 200},
}
"""The OpenAPI schema of each converter."""


def teach_addresses(app: Flask) -> None:
    """Registers the converters, such as `<name:owner>`, refuses addresses that contain NUL, and
    leaves the host out of redirects."""
    kinds = {kind: type(kind, (BaseConverter,), {"regex": regex}) for kind, regex in _TEXTS.items()}
    app.url_map.converters.update(kinds, number=Number)

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
