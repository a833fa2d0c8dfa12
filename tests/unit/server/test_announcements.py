"""Owners' notices of a season: its start, each change of rank, its end, each of them once."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from matchbox.match.wire import PlayMatch
from server.db.models import (
    Delivery,
    Entry,
    Match,
    MatchState,
    Notice,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
    Webhook,
)
from server.services import announcements, notices, operations, seasons, standings
from server.services.standings import scope_of
from server.services.tick import tick
from tests.books import Books, play_out, played, season_of
from tests.plans import explained


def told(books: Books, user: User, kind: str) -> list[str]:
    """The account's notices of that kind, oldest first."""
    with books.read() as session:
        mine = select(Notice).where(Notice.user_id == user.id, Notice.kind == kind)
        return [row.text for row in session.scalars(mine.order_by(Notice.id))]


def field(books: Books, *people: User) -> list[Version]:
    """A bot for each owner, in a league whose own queue rests."""
    books.league(paused=True)
    return [books.bot(person, f"bot-{place}") for place, person in enumerate(people)]


def test_each_owner_is_told_the_start_once_with_all_their_bots(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    season_of(books, charlie, field(books, alice, alice, bob))
    for _ in range(3):
        tick(books.context)
    assert told(books, alice, "season-start") == [
        "Season spring has begun. alice/bot-0 plays with version 1. alice/bot-1 plays with "
        "version 1."
    ]
    assert told(books, bob, "season-start") == [
        "Season spring has begun. bob/bot-2 plays with version 1."
    ]
    assert not told(books, charlie, "season-start")


def test_who_has_too_many_bots_for_a_notice_is_told_how_many_are_not_in_it(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcements, "MAX_CHARACTERS", 130)
    season_of(books, charlie, field(books, alice, alice, alice, bob))
    tick(books.context)
    (text,) = told(books, alice, "season-start")
    assert text == (
        "Season spring has begun. alice/bot-0 plays with version 1. And 2 more: see the page of "
        "the season."
    )
    assert "more" not in told(books, bob, "season-start")[0]


def test_each_owner_is_told_the_end_once_with_rank_and_range(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, alice, bob, bob))
    play_out(books)
    tick(books.context)
    with books.read() as session:
        lines = session.get_one(Standing, scope_of(season)).lines
        ranges = {line["version_id"]: (line["rank"], *line["rank_range"]) for line in lines}
        first = session.scalars(select(Entry).order_by(Entry.id)).first()
        assert first is not None
        rank, low, high = ranges[first.version_id or 0]
    truly = f"{low}" if low == high else f"{low} to {high}"
    (text,) = told(books, alice, "season-end")
    assert text == (
        f"Season spring is over. alice/bot-0 came to rank {rank} of 3 (it may truly be {truly})."
    )
    (other,) = told(books, bob, "season-end")
    assert other.count("came to rank") == 2
    with books.read() as session:
        assert session.get_one(Season, season.id).announced == announcements.END


def test_the_end_of_a_knock_out_is_told_with_the_places_in_it(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    mine, his, other = field(books, alice, bob, bob)
    form = {"kind": "knock-out", "group": 3}
    season = season_of(books, charlie, [mine, his, other], format=form)
    announce(books, season)
    rate(books, season, {his.id: 1, mine.id: 2, other.id: 3})
    with books.write() as session:
        row = session.get_one(Season, season.id)
        row.state, row.places = SeasonState.FINISHED, [mine.id, his.id, other.id]
    announce(books, season)
    assert told(books, alice, "season-end") == [
        "Season spring is over. alice/bot-0 came to place 1 of 3."
    ]
    assert told(books, bob, "season-end") == [
        "Season spring is over. bob/bot-1 came to place 2 of 3. bob/bot-2 came to place 3 of 3."
    ]


@pytest.mark.parametrize("started", [True, False])
def test_a_cancelled_season_is_told_without_ranks(
    started: bool, books: Books, alice: User, bob: User, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, alice, bob))
    with books.write() as session:
        row = session.get_one(Season, season.id)
        row.announced = announcements.START if started else 0
        seasons.cancel(session, charlie, row.id, now=books.clock())
    for _ in range(2):
        tick(books.context)
    assert told(books, alice, "season-end") == ["Season spring was cancelled."]
    assert not told(books, alice, "season-start")


def test_the_start_names_no_version_of_a_bot_that_is_out(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, alice, bob, bob))
    with books.write() as session:
        operations.disqualify(session, charlie, season.id, "alice/bot-0", "why", now=books.clock())
    tick(books.context)
    assert told(books, alice, "season-start") == [
        "Season spring has begun. alice/bot-0 was disqualified."
    ]


def finish_round(books: Books, season: Season, number: int, ranks: dict[int, int]) -> None:
    """Ends the matches of that round, with a standing that gives these ranks by version."""
    books.clock.pass_by(minutes=1)
    with books.write() as session:
        which = (Match.season_id == season.id, Match.round == number)
        for match in session.scalars(select(Match).where(*which)):
            match.state, match.finished_at = MatchState.FINISHED, books.clock()
    rate(books, season, ranks)


def rate(books: Books, season: Season, ranks: dict[int, int]) -> None:
    """Stores these ranks as the present standing."""
    lines: list[Any] = [
        {"version_id": version, "rank": rank, "rank_range": [rank, rank + 1]}
        for version, rank in ranks.items()
    ]
    with books.write() as session:
        row = session.get(Standing, scope_of(season)) or Standing(scope=scope_of(season))
        row.rows_digest = row.field = "x"
        row.lines, row.matches, row.computed_at = lines, 1, books.clock()
        session.add(row)


def announce(books: Books, season: Season) -> bool:
    """Sends the due notices of the season; returns whether there were any."""
    with books.read() as session:
        due = season.id in announcements.due(session)
    with books.write() as session:
        assert announcements.announce(session, season.id, now=books.clock()) == due
    return due


def test_a_change_of_rank_is_told_at_the_end_of_a_round_once_for_each_bot(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    versions = field(books, alice, bob, bob)
    mine, his, other = (version.id for version in versions)
    season = season_of(books, charlie, versions)
    assert announce(books, season)
    rate(books, season, {mine: 3, his: 2, other: 1})
    assert not announce(books, season), "no round is over"
    finish_round(books, season, 0, {mine: 1, his: 2, other: 3})
    assert announce(books, season)
    assert not told(books, alice, "rank-change"), "there was no rank before"
    finish_round(books, season, 1, {mine: 2, his: 1, other: 3})
    assert announce(books, season)
    assert not announce(books, season)
    assert told(books, alice, "rank-change") == [
        "alice/bot-0 fell from rank 1 to 2 of 3 (it may truly be 2 to 3) after round 2 of season "
        "spring."
    ]
    assert told(books, bob, "rank-change") == [
        "bob/bot-1 rose from rank 2 to 1 of 3 (it may truly be 1 to 2) after round 2 of season "
        "spring."
    ]


def test_a_round_is_not_told_before_the_standing_has_its_results(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    versions = field(books, alice, bob, bob)
    season = season_of(books, charlie, versions)
    announce(books, season)
    rate(books, season, {versions[0].id: 1})
    books.clock.pass_by(minutes=1)
    with books.write() as session:
        for match in session.scalars(select(Match).where(Match.round == 0)):
            match.state, match.finished_at = MatchState.FINISHED, books.clock()
    assert not announce(books, season)
    rate(books, season, {versions[0].id: 1})
    assert announce(books, season)


def test_a_whole_season_tells_at_most_one_change_for_each_bot_and_round(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, alice, bob, bob, alice), cycles=2)

    def one_by_one(jobs: list[PlayMatch]) -> Any:
        for job in jobs:
            yield played(job)
            books.clock.pass_by(seconds=5)
            tick(books.context)

    play_out(books, one_by_one)
    with books.read() as session:
        rounds = session.get_one(Season, season.id).round
    for person, bots in ((alice, ("bot-0", "bot-3")), (bob, ("bot-1", "bot-2"))):
        changes = told(books, person, "rank-change")
        for bot in bots:
            places = [text.partition("after ")[2] for text in changes if bot in text]
            assert len(places) == len(set(places)) < rounds


def test_a_standing_that_misses_the_last_result_of_a_round_tells_no_ranks(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    versions = field(books, alice, bob)
    season = season_of(books, charlie, versions, format={"kind": "round-robin", "cycles": 2})
    announce(books, season)
    first, *_ = books.dispatch()
    with books.read() as session:
        seen_before = standings.compute(session, scope_of(season))
    books.record(played(first))
    books.clock.pass_by(seconds=1)
    with books.write() as session:
        standings.store(session, seen_before, now=books.clock())
    assert not announce(books, season)
    with books.write() as session:
        standings.refresh(session, scope_of(season), now=books.clock())
    assert announce(books, season)


def test_ranks_are_told_though_a_clock_was_ahead_when_the_round_ended(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    season = season_of(books, charlie, field(books, alice, bob))
    announce(books, season)
    first, *_ = books.dispatch()
    books.clock.pass_by(minutes=60)
    books.record(played(first))
    books.clock.pass_by(minutes=-60)
    with books.write() as session:
        standings.refresh(session, scope_of(season), now=books.clock())
    assert announce(books, season)


def test_a_notice_more_takes_no_statement_more(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    people = [books.person(f"author-{number}") for number in range(12)]
    with books.write() as session:
        for person in people:
            session.add(Webhook(user_id=person.id, url="https://a", secret="x", created_at=0))
            session.get_one(User, person.id).email = f"{person.name}@example.org"
    counts = []
    for some in (people[:2], people[2:]):
        with books.write() as session, explained(session) as plans:
            told = [(one.id, f"Hello {one.name}.") for one in some]
            made = notices.notify_accounts(session, told, "season-end", "season:1", now=1)
        assert len(made) == len(some)
        counts.append(len(plans))
    assert counts[0] == counts[1]
    with books.read() as session:
        for person in people:
            (notice,) = session.scalars(select(Notice).where(Notice.user_id == person.id))
            assert notice.text == f"Hello {person.name}."
            sent = select(Delivery).where(Delivery.notice_id == notice.id).order_by(Delivery.id)
            assert [one.webhook_id is None for one in session.scalars(sent)] == [True, False]
