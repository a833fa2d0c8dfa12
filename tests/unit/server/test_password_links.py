"""New passwords by e-mail: a link that works once, for an hour, at a confirmed address only."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select, update

from matchbox.errors import BadName, Conflict, Forbidden
from server.context import Context
from server.db.models import Audit, Notice, User
from server.services import (
    account_operations,
    accounts,
    deliveries,
    notices,
    password_links,
    passwords,
    sessions,
)
from server.services.deliveries import Parcel
from tests.books import Books

ADDRESS = "dora@example.org"
OLD, NEW = "a password of dora", "another one of hers"


@pytest.fixture
def mailing(books: Books) -> Context:
    """The context of the same database with a mail server."""
    settings = replace(books.settings, smtp_host="mail.example", smtp_sender="x@bots.example")
    return replace(books.context, settings=settings)


@pytest.fixture
def dora(books: Books) -> User:
    """An author with a confirmed address, who is logged in somewhere."""
    with books.write() as session:
        user = accounts.sign_up(session, "dora", OLD, signup="open", now=books.clock())
        user.email = ADDRESS
        sessions.begin(session, user, agent="a test", now=books.clock())
        return user


def ask(context: Context, address: str = ADDRESS) -> None:
    """Requests a link."""
    with context.write() as session:
        settings, now = context.settings, context.now()
        password_links.request_links(session, address, settings=settings, now=now)


def parcels(context: Context) -> list[Parcel]:
    """Sends everything that is due; returns it."""
    found = []
    with context.write() as session:
        while parcel := deliveries.take(session, settings=context.settings, now=context.now()):
            deliveries.mark_delivered(session, parcel, now=context.now())
            found.append(parcel)
    return found


def secret_of(parcel: Parcel, user: User) -> str:
    """Returns the secret in the mailed link."""
    head, _, secret = parcel.link.rpartition("/")
    assert head.endswith(f"/reset/{user.id}")
    return secret


def test_a_mailed_link_sets_the_password_once_and_ends_the_sessions(
    mailing: Context, books: Books, dora: User
) -> None:
    ask(mailing, ADDRESS.upper())
    (mail,) = parcels(mailing)
    assert (mail.address, mail.kind) == (ADDRESS, "password-link")
    secret = secret_of(mail, dora)
    password_links.set_password(mailing, dora.id, secret, NEW)
    with books.context.read() as session:
        known = accounts.log_in(session, "dora", NEW)
        assert sessions.sessions(session, known, now=books.clock()) == []
        assert session.scalars(select(Notice.kind).order_by(Notice.id)).all() == [
            "password-link",
            "password",
        ]
        texts = [*session.scalars(select(Notice.text)), *map(str, session.scalars(select(Audit)))]
        assert not [text for text in texts if secret in text]
        actions = session.scalars(select(Audit.action).order_by(Audit.id)).all()
        assert actions == ["user.password-link", "user.password"]
    with pytest.raises(Forbidden):
        password_links.set_password(mailing, dora.id, secret, OLD)


def test_a_link_ends_after_an_hour_with_a_newer_one_and_with_any_new_password(
    mailing: Context, books: Books, dora: User
) -> None:
    ask(mailing)
    first = secret_of(parcels(mailing)[0], dora)
    books.clock.pass_by(minutes=9)
    ask(mailing)
    assert parcels(mailing) == [], "nobody ends a young link by asking again"
    books.clock.pass_by(minutes=1)
    ask(mailing)
    second = secret_of(parcels(mailing)[0], dora)
    with pytest.raises(Forbidden):
        password_links.set_password(mailing, dora.id, first, NEW)
    books.clock.pass_by(minutes=61)
    with pytest.raises(Forbidden, match="older than an hour"):
        password_links.set_password(mailing, dora.id, second, NEW)
    ask(mailing)
    third = secret_of(parcels(mailing)[0], dora)
    with books.write() as session:
        user = session.get_one(User, dora.id)
        accounts.change_password(session, user, OLD, NEW, now=books.clock())
    with pytest.raises(Forbidden):
        password_links.set_password(mailing, dora.id, third, OLD)


@pytest.mark.parametrize("by_operator", [False, True])
def test_a_link_that_waited_for_its_mail_during_a_new_password_is_not_mailed(
    mailing: Context, books: Books, dora: User, charlie: User, by_operator: bool
) -> None:
    ask(mailing)
    if by_operator:
        account_operations.reset_password(charlie, books.acting(charlie), "dora")
    else:
        with books.write() as session:
            user = session.get_one(User, dora.id)
            accounts.change_password(session, user, OLD, NEW, now=books.clock())
    assert [mail for mail in parcels(mailing) if mail.kind == "password-link"] == []


def test_a_link_that_could_not_be_mailed_in_time_is_not_mailed(
    mailing: Context, books: Books, dora: User
) -> None:
    ask(mailing)
    books.clock.pass_by(minutes=59)
    ask(mailing)
    (mail,) = parcels(mailing)
    assert secret_of(mail, dora), "of two that waited, the newer one"
    books.clock.pass_by(minutes=11)
    ask(mailing)
    books.clock.pass_by(minutes=61)
    assert parcels(mailing) == []


def test_an_address_that_a_clock_ahead_has_changed_gets_links(
    mailing: Context, books: Books, dora: User
) -> None:
    with mailing.write() as session:
        session.get_one(User, dora.id).email_changed_at = books.clock() + 400 * 24 * 3_600_000
    ask(mailing)
    assert len(parcels(mailing)) == 1


def test_a_link_of_a_machine_whose_clock_is_a_little_ahead_is_valid(
    mailing: Context, books: Books, dora: User
) -> None:
    books.clock.pass_by(seconds=50)
    ask(mailing)
    (mail,) = parcels(mailing)
    books.clock.pass_by(seconds=-50)
    with mailing.read() as session:
        user = session.get_one(User, dora.id)
        secret, settings = secret_of(mail, dora), mailing.settings
        assert password_links.is_open(user, secret, settings=settings, now=books.clock())


def test_a_link_from_a_clock_that_was_ahead_is_over_and_another_can_be_asked_for(
    mailing: Context, books: Books, dora: User
) -> None:
    books.clock.pass_by(minutes=24 * 60)
    ask(mailing)
    (early,) = parcels(mailing)
    books.clock.pass_by(minutes=-24 * 60)
    with mailing.read() as session:
        user = session.get_one(User, dora.id)
        secret, settings = secret_of(early, dora), mailing.settings
        assert not password_links.is_open(user, secret, settings=settings, now=books.clock())
    ask(mailing)
    assert len(parcels(mailing)) == 1


def test_a_new_address_gets_no_link_for_a_day_and_an_account_without_a_password_none(
    mailing: Context, books: Books, dora: User
) -> None:
    erin = books.person("erin")
    with books.write() as session:
        session.get_one(User, dora.id).email_changed_at = books.clock()
        other = session.get_one(User, erin.id)
        other.email, other.password = ADDRESS, None
    ask(mailing)
    assert parcels(mailing) == []
    books.clock.pass_by(minutes=24 * 60)
    ask(mailing)
    assert [parcel.account for parcel in parcels(mailing)] == ["dora"]


@pytest.mark.parametrize("revoke", [False, True])
def test_a_reset_by_mail_revokes_the_tokens_if_that_is_wanted(
    mailing: Context, books: Books, dora: User, revoke: bool
) -> None:
    with books.write() as session:
        accounts.make_token(session, dora, "laptop", now=books.clock())
    ask(mailing)
    secret = secret_of(parcels(mailing)[0], dora)
    password_links.set_password(mailing, dora.id, secret, NEW, revoke=revoke)
    with books.read() as session:
        assert len(accounts.tokens(session, dora)) == (0 if revoke else 1)


@pytest.mark.parametrize(
    "change", [{"password": "another hash"}, {"reset_asked_at": 1}, {"closed_at": 1}]
)
def test_an_account_that_changes_while_its_new_password_is_hashed_keeps_its_own(
    mailing: Context,
    books: Books,
    dora: User,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, object],
) -> None:
    ask(mailing)
    secret = secret_of(parcels(mailing)[0], dora)
    real = passwords.hash_password

    def hash_slowly(password: str, name: str) -> str:
        with books.write() as session:
            session.execute(update(User).where(User.id == dora.id).values(change))
        return real(password, name)

    monkeypatch.setattr(passwords, "hash_password", hash_slowly)
    with pytest.raises(Conflict, match="has just changed"):
        password_links.set_password(mailing, dora.id, secret, NEW)
    expected = change.get("password", dora.password)
    with books.read() as session:
        assert session.get_one(User, dora.id).password == expected


def test_a_link_opens_no_account_that_was_closed(
    mailing: Context, books: Books, dora: User
) -> None:
    ask(mailing)
    secret = secret_of(parcels(mailing)[0], dora)
    with books.write() as session:
        user = session.get_one(User, dora.id)
        user.closed_at = books.clock()
        settings, now = mailing.settings, books.clock()
        assert not password_links.is_open(user, secret, settings=settings, now=now)
    with pytest.raises(Forbidden, match="is of a closed account"):
        password_links.set_password(mailing, dora.id, secret, NEW)


def test_a_link_is_of_no_use_for_another_account(mailing: Context, dora: User, alice: User) -> None:
    ask(mailing)
    secret = secret_of(parcels(mailing)[0], dora)
    for number in (alice.id, 999):
        with pytest.raises(Forbidden):
            password_links.set_password(mailing, number, secret, NEW)


def test_a_poor_password_leaves_the_link_open(mailing: Context, dora: User) -> None:
    ask(mailing)
    secret = secret_of(parcels(mailing)[0], dora)
    with pytest.raises(BadName):
        password_links.set_password(mailing, dora.id, secret, "short")
    assert password_links.set_password(mailing, dora.id, secret, NEW).name == "dora"


def test_an_address_that_is_unknown_unconfirmed_or_closed_gets_nothing(
    mailing: Context, books: Books, dora: User, alice: User
) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).email_asked = "alice@example.org"
        session.get_one(User, dora.id).closed_at = books.clock()
    for address in ("nobody@example.org", "alice@example.org", ADDRESS):
        ask(mailing, address)
    assert parcels(mailing) == []
    with pytest.raises(BadName):
        ask(mailing, "not an address")


def test_nobody_is_buried_in_links(mailing: Context, books: Books, dora: User) -> None:
    for _ in range(password_links.LINKS + 3):
        ask(mailing)
        books.clock.pass_by(minutes=10)
    with books.context.read() as session:
        assert len(session.scalars(select(Notice)).all()) == password_links.LINKS
    books.clock.pass_by(minutes=24 * 60)
    parcels(mailing)
    ask(mailing)
    assert len(parcels(mailing)) == 1, "the next day"


def test_other_notices_and_links_of_others_do_not_count(
    mailing: Context, books: Books, dora: User, alice: User
) -> None:
    with books.write() as session:
        for _ in range(password_links.LINKS):
            for user, kind in ((dora, "password"), (alice, notices.PASSWORD_LINK)):
                notices.notify_account(session, user.id, kind, "", "", now=books.clock())
    ask(mailing)
    assert "password-link" in [one.kind for one in parcels(mailing)]


def test_without_a_mail_server_an_operator_is_named(books: Books, dora: User) -> None:
    with pytest.raises(Forbidden, match="ask an operator"):
        ask(books.context)
