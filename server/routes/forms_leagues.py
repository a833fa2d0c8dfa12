"""The forms of leagues and seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint, request

from dashboard import forms as pages
from dashboard import league_form, season_pages
from matchbox.errors import BadOption, Conflict
from matchbox.league.format import (
    Admission,
    Format,
    Given,
    Schedule,
    SettingField,
    Settings,
    fields_of,
    given,
)
from server import queries
from server.auth import acting, context, signed_in
from server.routes.form_fields import field, form_of, go_to, whole_or_none
from server.services import admission, entries, founding, leagues, seasons
from server.services.accounts import require_operator

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

ENTRY_ACTIONS: Final = {"enter": entries.enter, "leave": entries.leave}
STEPS: Final = {
    "open": seasons.publish,
    "freeze": seasons.freeze,
    "pause": seasons.pause,
    "resume": seasons.resume,
    "cancel": seasons.cancel,
}

routes = Blueprint("forms_leagues", __name__)


@routes.post("/leagues")
@form_of(league_form.page)
def create_league() -> Response:
    """Makes a league."""
    require_operator(signed_in())
    with acting() as (session, actor, now):
        row = leagues.create(
            session,
            actor,
            name=field("name"),
            game=field("game"),
            options=_options(field("game")),
            seats=whole_or_none("seats"),
            deals=whole_or_none("deals"),
            continuous=bool(field("continuous")),
            separation=field("separation") or None,
            format=_given(Format, new=True),
            admission=_given(Admission, new=True),
            schedule=_given(Schedule, new=True),
            settings=context().settings,
            now=now,
        )
    return go_to("pages.league", name=row.name)


@routes.post("/leagues/<league:name>")
@form_of(pages.league_page)
def edit_league(name: str) -> Response:
    """Changes the settings of a league. Without a number of deals, the bots' speed decides it."""
    require_operator(signed_in())
    with acting() as (session, actor, now):
        if field("mark") not in ("", pages.settings_mark(queries.league(session, None, name))):
            raise Conflict(f"the settings of {name} are not saved")  # The page says why.
        deals = whole_or_none("deals")
        leagues.edit(
            session,
            actor,
            name,
            deals=deals,
            paced=("deals" in request.form and deals is None) or None,
            separation=field("separation") or None,
            format=_given(Format),
            admission=_given(Admission),
            schedule=_given(Schedule),
            now=now,
        )
    return go_to("pages.league", name=name)


@routes.post("/leagues/<league:name>/invite")
@form_of(pages.league_page)
def invite(name: str) -> Response:
    """Lets an account enter the league's seasons."""
    with acting() as (session, actor, now):
        admission.invite(session, actor, name, field("user").strip(), now=now)
    return go_to("pages.league", name=name, _anchor="invited")


@routes.post("/leagues/<league:name>/uninvite")
@form_of(pages.league_page)
def uninvite(name: str) -> Response:
    """Withdraws an invitation, or takes a member out of the class."""
    with acting() as (session, actor, now):
        admission.uninvite(session, actor, name, field("user"), now=now)
    if field("back"):
        return go_to("pages.league_class", name=name, _anchor="out")
    return go_to("pages.league", name=name, _anchor="invited")


@routes.post("/leagues/<league:name>/<any(pause, resume):step>")
def pause_league(name: str, step: str) -> Response:
    """Pauses or resumes a league."""
    with acting() as (session, actor, now):
        leagues.set_paused(session, actor, name, step == "pause", now=now)
    return go_to("pages.league", name=name, _anchor="run")


@routes.post("/seasons")
@form_of(pages.seasons_page)
def create_season() -> Response:
    """Makes a season of a league.

    Without a name, it takes the last season's name and the next number.
    """
    require_operator(signed_in())
    with acting() as (session, actor, now):
        row = founding.found_season(
            session,
            actor,
            name=field("name") or None,
            league=field("league"),
            cycles=whole_or_none("cycles"),
            deals=whole_or_none("deals"),
            draft=bool(field("draft")),
            settings=context().settings,
            now=now,
        )
    return go_to("pages.season", season=row.id)


@routes.post(
    "/seasons/<number:season>/<any(enter, leave, open, freeze, start, pause, resume, cancel):step>"
)
@form_of(season_pages.page, without=["step", "values"])
def change_season(season: int, step: str) -> Response:
    """Enters or withdraws a bot; for operators, moves the season to its next state."""
    with acting() as (session, actor, now):
        if step in ENTRY_ACTIONS:
            ENTRY_ACTIONS[step](session, actor, season, field("bot"), now=now)
        elif step == "start":
            seasons.start(session, actor, season, settings=context().settings, now=now)
        else:
            STEPS[step](session, actor, season, now=now)
    return go_to("pages.season", season=season, _anchor="entrants" if field("back") else None)


def _options(game: str) -> dict[str, str]:
    """Returns the options of one game. The form also contains those of the other games."""
    its_own = f"option.{game}."
    return {
        name.removeprefix(its_own): text
        for name, text in request.form.items()
        if name.startswith(its_own)
    }


def _given(kind: type[Settings], *, new: bool = False) -> Given[Settings]:
    """Returns the submitted fields of these settings; an empty field is None.

    Fields that the form hides are left out. So is, for a new league, an empty field that must have
    a value: it gets its default. Raises BadOption.
    """
    hidden = league_form.unasked(request.form)
    sent = {}
    for known in fields_of(kind):
        if known.alias not in request.form or known.alias in hidden:
            continue
        value = _value(known)
        if value is None and not known.optional:
            if new:
                continue
            raise BadOption(f"{known.about.label} is empty; fill it in").of(known.alias)
        sent[known.name] = value
    return given(kind, sent)


def _value(known: SettingField) -> str | int | bool | None:
    if known.whole:
        return whole_or_none(known.alias)
    text = field(known.alias).strip()
    choices = {str(value): value for value in known.choices}
    return choices.get(text, text or None)
