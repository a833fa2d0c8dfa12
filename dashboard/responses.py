"""The filters that a request names, and responses: files, and the redirect to the login."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias

from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from matchbox.errors import Forbidden

if TYPE_CHECKING:
    from dashboard.source import Source

P = ParamSpec("P")

PageResponse: TypeAlias = str | AnyResponse
"""The HTML of a page, or a whole response: a redirect, a file, or one with another status."""


def behind_login(source: Source, view: Callable[P, PageResponse]) -> Callable[P, PageResponse]:
    """Returns the view with a redirect to the login, and back, for visitors without an account."""

    @wraps(view)
    def page(*args: P.args, **kwargs: P.kwargs) -> PageResponse:
        if source.viewer() is None:
            return login_first()
        return view(*args, **kwargs)

    return page


def view_of(
    endpoint: str, page: Callable[..., PageResponse], source: Source
) -> Callable[..., PageResponse]:
    """Returns the view of this endpoint: the page that the parts of the address choose.

    The parts are arguments of the page by their names, which a test compares.
    """

    @wraps(page)
    def view(**parts: object) -> PageResponse:
        return page(source, **parts)

    view.__name__ = endpoint
    return view


def login_if_forbidden(
    source: Source, view: Callable[P, PageResponse]
) -> Callable[P, PageResponse]:
    """Returns the view with a redirect to the login, and back, for visitors without an account who
    may not read the page."""

    @wraps(view)
    def page(*args: P.args, **kwargs: P.kwargs) -> PageResponse:
        try:
            return view(*args, **kwargs)
        except Forbidden:
            if source.viewer() is not None:
                raise
            return login_first()

    return page


def login_first() -> AnyResponse:
    """Returns a redirect to the login, which leads back to this page with its query."""
    return redirect(url_for("pages.login", next=request.full_path.rstrip("?")))


def requested(*names: str) -> dict[str, Any]:
    """Returns those of these arguments of the address that are given, and not empty."""
    return {name: request.args[name] for name in names if request.args.get(name)}


def json_response(text: Iterable[str]) -> Response:
    """Returns an answer of JSON text, which may come in parts."""
    return Response(text, mimetype="application/json")


def csv_file(text: Iterable[str], name: str) -> Response:
    """Returns an answer that a browser saves as a CSV file of this name."""
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
