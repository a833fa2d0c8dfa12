"""What operators do to what is under way: disqualified, void, played again; and the log of it."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response

from matchbox.answers.bots import Version
from matchbox.answers.leagues import League, Season
from matchbox.answers.matches import Match
from matchbox.answers.platform import Audit
from matchbox.answers.standings import Board
from server import queries
from server.auth import context, operator, viewer
from server.routes import schemas
from server.routes.api_matches import whole_match
from server.routes.responses import answered
from server.rows import league_row, match_row, named_bot, season_row, version_row
from server.scopes import Scope, needs
from server.services import matches, operations, standings, voids

routes = APIBlueprint("operations", __name__, url_prefix="/api/v1", tag="Operations")


@routes.get("/audit")
@needs(Scope.OPERATE)
@routes.input(schemas.AuditPage, location="query")
@routes.output(Audit)
def audit(query_data: schemas.AuditPage) -> Response:
    """A page of who did what and when, newest first; for operators."""
    with context().read() as session:
        return answered(queries.audit(session, operator(session), **query_data.model_dump()))


@routes.post("/seasons/<season:season>/disqualify")
@needs(Scope.OPERATE)
@routes.input(schemas.OutOfSeason)
@routes.output(Season)
def disqualify(season: str, json_data: schemas.OutOfSeason) -> Response:
    """Takes a bot out of a season: it plays and counts no more; for operators."""
    take_out(season, json_data.bot, json_data.reason)
    return _season(season)


@routes.post("/seasons/<season:season>/reinstate")
@needs(Scope.OPERATE)
@routes.input(schemas.OutOfSeason)
@routes.output(Season)
def reinstate(season: str, json_data: schemas.OutOfSeason) -> Response:
    """Takes a disqualification back; matches that were void for it are played; for operators."""
    bring_back(season, json_data.bot, json_data.reason)
    return _season(season)


@routes.post("/seasons/<season:season>/rerun")
@needs(Scope.OPERATE)
@routes.input(schemas.RoundAgain)
@routes.output(Season)
def rerun(season: str, json_data: schemas.RoundAgain) -> Response:
    """Makes every match of a round void, and plays the round again; for operators."""
    round_again(season, json_data.round, json_data.reason)
    return _season(season)


@routes.post("/seasons/<season:season>/recompute")
@needs(Scope.OPERATE)
@routes.output(Board)
def recompute_season(season: str) -> Response:
    """Computes the season's standing now; for operators."""
    compute_season(season)
    with context().read() as session:
        return answered(queries.season_standings(session, season))


@routes.post("/leagues/<name:name>/recompute")
@needs(Scope.OPERATE)
@routes.output(League)
def recompute_league(name: str) -> Response:
    """Computes the standing of a league, and with it its live ratings, now; for operators."""
    with context().read() as session:
        operator(session)
        scope = standings.scope_of(league_row(session, name))
    _compute(scope)
    with context().read() as session:
        return answered(queries.league(session, name))


@routes.post("/matches/<match:match>/requeue")
@needs(Scope.OPERATE)
@routes.output(Match)
def requeue(match: str) -> Response:
    """Gives a parked match another chance; for operators."""
    try_again(match)
    return whole_match(match)


@routes.post("/matches/<match:match>/void")
@needs(Scope.OPERATE)
@routes.input(schemas.MatchVoid)
@routes.output(Match)
def void(match: str, json_data: schemas.MatchVoid) -> Response:
    """Makes a match void, finished or not, for a fault of the platform; for operators."""
    made = make_void(match, json_data.reason, again=json_data.again)
    return whole_match(match, replaced_by=made)


@routes.post("/matches/<match:match>/again")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(Match)
def again(match: str, json_data: schemas.Reason) -> Response:
    """The match that is played in the place of a void one; for operators."""
    return whole_match(play_again(match, json_data.reason))


@routes.post("/versions/<number:number>/reinstate")
@needs(Scope.OPERATE)
@routes.input(schemas.Reason)
@routes.output(Version)
def reinstate_version(number: int, json_data: schemas.Reason) -> Response:
    """Lets a suspended version play again, its forfeits forgotten; for operators."""
    lift(number, json_data.reason)
    with context().read() as session:
        return answered(queries.version(session, number, viewer(session)))


def take_out(season: str, bot: str, reason: str) -> None:
    """Disqualifies the bot that the operator names."""
    made = context()
    with made.write() as session:
        user, row = operator(session), season_row(session, season)
        operations.disqualify(
            session, user, row, named_bot(session, bot, user), reason, now=made.now()
        )


def bring_back(season: str, bot: str, reason: str) -> None:
    """Reinstates the bot that the operator names."""
    made = context()
    with made.write() as session:
        user, row = operator(session), season_row(session, season)
        operations.reinstate(
            session, user, row, named_bot(session, bot, user), reason, now=made.now()
        )


def round_again(season: str, number: int | None, reason: str) -> None:
    """Plays a round again; the last one opened where no number is given."""
    made = context()
    with made.write() as session:
        user, row = operator(session), season_row(session, season)
        operations.rerun(session, user, row, number, reason, now=made.now())


def compute_season(season: str) -> None:
    """Computes a season's standing now."""
    with context().read() as session:
        operator(session)
        scope = standings.scope_of(season_row(session, season))
    _compute(scope)


def try_again(match: str) -> None:
    """An operator's step with a parked match."""
    made = context()
    with made.write() as session:
        user, row = operator(session), match_row(session, match)
        matches.requeue(session, user, row, settings=made.settings, now=made.now())


def make_void(match: str, reason: str, *, again: bool) -> str | None:
    """Makes the match void; the id of the one that is played in its place, if any is."""
    made = context()
    with made.write() as session:
        user, row = operator(session), match_row(session, match)
        new = voids.void(session, user, row, reason, again=again, now=made.now())
        return new.id if new is not None else None


def play_again(match: str, reason: str) -> str:
    """The id of the match that is played in the place of a void one."""
    made = context()
    with made.write() as session:
        user, row = operator(session), match_row(session, match)
        return voids.play_again(session, user, row, reason, now=made.now()).id


def lift(number: int, reason: str) -> None:
    """Reinstates a suspended version."""
    made = context()
    with made.write() as session:
        user, row = operator(session), version_row(session, number)
        operations.reinstate_version(session, user, row, reason, now=made.now())


def _compute(scope: str) -> None:
    """In a read, so that nobody waits for the arithmetic to write; kept in a write."""
    made = context()
    with made.read() as session:
        fresh = standings.compute(session, scope)
    with made.write() as session:
        operations.recompute(session, operator(session), fresh, now=made.now())


def _season(name: str) -> Any:
    with context().read() as session:
        return answered(queries.season(session, name, viewer(session)))
