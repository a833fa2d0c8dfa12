"""A bot's page, with its results by opponent in words; and an author's page with all bots.

Knows addresses and templates, like dashboard.pages; the source has the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from flask import Response, redirect, render_template, request, url_for

from dashboard import leaderboards, ratings, sparklines, tables
from dashboard.source import Source
from matchbox.answers.board_figures import Opponent

LISTED: Final = 50
"""How many opponents a bot's page lists: those that it has met most. Its files have all."""
NAMED: Final = 3
"""How many opponents a sentence names."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def find_bot(name: str) -> Any:
        found = source.find_bot(name)
        return redirect(url_for("pages.bot", owner=found.owner, name=found.name))

    def bot(owner: str, name: str) -> str:
        full_name = f"{owner}/{name}"
        recent = source.matches(bot=full_name, rated=True, limit=15)
        if request.args.get("part") == "recent":
            return render_template("_recent.html", owner=owner, name=name, recent=recent)
        found = source.bot(owner, name)
        points = source.ratings(owner, name)
        met = source.results_by_opponent(owner, name, LISTED)
        return render_template(
            "bot.html",
            bot=found,
            full_name=full_name,
            owner=found.owner,
            name=found.name,
            recent=recent,
            rated=ratings.of_bot(full_name, points, found.active),
            last={one.version: one for one in points},
            met=met,
            strengths=strengths(met.items),
            trends={(one.bot, one.version): sparklines.share(one.lately) for one in met.items},
            compared=source.comparisons(owner, name) if found.mine else [],
            comparable=source.comparable(owner, name) if found.mine else None,
            lessons=source.lessons(owner, name),
            faults=source.bot_faults(owner, name),
        )

    def author(name: str) -> str:
        return render_template("author.html", author=source.author(name))

    def opponents_csv(owner: str, name: str) -> Response:
        lines = source.results_by_opponent(owner, name).items
        return leaderboards.csv_file(tables.lines_csv(Opponent, lines), f"{name}-opponents")

    def opponents_json(owner: str, name: str) -> Response:
        return leaderboards.json_file(source.results_by_opponent(owner, name).json_text())

    yield "/bots/<name>", find_bot
    yield "/bots/<owner>/<name>", bot
    yield "/bots/<owner>/<name>/opponents.csv", opponents_csv
    yield "/bots/<owner>/<name>/opponents.json", opponents_json
    yield "/authors/<name>", author


def strengths(opponents: Sequence[Opponent]) -> list[str]:
    """Returns what the results say for sure, as sentences: whom it beats, and who beats it."""
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
        said.append(f"Against {many} nothing is settled: the 95% interval holds 50%.")
    return said


def _named(opponents: Sequence[Opponent]) -> str:
    names = [f"{one.bot} ({100 * one.share:.1f}%)" for one in opponents[:NAMED]]
    if more := len(opponents) - len(names):
        names.append(f"{more:,} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
