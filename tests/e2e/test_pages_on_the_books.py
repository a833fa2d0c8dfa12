"""The way of a bot through the pages, in a real browser: the whole application with a real
database.

Only the arena is missing: this process does its work, between two requests of a page.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from matchbox.match.wire import TryOut
from server.services.tick import tick
from tests.books import Books, really_play, tried_out
from tests.browser import all_is_well, become_operator, journey, log_in, write_text
from tests.builders import shipped
from tests.installation import PASSWORD

pytestmark = pytest.mark.browser

CAREFUL = shipped("bomb", "medium").decode() + "\n# alice's own\n"


def try_out(books: Books, *, accepted: bool = True) -> None:
    """Does the arena's and the ledger's part of a submission."""
    for job in books.sent(TryOut):
        books.settle(tried_out(job, accepted=accepted))


def sign_up(page: Page, address: str, name: str = "alice") -> None:
    """Makes an account through the form."""
    page.goto(address + "/signup")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("heading", name="Submit a bot")).to_be_visible()


def submit(page: Page, name: str, text: str) -> None:
    """Pastes a bot into the form."""
    page.get_by_label("Name of the bot").fill(name)
    write_text(page, text)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#verdict")).to_contain_text("Being tried out")


@journey
def test_a_bot_goes_from_the_form_to_the_leaderboard(
    page: Page, books: Books, address: str
) -> None:
    sign_up(page, address)
    submit(page, "careful", CAREFUL)
    try_out(books)
    expect(page.locator("#verdict")).to_contain_text("Active. It plays by the rules")
    really_play(books, 3)
    page.get_by_role("link", name="Bomb league").click()
    expect(page.locator(".canvas")).to_have_attribute("data-ready", "")
    line = page.locator("table.sortable tr", has_text="alice/careful")
    expect(line).to_contain_text("±")
    all_is_well(page)
    line.get_by_role("link").click()
    finished = page.locator("#recent tr", has_text="finished").first
    finished.get_by_role("link").first.click()
    expect(page.locator("#replay")).to_have_attribute("data-ready", "")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#at")).to_have_text("1")
    expect(page.locator("#board svg")).to_be_visible()
    page.get_by_label("Last step").click()
    expect(page.locator("#now")).not_to_be_empty()
    all_is_well(page)


def test_a_refused_bot_shows_its_author_the_reason_and_the_line(
    page: Page, books: Books, address: str
) -> None:
    sign_up(page, address)
    submit(page, "broken", CAREFUL)
    try_out(books, accepted=False)
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("Refused. Your bot ended with an error.")
    expect(verdict).to_contain_text("ZeroDivisionError: division by zero in line 3")
    expect(verdict.locator(".wrong")).to_contain_text(CAREFUL.split("\n")[2])
    expect(verdict).to_contain_text("hello from the bot")
    page.get_by_role("button", name="Log out").click()
    page.goto(address + "/bots/alice/broken/versions/1")
    expect(page.locator("#verdict")).to_contain_text("ZeroDivisionError")
    expect(page.locator(".wrong")).to_have_count(0)
    expect(page.get_by_text("hello from the bot")).to_have_count(0)


def test_what_is_wrong_with_a_form_is_said_and_what_was_typed_stays(
    page: Page, address: str
) -> None:
    sign_up(page, address)
    page.get_by_label("Name of the bot").fill("careful")
    write_text(page, "x = '\N{RIGHT-TO-LEFT OVERRIDE}'")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("line 1")
    expect(page.get_by_label("Name of the bot")).to_have_value("careful")
    name = page.get_by_label("Name of the bot")
    write_text(page, CAREFUL)
    name.evaluate("field => { field.pattern = '.*'; field.value = 'Careful'; }")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be a name")
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Log out").click()
    page.goto(address + "/account")
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill("the wrong password")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Name")).to_be_focused()
    expect(page.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Name")).to_have_accessible_description(
        "The name or the password is wrong"
    )
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Tokens for the command line")).to_be_visible()


def test_neither_a_reload_nor_the_way_back_sends_a_form_again(page: Page, address: str) -> None:
    sign_up(page, address)
    sent: list[str] = []

    def hear(request: Request) -> None:
        if request.method == "POST":
            sent.append(request.url.removeprefix(address))

    page.on("request", hear)
    page.goto(address + "/account")
    page.get_by_label("Name of the token").fill("laptop")
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator("code.secret")).to_be_visible()
    page.reload()
    expect(page.locator("code.secret")).to_have_count(0)
    expect(page.locator("table", has_text="laptop").locator("tbody tr")).to_have_count(1)
    change_password(page, "password2026")
    expect(page.get_by_role("alert")).to_contain_text("common ones")
    page.goto(address + "/docs/")
    page.go_back()
    expect(page.get_by_role("heading", name="alice")).to_be_visible()
    assert sent == ["/account/tokens", "/account/password"]


def test_a_token_is_made_shown_once_and_revoked(page: Page, address: str) -> None:
    sign_up(page, address)
    page.goto(address + "/account")
    page.get_by_label("Name of the token").fill("laptop")
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator("code.secret")).not_to_be_empty()
    page.goto(address + "/account")
    expect(page.locator("code.secret")).to_have_count(0)
    page.get_by_text("Revoke …").click()
    page.get_by_role("button", name="Revoke for good: laptop").click()
    expect(page.get_by_text("Revoke …")).to_have_count(0)


@journey
def test_the_first_operator_looks_after_the_platform(
    page: Page, books: Books, address: str
) -> None:
    link = f"{address}/first/{books.operator_link()}"
    become_operator(page, link)
    page.goto(link)
    expect(page.get_by_text("This link has been used")).to_be_visible()
    page.goto(address + "/seasons")
    page.get_by_role("button", name="Next: its settings").click()
    page.get_by_label("Its name").fill("Autumn")
    page.get_by_role("button", name="Make the season").click()
    expect(page.get_by_role("heading", name="Autumn")).to_be_visible()
    page.get_by_text("Cancel …").click()
    expect(page.get_by_text("cannot be taken up again")).to_be_visible()
    page.get_by_role("button", name="Cancel for good").click()
    expect(page.locator("#state")).to_contain_text("cancelled")


@journey
def test_an_operator_makes_a_league_that_runs_itself(
    page: Page, books: Books, address: str
) -> None:
    become_operator(page, f"{address}/first/{books.operator_link()}")
    page.clock.set_fixed_time(books.clock() / 1000)
    page.goto(address + "/leagues")
    page.get_by_role("link", name="Make a league").click()
    page.get_by_label("Name").fill("cup")
    page.get_by_label("Game").select_option("Bomb")
    page.get_by_role("button", name="Next: settings").click()
    page.get_by_label("Deals of a match").fill("1")
    page.get_by_label("At the freeze").select_option("every active bot")
    page.get_by_label("Cron").fill("* * *")
    page.get_by_label("A single start").fill("2031-12-11T18:00")
    page.get_by_role("button", name="Next: summary").click()
    expect(page.get_by_role("alert")).to_contain_text("leave out one of them")
    expect(page.get_by_label("A single start")).to_have_value("2031-12-11T18:00")
    page.get_by_label("A single start").fill("")
    page.get_by_role("button", name="Next: summary").click()
    expect(page.get_by_role("alert")).to_contain_text("is not a cron expression")
    expect(page.get_by_label("Name")).to_have_value("cup")
    page.get_by_label("Cron").fill("*/10 * * * *")
    page.get_by_role("button", name="Next: summary").click()
    expect(page.locator("main")).to_contain_text(
        "They start by the schedule */10 * * * *: Every 10th minute"
    )
    page.get_by_role("button", name="Make the league").click()
    expect(page.get_by_role("heading", name="cup", exact=True)).to_be_visible()
    tick(books.context)
    page.reload()
    start = page.locator("main time[data-countdown]").first
    expect(start).to_contain_text("10:20 PM UTC, in 6 min 40 s")
    start_html = start.evaluate("time => time.outerHTML")
    page.clock.set_fixed_time(books.clock() / 1000 + 1000)
    expect(start).to_contain_text("10:20 PM UTC, overdue")
    page.clock.set_fixed_time(books.clock() / 1000)
    page.goto(address + "/docs/")  # A page without a countdown, into which one comes.
    page.evaluate(
        "time => document.querySelector('main').insertAdjacentHTML('beforeend', time)",
        start_html,
    )
    expect(start).to_contain_text("10:20 PM UTC, in 6 min 40 s")
    page.goto(address + "/leagues/cup")
    books.clock.pass_by(minutes=7)
    really_play(books, 3)
    page.get_by_role("link", name="cup 1").click()
    expect(page.locator("#state")).to_contain_text("finished")
    expect(page.locator("main")).to_contain_text("every two bots meet in both orders")
    expect(page.locator("main")).to_contain_text("First place shared by")
    all_is_well(page)


@journey
def test_an_account_ends_its_other_sessions_and_changes_its_password(
    page: Page, books: Books, address: str, browser: Browser
) -> None:
    sign_up(page, address)
    with browser.new_context() as elsewhere:
        other = elsewhere.new_page()
        log_in(other, address, "alice")
        page.goto(address + "/account")
        sessions = page.locator("table", has_text="this one")
        expect(sessions.locator("tbody tr")).to_have_count(2)
        page.get_by_role("button", name="End this session").click()
        expect(sessions.locator("tbody tr")).to_have_count(1)
        other.goto(address + "/account")
        expect(other.get_by_role("heading", name="Log in")).to_be_visible()
    page.get_by_label("Name of the token").fill("laptop")
    page.get_by_label("Submit bots, and change what is yours").uncheck()
    page.get_by_role("button", name="Make a token").click()
    token = page.locator("table", has_text="laptop").locator("tbody tr")
    expect(token).to_contain_text("read")
    expect(token).not_to_contain_text("submit")
    change_password(page, "password2026")
    expect(page.get_by_role("alert")).to_contain_text("common ones")
    change_password(page, "battery staple")
    expect(token).to_contain_text("revoked")
    page.get_by_role("button", name="Log out").click()
    log_in(page, address, "alice", "battery staple")


def change_password(page: Page, new: str) -> None:
    """Sends the form for a new password, with the box that revokes every token."""
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("New password").fill(new)
    page.get_by_label("Revoke all my tokens as well").check()
    page.get_by_role("button", name="Change the password").click()
