"""A tick goes on after any error, and writes nothing that was computed from what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from matchbox.errors import Conflict, Unavailable
from matchbox.league import course
from matchbox.league.bradley_terry import NoRating
from matchbox.league.format import Admission, Schedule, given
from server.db.models import Audit, Bot, Event, Match, Season, SeasonState, Standing, User, Version
from server.db.session import Database
from server.services import (
    account_deletion,
    accounts,
    announcements,
    comparisons,
    dispatch,
    editions,
    entries,
    exclusions,
    leagues,
    operations,
    ranked,
    rounds,
    season_progress,
    seasons,
    signs,
    standings,
    voids,
)
from server.services import tick as ticking
from server.services.standings import ComputedStanding, scope_of
from server.services.tick import tick
from tests.books import GAME, Books, play_out, played, season_of

SWISS = {"kind": "swiss"}
PASSWORD = "a password of zoe"


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


NO_RATING = "the results determine no rating, so no round can be paired"
FAILED = "the platform failed at its next step; the log of the ledger has the error"


@pytest.mark.parametrize(
    ("error", "why"),
    [(NoRating(), NO_RATING), (ValueError("too many values"), FAILED), (KeyError(7), FAILED)],
)
def test_a_season_that_cannot_go_on_is_paused_with_the_reason_until_somebody_resumes_it(
    error: Exception, why: str, books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 5), format=SWISS)
    play_sent(books)

    def refuse(*_: Any) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(course, "next_rounds", refuse)
        tick(books.context)
        tick(books.context)
    stopped = books.season(season)
    assert (stopped.state, stopped.round) == (SeasonState.PAUSED, 1)
    assert stopped.trouble == why
    with books.read() as session:
        (event,) = session.scalars(select(Event).where(Event.kind == "season.paused"))
        assert event.subject == str(season.id)
        (line,) = session.scalars(select(Audit).where(Audit.action == "season.pause"))
        assert line.detail == {"why": why}
    with books.write() as session:
        seasons.resume(session, charlie, season.id, now=books.clock())
    tick(books.context)
    resumed = books.season(season)
    assert (resumed.state, resumed.round, resumed.trouble) == (SeasonState.RUNNING, 2, "")


@pytest.mark.parametrize("error", [Unavailable("busy"), OSError("no room"), MemoryError()])
def test_a_failure_that_may_be_over_soon_pauses_no_season(
    error: Exception, books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 5), format=SWISS)
    play_sent(books)

    def fail(*_: Any) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(course, "next_rounds", fail)
        tick(books.context)
    assert books.season(season).state == SeasonState.RUNNING
    tick(books.context)
    assert books.season(season).round == 2


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


def test_a_round_is_opened_after_whatever_its_ledger_has_waited_for(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 5), format={"kind": "knock-out", "group": 4})
    real, others = Database.write, [lambda: disqualify(books, charlie, season)]

    @contextmanager
    def wait_and_write(database: Database) -> Iterator[Session]:
        if others:
            books.clock.pass_by(seconds=5)
            others.pop()()
            books.clock.pass_by(seconds=5)
        with real(database) as session:
            yield session

    while books.season(season).rounds[-1]["stage"] != "knock-out":
        play_sent(books)
        with books.read() as session:
            assert rounds.is_due(session, season)
        with monkeypatch.context() as patch:
            patch.setattr(Database, "write", wait_and_write)
            ticking._go_on(season.id, books.context)
    with books.write() as session, pytest.raises(Conflict, match="has gone on without the bot"):
        operations.reinstate(
            session, charlie, season.id, "p00/bot", "it is none", now=books.clock()
        )


def make_one_void(books: Books, charlie: User, season: Season) -> None:
    """Makes the season's first match void."""
    with books.write() as session:
        match = session.scalars(select(Match).where(Match.season_id == season.id)).first()
        assert match is not None
        voids.void(session, charlie, match.id, "no disk", now=books.clock())


def test_a_season_does_not_finish_with_a_standing_from_before_a_match_was_void(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 3))
    play_sent(books)
    once_after(monkeypatch, standings, "compute", lambda: make_one_void(books, charlie, season))
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
    [(comparisons, "advance"), (announcements, "announce"), (editions, "start"), (ranked, "feed")],
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


def test_rounds_from_before_a_match_was_void_and_played_again_are_not_opened(
    books: Books, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, 4), format=SWISS)
    play_sent(books)
    with books.read() as session:
        seen = season_progress.fingerprint(session, session.get_one(Season, season.id))
        match = session.scalars(select(Match.id).order_by(Match.number)).first()
    assert match is not None
    with books.write() as session:
        voids.void(session, charlie, match, "no disk", again=True, now=books.clock())
    play_sent(books)
    with books.read() as session:
        row = session.get_one(Season, season.id)
        assert rounds.is_due(session, row), "the new match was played"
        assert (after := season_progress.fingerprint(session, row)) != seen
    with books.write() as session:
        version = session.scalars(select(Version)).first()
        assert version is not None
        version.counted_from = books.clock()
    with books.read() as session:
        row = session.get_one(Season, season.id)
        assert season_progress.fingerprint(session, row) != after, "its forfeits count anew"


def test_a_recomputed_standing_from_before_a_match_was_void_is_not_stored(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 3))
    play_out(books)
    once_after(monkeypatch, standings, "compute", lambda: make_one_void(books, charlie, season))
    operations.recompute_season(books.context, charlie, books.acting(charlie), season.id)
    with books.read() as session:
        assert session.get_one(Standing, scope_of(season)).matches == 5


def test_a_standing_that_changes_all_the_time_is_recomputed_in_no_writer_s_turn(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_of(books, charlie, field(books, 3))
    play_out(books)
    compute, computed = standings.compute, []

    def compute_and_mark(session: Session, *given: Any) -> ComputedStanding:
        assert session.get_bind() is books.context.database._readers, "else writers wait"
        found = compute(session, *given)
        computed.append(found)
        with books.write() as other:
            standings.mark(other, other.get_one(Season, season.id))
        return found

    monkeypatch.setattr(standings, "compute", compute_and_mark)
    with pytest.raises(Conflict, match="changed each of the 5 times"):
        operations.recompute_season(books.context, charlie, books.acting(charlie), season.id)
    assert len(computed) == operations.TRIES
    with books.read() as session:
        assert not session.scalars(select(Audit).where(Audit.action == "season.recompute")).all()


@pytest.mark.parametrize("step", ["finish", "recompute"])
def test_no_standing_names_an_author_who_deleted_the_account_while_it_was_computed(
    step: str, books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = field(books, 2)
    with books.write() as session:
        zoe = accounts.sign_up(session, "zoe", PASSWORD, signup="open", now=books.clock())
    season = season_of(books, charlie, [*versions, books.bot(zoe, "bot")])
    play_sent(books)
    with books.write() as session:
        entry = session.get_one(Season, season.id).entries[-1]
        exclusions.exclude_entry(session, entry, "suspended", "it fails", now=books.clock())
    if step == "recompute":
        tick(books.context)
    once_after(
        monkeypatch,
        standings,
        "compute",
        lambda: account_deletion.delete_account(books.context, zoe, PASSWORD, network="here"),
    )
    if step == "recompute":
        operations.recompute_season(books.context, charlie, books.acting(charlie), season.id)
    for _ in range(2):
        tick(books.context, with_standings=False)
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        lines = session.get_one(Standing, scope_of(season)).lines
    names = {line["bot"].partition("/")[0] for line in lines}
    assert names == {"p00", "p01", f"deleted-author-{zoe.id}"}


@pytest.mark.parametrize("state", [SeasonState.RUNNING, SeasonState.CANCELLED])
def test_a_season_that_an_operator_starts_or_cancels_just_now_is_not_put_off(
    state: SeasonState, books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions, daily = field(books, 2), given(Schedule, {"cron": "0 0 * * *"})
    invited = given(Admission, {"everybody": False})
    given_all: dict[str, Any] = {"settings": books.settings, "now": books.clock()}
    with books.write() as session:
        leagues.create(
            session,
            charlie,
            name="cup",
            game=GAME,
            schedule=daily,
            admission=invited,
            **given_all,
        )
    tick(books.context)
    books.clock.pass_by(minutes=24 * 60)
    real = editions.start

    def fail_while_an_operator_acts(session: Any, number: int, **more: Any) -> None:
        try:
            real(session, number, **more)
        finally:
            session.rollback()
            act(number)

    def act(number: int) -> None:
        with books.write() as session:
            if state == SeasonState.CANCELLED:
                seasons.cancel(session, charlie, number, now=books.clock())
                return
            for version in versions:
                bot = session.get_one(Bot, version.bot_id).full_name
                entries.enter(session, charlie, number, bot, now=books.clock())
            seasons.start(session, charlie, number, settings=books.settings, now=books.clock())

    monkeypatch.setattr(editions, "start", fail_while_an_operator_acts)
    tick(books.context)
    with books.read() as session:
        season = session.scalars(select(Season).where(Season.name == "cup 1")).one()
        assert (season.state, season.trouble) == (state, "")
        assert season.starts_at is not None
        assert season.starts_at < books.clock()
