"""The type of what the views of pages return, and the redirect to the login."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeAlias

from flask import redirect, request, url_for
from werkzeug.wrappers import Response

if TYPE_CHECKING:
    from dashboard.source import Source

P = ParamSpec("P")

PageResponse: TypeAlias = str | Response
"""The HTML of a page, or a whole response: a redirect, a file, or one with another status."""


def behind_login(source: Source, view: Callable[P, PageResponse]) -> Callable[P, PageResponse]:
    """Returns the view with a redirect to the login, and back, for visitors without an account."""

    @wraps(view)
    def page(*args: P.args, **kwargs: P.kwargs) -> PageResponse:
        if source.viewer() is None:
            return redirect(url_for("pages.login", next=request.path))
        return view(*args, **kwargs)

    return page
