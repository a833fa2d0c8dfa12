"""Fills the dashboard's `Source`: each function opens the books for a read of its own.

Knows who asks and which query answers; renders nothing.
"""

from __future__ import annotations

from typing import Any

from flask import current_app

from dashboard.source import Source
from matchbox.answers.accounts import SessionLine, TokenLine, Viewer
from matchbox.answers.bots import Bot, BotLine, BotName
from matchbox.answers.comparisons import Comparable, Comparison, ComparisonLine
from matchbox.answers.games import Game
from matchbox.answers.leagues import League, LeagueLine, Season, SeasonLine
from matchbox.answers.lessons import Lesson
from matchbox.answers.matches import LogLine, Match, Matches, Queue, Steps
from matchbox.answers.notices import Notices, WaysOut
from matchbox.answers.platform import Admin, Audit
from matchbox.answers.standings import Board, RatingPoint
from matchbox.settings import libraries_of
from server import queries
from server.auth import account, context, viewer, visitor
from server.queries import comparisons, history, inbox
from server.queries.lessons import bot_lessons
from server.rows import bot_row
from server.services import notices


def make_source() -> Source:
    """The functions that the pages read from."""
    return Source(
        viewer=_viewer,
        libraries=lambda: list(libraries_of(context().settings)),
        uploads_closed=_uploads_closed,
        games=_games,
        leaderboard=_leaderboard,
        bot=_bot,
        lessons=_lessons,
        find_bot=_find_bot,
        matches=_matches,
        audit=_audit,
        match=_match,
        steps=_steps,
        match_log=_match_log,
        queue=_queue,
        seasons=_seasons,
        leagues=_leagues,
        league=_league,
        season=_season,
        season_standings=_season_standings,
        my_bots=_my_bots,
        tokens=_tokens,
        sessions=_sessions,
        admin=_admin,
        claim_open=_claim_open,
        comparison=_comparison,
        comparisons=_comparisons,
        comparable=_comparable,
        ratings=_ratings,
        inbox=_inbox,
        ways_out=_ways_out,
        link_open=_link_open,
        text_of=_text_of,
    )


def the_source() -> Source:
    """The source that the app's pages were made with."""
    source: Source = current_app.extensions["matchbox-source"]
    return source


def _viewer() -> Viewer | None:
    asking = visitor()
    if asking is None:
        return None
    with context().read() as books:
        unread = notices.unread(books, asking.id)
    return Viewer(name=asking.name, role=asking.role, unread=unread)


def _uploads_closed() -> str | None:
    asking = visitor()
    if asking is not None and asking.is_operator:
        return None
    with context().read() as books:
        wall = queries.wall(books)
    return None if wall["walled"] else f"Only operators may submit bots here now: {wall['why']}"


def _games() -> list[Game]:
    with context().read() as books:
        return queries.games(books)


def _leaderboard(game: str) -> Board:
    with context().read() as books:
        return queries.leaderboard(books, game)


def _bot(owner: str, name: str) -> Bot:
    with context().read() as books:
        return queries.bot(books, owner, name, viewer(books))


def _lessons(owner: str, name: str) -> list[Lesson]:
    with context().read() as books:
        asking = viewer(books)
        return bot_lessons(books, owner, name, asking) if asking else []


def _find_bot(name: str) -> BotName:
    with context().read() as books:
        return queries.find_bot(books, name)


def _matches(**which: Any) -> Matches:
    with context().read() as books:
        return queries.matches(books, **which)


def _audit(**which: Any) -> Audit:
    with context().read() as books:
        return queries.audit(books, viewer(books), **which)


def _match(name: str) -> Match:
    with context().read() as books:
        return queries.match(books, name, viewer(books))


def _steps(name: str, bout: int, seat: int | None) -> Steps:
    with context().read() as books:
        return queries.steps(books, name, bout, seat)


def _match_log(name: str) -> list[LogLine]:
    with context().read() as books:
        return queries.match_log(books, name, viewer(books))


def _queue() -> Queue:
    with context().read() as books:
        return queries.queue(books)


def _seasons() -> list[SeasonLine]:
    with context().read() as books:
        return queries.seasons(books, viewer(books))


def _leagues() -> list[LeagueLine]:
    with context().read() as books:
        return queries.leagues(books)


def _league(name: str) -> League:
    with context().read() as books:
        return queries.league(books, name, viewer(books))


def _season(number: int) -> Season:
    with context().read() as books:
        return queries.season(books, number, viewer(books))


def _season_standings(number: int) -> Board:
    with context().read() as books:
        return queries.season_standings(books, number, viewer(books))


def _my_bots() -> list[BotLine]:
    with context().read() as books:
        return queries.my_bots(books, account(books))


def _sessions() -> list[SessionLine]:
    made, asking = context(), visitor()
    with made.read() as books:
        current = asking.session if asking else None
        return queries.sessions(books, account(books), current, now=made.now())


def _tokens() -> list[TokenLine]:
    with context().read() as books:
        return queries.tokens(books, account(books))


def _admin() -> Admin:
    with context().read() as books:
        return queries.admin(books, viewer(books))


def _claim_open(secret: str) -> bool:
    with context().read() as books:
        return queries.claim_open(books, secret)


def _ratings(owner: str, name: str) -> list[RatingPoint]:
    with context().read() as books:
        return history.ratings(books, bot_row(books, owner, name))


def _inbox(**which: Any) -> Notices:
    with context().read() as books:
        return inbox.inbox(books, account(books), **which)


def _ways_out() -> WaysOut:
    made = context()
    with made.read() as books:
        return inbox.ways_out(books, account(books), made.settings)


def _link_open(secret: str) -> bool:
    made = context()
    with made.read() as books:
        return inbox.link_open(account(books), secret, made.settings, made.now())


def _text_of(owner: str, name: str, number: int) -> str | None:
    with context().read() as books:
        return queries.text_of(books, owner, name, number, viewer(books))


def _comparison(number: int) -> Comparison:
    with context().read() as books:
        return comparisons.comparison(books, number, viewer(books))


def _comparisons(owner: str, name: str) -> list[ComparisonLine]:
    with context().read() as books:
        return comparisons.comparisons(books, account(books), bot=f"{owner}/{name}", limit=10).items


def _comparable(owner: str, name: str) -> Comparable:
    made = context()
    with made.read() as books:
        return comparisons.comparable(
            books, owner, name, account(books), settings=made.settings, now=made.now()
        )
