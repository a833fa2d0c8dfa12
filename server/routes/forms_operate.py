"""What the pages' forms do to seasons, and what an operator does. Fields as the templates say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint
from werkzeug.exceptions import NotFound as NoSuchPage

from dashboard import forms as pages
from matchbox.errors import CallerFault
from server.auth import account, context, operator
from server.routes import api_versions
from server.routes.api_seasons import STEPS, take_place, take_step
from server.routes.forms import field, go_to, shown_again, typed
from server.routes.source import the_source
from server.services import accounts

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_operate", __name__)


@routes.post("/seasons/<number:season>/<step>")
def change_season(season: int, step: str) -> Response:
    """Enters or leaves it; or, for operators, takes it to its next state."""
    if step in ("enter", "leave"):
        take_place(str(season), field("bot"), enters=step == "enter")
    elif step == "start" or step in STEPS:
        take_step(str(season), step)
    else:
        raise NoSuchPage
    return go_to("pages.season", season=season)


@routes.post("/admin/versions/<number:number>/requeue")
def requeue_version(number: int) -> Response:
    """Sends a parked version's try-out once more."""
    api_versions.try_again(number)
    return go_to("pages.admin")


@routes.post("/admin/users")
def create_user() -> Response:
    """Makes an account for somebody else."""
    made = context()
    with made.read() as session:
        operator(session)
    wanted = field("name"), field("password"), field("role")
    try:
        with made.write() as session:
            accounts.create_user(session, account(session), *wanted, now=made.now())
    except CallerFault as error:
        page = pages.admin_page(the_source(), typed(), str(error))
        return shown_again(page, error)
    return go_to("pages.admin")
