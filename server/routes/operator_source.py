"""The functions that the pages of operators read from, in the page's database session."""

from __future__ import annotations

from collections.abc import Mapping

from matchbox import registry
from matchbox.answers.accounts import LoggedIn
from matchbox.answers.arenas import ArenaKeys, ArenaMatches
from matchbox.answers.classes import LeagueClass
from matchbox.answers.faults import Faults
from matchbox.answers.health import ArenaLine, Health
from matchbox.answers.platform import Admin, UserDetail
from matchbox.answers.queue import QueueDetail
from matchbox.league.format import Schedule
from server import queries
from server.auth import account, context, reader, reading_as, session_number, viewer
from server.queries import classes
from server.queries import faults as fault_queries
from server.queries import users as user_queries
from server.queries.job_queue import queue_detail
from server.services import arena_keys, arena_lines, arena_voids, health, leagues
from server.services import schedule as cron
from server.times import parse_time_ms


class OperatorSource:
    """The part of `dashboard.source.Source` that operators alone read."""

    users = staticmethod(reading_as(viewer, user_queries.users))
    audit = staticmethod(reading_as(viewer, queries.audit))

    def queue_detail(self) -> QueueDetail:
        ctx = context()
        with reader() as session:
            settings, now = ctx.settings, ctx.now()
            return queue_detail(session, viewer(session), settings=settings, now=now)

    def faults(self, days: int) -> Faults:
        with reader() as session:
            return fault_queries.faults(session, viewer(session), days=days, now=context().now())

    def admin(self) -> Admin:
        with reader() as session:
            return queries.admin(session, viewer(session), now=context().now())

    def user(self, name: str) -> UserDetail:
        with reader() as session:
            return user_queries.user(session, viewer(session), name, now=context().now())

    def logged_in(self, cursor: str | None = None) -> LoggedIn:
        with reader() as session:
            asking, now = viewer(session), context().now()
            return user_queries.logged_in(session, asking, session_number(), now=now, cursor=cursor)

    def check_new_league(
        self, name: str, game: str, seats: int, options: Mapping[str, str], schedule: Schedule
    ) -> None:
        cron.check(schedule, context().now())
        with reader() as session:
            leagues.check_new(session, name, registry.game(game), seats, options)

    def league_class(self, name: str) -> LeagueClass:
        with reader() as session:
            url = context().settings.server_url
            return classes.league_class(session, account(session), name, url=url)

    def health(self) -> Health:
        ctx = context()
        with reader() as session:
            return health.judge_for(session, viewer(session), ctx.settings, now=ctx.now())

    def arena(self, name: str) -> ArenaLine:
        with reader() as session:
            return arena_lines.arena_for(session, viewer(session), name, now=context().now())

    def arena_keys(self) -> ArenaKeys:
        with reader() as session:
            return arena_keys.keys_for(session, viewer(session), now=context().now())

    def arena_matches(self, name: str, since: str) -> ArenaMatches:
        with reader() as session:
            return arena_voids.count(
                session, viewer(session), name, since=parse_time_ms(since), until=context().now()
            )
