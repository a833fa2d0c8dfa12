"""Making void all matches of an arena since a time: the matches concerned, and the consequences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from matchbox.answers.arenas import ArenaMatches, ArenaVoid
from matchbox.errors import BadOption, Forbidden, NotFound
from matchbox.league.archive import Archive, standings_agree
from server.db.models import (
    Audit,
    Match,
    MatchState,
    Rating,
    Role,
    Season,
    SeasonState,
    Standing,
    User,
)
from server.queries.archive import write_archive
from server.services import arena_voids, standings, voids, walls
from server.services.standings import scope_of
from server.services.tick import tick
from server.times import iso, parse_time_ms
from tests.books import Books, compute_standings, play_out, played, season_of
from tests.plans import loads_of
from tests.unit.server.test_leases import ONE, TWO, report

WHY = "its memory is damaged"


@pytest.fixture
def season(books: Books, alice: User, bob: User, charlie: User) -> Season:
    """A running season of eight matches. The arenas take turns, with a minute between two
    matches."""
    books.league(paused=True)
    found = season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")], cycles=4)
    report(books, ONE)
    report(books, TWO)
    for number, job in enumerate(books.dispatch()[:6]):
        books.record(replace(played(job), arena=(ONE, TWO)[number % 2]))
        books.clock.pass_by(minutes=1)
    return found


def on(books: Books, arena: str, state: MatchState) -> int:
    """Returns how many matches of this arena are in this state."""
    with books.read() as session:
        which = (Match.arena == arena, Match.state == state)
        return session.scalar(select(func.count()).select_from(Match).where(*which)) or 0


def count(books: Books, user: User, name: str = ONE, *, minutes: float) -> ArenaMatches:
    """Returns the matches of the last minutes that can be made void."""
    now = books.clock()
    with books.read() as session:
        since = round(now - 60_000 * minutes)
        return arena_voids.count(session, user, name, since=since, until=now)


def void(
    books: Books, user: User, name: str = ONE, why: str = WHY, *, minutes: float, **more: Any
) -> ArenaVoid:
    """Makes the matches of the last minutes void."""
    now = books.clock()
    times: dict[str, Any] = {"since": round(now - 60_000 * minutes), "until": now}
    return arena_voids.void(books.context, user, books.acting(user), name, why, **times, **more)


def test_the_matches_of_one_arena_since_a_time_are_void_and_played_again(
    books: Books, season: Season, charlie: User
) -> None:
    assert count(books, charlie, minutes=60).count == 3
    assert count(books, charlie, minutes=4.5).count == 2
    told = void(books, charlie, minutes=4.5)
    assert (told.count, told.again, told.kept) == (2, 2, 0)
    assert on(books, ONE, MatchState.VOID) == 2
    assert on(books, ONE, MatchState.FINISHED) == 1
    assert on(books, TWO, MatchState.FINISHED) == 3
    with books.read() as session:
        replaced = session.scalars(select(Match).where(Match.replaces.is_not(None))).all()
        assert len(replaced) == 2
        (line,) = session.scalars(select(Audit).where(Audit.action == "arena.void"))
        assert (line.actor_id, line.subject) == (charlie.id, f"arena:{ONE}")
        assert (line.detail["void"], line.detail["new"], line.detail["reason"]) == (2, 2, WHY)
    assert count(books, charlie, minutes=60).count == 1
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED


def test_matches_are_counted_without_reading_each(
    books: Books, season: Season, charlie: User
) -> None:
    with books.read() as session, loads_of(Match) as loaded:
        found = arena_voids.count(session, charlie, ONE, since=0, until=books.clock())
    assert (found.count, found.kept, len(loaded)) == (3, 0, 1)


def test_without_again_nothing_is_played_in_their_place(
    books: Books, season: Season, charlie: User
) -> None:
    assert void(books, charlie, minutes=60, again=False).again == 0
    with books.read() as session:
        assert not session.scalars(select(Match).where(Match.replaces.is_not(None))).all()


def test_a_finished_season_keeps_no_such_match_and_its_standing_follows(
    books: Books, season: Season, charlie: User
) -> None:
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED
    told = void(books, charlie, minutes=60)
    assert (told.count, told.again) == (3, 0), "nothing is played in it any more"
    compute_standings(books)
    with books.read() as session:
        assert session.get_one(Standing, scope_of(season)).matches == 5


def test_no_writer_computes_the_standing_of_a_finished_season(
    books: Books,
    season: Season,
    charlie: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play_out(books)
    scope = scope_of(season)

    def fail(*_: Any) -> None:
        raise AssertionError("other writers would wait for it")

    with monkeypatch.context() as patch:
        patch.setattr(standings, "compute", fail)
        void(books, charlie, minutes=60)
    with books.read() as session, (tmp_path / "season.zip").open("w+b") as file:
        write_archive(session, None, season.id, "allowed", file)
        archive = Archive(file)
        assert standings_agree(archive.head.standing, archive.recompute_standing())
    books.clock.pass_by(minutes=1)
    with books.read() as session:
        assert standings.stale(session, now=books.clock()) == [scope]
    tick(books.context)
    with books.read() as session:
        assert session.get_one(Standing, scope).matches == 5
        assert standings.stale(session, now=books.clock()) == []


def test_ratings_follow(books: Books, alice: User, bob: User, charlie: User) -> None:
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    report(books, ONE)
    done = 0
    while done < 4:
        play_out(books, lambda jobs: [replace(played(job), arena=ONE) for job in jobs[:4]])
        done = on(books, ONE, MatchState.FINISHED)
    with books.read() as session:
        before = sum(session.scalars(select(Rating.matches)))
    told = void(books, charlie, minutes=600)
    assert told.count == done
    with books.read() as session:
        assert sum(session.scalars(select(Rating.matches))) == before - 2 * done


def test_only_an_operator_with_a_reason_may_and_only_a_known_arena(
    books: Books, season: Season, alice: User, charlie: User
) -> None:
    for user, name, why, error in (
        (alice, ONE, WHY, Forbidden),
        (charlie, "arena-9@nowhere", WHY, NotFound),
        (charlie, ONE, "  ", BadOption),
    ):
        with pytest.raises(error):
            void(books, user, name, why, minutes=60)
    with pytest.raises(Forbidden):
        count(books, alice, minutes=60)
    assert on(books, ONE, MatchState.FINISHED) == 3


def test_a_former_operator_makes_no_further_matches_void(
    books: Books, season: Season, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena_voids, "MAX_PER_TRANSACTION", 2)
    void_all = voids.void_all

    def demote_meanwhile(session: Session, *given: Any, **named: Any) -> list[Match]:
        session.execute(update(User).where(User.id == charlie.id).values(role=Role.AUTHOR))
        return void_all(session, *given, **named)

    monkeypatch.setattr(voids, "void_all", demote_meanwhile)
    with pytest.raises(Forbidden):
        void(books, charlie, minutes=60)
    assert on(books, ONE, MatchState.VOID) == 2
    with books.read() as session:
        (line,) = session.scalars(select(Audit).where(Audit.action == "arena.void"))
        assert (line.detail["void"], line.detail["new"]) == (2, 2)


def test_an_arena_of_long_ago_is_known_by_its_matches(
    books: Books, season: Season, charlie: User
) -> None:
    for number in range(walls.ARENAS):
        report(books, f"arena-{number}@later")
    with pytest.raises(NotFound):
        count(books, charlie, name="arena-9@nowhere", minutes=60)
    assert count(books, charlie, minutes=60).count == 3
    assert void(books, charlie, minutes=60).count == 3


def test_a_cancelled_seasons_matches_stay(books: Books, season: Season, charlie: User) -> None:
    with books.write() as session:
        session.get_one(Season, season.id).state = SeasonState.CANCELLED
    told = count(books, charlie, minutes=60)
    assert (told.count, told.kept) == (0, 3)
    done = void(books, charlie, minutes=60)
    assert (done.count, done.kept) == (0, 3)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2023-11-14T22:13:20Z", 1_700_000_000_000),
        ("2023-11-14T22:13:20", 1_700_000_000_000),
        ("2023-11-14 23:13:20+01:00", 1_700_000_000_000),
        (" 2023-11-15 ", 1_700_006_400_000),
        ("0001-01-01", 0),
        ("9999-12-31T23:59:59.999999", 253_402_300_799_999),
    ],
)
def test_a_time_is_read(text: str, at: int) -> None:
    assert parse_time_ms(text) == at
    assert iso(at)[:4] == text.strip()[:4].replace("0001", "1970")


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2023-13-01", "14.11.2023", "9999-12-31T23:00-12:00"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadOption, match="is not a time"):
        parse_time_ms(text)
