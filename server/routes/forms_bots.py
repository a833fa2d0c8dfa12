"""The forms of bots: try, submit, activate, retire, compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, request

from dashboard import bot_pages, workbench
from matchbox.bundle import read_bundle
from matchbox.errors import MAX_QUOTED, BadBundle
from server import queries
from server.auth import acting, context, require_account
from server.rate_limits import client_network
from server.routes.form_fields import field, form_of, go_to, whole
from server.services import comparisons, drafts, uploads

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_bots", __name__)


@routes.post("/submit")
@form_of(workbench.submit_page)
def submit() -> Response:
    """Uploads a bot, then goes to its version's page, which will show the verdict."""
    require_account()
    data = _file()
    bundle = read_bundle(data)
    with acting() as (session, actor, now):
        row = uploads.upload(
            session,
            actor,
            game=field("game"),
            name=field("name"),
            class_name=field("class_name").strip() or None,
            data=data,
            bundle=bundle,
            network=client_network(),
            settings=context().settings,
            now=now,
        )
        made = queries.version(session, actor, row.id)
    return go_to("pages.version", owner=made.owner, name=made.name, number=made.number)


@routes.post("/submit/try")
@form_of(workbench.submit_page)
def try_draft() -> Response:
    """Tries the text out without making a version, then goes to the page of its verdict."""
    require_account()
    data = _file()
    bundle = read_bundle(data)
    with acting() as (session, actor, now):
        row = drafts.try_draft(
            session,
            actor,
            game=field("game"),
            class_name=field("class_name").strip() or None,
            data=data,
            bundle=bundle,
            network=client_network(),
            settings=context().settings,
            now=now,
        )
    return go_to("pages.draft", draft=row.id)


@routes.post("/bots/<name:owner>/<name:name>/activate")
def activate(owner: str, name: str) -> Response:
    """Makes an accepted version the active one."""
    number = whole("number")
    with acting() as (session, actor, now):
        uploads.activate(session, actor, f"{owner}/{name}", number, now=now)
    return go_to("pages.bot", owner=owner, name=name, _anchor="versions")


@routes.post("/bots/<name:owner>/<name:name>/retire")
def retire(owner: str, name: str) -> Response:
    """Removes the bot from every leaderboard for ever."""
    with acting() as (session, actor, now):
        uploads.retire(session, actor, f"{owner}/{name}", now=now)
    return go_to("pages.bot", owner=owner, name=name)


@routes.post("/bots/<name:owner>/<name:name>/compare")
@form_of(bot_pages.bot_page)
def compare(owner: str, name: str) -> Response:
    """Starts a comparison, then goes to its page."""
    challenger, defender = whole("challenger"), whole("defender")
    among, games = whole("field"), whole("games")
    with acting() as (session, actor, now):
        made = comparisons.start(
            session,
            actor,
            f"{owner}/{name}",
            challenger=challenger,
            defender=defender,
            field=among,
            games=games,
            settings=context().settings,
            now=now,
        )
    return go_to("pages.comparison", comparison=made.id)


@routes.post("/comparisons/<number:number>/cancel")
def cancel(number: int) -> Response:
    """Ends a comparison."""
    with acting() as (session, actor, now):
        comparisons.cancel(session, actor, number, now=now)
    return go_to("pages.comparison", comparison=number)


def _file() -> bytes:
    """Returns the bytes of the file, or of the text if no file is chosen. Raises BadBundle."""
    part = request.files.get("file")
    if part and part.filename:
        data: bytes = part.read()
        if not data:
            raise BadBundle(f"{part.filename[:MAX_QUOTED]} is empty; choose another file, or none")
        return data
    text = field("source").replace("\r\n", "\n")
    if not text.strip():
        raise BadBundle("write the bot's text into its field, or choose a file").of("source")
    return text.encode("utf-8", "surrogatepass")
