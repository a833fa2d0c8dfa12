"""Fills the dashboard's `Source`. Each function reads in its own database session.

Knows the visitor and the query for each function; renders nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import current_app

from dashboard.source import Source
from matchbox.answers.accounts import SessionLine, TokenLine, Viewer
from matchbox.answers.arenas import ArenaKeys, ArenaMatches
from matchbox.answers.board_figures import Opponent, Opponents
from matchbox.answers.bots import Bot, BotLine, Draft
from matchbox.answers.classes import LeagueClass, Membership
from matchbox.answers.comparisons import Comparable, Comparison, ComparisonLine
from matchbox.answers.faults import FaultList, Faults
from matchbox.answers.health import ArenaLine, Health
from matchbox.answers.leagues import League
from matchbox.answers.lessons import Lesson
from matchbox.answers.matches import LogLine, Match, Queue, Steps
from matchbox.answers.notices import DeliverySettings, Notices
from matchbox.answers.platform import Admin, Audit, UserDetail, Users
from matchbox.answers.play import Table, Tables
from matchbox.answers.queue import QueueDetail, Waiting
from matchbox.settings import libraries_of
from server import queries
from server.auth import account, context, reader, reading, viewer, visitor
from server.queries import classes, comparisons, drafts, history, inbox, play, waiting
from server.queries import faults as fault_queries
from server.queries import users as user_queries
from server.queries.bot_faults import bot_faults
from server.queries.job_queue import queue_detail
from server.queries.lessons import bot_lessons
from server.queries.pagination import moment
from server.queries.verifications import newest
from server.routes.openid_source import of_log_ins
from server.routes.season_source import of_seasons
from server.services import accounts, arena_keys, arena_lines, arena_voids, health, notices, uploads


def make_source() -> Source:
    """Returns the functions that the pages read from."""
    return Source(
        **_of_boards(),
        **_of_files(),
        **_of_operators(),
        **of_log_ins(),
        **of_seasons(),
        viewer=_viewer,
        libraries=lambda: list(libraries_of(context().settings)),
        uploads_closed=_uploads_closed,
        games=reading(queries.games),
        bot=_bot,
        bot_faults=_bot_faults,
        lessons=_lessons,
        find_bot=reading(queries.bot_name),
        matches=reading(queries.matches),
        match=_match,
        verification=reading(newest),
        steps=reading(queries.steps),
        match_log=_match_log,
        queue=_queue,
        waiting=_waiting,
        leagues=reading(queries.leagues),
        league=_league,
        my_bots=_my_bots,
        tokens=_tokens,
        sessions=_sessions,
        invited=reading(classes.invited),
        memberships=_memberships,
        league_class=_league_class,
        claim_open=reading(queries.claim_open),
        comparison=_comparison,
        comparisons=_comparisons,
        comparable=_comparable,
        ratings=reading(history.ratings),
        inbox=_inbox,
        delivery_settings=_delivery_settings,
        sends_mail=lambda: bool(context().settings.smtp_host),
        reset_name=_reset_name,
        link_open=_link_open,
        opponents=reading(play.opponents),
        tables=_tables,
        table=_table,
        table_revision=_table_revision,
        table_steps=_table_steps,
    )


def _of_boards() -> dict[str, Any]:
    """The functions that read boards, and what bots did on them."""
    return {
        "leaderboard": reading(queries.leaderboard),
        "board_digest": reading(queries.board_digest),
        "board_figures": reading(queries.board_figures),
        "board_pairs": reading(queries.board_pairs),
        "rating_trails": reading(queries.rating_trails),
        "results_by_opponent": reading(queries.opponents),
        "all_opponents": _all_opponents,
        "author": reading(queries.author),
    }


def _of_files() -> dict[str, Any]:
    """The functions that read what authors have sent in."""
    return {"file_of": _file_of, "draft": _draft, "draft_file": _draft_file}


def _of_operators() -> dict[str, Any]:
    """The functions that read what operators alone see."""
    return {
        "admin": _admin,
        "audit": _audit,
        "faults": _faults,
        "health": _health,
        "arena": _arena,
        "arena_keys": _arena_keys,
        "arena_matches": _arena_matches,
        "queue_detail": _queue_detail,
        "user": _user,
        "users": _users,
    }


def the_source() -> Source:
    """Returns the source of the running app."""
    source: Source = current_app.extensions["matchbox-source"]
    return source


def _viewer() -> Viewer | None:
    asking = visitor()
    if asking is None:
        return None
    with reader() as session:
        unread = notices.unread(session, asking.id)
    return Viewer(name=asking.name, role=asking.role, unread=unread)


def _uploads_closed() -> str | None:
    with reader() as session:
        why = uploads.closed_to(session, viewer(session))
    return why[:1].upper() + why[1:] or None


def _bot(owner: str, name: str) -> Bot:
    with reader() as session:
        return queries.bot(session, owner, name, viewer(session))


def _all_opponents(owner: str, name: str) -> tuple[Opponents, Iterator[Opponent]]:
    return queries.all_opponents(context().read, owner, name)


def _bot_faults(owner: str, name: str) -> FaultList:
    with reader() as session:
        return bot_faults(session, owner, name, viewer(session), limit=10)


def _lessons(owner: str, name: str) -> list[Lesson]:
    with reader() as session:
        asking = viewer(session)
        return bot_lessons(session, owner, name, asking) if asking else []


def _audit(**which: Any) -> Audit:
    with reader() as session:
        return queries.audit(session, viewer(session), **which)


def _match(name: str) -> Match:
    made = context()
    with reader() as session:
        settings, now = made.settings, made.now()
        return waiting.match(session, name, viewer(session), settings=settings, now=now)


def _waiting(number: int) -> Waiting | None:
    made = context()
    with reader() as session:
        settings, now = made.settings, made.now()
        found = waiting.version(session, number, viewer(session), settings=settings, now=now)
        return found.waiting


def _queue() -> Queue:
    with reader() as session:
        return queries.queue(session, now=context().now())


def _queue_detail() -> QueueDetail:
    made = context()
    with reader() as session:
        settings, now = made.settings, made.now()
        return queue_detail(session, viewer(session), settings=settings, now=now)


def _match_log(name: str) -> list[LogLine]:
    with reader() as session:
        return queries.match_log(session, name, viewer(session))


def _league(name: str) -> League:
    with reader() as session:
        return queries.league(session, name, viewer(session))


def _my_bots() -> list[BotLine]:
    with reader() as session:
        return queries.my_bots(session, account(session))


def _sessions() -> list[SessionLine]:
    made, asking = context(), visitor()
    with reader() as session:
        current = asking.session if asking else None
        return queries.sessions(session, account(session), current, now=made.now())


def _tokens() -> list[TokenLine]:
    made = context()
    with reader() as session:
        since = accounts.revoked_since(made.now())
        return queries.tokens(session, account(session), revoked_since=since)


def _admin() -> Admin:
    with reader() as session:
        return queries.admin(session, viewer(session), now=context().now())


def _user(name: str) -> UserDetail:
    made = context()
    with reader() as session:
        return user_queries.user(session, viewer(session), name, now=made.now())


def _users(**which: Any) -> Users:
    with reader() as session:
        return user_queries.users(session, viewer(session), **which)


def _memberships() -> list[Membership]:
    with reader() as session:
        asking = viewer(session)
        return classes.memberships(session, asking) if asking else []


def _league_class(name: str) -> LeagueClass:
    made = context()
    with reader() as session:
        url = made.settings.server_url
        return classes.league_class(session, name, account(session), url=url)


def _faults(days: int) -> Faults:
    made = context()
    with reader() as session:
        return fault_queries.faults(session, viewer(session), days=days, now=made.now())


def _health() -> Health:
    made = context()
    with reader() as session:
        return health.judge_for(session, viewer(session), made.settings, now=made.now())


def _arena(name: str) -> ArenaLine:
    made = context()
    with reader() as session:
        return arena_lines.arena_for(session, viewer(session), name, now=made.now())


def _arena_keys() -> ArenaKeys:
    made = context()
    with reader() as session:
        return arena_keys.keys_for(session, viewer(session), now=made.now())


def _arena_matches(name: str, since: str) -> ArenaMatches:
    made = context()
    with reader() as session:
        times = {"since": moment(since), "until": made.now()}
        return arena_voids.count(session, viewer(session), name, **times)


def _inbox(**which: Any) -> Notices:
    with reader() as session:
        return inbox.inbox(session, account(session), **which)


def _delivery_settings() -> DeliverySettings:
    made = context()
    with reader() as session:
        return inbox.delivery_settings(session, account(session), made.settings)


def _link_open(secret: str) -> bool:
    made = context()
    with reader() as session:
        return inbox.link_open(account(session), secret, made.settings, made.now())


def _reset_name(number: int, secret: str) -> str | None:
    made = context()
    with reader() as session:
        return inbox.reset_name(session, number, secret, made.settings, made.now())


def _file_of(owner: str, name: str, number: int) -> bytes | None:
    with reader() as session:
        return queries.file_of(session, owner, name, number, viewer(session))


def _draft(number: int) -> Draft:
    made = context()
    with reader() as session:
        settings, now = made.settings, made.now()
        return waiting.draft(session, number, viewer(session), settings=settings, now=now)


def _draft_file(number: int) -> bytes:
    with reader() as session:
        return drafts.draft_file(session, number, viewer(session))


def _comparison(number: int) -> Comparison:
    with reader() as session:
        return comparisons.comparison(session, number, viewer(session))


def _comparisons(owner: str, name: str) -> list[ComparisonLine]:
    with reader() as session:
        return comparisons.comparisons(
            session, account(session), bot=f"{owner}/{name}", limit=10
        ).items


def _comparable(owner: str, name: str) -> Comparable:
    made = context()
    with reader() as session:
        return comparisons.comparable(
            session, owner, name, account(session), settings=made.settings, now=made.now()
        )


def _tables(**which: Any) -> Tables:
    with reader() as session:
        return play.tables(session, account(session), context().settings, **which)


def _table(name: str, *, since: int = 0, secret: str = "") -> Table:
    made = context()
    with reader() as session:
        asking = viewer(session)
        return play.table(session, name, asking, settings=made.settings, since=since, secret=secret)


def _table_steps(name: str, seat: int | None) -> Steps:
    with reader() as session:
        return play.steps(session, name, seat, viewer(session))


def _table_revision(name: str, *, secret: str = "") -> str | None:
    made = context()
    with reader() as session:
        asking = viewer(session)
        return play.revision(session, name, asking, settings=made.settings, secret=secret)
