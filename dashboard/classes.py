"""The pages of a league's class: joining with a code, the operators' page, the printed cards.

Knows addresses and templates, like dashboard.pages; the source knows the viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from flask import Response, redirect, render_template, request, url_for

from dashboard import downloads
from dashboard.forms import Values
from dashboard.leaderboards import PAGE_SIZE, WHOLE
from dashboard.responses import PageResponse, behind_login, csv_file, view_of
from dashboard.source import Source
from dashboard.tabs import page_of
from matchbox.answers.classes import FreshAccounts
from matchbox.errors import NotFound


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def join_form() -> PageResponse:
        code = "".join(request.args.get("code", "").split())[:64]
        if code and "/" not in code:
            return redirect(url_for("pages.join", code=code.lower()))
        return render_template("join_form.html", error="", code="")

    def class_card(name: str) -> str:
        return render_template("class_card.html", found=source.league_class(name))

    def class_csv(name: str) -> PageResponse:
        found = source.league_class(name)
        return csv_file(downloads.author_results_csv(found.results), f"{name}-authors")

    yield "/join", join_form
    yield "/join/<code>", view_of("join", join_page, source)
    yield "/leagues/<name>/class", behind_login(source, view_of("league_class", class_page, source))
    yield "/leagues/<name>/class/card", behind_login(source, class_card)
    yield "/leagues/<name>/class.csv", behind_login(source, class_csv)


def join_page(
    source: Source, code: str, values: Values | None = None, error: str = ""
) -> PageResponse:
    """Returns the form that joins the league with this code. For an unknown code, the page says
    that it does not work."""
    try:
        invited = source.invited(code)
    except NotFound as unknown:
        page = render_template("join_form.html", error=str(unknown), code=code)
        return page if error else Response(page, 404)
    return render_template("join.html", invited=invited, values=values or {}, error=error)


def class_page(
    source: Source,
    name: str,
    values: Values | None = None,
    error: str = "",
    refused: Sequence[tuple[str, str]] = (),
) -> str:
    """Returns the operators' page of a league's class. Raises Forbidden for others.

    The results of a large class are shown a page at a time, as a board is. `refused` are the names
    of a list for which no account can be made, each with the reason.
    """
    found = source.league_class(name)
    authors = found.results.items
    size = WHOLE if len(authors) <= WHOLE else PAGE_SIZE
    number, pages = page_of(request.args.get("page", 1, int), len(authors), size)
    return render_template(
        "class.html",
        found=found,
        lines=authors[(number - 1) * size : number * size],
        page=number,
        pages=pages,
        values=values or {},
        error=error,
        refused=refused,
    )


def passwords_page(fresh: FreshAccounts) -> str:
    """Returns the page that shows the passwords of new accounts once, as cards to print."""
    return render_template("passwords.html", fresh=fresh)
