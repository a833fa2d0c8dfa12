"""The operators' actions on seasons, matches and versions that are under way, and the audit log."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.bots import Version
from matchbox.answers.faults import Faults
from matchbox.answers.health import Health
from matchbox.answers.leagues import League, Season
from matchbox.answers.matches import Match
from matchbox.answers.platform import Audit
from matchbox.answers.standings import Board
from server import queries
from server.auth import account, acting, context, signed_in
from server.queries import faults
from server.routes import schemas
from server.routes.api_leagues import league
from server.routes.api_matches import whole_match
from server.routes.api_seasons import whole_season
from server.routes.api_versions import whole_version
from server.routes.responses import answered
from server.scopes import Scope, needs
from server.services import health, matches, operations, voids

routes = APIBlueprint("operations", __name__, url_prefix="/api/v1", tag="Operations")


@routes.get("/audit")
@needs(Scope.OPERATE)
@routes.input(schemas.AuditPage, location="query")
@routes.output(Audit)
def audit(query_data: schemas.AuditPage) -> Response:
    """Lists the audit log of actions, newest first; for operators."""
    with context().read() as session:
        return answered(queries.audit(session, account(session), **query_data.model_dump()))


@routes.get("/faults")
@needs(Scope.OPERATE)
@routes.input(schemas.FaultsOf, location="query")
@routes.output(Faults)
def list_faults(query_data: schemas.FaultsOf) -> Response:
    """Counts the faults of the last 1 or 7 days by kind and by bot; for operators."""
    ctx = context()
    with ctx.read() as session:
        days, now = query_data.days, ctx.now()
        return answered(faults.faults(session, account(session), days=days, now=now))


@routes.get("/health")
@needs(Scope.OPERATE)
@routes.output(Health)
def judge_health() -> Response:
    """Returns the platform's health: the findings, the arenas and the jobs; for operators."""
    ctx = context()
    with ctx.read() as session:
        viewer = account(session)
        return answered(health.judge_for(session, viewer, ctx.settings, now=ctx.now()))


@routes.post("/seasons/<season:season>/disqualify")
@needs(Scope.OPERATE)
@routes.input(schemas.OutOfSeason)
@routes.output(Season)
def disqualify(season: str, json_data: schemas.OutOfSeason) -> Response:
    """Disqualifies a bot: it plays no further matches of the season, and its matches do not count.

    For operators.
    """
    with acting() as (session, actor, now):
        bot, reason = json_data.bot, json_data.reason
        operations.disqualify(session, actor, season, bot, reason, now=now)
    return whole_season(season)


@routes.post("/seasons/<season:season>/reinstate")
@needs(Scope.OPERATE)
@routes.input(schemas.OutOfSeason)
@routes.output(Season)
def reinstate(season: str, json_data: schemas.OutOfSeason) -> Response:
    """Reinstates a disqualified bot and replays its void matches; for operators."""
    with acting() as (session, actor, now):
        bot, reason = json_data.bot, json_data.reason
        operations.reinstate(session, actor, season, bot, reason, now=now)
    return whole_season(season)


@routes.post("/seasons/<season:season>/rerun")
@needs(Scope.OPERATE)
@routes.input(schemas.RoundAgain)
@routes.output(Season)
def rerun(season: str, json_data: schemas.RoundAgain) -> Response:
    """Makes every match of a round void and replays the round; for operators."""
    with acting() as (session, actor, now):
        operations.rerun(session, actor, season, json_data.round, json_data.reason, now=now)
    return whole_season(season)


@routes.post("/seasons/<season:season>/recompute")
@needs(Scope.OPERATE)
@routes.output(Board)
def recompute_season(season: str) -> Response:
    """Recomputes the season's standing now; for operators."""
    operations.recompute_season(context(), signed_in(), acting, season)
    with context().read() as session:
        return answered(queries.season_standings(session, account(session), season))


@routes.post("/leagues/<league:name>/recompute")
@needs(Scope.OPERATE)
@routes.output(League)
def recompute_league(name: str) -> Response:
    """Recomputes the standing and the live ratings of a league now; for operators."""
    operations.recompute_league(context(), signed_in(), acting, name)
    return league(name)


@routes.post("/matches/<match:match>/requeue")
@needs(Scope.OPERATE)
@routes.output(Match)
def requeue(match: str) -> Response:
    """Queues a parked match again; for operators."""
    with acting() as (session, actor, now):
        matches.requeue(session, actor, match, settings=context().settings, now=now)
    return whole_match(match)


@routes.post("/matches/<match:match>/void")
@needs(Scope.OPERATE)
@routes.input(schemas.MatchVoid)
@routes.output(Match)
def void(match: str, json_data: schemas.MatchVoid) -> Response:
    """Makes a match void, even a finished one, for a fault of the platform; for operators."""
    with acting() as (session, actor, now):
        voids.void(session, actor, match, json_data.reason, again=json_data.again, now=now)
    return whole_match(match)


@routes.post("/matches/<match:match>/again")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(Match)
def again(match: str, json_data: schemas.Reason) -> Response:
    """Replays a void match and returns the new match; for operators."""
    with acting() as (session, actor, now):
        new = voids.play_again(session, actor, match, json_data.reason, now=now)
    return whole_match(new.id)


@routes.post("/versions/<number:number>/reinstate")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(Version)
def reinstate_version(number: int, json_data: schemas.Reason) -> Response:
    """Lets a suspended version play again and resets its count of forfeits; for operators."""
    with acting() as (session, actor, now):
        operations.reinstate_version(session, actor, number, json_data.reason, now=now)
    return answered(whole_version(number))
