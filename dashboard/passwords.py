"""The pages for a forgotten password. Knows addresses and templates, like dashboard.pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import render_template

from dashboard.forms import Values
from dashboard.responses import PageResponse, view_of
from dashboard.source import Source


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""
    yield "/reset", view_of("forgotten", forgotten_page, source)
    yield "/reset/<int(max=999999999):number>/<secret>", view_of("reset", reset_page, source)


def forgotten_page(
    source: Source, values: Values | None = None, error: str = "", sent: bool = False
) -> str:
    """Returns the form that asks for a link. With `sent`, it says that one was sent."""
    return render_template(
        "forgotten.html", mail=source.sends_mail(), values=values or {}, error=error, sent=sent
    )


def reset_page(
    source: Source, number: int, secret: str, values: Values | None = None, error: str = ""
) -> str:
    """Returns the page behind the mailed link, with the form for the new password."""
    return render_template(
        "reset.html",
        number=number,
        secret=secret,
        name=source.reset_name(number, secret),
        values=values or {},
        error=error,
    )
