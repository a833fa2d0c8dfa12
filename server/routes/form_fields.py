"""The parts that all form routes share: they read fields, and show a form again after an error."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Final, TypeAlias

from flask import g, make_response, redirect, request, url_for

from matchbox.errors import BadOption, CallerFault, Forbidden, Unavailable, quoted
from matchbox.whole_numbers import WHOLE, whole_number
from server.problems import AGAIN, note_wait, status_of, text_of
from server.routes.source import the_source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from werkzeug.wrappers import Response

    from dashboard.responses import PageResponse

View: TypeAlias = "Callable[..., Response]"
Page: TypeAlias = "Callable[..., PageResponse]"
SECRETS: Final = ("password", "old", "new", "csrf_token")


def submitted() -> Mapping[str, str]:
    """Returns the submitted fields, without the secret ones, which are never sent back."""
    return {name: text for name, text in request.form.items() if name not in SECRETS}


def field(name: str) -> str:
    """Returns the text of a field, or "" if it is missing."""
    return request.form.get(name, "")


def whole(name: str) -> int:
    """Returns a field as a whole number; spaces around it are ignored. Raises BadOption."""
    text = field(name).strip()
    number = whole_number(text)
    if number is None:
        typed = quoted(text) if text else "empty"
        raise BadOption(f"{name} is {typed}; {WHOLE}").of(name)
    return number


def whole_or_none(name: str) -> int | None:
    """Like `whole`, but returns None for an empty field, or one of spaces."""
    return whole(name) if field(name).strip() else None


def go_to(endpoint: str, **parts: object) -> Response:
    """Redirects the browser to one of the pages."""
    return redirect(url_for(endpoint, **parts), 303)  # type: ignore[arg-type]


def form_of(
    page: Page, *, without: Collection[str] = (), forbidden: bool = False, reveals: bool = False
) -> Callable[[View], View]:
    """Decorates a view so that it shows its form's page again, with the error, if it fails.

    It does so if the caller made a mistake, if the platform cannot take the form now, if too many
    requests came, or if the form's token is from another session. `problem` in `_parts.html` marks
    the fields that the error is about. `page` takes the source, the parts of the address, `values`
    and `error`, except those named in `without`. A Forbidden leads to the error page, unless
    `forbidden` says that the form may be sent again with other values. With `reveals`, a request
    beyond the rate limit does not get the page, because the page would reveal what the limit
    protects.
    """

    def decorate(view: View) -> View:
        def again(error: str, status: int, **parts: object) -> Response:
            known = {**parts, "values": submitted(), "error": error}
            wanted = {name: one for name, one in known.items() if name not in without}
            return make_response(page(the_source(), **wanted), status)

        @wraps(view)
        def answer(**parts: object) -> Response:
            try:
                return view(**parts)
            except (CallerFault, Unavailable) as error:
                if isinstance(error, Forbidden) and not forbidden:
                    raise
                note_wait(error)
                g.wrong_fields = error.fields if isinstance(error, CallerFault) else ()
                return again(text_of(error), status_of(error), **parts)

        if not reveals:
            setattr(answer, AGAIN, again)
        return answer

    return decorate


def secret_page(page: str) -> Response:
    """Returns a page that shows a secret once; it tells the browser not to store a copy."""
    response = make_response(page)
    response.headers["Cache-Control"] = "no-store"
    return response
