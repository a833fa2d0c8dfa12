"""The stored counts of finished matches, which save pages from counting or reading the matches."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from statistics import mean
from typing import Any

import pytest
from alembic import command
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import event, func, select, update

from matchbox.answers.matches import MatchLine
from server import queries
from server.db.migrations import configuration
from server.db.models import Match, MatchSeat, MatchState, Result, User
from server.queries import match_filters
from server.queries.bot_faults import bot_faults
from server.queries.match_filters import RESULTS
from server.services import leagues, retention, voids
from tests.books import GAME, Books, play_out, season_of
from tests.plans import explained


@pytest.fixture
def played(books: Books, alice: User, bob: User, charlie: User) -> list[str]:
    """The ids of the matches of two finished seasons, in two leagues of the same game."""
    books.league(paused=True)
    versions = [books.bot(alice, "one"), books.bot(bob, "two")]
    with books.write() as session:
        asked: dict[str, Any] = {"name": "other", "game": GAME, "settings": books.settings}
        leagues.create(session, charlie, **asked, now=books.clock())
    for league in (GAME, "other"):
        named = {
            "name": f"season of {league}",
            "seed": f"a seed for the tests of {league}",
        }
        season_of(books, charlie, versions, **named, league=league, cycles=2)
        play_out(books)
    with books.read() as session:
        done = select(Match.id).where(Match.state == MatchState.FINISHED)
        return list(session.scalars(done.order_by(Match.number)))


def counted(books: Books) -> int:
    """Returns the number of finished matches that the games page shows for the game."""
    with books.read() as session:
        return next(one.matches for one in queries.games(session) if one.name == GAME)


def test_a_league_counts_its_finished_matches(
    books: Books, charlie: User, played: list[str]
) -> None:
    assert len(played) > 4
    assert counted(books) == len(played)
    with books.write() as session:
        operator = session.get_one(User, charlie.id)
        voids.void(
            session, operator, played[0], "the disk was full", again=False, now=books.clock()
        )
    assert counted(books) == len(played) - 1


def test_a_match_keeps_its_mean_score(books: Books, played: list[str]) -> None:
    with books.read() as session:
        for name in played:
            bouts = session.get_one(Result, name).bouts
            assert session.get_one(Match, name).score == mean(bout[3][0] for bout in bouts)


def test_the_migration_fills_in_the_counts_and_the_scores(books: Books, played: list[str]) -> None:
    config = configuration()
    with books.read() as session:
        scores = {name: session.get_one(Match, name).score for name in played}
    with books.context.database.connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0022")
        command.upgrade(config, "head")
    assert counted(books) == len(played)
    with books.read() as session:
        assert {name: session.get_one(Match, name).score for name in played} == scores


def test_a_list_of_matches_reads_no_result(books: Books, played: list[str]) -> None:
    asked: list[str] = []
    with books.read() as session:

        @event.listens_for(session.get_bind(), "before_cursor_execute")
        def note(*told: object) -> None:
            asked.append(str(told[2]))

        found = queries.matches(session, game=GAME, state="finished", limit=200)
    assert {one.id for one in found.items} == set(played)
    assert asked
    assert not [text for text in asked if "result" in text]
    assert all(one.points is not None for match in found.items for one in match.entrants)


def test_a_game_of_several_leagues_is_listed_newest_first_and_page_by_page(
    books: Books, played: list[str]
) -> None:
    with books.read() as session:
        whole = [one.id for one in queries.matches(session, limit=200).items]
        pages: list[str] = []
        cursor: str | None = None
        while not pages or cursor:
            page = queries.matches(session, game=GAME, limit=3, cursor=cursor)
            pages += [one.id for one in page.items]
            cursor = page.next
        assert pages == whole
        assert queries.matches(session, game="war").items == []
        assert queries.matches(session, game="no such game").items == []


def test_the_migration_puts_the_order_of_the_matches_beside_their_seats(
    books: Books, played: list[str]
) -> None:
    migration = import_module("server.db.migrations.versions.0025_seat_order")
    with books.context.database.connect() as connection:
        connection.execute(update(MatchSeat).values(created_at=0, number=-1))
        with Operations.context(MigrationContext.configure(connection)):
            migration._fill_in()
    with books.read() as session:
        same = (MatchSeat.created_at == Match.created_at) & (MatchSeat.number == Match.number)
        seats = select(func.count()).select_from(MatchSeat)
        count = session.scalar(seats.join(Match).where(same))
        assert count == session.scalar(seats) == 2 * len(session.scalars(select(Match.id)).all())


@pytest.mark.parametrize("parts", [0, 20])
@pytest.mark.parametrize(
    "asked",
    [
        {"bot": "alice/one"},
        {"bot": "alice/one", "opponent": "bob/two", "game": GAME},
        {"bot": "alice/one", "version": 1, "rated": True},
        {"fault": True},
        {"fault": True, "game": GAME, "bot": "bob/two"},
    ],
)
def test_lists_by_seats_are_newest_first_and_whole_page_by_page(
    books: Books,
    played: list[str],
    asked: dict[str, Any],
    parts: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_filters, "MAX_PARTS", parts)
    with books.write() as session:  # both seats of every match have a forfeit
        session.execute(update(MatchSeat).values(forfeits=1))
    with books.read() as session:
        whole = [one.id for one in queries.matches(session, limit=200).items]
        pages: list[str] = []
        cursor: str | None = None
        while not pages or cursor:
            page = queries.matches(session, limit=3, cursor=cursor, **asked)
            pages += [one.id for one in page.items]
            cursor = page.next
        assert pages == whole
        nobody = queries.matches(session, **{**asked, "bot": "alice/nobody"})
        assert nobody.items == []


def test_the_newest_of_a_bot_are_found_without_reading_its_history(
    books: Books, played: list[str]
) -> None:
    with books.read() as session, explained(session, only="DISTINCT match_seat") as plans:
        queries.matches(session, bot="alice/one")
        queries.matches(session, fault=True)
        queries.matches(session, fault=True, game=GAME)
    assert len(plans) == 3
    for plan in plans:
        assert "TEMP B-TREE" not in plan, plan


def test_the_matches_of_two_bots_are_found_by_the_one_that_has_fewer(
    books: Books, played: list[str]
) -> None:
    rare = books.bot(books.person("dora"), "rare")
    with books.write() as session:
        seats = select(MatchSeat).join(MatchSeat.version).where(MatchSeat.match_id == played[0])
        _, two = session.scalars(seats.order_by(MatchSeat.version_id)).all()
        two.version_id = rare.id
        session.execute(update(MatchSeat).where(MatchSeat.match_id == played[0]).values(forfeits=1))
    asked: list[tuple[str, Any]] = []
    with books.read() as session:

        @event.listens_for(session.get_bind(), "before_cursor_execute")
        def note(*told: Any) -> None:
            asked.append((told[2], told[3]))

        for bot, opponent in (("alice/one", "dora/rare"), ("dora/rare", "alice/one")):

            def found(bot: str = bot, opponent: str = opponent, **more: Any) -> list[MatchLine]:
                return queries.matches(session, bot=bot, opponent=opponent, **more).items

            for more in ({}, {"fault": True}, {"version": 1}, {"rated": True, "game": GAME}):
                assert [one.id for one in found(**more)] == [played[0]], more
            (own,) = [one for one in found()[0].entrants if one.bot == bot]
            assert own.points is not None
            for name, holds in RESULTS.items():
                assert len(found(result=name)) == holds(own.points, 0.5)
            assert found(version=2) == []
    newest = [(text, given) for text, given in asked if "DISTINCT match_seat" in text]
    assert newest
    for text, given in newest:
        seat = text.index("match_seat.version_id = ?")
        assert given[text[:seat].count("?")] == rare.id, text


def test_no_page_of_a_match_or_a_bot_reads_all_matches(books: Books, played: list[str]) -> None:
    with books.read() as session, explained(session) as plans:
        assert queries.match(session, None, played[0]).id == played[0]
        assert queries.match(session, None, played[0][:12]).id == played[0]
        bot_faults(session, None, "alice", "one")
    assert len(plans) >= 3
    for plan in plans:
        assert "SCAN match" not in plan, plan
        assert "INDEX ix_match_state" not in plan, plan
    assert any("number_seat_match_id" in plan for plan in plans), "the index of seats with faults"


def test_seasons_that_are_over_are_left_out_if_nobody_asks_for_them(
    books: Books, played: list[str]
) -> None:
    with books.read() as session:
        assert len(queries.seasons(session).items) == 2
        assert queries.seasons(session, over=False).items == []


@pytest.mark.parametrize("name, index", [("output", "logs_days"), ("records", "record_days")])
def test_the_oldest_output_and_records_are_found_by_an_index_of_those_that_are_left(
    books: Books, played: list[str], name: str, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    books.clock.pass_by(minutes=1000 * 24 * 60)
    (kind,) = [one for one in retention.KINDS if one.name == name]
    settings = replace(books.settings, keep_record_days=1)
    knobs: dict[str, Any] = {"settings": settings, "now": books.clock()}
    with books.write() as session, explained(session, only="SELECT result") as plans:
        session.execute(update(Match).values(season_id=None))
        first = retention.find(session, kind, **knobs)
        assert retention.remove(session, kind, **knobs) == len(first) == 2
        assert not {*first} & {*retention.find(session, kind, **knobs)}
    assert len(plans) == 3
    for plan in plans:
        assert plan.startswith(f"SEARCH result USING INDEX ix_result_{index}_finished_at"), plan
        assert "TEMP B-TREE" not in plan, plan
