"""Samples: which matches have one, which versions are marked, and the width of their later
matches."""

from __future__ import annotations

import dataclasses
import random
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from matchbox.match.wire import ALONE, MatchPlayed, PlayMatch
from server import queries
from server.db.models import Match, Rating, Role, Season, Standing, User, Version, VersionState
from server.services import samples
from server.services.samples import BOUTS
from server.services.tick import tick
from tests.books import Books, open_books, play_out, played, season_of

WIDE = 16
SWISS = {"kind": "swiss", "rounds": 3}


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A database of a platform that plays many bouts at once, and samples few matches."""
    path = shutil.copy(empty_database, tmp_path / "matchbox.db")
    opened = open_books(f"sqlite:///{path}", width=WIDE, sample_percent=1, ranked_backlog=4)
    opened.wall()
    yield opened
    opened.context.close()


def sampled(job: PlayMatch, *stateful: Version, repeats: bool = True) -> MatchPlayed:
    """Plays the match; its sample, if it has one, names these versions."""
    bad = {one.digest for one in stateful}
    named = [at for at, seat in enumerate(job.seats) if seat.version in bad and job.sample]
    told = {"stateful": named} if repeats else {"unrepeatable": named}
    return replace(played(job), sampled=job.sample, **told)


def played_next(books: Books, *stateful: Version) -> list[PlayMatch]:
    """Returns the results of the matches that a tick sends."""
    jobs = books.tick()
    for job in jobs:
        assert books.record(sampled(job, *stateful))
    return jobs


def widths(jobs: Collection[PlayMatch], version: Version) -> tuple[set[int], set[int]]:
    """Returns the widths of the version's matches, and of the others."""
    own = [version.digest in {seat.version for seat in job.seats} for job in jobs]
    pairs = list(zip(jobs, own, strict=True))
    return {job.width for job, mine in pairs if mine}, {
        job.width for job, mine in pairs if not mine
    }


def by_lot(job: PlayMatch) -> bool:
    """Returns whether the match was drawn for a sample."""
    return int(job.match, 16) % 100 == 0


@pytest.fixture
def trio(books: Books, alice: User, bob: User) -> list[Version]:
    """Three bots in the ranked queue; alice's is the first."""
    books.league()
    owners = (alice, bob, books.person("dora"))
    return [books.bot(owner, f"bot-{owner.name}") for owner in owners]


def test_the_first_match_of_every_version_is_sampled_and_of_the_others_some(
    books: Books, trio: list[Version]
) -> None:
    seen: set[str] = set()
    for _ in range(8):
        jobs = books.tick()
        for job in jobs:
            new = {seat.version for seat in job.seats} - seen
            assert job.sample == (BOUTS if new or by_lot(job) else 0)
        for job in jobs:
            books.record(sampled(job))
            seen |= {seat.version for seat in job.seats}
    assert len(seen) == 3
    assert all(books.version(one.id).sampled for one in trio)


def test_no_match_is_sampled_where_the_operator_wants_none(
    books: Books, trio: list[Version]
) -> None:
    assert BOUTS in {job.sample for job in books.tick()}
    none = dataclasses.replace(books.settings, sample_percent=0)
    with books.read() as session:
        assert {samples.bouts_of(row, none) for row in session.scalars(select(Match))} == {0}


def test_who_keeps_state_is_marked_told_once_and_played_one_bout_at_a_time(
    books: Books, trio: list[Version], alice: User
) -> None:
    bad = trio[0]
    first = books.tick()
    assert widths(first, bad) == ({WIDE}, {WIDE})
    for job in first:
        books.record(sampled(job, bad))
    ((subject, text),) = books.notices(alice, "stateful")
    assert subject == f"version:{bad.id}"
    assert "keeps state between bouts" in text
    with books.read() as session:
        told = [queries.version(session, None, one.id).stateful for one in trio]
    assert told == [True, False, False]
    later = [job for _ in range(4) for job in played_next(books, bad)]
    assert widths(later, bad) == ({ALONE}, {WIDE})
    assert len(books.notices(alice, "stateful")) == 1


def test_a_match_that_was_sent_before_keeps_its_width_when_it_is_sent_again(
    books: Books, trio: list[Version]
) -> None:
    first, *others = books.tick()
    for job in others:
        books.record(sampled(job, *trio))
    assert books.version(trio[0].id).stateful_at is not None
    books.clock.pass_by(minutes=30)
    (again,) = [job for job in books.tick() if job.match == first.match]
    assert (again.attempt, again.width) == (2, WIDE)
    assert books.record(sampled(first)), "the older attempt's result is as good"


def test_the_mark_costs_a_version_neither_its_rating_nor_its_matches(
    books: Books, trio: list[Version]
) -> None:
    bad = trio[0]
    wide = played_next(books, bad)
    before = rating_of(books, bad)
    tick(books.context)
    assert rating_of(books, bad) == before
    assert before[1] == sum(bad.digest in {s.version for s in job.seats} for job in wide)
    assert books.version(bad.id).state == VersionState.ACTIVE
    narrow = played_next(books, bad) or played_next(books, bad)
    own = sum(bad.digest in {s.version for s in job.seats} for job in (*wide, *narrow))
    assert rating_of(books, bad)[1] == own > before[1]
    books.clock.pass_by(minutes=10)
    tick(books.context)
    with books.read() as session:
        (standing,) = session.scalars(select(Standing)).all()
        (line,) = [one for one in standing.lines if one["version_id"] == bad.id]
    assert line["matches"] == own


def rating_of(books: Books, version: Version) -> tuple[tuple[float, float], int]:
    """Returns the version's live rating, and the number of matches in it."""
    with books.read() as session:
        row = session.scalars(select(Rating).where(Rating.version_id == version.id)).one()
        return (row.mu, row.sigma), row.matches


def test_who_does_not_repeat_itself_is_called_so_and_stays_wide(
    books: Books, trio: list[Version], alice: User
) -> None:
    for job in books.tick():
        books.record(sampled(job, trio[0], repeats=False))
    found = books.version(trio[0].id)
    assert (found.unrepeatable, found.stateful_at) == (True, None)
    assert not books.notices(alice, "stateful")
    assert widths(books.tick(), trio[0])[0] <= {WIDE}


# --- Seasons ---------------------------------------------------------------------------------


def four(books: Books) -> list[Version]:
    """Four bots, with a paused ranked queue."""
    books.league(paused=True)
    return [books.bot(books.person(f"p{number}"), "bot") for number in range(4)]


def season_jobs(books: Books, season: Season, *stateful: Version) -> dict[int, list[PlayMatch]]:
    """Plays the season, late and in a shuffled order; returns the jobs by round."""
    jobs: list[PlayMatch] = []
    chance = random.Random(len(stateful))

    def bring(sent: list[PlayMatch]) -> list[MatchPlayed]:
        jobs.extend(sent)
        return [sampled(job, *stateful) for job in chance.sample(sent, len(sent))]

    play_out(books, bring)
    found: dict[int, list[PlayMatch]] = {}
    for job in jobs:
        found.setdefault(books.match(job.match).round, []).append(job)
    return found


def test_a_season_samples_its_first_round_and_plays_who_keeps_state_narrow_from_the_next(
    books: Books, charlie: User
) -> None:
    field = four(books)
    season = season_of(books, charlie, field, format=SWISS)
    rounds = season_jobs(books, season, field[0])
    assert {job.sample for job in rounds[0]} == {BOUTS}
    assert widths(rounds[0], field[0]) == ({WIDE}, {WIDE})
    assert [widths(rounds[at], field[0]) for at in (1, 2)] == [({ALONE}, {WIDE})] * 2
    assert books.season(season).state == "finished"


def test_what_the_ranked_queue_finds_changes_no_season_that_has_begun(
    books: Books, charlie: User
) -> None:
    field = four(books)
    season = season_of(books, charlie, field, format=SWISS)
    books.clock.pass_by(seconds=1)
    with books.write() as session:
        session.get_one(Version, field[0].id).stateful_at = books.clock()
    rounds = season_jobs(books, season)
    assert {job.width for jobs in rounds.values() for job in jobs} == {WIDE}
    following = season_of(
        books, charlie, field, format=SWISS, name="autumn", seed="another seed for tests"
    )
    assert widths(season_jobs(books, following)[0], field[0]) == ({ALONE}, {WIDE})


def test_a_bot_that_learns_goes_on_to_learn_once_it_is_played_narrow(
    books: Books, charlie: User
) -> None:
    field = four(books)
    season = season_of(books, charlie, field, format={**SWISS, "learning": "fresh"})
    rounds = season_jobs(books, season, field[0])
    for at in (1, 2):
        assert widths(rounds[at], field[0]) == ({ALONE}, {WIDE})
        assert all(seat.memory for job in rounds[at] for seat in job.seats)


def test_a_bot_of_the_house_is_marked_and_nobody_is_told(books: Books, alice: User) -> None:
    books.league()
    house = books.bot(books.person("house", Role.HOUSE), "steady")
    books.bot(alice, "rival")
    for job in books.tick():
        books.record(sampled(job, house))
    assert books.version(house.id).stateful_at is not None
    assert not books.notices(alice, "stateful")
