"""The length of a match follows from the times of earlier matches: in the ranked queue, in a season
without a given number of deals, in a comparison."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from matchbox.match.wire import PlayMatch, TryOut
from server.db.models import Bot, Comparison, League, Match, Result, Season, User, Version
from server.services import comparisons, leagues, match_sizing, rounds
from server.services.tick import tick
from tests.books import (
    SIMPLE,
    USUAL_VARIABLES,
    Books,
    limit_variables,
    open_books,
    played,
    season_of,
    tried_out,
)


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A database whose ranked matches should take two seconds, with two to forty deals."""
    path = shutil.copy(empty_database, tmp_path / "matchbox.db")
    knobs = {"match_seconds": 2, "fewest_deals": 2, "most_deals": 40, "match_deals": 4}
    made = open_books(f"sqlite:///{path}", ranked_backlog=3, **knobs)
    made.wall()
    yield made
    made.context.close()


def a_round(books: Books, seconds: Mapping[str, float]) -> list[tuple[frozenset[str], int]]:
    """Plays the matches fed now; returns the bots and the number of deals of each. A deal takes
    each bot its time from `seconds`, and the referee as long as the quickest bot."""
    with books.write() as session:
        books.feed(session)
    return [play(books, job, seconds) for job in books.dispatch()]


def play(books: Books, job: PlayMatch, seconds: Mapping[str, float]) -> tuple[frozenset[str], int]:
    """Plays the job; returns its bots and its number of deals."""
    names = [seat.version.bot.name for seat in books.match(job.match).seats]
    own = [seconds[name] * len(job.deals) for name in names]
    whole = sum(own) + min(seconds.values()) * len(job.deals)
    cpu_ms = [1000 * one for one in own]
    books.record(replace(played(job), seconds=whole, cpu_ms=cpu_ms))
    return frozenset(names), len(job.deals)


def a_season(books: Books, operator: User, versions: Sequence[Version], **more: Any) -> Season:
    """Returns the row of a season without a given seed."""
    return books.season(season_of(books, operator, versions, **{"seed": None, **more}))


def of(books: Books, job: PlayMatch) -> bool:
    """Returns whether the job belongs to a season."""
    return books.match(job.match).why == "season"


def met(books: Books, seconds: Mapping[str, float], owners: Sequence[User]) -> list[Version]:
    """Returns a bot for each of these times, in the order of their names, after they met in the
    queue."""
    found = [books.bot(owner, name) for owner, name in zip(owners, seconds, strict=True)]
    for _ in range(6):
        a_round(books, seconds)
    return found


def tried(books: Books, owner: User, name: str, cpu_ms_per_deal: float) -> Version:
    """Returns a version whose only known time is that of its try-out."""
    version = books.upload(owner, name, SIMPLE + f"# {name}\n".encode())
    for job in books.postman.take():
        if isinstance(job, TryOut) and job.version == version.digest:
            books.settle(tried_out(job, cpu_ms_per_deal=cpu_ms_per_deal))
    return version


def ask(books: Books, owner: User, version: Version, games: int) -> Comparison:
    """Requests a comparison of the version with the one before it; returns its row."""
    knobs: dict[str, Any] = {"settings": books.settings, "now": books.clock()}
    with books.write() as session:
        bot = session.get_one(Bot, version.bot_id)
        return comparisons.start(session, owner, bot.full_name, games=games, **knobs)


@pytest.mark.parametrize(
    ("seconds", "deals"), [(0.05, 13), (0.1, 7), (0.001, 40), (0.0, 40), (1e-320, 40), (30.0, 2)]
)
def test_a_match_has_the_deals_that_take_as_long_as_is_wished_for(
    books: Books, alice: User, bob: User, seconds: float, deals: int
) -> None:
    books.league()
    pace = {"one": seconds, "two": seconds}
    for owner, name in ((alice, "one"), (bob, "two")):
        books.bot(owner, name)
    assert {many for _, many in a_round(books, pace)} == {4}, "nothing is known yet"
    assert {many for _, many in a_round(books, pace)} == {deals}
    assert {many for _, many in a_round(books, pace)} == {deals}


def test_a_number_that_an_operator_named_holds_in_the_ranked_queue_until_it_is_taken_back(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    pace = {"one": 0.05, "two": 0.05}
    for owner, name in ((alice, "one"), (bob, "two")):
        books.bot(owner, name)
    a_round(books, pace)
    with books.write() as session:
        leagues.edit(session, charlie, "bomb", deals=9, now=books.clock())
    assert {many for _, many in a_round(books, pace)} == {9}
    with books.write() as session:
        leagues.edit(session, charlie, "bomb", paced=True, now=books.clock())
    assert {many for _, many in a_round(books, pace)} == {13}


def test_the_slowest_bot_decides_and_a_new_one_begins_with_the_leagues_number(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    pace = {"quick": 0.05, "other": 0.05, "slow": 0.9}
    for owner, name in ((alice, "quick"), (bob, "other")):
        books.bot(owner, name)
    for _ in range(3):
        a_round(books, pace)
    books.bot(charlie, "slow")
    first = [many for names, many in a_round(books, pace) if "slow" in names]
    assert first == [4] * len(first) != []
    after = [found for _ in range(20) for found in a_round(books, pace)]
    assert {many for names, many in after if "slow" in names} == {2}
    assert {many for names, many in after if "slow" not in names} == {13}


def test_the_size_is_the_matchs_own_and_a_season_with_a_seed_follows_from_that_alone(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    versions: list[Version] = [books.bot(alice, "one"), books.bot(bob, "two")]
    for _ in range(2):
        a_round(books, {"one": 0.05, "two": 0.05})
    season_of(books, charlie, versions)
    with books.read() as session:
        found = {(match.why, len(match.deals)) for match in session.query(Match)}
    assert found == {("ranked", 4), ("ranked", 13), ("season", 4)}


def test_without_a_wish_the_leagues_number_stands(books: Books, alice: User, bob: User) -> None:
    books.league()
    for owner, name in ((alice, "one"), (bob, "two")):
        books.bot(owner, name)
    wished = books.context.settings
    none = dataclasses.replace(wished, match_seconds=0)
    books.context = dataclasses.replace(books.context, settings=none)
    for _ in range(2):
        assert {many for _, many in a_round(books, {"one": 0.05, "two": 0.05})} == {4}


def test_what_a_match_takes_to_begin_does_not_keep_those_of_quick_bots_short(
    books: Books, alice: User, bob: User
) -> None:
    books.league()
    for owner, name in ((alice, "one"), (bob, "two")):
        books.bot(owner, name)
    sizes = []
    for _ in range(4):
        with books.write() as session:
            books.feed(session)
        jobs = books.dispatch()
        sizes.append({len(job.deals) for job in jobs})
        for job in jobs:
            books.record(replace(played(job), seconds=0.8, cpu_ms=[0.0, 0.0]))
    assert sizes == [{4}, {10}, {25}, {40}]


# Seasons


def test_a_season_is_sized_when_it_starts_and_stays_so(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    versions = met(books, {"one": 0.05, "two": 0.05}, (alice, bob))
    season = a_season(books, charlie, versions, cycles=3, format={"hours": 9})
    assert (season.deals, season.paced) == (13, True)
    books.league(paused=True)
    found = []
    for _ in range(12):
        tick(books.context)
        jobs = books.sent(PlayMatch)
        found += [play(books, job, {"one": 0.9, "two": 0.9}) for job in jobs if of(books, job)]
    assert [many for _, many in found] == [13] * 6
    assert books.season(season).state == "finished"


@pytest.mark.parametrize(("slow", "deals"), [(0.02, 33), (0.1, 33), (0.3, 15), (0.9, 5), (20.0, 2)])
def test_the_usual_match_of_a_season_takes_what_is_wished_and_the_longest_not_much_more(
    books: Books, alice: User, bob: User, charlie: User, slow: float, deals: int
) -> None:
    books.league()
    pace = {"one": 0.02, "two": 0.02, "three": 0.02, "slow": slow}
    owners = [books.person(name) for name in ("dora", "emil")]
    versions = met(books, pace, [alice, bob, *owners])
    assert a_season(books, charlie, versions).deals == deals


def test_who_names_a_number_or_a_seed_keeps_to_the_number(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    league = books.league()
    versions = met(books, {"one": 0.05, "two": 0.05}, (alice, bob))
    named = a_season(books, charlie, versions, deals=7)
    told_again = a_season(books, charlie, versions, name="second", seed="a seed of somebody's")
    assert [(one.deals, one.paced) for one in (named, told_again)] == [(7, False), (4, False)]
    edits: list[tuple[dict[str, Any], int]] = [({"deals": 9}, 9), ({}, 9), ({"paced": True}, 13)]
    for at, (fields, deals) in enumerate(edits):
        with books.write() as session:
            where = session.get_one(League, league.id)
            leagues.edit(session, charlie, where.name, **fields, now=books.clock())
        assert a_season(books, charlie, versions, name=f"more {at}").deals == deals


def test_a_season_of_many_matches_has_no_more_deals_than_a_standing_is_made_of(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league()
    versions = met(books, {"one": 0.001, "two": 0.001}, (alice, bob))
    monkeypatch.setattr(rounds, "MAX_DEALS", 300)
    for name, cycles, deals in (("few", 2, 40), ("some", 10, 15), ("many", 100, 4)):
        found = a_season(books, charlie, versions, name=name, cycles=cycles)
        assert found.deals == deals, name
    adaptive = a_season(
        books, charlie, versions, name="adaptive", cycles=10, format={"kind": "adaptive"}
    )
    assert adaptive.deals == 7


def test_each_division_is_sized_by_its_own_bots(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    pace = {"one": 0.02, "two": 0.02, "three": 0.2, "four": 0.2}
    owners = [books.person(name) for name in ("dora", "emil")]
    versions = met(books, pace, [alice, bob, *owners])
    season = a_season(books, charlie, versions, format={"divisions": 2})
    with books.read() as session:
        found = session.query(Season).filter(Season.league_id == season.league_id).all()
        members = {
            row.deals: {entry.bot.name for entry in row.entries} for row in found if row.entries
        }
    assert len(found) == 2
    for deals, names in members.items():
        usual = 0.02 + 2 * max(pace[name] for name in names)
        assert deals == round(2 / usual), members


# What is known of a version


def test_a_version_that_rests_is_known_by_its_own_last_matches(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league()
    monkeypatch.setattr(match_sizing, "RECENT", 0)
    versions = met(books, {"one": 0.05, "two": 0.05}, (alice, bob))
    assert a_season(books, charlie, versions).deals == 13


def test_matches_of_another_league_tell_where_the_same_is_played(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    versions = met(books, {"one": 0.05, "two": 0.05}, (alice, bob))
    knobs: dict[str, Any] = {"game": "bomb", "settings": books.settings, "now": books.clock()}
    with books.write() as session:
        leagues.create(session, charlie, name="same", **knobs)
        leagues.create(session, charlie, name="other", **knobs).options = {"flavour": "sweet"}
    for name, deals in (("same", 13), ("other", 4)):
        assert a_season(books, charlie, versions, league=name, name=name).deals == deals


@pytest.mark.parametrize(("cpu_ms", "deals"), [(0.0, 4), (1.0, 4), (400.0, 2), (300.0, 3)])
def test_before_anybody_has_played_try_outs_tell_who_is_slow(
    books: Books, alice: User, bob: User, charlie: User, cpu_ms: float, deals: int
) -> None:
    books.league()
    versions = [tried(books, alice, "one", cpu_ms), tried(books, bob, "two", cpu_ms)]
    assert a_season(books, charlie, versions).deals == deals
    assert {many for _, many in a_round(books, {"one": 1.0, "two": 1.0})} == {deals}


def test_a_newcomer_s_try_out_tells_beside_what_others_have_played(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    versions = met(books, {"one": 0.02, "two": 0.02}, (alice, bob))
    versions.append(tried(books, books.person("dora"), "new", 180.0))
    assert a_season(books, charlie, versions).deals == 23


@pytest.mark.parametrize("ms", [float("nan"), float("inf"), -1.0])
def test_what_is_no_time_in_old_books_tells_nothing_and_stops_nobody(
    books: Books, alice: User, bob: User, charlie: User, ms: float
) -> None:
    books.league()
    met(books, {"one": 0.05, "two": 0.05}, [alice, bob])
    new = books.bot(charlie, "new")
    with books.write() as session:
        worst = session.scalars(select(Result).limit(3)).all()
        for one in worst:
            one.cpu_ms = [ms, 1.0]
        session.get_one(Version, new.id).report = {"cpu_ms_per_deal": ms}
    sizes = dict(a_round(books, {"one": 0.05, "two": 0.05, "new": 0.05}))
    assert sizes == {names: 4 if "new" in names else 13 for names in sizes}
    assert len(worst) == 3
    assert any("new" in names for names in sizes)


# Comparisons


def test_a_round_of_more_matches_than_a_query_takes_is_sized(books: Books, alice: User) -> None:
    league = books.league()
    version = books.bot(alice, "one")
    with books.read() as session:
        limit_variables(session)
        sizer = match_sizing.MatchSizer(session, session.get_one(League, league.id))
        sizer._last = {version.id: [f"{number:032x}" for number in range(USUAL_VARIABLES + 1)]}
        sizer.prepare([version.id])
        assert sizer.deals([[version.id] * 2], books.settings) >= 1


def test_a_comparison_is_cut_by_time_and_looked_at_no_later(
    books: Books, alice: User, bob: User
) -> None:
    books.league()
    old = tried(books, alice, "mine", 0.0)
    met_before = {"mine": 0.2, "other": 0.2}
    books.bot(bob, "other")
    for _ in range(3):
        a_round(books, met_before)
    new = books.upload(alice, "mine", SIMPLE + b"# new")
    for job in books.sent(TryOut):
        books.settle(tried_out(job, cpu_ms_per_deal=200.0))
    row = ask(books, alice, new, 4000)
    assert (row.defender_id, row.deals, row.most) == (old.id, 3, 3996)
    with books.read() as session:
        sizes = [len(one.deals) for one in session.query(Match).filter_by(comparison_id=row.id)]
    assert sizes == [3] * 17, "a look is after 100 bouts or a few more"


@pytest.mark.parametrize(
    ("games", "deals", "matches"), [(2, 1, 1), (10, 5, 1), (1000, 40, 2), (3000, 40, 2)]
)
def test_a_comparison_of_quick_bots_has_longer_matches_but_as_many_looks(
    books: Books, alice: User, bob: User, games: int, deals: int, matches: int
) -> None:
    books.league()
    books.bot(alice, "mine")
    books.bot(bob, "other")
    for _ in range(3):
        a_round(books, {"mine": 0.001, "other": 0.001})
    new = books.upload(alice, "mine", SIMPLE + b"# new")
    for job in books.sent(TryOut):
        books.settle(tried_out(job, cpu_ms_per_deal=1.0))
    row = ask(books, alice, new, games)
    with books.read() as session:
        sizes = [len(one.deals) for one in session.query(Match).filter_by(comparison_id=row.id)]
    assert sizes == [deals] * matches


def test_a_comparison_goes_on_as_it_began_though_its_league_is_edited(
    books: Books, alice: User, charlie: User
) -> None:
    league = books.league(paused=False)
    books.bot(alice, "mine")
    row = ask(books, alice, books.bot(alice, "mine", SIMPLE + b"# new"), 4000)
    with books.write() as session:
        where = session.get_one(League, league.id)
        leagues.edit(session, charlie, where.name, deals=11, now=books.clock())
    sizes = []
    for _ in range(3):
        tick(books.context)
        jobs = books.sent(PlayMatch)
        sizes += [play(books, job, {"mine": 0.1})[1] for job in jobs]
    assert len(sizes) > 25
    assert set(sizes) == {row.deals} == {4}


def test_a_comparison_keeps_the_number_that_an_operator_named_for_its_league(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    met(books, {"mine": 0.05, "other": 0.05}, [alice, bob])
    new = tried(books, alice, "mine", 50.0)
    edits: list[tuple[dict[str, Any], int]] = [({"deals": 9}, 9), ({"paced": True}, 13)]
    for edit, deals in edits:
        with books.write() as session:
            leagues.edit(session, charlie, "bomb", **edit, now=books.clock())
        assert ask(books, alice, new, 4000).deals == deals
