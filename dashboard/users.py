"""The operators' page of an account. Knows addresses and templates, like dashboard.pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.forms import Values
from dashboard.source import Source

Answer = str | Response


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Answer]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def user(name: str) -> Answer:
        if source.viewer() is None:
            return redirect(url_for("pages.login", next=request.path))
        return user_page(source, name)

    yield "/admin/users/<name>", user


def user_page(source: Source, name: str, values: Values | None = None, error: str = "") -> str:
    """Returns the page of an account with the operators' actions. Raises Forbidden for others."""
    found = source.user(name)
    return render_template(
        "user.html",
        user=found,
        log=source.audit(subject=f"user:{found.id}", limit=20),
        values=values or {},
        error=error,
    )
