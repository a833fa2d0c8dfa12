"""A version present at too many platform faults is set aside, tried alone, and judged."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from matchbox.answers.queue import Waiting
from matchbox.match.wire import Entrant, PlayMatch, TryOut
from server import queries
from server.db.models import Audit, Match, MatchState, Role, User, Version, VersionState
from server.queries import waiting
from server.queries.job_queue import queue_detail
from server.services import exclusions, job_lines, quarantine, signs, tryouts, turns, uploads
from server.services.jobs import token_of
from server.services.tick import tick
from server.times import iso
from tests.books import Books, lost, played, season_of, tried_out
from tests.plans import explained

DAY = 24 * 60
QUARANTINED = VersionState.QUARANTINED


@pytest.fixture
def versions(books: Books, alice: User, bob: User) -> list[Version]:
    house = books.person("house", Role.HOUSE)
    return [books.bot(alice, "first"), books.bot(bob, "second"), books.bot(house, "keeper")]


@pytest.fixture
def jobs(books: Books, versions: list[Version], charlie: User) -> list[PlayMatch]:
    """Returns the sent matches of a season: alice's against bob's, and each against the house's."""
    books.league()
    season_of(books, charlie, versions, cycles=6)
    return books.dispatch()


def with_(jobs: list[PlayMatch], *who: Version) -> list[PlayMatch]:
    return [job for job in jobs if {one.digest for one in who} <= {s.version for s in job.seats}]


def taken_aside(books: Books) -> int:
    with books.write() as session:
        return quarantine.quarantine_suspects(session, settings=books.settings, now=books.clock())


@pytest.fixture
def suspect(books: Books, versions: list[Version], jobs: list[PlayMatch]) -> TryOut:
    """Returns the try-out of alice's version, which was present at three faults, bob's at two."""
    alices = with_(jobs, versions[0], versions[1])[:2] + with_(jobs, versions[0], versions[2])[:1]
    for job in alices:
        books.lose(lost(job))
    assert taken_aside(books) == 1
    (sent,) = books.postman.take()
    assert isinstance(sent, TryOut)
    return sent


def test_three_faults_within_a_day_take_a_version_aside_and_two_do_not(
    books: Books, versions: list[Version], suspect: TryOut
) -> None:
    first, second, keeper = (books.version(one.id) for one in versions)
    assert (first.state, second.state, keeper.state) == (QUARANTINED, "active", "active")
    assert "3 times within a day: the box did not open" in first.trouble
    assert suspect.version == first.digest
    assert suspect.beside == Entrant(keeper.digest)
    assert taken_aside(books) == 0


def test_nobody_is_taken_aside_without_faults_and_no_version_is_read_for_it(
    books: Books, jobs: list[PlayMatch]
) -> None:
    with books.write() as session, explained(session, only="FROM version") as plans:
        assert not quarantine.quarantine_suspects(
            session, settings=books.settings, now=books.clock()
        )
    (plan,) = plans
    assert plan.startswith("SEARCH version USING INTEGER PRIMARY KEY"), plan


def test_its_owner_and_the_audit_log_are_told_and_it_waits_from_then_on(
    books: Books, versions: list[Version], alice: User, jobs: list[PlayMatch]
) -> None:
    books.clock.pass_by(minutes=3 * DAY)
    alices = with_(jobs, versions[0], versions[1])[:2] + with_(jobs, versions[0], versions[2])[:1]
    for job in alices:
        books.lose(lost(job))
    assert taken_aside(books) == 1
    with books.read() as session:
        line = job_lines.job_line(session, "try-out", tryouts.TRY_OUT, books.clock())
        (noted,) = session.scalars(select(Audit).where(Audit.action == "version.quarantine"))
    assert line.oldest_at == iso(books.clock()), "not since its upload"
    assert (noted.actor_id, noted.subject) == (None, f"version:{versions[0].id}")
    assert "3 times within a day" in noted.detail["why"]
    assert "is tried out again, since it was present" in books.notices(alice, "verdict")[-1][1]
    (sent,) = books.sent(TryOut)
    books.settle(tried_out(sent))
    text = books.notices(alice, "verdict")[-1][1]
    assert text == "alice/first version 1 has passed its new try-out, and plays from now on."


def test_faults_of_different_days_are_not_added_up(
    books: Books, versions: list[Version], jobs: list[PlayMatch]
) -> None:
    for job, pause in zip(with_(jobs, versions[0]), (0, DAY / 2, DAY / 2 + 1), strict=False):
        books.clock.pass_by(minutes=pause)
        books.lose(lost(job))
    assert taken_aside(books) == 0


def test_the_house_is_never_taken_aside(
    books: Books, versions: list[Version], jobs: list[PlayMatch]
) -> None:
    for job in with_(jobs, versions[2], versions[0])[:2] + with_(jobs, *versions[1:])[:2]:
        books.lose(lost(job))
    assert taken_aside(books) == 0
    assert books.version(versions[2].id).state == VersionState.ACTIVE


def test_its_matches_wait_and_those_of_others_do_not(
    books: Books, versions: list[Version], jobs: list[PlayMatch], suspect: TryOut
) -> None:
    (other, *_) = with_(jobs, *versions[1:])
    books.lose(lost(other))
    sent = books.dispatch()
    assert other.match in [job.match for job in sent]
    assert not with_(sent, versions[0])
    books.settle(tried_out(suspect))
    assert with_(books.dispatch(), versions[0])


def test_a_league_goes_on_while_matches_of_a_suspect_wait(
    books: Books, versions: list[Version]
) -> None:
    books.league(paused=False)

    assert books.refill() == books.settings.ranked_backlog
    assert books.refill() == 0
    with books.write() as session:
        session.get_one(Version, versions[0].id).state = QUARANTINED
    assert books.refill() > 0


@pytest.mark.parametrize("accepted, state", [(True, "active"), (False, "refused")])
def test_the_try_out_alone_lets_it_play_on_or_refuses_it(
    books: Books, versions: list[Version], suspect: TryOut, accepted: bool, state: str
) -> None:
    assert books.settle(tried_out(suspect, accepted=accepted))
    settled = books.version(versions[0].id)
    assert (settled.state, settled.trouble) == (state, "")
    assert taken_aside(books) == 0


def test_a_release_keeps_what_was_found_before(
    books: Books, versions: list[Version], suspect: TryOut
) -> None:
    marked = books.clock()
    with books.write() as session:
        version = session.get_one(Version, versions[0].id)
        version.stateful_at, version.unrepeatable = marked, True
        version.report = {**(version.report or {}), "unrepeatable": True}
    books.clock.pass_by(minutes=9)
    assert books.settle(tried_out(suspect, stateful=True))
    released = books.version(versions[0].id)
    assert (released.stateful_at, released.unrepeatable) == (marked, True)
    assert released.report is not None
    assert released.report["unrepeatable"], "its differences stop no host"


@pytest.mark.parametrize("how", ["refused", "retired"])
def test_a_suspect_that_does_not_come_back_leaves_the_ranked_queue(
    books: Books, versions: list[Version], alice: User, suspect: TryOut, how: str
) -> None:
    league = books.league(paused=False)
    with books.write() as session:
        version = session.get_one(Version, versions[0].id)
        version.state = VersionState.ACTIVE
        books.feed(session)
        version.state = QUARANTINED
    if how == "refused":
        books.settle(tried_out(suspect, accepted=False))
    else:
        with books.write() as session:
            uploads.retire(session, alice, "alice/first", now=books.clock())
    with books.read() as session:
        ranked = (Match.league_id == league.id, Match.is_ranked)
        its_own = (*ranked, exclusions.has_seat_of(versions[0].id))
        found = session.execute(select(Match.state, Match.void_why).where(*its_own).distinct())
        ((state, why),) = found
        assert state == MatchState.VOID
        assert why.endswith(f"was {how}")
        others = select(Match.state).where(*ranked, Match.state == MatchState.QUEUED)
        assert session.scalars(others).all()


def test_it_does_not_unseat_what_its_owner_has_chosen_meanwhile(
    books: Books, versions: list[Version], alice: User, suspect: TryOut
) -> None:
    other = books.bot(alice, "first", b"from matchbox.games.bomb import SimplePlayer as BOT\n")
    books.settle(tried_out(suspect))
    assert books.version(versions[0].id).state == VersionState.ACCEPTED
    assert books.version(other.id).state == VersionState.ACTIVE


def test_the_verdict_that_once_let_it_in_does_not_let_it_out(
    books: Books, versions: list[Version], suspect: TryOut
) -> None:
    with books.read() as session:
        version = session.get_one(Version, versions[0].id)
        token = token_of(books.settings, version, 1)
    assert not books.settle(replace(tried_out(suspect), attempt=1, token=token))
    assert books.version(versions[0].id).state == QUARANTINED


def test_a_suspect_that_cannot_even_be_tried_is_parked_for_the_operator(
    books: Books, versions: list[Version], suspect: TryOut, charlie: User, alice: User
) -> None:
    books.lose(lost(suspect, "the arena died"))
    tick(books.context)
    (again,) = books.sent(TryOut)
    assert again.beside == suspect.beside
    books.lose(lost(again, "the arena died"))
    with books.read() as session:
        told = queries.admin(session, charlie, now=books.clock())
        queue = queries.queue(session, now=books.clock())
        shown = queries.version(session, alice, versions[0].id)
    assert [one.trouble for one in told.parked_versions] == ["the arena died"]
    assert [one.bot for one in told.quarantined] == ["alice/first"]
    assert (queue.parked_versions, queue.quarantined_versions) == (1, 1)
    assert (shown.state, shown.parked, shown.trouble) == (
        "quarantined",
        True,
        "the arena died",
    )


def test_its_try_out_says_why_it_waits_and_has_no_turn(
    books: Books, versions: list[Version], suspect: TryOut, charlie: User, alice: User
) -> None:
    upload = books.upload(alice, "new")

    def told(version: Version) -> Waiting | None:
        with books.read() as session:
            settings, now = books.settings, books.clock()
            found = waiting.version(session, alice, version.id, settings=settings, now=now)
        return found.waiting

    with books.write() as session:
        signs.note(session, signs.TICK, now=books.clock())
    first, second = told(versions[0]), told(upload)
    assert first is not None
    assert second is not None
    assert (first.place, second.place) == (1, 2)
    assert second.reason == "One try-out comes before it.", "a quarantine takes no turn"
    with books.read() as session:
        queue = queue_detail(session, charlie, settings=books.settings, now=books.clock())
    jobs = [job.name for job in queue.jobs if job.kind == "try-out"]
    assert jobs == ["alice/first v1", "alice/new v1"]
    with books.write() as session:
        session.get_one(Version, versions[0].id).deadline = 0
    again = told(versions[0])
    assert again is not None
    assert again.reason == "One try-out comes before it.", "it needs no turn"
    with books.write() as session:
        session.get_one(Version, versions[0].id).deadline = None
    parked = told(versions[0])
    assert parked is not None
    assert (parked.place, parked.reason) == (None, waiting.PARKED)


def test_only_operators_are_told_the_platforms_error_and_the_owner_that_of_a_tryout(
    books: Books, suspect: TryOut, charlie: User, alice: User, bob: User
) -> None:
    def told(viewer: User | None) -> str:
        with books.read() as session:
            return queries.version(session, viewer, suspect.version).trouble

    present = "present when the platform failed 3 times within a day"
    assert [told(one) for one in (None, bob, alice)] == [present] * 3
    assert told(charlie) == f"{present}: the box did not open"
    books.lose(lost(suspect, "no room in /srv/data"))
    tick(books.context)
    (again,) = books.sent(TryOut)
    books.lose(lost(again, "no room in /srv/data"))
    assert [told(one) for one in (None, bob)] == ["", ""]
    assert [told(one) for one in (alice, charlie)] == ["no room in /srv/data"] * 2


def test_the_tick_takes_aside_and_the_sweeper_sends_again(
    books: Books, versions: list[Version], jobs: list[PlayMatch]
) -> None:
    for job in with_(jobs, versions[0])[:3]:
        books.lose(lost(job))
    tick(books.context)
    (first,) = books.sent(TryOut)
    books.clock.pass_by(minutes=books.settings.lease_minutes + 1)
    tick(books.context)
    (second,) = books.sent(TryOut)
    assert (first.attempt + 1, first.version) == (second.attempt, second.version)


@pytest.mark.parametrize("deed", ["retire", "upload"])
def test_its_owner_may_still_do_what_owners_do(
    books: Books, versions: list[Version], alice: User, suspect: TryOut, deed: str
) -> None:
    from server.services import uploads

    bot = books.the_bot(versions[0])
    if deed == "retire":
        with books.write() as session:
            uploads.retire(session, alice, bot.full_name, now=books.clock())
        assert not books.settle(tried_out(suspect))
        assert books.version(versions[0].id).state == VersionState.RETIRED
    else:
        fresh = books.bot(alice, "first", b"from matchbox.games.bomb import SimplePlayer as BOT\n")
        assert books.version(fresh.id).state == VersionState.ACTIVE


def test_a_match_that_is_parked_is_told_to_the_operators_log(
    books: Books,
    jobs: list[PlayMatch],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    job = jobs[0]
    books.lose(lost(job))
    (again,) = (one for one in books.dispatch() if one.match == job.match)
    books.lose(lost(again))
    assert "match.parked" in capsys.readouterr().out + caplog.text


def test_a_late_result_of_a_parked_match_is_booked(books: Books, jobs: list[PlayMatch]) -> None:
    job = jobs[0]
    books.lose(lost(job))
    (again,) = (one for one in books.dispatch() if one.match == job.match)
    books.lose(lost(again))
    assert books.match(job.match).state == "parked"
    assert books.record(played(again)) is True
    assert books.match(job.match).state == "finished"


def test_a_version_that_operators_try_out_again_and_again_is_not_parked_as_lost(
    books: Books, versions: list[Version], suspect: TryOut, charlie: User
) -> None:
    attempts = {suspect.attempt}

    def send() -> TryOut:
        with books.write() as session:
            turns.advance(session, settings=books.settings, now=books.clock())
        (job,) = books.sent(TryOut)
        attempts.add(job.attempt)
        return job

    for _ in range(12):
        assert books.lose(lost(suspect))
        assert books.lose(lost(send()))
        assert books.version(versions[0].id).deadline is None
        assert books.version(versions[0].id).trouble == "the box did not open"
        with books.write() as session:
            tryouts.try_again(
                session, charlie, versions[0].id, settings=books.settings, now=books.clock()
            )
        suspect = send()
    assert len(attempts) == 25


@pytest.mark.parametrize("before", [1, 9, 10, 11, 19, 20, 21, 39, 40])
def test_a_version_that_is_taken_aside_again_has_room_for_its_attempts(
    before: int, books: Books, versions: list[Version], jobs: list[PlayMatch]
) -> None:
    with books.write() as session:
        session.get_one(Version, versions[0].id).attempt = before
    for job in with_(jobs, versions[0], versions[1])[:3]:
        books.lose(lost(job))
    assert taken_aside(books) == 2
    row = books.version(versions[0].id)
    assert row.deadline is not None
    assert before < row.attempt
    assert -row.attempt % 20 >= 9
