"""The inbox, and the page behind the link that confirms an address.

Knows addresses and templates, as dashboard.pages; the source knows whose notices they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.source import Source

Answer = str | Response

KINDS = {
    "verdict": "Verdict",
    "first-fault": "First fault",
    "stateful": "Kept state",
    "suspension": "Suspension",
    "disqualification": "Disqualification",
    "reinstatement": "Reinstatement",
    "comparison-end": "Comparison",
    "season-start": "Season",
    "season-end": "Season",
    "rank-change": "Rank",
    "confirm-email": "Account",
    "webhook": "Account",
}
"""What stands before a notice; of other kinds the kind itself."""

MAILED = {
    "verdict": "verdicts on your uploads",
    "first-fault": "the first fault of a version",
    "stateful": "that a version keeps state between bouts",
    "suspension": "suspensions",
    "disqualification": "disqualifications",
    "reinstatement": "that one of these was taken back",
    "season-start": "the starts of your seasons",
    "rank-change": "changes of rank in a season",
    "season-end": "the ends of your seasons",
    "comparison-end": "the ends of your comparisons",
}
"""The account page's names for the kinds of notices that can be muted."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Answer]]]:
    """Every address and its view, whose name is the endpoint's."""

    def inbox() -> Answer:
        if source.viewer() is None:
            return redirect(url_for("pages.login", next=request.path))
        asked = {"cursor": request.args["cursor"]} if request.args.get("cursor") else {}
        return render_template(
            "inbox.html", page=source.inbox(**asked, limit=30), asked=asked, kinds=KINDS
        )

    def email(secret: str) -> Answer:
        if source.viewer() is None:
            return redirect(url_for("pages.login", next=request.path))
        return render_template(
            "email.html", secret=secret, is_open=source.link_open(secret), ways=source.ways_out()
        )

    yield "/inbox", inbox
    yield "/account/email/<secret>", email
