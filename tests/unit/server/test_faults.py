"""The fault policy: forfeits are counted, the first is announced, too many suspend a bot, and it
can return."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from matchbox.errors import BadOption, Conflict, FaultKind, Forbidden
from matchbox.match.record import Bout, Fault
from matchbox.match.wire import PlayMatch, TryOut
from server.db.models import (
    Audit,
    Entry,
    Event,
    Match,
    MatchState,
    Notice,
    Season,
    SeasonState,
    User,
    Version,
    VersionState,
)
from server.services import accounts, comparisons, exclusions, faults, operations, uploads, voids
from server.services.tick import tick
from tests.books import SIMPLE, Books, drawn, open_books, played, scripted, season_of, tried_out

BOUTS = 4
"""The bouts of a match here: two deals in two rotations."""


@dataclass
class Arena:
    """An arena in which one version forfeits every `every`-th of its first `first` bouts."""

    bad: Version
    every: int
    kind: FaultKind = "crash"
    first: int = 10_000
    bouts: int = 0

    def bout(self, job: PlayMatch, deal: int, rotation: int) -> Bout:
        """Returns a bout, lost by the version if its fault is due."""
        bout = replace(drawn(job, deal, rotation), faults=[])
        digests = [seat.version for seat in job.seats]
        if self.bad.digest not in digests:
            return bout
        self.bouts += 1
        if self.bouts % self.every or self.bouts > self.first:
            return bout
        seat = (digests.index(self.bad.digest) - rotation) % 2
        places = [2, 1] if seat == 0 else [1, 2]
        return replace(bout, places=places, faults=[Fault(0, seat, self.kind)])

    def play(self, books: Books) -> int:
        """Plays the queued matches; returns their number."""
        count = 0
        while jobs := books.dispatch():
            count += sum(books.record(played(job, scripted(job, self.bout))) for job in jobs)
        return count


@pytest.fixture
def ranked_of(books: Books, alice: User, bob: User) -> Callable[[int], Version]:
    """Queues this many ranked matches of alice's version against bob's; returns her version."""
    books.league()
    version = books.bot(alice, "shaky")
    books.bot(bob, "steady")

    def matches(count: int) -> Version:
        own = open_books(books.context.database.url, ranked_backlog=count)
        with own.write() as session:
            assert own.feed(session) == count
        own.context.close()
        return version

    return matches


def notices(books: Books, user: User) -> list[tuple[str, str]]:
    """Returns the kind and subject of the account's notices, in order."""
    with books.read() as session:
        told = select(Notice.kind, Notice.subject).where(Notice.user_id == user.id)
        found = session.execute(told.where(Notice.kind != "verdict").order_by(Notice.id))
        return [(kind, subject) for kind, subject in found]


def counts(books: Books, version: Version) -> tuple[int, int, int]:
    """Returns the version's matches, bouts and forfeits."""
    row = books.version(version.id)
    return row.rated_matches, row.rated_bouts, row.forfeits


def lift(books: Books, user: User, version: Version, reason: str = "mended box") -> None:
    """Lets an operator reinstate the version."""
    with books.write() as session:
        row = session.get_one(Version, version.id)
        operations.reinstate_version(session, user, row.id, reason, now=books.clock())


def test_the_first_forfeit_is_told_to_the_owner_and_no_other(
    books: Books, ranked_of: Callable[[int], Version], alice: User, bob: User
) -> None:
    version = ranked_of(8)
    assert Arena(version, every=3).play(books) == 8
    assert counts(books, version) == (8, 32, 10)
    (notice,) = notices(books, alice)
    assert notice[0] == "first-fault"
    assert notices(books, bob) == []
    with books.read() as session:
        told = session.scalars(select(Notice).where(Notice.kind == "first-fault")).one()
    assert "alice/shaky v1" in told.text
    assert "(crash)" in told.text
    assert "A forfeited bout is lost." in told.text
    assert told.subject.removeprefix("match:") in told.text


def test_a_forfeited_bout_of_a_team_scores_nothing(books: Books, alice: User) -> None:
    books.league(game="thegame")
    version = books.bot(alice, "team", game="thegame")
    fault = Fault(0, 0, "crash")

    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        return Bout(deal, rotation, [], [1, 1, 1], [0, 0, 0], "crash", [fault])

    with books.write() as session:
        assert books.feed(session)
    assert all(books.record(played(job, scripted(job, bout))) for job in books.dispatch())
    assert books.version(version.id).forfeits > 0
    with books.read() as session:
        told = session.scalars(select(Notice).where(Notice.kind == "first-fault")).one()
    assert "A forfeited bout scores 0." in told.text


def test_a_team_in_a_season_answers_for_the_faults_of_all_its_seats(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(game="thegame", paused=True)
    teams = [
        books.bot(owner, "team", b"# %d\n" % number, game="thegame")
        for number, owner in enumerate((alice, bob))
    ]
    season = season_of(books, charlie, teams, league="thegame", deals=4)

    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        seats = len(job.seats)
        kind: FaultKind = "crash" if deal == 1 else "excluded"
        faults = [Fault(0, deal % seats, kind)] if deal % 2 else []
        return Bout(deal, rotation, [], [1] * seats, [0] * seats, "", faults)

    jobs = books.dispatch()
    assert all(books.record(played(job, scripted(job, bout))) for job in jobs)
    deals = sum(len(job.deals) for job in jobs if job.seats[0].version == teams[0].digest)
    played_by = [job for job in jobs if job.seats[0].version == teams[0].digest]
    lost, crashes = sum(len(job.deals) // 2 for job in played_by), len(played_by)
    with books.write() as session:
        strict = dataclasses.replace(books.settings, forfeit_matches=1, forfeit_percent=1)
        found = session.get_one(Season, season.id)
        for number, why in faults.forfeiters(session, found, settings=strict):
            faults.take_out(session, session.get_one(Entry, number), why, now=books.clock())
    with books.read() as session:
        entry = session.scalars(select(Entry).where(Entry.version_id == teams[0].id)).one()
        assert entry.out_why.startswith(f"{lost} of {deals} bouts in ")
        assert entry.out_why.endswith(
            f" (faults of the last days: {crashes} crash; {lost - crashes} bouts were lost because "
            "a bot is out of a match after three faults)"
        )


@pytest.mark.parametrize(
    "every, matches, state",
    [
        (10, 19, VersionState.ACTIVE),
        (10, 20, VersionState.SUSPENDED),
        (20, 40, VersionState.ACTIVE),
        (19, 20, VersionState.ACTIVE),
        (19, 38, VersionState.SUSPENDED),
    ],
    ids=["too few matches", "10%", "5% sharp", "4 of 80", "5.3%"],
)
def test_more_than_5_percent_of_the_bouts_suspend_after_20_matches(
    every: int,
    matches: int,
    state: VersionState,
    books: Books,
    ranked_of: Callable[[int], Version],
) -> None:
    version = ranked_of(matches)
    Arena(version, every=every).play(books)
    assert books.version(version.id).state == state


def test_a_match_without_a_fault_may_be_the_20th(
    books: Books, ranked_of: Callable[[int], Version]
) -> None:
    version = ranked_of(20)
    Arena(version, every=10, first=19 * BOUTS).play(books)
    assert books.version(version.id).state == VersionState.SUSPENDED


def test_who_is_suspended_plays_no_more_and_is_told_why(
    books: Books, ranked_of: Callable[[int], Version], alice: User
) -> None:
    version = ranked_of(30)
    assert Arena(version, every=5).play(books) == 20
    with books.read() as session:
        left = session.scalars(select(Match.state).where(Match.state != MatchState.FINISHED)).all()
        assert left == [MatchState.VOID] * 10
        assert books.feed(session) == 0
        (line,) = session.scalars(select(Audit).where(Audit.action == "version.suspend"))
        assert (line.actor_id, line.subject) == (None, f"version:{version.id}")
        kinds = set(session.scalars(select(Event.kind)))
    assert "version.suspended" in kinds
    assert [kind for kind, _ in notices(books, alice)] == ["first-fault", "suspension"]
    trouble = books.version(version.id).trouble
    assert "16 of 80 bouts in 20 matches were forfeited: 20.0%" in trouble


def test_a_suspension_tells_the_faults_from_the_bouts_that_followed_from_them(
    books: Books, ranked_of: Callable[[int], Version], alice: User
) -> None:
    version = ranked_of(20)
    arena = Arena(version, every=2)

    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        arena.kind = "crash" if arena.bouts < 6 else "excluded"
        return arena.bout(job, deal, rotation)

    while jobs := books.dispatch():
        for job in jobs:
            books.record(played(job, scripted(job, bout)))
    why = " (faults of the last days: 3 crash; 37 bouts were lost because a bot is out of a match"
    assert why in books.version(version.id).trouble
    with books.read() as session:
        told = select(Notice.text).where(Notice.kind == "suspension")
        assert why in session.scalars(told).one()


def test_one_match_that_suspends_is_told_as_one(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    own = open_books(books.context.database.url, forfeit_matches=1)
    own.league(paused=True)
    version, other = own.bot(alice, "shaky"), own.bot(bob, "steady")
    season_of(own, charlie, [version, other])
    jobs = own.dispatch()
    arena = Arena(version, every=2)
    assert own.record(played(jobs[0], scripted(jobs[0], arena.bout)))
    why = (
        "2 of 4 bouts in 1 match were forfeited: 50.0%, and more than 5% suspends a version after "
        "1 match"
    )
    assert own.version(version.id).trouble == why
    own.context.close()


def test_a_suspension_says_which_version_the_bot_plays_on_with(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    version, other = books.bot(alice, "shaky"), books.bot(bob, "steady")
    season_of(books, charlie, [version, other], cycles=15)
    newer = books.bot(alice, "shaky", b"from matchbox.games.bomb import SimplePlayer as BOT\n")
    Arena(version, every=5).play(books)
    assert books.version(version.id).state == VersionState.SUSPENDED
    assert books.version(newer.id).state == VersionState.ACTIVE
    ((_, text),) = books.notices(alice, "suspension")
    assert text.endswith("between two rounds. Your bot plays on with version 2.")


def test_the_platform_s_faults_are_never_counted(
    books: Books, ranked_of: Callable[[int], Version], alice: User
) -> None:
    version = ranked_of(20)
    Arena(version, every=2, kind="platform").play(books)
    assert counts(books, version) == (20, 80, 0)
    assert notices(books, alice) == []


def test_the_house_s_bots_are_never_suspended(books: Books, alice: User) -> None:
    books.league()
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    shipped = books.bot(house, "simple")
    books.bot(alice, "one")
    arena = Arena(shipped, every=2)
    for _ in range(4):
        with books.write() as session:
            books.feed(session)
        arena.play(books)
    assert arena.bouts >= 20 * BOUTS
    assert counts(books, shipped) == (0, 0, 0)
    assert books.version(shipped.id).state == VersionState.ACTIVE


def test_a_bot_of_the_house_stays_in_its_season(books: Books, alice: User, charlie: User) -> None:
    books.league(paused=True)
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    entrants = [books.bot(house, "simple"), books.bot(alice, "one")]
    season_of(books, charlie, entrants, format={"kind": "adaptive", "cycles": 15})
    assert Arena(entrants[0], every=2).play(books) == 30
    tick(books.context)
    assert books.entry(entrants[0]).out == ""


def test_what_is_forfeited_in_a_comparison_is_not_counted(books: Books, alice: User) -> None:
    books.league()
    old, new = (books.bot(alice, "one", SIMPLE + b"# %d\n" % number) for number in (1, 2))
    with books.write() as session:
        comparisons.start(
            session, alice, "alice/one", games=200, settings=books.settings, now=books.clock()
        )
    books.clock.pass_by(minutes=1)
    tick(books.context)
    arena = Arena(new, every=1)
    for job in books.sent(PlayMatch):
        assert books.record(played(job, scripted(job, arena.bout)))
    assert arena.bouts > 0
    assert counts(books, old) == counts(books, new) == (0, 0, 0)
    assert notices(books, alice) == []


def test_a_new_version_takes_the_suspended_one_s_place(
    books: Books, ranked_of: Callable[[int], Version], alice: User
) -> None:
    version = ranked_of(20)
    Arena(version, every=5).play(books)
    newer = books.upload(alice, "shaky", b"from matchbox.games.bomb import SimplePlayer as BOT\n")
    (job,) = books.sent(TryOut)
    books.settle(tried_out(job))
    assert books.version(newer.id).state == VersionState.ACTIVE
    assert counts(books, newer) == (0, 0, 0)
    assert books.version(version.id).state == VersionState.SUSPENDED
    with books.write() as session, pytest.raises(Conflict, match="suspended"):
        uploads.activate(session, alice, books.the_bot(version).full_name, 1, now=books.clock())


def test_an_operator_reinstates_a_version_and_its_counts_begin_anew(
    books: Books, ranked_of: Callable[[int], Version], alice: User, charlie: User
) -> None:
    version = ranked_of(20)
    Arena(version, every=5).play(books)
    with pytest.raises(Forbidden):
        lift(books, alice, version)
    with pytest.raises(BadOption, match="say why"):
        lift(books, charlie, version, " ")
    books.clock.pass_by(seconds=1)
    lift(books, charlie, version)
    assert books.notices(alice, "reinstatement") == [
        (
            f"version:{version.id}",
            "alice/shaky v1 is no longer suspended, and its forfeits are reset to 0: mended box.",
        )
    ]
    row = books.version(version.id)
    assert (row.state, row.trouble) == (VersionState.ACTIVE, "")
    assert counts(books, version) == (0, 0, 0)
    with pytest.raises(Conflict, match="only one that is suspended"):
        lift(books, charlie, version)
    with books.write() as session:
        old = session.scalars(select(Match).where(Match.state == MatchState.FINISHED)).first()
        assert old is not None
        voids.void(session, charlie, old.id, "no disk", now=books.clock())
    assert counts(books, version) == (0, 0, 0), "an old match is not taken off the new counts"
    with books.write() as session:
        books.feed(session)
    new = books.dispatch()[0]
    books.record(played(new, scripted(new, Arena(version, every=1).bout)))
    assert counts(books, version) == (1, BOUTS, BOUTS)
    with books.write() as session:
        voids.void(session, charlie, new.match, "no disk", now=books.clock())
    assert counts(books, version) == (0, 0, 0), "a new one is"


def test_the_first_forfeit_is_told_once_whatever_becomes_of_its_match(
    books: Books, ranked_of: Callable[[int], Version], alice: User, charlie: User
) -> None:
    version = ranked_of(2)
    first, second = books.dispatch()
    books.record(played(first, scripted(first, Arena(version, every=1).bout)))
    with books.write() as session:
        voids.void(session, charlie, first.match, "no disk", now=books.clock())
    assert counts(books, version) == (0, 0, 0)
    books.record(played(second, scripted(second, Arena(version, every=1).bout)))
    assert counts(books, version) == (1, BOUTS, BOUTS)
    assert len(books.notices(alice, "first-fault")) == 1


def test_a_void_match_is_taken_off_the_counts(
    books: Books, ranked_of: Callable[[int], Version], charlie: User
) -> None:
    version = ranked_of(3)
    Arena(version, every=4).play(books)
    assert counts(books, version) == (3, 12, 3)
    with books.write() as session:
        for match in session.scalars(select(Match)).all()[:2]:
            voids.void(session, charlie, match.id, "no disk", now=books.clock())
    assert counts(books, version) == (1, 4, 1)


def test_who_is_suspended_plays_on_in_a_season_whose_matches_are_all_scheduled(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    version, other = books.bot(alice, "shaky"), books.bot(bob, "steady")
    season = season_of(books, charlie, [version, other], cycles=15)
    assert Arena(version, every=5).play(books) == 30
    tick(books.context)
    assert books.version(version.id).state == VersionState.SUSPENDED
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        assert {entry.out for entry in session.scalars(select(Entry))} == {""}


@pytest.mark.parametrize(
    ("every", "cycles", "out"), [(5, 3, "suspended"), (10_000, 3, ""), (5, 2, "")]
)
def test_a_season_is_left_between_two_rounds_for_what_was_forfeited_in_it(
    books: Books, alice: User, bob: User, charlie: User, every: int, cycles: int, out: str
) -> None:
    books.league(paused=True)
    version, other = books.bot(alice, "shaky"), books.bot(bob, "steady")
    own = open_books(books.context.database.url, forfeit_matches=4)
    form = {"kind": "round-robin", "cycles": cycles, "hours": 1000}
    season = season_of(own, charlie, [version, other], format=form)
    arena = Arena(version, every=every)
    for _ in range(4):
        assert own.entry(version).out == ""
        arena.play(own)
        tick(own.context)
    assert own.entry(version).out == out, "nobody is taken out after the last round"
    while arena.play(own):
        tick(own.context)
    tick(own.context)
    assert own.season(season).state == SeasonState.FINISHED
    with own.read() as session:
        states = session.scalars(select(Match.state)).all()
        lines = session.scalars(select(Audit).where(Audit.action == "season.suspend")).all()
    assert set(states) == {MatchState.FINISHED}
    told = [text for subject, text in own.notices(alice, "suspension") if subject == "season:1"]
    assert [(line.actor_id, line.subject, line.detail["bot"]) for line in lines] == (
        [(None, "season:1", "alice/shaky")] if out else []
    )
    why = "alice/shaky v1 is out of season spring: 3 of 16 bouts in 4 matches were forfeited"
    assert [text.partition(": 18.8%")[0] for text in told] == ([why] if out else [])
    own.context.close()


def test_who_is_reinstated_is_back_in_its_season_and_what_it_forfeited_before_is_forgotten(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    version = books.bot(alice, "shaky")
    others = [books.bot(bob, "steady"), books.bot(books.person("dora"), "calm")]
    own = open_books(books.context.database.url, forfeit_matches=4)
    one_by_one = {"kind": "round-robin", "cycles": 4, "hours": 1000}
    season = season_of(own, charlie, [version, *others], format=one_by_one)
    while not own.entry(version).out:
        Arena(version, every=2).play(own)
        tick(own.context)
    assert counts(own, version) == (4, 16, 8)
    own.clock.pass_by(seconds=1)
    lift(own, charlie, version)
    back = own.entry(version)
    assert (back.out, back.out_at, back.out_why) == ("", None, "")
    while own.season(season).state == SeasonState.RUNNING:
        Arena(version, every=10_000).play(own)
        tick(own.context)
        assert own.entry(version).out == ""
    assert counts(own, version)[0] > 4, "as many as once suspended it"
    own.context.close()


def test_a_version_that_a_season_alone_has_suspended_is_reinstated_too(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    version, other = books.bot(alice, "shaky"), books.bot(bob, "steady")
    season = season_of(books, charlie, [version, other])
    with books.write() as session:
        row = session.scalars(select(Entry).where(Entry.version_id == version.id)).one()
        exclusions.exclude_entry(session, row, "suspended", "too many forfeits", now=books.clock())
    assert books.version(version.id).state == VersionState.ACTIVE
    lift(books, charlie, version)
    assert (books.entry(version).out, books.season(season).state) == ("", SeasonState.RUNNING)
    with books.read() as session:
        (event,) = session.scalars(select(Event).where(Event.kind == "season.reinstate"))
        assert event.subject == str(season.id)
    assert books.version(version.id).state == VersionState.ACTIVE
