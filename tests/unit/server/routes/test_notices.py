"""Notices and webhooks by API and by page: each account sees only its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest
from werkzeug.test import TestResponse

from matchbox.answers.notices import MAY_BE_MUTED
from server.app import create_app
from server.db.models import User
from server.services import notices
from server.services.deliveries import take
from tests.books import Books
from tests.unit.server.conftest import PASSWORD
from tests.unit.server.routes.conftest import Browse, Browser, Caller, session_of

NEW: Final = '<span class="spare"> new</span>'
"""What follows the number of unread notices in the head of every page."""

Mailing = Callable[[User], Browser]


@pytest.fixture
def told(books: Books, alice: User) -> list[int]:
    """Gives alice three notices; returns their numbers."""
    numbers = []
    with books.write() as session:
        for text in ("one", "two", "three <b>"):
            made = notices.notify_account(
                session, alice.id, "season-end", "season:1", text, now=books.clock()
            )
            assert made is not None
            numbers.append(made.id)
    return numbers


@pytest.fixture
def mailing(books: Books) -> Mailing:
    """A browser of a platform with a mail server."""
    knobs = {"smtp_host": "mail.example", "smtp_sender": "league@bots.example"}
    settings = replace(books.settings, **knobs)  # type: ignore[arg-type]
    app = create_app(replace(books.context, settings=settings))

    def open_browser(user: User) -> Browser:
        client = app.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = session_of(books, user)
        return Browser(client)

    return open_browser


def test_notices_are_paged_newest_first_and_counted(as_alice: Caller, told: list[int]) -> None:
    first = as_alice.get("/notices?limit=2").json
    assert first is not None
    assert [item["text"] for item in first["items"]] == ["three <b>", "two"]
    assert first["items"][0]["path"] == "/seasons/1"
    assert first["unread"] == 3
    rest = as_alice.get(f"/notices?limit=2&cursor={first['next']}").json
    assert rest is not None
    assert ([item["text"] for item in rest["items"]], rest["next"]) == (["one"], None)


def test_notices_are_marked_read_one_by_one_and_all_that_were_seen(
    as_alice: Caller, told: list[int]
) -> None:
    marked = as_alice.post(f"/notices/{told[0]}/read").json
    assert marked is not None
    assert marked["read_at"] is not None
    assert as_alice.post("/notices/read", {"newest": told[1]}).json == {"read": 1}
    left = as_alice.get("/notices?unread=true").json
    assert left is not None
    assert [item["id"] for item in left["items"]] == [told[2]]
    assert as_alice.post("/notices/read", {}).json == {"read": 1}


def test_nobody_reads_anybody_elses_notices(
    as_bob: Caller, as_charlie: Caller, nobody: Caller, told: list[int]
) -> None:
    for caller in (as_bob, as_charlie):
        seen = caller.get("/notices").json
        assert seen is not None
        assert seen["items"] == []
        assert caller.post(f"/notices/{told[0]}/read").status_code == 404
        assert caller.post("/notices/read", {}).json == {"read": 0}
    assert nobody.get("/notices").status_code == 401
    assert nobody.post("/notices/read", {}).status_code == 401


def test_a_webhook_shows_its_secret_once(as_alice: Caller, as_bob: Caller) -> None:
    made = as_alice.post("/webhooks", {"url": "https://hooks.example/1"})
    assert made.status_code == 201
    assert made.json is not None
    assert made.json["secret"].startswith("whsec_")
    listed = as_alice.get("/webhooks").json
    assert listed is not None
    assert [set(item) & {"id", "url", "secret"} for item in listed["items"]] == [{"id", "url"}]
    number = made.json["id"]
    assert as_bob.delete(f"/webhooks/{number}").status_code == 404
    assert as_alice.delete(f"/webhooks/{number}").status_code == 204
    assert as_alice.delete(f"/webhooks/{number}").status_code == 404


@pytest.mark.parametrize("url", ["http://hooks.example/", "https://127.0.0.1/", "nonsense"])
def test_a_webhook_to_the_inside_is_refused(url: str, as_alice: Caller) -> None:
    assert as_alice.post("/webhooks", {"url": url}).status_code == 422


def test_the_inbox_counts_in_the_head_until_it_was_read(
    browse: Browse, alice: User, told: list[int]
) -> None:
    browser = browse(alice)
    page = browser.get("/inbox").text
    assert f"3{NEW}" in page
    assert "three &lt;b&gt;" in page
    assert browser.send(f"/inbox/{told[0]}/read").location == f"/inbox#notice-{told[0]}"
    assert f"2{NEW}" in browser.get("/account").text
    assert f'name="newest" value="{told[2]}"' in page
    assert browser.send("/inbox/read", newest=told[1]).status_code == 303
    assert f"1{NEW}" in browser.get("/inbox").text
    for nonsense in ("nonsense", "9" * 5000):
        assert browser.send("/inbox/read", newest=nonsense).status_code == 303
    assert f"1{NEW}" in browser.get("/inbox").text
    browser.send("/inbox/read", newest=told[2])
    assert NEW not in browser.get("/inbox").text


def test_who_marks_an_old_notice_as_read_stays_at_it_on_the_page_of_old_ones(
    browse: Browse, as_alice: Caller, alice: User, told: list[int]
) -> None:
    shown: Any = as_alice.get("/notices?limit=1").json
    cursor = shown["next"]
    browser = browse(alice)
    older = browser.get(f"/inbox?cursor={cursor}").text
    assert f'id="notice-{told[0]}"' in older
    assert f'name="cursor" value="{cursor}"' in older
    answer = browser.send(f"/inbox/{told[0]}/read", cursor=cursor)
    assert answer.location == f"/inbox?cursor={cursor}#notice-{told[0]}"


def test_without_a_login_the_inbox_asks_for_one(browse: Browse) -> None:
    assert browse(None).get("/inbox").location == "/login?next=/inbox"
    assert browse(None).send("/inbox/read", newest=1).status_code == 401


def test_no_notice_is_marked_by_a_forged_form(browse: Browse, alice: User, told: list[int]) -> None:
    browser = browse(alice)
    for path in (f"/inbox/{told[0]}/read", "/inbox/read", "/account/email/clear"):
        assert browser.send(path, csrf_token="forged").status_code == 400


def test_a_session_alone_sets_no_address(mailing: Mailing, books: Books, dora: User) -> None:
    thief = mailing(dora)
    for guess in ("", "a guess of mallory"):
        answer = thief.send("/account/email", email="mallory@example.org", password=guess)
        assert (answer.status_code, "password is wrong" in answer.text) == (403, True)
    for _ in range(3):
        answer = thief.send("/account/email", email="mallory@example.org", password="again")
    assert answer.status_code == 429, "counted like a login"
    with books.read() as session:
        assert session.get_one(User, dora.id).email_asked is None


def test_an_address_is_confirmed_on_the_page_behind_its_link(
    mailing: Mailing, books: Books, dora: User, bob: User
) -> None:
    browser = mailing(dora)
    sent = browser.send("/account/email", email=" alice@example.org ", password=PASSWORD)
    assert sent.location == "/account"
    assert "A link was sent to <b>alice@example.org</b>" in browser.get("/account").text
    settings = replace(books.settings, smtp_host="mail.example")
    with books.write() as session:
        parcel = take(session, settings=settings, now=books.clock())
    assert parcel is not None
    path = parcel.link.removeprefix("http://127.0.0.1:8000")
    assert "was used or replaced, is older" in mailing(bob).get(path).text
    assert mailing(bob).send(path).status_code == 403
    assert "alice@example.org" in browser.get(path).text
    assert "To <b>alice@example.org</b>" not in browser.get("/account").text, "looking is not yes"
    assert browser.send(path).location == "/account"
    assert "To <b>alice@example.org</b>" in browser.get("/account").text
    browser.send("/account/email/clear")
    assert "alice@example.org" not in browser.get("/account").text


def json_of(answer: TestResponse) -> Any:
    """Returns the JSON of the answer."""
    assert answer.json is not None
    return answer.json


def test_what_is_mailed_is_chosen_on_the_page_and_by_the_api(
    mailing: Mailing, as_alice: Caller, books: Books, alice: User
) -> None:
    browser = mailing(alice)
    assert "What is mailed" not in browser.get("/account").text
    with books.write() as session:
        session.get_one(User, alice.id).email = "alice@example.org"
    told = json_of(as_alice.get("/account/mail"))
    assert (told["email"], told["muted"]) == ("alice@example.org", [])
    page = browser.get("/account").text
    ticked = [f'value="{kind}" checked' in page for kind in told["kinds"]]
    assert ticked == [True] * len(told["kinds"])
    assert set(told["kinds"]) == set(MAY_BE_MUTED), "each has its words on the page"
    assert browser.send("/account/email/kinds", kind="verdict").location == "/account"
    left = [kind for kind in told["kinds"] if kind != "verdict"]
    assert json_of(as_alice.get("/account/mail"))["muted"] == left
    ticks = re.findall(r'name="kind"[^>]* checked', browser.get("/account").text)
    assert len(ticks) == 1
    answer = as_alice.post("/account/mail", {"muted": ["rank-change"]})
    assert json_of(answer)["muted"] == ["rank-change"]
    wrong = as_alice.post("/account/mail", {"muted": ["nonsense"]})
    assert wrong.status_code == 422
    assert "no notice is of kind 'nonsense'" in json_of(wrong)["detail"]
    assert json_of(as_alice.get("/account/mail"))["muted"] == ["rank-change"]


def test_a_wrong_address_is_shown_again_with_what_is_wrong(mailing: Mailing, dora: User) -> None:
    answer = mailing(dora).send("/account/email", email="a@b\nBcc: c@d", password=PASSWORD)
    assert answer.status_code == 422
    assert "not a plain e-mail address" in answer.text


def test_where_no_mails_are_sent_the_page_says_so(browse: Browse, dora: User) -> None:
    browser = browse(dora)
    assert "This platform sends no mail" in browser.get("/account").text
    refused = browser.send("/account/email", email="dora@example.org", password=PASSWORD)
    assert (refused.status_code, "sends no mail; ask" in refused.text) == (403, True)


def test_a_webhook_is_added_and_removed_on_the_page(browse: Browse, alice: User) -> None:
    browser = browse(alice)
    wrong = browser.send("/account/webhooks", url="https://10.0.0.1/")
    assert wrong.status_code == 422
    assert 'value="https://10.0.0.1/"' in wrong.text
    made = browser.send("/account/webhooks", url="https://hooks.example/1")
    assert made.headers["Cache-Control"] == "no-store"
    assert "whsec_" in made.text
    page = browser.get("/account").text
    assert "whsec_" not in page
    found = re.search(r"/account/webhooks/(\d+)/remove", page)
    assert found is not None
    assert browser.send(found.group(0)).location == "/account"
    assert "hooks.example/1" not in browser.get("/account").text
