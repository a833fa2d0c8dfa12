"""What the pages' forms do to leagues, and the form for a season. Fields as the templates say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, request
from werkzeug.exceptions import NotFound as NoSuchPage

from dashboard import forms as pages
from matchbox.errors import BadOption, CallerFault, Forbidden, NotFound
from matchbox.league.format import Admission, Format, Schedule
from server.auth import context, operator
from server.routes import api_leagues
from server.routes.forms import field, go_to, shown_again, typed
from server.routes.source import the_source
from server.services import founding, leagues

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

FIELDS = {
    "format": Format.__struct_fields__,
    "admission": Admission.__struct_fields__,
    "schedule": Schedule.__struct_fields__,
}
NAMES = {"matches": "max_matches"}
"""Fields that the form calls by another name."""

routes = Blueprint("forms_leagues", __name__)


@routes.post("/leagues")
def create_league() -> Response:
    """Makes a league."""
    made = context()
    try:
        with made.write() as session:
            row = leagues.create(
                session,
                operator(session),
                name=field("name"),
                game=field("game"),
                options=_options(field("game")),
                seats=_whole("seats"),
                deals=_whole("deals"),
                continuous=bool(field("continuous")),
                separation=field("separation") or None,
                settings=made.settings,
                now=made.now(),
                **_run(),
            )
            name = row.name
    except Forbidden:
        raise
    except CallerFault as error:
        return shown_again(pages.leagues_page(the_source(), typed(), str(error)), error)
    return go_to("pages.league", name=name)


@routes.post("/leagues/<name:name>")
def edit_league(name: str) -> Response:
    """Changes how a league is run; an empty number of deals leaves it to the bots' pace."""

    def change() -> None:
        deals = _whole("deals")
        empty = "deals" in request.form and deals is None
        separation = field("separation") or None
        knobs = {"deals": deals, "paced": empty or None, "separation": separation}
        api_leagues.change(name, {**knobs, **_run()})

    return _changed(name, change)


@routes.post("/leagues/<name:name>/<step>")
def step_league(name: str, step: str) -> Response:
    """Invites, takes an invitation back, pauses or resumes."""
    if step in ("invite", "uninvite"):
        user, invited = field("user"), step == "invite"
        return _changed(name, lambda: api_leagues.set_invited(name, user, invited=invited))
    if step in ("pause", "resume"):
        return _changed(name, lambda: api_leagues.set_paused(name, paused=step == "pause"))
    raise NoSuchPage


@routes.post("/seasons")
def create_season() -> Response:
    """Makes a season of a league; without a name it bears the last one's with the next number."""
    made = context()
    try:
        with made.write() as session:
            row = founding.found(
                session,
                operator(session),
                name=field("name") or None,
                league=field("league"),
                cycles=_whole("cycles"),
                deals=_whole("deals"),
                draft=bool(field("draft")),
                settings=made.settings,
                now=made.now(),
            )
            number = row.id
    except Forbidden:
        raise
    except CallerFault as error:
        return shown_again(pages.seasons_page(the_source(), typed(), str(error)), error)
    return go_to("pages.season", season=number)


def _changed(name: str, step: Any) -> Response:
    """The league's page after the step, or with what was wrong."""
    try:
        step()
    except Forbidden:
        raise
    except CallerFault as error:
        with context().read() as session:
            operator(session)
        if isinstance(error, NotFound) and "league" in str(error).split("'")[0]:
            raise
        return shown_again(pages.league_page(the_source(), name, typed(), str(error)), error)
    return go_to("pages.league", name=name)


def _options(game: str) -> dict[str, str]:
    """The options of that game; the form holds those of the others, too."""
    its_own = f"option.{game}."
    return {
        name.removeprefix(its_own): text
        for name, text in request.form.items()
        if name.startswith(its_own)
    }


def _run() -> dict[str, Any]:
    """The fields of format, admission and schedule that the form holds, as their types want them.

    An empty one is none. Raises BadOption.
    """
    return {
        part: {
            name: _value(NAMES.get(name, name))
            for name in names
            if NAMES.get(name, name) in request.form
        }
        for part, names in FIELDS.items()
    }


def _value(name: str) -> str | int | bool | None:
    text = field(name).strip()
    if text in ("True", "False"):
        return text == "True"
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text or None


def _whole(name: str) -> int | None:
    value = _value(name)
    if value is None or type(value) is int:
        return value
    raise BadOption(f"{name} is {value!r}; it must be a whole number")
