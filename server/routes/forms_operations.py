"""The operators' forms: parked jobs, and matches and seasons that are under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint

from dashboard import forms as pages
from dashboard.workbench import version_page
from server import queries
from server.auth import acting, context, reader, signed_in, viewer
from server.routes.form_fields import field, form_of, go_to, secret_page, whole
from server.routes.source import the_source
from server.services import (
    accounts,
    arena_keys,
    arena_voids,
    arenas,
    lessons,
    matches,
    operations,
    tryouts,
    voids,
)
from server.times import parse_time_ms

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

    from dashboard.source import Source

ARENA_ACTIONS: Final = {"stop": arenas.stop, "go-on": arenas.resume}
ENTRANT_ACTIONS: Final = {"disqualify": operations.disqualify, "reinstate": operations.reinstate}
KEY_ACTIONS: Final = {
    "drain": arena_keys.drain,
    "undrain": arena_keys.undrain,
    "remove": arena_keys.remove,
}
REQUEUES: Final = {"versions": tryouts.try_again, "lessons": lessons.requeue}

routes = Blueprint("forms_operations", __name__)


@routes.post("/admin/<any(versions, lessons):parked>/<number:number>/requeue")
def requeue(parked: str, number: int) -> Response:
    """Queues the try-out of a parked version, or a parked lesson, again."""
    with acting() as (session, actor, now):
        REQUEUES[parked](session, actor, number, settings=context().settings, now=now)
    return go_to("pages.admin", _anchor="parked")


@routes.post("/admin/lessons/<number:number>/skip")
def skip_lesson(number: int) -> Response:
    """Ends a parked lesson."""
    with acting() as (session, actor, now):
        lessons.skip(session, actor, number, now=now)
    return go_to("pages.admin", _anchor="parked")


@routes.post("/admin/matches/<match:match>/requeue")
def requeue_match(match: str) -> Response:
    """Queues a parked match again."""
    with acting() as (session, actor, now):
        matches.requeue(session, actor, match, settings=context().settings, now=now)
    return go_to("pages.admin", _anchor="parked")


@routes.post("/admin/matches/<match:match>/void")
@form_of(pages.match_operate_page)
def void_match(match: str) -> Response:
    """Makes the match void, and replays it if the box was ticked."""
    with acting() as (session, actor, now):
        voids.void(session, actor, match, field("reason"), again=bool(field("again")), now=now)
    return go_to("pages.match_operate", match=match)


@routes.post("/admin/matches/<match:match>/again")
@form_of(pages.match_operate_page)
def play_again(match: str) -> Response:
    """Replays a void match."""
    with acting() as (session, actor, now):
        voids.play_again(session, actor, match, field("reason"), now=now)
    return go_to("pages.match_operate", match=match)


def _version_page(source: Source, number: int, **more: Any) -> str:
    accounts.require_operator(signed_in())
    with reader() as session:
        found = queries.version(session, viewer(session), number)
    return version_page(source, found.owner, found.name, found.number, **more)


@routes.post("/admin/versions/<number:number>/reinstate")
@form_of(_version_page)
def reinstate_version(number: int) -> Response:
    """Lets a suspended version play again."""
    with acting() as (session, actor, now):
        operations.reinstate_version(session, actor, number, field("reason"), now=now)
        found = queries.version(session, actor, number)
    return go_to("pages.version", owner=found.owner, name=found.name, number=found.number)


@routes.post("/admin/arenas/<arena:arena>/<any(stop, 'go-on'):action>")
@form_of(pages.arena_page, without=["action"])
def change_arena(arena: str, action: str) -> Response:
    """Stops an arena, or lets a stopped one go on."""
    with acting() as (session, actor, now):
        ARENA_ACTIONS[action](session, actor, arena, field("reason"), now=now)
    return go_to("pages.arena", arena=arena)


@routes.post("/admin/arenas/<arena:arena>/void")
@form_of(pages.arena_page)
def void_arena(arena: str) -> Response:
    """Makes void the matches of the arena that the page has just counted."""
    times = {"since": parse_time_ms(field("since")), "until": parse_time_ms(field("until"))}
    reason, again = field("reason"), bool(field("again"))
    arena_voids.void(context(), signed_in(), acting, arena, reason, again=again, **times)
    return go_to("pages.arena", arena=arena)


@routes.post("/admin/arena-keys")
@form_of(pages.arenas_page)
def make_arena_key() -> Response:
    """Makes a key for arenas on another host and shows it, once."""
    with acting() as (session, actor, now):
        made = arena_keys.make(session, actor, field("name"), now=now)
    return secret_page(pages.arenas_page(the_source(), new_key=made))


@routes.post("/admin/arena-keys/<name:key>/<any(drain, undrain, remove):action>")
@form_of(pages.arenas_page, without=["key", "action"])
def change_arena_key(key: str, action: str) -> Response:
    """Drains the arenas of a key, lets them go on, or revokes the key."""
    with acting() as (session, actor, now):
        KEY_ACTIONS[action](session, actor, key, now=now)
    return go_to("pages.arenas", _anchor="keys")


@routes.post("/seasons/<number:season>/<any(disqualify, reinstate):action>")
@form_of(pages.season_operate_page, without=["action"])
def change_entry(season: int, action: str) -> Response:
    """Disqualifies a bot, whose matches in the season then no longer count, or reinstates it."""
    with acting() as (session, actor, now):
        ENTRANT_ACTIONS[action](session, actor, season, field("bot"), field("reason"), now=now)
    return go_to("pages.season_operate", season=season)


@routes.post("/seasons/<number:season>/rerun")
@form_of(pages.season_operate_page)
def rerun(season: int) -> Response:
    """Replays a round."""
    accounts.require_operator(signed_in())
    number = whole("round")
    with acting() as (session, actor, now):
        operations.rerun(session, actor, season, number, field("reason"), now=now)
    return go_to("pages.season_operate", season=season)


@routes.post("/seasons/<number:season>/recompute")
@form_of(pages.season_operate_page)
def recompute(season: int) -> Response:
    """Recomputes the standing now."""
    operations.recompute_season(context(), signed_in(), acting, season)
    return go_to("pages.season_operate", season=season, _anchor="standing")
