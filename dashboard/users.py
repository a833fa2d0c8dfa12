"""The operators' pages of accounts: the list, each account, and the browsers that are logged in.

Knows addresses and templates, like dashboard.pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from flask import render_template, request

from dashboard.forms import Values
from dashboard.responses import PageResponse, behind_login, view_of
from dashboard.source import Source
from matchbox.answers.accounts import PasswordLink

PAGE_SIZE: Final = 30
"""The number of accounts on a page."""
ROLES: Final = ("author", "operator")
STATES: Final = ("open", "closed")


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def logged_in() -> str:
        cursor = request.args.get("cursor")
        return render_template("logged_in.html", page=source.logged_in(cursor), cursor=cursor)

    yield "/admin/sessions", behind_login(source, logged_in)
    yield "/admin/users", behind_login(source, view_of("users", users_page, source))
    yield "/admin/users/<name>", behind_login(source, view_of("user", user_page, source))


def users_page(source: Source) -> str:
    """Returns the accounts that the request asks for, by `q`, `role`, `state` and `page`.

    Raises Forbidden for others than operators, and BadOption for an unknown role or state.
    """
    filters = {
        "q": request.args.get("q", "").strip()[:254],
        "role": request.args.get("role", ""),
        "state": request.args.get("state", ""),
    }
    page = max(1, request.args.get("page", 1, int))
    found = source.users(
        wanted=filters["q"],
        role=filters["role"] or None,
        state=filters["state"] or None,
        cursor=str(min(page, 10**9)),
        limit=PAGE_SIZE,
    )
    return render_template("users.html", page=found, filters=filters, roles=ROLES, states=STATES)


def user_page(
    source: Source,
    name: str,
    values: Values | None = None,
    error: str = "",
    link: PasswordLink | None = None,
) -> str:
    """Returns the page of an account with the operators' actions, and a new link to set a password.

    Raises Forbidden for others.
    """
    found = source.user(name)
    return render_template(
        "user.html",
        user=found,
        log=source.audit(subject=f"user:{found.id}", limit=20),
        values=values or {},
        error=error,
        link=link,
    )
