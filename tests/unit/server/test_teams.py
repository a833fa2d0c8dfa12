"""A cooperative game's league: every bot fills a table alone, and all play the same deals."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import NoReturn

import pytest
from sqlalchemy import select

from matchbox import registry
from matchbox.errors import UnknownGame
from matchbox.match import record as records
from matchbox.match.replay import replay
from server import queries
from server.db.models import Match, Rating, User
from server.services import standings
from server.services.leagues import TEAM
from tests.books import Books, open_books, really_played

GAME = "thegame"


@pytest.fixture
def few(books: Books) -> Books:
    """The same database, with a queue that rests after three matches a bot."""
    few = open_books(books.context.database.url, league_matches=3, ranked_backlog=1)
    few.league(game=GAME)
    return few


def enter(books: Books, owner: User, bot: str, checkout: Path) -> None:
    """Uploads a shipped bot's file for the owner."""
    data = (checkout / "bots" / GAME / f"{bot}.py").read_bytes()
    books.bot(owner, bot, data, game=GAME)


def play_on(books: Books) -> None:
    """Plays until every bot has played enough."""
    books.refill()
    while jobs := books.dispatch():
        assert all(books.record(really_played(books, job)) for job in jobs)
        books.refill()


def rounds(books: Books) -> list[set[str]]:
    """Returns the sets of bots that have played the same deals, by the deals' first match."""
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    with books.read() as session:
        for match in session.scalars(select(Match).order_by(Match.number)):
            (name,) = {seat.version.bot.name for seat in match.seats}
            assert len(match.seats) == TEAM
            found[tuple(match.deals)].add(name)
    deals = [deal for seeds in found for deal in seeds]
    assert len(set(deals)) == len(deals), "no deal is played in two rounds"
    return list(found.values())


def test_every_bot_fills_a_table_and_all_of_a_round_play_the_same_deals(
    few: Books, alice: User, bob: User, checkout: Path
) -> None:
    enter(few, alice, "legal", checkout)
    enter(few, alice, "trick", checkout)
    enter(few, bob, "random", checkout)
    assert few.refill() == 3, "one round, whatever the backlog"
    assert few.refill() == 0
    play_on(few)
    assert rounds(few) == [{"legal", "trick", "random"}] * 3


def test_one_bot_alone_plays_and_a_newcomer_catches_up(
    few: Books, alice: User, bob: User, checkout: Path
) -> None:
    enter(few, alice, "legal", checkout)
    play_on(few)
    enter(few, bob, "random", checkout)
    play_on(few)
    assert rounds(few) == [{"legal"}] * 3 + [{"random"}] * 3


def test_a_match_of_one_team_has_one_rotation_and_is_proved_by_its_record(
    few: Books, alice: User, checkout: Path
) -> None:
    enter(few, alice, "legal", checkout)
    few.refill()
    (job,) = few.dispatch()
    message = really_played(few, job)
    record = records.unpack(message.record)
    assert [(bout.deal, bout.rotation) for bout in record.bouts] == [(0, 0), (1, 0)]
    replay(registry.game(GAME), record)
    assert few.record(message)


def test_the_board_has_scores_and_no_elo(
    few: Books, alice: User, bob: User, checkout: Path
) -> None:
    for owner, bot in ((alice, "legal"), (bob, "random")):
        enter(few, owner, bot, checkout)
    play_on(few)
    with few.write() as session:
        for scope in standings.stale(session, now=few.clock()):
            standings.refresh(session, scope, now=few.clock())
    with few.read() as session:
        board = queries.leaderboard(session, GAME)
        ratings = session.scalars(select(Rating)).all()
        page = queries.matches(session, game=GAME)
        pages = [queries.match(session, None, item.id) for item in page.items]
    assert board.cooperative
    assert [line.bot for line in board.lines] == ["alice/legal", "bob/random"]
    first, second = board.lines
    assert first.score is not None
    assert second.score is not None
    assert first.score > 40 > 20 > second.score
    assert (first.elo, first.matches, first.forfeits) == (None, 3, 0)
    assert [row.matches for row in ratings] == [3, 3]
    assert {row.mu for row in ratings} == {25.0}, "nobody is rated against anybody"
    assert {entrant.points for told in pages for entrant in told.entrants} == {None}
    for told in pages:
        bouts = told.bouts or []
        assert told.score == mean(bout.scores[0] for bout in bouts)
        assert told.embargo is None
        assert len(bouts) == 2
        assert {tuple(bout.places) for bout in bouts} == {(1, 1, 1)}


def test_a_board_stays_one_of_teams_when_its_game_is_not_installed_any_more(
    few: Books, alice: User, bob: User, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(few, alice, "legal", checkout)
    enter(few, bob, "random", checkout)
    play_on(few)
    scope = standings.scope_of(few.league(game=GAME))
    with few.write() as session:
        before = standings.refresh(session, scope, now=few.clock())

    def fail(name: str) -> NoReturn:
        raise UnknownGame(f"there is no game {name}")

    monkeypatch.setattr(registry, "game", fail)
    with few.read() as session:
        assert standings.compute(session, scope).rows_digest == before.rows_digest
