"""What operators do by the pages' forms to what is under way. Fields as the templates say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flask import Blueprint

from dashboard import forms as pages
from matchbox.errors import BadOption, CallerFault, Forbidden
from server.auth import context, operator
from server.routes import api_operations as deeds
from server.routes.forms import field, go_to, shown_again, typed
from server.routes.source import the_source
from server.rows import version_row

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_operations", __name__)


@routes.post("/seasons/<number:season>/disqualify")
def disqualify(season: int) -> Response:
    """Takes a bot out of the season, with what it played."""
    return _to_season(season, lambda: deeds.take_out(str(season), field("bot"), field("reason")))


@routes.post("/seasons/<number:season>/reinstate")
def reinstate(season: int) -> Response:
    """Takes a disqualification back."""
    return _to_season(season, lambda: deeds.bring_back(str(season), field("bot"), field("reason")))


@routes.post("/seasons/<number:season>/rerun")
def rerun(season: int) -> Response:
    """Plays a round again."""
    return _to_season(season, lambda: deeds.round_again(str(season), _round(), field("reason")))


@routes.post("/seasons/<number:season>/recompute")
def recompute(season: int) -> Response:
    """Computes the standing now."""
    return _to_season(season, lambda: deeds.compute_season(str(season)))


@routes.post("/admin/matches/<match:match>/requeue")
def requeue_match(match: str) -> Response:
    """Gives a parked match another chance."""
    deeds.try_again(match)
    return go_to("pages.admin")


@routes.post("/admin/matches/<match:match>/void")
def void_match(match: str) -> Response:
    """Makes the match void, and has it played again where that was ticked."""
    again = bool(field("again"))
    return _to_match(match, lambda: deeds.make_void(match, field("reason"), again=again))


@routes.post("/admin/matches/<match:match>/again")
def play_again(match: str) -> Response:
    """Plays a void match again."""
    return _to_match(match, lambda: deeds.play_again(match, field("reason")))


@routes.post("/admin/versions/<number:number>/reinstate")
def reinstate_version(number: int) -> Response:
    """Lets a suspended version play again."""
    deeds.lift(number, field("reason"))
    with context().read() as session:
        operator(session)
        row = version_row(session, number)
        owner, name, which = row.bot.owner.name, row.bot.name, row.number
    return go_to("pages.version", owner=owner, name=name, number=which)


def _to_season(season: int, deed: Callable[[], object]) -> Response:
    """Does it and shows the operators' page of the season; with what was wrong, if anything was."""
    try:
        deed()
    except Forbidden:
        raise
    except CallerFault as error:
        page = pages.season_operate_page(the_source(), season, typed(), str(error))
        return shown_again(page, error)
    return go_to("pages.season_operate", season=season)


def _to_match(match: str, deed: Callable[[], object]) -> Response:
    """As `_to_season`, of a match."""
    try:
        deed()
    except Forbidden:
        raise
    except CallerFault as error:
        page = pages.match_operate_page(the_source(), match, typed(), str(error))
        return shown_again(page, error)
    return go_to("pages.match_operate", match=match)


def _round() -> int:
    text = field("round")
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadOption(f"the round is {text!r}; it must be a whole number")
    return int(text)
