"""The inbox, and the page behind the link that confirms an e-mail address.

Knows addresses and templates, like dashboard.pages; the source knows the viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import render_template

from dashboard.responses import PageResponse, behind_login, requested
from dashboard.source import Source
from matchbox.answers.notices import NOTICE_KINDS


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def inbox() -> str:
        filters = requested("cursor")
        return render_template(
            "inbox.html",
            page=source.inbox(**filters, limit=30),
            filters=filters,
            kinds=NOTICE_KINDS,
        )

    def email(secret: str) -> str:
        return render_template(
            "email.html",
            secret=secret,
            is_open=source.link_open(secret),
            ways=source.delivery_settings(),
        )

    yield "/inbox", behind_login(source, inbox)
    yield "/account/email/<secret>", behind_login(source, email)
