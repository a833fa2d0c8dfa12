"""The operators' pages beside /admin: audit log, health, faults, actions on a season or a match.

Knows addresses and templates, like dashboard.pages; the source refuses everybody but operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import redirect, render_template, request, url_for

from dashboard import forms
from dashboard.responses import PageResponse
from dashboard.source import Source


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def audit() -> PageResponse:
        filters = {
            key: request.args[key]
            for key in ("action", "subject", "cursor")
            if request.args.get(key)
        }
        filter_of = filters.get

        def page() -> str:
            found = source.audit(
                subject=filter_of("subject"), action=filter_of("action"), cursor=filter_of("cursor")
            )
            return render_template("audit.html", page=found, filters=filters)

        return _for_operators(source, page)

    def health() -> PageResponse:
        return _for_operators(
            source, lambda: render_template("health.html", health=source.health())
        )

    def faults() -> PageResponse:
        days = 7 if request.args.get("days") == "7" else 1
        return _for_operators(
            source, lambda: render_template("faults.html", faults=source.faults(days))
        )

    def season_operate(season: int) -> PageResponse:
        return _for_operators(source, lambda: forms.season_operate_page(source, season))

    def match_operate(match: str) -> PageResponse:
        return _for_operators(source, lambda: forms.match_operate_page(source, match))

    def arena(arena: str) -> PageResponse:
        since = {"since": request.args["since"]} if request.args.get("since") else None
        return _for_operators(source, lambda: forms.arena_page(source, arena, since))

    def arenas() -> PageResponse:
        return _for_operators(source, lambda: forms.arenas_page(source))

    yield "/admin/audit", audit
    yield "/admin/arenas", arenas
    yield "/admin/arenas/<arena>", arena
    yield "/admin/health", health
    yield "/admin/faults", faults
    yield "/seasons/<int(max=999999999):season>/operate", season_operate
    yield "/matches/<match>/operate", match_operate


def _for_operators(source: Source, page: Callable[[], str]) -> PageResponse:
    """Returns the page, or a redirect to the login for a visitor who is not logged in."""
    if source.viewer() is None:
        return redirect(url_for("pages.login", next=request.path))
    return page()
