"""Uploads: the owner of a name, accepted and refused files, and the same bytes twice."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from matchbox.errors import (
    BadBundle,
    BadName,
    Conflict,
    Forbidden,
    NotFound,
    TooMany,
    UnknownGame,
    UploadsClosed,
)
from matchbox.match.wire import TryOut
from server.db.models import Bundle, Setting, User, Version, VersionState
from server.services import uploads
from tests.books import SIMPLE, Books, open_books, tried_out


def activate(books: Books, user: User, version: Version, number: int) -> None:
    """Makes that version of the same bot the active one."""
    with books.write() as session:
        uploads.activate(session, user, books.the_bot(version).full_name, number, now=books.clock())


def retire(books: Books, user: User, version: Version) -> None:
    """Retires the version's bot."""
    with books.write() as session:
        uploads.retire(session, user, books.the_bot(version).full_name, now=books.clock())


def test_an_upload_waits_for_its_try_out(books: Books, alice: User) -> None:
    version = books.upload(alice, "simple")
    assert (version.number, version.state, version.attempt) == (1, VersionState.PENDING, 1)
    (job,) = books.postman.take()
    assert isinstance(job, TryOut)
    assert (job.version, job.game, job.attempt) == (version.digest, "bomb", 1)
    assert len(job.deals) == books.settings.tryout_deals
    assert job.limits["cpu_ms"] == books.settings.cpu_ms


def test_the_same_bytes_again_are_the_same_version(books: Books, alice: User) -> None:
    first = books.upload(alice, "simple")
    again = books.upload(alice, "simple")
    assert again.id == first.id
    assert len(books.postman.take()) == 1


def test_another_class_of_the_same_bytes_is_another_version(books: Books, alice: User) -> None:
    first = books.upload(alice, "simple")
    chosen = books.upload(alice, "simple", class_name="Simple")
    assert (chosen.number, chosen.digest) == (2, first.digest)
    assert books.version(chosen.id).entrant != books.version(first.id).entrant


def test_two_owners_may_have_the_same_name_and_bytes(books: Books, alice: User, bob: User) -> None:
    versions = [books.upload(alice, "simple"), books.upload(bob, "simple")]
    assert len({version.bot_id for version in versions}) == 2
    assert books.count(Bundle) == 1


def test_new_bytes_are_a_new_version_of_the_same_bot(books: Books, alice: User) -> None:
    first = books.upload(alice, "simple")
    second = books.upload(alice, "simple", SIMPLE + b"# better\n")
    assert (second.bot_id, second.number) == (first.bot_id, 2)


@pytest.mark.parametrize(
    "change, error",
    [
        ({"data": b""}, BadBundle),
        ({"data": b"\xff"}, BadBundle),
        ({"name": "Not A Name"}, BadName),
        ({"class_name": "not a class"}, BadName),
        ({"game": "chess"}, UnknownGame),
    ],
)
def test_it_refuses_what_is_no_bot(
    change: dict[str, object], error: type[Exception], books: Books, alice: User
) -> None:
    asked: dict[str, object] = {"game": "bomb", "name": "simple", "data": SIMPLE, **change}
    with books.write() as session, pytest.raises(error):
        uploads.upload(session, alice, **asked, settings=books.settings, now=books.clock())  # type: ignore[arg-type]
    assert not books.postman.take()


def test_without_a_wall_only_operators_submit(books: Books, alice: User, charlie: User) -> None:
    books.wall(walled=False)
    with pytest.raises(UploadsClosed, match="no namespaces"):
        books.upload(alice, "simple")
    assert books.upload(charlie, "simple").number == 1


def test_before_any_arena_has_reported_only_operators_submit(
    books: Books, alice: User, charlie: User
) -> None:
    with books.write() as session:
        session.execute(delete(Setting))
    with pytest.raises(UploadsClosed, match="no arena has reported"):
        books.upload(alice, "simple")
    assert books.upload(charlie, "simple").number == 1


def test_uploads_are_counted_by_the_hour(books: Books, alice: User, bob: User) -> None:
    few = open_books(books.context.database.url, uploads_per_hour=2, pending_tryouts=20)
    few.upload(alice, "one")
    few.clock.pass_by(minutes=30)
    few.upload(alice, "two")
    with pytest.raises(TooMany, match="come back in 31 minutes"):
        few.upload(alice, "three")
    few.clock.pass_by(minutes=29, seconds=30)
    with pytest.raises(TooMany, match=r"come back in 1 minute$"):
        few.upload(alice, "three")
    few.clock.pass_by(minutes=-29, seconds=-30)
    assert few.upload(alice, "two").number == 1, "the same bytes again cost nothing"
    few.upload(bob, "one")
    few.clock.pass_by(minutes=30)
    few.upload(alice, "three")
    few.clock.pass_by(minutes=-24 * 60)
    few.upload(alice, "four")
    few.upload(alice, "five")
    with pytest.raises(TooMany, match="come back in 61 minutes"):
        few.upload(alice, "six")
    few.context.close()


def test_an_accepted_version_can_be_activated_again(books: Books, alice: User) -> None:
    first = books.bot(alice, "simple", SIMPLE)
    second = books.bot(alice, "simple", SIMPLE + b"# better\n")
    assert books.version(first.id).state == VersionState.ACCEPTED
    activate(books, alice, first, 1)
    assert books.version(first.id).state == VersionState.ACTIVE
    assert books.version(second.id).state == VersionState.ACCEPTED
    activate(books, alice, first, 1)
    assert books.version(first.id).state == VersionState.ACTIVE


def test_an_owner_cannot_change_the_active_version_for_ever(
    books: Books, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "ACTIVATIONS", 2)
    first = books.bot(alice, "simple", SIMPLE)
    books.bot(alice, "simple", SIMPLE + b"# better\n")
    other = books.bot(alice, "other", SIMPLE)
    books.bot(alice, "other", SIMPLE + b"# better\n")
    activate(books, alice, first, 1)
    activate(books, alice, first, 2)
    with pytest.raises(TooMany, match="activated 2 versions of alice/simple within an hour"):
        activate(books, alice, first, 1)
    activate(books, alice, first, 2)  # It is the active one, so nothing changes.
    refused = books.bot(alice, "simple", SIMPLE + b"# worse\n")
    with books.write() as session:
        session.get_one(Version, refused.id).state = VersionState.REFUSED
    with pytest.raises(Conflict, match="is refused; only an accepted one"):
        activate(books, alice, refused, 3)
    activate(books, alice, other, 1)
    books.clock.pass_by(minutes=61)
    activate(books, alice, first, 1)
    assert books.version(first.id).state == VersionState.ACTIVE


def test_nothing_of_another_bot_is_activated_or_retired(
    books: Books, alice: User, bob: User
) -> None:
    his_old, his_new, her_old, her_new = (
        books.bot(user, "one", SIMPLE + f"# {user.name} {number}\n".encode())
        for user in (bob, alice)
        for number in (1, 2)
    )
    activate(books, alice, her_new, 1)
    states = [books.version(one.id).state for one in (his_old, his_new, her_old, her_new)]
    accepted, active = VersionState.ACCEPTED, VersionState.ACTIVE
    assert states == [accepted, active, active, accepted]
    retire(books, alice, her_new)
    assert [books.version(one.id).state for one in (his_old, his_new)] == [accepted, active]


def test_an_owner_is_told_that_an_operator_has_retired_the_bot(
    books: Books, alice: User, charlie: User
) -> None:
    own, other = books.bot(alice, "one"), books.bot(alice, "two")
    retire(books, alice, own)
    assert books.notices(alice, "retirement") == []
    retire(books, charlie, other)
    assert books.notices(alice, "retirement") == [
        (
            f"version:{other.id}",
            "An operator has retired alice/two for ever. Its matches stay.",
        )
    ]


def test_what_was_not_accepted_cannot_be_activated(books: Books, alice: User) -> None:
    pending = books.upload(alice, "simple")
    with pytest.raises(Conflict, match="is pending"):
        activate(books, alice, pending, 1)
    with pytest.raises(NotFound, match="no version 7"):
        activate(books, alice, pending, 7)


def test_nobody_touches_the_bot_of_another(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    version = books.bot(alice, "simple")
    with pytest.raises(Forbidden):
        activate(books, bob, version, 1)
    with pytest.raises(Forbidden):
        retire(books, bob, version)
    retire(books, charlie, version)


def test_a_retired_bot_stays_retired_and_its_name_is_not_used_again(
    books: Books, alice: User
) -> None:
    version = books.bot(alice, "simple")
    refused = books.upload(alice, "simple", SIMPLE + b"# worse\n")
    job = books.postman.take()[-1]
    assert isinstance(job, TryOut)
    books.settle(tried_out(job, accepted=False))
    retire(books, alice, version)
    assert books.version(version.id).state == VersionState.RETIRED
    assert books.version(refused.id).state == VersionState.REFUSED
    with pytest.raises(Conflict, match="retired already"):
        retire(books, alice, version)
    with pytest.raises(Conflict, match="no name is used again"):
        books.upload(alice, "simple", SIMPLE + b"# again\n")
    with pytest.raises(Conflict, match="is retired"):
        activate(books, alice, version, 1)


def test_a_bot_belongs_to_one_game_for_ever(
    books: Books, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.upload(alice, "simple")
    monkeypatch.setattr("matchbox.registry.package_of", lambda name: f"matchbox.games.{name}")
    with books.write() as session, pytest.raises(Conflict, match="plays bomb"):
        uploads.upload(
            session,
            alice,
            game="skull",
            name="simple",
            data=SIMPLE,
            settings=books.settings,
            now=books.clock(),
        )


def test_the_files_of_an_account_take_a_limited_room(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    big = SIMPLE + b"#" * 60_000 + b"\n"
    small = open_books(books.context.database.url, uploads_mb=1, pending_tryouts=20)
    for number in range(17):
        small.upload(alice, "one", big + b"# %d\n" % number)
    with pytest.raises(TooMany, match=r"may take 1 MB together.* would exceed; ask .*_MB$"):
        small.upload(alice, "two", big)
    small.settle(tried_out(small.sent(TryOut)[0], accepted=False))
    with pytest.raises(TooMany, match=r"would exceed; wait .* after 30 days, or ask .*_MB$"):
        small.upload(alice, "two", big)
    small.upload(alice, "two", big + b"# 3\n")  # The file is there, so it takes no more room.
    assert small.upload(alice, "one", big + b"# 3\n").number == 4, "a version that is there"
    small.upload(bob, "one", big)
    for number in range(20):
        small.upload(charlie, "one", big + b"# %d\n" % number)
    for_ever = open_books(
        books.context.database.url, uploads_mb=1, keep_refused_days=0, pending_tryouts=20
    )
    with pytest.raises(TooMany, match=r"would exceed; ask an operator"):
        for_ever.upload(alice, "two", big)
    unlimited = open_books(books.context.database.url, uploads_mb=0, pending_tryouts=20)
    unlimited.upload(alice, "two", big)
    for more in (small, for_ever, unlimited):
        more.context.close()
