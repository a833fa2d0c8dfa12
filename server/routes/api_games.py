"""The games, the limits of bots, and the leaderboards."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.games import Games, Limits
from matchbox.answers.standings import Board
from matchbox.settings import libraries_of, limits_for_authors
from server import queries
from server.auth import context
from server.routes.responses import answered
from server.scopes import Scope, needs

routes = APIBlueprint("games", __name__, url_prefix="/api/v1", tag="Games")


@routes.get("/games")
@needs(Scope.READ, public=True)
@routes.output(Games)
def games() -> Response:
    """Lists the installed games."""
    with context().read() as session:
        listed = queries.games(session)
    offered = list(libraries_of(context().settings))
    items = [game.model_copy(update={"libraries": offered}) for game in listed]
    return answered(Games(items=items, next=None))


@routes.get("/limits")
@needs(Scope.READ, public=True)
@routes.output(Limits)
def limits() -> Response:
    """Returns the limits of a bot, as this platform is set."""
    return answered(Limits.model_validate(limits_for_authors(context().settings)))


@routes.get("/leaderboards/<league:game>")
@needs(Scope.READ, public=True)
@routes.output(Board)
def leaderboard(game: str) -> Response:
    """Returns the leaderboard of the game's default league."""
    with context().read() as session:
        return answered(queries.leaderboard(session, game))
