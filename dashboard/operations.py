"""The operators' pages beside /admin: audit log, health, faults, actions on a season or a match.

Knows addresses and templates, like dashboard.pages; the source refuses everybody but operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import render_template, request

from dashboard import forms
from dashboard.queue import TITLES
from dashboard.responses import PageResponse, behind_login, requested, view_of
from dashboard.source import Source


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def audit() -> str:
        filters = requested("action", "subject", "cursor")
        return render_template("audit.html", page=source.audit(**filters), filters=filters)

    def health() -> str:
        return render_template("health.html", health=source.health(), titles=TITLES)

    def faults() -> str:
        days = 7 if request.args.get("days") == "7" else 1
        return render_template("faults.html", faults=source.faults(days))

    def arena(arena: str) -> str:
        return forms.arena_page(source, arena, requested("since"))

    arenas = view_of("arenas", forms.arenas_page, source)
    season_operate = view_of("season_operate", forms.season_operate_page, source)
    match_operate = view_of("match_operate", forms.match_operate_page, source)

    yield "/admin/audit", behind_login(source, audit)
    yield "/admin/arenas", behind_login(source, arenas)
    yield "/admin/arenas/<arena>", behind_login(source, arena)
    yield "/admin/health", behind_login(source, health)
    yield "/admin/faults", behind_login(source, faults)
    yield "/seasons/<int(max=999999999):season>/operate", behind_login(source, season_operate)
    yield "/matches/<match>/operate", behind_login(source, match_operate)
