"""Accounts: names and passwords, tokens, and the first operator's link."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from matchbox.errors import BadName, Conflict, Forbidden, NotFound, TooMany
from server.db.models import Audit, Notice, Role, Token, User
from server.services import account_operations, accounts, classes, operations
from server.times import DAY_MS, HOUR_MS
from tests.books import Books

PASSWORD = "correct horse"


def signed_up(books: Books, name: str = "alice") -> User:
    """An account with a password."""
    with books.write() as session:
        return accounts.sign_up(session, name, PASSWORD, signup="open", now=books.clock())


def test_who_signs_up_can_log_in(books: Books) -> None:
    alice = signed_up(books)
    with books.read() as session:
        found = accounts.log_in(session, "alice", PASSWORD)
        assert found.id == alice.id
        assert found.role == Role.AUTHOR
        known = session.get(User, alice.id)
        assert known is not None
        assert known.name == "alice"


def test_a_password_is_not_on_the_books(books: Books) -> None:
    assert PASSWORD not in str(signed_up(books).password)


@pytest.mark.parametrize(
    "name, password", [("alice", "wrong password"), ("nobody", PASSWORD), ("house", PASSWORD)]
)
def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(
    name: str, password: str, books: Books
) -> None:
    signed_up(books)
    with books.write() as session:
        accounts.house(session, now=books.clock())
    with books.read() as session, pytest.raises(Forbidden, match="the name or the password"):
        accounts.log_in(session, name, password)


@pytest.mark.parametrize("name", ["Alice", "a", "-a", "a" * 33, "al ice", "älice", ""])
def test_a_name_outside_the_rules_is_refused(name: str, books: Books) -> None:
    with pytest.raises(BadName):
        signed_up(books, name)


@pytest.mark.parametrize("name", ["alice", "house", "admin"])
def test_a_taken_name_is_refused(name: str, books: Books) -> None:
    signed_up(books)
    with pytest.raises(Conflict, match="is taken"):
        signed_up(books, name)


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("ninechars", "10 characters"),
        ("x" * 1001, "1,000 characters"),
        ("lone \ud800 surrogate", "half a character"),
    ],
)
def test_a_poor_password_is_refused(password: str, why: str, books: Books) -> None:
    with books.write() as session, pytest.raises(BadName, match=why):
        accounts.sign_up(session, "alice", password, signup="open", now=books.clock())


def test_a_password_can_be_changed_by_who_knows_it(books: Books) -> None:
    alice = signed_up(books)
    with books.write() as session, pytest.raises(Forbidden):
        accounts.change_password(session, alice, "not the old one", "battery staple", now=1)
    with books.write() as session:
        accounts.change_password(session, alice, PASSWORD, "battery staple", now=1)
    with books.write() as session, pytest.raises(Conflict, match="just been changed"):
        accounts.change_password(session, alice, PASSWORD, "another staple", now=1)
    with books.read() as session:
        assert accounts.log_in(session, "alice", "battery staple").id == alice.id
        assert session.scalars(select(Audit.action)).all() == ["user.password"]
        (notice,) = session.scalars(select(Notice).where(Notice.user_id == alice.id))
    assert "If it was not you" in notice.text


def test_a_first_password_is_told_as_set_and_the_next_as_changed(books: Books) -> None:
    with books.write() as session:
        dora = accounts.add(session, "dora", None, Role.AUTHOR, now=0)
        dora = accounts.change_password(session, dora, "", "battery staple", now=1)
        dora = accounts.change_password(session, dora, "battery staple", "correct horse", now=2)
    told = [text.partition(".")[0] for _, text in books.notices(dora, "password")]
    assert told == ["Your password was set", "Your password was changed"]


def test_an_account_that_was_just_closed_gets_no_new_password(books: Books) -> None:
    alice = signed_up(books)
    with books.write() as session:
        session.execute(update(User).where(User.id == alice.id).values(closed_at=1))
    with books.write() as session, pytest.raises(Conflict, match="just been changed"):
        accounts.change_password(session, alice, PASSWORD, "battery staple", now=1)


def test_only_an_operator_makes_accounts(books: Books, alice: User, charlie: User) -> None:
    acting = books.acting(charlie)
    assert accounts.create_user(charlie, acting, "dora", PASSWORD, "operator").operator
    with pytest.raises(Forbidden):
        accounts.create_user(alice, books.acting(alice), "eve", PASSWORD, "author")
    with pytest.raises(BadName, match="no role"):
        accounts.create_user(charlie, acting, "eve", PASSWORD, "house")


@pytest.mark.parametrize("values", [{"role": Role.AUTHOR}, {"closed_at": 1}])
def test_whoever_is_no_operator_any_more_finishes_no_request_of_one(
    books: Books, charlie: User, values: dict[str, Any]
) -> None:
    league = books.league()
    books.person("dora")
    with books.write() as session:
        session.execute(update(User).where(User.id == charlie.id).values(**values))
    assert charlie.operator, "as the request has read it"
    acting = books.acting(charlie)
    with pytest.raises(Forbidden):
        accounts.create_user(charlie, acting, "eve", PASSWORD, "author")
    with pytest.raises(Forbidden):
        account_operations.reset_password(charlie, acting, "dora")
    with pytest.raises(Forbidden):
        classes.make_accounts(books.context, charlie, acting, league.name, ["eve"])
    with pytest.raises(Forbidden):
        operations.recompute_league(books.context, charlie, acting, league.name)


def test_a_token_that_was_revoked_long_ago_is_deleted_when_another_is_made(
    books: Books, alice: User
) -> None:
    for days in (0, accounts.ENDED_DAYS - 1, 1):
        books.clock.pass_by(minutes=days * 24 * 60)
        with books.write() as session:
            accounts.make_token(session, alice, "mine", now=books.clock())
            session.execute(update(Token).values(revoked_at=Token.created_at))
        if days != 1:
            assert books.count(Token) == (2 if days else 1)
    assert books.count(Token) == 2, "the first one has left the list"


def test_a_token_that_expired_long_ago_is_deleted_when_another_is_made(
    books: Books, alice: User
) -> None:
    for days in (0, accounts.ENDED_DAYS, 1):
        books.clock.pass_by(minutes=days * 24 * 60)
        with books.write() as session:
            accounts.make_token(session, alice, "mine", now=books.clock(), days=1)
        if days != 1:
            assert books.count(Token) == (2 if days else 1)
    assert books.count(Token) == 2, "the first one has left the list"


def test_a_token_stands_for_its_account_until_it_is_revoked(books: Books, alice: User) -> None:
    with books.write() as session:
        secret = accounts.make_token(session, alice, "laptop", now=books.clock())
    with books.read() as session:
        assert accounts.token_of(session, secret, now=books.clock()).user_id == alice.id
        (token,) = accounts.tokens(session, alice)
        assert secret not in (token.digest, token.name)
    with books.write() as session:
        accounts.revoke_token(session, alice, token.id, now=books.clock())
    with books.read() as session, pytest.raises(Forbidden, match="unknown or revoked"):
        accounts.token_of(session, secret, now=books.clock())


def test_nobody_revokes_the_token_of_another(books: Books, alice: User, bob: User) -> None:
    with books.write() as session:
        accounts.make_token(session, alice, "laptop", now=books.clock())
        (token,) = accounts.tokens(session, alice)
        with pytest.raises(NotFound):
            accounts.revoke_token(session, bob, token.id, now=books.clock())


def test_a_token_has_a_name_and_there_is_an_end_to_them(books: Books, alice: User) -> None:
    with books.write() as session:
        with pytest.raises(BadName):
            accounts.make_token(session, alice, "\n", now=books.clock())
        for number in range(accounts.TOKENS):
            accounts.make_token(session, alice, f"token {number}", now=books.clock())
        with pytest.raises(Conflict, match="revoke one"):
            accounts.make_token(session, alice, "one more", now=books.clock())


def test_nobody_makes_and_revokes_tokens_for_ever(books: Books, alice: User) -> None:
    with books.write() as session:
        for number in range(2 * accounts.TOKENS):
            accounts.make_token(session, alice, f"token {number}", now=books.clock())
            (made,) = accounts.tokens(session, alice)
            accounts.revoke_token(session, alice, made.id, now=books.clock())
        with pytest.raises(TooMany, match="made 100 tokens within an hour"):
            accounts.make_token(session, alice, "one more", now=books.clock())
        later = books.clock() + HOUR_MS
        accounts.make_token(session, alice, "one more", now=later)


def test_a_token_of_an_earlier_release_has_no_end(books: Books, alice: User) -> None:
    with books.write() as session:
        secret = accounts.make_token(session, alice, "old", now=books.clock())
        session.execute(update(Token).values(ends_at=None))
    books.clock.pass_by(minutes=4 * 366 * 1440)
    with books.write() as session:
        old = accounts.token_of(session, secret, now=books.clock())
        accounts.make_token(session, alice, "new", days=7, by=old, now=books.clock())
        _, new = accounts.tokens(session, alice)
        assert new.ends_at == books.clock() + 7 * DAY_MS


def claim(books: Books, secret: str, name: str = "charlie") -> User:
    """Returns the operator that the link makes."""
    with books.write() as session:
        return accounts.claim_operator(session, secret, name, PASSWORD, now=books.clock())


def test_the_first_operator_comes_by_a_link_that_works_once(books: Books) -> None:
    secret = books.operator_link()
    with books.read() as session:
        assert accounts.is_open_link(session, secret)
    assert claim(books, secret).operator
    with books.read() as session:
        assert not accounts.is_open_link(session, secret)
    with pytest.raises(Forbidden, match="has been used"):
        claim(books, secret, "mallory")
    with books.read() as session:
        assert session.scalar(select(User).where(User.name == "mallory")) is None


def test_a_newer_link_replaces_the_older_ones(books: Books) -> None:
    old, new = books.operator_link(), books.operator_link()
    with books.read() as session:
        assert not accounts.is_open_link(session, old)
    with pytest.raises(Forbidden):
        claim(books, old)
    assert claim(books, new).operator


def test_there_is_no_link_once_there_is_an_operator(books: Books, charlie: User) -> None:
    assert charlie.operator
    with books.write() as session:
        assert accounts.first_operator_link(session, now=books.clock()) is None


def test_an_open_link_ends_when_somebody_becomes_an_operator_otherwise(books: Books) -> None:
    secret = books.operator_link()
    books.person("charlie", Role.OPERATOR)
    with books.read() as session:
        assert not accounts.is_open_link(session, secret)
    with pytest.raises(Forbidden, match="has been used"):
        claim(books, secret, "mallory")


def test_a_link_is_no_token_and_a_token_is_no_link(books: Books, alice: User) -> None:
    with books.write() as session:
        token = accounts.make_token(session, alice, "laptop", now=books.clock())
    with books.read() as session:
        assert not accounts.is_open_link(session, token)
    with pytest.raises(Forbidden, match="has been used"):
        claim(books, token, "mallory")
    secret = books.operator_link()
    with books.read() as session:
        assert accounts.token_of(session, token, now=books.clock()).user_id == alice.id
    charlie = claim(books, secret)
    with books.read() as session:
        assert accounts.tokens(session, charlie) == []
        assert session.scalars(select(Audit.action)).all() == ["user.claim"]
        with pytest.raises(Forbidden, match="unknown or revoked"):
            accounts.token_of(session, secret, now=books.clock())


def test_the_house_is_no_operator(books: Books) -> None:
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
        assert accounts.house(session, now=books.clock()).id == house.id
        assert house.trusted
        assert not house.operator
    books.operator_link()
