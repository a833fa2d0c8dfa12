"""The pages of logging in by an OpenID Connect provider. Knows addresses and templates only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import render_template

from dashboard.forms import Values
from dashboard.responses import PageResponse, view_of
from dashboard.source import Source


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def openid_out() -> str:
        return render_template("openid_out.html", address=source.openid_out())

    yield "/login/openid/new", view_of("openid_new", new_page, source)
    yield "/login/openid/out", openid_out


def new_page(source: Source, values: Values | None = None, error: str = "") -> str:
    """Returns the page for somebody whom the provider knows, but who has no account here."""
    return render_template(
        "openid_new.html", found=source.openid_found(), values=values or {}, error=error
    )
