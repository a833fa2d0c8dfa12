"""Standings: derived from the rows, shown with the present bots, computed again when they lag."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from matchbox.errors import NotFound
from matchbox.league.line import By
from matchbox.league.standings import METHOD
from matchbox.league.standings import standing_of as league_standing
from matchbox.match.wire import PlayMatch
from server import queries
from server.db.models import League, Rating, Standing, User, Version
from server.services import standings, uploads
from server.services.pair_counts import PairCountCache, Tallied
from server.services.tick import tick
from tests.books import SIMPLE, USUAL_VARIABLES, Books, limit_variables, play_out, played
from tests.plans import loads_of


@pytest.fixture
def scope(books: Books, alice: User, bob: User) -> str:
    """The scope of the default league, in which two bots have met."""
    league = books.league()
    books.bot(alice, "one", SIMPLE + b"# alice\n")
    books.bot(bob, "two")
    tick(books.context)
    for job in books.dispatch():
        books.record(played(job))
    return standings.scope_of(league)


def refresh(books: Books, scope: str) -> Standing:
    """Computes the standing now."""
    with books.write() as session:
        return standings.refresh(session, scope, now=books.clock())


def stale(books: Books) -> list[str]:
    """Returns the scopes that may be computed again now."""
    with books.read() as session:
        return standings.stale(session, now=books.clock())


def board(books: Books) -> list[str]:
    """Returns the bots on the leaderboard, best first."""
    with books.read() as session:
        return [line.bot for line in queries.leaderboard(session, "bomb").lines]


def test_it_names_the_rows_that_it_came_from(books: Books, scope: str) -> None:
    first = refresh(books, scope)
    again = refresh(books, scope)
    assert (again.rows_digest, again.lines) == (first.rows_digest, first.lines)
    assert len(first.rows_digest) == 64
    assert first.matches > 0


def test_who_has_not_played_stands_last_and_without_figures(
    books: Books, scope: str, alice: User
) -> None:
    books.bot(books.person("dora"), "new")
    refresh(books, scope)
    with books.read() as session:
        lines = queries.leaderboard(session, "bomb").lines
    assert (lines[-1].bot, lines[-1].elo, lines[-1].ci95) == ("dora/new", None, None)
    assert lines[-1].provisional
    assert lines[0].elo is not None


def test_a_retired_bot_is_hidden_and_its_games_still_count(
    books: Books, scope: str, alice: User, bob: User
) -> None:
    matches = refresh(books, scope).matches
    with books.write() as session:
        bot = books.the_bot(books.version(1))
        uploads.retire(session, alice, bot.full_name, now=books.clock())
    standing = refresh(books, scope)
    assert standing.matches == matches
    assert board(books) == ["bob/two"]
    assert standing.lines[0]["rank"] == 1
    assert [*standing.lines[0]["rank_range"]] == [1, 1]
    assert standing.lines[0]["matches"] > 0


def test_a_new_version_takes_the_line_of_the_old_one_and_starts_anew(
    books: Books, scope: str, alice: User
) -> None:
    refresh(books, scope)
    books.bot(alice, "one", SIMPLE + b"# better\n")
    refresh(books, scope)
    with books.read() as session:
        lines = {line.bot: line for line in queries.leaderboard(session, "bomb").lines}
    assert lines.keys() == {"alice/one", "bob/two"}
    assert (lines["alice/one"].version, lines["alice/one"].matches) == (2, 0)


def test_the_batch_fit_takes_the_place_of_the_live_ratings(books: Books, scope: str) -> None:
    with books.read() as session:
        before = session.get_one(Rating, (1, 1))
    refresh(books, scope)
    with books.read() as session:
        after = session.get_one(Rating, (1, 1))
    assert (after.mu, after.sigma) != (before.mu, before.sigma)
    assert after.matches == before.matches


def test_it_is_computed_again_once_it_lags_and_not_too_often(books: Books, scope: str) -> None:
    refresh(books, scope)
    assert stale(books) == []
    tick(books.context)
    for job in books.postman.take():
        assert isinstance(job, PlayMatch)
        books.record(played(job))
    assert stale(books) == [], "not so soon"
    books.clock.pass_by(seconds=10)
    assert stale(books) == [scope]
    tick(books.context)
    assert stale(books) == []


def test_to_see_whether_it_lags_no_version_is_read_but_its_name(books: Books, scope: str) -> None:
    refresh(books, scope)
    books.clock.pass_by(minutes=1)
    with books.read() as session, loads_of(Version) as loaded:
        assert not standings.is_stale(session, scope, now=books.clock())
    assert loaded == []


def test_it_is_computed_again_after_a_clock_was_ahead(
    books: Books, scope: str, alice: User
) -> None:
    books.clock.pass_by(minutes=60 * 24)
    tick(books.context)
    books.clock.pass_by(minutes=-60 * 24)
    with books.write() as session:
        uploads.retire(session, alice, "alice/one", now=books.clock())
    tick(books.context)
    assert board(books) == ["bob/two"]


def test_a_change_of_the_field_makes_it_lag_too(books: Books, scope: str) -> None:
    refresh(books, scope)
    books.clock.pass_by(seconds=10)
    assert stale(books) == []
    books.bot(books.person("dora"), "new")
    assert stale(books) == [scope]


def test_what_was_marked_again_meanwhile_is_not_stored(
    books: Books, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh(books, scope)
    books.clock.pass_by(seconds=10)

    def mark() -> None:
        with books.write() as session:
            (league,) = session.scalars(select(League).where(League.continuous.is_(True)))
            standings.mark(session, league)

    def compute(session: Session, *given: Any) -> standings.ComputedStanding:
        found = computed(session, *given)
        if not later:
            later.append(found)
            mark()
        return found

    computed, later = standings.compute, list[standings.ComputedStanding]()
    monkeypatch.setattr(standings, "compute", compute)
    mark()
    tick(books.context)
    assert later
    assert stale(books) == [scope]
    tick(books.context)
    assert stale(books) == []


def test_there_is_no_standing_of_what_is_not_there(books: Books) -> None:
    for scope in ("league:99", "season:99", "season:x"):
        with pytest.raises(NotFound):
            refresh(books, scope)


def test_the_leaderboard_follows_from_many_matches(books: Books, alice: User, bob: User) -> None:
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    play_out(books)
    with books.read() as session:
        found = queries.leaderboard(session, "bomb")
    assert [line.rank for line in found.lines] in ([1, 2], [1, 1])
    assert found.matches == books.settings.league_matches
    assert sum(line.wins - line.losses for line in found.lines) == 0


def test_a_recomputed_standing_says_what_differs(books: Books, scope: str) -> None:
    before = refresh(books, scope)
    with books.write() as session:
        row = session.get_one(Standing, scope)
        row.facts = {**row.facts, "method": 4}
        row.lines = [{**line, "rank": 3 - line["rank"]} for line in row.lines]
    with books.read() as session:
        row = session.get_one(Standing, scope)
        found = standings.differences(row, standings.compute(session, scope))
    assert found["method"] == [4, METHOD]
    assert "by" not in found
    assert found["ranks"] == {
        str(line["version_id"]): [3 - line["rank"], line["rank"]] for line in before.lines
    }


class OfLongAgo(PairCountCache):
    """Counts with more versions than a query of SQLite's usual build may name."""

    def of(self, *args: Any, **named: Any) -> Tallied:
        """Returns the counts with versions of long ago."""
        found = super().of(*args, **named)
        more = {f"long/ago:{number}": number for number in range(1_000, 1_001 + USUAL_VARIABLES)}
        return found._replace(versions={**more, **found.versions})


def test_a_standing_of_any_number_of_versions_is_computed(
    books: Books, scope: str, alice: User
) -> None:
    books.bot(alice, "one", SIMPLE + b"# better\n")
    with books.read() as session:
        expected = standings.compute(session, scope)
        limit_variables(session)
        found = standings.compute(session, scope, OfLongAgo())
    assert len(expected.facts["settings"]["parents"]) == 1
    assert found.facts["settings"] == expected.facts["settings"]
    assert found.rows_digest == expected.rows_digest


def test_a_league_hands_on_what_ranked_last(
    books: Books, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str | None] = []

    def standing_of(*args: Any, before: By | None, **more: Any) -> Any:
        told.append(before)
        return league_standing(*args, before=before, **more)

    monkeypatch.setattr(standings, "standing_of", standing_of)
    for _ in range(2):
        refresh(books, scope)
        with books.write() as session:
            row = session.get_one(Standing, scope)
            row.facts = {**row.facts, "by": "borda"}
    assert told == ["elo", "borda"]
