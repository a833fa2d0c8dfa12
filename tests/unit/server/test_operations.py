"""Operators' actions on a running season: exclude, repeat a round, compute the standing; and the
audit log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from matchbox.answers.platform import AuditLine
from matchbox.answers.standings import Board
from matchbox.errors import BadOption, Conflict, Forbidden, NotFound
from matchbox.league.format import Format, given
from server import queries
from server.db.models import (
    Audit,
    Bot,
    Entry,
    Match,
    MatchState,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
    VersionState,
    VoidCause,
)
from server.services import accounts, audit, entries, exclusions, operations, seasons, standings
from server.services.tick import tick
from tests.books import Books, compute_standings, play_out, played, season_of, start

WHY = "two accounts, one author"


@pytest.fixture
def bots(books: Books, alice: User, bob: User) -> list[Version]:
    """Three bots, each of another owner."""
    books.league(paused=True)
    dora = books.person("dora")
    return [books.bot(owner, f"{owner.name}-bot") for owner in (alice, bob, dora)]


@pytest.fixture
def season(books: Books, bots: list[Version], charlie: User) -> Season:
    """Their season, running: two matches of every pair."""
    return season_of(books, charlie, bots)


def do(books: Books, deed: Callable[..., Any], user: User, season: Season, *more: Any) -> Any:
    """Lets the account do the deed to the season; a version stands for its bot."""
    with books.write() as session:
        given = [
            session.get_one(Bot, one.bot_id).full_name if isinstance(one, Version) else one
            for one in more
        ]
        return deed(session, user, season.id, *given, now=books.clock())


def play(books: Books, count: int) -> None:
    """Plays `count` of the sent matches; the others wait again."""
    for place, job in enumerate(books.dispatch()):
        if place < count:
            assert books.record(played(job))
        else:
            with books.write() as session:
                session.get_one(Match, job.match).state = MatchState.QUEUED


def matches_of(books: Books, version: Version) -> list[Match]:
    """Returns the version's matches, by number."""
    with books.read() as session:
        its_own = exclusions.has_seat_of(version.id)
        return list(session.scalars(select(Match).where(its_own).order_by(Match.number)))


def board(books: Books, season: Season) -> Board:
    """Returns the season's standing, computed now."""
    with books.write() as session:
        standings.refresh(session, standings.scope_of(season), now=books.clock())
        return queries.season_standings(session, None, season.id)


def test_who_is_disqualified_plays_no_more(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    cheat = bots[0]
    play(books, 3)
    stands = {m.id for m in matches_of(books, cheat) if m.state == MatchState.FINISHED}
    do(books, operations.disqualify, charlie, season, cheat, WHY)
    row = books.entry(cheat)
    assert (row.out, row.out_why, row.out_at) == ("disqualified", WHY, books.clock())
    for match in matches_of(books, cheat):
        assert match.state == (MatchState.FINISHED if match.id in stands else MatchState.VOID)
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED


def test_what_a_disqualified_bot_played_counts_for_nobody(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    play_out(books)
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    compute_standings(books)
    with books.read() as session:
        told = queries.season_standings(session, None, season.id)
    assert {line.bot for line in told.lines} == {"bob/bob-bot", "dora/dora-bot"}
    assert {line.matches for line in told.lines} == {2}
    do(books, operations.reinstate, charlie, season, bots[0], "it was two brothers")
    compute_standings(books)
    with books.read() as session:
        again = queries.season_standings(session, None, season.id)
    assert {line.matches for line in again.lines} == {4}
    assert len(again.lines) == 3


def test_who_is_reinstated_plays_what_was_void_for_it_on_fresh_deals(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    play(books, 1)
    owed = [m.id for m in matches_of(books, bots[0]) if m.state == MatchState.QUEUED]
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    books.clock.pass_by(minutes=1)
    made = do(books, operations.reinstate, charlie, season, bots[0], "it was two brothers")
    assert [books.match(name).replaces for name in made] == owed
    old = {deal for name in owed for deal in books.match(name).deals}
    new = {deal for name in made for deal in books.match(name).deals}
    assert not old & new, "the old ones could be read"
    assert books.entry(bots[0]).out == ""
    play_out(books)
    assert {line.matches for line in board(books, season).lines} == {4}


def test_two_that_are_out_meet_when_both_are_back(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    for version in bots[:2]:
        do(books, operations.disqualify, charlie, season, version, WHY)
        books.clock.pass_by(minutes=1)
    first = do(books, operations.reinstate, charlie, season, bots[0], "mistaken")
    assert len(first) == 2, "against the one who is in"
    second = do(books, operations.reinstate, charlie, season, bots[1], "mistaken")
    assert len(second) == 4
    play_out(books)
    assert {line.matches for line in board(books, season).lines} == {4}


def test_deeds_that_the_state_does_not_allow_are_refused(
    books: Books, bots: list[Version], charlie: User, alice: User
) -> None:
    with books.write() as session:
        row = seasons.create(session, charlie, name="empty", league="bomb", now=books.clock())
        bot = session.get_one(Bot, bots[0].bot_id)
        entries.enter(session, charlie, row.id, bot.full_name, now=books.clock())
    with pytest.raises(Conflict, match="season leave"):
        do(books, operations.disqualify, charlie, row, bots[0], WHY)
    with pytest.raises(Conflict, match="only a season that is running or paused"):
        do(books, operations.rerun, charlie, row, None, WHY)
    with pytest.raises(NotFound, match="is not in season"):
        do(books, operations.disqualify, charlie, row, bots[1], WHY)
    season = season_of(books, charlie, bots)
    with pytest.raises(Forbidden):
        do(books, operations.disqualify, alice, season, bots[1], WHY)
    with pytest.raises(BadOption, match="say why"):
        do(books, operations.disqualify, charlie, season, bots[1], "")
    with pytest.raises(Conflict, match="is not disqualified"):
        do(books, operations.reinstate, charlie, season, bots[1], WHY)
    do(books, operations.disqualify, charlie, season, bots[1], WHY)
    with pytest.raises(Conflict, match="already"):
        do(books, operations.disqualify, charlie, season, bots[1], WHY)
    do(books, seasons.cancel, charlie, season)
    with pytest.raises(Conflict, match="is cancelled; nothing counts"):
        do(books, operations.disqualify, charlie, season, bots[0], WHY)
    with pytest.raises(Conflict, match="is cancelled"):
        do(books, operations.reinstate, charlie, season, bots[1], WHY)


def without_the_first(books: Books, bots: list[Version], charlie: User, kind: str) -> Season:
    """A frozen season of these bots, the first of which is disqualified."""
    with books.write() as session:
        form = given(Format, {"kind": kind})
        season = seasons.create(
            session, charlie, name="frozen", league="bomb", format=form, now=books.clock()
        )
    for version in bots:
        do(books, entries.enter, charlie, season, version)
    do(books, seasons.freeze, charlie, season)
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    return season


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "adaptive", "knock-out"])
def test_who_is_disqualified_before_the_start_plays_no_match(
    books: Books, bots: list[Version], charlie: User, kind: str
) -> None:
    start(books, charlie, without_the_first(books, bots, charlie, kind))
    assert [len(matches_of(books, one)) > 0 for one in bots] == [False, True, True]


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "adaptive", "knock-out"])
def test_a_season_with_only_one_bot_that_is_not_out_does_not_start(
    books: Books, bots: list[Version], charlie: User, kind: str
) -> None:
    season = without_the_first(books, bots[:2], charlie, kind)
    with pytest.raises(Conflict, match="bots that are not out are too few"):
        start(books, charlie, season)


def test_a_suspended_bot_is_reinstated_by_its_version_and_may_be_disqualified(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    with books.write() as session:
        row = session.scalars(select(Entry).where(Entry.version_id == bots[0].id)).one()
        exclusions.exclude_entry(session, row, "suspended", "too many forfeits", now=books.clock())
        session.get_one(Version, bots[0].id).state = VersionState.SUSPENDED
    with pytest.raises(Conflict, match="reinstate its version"):
        do(books, operations.reinstate, charlie, season, bots[0], WHY)
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    assert books.entry(bots[0]).out == "disqualified"
    with pytest.raises(Conflict, match="was suspended since"):
        do(books, operations.reinstate, charlie, season, bots[0], WHY)


def test_a_bot_that_was_suspended_in_a_season_that_is_over_stays_out_of_it(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    with books.write() as session:
        row = session.scalars(select(Entry).where(Entry.version_id == bots[0].id)).one()
        exclusions.exclude_entry(session, row, "suspended", "too many forfeits", now=books.clock())
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED
    with pytest.raises(Conflict, match="season spring is over; alice/alice-bot can play no more"):
        do(books, operations.reinstate, charlie, season, bots[0], WHY)


def test_a_round_is_played_again_on_fresh_deals(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    play(books, 4)
    with books.read() as session:
        old = session.scalars(select(Match).where(Match.round == 1).order_by(Match.number)).all()
        old_deals = {deal for match in old for deal in match.deals}
    made = do(books, operations.rerun, charlie, season, 2, "the arenas lost their clocks")
    assert [books.match(name).replaces for name in made] == [match.id for match in old]
    assert {books.match(match.id).state for match in old} == {MatchState.VOID}
    for name in made:
        match = books.match(name)
        assert match.round == 1
        assert not set(match.deals) & old_deals
    with books.read() as session:
        assert queries.season(session, charlie, season.id).matches == 6, "not the void ones"
    play_out(books)
    assert {line.matches for line in board(books, season).lines} == {4}
    assert books.season(season).state == SeasonState.FINISHED


def test_the_last_round_is_meant_where_none_is_named(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    made = do(books, operations.rerun, charlie, season, None, WHY)
    assert {books.match(name).round for name in made} == {books.season(season).round - 1}
    for number in (0, 99):
        with pytest.raises(NotFound, match=f"round {number}"):
            do(books, operations.rerun, charlie, season, number, WHY)


def test_who_is_out_is_left_out_of_a_round_that_is_played_again(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    play_out(books, bring=lambda jobs: [played(job) for job in jobs[:5]])
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    with books.read() as session:
        rounds = set(session.scalars(select(Match.round).where(Match.state == MatchState.FINISHED)))
    for number in rounds:
        do(books, operations.rerun, charlie, season, number + 1, "no disk")
    with books.read() as session:
        fresh = session.scalars(select(Match).where(Match.state == MatchState.QUEUED)).all()
        sat = {seat.version_id for match in fresh for seat in match.seats}
    assert sat == {bots[1].id, bots[2].id}


def test_a_standing_is_computed_when_an_operator_asks(
    books: Books, season: Season, charlie: User, alice: User
) -> None:
    play(books, 2)
    scope = standings.scope_of(season)
    with books.read() as session:
        kept = session.get(Standing, scope) is not None
    for changed in (True, False):
        with books.write() as session:
            fresh = standings.compute(session, scope)
            operations.recompute(session, charlie, fresh, now=books.clock())
            noted = session.scalars(select(Audit).order_by(Audit.id.desc()).limit(1)).one()
            assert noted.detail["changed"] == changed
            assert ("ranks" in noted.detail) == (changed and kept)
            kept = True
    with books.write() as session, pytest.raises(Forbidden):
        operations.recompute(session, alice, fresh, now=books.clock())


def test_the_owner_is_told_of_a_disqualification_and_that_it_was_taken_back(
    books: Books, season: Season, bots: list[Version], charlie: User, alice: User, bob: User
) -> None:
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    do(books, operations.reinstate, charlie, season, bots[0], "it was two brothers")
    subject = f"season:{season.id}"
    assert books.notices(alice, "disqualification") == [
        (
            subject,
            f"alice/alice-bot is disqualified from season spring: {WHY}. It gets no further "
            "matches there, and its matches in that season no longer count. It is not entered "
            "into later seasons of the league by itself; you may enter it.",
        )
    ]
    assert books.notices(alice, "reinstatement") == [
        (
            subject,
            "alice/alice-bot is back in season spring: it was two brothers. What it has played "
            "there counts again.",
        )
    ]
    assert books.notices(bob, "disqualification") == books.notices(bob, "reinstatement") == []


def test_every_deed_is_in_the_log_with_its_reason(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    do(books, operations.reinstate, charlie, season, bots[0], "mistaken")
    do(books, operations.rerun, charlie, season, 1, "no disk")
    with books.read() as session:
        lines = session.scalars(
            select(Audit).where(Audit.subject == f"season:{season.id}").order_by(Audit.id)
        ).all()
        told = queries.audit(session, charlie, subject="season spring")
    deeds = {line.action: line.detail for line in lines}
    assert {line.actor_id for line in lines} == {charlie.id}
    assert deeds["season.disqualify"] == {"bot": "alice/alice-bot", "reason": WHY, "void": 4}
    assert deeds["season.reinstate"] == {"bot": "alice/alice-bot", "reason": "mistaken", "new": 4}
    assert deeds["season.rerun"]["reason"] == "no disk"
    assert {"season.create", "season.start"} <= set(deeds)
    assert [item.action for item in told.items] == [line.action for line in lines][::-1]
    assert {item.name for item in told.items} == {"spring"}


def test_the_log_is_read_page_by_page_by_operators(
    books: Books, charlie: User, alice: User, bots: list[Version]
) -> None:
    with books.write() as session:
        for number in range(5):
            subject = f"version:{bots[0].id}" if number % 2 else "match:" + "0" * 32
            deed: Any = f"deed.{number}"
            audit.note(session, charlie, deed, subject, now=books.clock() + number)
    accounts.create_user(charlie, books.acting(charlie), "erin", "long enough", "author")
    with books.read() as session:
        with pytest.raises(Forbidden):
            queries.audit(session, alice)
        seen: list[AuditLine] = []
        cursor = None
        while True:
            page = queries.audit(session, charlie, cursor=cursor, limit=2)
            seen += page.items
            cursor = page.next
            if cursor is None:
                break
        one = queries.audit(session, charlie, action="deed.1").items

        def about(subject: str) -> list[str]:
            return [line.action for line in queries.audit(session, charlie, subject=subject).items]

        version = f"version {bots[0].bot.full_name} v{bots[0].number}"
        assert about(version) == about(f"version:{bots[0].id}") == ["deed.3", "deed.1"]
        assert about(f"match {'0' * 8}") == ["deed.4", "deed.2", "deed.0"]
        assert about("user erin") == ["user.create"]
        for nothing in ("user nobody", "bot nobody/x", f"{version}9", "match %", "user", "arena a"):
            assert about(nothing) == []
    assert [item.action for item in seen][:6] == [
        "user.create", "deed.4", "deed.3", "deed.2", "deed.1", "deed.0",
    ]  # fmt: skip
    assert (seen[0].actor, seen[0].name) == ("charlie", "erin")
    assert [item.name for item in one] == ["alice/alice-bot v1"]
    assert seen[1].name == "0" * 32


def test_what_is_done_to_a_season_leaves_others_alone(
    books: Books, season: Season, bots: list[Version], charlie: User
) -> None:
    other = season_of(books, charlie, bots, name="other", seed="the seed of another one")
    do(books, operations.rerun, charlie, season, 1, WHY)
    with books.read() as session:
        void = select(Match.season_id).where(Match.state == MatchState.VOID).distinct()
        assert session.scalars(void).all() == [season.id]
    do(books, operations.disqualify, charlie, other, bots[0], WHY)
    with books.read() as session:
        out = select(Entry.season_id).where(Entry.out != "")
        assert session.scalars(out).all() == [other.id]
        excluded = select(Match.season_id).where(Match.void_cause == VoidCause.EXCLUDED)
        assert set(session.scalars(excluded)) == {other.id}
    do(books, operations.disqualify, charlie, season, bots[0], WHY)
    made = do(books, operations.reinstate, charlie, other, bots[0], WHY)
    with books.read() as session:
        assert session.scalars(out).all() == [season.id]
        assert made
        assert {session.get_one(Match, name).season_id for name in made} == {other.id}


def test_nobody_comes_back_to_a_knock_out_that_has_gone_on(
    books: Books, bots: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, bots, format={"kind": "knock-out", "group": 4})
    for deed in (operations.disqualify, operations.reinstate, operations.disqualify):
        do(books, deed, charlie, season, bots[2], WHY)
    while books.season(season).rounds[-1]["stage"] != "knock-out":
        for job in books.dispatch():
            books.record(played(job))
        books.clock.pass_by(minutes=1)
        tick(books.context)
    with pytest.raises(Conflict, match="is a knock-out and has gone on without the bot"):
        do(books, operations.reinstate, charlie, season, bots[2], WHY)
    play_out(books)
    do(books, operations.reinstate, charlie, season, bots[2], WHY)
