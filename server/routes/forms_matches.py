"""The form on a match's page: have the match played again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from dashboard import replays as pages
from server.auth import acting, context, require_account
from server.routes.form_fields import form_of, go_to
from server.services import match_verifications

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_matches", __name__)


@routes.post("/matches/<match:match>/verify")
@form_of(pages.match_page)
def verify(match: str) -> Response:
    """Lets an arena play the match again."""
    require_account()
    with acting() as (session, actor, now):
        settings = context().settings
        match_verifications.ask(session, actor, match, settings=settings, now=now)
    return go_to("pages.match", match=match, _anchor="verification")
