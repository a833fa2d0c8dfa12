"""Running seasons advance from round to round without help, in every format."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from dashboard.figures import finding
from matchbox.answers.leagues import Trophy
from matchbox.errors import Conflict
from matchbox.league import course
from matchbox.match.record import Bout, Fault
from matchbox.match.wire import MatchPlayed, PlayMatch, TryOut
from server import queries
from server.db.models import (
    Entry,
    Match,
    MatchState,
    Result,
    Role,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
)
from server.services import exclusions, leagues, rounds, season_progress
from server.services.tick import tick
from tests.books import Books, lost, open_books, play_out, played, season_of, tried_out
from tests.seasons import bring_by, by_strength

SWISS = {"kind": "swiss"}
ADAPTIVE = {"kind": "adaptive", "matches": 40}
KNOCK_OUT = {"kind": "knock-out", "group": 3}
FINAL = 4
"""The matches of who wins the knock-out of four bots, the final included."""
FORMATS: list[dict[str, Any]] = [{}, {"hours": 1000}, SWISS, ADAPTIVE, KNOCK_OUT]


def field(books: Books, n: int) -> list[Version]:
    """Returns `n` bots, each of an owner of its own."""
    books.league(paused=True)
    return [books.bot(books.person(f"p{number:02d}"), "bot") for number in range(n)]


def story(books: Books, season: Season) -> tuple[Any, ...]:
    """Returns the outcome of a season: its rounds, matches, records and standing."""
    with books.read() as session:
        row = session.get_one(Season, season.id)
        matches = session.execute(
            select(Match.id, Match.number, Match.round, Result.digest, Result.record)
            .outerjoin(Result, Result.match_id == Match.id)
            .where(Match.season_id == season.id)
            .order_by(Match.number)
        )
        standing = session.get_one(Standing, f"season:{season.id}")
        order = [session.get_one(Version, version).entrant for version in row.places]
        told = [line["bot"] for line in standing.lines]
        return row.rounds, [tuple(one) for one in matches], standing.rows_digest, told, order


def play_disturbed(books: Books, season: Season, chance: random.Random) -> None:
    """Plays while jobs are lost, arenas killed, and results late, doubled and reordered."""
    late: list[MatchPlayed] = []
    while books.season(season).state == SeasonState.RUNNING:
        for _ in range(chance.choice((1, 1, 2))):
            tick(books.context)
        messages = late
        late = []
        for job in books.postman.take():
            if isinstance(job, TryOut):
                books.settle(tried_out(job))
            elif isinstance(job, PlayMatch):
                fate = chance.random()
                if fate < 0.1:
                    books.lose(lost(job))
                elif fate < 0.2:
                    late.append(played(job))
                elif fate > 0.25:
                    messages += [played(job)] * chance.choice((1, 1, 2))
        for message in chance.sample(messages, len(messages)):
            books.record(message)
            if chance.random() < 0.05:
                tick(books.context)
        books.clock.pass_by(minutes=chance.choice((0, 20)))


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_a_season_that_is_disturbed_ends_with_the_same_bytes(
    form: dict[str, Any], empty_database: Path, tmp_path: Path
) -> None:
    stories = []
    for turn, step in enumerate((1, -1)):
        path = shutil.copy(empty_database, tmp_path / f"{turn}.db")
        books = open_books(f"sqlite:///{path}", match_deals=1, attempts=50)
        books.wall()
        books.league(paused=True)
        people = [books.person(f"p{number}") for number in range(5)][::step]
        versions = [books.bot(person, "bot") for person in people]
        season = season_of(books, books.person("charlie", Role.OPERATOR), versions, format=form)
        if turn:
            play_disturbed(books, season, random.Random(20))
        else:
            play_out(books)
        assert books.season(season).state == SeasonState.FINISHED
        stories.append(story(books, season))
        books.context.close()
    assert stories[0] == stories[1]
    assert all(digest is not None for *_, digest, _ in stories[0][1])


def test_rounds_of_a_round_robin_are_opened_at_once_where_nothing_has_to_wait(
    books: Books, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, 4))
    assert books.season(season).round == 6
    with books.read() as session:
        found = session.scalars(select(Match.round).where(Match.season_id == season.id))
        assert Counter(found) == dict.fromkeys(range(6), 2)


@pytest.mark.parametrize("form", [SWISS, KNOCK_OUT, {"kind": "round-robin", "hours": 9}], ids=str)
def test_a_round_opens_when_all_of_the_one_before_is_final(
    form: dict[str, Any], books: Books, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, 6), format=form)
    opened = books.season(season).round
    jobs = books.dispatch()
    for job in jobs[1:]:
        books.record(played(job))
        tick(books.context)
    assert books.season(season).round == opened
    assert books.sent(PlayMatch) == []
    books.record(played(jobs[0]))
    tick(books.context)
    assert books.season(season).round == opened + 1
    with books.read() as session:
        row = session.get_one(Season, season.id)
        assert len(row.rounds) == row.round


def test_a_season_with_a_parked_match_neither_goes_on_nor_ends(books: Books, charlie: User) -> None:
    season = season_of(books, charlie, field(books, 4), format={"kind": "swiss", "rounds": 1})
    first, *rest = books.dispatch()
    for job in rest:
        books.record(played(job))
    with books.write() as session:
        session.execute(
            update(Match).where(Match.id == first.match).values(state=MatchState.PARKED)
        )
    tick(books.context)
    assert books.season(season).state == SeasonState.RUNNING
    assert books.season(season).round == 1
    with books.write() as session:
        session.execute(update(Match).where(Match.id == first.match).values(state=MatchState.VOID))
    tick(books.context)
    assert books.season(season).state == SeasonState.FINISHED


def test_two_ledgers_open_a_round_once(books: Books, charlie: User) -> None:
    season = season_of(books, charlie, field(books, 4), format=SWISS)
    for job in books.dispatch():
        books.record(played(job))
    with books.read() as session:
        row = session.get_one(Season, season.id)
        found = rounds.next_of(session, row, now=books.clock())
    knobs: dict[str, Any] = {"settings": books.settings, "now": books.clock()}
    for _ in range(2):
        with books.write() as session:
            row = session.get_one(Season, season.id)
            assert rounds.open_next(session, row, found, **knobs)
            assert not rounds.is_due(session, row), "its matches are under way"
    assert books.season(season).round == 2
    with books.read() as session:
        assert len(session.scalars(select(Match.id).where(Match.round == 1)).all()) == 2


def test_a_paused_season_opens_no_round(books: Books, charlie: User) -> None:
    season = season_of(books, charlie, field(books, 4), format=SWISS)
    jobs = books.dispatch()
    change = update(Season).where(Season.id == season.id)
    with books.write() as session:
        session.execute(change.values(state=SeasonState.PAUSED))
    for job in jobs:
        books.record(played(job))
    tick(books.context)
    assert books.season(season).round == 1
    with books.write() as session:
        session.execute(change.values(state=SeasonState.RUNNING))
    tick(books.context)
    assert books.season(season).round == 2


def test_hours_end_a_season_between_two_rounds(books: Books, charlie: User) -> None:
    season = season_of(books, charlie, field(books, 4), format={"hours": 1})
    for job in books.dispatch():
        books.record(played(job))
    books.clock.pass_by(minutes=59)
    tick(books.context)
    assert books.season(season).round == 2
    books.clock.pass_by(minutes=2)
    for sent in books.postman.take():
        assert isinstance(sent, PlayMatch)
        books.record(played(sent))
    tick(books.context)
    ended = books.season(season)
    assert (ended.state, ended.round) == (SeasonState.FINISHED, 2)


def test_who_is_out_gets_no_further_matches(books: Books, charlie: User) -> None:
    versions = field(books, 5)
    season = season_of(books, charlie, versions, format=SWISS)
    for job in books.dispatch():
        books.record(played(job))
    with books.write() as session:
        mine = (Entry.season_id == season.id, Entry.version_id == versions[0].id)
        session.execute(update(Entry).where(*mine).values(out="suspended", out_at=books.clock()))
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        later = session.scalars(select(Match).where(Match.season_id == season.id, Match.round > 0))
        sat = {seat.version_id for match in later for seat in match.seats}
    assert sat == {version.id for version in versions[1:]}


def test_newcomers_are_placed_in_the_second_season_of_a_league(books: Books, charlie: User) -> None:
    versions = field(books, 4)
    form = {**SWISS, "placement": 2}
    first = season_of(books, charlie, versions, format=form)
    assert [one["stage"] for one in books.season(first).rounds] == ["swiss"]
    play_out(books)
    new = books.bot(books.person("new"), "bot")
    more = {"name": "summer", "seed": "another seed for tests", "format": form}
    season = season_of(books, charlie, [*versions, new], **more)
    play_out(books)
    assert [one["stage"] for one in books.season(season).rounds][:2] == ["placement", "swiss"]
    with books.read() as session:
        where = (Match.season_id == season.id, Match.round == 0)
        for match in session.scalars(select(Match).where(*where)):
            assert match.seats[0].version_id == new.id


def test_an_adaptive_season_finds_the_best_and_stops(books: Books, charlie: User) -> None:
    versions = field(books, 6)
    form = {"kind": "adaptive", "question": "champion"}
    season = season_of(books, charlie, versions, format=form)
    play_out(books, bring_by(by_strength(versions, 60)))
    rows, matches, _, told, _ = story(books, season)
    assert told[0].startswith("p00/bot")
    assert "tail" in {one["stage"] for one in rows}
    with books.read() as session:
        row = session.get_one(Season, season.id)
        plan, entered = season_progress.format_of(row), season_progress.field_of(session, row)
    assert len(matches) < course.budget(plan, entered)


def test_the_winner_of_a_knock_out_is_told(books: Books, charlie: User) -> None:
    versions = field(books, 9)
    season = season_of(books, charlie, versions, format=KNOCK_OUT)
    play_out(books, bring_by(by_strength(versions, 2000)))
    *_, order = story(books, season)
    assert order[0].startswith("p00/bot")
    assert len(order) == 9
    ties = [one["ties"] for one in books.season(season).rounds if one["stage"] == "knock-out"]
    assert [len(one) for one in ties] == [4, 2, 1]
    with books.read() as session:
        told = queries.season(session, None, season.id)
    assert told.trophy == Trophy(champion="p00/bot", shared=[])
    assert "p00/bot" in told.rounds[-1].ties[0]


def test_a_knock_out_without_a_final_has_no_champion(books: Books, charlie: User) -> None:
    versions = field(books, 9)
    season = season_of(books, charlie, versions, format=KNOCK_OUT | {"hours": 1})
    bring = bring_by(by_strength(versions, 2000))
    while all(one["stage"] != "knock-out" for one in books.season(season).rounds):
        for message in bring(books.dispatch()):
            books.record(message)
        tick(books.context)
    books.clock.pass_by(minutes=61)
    play_out(books, bring)
    ended = books.season(season)
    assert (ended.state, ended.places) == (SeasonState.FINISHED, [])
    with books.read() as session:
        told = queries.season(session, None, season.id)
    assert told.trophy is None


def test_forfeits_in_the_final_take_no_title(books: Books, charlie: User) -> None:
    versions = field(books, 4)
    strong, bouts = by_strength(versions, 2000), 0

    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        """The first wins, but for each eighth of its bouts, in which it crashes."""
        nonlocal bouts
        digests = [seat.version for seat in job.seats]
        if versions[0].digest not in digests:
            return strong(job, deal, rotation)
        bouts += 1
        seat = (digests.index(versions[0].digest) - rotation) % 2
        places = [2, 1] if (seat == 0) == (bouts % 8 == 0) else [1, 2]
        faults = [] if bouts % 8 else [Fault(0, seat, "crash")]
        return Bout(deal, rotation, [], places, [0, 0], "", faults)

    own = open_books(books.context.database.url, forfeit_matches=FINAL)
    season = season_of(own, charlie, versions, format=KNOCK_OUT)
    play_out(own, bring_by(bout))
    assert own.version(versions[0].id).rated_matches == FINAL, "it reached that many in the final"
    *_, order = story(own, season)
    assert order[0].startswith("p00/bot")
    with own.read() as session:
        assert {one.out for one in session.scalars(select(Entry))} == {""}
    own.context.close()


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"matches": 1}, "budget of 1 matches does not cover a round"),
        ({"matches": 30_000}, "30000 matches; a season has 20000"),
        ({"kind": "knock-out", "matches": 10}, "raise the budget"),
    ],
)
def test_a_season_that_cannot_be_played_does_not_start(
    form: dict[str, Any], why: str, books: Books, charlie: User
) -> None:
    with pytest.raises(Conflict, match=why):
        season_of(books, charlie, field(books, 4), format=form)


def test_a_swiss_season_at_larger_tables_from_an_earlier_release_does_not_start(
    books: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.services.seasons.changed_format", lambda *_: None)
    books.league(game="skull", paused=True)
    with books.write() as session:
        knobs: dict[str, Any] = {"settings": books.settings, "now": books.clock()}
        leagues.create(session, charlie, name="wide", game="skull", seats=3, **knobs)
    versions = [books.bot(books.person(f"p{n}"), "bot", game="skull") for n in range(3)]
    with pytest.raises(Conflict, match="a swiss season pairs two rivals"):
        season_of(books, charlie, versions, league="wide", format=SWISS)


def test_a_season_that_ran_before_rounds_were_kept_ends_with_its_matches(
    books: Books, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, 3))
    with books.write() as session:
        session.execute(update(Season).values(round=0, rounds=[]))
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        assert len(session.scalars(select(Match.id)).all()) == 6


def test_a_bot_that_never_played_shares_no_first_place(books: Books, charlie: User) -> None:
    versions = field(books, 4)
    season = season_of(books, charlie, versions)
    with books.write() as session:
        entry = session.get_one(Season, season.id).entries[3]
        exclusions.exclude_entry(
            session, entry, "suspended", exclusions.AUTHOR_GONE, now=books.clock()
        )
    play_out(books, bring_by(by_strength(versions, 2000)))
    with books.read() as session:
        told = queries.season(session, None, season.id)
        board = queries.season_standings(session, None, season.id)
    assert (board.lines[3].matches, board.lines[3].rank_range) == (0, (1, 4))
    assert told.trophy == Trophy(champion="p00/bot", shared=[])
    assert finding(board) == "p00/bot leads, and we are sure"
