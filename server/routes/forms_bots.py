"""What the pages' forms do to bots: submit, activate, retire. Fields as the templates say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, request

from dashboard import forms as pages
from matchbox.errors import BadBundle, BadOption, CallerFault, Forbidden
from server.auth import account, context, require_account
from server.routes.api_bots import take
from server.routes.forms import field, go_to, shown_again, typed
from server.routes.source import the_source
from server.rows import bot_row, version_row
from server.services import uploads

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

routes = Blueprint("forms_bots", __name__)


@routes.post("/submit")
def submit() -> Response:
    """Takes a bot, and goes to its version's page, where the verdict will be."""
    require_account()
    try:
        number = take(field("game"), field("name"), field("class_name") or None, _file())
    except Forbidden:
        raise
    except CallerFault as error:
        return shown_again(pages.submit_page(the_source(), typed(), str(error)), error)
    with context().read() as session:
        row = version_row(session, number)
        owner, name = row.bot.owner.name, row.bot.name
        return go_to("pages.version", owner=owner, name=name, number=row.number)


@routes.post("/bots/<name:owner>/<name:name>/activate")
def activate(owner: str, name: str) -> Response:
    """Makes an accepted version the one that the bot plays with."""
    made, number = context(), field("number")
    if not number.isascii() or not number.isdecimal() or len(number) > 9:
        raise BadOption(f"{number!r} is no version's number; use the button on the bot's page")
    with made.write() as session:
        user = account(session)
        uploads.activate(session, user, bot_row(session, owner, name), int(number), now=made.now())
    return go_to("pages.bot", owner=owner, name=name)


@routes.post("/bots/<name:owner>/<name:name>/retire")
def retire(owner: str, name: str) -> Response:
    """Takes the bot from every board for ever."""
    made = context()
    with made.write() as session:
        user = account(session)
        uploads.retire(session, user, bot_row(session, owner, name), now=made.now())
    return go_to("pages.bot", owner=owner, name=name)


def _file() -> bytes:
    """The bytes of the file, or of the text that was typed instead. Raises BadBundle."""
    part = request.files.get("file")
    data = part.read() if part else b""
    if data:
        return data
    text = field("source").replace("\r\n", "\n")
    if not text.strip():
        raise BadBundle("choose a file, or put the bot's text into the field below it")
    return text.encode("utf-8", "surrogatepass")
