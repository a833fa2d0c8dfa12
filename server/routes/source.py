"""The functions that pages read from: `dashboard.source.Source` over the database.

Knows the visitor and the query for each function; renders nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from flask import current_app

from dashboard import wording
from dashboard.source import Source
from matchbox.answers.board_figures import Opponent, Opponents
from matchbox.answers.bots import Draft
from matchbox.answers.comparisons import Comparable, ComparisonLine
from matchbox.answers.faults import FaultList
from matchbox.answers.games import Limits
from matchbox.answers.lessons import Lessons
from matchbox.answers.matches import Match, Queue
from matchbox.answers.play import Table, Tables
from matchbox.answers.queue import Waiting
from matchbox.settings import limits_for_authors
from server import queries
from server.auth import account, context, reader, reading, reading_as, viewer
from server.queries import classes, drafts, history, play, waiting
from server.queries import comparisons as comparison_queries
from server.queries.bot_faults import bot_faults
from server.queries.lessons import bot_lessons
from server.queries.verifications import newest
from server.routes.account_source import AccountSource
from server.routes.operator_source import OperatorSource
from server.routes.season_source import SeasonSource
from server.services import uploads


class ServerSource(AccountSource, OperatorSource, SeasonSource):
    """The functions that the pages read from. Each reads in the session of its request."""

    games = staticmethod(reading(queries.games))
    leaderboard = staticmethod(reading(queries.leaderboard))
    board_stamp = staticmethod(reading(queries.board_stamp))
    board_figures = staticmethod(reading(queries.board_figures))
    board_pairs = staticmethod(reading(queries.board_pairs))
    rating_trails = staticmethod(reading(queries.rating_trails))
    results_by_opponent = staticmethod(reading(queries.opponents))
    author = staticmethod(reading(queries.author))
    find_bot = staticmethod(reading(queries.bot_name))
    matches = staticmethod(reading(queries.matches))
    steps = staticmethod(reading(queries.steps))
    verification = staticmethod(reading(newest))
    leagues = staticmethod(reading(queries.leagues))
    invited = staticmethod(reading(classes.invited))
    ratings = staticmethod(reading(history.ratings))
    opponents = staticmethod(reading(play.opponents))
    bot = staticmethod(reading_as(viewer, queries.bot))
    file_of = staticmethod(reading_as(viewer, queries.file_of))
    draft_file = staticmethod(reading_as(viewer, drafts.draft_file))
    match_log = staticmethod(reading_as(viewer, queries.match_log))
    league = staticmethod(reading_as(viewer, queries.league))
    comparison = staticmethod(reading_as(viewer, comparison_queries.comparison))
    table_steps = staticmethod(reading_as(viewer, play.steps))

    def limits(self) -> Limits:
        return Limits.model_validate(limits_for_authors(context().settings))

    def uploads_closed(self) -> str | None:
        with reader() as session:
            why = uploads.refusal_for(session, viewer(session))
        return wording.capital(why) or None

    def all_opponents(self, owner: str, name: str) -> tuple[Opponents, Iterator[Opponent]]:
        return queries.all_opponents(context().read, owner, name)

    def bot_faults(self, owner: str, name: str) -> FaultList:
        with reader() as session:
            return bot_faults(session, viewer(session), owner, name, limit=10)

    def lessons(self, owner: str, name: str, cursor: str | None) -> Lessons:
        with reader() as session:
            if asking := viewer(session):
                return bot_lessons(session, asking, owner, name, cursor=cursor)
            return Lessons(items=[], next=None)

    def match(self, name: str) -> Match:
        ctx = context()
        with reader() as session:
            settings, now = ctx.settings, ctx.now()
            return waiting.match(session, viewer(session), name, settings=settings, now=now)

    def queue(self) -> Queue:
        with reader() as session:
            return queries.queue(session, now=context().now())

    def waiting(self, number: int) -> Waiting | None:
        ctx = context()
        with reader() as session:
            settings, now = ctx.settings, ctx.now()
            found = waiting.version(session, viewer(session), number, settings=settings, now=now)
            return found.waiting

    def comparisons(self, owner: str, name: str) -> list[ComparisonLine]:
        with reader() as session:
            return comparison_queries.comparisons(
                session, account(session), bot=f"{owner}/{name}", limit=10
            ).items

    def comparable(self, owner: str, name: str) -> Comparable:
        ctx = context()
        with reader() as session:
            return comparison_queries.comparable(
                session, account(session), owner, name, settings=ctx.settings, now=ctx.now()
            )

    def tables(self, *, cursor: str | None = None, limit: int = 100) -> Tables:
        with reader() as session:
            return play.tables(
                session, account(session), context().settings, cursor=cursor, limit=limit
            )

    def table(self, name: str, *, since: int = 0, secret: str = "") -> Table:
        with reader() as session:
            asking = viewer(session)
            return play.table(
                session, asking, name, settings=context().settings, since=since, secret=secret
            )

    def table_revision(self, name: str, *, secret: str = "") -> str | None:
        with reader() as session:
            asking = viewer(session)
            return play.revision(session, asking, name, settings=context().settings, secret=secret)

    def draft(self, number: int) -> Draft:
        ctx = context()
        with reader() as session:
            settings, now = ctx.settings, ctx.now()
            return waiting.draft(session, viewer(session), number, settings=settings, now=now)


def the_source() -> Source:
    """Returns the source of the running app."""
    source: Source = current_app.extensions["matchbox-source"]
    return source
