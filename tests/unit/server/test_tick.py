"""A tick goes on after any error, and writes nothing that was computed from what has changed."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from server.db.models import Match, Season, SeasonState, Standing, User, Version
from server.services import (
    announcements,
    comparisons,
    dispatch,
    editions,
    operations,
    rounds,
    signs,
    standings,
    voids,
)
from server.services.standings import scope_of
from server.services.tick import tick
from tests.books import Books, played, season_of

SWISS = {"kind": "swiss"}


def field(books: Books, count: int) -> list[Version]:
    """Returns `count` bots, each of an owner of its own."""
    books.league(paused=True)
    return [books.bot(books.person(f"p{number:02d}"), "bot") for number in range(count)]


def play_sent(books: Books) -> None:
    """Books results for the matches that are sent now."""
    for job in books.dispatch():
        books.record(played(job))


def disqualify(books: Books, operator: User, season: Season) -> None:
    """Disqualifies the first bot of the season."""
    with books.write() as session:
        operations.disqualify(
            session, operator, season.id, "p00/bot", "it is a copy", now=books.clock()
        )


def once_after(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, event: Callable[[], None]
) -> None:
    """Lets `event` happen right after the first call of this function."""
    real = getattr(module, name)
    happened: list[bool] = []

    def call(*words: Any, **more: Any) -> Any:
        answer = real(*words, **more)
        if not happened:
            happened.append(True)
            event()
        return answer

    monkeypatch.setattr(module, name, call)


def test_a_bot_disqualified_while_a_round_is_paired_does_not_play_in_it(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = field(books, 5)
    season = season_of(books, charlie, versions, format=SWISS)
    play_sent(books)
    once_after(monkeypatch, rounds, "next_of", lambda: disqualify(books, charlie, season))
    tick(books.context)
    assert books.season(season).round == 1
    tick(books.context)
    assert books.season(season).round == 2
    with books.read() as session:
        later = session.scalars(select(Match).where(Match.season_id == season.id, Match.round > 0))
        sat = {seat.version_id for match in later for seat in match.seats}
    assert sat == {version.id for version in versions[1:]}


def test_a_season_does_not_finish_with_a_standing_from_before_a_disqualification(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = field(books, 3)
    season = season_of(books, charlie, versions)
    play_sent(books)
    once_after(monkeypatch, standings, "compute", lambda: disqualify(books, charlie, season))
    tick(books.context, with_standings=False)
    assert books.season(season).state == SeasonState.RUNNING
    tick(books.context, with_standings=False)
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        lines = session.get_one(Standing, scope_of(season)).lines
    assert {line["version_id"] for line in lines} == {version.id for version in versions[1:]}


def test_a_season_does_not_finish_with_a_standing_from_before_a_match_was_void(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 3))
    play_sent(books)

    def make_one_void() -> None:
        with books.write() as session:
            first = session.scalars(select(Match).where(Match.season_id == season.id)).first()
            assert first is not None
            voids.void_all(session, [first], "no disk", again=False, now=books.clock())

    once_after(monkeypatch, standings, "compute", make_one_void)
    for _ in range(2):
        tick(books.context, with_standings=False)
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        assert session.get_one(Standing, scope_of(season)).matches == 5


def test_an_unforeseen_error_in_one_step_does_not_stop_the_others(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise LookupError("nobody has foreseen this")

    monkeypatch.setattr(dispatch, "dispatch", fail)
    with capture_logs() as logs:
        tick(books.context)
    with books.read() as session:
        assert not signs.is_due(session, signs.TICK, now=books.clock())
    (line,) = (one for one in logs if one["event"] == "tick.failed")
    assert (line["step"], line["exc_info"], line["log_level"]) == ("_dispatch", True, "error")


@pytest.mark.parametrize(
    ("module", "act"),
    [(comparisons, "advance"), (announcements, "announce"), (editions, "start")],
)
def test_a_row_that_fails_does_not_stop_those_after_it(
    module: ModuleType, act: str, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def fail_at_first(_: Any, number: int, **__: Any) -> None:
        tried.append(number)
        if number == 1:
            raise LookupError("there is something about this row")

    monkeypatch.setattr(module, "due", lambda *_, **__: [1, 2])
    monkeypatch.setattr(module, act, fail_at_first)
    tick(books.context)
    assert tried == [1, 2]


def test_a_standing_that_fails_does_not_stop_the_others(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 2))
    real = standings.compute

    def fail_for_leagues(session: Any, scope: str, *more: Any) -> Any:
        if scope.startswith("league"):
            raise LookupError("there is something about this league")
        return real(session, scope, *more)

    monkeypatch.setattr(standings, "compute", fail_for_leagues)
    tick(books.context)
    with books.read() as session:
        assert session.get(Standing, scope_of(season)) is not None


def test_a_standing_from_before_a_match_was_void_is_not_stored(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 3))
    first, second, *_ = books.dispatch()
    books.record(played(first))

    def make_it_void_and_book_another() -> None:
        with books.write() as session:
            match = session.get_one(Match, first.match)
            voids.void_all(session, [match], "no disk", again=False, now=books.clock())
        books.record(played(second))

    tick(books.context)
    books.clock.pass_by(minutes=1)
    with books.write() as session:
        session.get_one(Standing, scope_of(season)).field = "lags"
    once_after(monkeypatch, standings, "compute", make_it_void_and_book_another)
    for _ in range(2):
        tick(books.context)
        books.clock.pass_by(minutes=1)
    with books.read() as session:
        found = session.get_one(Standing, scope_of(season))
        assert found.rows_digest == standings.compute(session, scope_of(season)).rows_digest
