"""A bot's page, with its results by opponent in words; and an author's page with all bots.

Knows addresses and templates, like dashboard.pages; the source has the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from flask import Response, redirect, render_template, request, url_for

from dashboard import downloads, ratings, sparklines, wording
from dashboard.responses import csv_file, json_response
from dashboard.source import Source
from dashboard.tabs import page_of
from matchbox.answers.board_figures import Opponent, Opponents
from matchbox.answers.bots import Bot, VersionLine
from matchbox.answers.matches import Matches

LISTED: Final = 20
"""The number of opponents that a bot's page lists: those that it has met most."""
PAGE_SIZE: Final = 50
"""The number of opponents on a page of all of them."""
VERSIONS: Final = 20
"""The number of versions that a bot's page lists at a time."""
NAMED: Final = 3
"""The number of opponents that a sentence names."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def find_bot(name: str) -> Any:
        found = source.find_bot(name)
        return redirect(url_for("pages.bot", owner=found.owner, name=found.name))

    def bot(owner: str, name: str) -> str:
        if request.args.get("part") == "recent":
            recent = _recent(source, owner, name)
            found = None if recent.items else source.bot(owner, name)
            return render_template("_recent.html", owner=owner, name=name, recent=recent, bot=found)
        return bot_page(source, owner, name)

    def author(name: str) -> str:
        return render_template("author.html", author=source.author(name))

    yield "/bots/<name>", find_bot
    yield "/bots/<owner>/<name>", bot
    yield "/authors/<name>", author
    yield from _opponents(source)


def bot_page(
    source: Source, owner: str, name: str, values: Mapping[str, str] | None = None, error: str = ""
) -> str:
    """Returns the page of a bot; `error` is the reason why a comparison could not be started."""
    full_name = f"{owner}/{name}"
    found = source.bot(owner, name)
    points = source.ratings(owner, name)
    met = source.results_by_opponent(owner, name, LISTED)
    page, pages = page_of(request.args.get("versions", 1, int), len(found.versions), VERSIONS)
    return render_template(
        "bot.html",
        bot=found,
        versions=_shown(found, page),
        page=page,
        pages=pages,
        full_name=full_name,
        owner=found.owner,
        name=found.name,
        recent=_recent(source, owner, name),
        rated=ratings.of_bot(full_name, points, found.active),
        last={one.version: one for one in points},
        met=met,
        strengths=strengths(met.items),
        trends=_trends(met),
        compared=source.comparisons(owner, name) if found.mine else [],
        comparable=source.comparable(owner, name) if found.mine else None,
        lessons=source.lessons(owner, name, request.args.get("lessons")),
        faults=source.bot_faults(owner, name),
        values=values or {},
        error=error,
    )


def _shown(found: Bot, page: int) -> list[VersionLine]:
    """The versions on this page of the table; the first one has the active version, too."""
    first = (page - 1) * VERSIONS
    rows = found.versions[first : first + VERSIONS]
    active = (one for one in found.versions[VERSIONS:] if one.number == found.active)
    return [*rows, *active] if page == 1 else rows


def _recent(source: Source, owner: str, name: str) -> Matches:
    return source.matches(bot=f"{owner}/{name}", rated=True, limit=15)


def _opponents(source: Source) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yields the addresses of all opponents of a bot."""

    def opponents(owner: str, name: str) -> str:
        wanted = max(1, request.args.get("page", 1, int))
        met = source.results_by_opponent(owner, name, PAGE_SIZE, wanted)
        page, pages = page_of(wanted, met.met, PAGE_SIZE)
        if page != wanted:
            met = source.results_by_opponent(owner, name, PAGE_SIZE, page)
        return render_template(
            "opponents.html",
            full_name=f"{owner}/{name}",
            owner=owner,
            name=name,
            met=met,
            trends=_trends(met),
            page=page,
            pages=pages,
        )

    def opponents_csv(owner: str, name: str) -> Response:
        _, lines = source.all_opponents(owner, name)
        return csv_file(downloads.lines_csv(Opponent, lines), f"{name}-opponents")

    def opponents_json(owner: str, name: str) -> Response:
        found, lines = source.all_opponents(owner, name)
        return json_response(downloads.long_json(found, "items", lines))

    yield "/bots/<owner>/<name>/opponents", opponents
    yield "/bots/<owner>/<name>/opponents.csv", opponents_csv
    yield "/bots/<owner>/<name>/opponents.json", opponents_json


def _trends(met: Opponents) -> dict[tuple[str, int], Any]:
    """Returns a small line for each opponent and its version."""
    return {(one.bot, one.version): sparklines.share(one.lately) for one in met.items}


def strengths(opponents: Sequence[Opponent]) -> list[str]:
    """Returns sentences about the sure results: the opponents that the bot beats, and those that
    beat it."""
    if not opponents:
        return []
    weak = [one for one in opponents if one.ci95[1] < 0.5]
    strong = [one for one in reversed(opponents) if one.ci95[0] > 0.5]
    said = []
    if weak:
        said.append(f"Weak against {_named(weak)}.")
    if strong:
        said.append(f"Strong against {_named(strong)}.")
    if open_still := len(opponents) - len(weak) - len(strong):
        many = "one opponent" if open_still == 1 else f"{open_still:,} opponents"
        said.append(f"Against {many} nothing is settled: the 95% interval contains 50%.")
    return said


def _named(opponents: Sequence[Opponent]) -> str:
    names = [f"{wording.bot(one.bot)} ({100 * one.share:.1f}%)" for one in opponents[:NAMED]]
    if more := len(opponents) - len(names):
        names.append(f"{more:,} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
