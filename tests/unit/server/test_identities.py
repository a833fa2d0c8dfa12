"""Identities of OpenID Connect providers: whose account each of them opens."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.orm import Session

from matchbox.errors import Conflict, NotFound
from server.db.models import User
from server.openid_client import Identity
from server.services import identities
from tests.books import Books

SCHOOL, OTHER = "https://school.example", "https://other.example"


def signed_up(books: Books, known: Identity, name: str) -> User:
    """An account that was made for the identity."""
    settings = replace(books.settings, openid_signup="open")
    with books.write() as session:
        return identities.sign_up(session, known, name, settings=settings, now=books.clock())


def account_of(books: Books, known: Identity) -> str | None:
    """The name of the account to which the identity logs in."""
    with books.write() as session:
        found = identities.log_in(session, known, now=books.clock())
        return None if found is None else found.name


def test_an_identity_opens_its_own_account_alone(books: Books) -> None:
    anna, ben = Identity(SCHOOL, "1"), Identity(SCHOOL, "2")
    signed_up(books, anna, "anna")
    signed_up(books, ben, "ben")
    assert [account_of(books, one) for one in (anna, ben)] == ["anna", "ben"]
    assert account_of(books, Identity(SCHOOL, "3")) is None
    assert account_of(books, Identity(OTHER, "1")) is None, "another issuer's number 1"


def test_an_identity_gets_one_account(books: Books, alice: User) -> None:
    anna = Identity(SCHOOL, "1")
    signed_up(books, anna, "anna")
    with pytest.raises(Conflict, match="belongs to an account already"):
        signed_up(books, anna, "anna-2")
    with books.write() as session, pytest.raises(Conflict, match="belongs to an account already"):
        identities.link(session, alice, anna, label="the school", now=books.clock())


def unlink(session: Session, user: User, number: int, now: int, issuer: str = SCHOOL) -> None:
    """Removes that link of the account."""
    identities.unlink(session, user, number, issuer=issuer, label="the school", now=now)


def test_an_account_lists_and_loses_its_own_identities_alone(books: Books, alice: User) -> None:
    anna = signed_up(books, Identity(SCHOOL, "1"), "anna")
    now = books.clock()
    with books.write() as session:
        identities.link(session, alice, Identity(OTHER, "1"), label="it", now=now)
        (hers,) = identities.identities(session, anna)
        (mine,) = identities.identities(session, alice)
        with pytest.raises(NotFound):
            unlink(session, alice, hers.id, now)
        with pytest.raises(Conflict, match="set a password first"):
            unlink(session, anna, hers.id, now)
        unlink(session, alice, mine.id, now)
    assert account_of(books, Identity(OTHER, "1")) is None
    assert account_of(books, Identity(SCHOOL, "1")) == "anna"


def test_without_a_password_an_identity_of_the_present_provider_stays(books: Books) -> None:
    anna = signed_up(books, Identity(SCHOOL, "1"), "anna")
    now = books.clock()
    with books.write() as session:
        identities.link(session, anna, Identity(OTHER, "1"), label="it", now=now)
        first, second = identities.identities(session, anna)
        with pytest.raises(Conflict, match="set a password first"):
            unlink(session, anna, second.id, now, issuer=OTHER)
        unlink(session, anna, first.id, now, issuer=OTHER)
    assert account_of(books, Identity(SCHOOL, "1")) is None
    assert account_of(books, Identity(OTHER, "1")) == "anna"


def test_the_last_use_of_an_identity_is_stored(books: Books) -> None:
    known = Identity(SCHOOL, "1")
    anna = signed_up(books, known, "anna")
    books.clock.pass_by(minutes=5)
    account_of(books, known)
    with books.read() as session:
        (found,) = identities.identities(session, anna)
    assert (found.used_at, found.created_at) == (books.clock(), books.clock() - 5 * 60_000)
