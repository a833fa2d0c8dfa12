"""Matches made void and played again: what stays readable, what counts, and the deals used."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from matchbox import registry
from matchbox.answers.standings import Board
from matchbox.errors import BadOption, Conflict, Forbidden
from matchbox.match.wire import PlayMatch
from server import queries
from server.db.models import (
    UNFINISHED,
    Audit,
    Comparison,
    Match,
    MatchState,
    Rating,
    Season,
    SeasonState,
    Standing,
    User,
)
from server.services import comparisons, operations, replacements, seasons, standings, voids
from server.services.embargo import embargoed_matches
from server.services.fixtures import deals_of, match_id
from server.services.tick import tick
from tests.books import SIMPLE, Books, compute_standings, play_out, played, season_of


@pytest.fixture
def season(books: Books, alice: User, bob: User, charlie: User) -> Season:
    """A season of two bots with four matches, running."""
    books.league(paused=True)
    return season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")], cycles=2)


def names(books: Books, *states: MatchState) -> list[str]:
    """Returns the ids of the matches in these states, by number."""
    with books.read() as session:
        query = select(Match.id).where(Match.state.in_(states)).order_by(Match.number)
        return list(session.scalars(query))


def void(
    books: Books, user: User, name: str, reason: str = "the arena lost its disk", **more: bool
) -> str | None:
    """Makes the match void; returns the id of its replacement."""
    with books.write() as session:
        match = session.get_one(Match, name)
        new = voids.void(session, user, match.id, reason, **more, now=books.clock())
        return new.id if new is not None else None


def again(books: Books, user: User, name: str) -> str:
    """Plays the void match again; returns the new match's id."""
    with books.write() as session:
        match = session.get_one(Match, name)
        return voids.play_again(session, user, match.id, "the disk is back", now=books.clock()).id


def play_one(books: Books) -> str:
    """Finishes the first match and returns its id; the others wait."""
    first, *others = books.dispatch()
    assert books.record(played(first))
    with books.write() as session:
        for job in others:
            session.get_one(Match, job.match).state = MatchState.QUEUED
    return first.match


def deals(books: Books, name: str) -> list[str]:
    """Returns the seeds of a match's deals."""
    return books.match(name).deals


def test_a_void_match_keeps_its_record_and_counts_no_more(
    books: Books, season: Season, charlie: User
) -> None:
    play_out(books)
    first, *others = names(books, MatchState.FINISHED)
    before = queries_of(books, season)
    assert void(books, charlie, first) is None
    with books.read() as session:
        told = queries.match(session, None, first)
        assert (told.state, told.embargo) == ("void", None)
        assert told.void_why == "the arena lost its disk"
        assert len(told.bouts or []) == 4
        assert queries.record_of(session, first).match == first
    exported = [record.match for _, record in queries.season_records(books.read, season.id)]
    assert exported == others
    compute_standings(books)
    after = queries_of(books, season)
    assert (before.matches, after.matches) == (4, 3)
    assert after.rows_digest != before.rows_digest


def test_a_reason_is_free_text_and_changes_nothing_else(
    books: Books, season: Season, charlie: User
) -> None:
    play_out(books)
    finished = names(books, MatchState.FINISHED)
    for match, reason in zip(
        finished, ("the season was cancelled", "out of the season: alice/one"), strict=False
    ):
        void(books, charlie, match, reason)
    with books.read() as session:
        shown = queries.season(session, None, season.id)
    assert (shown.matches, shown.finished) == (2, 2)
    with books.write() as session:
        row = session.get_one(Season, season.id)
        row.state = SeasonState.RUNNING
        for act in (operations.disqualify, operations.reinstate):
            act(session, charlie, season.id, "alice/one", "a mistake", now=books.clock())
    assert names(books, MatchState.QUEUED) == []


def queries_of(books: Books, season: Season) -> Board:
    """Returns the season's stored standing."""
    with books.read() as session:
        return queries.season_standings(session, None, season.id)


def test_a_finished_match_is_played_again_on_fresh_deals(
    books: Books, season: Season, charlie: User
) -> None:
    old = play_one(books)
    new = void(books, charlie, old, again=True)
    assert new is not None
    assert not set(deals(books, new)) & set(deals(books, old)), "the old ones could be read"
    was, now = books.match(old), books.match(new)
    assert (now.replaces, now.number, now.round) == (old, 4, was.round)
    assert [one.version_id for one in now.seats] == [one.version_id for one in was.seats]
    assert (now.limits, now.width, now.why) == (was.limits, was.width, was.why)
    with books.read() as session:
        assert queries.match(session, None, old).replaced_by == new
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED
    assert queries_of(books, season).matches == 4


def test_what_was_never_over_is_played_again_on_its_own_deals(
    books: Books, season: Season, charlie: User
) -> None:
    job, *others = books.dispatch()
    new = void(books, charlie, job.match, again=True)
    assert new is not None
    assert deals(books, new) == job.deals
    with books.read() as session:
        assert embargoed_matches(session, [job.match, new]) == {job.match, new}, (
            "nobody can read them yet"
        )
    assert not books.record(played(job)), "what comes back of the void one is not wanted"
    assert all(books.record(played(other)) for other in others)
    play_out(books)
    assert queries_of(books, season).matches == 4


def test_what_is_played_again_later_has_fresh_deals(
    books: Books, season: Season, charlie: User
) -> None:
    (job, *_) = books.dispatch()
    assert void(books, charlie, job.match) is None
    new = again(books, charlie, job.match)
    assert not set(deals(books, new)) & set(job.deals)
    with pytest.raises(Conflict, match="played again already"):
        again(books, charlie, job.match)


def test_a_seed_tells_the_same_replacement_everywhere(
    books: Books, season: Season, charlie: User
) -> None:
    new = void(books, charlie, play_one(books), again=True)
    assert new == match_id(season.seed, 4)
    assert deals(books, new) == list(deals_of(f"again:{season.seed}", 4, 2))


@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 401])
def test_a_reason_must_be_given(reason: str, books: Books, season: Season, charlie: User) -> None:
    old = play_one(books)
    with pytest.raises(BadOption, match="say why"):
        void(books, charlie, old, reason)
    assert books.match(old).state == MatchState.FINISHED


def test_every_database_can_store_a_reason() -> None:
    assert voids.reason_of(" no\0 disk \ud800") == "no\ufffd disk ?"


def test_only_operators_may(books: Books, season: Season, alice: User, charlie: User) -> None:
    old = play_one(books)
    with pytest.raises(Forbidden):
        void(books, alice, old)
    void(books, charlie, old)
    with pytest.raises(Forbidden):
        again(books, alice, old)


def test_what_cannot_be_is_refused_with_a_reason(
    books: Books, season: Season, charlie: User
) -> None:
    old = play_one(books)
    with pytest.raises(Conflict, match="make it void first"):
        again(books, charlie, old)
    void(books, charlie, old)
    with pytest.raises(Conflict, match="void already"):
        void(books, charlie, old)
    with books.write() as session:
        row = session.get_one(Season, season.id)
        seasons.cancel(session, charlie, row.id, now=books.clock())
    with pytest.raises(Conflict, match="is cancelled"):
        again(books, charlie, old)


def test_a_match_of_a_bot_that_is_out_of_the_season_is_not_played_again(
    books: Books, season: Season, charlie: User
) -> None:
    old = play_one(books)
    with books.write() as session:
        operations.disqualify(session, charlie, season.id, "bob/two", "spam", now=books.clock())
    with pytest.raises(Conflict, match="is out of the season; reinstate it first"):
        void(books, charlie, old, again=True)
    assert void(books, charlie, old) is None
    with pytest.raises(Conflict, match="is out of the season; reinstate it first"):
        again(books, charlie, old)


def ranked_match(books: Books, *owners: User) -> str:
    """The id of a finished ranked match between new bots of these owners."""
    books.league()
    for owner in owners:
        books.bot(owner, "one")
    with books.write() as session:
        books.feed(session)
    return play_one(books)


def test_a_ranked_match_of_an_idle_version_or_of_old_rules_is_not_played_again(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    old = ranked_match(books, alice, bob)
    books.bot(alice, "one", SIMPLE + b"# newer\n")
    with pytest.raises(Conflict, match="is not active any more"):
        void(books, charlie, old, again=True)
    with books.write() as session:
        session.get_one(Match, old).rules = "0"
    with pytest.raises(Conflict, match="under rules 0, which are not played now"):
        void(books, charlie, old, again=True)


def test_a_ranked_match_that_is_played_again_has_the_next_number_of_the_ranked_matches(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    old = ranked_match(books, alice, bob)
    with books.write() as session:
        last = max(session.scalars(select(Match.number).where(Match.is_ranked)))
        row = session.get_one(Match, old)
        compared = Comparison(
            owner_id=alice.id, league_id=row.league_id, challenger_id=row.seats[0].version_id,
            defender_id=row.seats[1].version_id, bounds=[], deals=1, most=1, seed="ab" * 16,
            created_at=0,
        )  # fmt: skip
        session.add(compared)
        session.flush()
        given = {"league_id": row.league_id, "comparison_id": compared.id, "rules": row.rules}
        given |= {"deals": row.deals, "limits": row.limits, "why": "", "width": 1, "created_at": 0}
        session.add(Match(id="c" * 32, number=last + 500, state=MatchState.FINISHED, **given))
    new = void(books, charlie, old, again=True)
    assert new is not None
    assert books.match(new).number == last + 1


def test_a_ranked_match_of_a_closed_account_or_of_a_game_that_is_gone_is_not_played_again(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ranked_match(books, alice, bob)
    with monkeypatch.context() as patch:
        patch.setattr(registry, "packages", dict)
        with pytest.raises(Conflict, match="is not installed any more"):
            void(books, charlie, old, again=True)
    with books.write() as session:
        session.get_one(User, alice.id).closed_at = books.clock()
    with pytest.raises(Conflict, match=f"the account of a bot of match {old} is closed"):
        void(books, charlie, old, again=True)


def test_the_rounds_of_a_season_are_read_only_where_they_decide(
    books: Books, season: Season, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_out(books)
    monkeypatch.setattr(voids, "has_opened", None)
    assert void(books, charlie, names(books, MatchState.FINISHED)[0]) is None


def test_matches_that_are_replaced_together_have_numbers_in_a_row(
    books: Books, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def next_number(session: Session, *which: object) -> int:
        asked.append(which)
        return 100

    monkeypatch.setattr(replacements, "next_number", next_number)
    with books.write() as session:
        old = session.scalars(select(Match).order_by(Match.number)).all()
        new = replacements.replace(session, old, now=books.clock())
        assert [one.number for one in new] == [100 + at for at in range(len(old))]
    assert len(asked) == 1


def test_a_season_that_is_over_plays_nothing_again(
    books: Books, season: Season, charlie: User
) -> None:
    play_out(books)
    old = names(books, MatchState.FINISHED)[0]
    with pytest.raises(
        Conflict, match="is finished, so nothing is played in it; make the match void"
    ):
        void(books, charlie, old, again=True)
    assert books.match(old).state == MatchState.FINISHED


def test_a_match_of_a_comparison_is_void_only_before_it_counts_and_never_again(
    books: Books, alice: User, charlie: User
) -> None:
    books.league()
    for number in (1, 2):
        books.bot(alice, "one", SIMPLE + b"# %d\n" % number)
    with books.write() as session:
        comparisons.start(
            session, alice, "alice/one", games=200, settings=books.settings, now=books.clock()
        )
    books.clock.pass_by(minutes=1)
    tick(books.context)
    jobs = books.sent(PlayMatch)
    counted, waiting = (job.match for job in jobs[:2])
    books.record(played(jobs[0]))
    with pytest.raises(Conflict, match="which has counted it"):
        void(books, charlie, counted)
    with pytest.raises(Conflict, match="which schedules its own"):
        void(books, charlie, waiting, again=True)
    assert void(books, charlie, waiting) is None
    assert books.match(waiting).state == MatchState.VOID


def test_in_a_knock_out_nobody_is_called_back(books: Books, season: Season, charlie: User) -> None:
    play_out(books)
    old = names(books, MatchState.FINISHED)[0]
    with books.write() as session:
        session.get_one(Season, season.id).format = {"kind": "knock-out"}
    with pytest.raises(Conflict, match="its next round depends on"):
        void(books, charlie, old)


def test_in_a_knock_out_only_the_newest_round_is_played_again(books: Books, charlie: User) -> None:
    books.league(paused=True)
    bots = [books.bot(books.person(f"p{number}"), "bot") for number in range(4)]
    season = season_of(books, charlie, bots, format={"kind": "knock-out", "group": 4})
    while books.season(season).rounds[-1]["stage"] != "knock-out":
        for job in books.dispatch():
            books.record(played(job))
        books.clock.pass_by(minutes=1)
        tick(books.context)
    with pytest.raises(Conflict, match="its next round depends on"):
        void(books, charlie, names(books, MatchState.FINISHED)[0])
    for match in names(books, *UNFINISHED):
        assert void(books, charlie, match, again=True) is not None


def test_a_void_ranked_match_leaves_the_ratings_of_bots_that_did_not_sit_there(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    league = books.league()
    sat = [books.bot(user, "one").id for user in (alice, bob)]
    with books.write() as session:
        books.feed(session)
    old = play_one(books)
    other = books.bot(books.person("dora"), "one").id
    with books.write() as session:
        session.add(Rating(league_id=league.id, version_id=other, mu=25.0, sigma=8.0, matches=3))
    void(books, charlie, old)
    with books.read() as session:
        matches = {row.version_id: row.matches for row in session.scalars(select(Rating))}
    assert matches == {**dict.fromkeys(sat, 0), other: 3}


def test_a_void_match_of_old_rules_leaves_the_ratings_of_the_present_ones(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    old = ranked_match(books, alice, bob)
    with books.write() as session:
        session.get_one(Match, old).rules = "0"
    void(books, charlie, old)
    with books.read() as session:
        assert [row.matches for row in session.scalars(select(Rating))] == [1, 1]


def test_a_void_ranked_match_leaves_the_ratings_with_the_next_refit(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    league = books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    with books.write() as session:
        books.feed(session)
    old = play_one(books)
    books.clock.pass_by(minutes=1)
    tick(books.context)
    scope = standings.scope_of(league)
    with books.read() as session:
        assert session.get_one(Standing, scope).matches == 1
        assert [row.matches for row in session.scalars(select(Rating))] == [1, 1]
    void(books, charlie, old)
    with books.read() as session:
        assert [row.matches for row in session.scalars(select(Rating))] == [0, 0]
    books.clock.pass_by(minutes=1)
    tick(books.context)
    with books.read() as session:
        assert session.get_one(Standing, scope).matches == 0
        (one, other) = session.scalars(select(Rating))
        assert one.mu == pytest.approx(other.mu)


def test_a_standing_is_renewed_where_another_match_has_filled_the_gap(
    books: Books, season: Season, charlie: User
) -> None:
    old = play_one(books)
    books.clock.pass_by(minutes=1)
    tick(books.context)
    before = queries_of(books, season).rows_digest
    void(books, charlie, old)
    (job, *_) = [one for one in books.dispatch() if one.match != old]
    books.record(played(job))
    books.clock.pass_by(minutes=1)
    tick(books.context)
    after = queries_of(books, season)
    assert (after.matches, after.rows_digest == before) == (1, False)


def test_the_log_says_who_and_why(books: Books, season: Season, charlie: User) -> None:
    old = play_one(books)
    new = void(books, charlie, old, again=True)
    with books.read() as session:
        line = session.scalars(select(Audit).where(Audit.action == "match.void")).one()
    assert (line.actor_id, line.subject) == (charlie.id, f"match:{old}")
    assert line.detail == {"reason": "the arena lost its disk", "new": new}
