"""The functions that pages read from: `dashboard.source.Source` over the database.

Knows the visitor and the query for each function; renders nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from flask import current_app

from dashboard import wording
from dashboard.source import Source
from matchbox.answers.board_figures import Opponent, Opponents
from matchbox.answers.bots import Bot, Draft
from matchbox.answers.comparisons import Comparable, Comparison, ComparisonLine
from matchbox.answers.faults import FaultList
from matchbox.answers.leagues import League
from matchbox.answers.lessons import Lessons
from matchbox.answers.matches import LogLine, Match, Queue, Steps
from matchbox.answers.play import Table, Tables
from matchbox.answers.queue import Waiting
from matchbox.settings import libraries_of
from server import queries
from server.auth import account, context, reader, reading, viewer
from server.queries import classes, comparisons, drafts, history, play, waiting
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
    board_digest = staticmethod(reading(queries.board_digest))
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

    def libraries(self) -> list[str]:
        return list(libraries_of(context().settings))

    def uploads_closed(self) -> str | None:
        with reader() as session:
            why = uploads.refusal_for(session, viewer(session))
        return wording.capital(why) or None

    def bot(self, owner: str, name: str) -> Bot:
        with reader() as session:
            return queries.bot(session, owner, name, viewer(session))

    def all_opponents(self, owner: str, name: str) -> tuple[Opponents, Iterator[Opponent]]:
        return queries.all_opponents(context().read, owner, name)

    def bot_faults(self, owner: str, name: str) -> FaultList:
        with reader() as session:
            return bot_faults(session, owner, name, viewer(session), limit=10)

    def lessons(self, owner: str, name: str, cursor: str | None) -> Lessons:
        with reader() as session:
            if asking := viewer(session):
                return bot_lessons(session, owner, name, asking, cursor=cursor)
            return Lessons(items=[], next=None)

    def match(self, name: str) -> Match:
        ctx = context()
        with reader() as session:
            settings, now = ctx.settings, ctx.now()
            return waiting.match(session, name, viewer(session), settings=settings, now=now)

    def match_log(self, name: str) -> list[LogLine]:
        with reader() as session:
            return queries.match_log(session, name, viewer(session))

    def queue(self) -> Queue:
        with reader() as session:
            return queries.queue(session, now=context().now())

    def waiting(self, number: int) -> Waiting | None:
        ctx = context()
        with reader() as session:
            settings, now = ctx.settings, ctx.now()
            found = waiting.version(session, number, viewer(session), settings=settings, now=now)
            return found.waiting

    def league(self, name: str) -> League:
        with reader() as session:
            return queries.league(session, name, viewer(session))

    def comparison(self, number: int) -> Comparison:
        with reader() as session:
            return comparisons.comparison(session, number, viewer(session))

    def comparisons(self, owner: str, name: str) -> list[ComparisonLine]:
        with reader() as session:
            return comparisons.comparisons(
                session, account(session), bot=f"{owner}/{name}", limit=10
            ).items

    def comparable(self, owner: str, name: str) -> Comparable:
        ctx = context()
        with reader() as session:
            return comparisons.comparable(
                session, owner, name, account(session), settings=ctx.settings, now=ctx.now()
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
                session, name, asking, settings=context().settings, since=since, secret=secret
            )

    def table_revision(self, name: str, *, secret: str = "") -> str | None:
        with reader() as session:
            asking = viewer(session)
            return play.revision(session, name, asking, settings=context().settings, secret=secret)

    def table_steps(self, name: str, seat: int | None) -> Steps:
        with reader() as session:
            return play.steps(session, name, seat, viewer(session))

    def file_of(self, owner: str, name: str, number: int) -> bytes | None:
        with reader() as session:
            return queries.file_of(session, owner, name, number, viewer(session))

    def draft(self, number: int) -> Draft:
        ctx = context()
        with reader() as session:
            settings, now = ctx.settings, ctx.now()
            return waiting.draft(session, number, viewer(session), settings=settings, now=now)

    def draft_file(self, number: int) -> bytes:
        with reader() as session:
            return drafts.draft_file(session, number, viewer(session))


def the_source() -> Source:
    """Returns the source of the running app."""
    source: Source = current_app.extensions["matchbox-source"]
    return source
