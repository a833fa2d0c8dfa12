"""Turns of try-outs: each author has one at a time, and a few waiting ones."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from matchbox.errors import Conflict, TooMany
from matchbox.match import wire
from matchbox.match.wire import TryOut
from server.db.models import Role, User, Version, VersionState
from server.queries import waiting
from server.services import accounts, arenas, jobs, tryouts, turns, uploads, walls
from server.services.tick import tick
from tests.books import SIMPLE, Books, lost, open_books, tried_out
from tests.plans import explained


def source(text: str) -> bytes:
    """A bot of its own."""
    return SIMPLE + f"# {text}\n".encode()


def upload(books: Books, owner: User, *names: str, **more: str) -> list[Version]:
    """Uploads bots of these names for the owner, in this order."""
    return [books.upload(owner, name, source(f"{owner.name}/{name}"), **more) for name in names]


def digests(versions: list[Version]) -> list[str]:
    """Returns the digests of these versions, as their try-outs name them."""
    return [version.digest for version in versions]


def names(found: list[TryOut]) -> list[str]:
    """Returns the versions of these jobs."""
    return [job.version for job in found]


def take_long(books: Books, owner: User, name: str) -> None:
    """Takes a minute over a try-out of the owner, and settles it."""
    upload(books, owner, name)
    (job,) = books.sent(TryOut)
    books.claim(job)
    books.clock.pass_by(minutes=1)
    books.settle(tried_out(job, accepted=False))


def test_an_authors_try_outs_go_one_after_another(books: Books, alice: User) -> None:
    versions = upload(books, alice, "one", "two", "three")
    for version in versions:
        (job,) = books.sent(TryOut)
        assert job.version == version.digest
        tick(books.context)
        assert not books.sent(TryOut)
        books.settle(tried_out(job))
    assert not books.sent(TryOut)


def test_every_author_has_a_turn(books: Books, alice: User, bob: User) -> None:
    first, _, third = upload(books, alice, "one", "two", "three")
    (other,) = upload(books, bob, "one")
    jobs = books.sent(TryOut)
    assert names(jobs) == digests([first, other])
    books.settle(tried_out(jobs[1]))
    assert not books.sent(TryOut), "bob's verdict is no turn of alice's"
    assert third.attempt == 0


def test_without_turns_one_authors_try_outs_would_go_before_anothers(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_busy", lambda session, settings, now: set())
    mine = upload(books, alice, "one", "two", "three")
    (other,) = upload(books, bob, "one")
    assert names(books.sent(TryOut)) == digests([*mine, other])


def test_a_lost_message_holds_the_turn_for_one_lease(books: Books, alice: User) -> None:
    versions = upload(books, alice, "one", "two")
    (gone,) = books.sent(TryOut)
    books.clock.pass_by(minutes=books.settings.lease_minutes - 0.1)
    tick(books.context)
    assert not books.sent(TryOut)
    books.clock.pass_by(minutes=0.2)
    tick(books.context)
    (second,) = books.sent(TryOut)
    assert second.version == versions[1].digest, "who has not been sent comes first"
    with pytest.raises(Conflict, match="the turn of version"):
        books.claim(gone)
    books.settle(tried_out(second))
    (again,) = books.sent(TryOut)
    assert (again.version, again.attempt) == (versions[0].digest, 2)
    books.claim(again)


def test_a_turn_from_a_clock_that_was_ahead_is_over(books: Books, alice: User) -> None:
    books.clock.pass_by(minutes=24 * 60)
    versions = upload(books, alice, "one", "two")
    (gone,) = books.sent(TryOut)
    books.clock.pass_by(minutes=-24 * 60)
    tick(books.context)
    assert names(books.sent(TryOut)) == [versions[1].digest]
    with pytest.raises(Conflict, match="the turn of version"):
        books.claim(gone)


def test_a_late_claim_counts_where_the_turn_is_free(books: Books, alice: User) -> None:
    upload(books, alice, "one")
    (job,) = books.sent(TryOut)
    books.clock.pass_by(minutes=books.settings.lease_minutes + 1)
    books.claim(job)
    tick(books.context)
    assert not books.sent(TryOut)
    assert books.settle(tried_out(job))


def test_a_try_out_that_goes_on_keeps_the_turn(books: Books, alice: User) -> None:
    version, _ = upload(books, alice, "one", "two")
    (job,) = books.sent(TryOut)
    books.claim(job)
    began = books.clock()
    for _ in range(4):
        books.clock.pass_by(minutes=books.settings.lease_minutes - 1)
        books.claim(job)
        tick(books.context)
        assert not books.sent(TryOut)
    assert books.version(version.id).claimed_at == began


def test_a_try_out_that_the_platform_loses_waits_for_its_turn(books: Books, alice: User) -> None:
    one, two = upload(books, alice, "one", "two")
    (job,) = books.sent(TryOut)
    assert books.lose(lost(job))
    assert books.sent(TryOut) == []
    tick(books.context)
    (other,) = books.sent(TryOut)
    assert other.version == two.digest
    tick(books.context)
    assert books.sent(TryOut) == [], "one at a time"
    books.settle(tried_out(other))
    tick(books.context)
    (again,) = books.sent(TryOut)
    assert again.version == one.digest
    assert books.lose(lost(again))
    assert books.version(one.id).parked


def test_a_lost_try_out_does_not_wait_behind_later_uploads(books: Books, alice: User) -> None:
    (one,) = upload(books, alice, "one")
    (job,) = books.sent(TryOut)
    books.clock.pass_by(seconds=5)
    later = upload(books, alice, "two", "three")
    assert books.lose(lost(job))
    tick(books.context)
    (again,) = books.sent(TryOut)
    assert (again.version, again.attempt) == (one.digest, 2)
    with books.read() as session:
        line = waiting.tryouts(session, books.settings, now=books.clock())
    assert [row.id for row in line.waits] == [one.id, *(version.id for version in later)]
    books.settle(tried_out(again))
    assert names(books.sent(TryOut)) == digests(later[:1])


def test_a_try_out_that_is_given_again_waits_for_its_turn(
    books: Books, alice: User, charlie: User
) -> None:
    few = open_books(books.context.database.url, attempts=1)
    one, two = upload(few, alice, "one", "two")
    assert few.lose(lost(few.sent(TryOut)[0]))
    tick(few.context)
    (other,) = few.sent(TryOut)
    assert other.version == two.digest
    with few.write() as session:
        tryouts.try_again(session, charlie, one.id, settings=few.settings, now=few.clock())
    tick(few.context)
    assert few.sent(TryOut) == [], "one at a time"
    few.settle(tried_out(other))
    tick(few.context)
    assert names(few.sent(TryOut)) == digests([one])
    few.context.close()


def test_what_is_retired_leaves_the_turn(books: Books, alice: User) -> None:
    versions = upload(books, alice, "one", "two")
    books.sent(TryOut)
    with books.write() as session:
        bot = session.merge(books.the_bot(versions[0]))
        uploads.retire(session, alice, bot.full_name, now=books.clock())
    tick(books.context)
    assert names(books.sent(TryOut)) == digests(versions[1:])


def test_the_house_and_operators_need_no_turn(books: Books, charlie: User) -> None:
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    for owner in (house, charlie):
        versions = upload(books, owner, *(f"bot-{number}" for number in range(6)))
        assert names(books.sent(TryOut)) == digests(versions)


def test_a_slow_authors_try_outs_wait_among_the_matches(
    books: Books, alice: User, bob: User
) -> None:
    take_long(books, alice, "sleeper")
    upload(books, alice, "another")
    upload(books, bob, "quick")
    queues = [(task, queue) for task, queue, _ in books.postman.letters]
    assert queues == [(wire.TRY_OUT_LAST, "ranked"), (wire.TRY_OUT, "tryout")]
    books.settle(tried_out(books.sent(TryOut)[0]))
    books.clock.pass_by(minutes=61)
    upload(books, alice, "a-third")
    assert [queue for _, queue, _ in books.postman.letters] == ["tryout"]


@pytest.mark.parametrize("slow", [True, False])
def test_a_try_out_is_parked_only_if_an_arena_could_take_it(
    books: Books, alice: User, charlie: User, slow: bool
) -> None:
    """Express arenas take no try-outs of slow authors, and stopped ones take none at all."""
    if slow:
        take_long(books, alice, "sleeper")
    (version,) = upload(books, alice, "another")
    with books.write() as session:
        walls.forget(session, lambda _: True)
        report = {"arena": "quick@h", "box": "bwrap", "walled": True, "express": True}
        walls.report_wall(session, report, now=books.clock())
        if not slow:
            arenas.stop(session, charlie, "quick@h", "a false record", now=books.clock())
    for other in (False, True):
        with books.write() as session:
            often = {"deadline": jobs.DUE, "attempt": jobs.MAX_ATTEMPTS}
            session.execute(update(Version).where(Version.id == version.id).values(often))
            if other:
                report |= {"arena": "other@h", "express": not slow}
                walls.report_wall(session, report, now=books.clock())
        tick(books.context)
        assert (books.version(version.id).deadline is None) == other


def test_slow_authors_are_found_without_looking_through_all_versions(books: Books) -> None:
    with books.read() as session, explained(session, "version") as plans:
        assert turns.slow_authors(session, books.clock()) == set()
    assert "SEARCH version USING INDEX ix_version_settled_at (settled_at>?" in plans[0], plans


@pytest.mark.parametrize(("present", "half"), [(1, 1), (4, 2), (5, 2)])
def test_slow_authors_hold_half_of_the_arenas_at_most(
    books: Books, present: int, half: int
) -> None:
    slow = [books.person(f"slow-{number}") for number in range(half + 2)]
    for author in slow:
        take_long(books, author, "sleeper")
    with books.write() as session:
        walls.forget(session, lambda _: True)
        for number in range(present):
            report = {"box": "bwrap", "walled": True, "arena": f"arena-{number}@here"}
            walls.report_wall(session, report, now=books.clock())
    for author in slow:
        upload(books, author, "another")
    first = books.sent(TryOut)
    assert len(first) == half
    quick = books.person("quick")
    upload(books, quick, "quick")
    assert len(books.sent(TryOut)) == 1, "others have their turns"
    books.settle(tried_out(first[0]))
    tick(books.context)
    assert len(books.sent(TryOut)) == 1, "the next of them has its turn"


def test_as_many_uploads_wait_as_may(books: Books, alice: User, bob: User) -> None:
    few = open_books(books.context.database.url, pending_tryouts=2)
    upload(few, alice, "one", "two")
    with pytest.raises(TooMany, match=r"2 of your uploads wait for their verdicts.* wait for the"):
        upload(few, alice, "three")
    upload(few, alice, "two")
    upload(few, bob, "one")
    few.settle(tried_out(few.sent(TryOut)[0]))
    upload(few, alice, "three")
    few.context.close()


def test_as_many_uploads_wait_from_one_address_as_may(books: Books, alice: User, bob: User) -> None:
    few = open_books(books.context.database.url, pending_tryouts_per_address=2)
    (first,) = upload(few, alice, "one", network="192.0.2.1")
    upload(few, bob, "one", network="192.0.2.1")
    carol = few.person("carol")
    with pytest.raises(TooMany, match=r"2 uploads from your address .* try again in a minute"):
        upload(few, carol, "one", network="192.0.2.1")
    upload(few, carol, "one", network="192.0.2.2")
    few.settle(tried_out(few.sent(TryOut)[0]))
    assert few.version(first.id).network == "", "the address is kept until the verdict"
    upload(few, carol, "two", network="192.0.2.1")
    few.context.close()


def test_operators_and_what_is_parked_do_not_count(
    books: Books, alice: User, charlie: User
) -> None:
    few = open_books(books.context.database.url, pending_tryouts=1, attempts=1)
    upload(few, charlie, "one", "two", "three")
    few.sent(TryOut)
    (version,) = upload(few, alice, "one")
    few.lose(lost(few.sent(TryOut)[0]))
    assert few.version(version.id).state == VersionState.PENDING
    upload(few, alice, "two")
    assert charlie.role == Role.OPERATOR
    few.context.close()


def test_an_authors_try_outs_wait_while_an_arena_has_no_wall(
    books: Books, alice: User, charlie: User
) -> None:
    _, second = upload(books, alice, "one", "two")
    (job,) = books.sent(TryOut)
    books.wall(walled=False)
    books.settle(tried_out(job))
    (own,) = upload(books, charlie, "one")
    tick(books.context)
    assert names(books.sent(TryOut)) == digests([own])
    with books.read() as session:
        row, now = session.get_one(Version, second.id), books.clock()
        waits = waiting.of_tryout(session, row, settings=books.settings, now=now)
    assert waits is not None
    assert waits.reason == "An arena has no wall around bots, so authors' uploads wait."
    books.wall()
    tick(books.context)
    assert names(books.sent(TryOut)) == digests([second])
