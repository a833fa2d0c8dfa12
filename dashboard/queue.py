"""The operators' page of the queue: the jobs that wait, their order, and the reasons.

Knows addresses and templates, like dashboard.pages; the source refuses everybody but operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from flask import render_template

from dashboard.responses import PageResponse, behind_login
from dashboard.source import Source
from matchbox.answers.queue import WaitingJob

TITLES: Final = {
    "match": "Matches", "try-out": "Try-outs", "draft": "Try-outs of drafts",
    "lesson": "Lessons", "turn": "Turns at tables with people",
    "verification": "Verifications of matches",
}  # fmt: skip
"""The pages' names for the kinds of jobs, in the order in which arenas prefer them, matches
first."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def queue() -> str:
        found = source.queue_detail()
        jobs: dict[str, list[WaitingJob]] = {}
        for one in found.jobs:
            jobs.setdefault("try-out" if one.kind == "draft" else one.kind, []).append(one)
        return render_template("queue.html", queue=found, jobs=jobs, titles=TITLES)

    yield "/admin/queue", behind_login(source, queue)
