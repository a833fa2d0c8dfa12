"""The try-out of a version: settled once, sent again when late, parked after platform faults."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from matchbox.errors import Conflict, Forbidden, NotFound
from matchbox.match.wire import TryOut
from server.db.models import User, Version, VersionState
from server.services import tryouts, uploads
from tests.books import SIMPLE, Books, lost, tried_out


def the_job(books: Books) -> TryOut:
    """Returns the only try-out that was sent."""
    (job,) = books.postman.take()
    assert isinstance(job, TryOut)
    return job


def test_an_accepted_version_is_active_and_has_its_report(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    assert books.settle(tried_out(the_job(books)))
    settled = books.version(version.id)
    assert settled.state == VersionState.ACTIVE
    assert settled.deadline is None
    assert settled.settled_at == books.clock()
    assert settled.report is not None
    assert settled.report["log"] == "hello from the bot\n"


def test_a_refused_version_keeps_its_report(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    assert books.settle(tried_out(the_job(books), accepted=False))
    settled = books.version(version.id)
    assert settled.state == VersionState.REFUSED
    assert settled.report is not None
    assert "ZeroDivisionError" in settled.report["reasons"][0]


def test_a_verdict_delivered_twice_changes_nothing(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    verdict = tried_out(the_job(books))
    assert books.settle(verdict)
    assert not books.settle(replace(verdict, accepted=False, verdict="crash"))
    assert books.version(version.id).state == VersionState.ACTIVE


def test_a_wrong_token_settles_nothing(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    verdict = tried_out(the_job(books))
    with pytest.raises(Forbidden):
        books.settle(replace(verdict, token="0" * 64))
    with pytest.raises(Forbidden):
        books.settle(replace(verdict, attempt=2))
    with pytest.raises(NotFound):
        books.settle(replace(verdict, version="f" * 64))
    assert books.version(version.id).state == VersionState.PENDING


def test_a_verdict_on_shared_bytes_is_only_for_the_bot_it_was_asked_for(
    books: Books, alice: User, bob: User
) -> None:
    hers, his = books.upload(alice, "simple"), books.upload(bob, "simple")
    first, second = books.postman.take()
    assert isinstance(first, TryOut)
    assert isinstance(second, TryOut)
    assert first.token != second.token
    books.settle(tried_out(second))
    assert books.version(hers.id).state == VersionState.PENDING
    assert books.version(his.id).state == VersionState.ACTIVE


def test_a_late_verdict_on_an_old_version_does_not_unseat_a_newer_one(
    books: Books, alice: User
) -> None:
    old = books.upload(alice, "simple")
    new = books.upload(alice, "simple", SIMPLE + b"# better\n")
    first = the_job(books)
    books.clock.pass_by(minutes=5.1)
    assert books.sweep()
    second = the_job(books)
    assert (first.version, second.version) == (old.digest, new.digest)
    books.settle(tried_out(second))
    assert books.settle(tried_out(first))
    assert books.version(old.id).state == VersionState.ACCEPTED
    assert books.version(new.id).state == VersionState.ACTIVE


def test_a_late_try_out_is_sent_again_and_both_results_count(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    first = the_job(books)
    assert books.sweep() == 0
    books.clock.pass_by(minutes=5.1)
    assert books.sweep() == 1
    second = the_job(books)
    assert (second.attempt, books.version(version.id).platform_faults) == (2, 0)
    with pytest.raises(Conflict, match="not wanted"):
        books.claim(first)
    books.claim(second)
    assert books.settle(tried_out(first))
    assert not books.settle(tried_out(second))


def test_a_claim_keeps_the_sweeper_away(books: Books, alice: User) -> None:
    books.upload(alice, "simple")
    job = the_job(books)
    books.clock.pass_by(minutes=4)
    books.claim(job)
    books.clock.pass_by(minutes=4)
    assert books.sweep() == 0


def test_a_try_out_lost_twice_is_parked_and_never_lost(
    books: Books, alice: User, charlie: User
) -> None:
    version = books.upload(alice, "simple")
    job = the_job(books)
    assert books.lose(lost(job))
    assert not books.lose(lost(job)), "one fault for one attempt"
    assert books.sweep() == 1
    again = the_job(books)
    assert books.lose(lost(again, "no memory left"))
    parked = books.version(version.id)
    assert parked.parked
    assert (parked.platform_faults, parked.trouble) == (2, "no memory left")
    books.clock.pass_by(minutes=60)
    assert books.sweep() == 0
    try_again(books, charlie, parked)
    assert books.sweep() == 1
    assert books.settle(tried_out(the_job(books)))
    assert books.version(version.id).state == VersionState.ACTIVE


def try_again(books: Books, user: User, version: Version) -> None:
    """Sends a parked version's try-out again."""
    with books.write() as session:
        found = session.get_one(Version, version.id)
        tryouts.try_again(session, user, found.id, settings=books.settings, now=books.clock())


def test_only_an_operator_sends_a_parked_try_out_again(
    books: Books, alice: User, charlie: User
) -> None:
    version = books.upload(alice, "simple")
    with pytest.raises(Forbidden):
        try_again(books, alice, version)
    with pytest.raises(Conflict, match="not parked"):
        try_again(books, charlie, version)


def test_a_try_out_that_never_comes_back_is_parked_in_the_end(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    for sent in range(1, 30):
        books.clock.pass_by(minutes=6 * sent)
        books.wall()
        books.sweep()
    assert books.version(version.id).parked
    assert "never came back" in books.version(version.id).trouble


def test_a_retired_bot_is_not_settled(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    with books.write() as session:
        uploads.retire(session, alice, books.the_bot(version).full_name, now=books.clock())
    assert not books.settle(tried_out(the_job(books)))
    assert books.version(version.id).state == VersionState.RETIRED


def test_a_report_that_no_database_can_keep_is_cleaned(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    books.settle(tried_out(the_job(books), log="nul \0 and \ud800 " + "x" * 1_000_000))
    report = books.version(version.id).report
    assert report is not None
    assert "\0" not in report["log"]
    assert len(report["log"]) < 100_000


def test_who_keeps_state_in_its_try_out_is_marked_before_it_plays(
    books: Books, alice: User
) -> None:
    version = books.upload(alice, "simple")
    assert books.settle(tried_out(the_job(books), stateful=True))
    assert books.version(version.id).stateful_at == books.clock()
    other = books.upload(alice, "other", SIMPLE + b"# another\n")
    assert books.settle(tried_out(the_job(books)))
    assert books.version(other.id).stateful_at is None
