"""Classes of leagues: codes that join one, accounts from a list of names, results by author."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response
from flask.typing import ResponseReturnValue

from dashboard import downloads
from matchbox.answers.classes import AuthorResults, FreshAccounts, Invited, JoinCode
from server.auth import account, acting, context, signed_in
from server.queries import classes as queries
from server.routes import schemas
from server.routes.responses import answered, described
from server.scopes import ANYBODY, Scope, needs
from server.services import classes

routes = APIBlueprint("classes", __name__, url_prefix="/api/v1", tag="Classes")


@routes.get("/join/<code:code>")
@needs(ANYBODY)
@routes.output(Invited)
def invited(code: str) -> Response:
    """Returns the league that a code joins."""
    with context().read() as session:
        return answered(queries.invited(session, code))


@routes.post("/join")
@needs(Scope.SUBMIT)
@routes.input(schemas.Joining)
@routes.output(Invited)
def join(json_data: schemas.Joining) -> Response:
    """Joins the league that has this code; your bots enter its open seasons."""
    with acting() as (session, actor, now):
        classes.join(session, actor, json_data.code, now=now)
        return answered(queries.invited(session, json_data.code))


@routes.get("/leagues/<league:name>/code")
@needs(Scope.OPERATE)
@routes.output(JoinCode)
def code(name: str) -> Response:
    """Returns the code that joins the league; for operators."""
    ctx = context()
    with ctx.read() as session:
        found = queries.league_class(session, account(session), name, url=ctx.settings.server_url)
        return answered(found.code)


@routes.post("/leagues/<league:name>/code")
@needs(Scope.OPERATE)
@routes.output(JoinCode)
def renew_code(name: str) -> Response:
    """Gives the league a new code; its earlier code stops working. For operators."""
    with acting() as (session, actor, now):
        classes.renew_code(session, actor, name, now=now)
    return code(name)


@routes.delete("/leagues/<league:name>/code")
@needs(Scope.OPERATE)
@routes.output({}, status_code=204)
def withdraw_code(name: str) -> ResponseReturnValue:
    """Makes the league's code stop working; for operators."""
    with acting() as (session, actor, now):
        classes.withdraw_code(session, actor, name, now=now)
    return "", 204


@routes.post("/leagues/<league:name>/accounts")
@needs(Scope.OPERATE)
@routes.input(schemas.NewAccounts)
@routes.output(FreshAccounts, status_code=201)
def make_accounts(name: str, json_data: schemas.NewAccounts) -> Response:
    """Makes an author's account for each name; the passwords are shown only once. For operators."""
    made = classes.make_accounts(
        context(), signed_in(), acting, name, json_data.names, json_data.notes
    )
    return answered(queries.fresh_accounts(name, made), 201)


@routes.get("/leagues/<league:name>/results")
@needs(Scope.OPERATE)
@routes.input(schemas.ResultsOf, location="query")
@routes.output(AuthorResults)
def results(name: str, query_data: schemas.ResultsOf) -> Response:
    """Returns the results of the league's authors, best first; for operators."""
    with context().read() as session:
        found = queries.author_results(session, account(session), name, query_data.season)
        return answered(found)


@routes.get("/leagues/<league:name>/results.csv")
@needs(Scope.OPERATE)
@routes.input(schemas.ResultsOf, location="query")
@routes.doc(responses=described("The results as CSV.", "text/csv"))
def results_csv(name: str, query_data: schemas.ResultsOf) -> Response:
    """Returns the results of the league's authors as CSV; for operators."""
    with context().read() as session:
        found = queries.author_results(session, account(session), name, query_data.season)
    return Response(downloads.author_results_csv(found), mimetype="text/csv")
