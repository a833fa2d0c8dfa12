"""Lessons between the rounds of a season, for the owners of the bots and for operators."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.lessons import Lesson, Lessons
from server.auth import account, acting, context
from server.queries import lessons as queries
from server.routes import schemas
from server.routes.responses import BYTES, answered, bytes_response, described
from server.scopes import Scope, needs
from server.services import lessons

routes = APIBlueprint("lessons", __name__, url_prefix="/api/v1", tag="Lessons")


@routes.get("/seasons/<season:season>/lessons")
@needs(Scope.READ)
@routes.input(schemas.LessonsPage, location="query")
@routes.output(Lessons)
def season_lessons(season: str, query_data: schemas.LessonsPage) -> Response:
    """Lists the lessons of your bots in a season, by round; operators see every bot's."""
    with context().read() as session:
        page = query_data.model_dump()
        return answered(queries.season_lessons(session, account(session), season, **page))


@routes.get("/bots/<name:owner>/<name:name>/lessons")
@needs(Scope.READ)
@routes.input(schemas.LessonsPage, location="query")
@routes.output(Lessons)
def bot_lessons(owner: str, name: str, query_data: schemas.LessonsPage) -> Response:
    """Lists the lessons of one of your bots, newest first."""
    with context().read() as session:
        page = query_data.model_dump()
        return answered(queries.bot_lessons(session, account(session), owner, name, **page))


@routes.get("/memories/<digest:digest>")
@needs(Scope.READ)
@routes.doc(responses=described("The memory's bytes", BYTES))
def memory(digest: str) -> Response:
    """Returns a memory of one of your bots, by digest; operators may read any memory."""
    with context().read() as session:
        data = queries.own_memory(session, account(session), digest)
    return bytes_response(data, f"memory-{digest[:8]}")


@routes.post("/lessons/<number:number>/requeue")
@needs(Scope.OPERATE)
@routes.output(Lesson)
def requeue(number: int) -> Response:
    """Queues a parked lesson again and sends it; for operators."""
    with acting() as (session, actor, now):
        row = lessons.requeue(session, actor, number, settings=context().settings, now=now)
        return answered(queries.lesson(session, actor, row))


@routes.post("/lessons/<number:number>/skip")
@needs(Scope.OPERATE)
@routes.output(Lesson)
def skip(number: int) -> Response:
    """Ends a parked lesson; the bot keeps the memory it had before. For operators."""
    with acting() as (session, actor, now):
        row = lessons.skip(session, actor, number, now=now)
        return answered(queries.lesson(session, actor, row))
