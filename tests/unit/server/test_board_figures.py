"""The pages of a board read counts that the standing stored, never the history."""

from __future__ import annotations

from importlib import import_module

import pytest
from sqlalchemy import event, text, update

from matchbox.errors import BadOption
from matchbox.match.wire import PlayMatch
from server import queries
from server.db.models import Match, MatchState, RatingPoint, Result, Standing, User, Version
from server.queries import play
from server.queries.match_filters import RESULTS
from server.services import board_counts, standings
from server.services.lookup import find_bot
from server.services.tick import tick
from tests.books import Books, played
from tests.plans import explained, loads_of, without


@pytest.fixture
def authors(books: Books) -> list[User]:
    """Three rivals, whose bots in the league of bomb have met."""
    books.league()
    found = [books.person(name) for name in ("alice", "bob", "dora")]
    for author in found:
        books.bot(author, "bot")
    for _ in range(3):
        tick(books.context)
        for job in books.sent(PlayMatch):
            books.record(played(job))
        books.clock.pass_by(minutes=1)
    with books.write() as session:
        standings.refresh(session, "league:1", now=books.clock())
    return found


def test_pairs_seats_and_lengths_agree_with_the_results(books: Books, authors: list[User]) -> None:
    with books.read() as session:
        found = queries.board_figures(session, "bomb")
        board = queries.leaderboard(session, "bomb")
        results = session.query(Result).all()
    bouts = sum(len(one.bouts) for one in results)
    assert found.field == 3
    assert found.bots == [line.bot for line in board.lines]
    assert sum(one.bouts for one in found.pairs) == bouts
    assert [(one.players, one.seat, one.bouts) for one in found.seats] == [
        (2, 0, bouts), (2, 1, bouts),
    ]  # fmt: skip
    assert sum(one.share for one in found.seats) == pytest.approx(1)
    assert sum(one.bouts for one in found.lengths) == bouts
    assert sum(one.moves * one.bouts for one in found.lengths) == sum(
        moves for one in results for moves in one.moves
    )
    for one in found.pairs:
        assert one.ci95[0] <= one.share <= one.ci95[1]


def test_only_pairs_among_the_first_are_told(books: Books, authors: list[User]) -> None:
    with books.read() as session:
        two = queries.board_figures(session, "bomb", 2)
        none = queries.board_figures(session, "bomb", 0)
        others = queries.board_figures(session, "bomb", 2, 1)
        whole = queries.board_figures(session, "bomb")
    (pair,) = two.pairs
    assert {pair.first, pair.second} == set(two.bots)
    assert (two.bots, others.bots) == (whole.bots[:2], whole.bots[1:3])
    (pair,) = others.pairs
    assert {pair.first, pair.second} == set(others.bots)
    assert (none.bots, none.pairs, len(none.seats)) == ([], [], 2)


def test_no_result_is_read_for_a_figure(books: Books, authors: list[User]) -> None:
    asked: list[str] = []
    with books.read() as session:
        event.listen(
            session.get_bind(), "before_cursor_execute", lambda *given: asked.append(given[2])
        )
        queries.board_figures(session, "bomb")
        queries.rating_trails(session, "bomb", [1, 2, 3])
    assert asked
    assert not [one for one in asked if "FROM result" in one or "JOIN result" in one]


def test_a_bot_is_told_of_its_opponents_the_hardest_first(
    books: Books, authors: list[User]
) -> None:
    with books.read() as session, loads_of(Version) as versions:
        found = queries.opponents(session, "alice", "bot", 9)
        assert without(versions, "report")
        others = {name: queries.opponents(session, name, "bot", 9) for name in ("bob", "dora")}
    assert (found.version, found.met) == (1, 2)
    assert {one.bot for one in found.items} == {"bob/bot", "dora/bot"}
    shares = [one.share for one in found.items]
    assert shares == sorted(shares)
    for one in found.items:
        back = next(x for x in others[one.bot[:-4]].items if x.bot == "alice/bot")
        assert one.share == pytest.approx(1 - back.share)
        assert one.bouts == back.bouts
        assert one.lately
        assert all(share == pytest.approx(1 - far) for share, far in zip(
            one.lately, back.lately, strict=True))  # fmt: skip


def test_only_matches_that_count_on_the_board_show_what_a_bot_did_lately(
    books: Books, authors: list[User]
) -> None:
    with books.write() as session:
        session.execute(update(Match).values(rules="0"))
    with books.read() as session:
        found = queries.opponents(session, "alice", "bot", 9)
    assert [one.lately for one in found.items] == [[], []]


def test_what_a_bot_did_lately_is_read_by_its_newest_matches(
    books: Books, authors: list[User]
) -> None:
    with books.read() as session, explained(session, only="points") as plans:
        queries.opponents(session, "alice", "bot", 9)
    (plan,) = plans
    assert "COVERING INDEX ix_match_seat_version_id_created_at_number_match_id" in plan
    assert "SCAN match" not in plan


def test_sqlite_reads_the_short_columns_of_a_standing_without_its_lines(books: Books) -> None:
    with books.read() as session:
        order = session.execute(text("SELECT name FROM pragma_table_info('standing')"))
        assert [name for (name,) in order][-2:] == ["facts", "lines"]


def test_a_bot_without_a_match_has_no_opponents(books: Books, authors: list[User]) -> None:
    books.bot(authors[0], "fresh")
    with books.read() as session:
        found = queries.opponents(session, "alice", "fresh", 9)
    assert (found.version, found.items, found.met) == (1, [], 0)


def test_of_many_opponents_those_are_told_that_were_met_most(
    books: Books, authors: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    bouts = {2: 9, 3: 5, 4: 20, 5: 7}
    pairs = [board_counts.Pair(1, other, bouts[other], other, 4, 0.1) for other in bouts]
    counted = board_counts.Counted(board_counts.Packed(pairs))
    monkeypatch.setattr(board_counts, "read", lambda session, scope: counted)
    books.bot(authors[1], "second")
    books.bot(authors[1], "third")
    with books.read() as session:
        found = queries.opponents(session, "alice", "bot", 3)
        whole = queries.opponents(session, "alice", "bot", 9)
        pages = [queries.opponents(session, "alice", "bot", 3, page).items for page in (1, 2, 3)]
    monkeypatch.setattr(import_module("server.queries.board_figures"), "QUERY_CHUNK", 3)
    told, each = queries.all_opponents(books.read, "alice", "bot")
    assert (told.version, told.items, told.met) == (1, [], 4)
    assert [*each] == [one for page in pages for one in page] == whole.items
    assert found.met == whole.met == len(whole.items) == 4
    assert sorted(one.bouts for one in found.items) == [7, 9, 20]
    assert found.items == [one for one in whole.items if one.bouts != 5]


def test_the_best_of_the_board_are_offered_to_play_against(
    books: Books, authors: list[User]
) -> None:
    with books.read() as session:
        board = [line.bot for line in queries.leaderboard(session, "bomb").lines]
        with explained(session) as plans:
            best = play.opponents(session, "bomb", 2)
    assert [one.bot for one in best] == board[:2]
    assert [one.rank for one in best] == [1, 2]
    assert plans
    for plan in plans:
        assert "SCAN" not in plan, plan
        assert "ix_version_state" not in plan, plan
        assert "ix_bot_game" not in plan, plan
    gone, *stay = board
    with books.write() as session:
        find_bot(session, gone).retired_at = books.clock()
    with books.read() as session:
        left = play.opponents(session, "bomb", 2)
    assert [(one.bot, one.rank) for one in left] == [(stay[0], 2), (stay[1], 3)]


def test_a_match_is_found_by_its_result_for_either_side(books: Books, authors: list[User]) -> None:
    with books.read() as session:
        whole = queries.matches(session, bot="alice/bot", state="finished", limit=200).items
        for result in RESULTS:
            found = queries.matches(session, bot="alice/bot", result=result, limit=200).items
            for match in found:
                (own,) = [one for one in match.entrants if one.bot == "alice/bot"]
                assert own.points is not None
                assert {"won": own.points > 0.5, "drew": own.points == 0.5,
                        "lost": own.points < 0.5}[result]  # fmt: skip
            whole = [one for one in whole if one.id not in {match.id for match in found}]
        against = queries.matches(session, bot="alice/bot", opponent="bob/bot", limit=200).items
        of_version = queries.matches(session, bot="alice/bot", version=2, limit=200).items
    assert whole == [], "every finished match has one of the three results"
    assert against
    assert all({one.bot for one in match.entrants} == {"alice/bot", "bob/bot"}
               for match in against)  # fmt: skip
    assert of_version == []


def test_a_match_with_a_forfeit_is_found_by_its_bot(books: Books, authors: list[User]) -> None:
    with books.read() as session:
        whole = queries.matches(session, state="finished", limit=200).items
        for name in (None, "alice/bot"):
            found = queries.matches(session, bot=name, fault=True, limit=200).items
            at_fault = [
                match
                for match in whole
                if any(one.forfeits and name in (None, one.bot) for one in match.entrants)
            ]
            assert found == at_fault
    assert any(one.forfeits for match in whole for one in match.entrants)


def test_a_filter_by_result_says_nothing_of_a_match_under_embargo(
    books: Books, authors: list[User]
) -> None:
    with books.read() as session:
        (first, *_) = queries.matches(session, bot="alice/bot", result="lost").items or (
            queries.matches(session, bot="alice/bot", result="won").items
        )
        result = "lost" if first.entrants[0].points is None else None
        assert result is None
        deals = session.get_one(Match, first.id).deals
    with books.write() as session:
        other = session.query(Match).filter(Match.id != first.id).first()
        assert other is not None
        other.deals = deals
        session.execute(update(Match).where(Match.id == other.id).values(state=MatchState.RUNNING))
    with books.read() as session:
        for asked in RESULTS:
            found = queries.matches(session, bot="alice/bot", result=asked, limit=200).items
            assert first.id not in [one.id for one in found]


@pytest.mark.parametrize("wrong", [{"result": "almost", "bot": "a/b"}, {"result": "won"},
                                   {"version": 1}])  # fmt: skip
def test_a_filter_that_means_nothing_is_refused(books: Books, wrong: dict[str, object]) -> None:
    with books.read() as session, pytest.raises(BadOption):
        queries.matches(session, **wrong)  # type: ignore[arg-type]


def test_an_author_is_shown_with_all_bots(books: Books, authors: list[User]) -> None:
    books.bot(authors[0], "second", game="bomb")
    with books.read() as session:
        found = queries.author(session, "alice")
    assert [one.name for one in found.bots] == ["second", "bot"]
    assert found.bots[1].standing is not None
    assert found.bots[1].standing.bot == "alice/bot"


def test_a_match_keeps_what_its_entrants_took(books: Books, authors: list[User]) -> None:
    with books.read() as session:
        for match in queries.matches(session, state="finished", limit=200).items:
            seats = session.get_one(Match, match.id).seats
            assert [one.points for one in seats] == [one.points for one in match.entrants]
            assert [one.forfeits for one in seats] == [one.forfeits for one in match.entrants]


def test_the_migration_fills_in_what_the_entrants_took(books: Books, authors: list[User]) -> None:
    migration = import_module("server.db.migrations.versions.0018_board_counts")
    with books.read() as session:
        results = session.query(Result).all()
        assert results
        for result in results:
            seats = session.get_one(Match, result.match_id).seats
            assert migration._taken(result.bouts) == [(one.points, one.forfeits) for one in seats]


def test_all_pairs_of_a_board_are_made_one_by_one(books: Books, authors: list[User]) -> None:
    with books.read() as session:
        found = queries.board_pairs(session, "bomb")
        whole = queries.board_figures(session, "bomb").pairs
    assert list(found) == whole  # also when the session is over


def test_small_lines_are_read_once_for_each_computed_standing(
    books: Books, authors: list[User]
) -> None:
    asked: list[str] = []

    def trail() -> list[float]:
        with books.read() as session:
            return queries.rating_trails(session, "bomb", [1]).get(1, [])

    with books.read() as session:
        engine = session.get_bind()
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    before = trail()
    assert trail() == before
    assert len([one for one in asked if "rating_point" in one]) == 1
    with books.write() as session:
        known = session.query(RatingPoint).filter_by(version_id=1).all()
        assert before == [one.value for one in known]
        session.add(
            RatingPoint(
                league_id=known[0].league_id, version_id=1, rules=known[0].rules, at=books.clock(),
                matches=99, value=1234.0, low=1200.0, high=1300.0,
            )
        )  # fmt: skip
        session.get_one(Standing, "league:1").computed_at += 1
    assert trail() == [*before, 1234.0]
