"""The addresses of all pages of the site, from the map of routes, with names from the database.

A new page of the site is measured without a change here. Only a new part of an address needs a
value from `books.fill`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from flask import url_for

from matchbox.settings import Settings
from server.app import create_app
from server.context import Context
from server.db.session import Database
from server.outbox import OfflineSender

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from werkzeug.routing import Rule

OTHERWISE: Final[dict[str, dict[str, Any]]] = {
    "league_class": {"name": "class"},
    "class_card": {"name": "class"},
    "class_csv": {"name": "class"},
    "league": {"name": "bomb"},
    "author": {"name": "alice"},
    "user": {"name": "alice"},
    "arena": {"arena": "arena"},
    "docs_page": {"page": "write-a-bot"},
    "bout_json": {"bout": 0},
    "email": {"secret": "none"},
    "claim": {"secret": "none"},
    "reset": {"secret": "none", "number": 1},
}
"""The parts of an address whose values differ from the usual ones, by view."""
FILES: Final = ("asset",)
"""Views that send a file, and read nothing from the database."""
WITHOUT_PROVIDER: Final = ("openid_new", "openid_out")
"""Views that answer only if a provider of log-ins is set."""
MORE: Final = (
    ("matches", {"bot": "{owner}/{name}"}),
    ("matches", {"bot": "{owner}/{name}", "result": "lost"}),
    ("matches", {"state": "queued"}),
    ("matches", {"game": "{game}", "state": "finished"}),
    ("matches", {"fault": "1"}),
    ("matches", {"rated": "1", "bot": "{owner}/{name}", "version": "{number}"}),
    ("matches", {"bot": "{owner}/{name}", "opponent": "{opponent}"}),
    ("leaderboard", {"q": "bot-000"}),
    ("leaderboard", {"columns": "more"}),
    ("leaderboard_pairs", {"top": "60"}),
)
"""Filters on the pages."""

_UNOPENED: Final = "sqlite:///no-database-is-opened-to-read-a-map"


class Address(NamedTuple):
    """A page: its rule in the map of routes, with its filters, and its path."""

    rule: str
    path: str


def addresses(named: Mapping[str, Any]) -> list[Address]:
    """Returns every page's address, with values from the database for its parts."""
    context = Context(Settings(secret_key="a map alone"), Database(_UNOPENED), OfflineSender())
    app = create_app(context)
    try:
        with app.test_request_context():
            return list(_addresses(app.url_map.iter_rules, named))
    finally:
        context.close()


def _addresses(rules: Callable[[], Iterator[Rule]], named: Mapping[str, Any]) -> Iterator[Address]:
    found: dict[str, str] = {}
    for rule in sorted(rules(), key=lambda one: one.rule):
        room, _, view = rule.endpoint.partition(".")
        if room != "pages" or view in FILES + WITHOUT_PROVIDER or "GET" not in (rule.methods or ()):
            continue
        found[view] = rule.rule
        yield Address(rule.rule, _path(rule, view, named))
    for view, asked in MORE:
        filters: dict[str, Any] = {key: one.format(**named) for key, one in asked.items()}
        if "<game>" in found[view]:
            filters["game"] = named["game"]
        yield Address(f"{found[view]}?{'&'.join(asked)}", url_for(f"pages.{view}", **filters))


def _path(rule: Rule, view: str, named: Mapping[str, Any]) -> str:
    known = {**named, **OTHERWISE.get(view, {})}
    missing = rule.arguments - known.keys()
    if missing:
        raise LookupError(f"{rule.rule} has the parts {sorted(missing)}: name them in bench/site")
    return url_for(rule.endpoint, **{part: known[part] for part in rule.arguments})
