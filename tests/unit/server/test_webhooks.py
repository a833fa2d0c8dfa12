"""Webhooks of an account: added, listed, removed, and refused at some addresses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from matchbox.errors import BadOption, Conflict, Forbidden, NotFound, TooMany
from server.db.models import Delivery, Notice, User, Webhook
from server.services import notices, webhooks
from tests.books import Books


def add(books: Books, user: User, url: str, where: str = "public") -> Webhook:
    """Adds a webhook to the account."""
    settings = replace(books.settings, webhooks=where)
    with books.write() as session:
        return webhooks.add(session, user, url, settings=settings, now=books.clock())


def test_a_webhook_has_a_secret_of_its_own_and_is_told_of_itself_first(
    books: Books, alice: User
) -> None:
    first = add(books, alice, "https://one.example/secret")
    second = add(books, alice, "https://two.example/")
    assert first.secret.startswith("whsec_")
    assert first.secret != second.secret
    with books.read() as session:
        told = session.scalars(select(Notice).order_by(Notice.id)).all()
        sent = session.scalars(select(Delivery.webhook_id).order_by(Delivery.id)).all()
    assert [notice.kind for notice in told] == ["webhook", "webhook"]
    assert "one.example" in told[0].text
    assert "secret" not in told[0].text
    assert sent == [first.id, first.id, second.id]


@pytest.mark.parametrize(
    ("where", "url", "error"),
    [
        ("public", "http://hooks.example/", BadOption),
        ("public", "https://10.0.0.1/", BadOption),
        ("any", "file:///etc/passwd", BadOption),
        ("none", "https://hooks.example/", Forbidden),
    ],
)
def test_a_webhook_leads_only_where_the_operator_lets_it(
    where: str, url: str, error: type[Exception], books: Books, alice: User
) -> None:
    with pytest.raises(error):
        add(books, alice, url, where)


def test_in_a_cluster_of_its_own_a_webhook_may_be_near(books: Books, alice: User) -> None:
    assert add(books, alice, "http://10.0.0.1:8080/hook", "any").url == "http://10.0.0.1:8080/hook"


def test_there_are_five_and_none_twice(books: Books, alice: User, bob: User) -> None:
    for number in range(webhooks.MAX_WEBHOOKS):
        add(books, alice, f"https://hooks.example/{number}")
    with pytest.raises(Conflict, match="already"):
        add(books, alice, "https://hooks.example/0")
    with pytest.raises(TooMany, match="up to 5"):
        add(books, alice, "https://hooks.example/5")
    assert add(books, bob, "https://hooks.example/0")


def test_nobody_adds_and_removes_webhooks_for_ever(books: Books, alice: User, bob: User) -> None:
    with books.write() as session:  # Other news of webhooks do not count.
        text, now = "The webhook to hooks.example is disabled.", books.clock.now
        notices.notify_account(session, alice.id, "webhook", f"user:{alice.id}", text, now=now)
    for number in range(webhooks.ADDED):
        made = add(books, alice, f"https://hooks.example/{number}")
        with books.write() as session:
            webhooks.remove(session, alice, made.id)
    with pytest.raises(TooMany, match="added 20 webhooks within an hour; come back in 61 minutes"):
        add(books, alice, "https://hooks.example/one-more")
    assert add(books, bob, "https://hooks.example/0")
    books.clock.pass_by(minutes=61)
    assert add(books, alice, "https://hooks.example/one-more")


def test_only_its_owner_removes_a_webhook_and_nothing_is_left_on_its_way(
    books: Books, alice: User, bob: User
) -> None:
    kept = add(books, alice, "https://hooks.example/kept")
    made = add(books, alice, "https://hooks.example/")
    with books.write() as session:
        with pytest.raises(NotFound):
            webhooks.remove(session, bob, made.id)
        webhooks.remove(session, alice, made.id)
        assert [one.id for one in webhooks.listed(session, alice)] == [kept.id]
        assert {one.webhook_id for one in session.scalars(select(Delivery))} == {kept.id}
