"""What the pages' forms do to lessons, and to whom one's bots are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from server.routes import api_lessons, api_proof
from server.routes.forms import field, go_to

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_lessons", __name__)


@routes.post("/admin/lessons/<number:number>/requeue")
def requeue_lesson(number: int) -> Response:
    """Gives a parked lesson once more."""
    api_lessons.take_up(number, again=True)
    return go_to("pages.admin")


@routes.post("/admin/lessons/<number:number>/skip")
def skip_lesson(number: int) -> Response:
    """Ends a parked lesson."""
    api_lessons.take_up(number, again=False)
    return go_to("pages.admin")


@routes.post("/account/sharing")
def share() -> Response:
    """Says whether one's bots go with exported seasons."""
    api_proof.set_sharing(shares=field("shares") == "yes")
    return go_to("pages.account")
