"""An address for mails gets only a confirmation link until somebody follows it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from matchbox.errors import BadName, BadOption, Conflict, Forbidden, TooMany
from matchbox.settings import Settings
from server.db.models import Audit, Delivery, Notice, User, Webhook
from server.services import contact, deliveries, notices
from server.services.deliveries import Parcel
from tests.books import Books

ADDRESS = "alice@example.org"


def settings_of(books: Books) -> Settings:
    """Settings with a mail server."""
    return replace(books.settings, smtp_host="mail.example", smtp_sender="league@bots.example")


def ask(books: Books, user: User, address: str = ADDRESS) -> None:
    """Requests mails to the address."""
    with books.write() as session:
        mine = session.get_one(User, user.id)
        contact.request_confirmation(
            session, mine, address, settings=settings_of(books), now=books.clock()
        )


def mute(books: Books, user: User, *kinds: str) -> None:
    """Turns off mails of these kinds."""
    with books.write() as session:
        contact.mute(session, session.get_one(User, user.id), kinds)


def parcels(books: Books) -> list[Parcel]:
    """Sends everything that is due; returns it."""
    found = []
    with books.write() as session:
        while parcel := deliveries.take(session, settings=settings_of(books), now=books.clock()):
            deliveries.mark_delivered(session, parcel, now=books.clock())
            found.append(parcel)
    return found


def confirm(books: Books, user: User, link: str) -> str:
    """Follows the link."""
    secret = link.rpartition("/")[2]
    with books.write() as session:
        mine = session.get_one(User, user.id)
        return contact.confirm(
            session, mine, secret, settings=settings_of(books), now=books.clock()
        )


def tell(books: Books, user: User) -> None:
    """Gives the account a notice."""
    with books.write() as session:
        notices.notify_account(session, user.id, "verdict", "season:1", "done", now=books.clock())


def test_an_address_gets_a_link_and_nothing_else_until_it_was_followed(
    books: Books, alice: User
) -> None:
    ask(books, alice)
    tell(books, alice)
    (invitation,) = parcels(books)
    assert invitation.address == ADDRESS
    assert invitation.text == contact.INVITATION
    assert invitation.link.startswith("http://127.0.0.1:8000/account/email/")
    assert confirm(books, alice, invitation.link) == ADDRESS
    tell(books, alice)
    (notice,) = parcels(books)
    assert (notice.address, notice.text) == (ADDRESS, "done")


def test_a_link_works_once_for_its_own_account_and_for_a_day(
    books: Books, alice: User, bob: User
) -> None:
    ask(books, alice)
    (sent,) = parcels(books)
    ask(books, bob, "bob@example.org")
    books.clock.pass_by(minutes=-2)
    with pytest.raises(Forbidden):
        confirm(books, alice, sent.link)  # a machine whose clock was far ahead has sent it
    books.clock.pass_by(minutes=2)
    for link in (sent.link[:-1] + "x", "/account/email/é"):
        with pytest.raises(Forbidden, match="ask for a new one"):
            confirm(books, alice, link)
    with pytest.raises(Forbidden, match="another account"):
        confirm(books, bob, sent.link)
    books.clock.pass_by(minutes=24 * 60 + 1)
    with pytest.raises(Forbidden):
        confirm(books, alice, sent.link)
    books.clock.pass_by(minutes=-2)
    assert confirm(books, alice, sent.link)
    with pytest.raises(Forbidden):
        confirm(books, alice, sent.link)


def test_another_address_replaces_the_link_and_the_old_address_stays_until_then(
    books: Books, alice: User
) -> None:
    ask(books, alice)
    confirm(books, alice, parcels(books)[0].link)
    ask(books, alice, "typo@example.org")
    ask(books, alice, "new@example.org")
    tell(books, alice)
    sent = {parcel.address: parcel for parcel in parcels(books)}
    assert sent.keys() == {"new@example.org", ADDRESS}
    confirm(books, alice, sent["new@example.org"].link)
    tell(books, alice)
    sent = {parcel.address: parcel for parcel in parcels(books)}
    assert {address: parcel.kind for address, parcel in sent.items()} == {
        ADDRESS: "address",
        "new@example.org": "verdict",
    }
    assert "was changed" in sent[ADDRESS].text


def test_who_changes_the_address_cannot_keep_the_former_one_from_being_told(
    books: Books, alice: User
) -> None:
    with books.write() as session:
        mine = session.get_one(User, alice.id)
        mine.email, mine.reset_asked_at = ADDRESS, books.clock()
    ask(books, alice, "thief@example.org")
    (link,) = parcels(books)
    confirm(books, alice, link.link)
    with books.write() as session:
        mine = session.get_one(User, alice.id)
        assert (mine.reset_asked_at, mine.email_changed_at) == (None, books.clock())
        contact.clear(session, mine, now=books.clock())
        lines = session.scalars(select(Audit.detail).where(Audit.action == "user.email")).all()
        assert lines == [{"was": "changed"}, {"was": "removed"}]
    assert [parcel.address for parcel in parcels(books)] == [ADDRESS, "thief@example.org"]


def test_a_cleared_address_gets_nothing_that_was_on_its_way(books: Books, alice: User) -> None:
    ask(books, alice)
    (sent,) = parcels(books)
    confirm(books, alice, sent.link)
    tell(books, alice)
    with books.write() as session:
        contact.clear(session, session.get_one(User, alice.id), now=books.clock())
    (last,) = parcels(books)
    assert (last.kind, last.address) == ("address", ADDRESS)
    tell(books, alice)
    assert not parcels(books)
    with pytest.raises(Forbidden):
        confirm(books, alice, sent.link)


@pytest.mark.parametrize(
    "address",
    ["", "alice", "a@b@c", "a b@example.org", "a@example.org\nBcc: b@c", "A <a@b.org>", "ä@b.org",
     "a" * 250 + "@example.org", '"a"@b.org', "a@b.org,c@d.org", "a..b@c.org", ".a@b.org",
     "a.@b.org", "\u017fs@b.org", "a@\u212ab.org"],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused(address: str, books: Books, alice: User) -> None:
    with pytest.raises(BadName, match="not a plain e-mail address"):
        ask(books, alice, address)
    assert not parcels(books)


def test_a_closed_account_is_mailed_nothing_and_its_webhooks_rest(
    books: Books, alice: User
) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).email = ADDRESS
        session.add(Webhook(user_id=alice.id, url="https://x", secret="whsec_eA==", created_at=1))
    tell(books, alice)
    with books.write() as session:
        session.get_one(User, alice.id).closed_at = books.clock()
    assert parcels(books) == []


def test_where_no_mails_are_sent_no_address_is_taken(books: Books, alice: User) -> None:
    with books.write() as session, pytest.raises(Forbidden, match="sends no mail"):
        contact.request_confirmation(
            session, alice, ADDRESS, settings=books.settings, now=books.clock()
        )


def test_an_address_that_is_confirmed_is_not_asked_again(books: Books, alice: User) -> None:
    ask(books, alice)
    confirm(books, alice, parcels(books)[0].link)
    with pytest.raises(Conflict, match="already"):
        ask(books, alice)


def test_nobody_is_buried_in_links(books: Books, alice: User) -> None:
    for _ in range(contact.LINKS):
        ask(books, alice)
    books.clock.pass_by(minutes=60)
    with pytest.raises(TooMany, match=r"too many links .* try again at .* UTC$") as refused:
        ask(books, alice)
    assert refused.value.wait_s == 23 * 60 * 60
    dora, emil = books.person("dora"), books.person("emil")
    for person in (dora, emil):
        ask(books, person, ADDRESS.upper())
    ask(books, dora, "dora@example.org")
    with books.write() as session:
        contact.clear(session, session.get_one(User, emil.id), now=books.clock())
    frida = books.person("frida")
    with pytest.raises(TooMany, match="too many links") as refused:
        ask(books, frida)
    assert refused.value.wait_s == 23 * 60 * 60, (
        "then the first link to that address does not count"
    )
    ask(books, frida, "frida@example.org")
    books.clock.pass_by(minutes=24 * 60)
    ask(books, alice)


def test_no_number_of_other_notices_makes_room_for_more_links(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "KEPT", 3)
    for _ in range(contact.LINKS):
        ask(books, alice)
    for _ in range(4):
        tell(books, alice)
    with pytest.raises(TooMany, match="too many links"):
        ask(books, alice)
    books.clock.pass_by(minutes=24 * 60)
    tell(books, alice)
    with books.read() as session:
        kinds = session.scalars(select(Notice.kind).where(Notice.user_id == alice.id)).all()
    assert kinds == ["verdict"] * 3, "a day later they go as others do"


def test_a_muted_kind_is_mailed_no_more_and_is_in_the_inbox_still(
    books: Books, alice: User
) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).email = ADDRESS
        session.add(Webhook(user_id=alice.id, url="https://x", secret="whsec_eA==", created_at=1))
    tell(books, alice)
    mute(books, alice, "verdict", "rank-change")
    tell(books, alice)
    with books.read() as session:
        ways = list(session.scalars(select(Delivery.webhook_id).order_by(Delivery.notice_id)))
    assert ways == [1, 1], "to the webhook both, by mail neither the old nor the new one"
    assert len(books.notices(alice, "verdict")) == 2
    mute(books, alice)
    tell(books, alice)
    assert [parcel.address for parcel in parcels(books) if not parcel.url] == [ADDRESS]


def test_waiting_mails_of_other_kinds_and_of_others_are_sent(
    books: Books, alice: User, bob: User
) -> None:
    for user, address in ((alice, ADDRESS), (bob, "bob@example.org")):
        ask(books, user, address)
        confirm(books, user, parcels(books)[0].link)
        parcels(books)
    for user in (alice, bob):
        tell(books, user)
    mute(books, alice, "season-start")
    with books.write() as session:
        contact.clear(session, session.get_one(User, bob.id), now=books.clock())
    sent = [(one.address, one.kind) for one in parcels(books)]
    assert (ADDRESS, "verdict") in sent
    assert ("bob@example.org", "verdict") not in sent


def test_a_second_request_replaces_a_link_that_was_not_sent_yet(books: Books, alice: User) -> None:
    for address in ("old@example.org", ADDRESS):
        ask(books, alice, address)
    assert [one.address for one in parcels(books)] == [ADDRESS]


def test_no_kind_that_there_is_not_is_muted_nor_one_of_the_account_itself(
    books: Books, alice: User
) -> None:
    for kind in ("nonsense", "confirm-email", "webhook"):
        with pytest.raises(BadOption, match=f"'{kind}'"):
            mute(books, alice, kind)
