"""A class in a minute, in a real browser: pupils join with a code, an operator makes accounts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from server.db.models import Role
from server.services import accounts, leagues, seasons, sessions
from tests.books import Books, open_books, tried_out
from tests.browser import all_is_well, journey, log_in, send_login
from tests.builders import shipped
from tests.installation import PASSWORD

pytestmark = pytest.mark.browser


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A platform with an operator, and a league of bomb with an open season."""
    url = f"sqlite:///{shutil.copy(empty_database, tmp_path / 'books.db')}"
    books = open_books(url, data=str(tmp_path), logins_per_minute=5)
    books.wall()
    books.league(paused=True)
    with books.write() as session:
        now = books.clock()
        charlie = accounts.sign_up(session, "charlie", PASSWORD, signup="open", now=now)
        charlie.role = Role.OPERATOR
        leagues.create(
            session, charlie, name="class-7b", game="bomb", settings=books.settings, now=now
        )
        seasons.create(session, charlie, name="spring", league="class-7b", now=now)
    yield books
    books.context.close()


@journey
def test_a_pupil_joins_with_the_code_and_submits(page: Page, books: Books, address: str) -> None:
    log_in(page, address, "charlie")
    page.goto(address + "/leagues/class-7b")
    page.get_by_role("link", name="the class of class-7b").click()
    page.get_by_role("button", name="Make a code").click()
    code = page.locator(".code-shown code").inner_text()
    all_is_well(page)
    page.get_by_role("link", name="A card to print").click()
    expect(page.locator(".big")).to_have_text(code)
    all_is_well(page)
    page.context.clear_cookies()

    page.goto(address + "/join")
    page.get_by_label("Code").fill(code.upper().replace("-", " "))
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Join class-7b")).to_be_visible()
    all_is_well(page)
    page.get_by_label("Name").fill("charlie")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join and write a bot").click()
    expect(page.get_by_role("alert")).to_contain_text("is taken")
    expect(page.get_by_label("Name")).to_have_value("charlie")
    page.get_by_label("Name").fill("dora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join and write a bot").click()
    expect(page.locator("main")).to_contain_text("is entered into spring")
    assert page.url.endswith("/submit?game=bomb")
    all_is_well(page)


def test_a_bot_that_a_pupil_submits_is_entered(page: Page, books: Books, address: str) -> None:
    with books.write() as session:
        from server.services import classes

        charlie = accounts.log_in(session, "charlie", PASSWORD)
        code = classes.renew_code(session, charlie, "class-7b", now=books.clock())
        dora = classes.sign_up(session, code, "dora", PASSWORD, now=books.clock())
    books.upload(dora, "careful", shipped("bomb", "medium"))
    for job in books.try_outs():
        books.settle(tried_out(job, accepted=True))
    log_in(page, address, "dora")
    page.goto(address + "/inbox")
    expect(page.locator("main")).to_contain_text("It is entered into spring")
    page.goto(address + "/seasons/1")
    expect(page.locator("main")).to_contain_text("dora/careful")


@journey
def test_an_operator_makes_a_class_of_thirty_prints_it_and_resets_a_password(
    page: Page, books: Books, address: str
) -> None:
    log_in(page, address, "charlie")
    page.goto(address + "/leagues/class-7b/class")
    names = [f"pupil-{number:02}" for number in range(30)]
    page.get_by_label("Names").fill("\n".join([*names, "Anna Müller"]))
    page.get_by_role("button", name="Make the accounts").click()
    expect(page.locator(".refused")).to_contain_text("try anna-mueller")
    expect(page.get_by_label("Names")).to_have_value("\n".join([*names, "Anna Müller"]))
    all_is_well(page)
    page.get_by_label("Names").fill("\n".join(names))
    page.get_by_role("button", name="Make the accounts").click()
    cards = page.locator(".account-cards li")
    expect(cards).to_have_count(30)
    password = cards.nth(4).locator(".secret").inner_text()
    all_is_well(page)
    page.emulate_media(media="print")
    expect(page.locator(".top")).to_be_hidden()
    expect(page.get_by_role("button", name="Print the cards")).to_be_hidden()
    expect(cards.nth(29)).to_be_visible()
    page.emulate_media(media="screen")
    page.get_by_role("link", name="Back to the class").click()
    expect(page.locator("tbody tr")).to_have_count(30)
    last = page.locator("tbody tr").first.locator("td:nth-last-child(-n + 2)").all()
    assert len({box["y"] for one in last if (box := one.bounding_box())}) == 1  # On a phone, too.
    page.get_by_role("link", name="pupil-04").click()
    all_is_well(page)
    page.get_by_role("button", name="Give it a new password").click()
    fresh = page.locator(".account-cards .secret").inner_text()
    assert re.fullmatch(r"[a-z]{8}-[a-z]{8}-\d{4}", fresh)
    page.context.clear_cookies()
    send_login(page, address, "pupil-04", password)
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    log_in(page, address, "pupil-04", fresh)
    expect(page.get_by_role("link", name="pupil-04")).to_be_visible()


@journey
def test_a_person_changes_the_password_ends_a_session_downloads_and_deletes(
    page: Page, books: Books, address: str
) -> None:
    with books.write() as session:
        dora = accounts.sign_up(session, "dora", PASSWORD, signup="open", now=books.clock())
        sessions.begin(session, dora, agent="Firefox on Linux", now=books.clock())
    books.upload(dora, "careful", shipped("bomb", "medium"))
    log_in(page, address, "dora")
    page.goto(address + "/account")
    all_is_well(page)
    rows = page.locator("tr", has_text="Firefox")
    rows.first.get_by_role("button", name="Log out").or_(
        rows.first.get_by_role("button", name="End")
    ).first.click()
    expect(page.locator("tr", has_text="Firefox")).to_have_count(0)
    form = page.locator('form[action="/account/password#password"]')
    form.locator('[name="old"]').fill(PASSWORD)
    form.locator('[name="new"]').fill("another good one")
    form.get_by_role("button").click()
    page.goto(address + "/inbox")
    expect(page.locator("main")).to_contain_text("Your password was changed")
    page.goto(address + "/account")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download your data").click()
    with ZipFile(waiting.value.path()) as archive:
        assert "bots/careful/v1.py" in archive.namelist()
    page.get_by_label("Your password").fill("another good one")
    page.get_by_role("button", name="Delete the account").click()
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()
    page.goto(f"{address}/bots/deleted-author-{dora.id}/careful")
    expect(page.locator("main")).to_contain_text("a deleted author")
    page.goto(address + "/reset")
    expect(page.locator("main")).to_contain_text("An operator can give you a new password")
    all_is_well(page)
