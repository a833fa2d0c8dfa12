"""The forms of tables with people: open, join, move, leave, close."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flask import Blueprint, request

from dashboard import play as pages
from matchbox.errors import BadOption, CallerFault
from server.auth import acting, context, require_account
from server.routes.form_fields import field, form_of, go_to, whole, whole_or_none
from server.services import play
from server.services.positions import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.wrappers import Response

routes = Blueprint("forms_play", __name__)
_MAX_SEATS = 32


@routes.post("/play/<league:game>")
@form_of(pages.game_page)
def open_table(game: str) -> Response:
    """Opens a table, then goes to its page."""
    require_account()
    options = {
        name.removeprefix("option-"): text
        for name, text in request.form.items()
        if name.startswith("option-")
    }
    with _seats_as_fields(), acting() as (session, actor, now):
        made = play.open_table(
            session,
            actor,
            game=game,
            seats=[_player(at) for at in range(min(whole("seats"), _MAX_SEATS))],
            options=options,
            place=_place(),
            settings=context().settings,
            now=now,
        )
    return go_to("pages.play_table", game=game, table=made.id)


@routes.post("/play/<league:game>/<digits:table>/moves")
@form_of(pages.table_page)
def move(game: str, table: str) -> Response:
    """Makes a move."""
    played, turn, settings = _json(field("move")), whole_or_none("turn"), context().settings
    with acting() as (session, actor, now):
        play.move(session, actor, table, played, turn=turn, settings=settings, now=now)
    return go_to("pages.play_table", game=game, table=table)


@routes.post("/play/<league:game>/<digits:table>/join")
@form_of(pages.table_page)
def join(game: str, table: str) -> Response:
    """Takes a free seat."""
    with acting() as (session, actor, now):
        play.join(session, actor, table, field("secret"), settings=context().settings, now=now)
    return go_to("pages.play_table", game=game, table=table)


@routes.post("/play/<league:game>/<digits:table>/leave")
@form_of(pages.table_page)
def leave(game: str, table: str) -> Response:
    """Leaves a table, which ends its game."""
    with acting() as (session, actor, now):
        play.leave(session, actor, table, now=now)
    return go_to("pages.play_table", game=game, table=table)


@routes.post("/play/<league:game>/<digits:table>/close")
@form_of(pages.table_page)
def close(game: str, table: str) -> Response:
    """Ends a table's game as an operator."""
    with acting() as (session, actor, now):
        play.close(session, actor, table, now=now)
    return go_to("pages.play", _anchor="tables")


def _place() -> Place | None:
    """The position of a match from which the table goes on; None if the form names none."""
    match = field("match").strip()
    return Place(match, whole("bout"), whole("moves")) if match else None


@contextmanager
def _seats_as_fields() -> Iterator[None]:
    """Turns an error about `seat-N` into one about `other-N`, if that field named the player."""
    try:
        yield
    except CallerFault as error:
        others = {name: name.replace("seat-", "other-") for name in error.fields}
        error.of(*(other if field(other).strip() else name for name, other in others.items()))
        raise


def _player(seat: int) -> str:
    """The bot that was named beside the seat's list, or else the list's choice."""
    return field(f"other-{seat}").strip() or field(f"seat-{seat}")


def _json(text: str) -> Any:
    """The move that a button or a list stands for. Raises BadOption."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadOption(f"{text[:40]!r} is not a move; choose one of those on the page") from None
