"""Persons play against bots in a real browser: every game by clicks to its end.

The whole application with a real database. A thread of this process does the arena's work.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, Route, expect

from matchbox.match.wire import TakeTurn, TryOut
from server.db.models import PlayTable
from server.services.bootstrap import ShippedBot, prepare
from tests.books import Books, open_books, tried_out
from tests.browser import Screen, all_is_well, journey
from tests.builders import shipped
from tests.installation import PASSWORD, eventually
from tests.unit.server.test_play import book, taken

pytestmark = [pytest.mark.browser, journey]

BOTS = {"bomb": "simple", "skull": "random", "war": "highest", "thegame": "legal",
        "creatures": "autopilot"}  # fmt: skip


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """A platform with an active bot of each game, and an arena that plays turns."""
    url = f"sqlite:///{shutil.copy(empty_database, tmp_path / 'books.db')}"
    books = open_books(
        url, data=str(tmp_path), requests_per_minute=1_000_000, logins_per_minute=1000
    )
    books.wall()
    with books.write() as session:
        bots = [ShippedBot(game, bot, shipped(game, bot)) for game, bot in BOTS.items()]
        prepare(session, books.settings, bots, now=books.clock())
    for job in books.sent(TryOut):
        books.settle(tried_out(job))
    over = Event()

    def arena() -> None:
        while not over.wait(0.02):
            for job in books.sent(TakeTurn):
                book(books, taken(books, job))

    thread = Thread(target=arena, daemon=True)
    thread.start()
    yield books
    over.set()
    thread.join()
    books.context.close()


@pytest.fixture
def person(browser: Browser, screen: Screen, address: str) -> Iterator[BrowserContext]:
    """Alice's browser, logged in; moves are shown without pauses."""
    context = browser.new_context(
        viewport=screen.viewport,
        color_scheme=screen.scheme,
        reduced_motion="reduce",
        base_url=address,
    )
    sign_up(context.new_page(), "alice")
    yield context
    context.close()


def sign_up(page: Page, name: str) -> None:
    """Makes an account through the form."""
    page.goto("/signup")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/submit*")


def begin(page: Page, game: str) -> None:
    """Starts a game against its bot."""
    page.goto("/play")
    page.locator(f'a[href="/play/{game}"]').click()
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector("#play[data-ready]")


def my_turn(page: Page) -> bool:
    """Waits until the person is to move or the game is over; returns whether the person is to
    move."""
    page.wait_for_selector("#play[data-turn=mine], #replay[data-ready]")
    return page.locator("#play[data-turn=mine]").count() > 0


def press(page: Page) -> None:
    """Makes the first move of the list."""
    listed = page.locator("#moves select")
    if listed.count():
        page.get_by_role("button", name="Make this move").click()
    else:
        page.locator("#moves fieldset button").first.click()


def play_out(page: Page) -> int:
    """Plays to the end, on the board if possible; returns the number of clicks on the board.

    The lines about the person on the way must be English: "You place a card", or "alice places a
    card".
    """
    clicks = 0
    while my_turn(page):
        assert not re.search(r"\bYou [a-z]+s\b", page.locator("#play").inner_text())
        marked = page.locator("#board .pickable:not(.picked)")
        if marked.count():
            box = marked.first.bounding_box()
            assert box is not None
            marked.first.click(position={"x": 3, "y": box["height"] / 2})
            clicks += 1
        else:
            press(page)
    return clicks


@pytest.mark.parametrize("game", BOTS)
def test_every_game_is_played_by_clicks_to_its_end(
    person: BrowserContext, books: Books, game: str
) -> None:
    page = person.pages[0]
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    begin(page, game)
    assert my_turn(page)
    look_at_the_rules(page)
    with books.read() as session:
        deal = session.query(PlayTable).one().deal
    assert deal not in page.content()
    assert play_out(page) > 0
    expect(page.locator("#status")).to_contain_text("." if game == "thegame" else "o")
    expect(page.get_by_text("Download the record")).to_be_visible()
    all_is_well(page)
    last = page.locator("#at").inner_text()
    assert int(last) > 1
    expect(page.locator("#now")).to_contain_text("score" if game == "thegame" else "win")
    page.locator("#board").press("Home")
    expect(page.locator("#at")).to_have_text("0")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#at")).not_to_have_text("0")
    page.keyboard.press("n")
    page.locator("#slider").fill(last)
    expect(page.locator("#at")).to_have_text(last)
    page.get_by_role("link", name="a spectator’s").click()
    page.wait_for_selector("#replay[data-ready]")
    expect(page.locator("#board svg")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_text("Download the record").click()
    told = json.loads(saved.value.path().read_text())
    assert told["record"]["deals"] == [deal]
    assert len(told["record"]["bouts"][0]["moves"]) > 1
    assert trouble == []


def look_at_the_rules(page: Page) -> None:
    """Opens the rules beside the board, and closes them."""
    assert len(page.locator(".question").inner_text()) > 15
    panel = page.get_by_role("region", name="Rules of")
    expect(panel).to_be_hidden()
    page.locator("#rules summary").click()
    expect(panel).to_be_visible()
    assert len(panel.inner_text()) > 300
    all_is_well(page)
    page.locator("#rules summary").click()


def test_a_game_that_one_leaves_can_be_watched_up_to_there(
    person: BrowserContext, browser: Browser, address: str
) -> None:
    page = person.pages[0]
    begin(page, "thegame")
    for _ in range(2):
        assert my_turn(page)
        press(page)
    assert my_turn(page)
    page.get_by_text("Leave the table …").click()
    page.get_by_role("button", name="Leave for good").click()
    page.wait_for_selector("#replay[data-ready]")
    expect(page.locator("#status")).to_contain_text("The game was ended early. alice left")
    expect(page.locator("#now")).to_contain_text("The game ended here.")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#now")).to_contain_text("lays")
    all_is_well(page)
    with page.expect_download() as saved:
        page.get_by_text("Download the record").click()
    assert json.loads(saved.value.path().read_text())["record"]["bouts"][0]["places"] == []
    stranger = browser.new_context(base_url=address).new_page()
    answer = stranger.goto(page.url)
    assert answer is not None
    assert answer.status == 401
    stranger.context.close()


def test_the_first_move_is_near_by_keyboard_and_a_reload_loses_nothing(
    person: BrowserContext,
) -> None:
    page = person.pages[0]
    begin(page, "bomb")
    assert my_turn(page)
    focused = "document.activeElement.closest('#moves') !== null"
    stops = 0
    while not page.evaluate(focused):
        page.keyboard.press("Tab")
        stops += 1
        assert stops <= 20
    if page.locator("#moves select").count() == 0:
        page.keyboard.press("Enter")
    my_turn(page)
    told = page.locator("#events li").all_inner_texts()
    assert len(told) > 1
    page.reload()
    page.wait_for_selector("#play[data-ready]")
    assert page.locator("#events li").all_inner_texts()[: len(told)] == told


def log_back_in(page: Page, link: str) -> None:
    """Follows the link of the alert, logs alice in, and finds her back at the table, to move."""
    table = page.url
    page.locator("#choices [role=alert]").get_by_role("link", name=link).click()
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(table)
    assert my_turn(page)


def test_who_is_logged_out_meanwhile_is_led_back_to_the_table(person: BrowserContext) -> None:
    page = person.pages[0]
    begin(page, "bomb")
    assert my_turn(page)
    person.clear_cookies()
    press(page)
    alert = page.locator("#choices [role=alert]")
    expect(alert).to_have_text("You are logged out. Log in again to go on with this game.")
    expect(page.locator("#status")).to_contain_text("It is your turn.")
    expect(page.locator("#moves :disabled")).to_have_count(0)
    all_is_well(page)
    log_back_in(page, "Log in again")


def test_a_move_that_a_proxy_answers_is_told_and_can_be_made_again(person: BrowserContext) -> None:
    page = person.pages[0]
    begin(page, "bomb")
    assert my_turn(page)
    page.route(
        "**/api/v1/tables/*/moves",
        lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad</h1>"),
        times=1,
    )
    press(page)
    expect(page.locator("#choices [role=alert]")).to_have_text("The server cannot be reached.")
    expect(page.locator("#moves :disabled")).to_have_count(0)
    told = page.locator("#events li").count()
    press(page)
    my_turn(page)
    assert page.locator("#events li").count() > told


def test_a_move_whose_answer_is_lost_cannot_be_made_again_before_there_is_news(
    person: BrowserContext,
) -> None:
    page = person.pages[0]
    begin(page, "bomb")
    assert my_turn(page)
    told = page.locator("#events li").count()

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/api/v1/tables/*/moves", lose, times=1)
    page.route("**/play/bomb/*.json?*", lambda route: route.abort())
    press(page)
    expect(page.locator("#choices [role=alert]")).to_have_text("The server cannot be reached.")
    expect(page.locator("#moves button:enabled, #moves select:enabled")).to_have_count(0)
    page.unroute("**/play/bomb/*.json?*")
    my_turn(page)
    expect(page.locator("#choices [role=alert]")).to_have_count(0)
    assert page.locator("#events li").count() > told


def test_a_form_is_sent_once_until_its_answer_is_given_up(person: BrowserContext) -> None:
    """A second press while a slow answer is on its way sends nothing, and so does a double
    click."""
    page = person.pages[0]
    page.clock.install()
    page.goto("/play/bomb")
    page.evaluate("""() => {
        window.sent = 0;
        document.addEventListener("submit", (event) => {
            if (!event.defaultPrevented) window.sent += 1;
            event.preventDefault();
        });
    }""")
    button = page.get_by_role("button", name="Start the game")
    button.dblclick()
    page.clock.fast_forward(5000)
    button.click()
    assert page.evaluate("window.sent") == 1
    page.clock.fast_forward(6000)
    button.click()
    assert page.evaluate("window.sent") == 2
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    button.click()
    assert page.evaluate("window.sent") == 3


def wait_for_a_friend(page: Page) -> None:
    """Opens a table of war at which a friend's seat is free."""
    page.goto("/play/war")
    page.get_by_label("Player 2").select_option("friend")
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector("#play[data-ready]")


def test_who_is_logged_out_while_waiting_is_told(person: BrowserContext) -> None:
    page = person.pages[0]
    wait_for_a_friend(page)
    person.clear_cookies()
    expect(page.locator("#choices [role=alert]")).to_contain_text("You are logged out.")


@pytest.fixture
def stranger(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """Bob's browser, logged in."""
    context = browser.new_context(base_url=address)
    sign_up(context.new_page(), "bob")
    yield context
    context.close()


def test_who_loses_the_connection_while_waiting_is_told_until_it_is_back(
    person: BrowserContext,
) -> None:
    page = person.pages[0]
    page.clock.install()
    wait_for_a_friend(page)
    alert = page.locator("#choices [role=alert]")
    with page.expect_event("requestfailed"):
        page.route("**/play/war/*.json*", lambda route: route.abort())
        page.clock.run_for(2000)
    expect(alert).to_have_count(0)
    page.clock.run_for(6000)
    expect(alert).to_contain_text("The server cannot be reached.")
    all_is_well(page)
    page.unroute("**/play/war/*.json*")

    def is_back() -> bool:
        page.clock.run_for(2000)  # A request that is still under way asks again only afterwards.
        return alert.count() == 0

    eventually(is_back)
    expect(page.locator("#status")).to_contain_text("Waiting for a friend")
    page.route("**/play/war/*.json*", lambda route: route.fulfill(status=429))

    def is_refused() -> bool:
        page.clock.run_for(2000)
        return alert.count() == 1

    eventually(is_refused)
    expect(alert).to_contain_text("Too many requests come from you or your network.")


def test_who_gets_no_answer_while_waiting_is_told(person: BrowserContext) -> None:
    page = person.pages[0]
    page.clock.install()
    wait_for_a_friend(page)
    with page.expect_request("**/play/war/*.json*"):
        page.route("**/play/war/*.json*", lambda route: None)
        page.clock.run_for(2000)
    page.clock.run_for(11_000)
    expect(page.locator("#choices [role=alert]")).to_contain_text("The server cannot be reached.")


def test_a_screen_reader_is_told_of_ones_turn_in_the_same_status(person: BrowserContext) -> None:
    page = person.pages[0]
    begin(page, "bomb")
    assert my_turn(page)
    page.evaluate("document.getElementById('status').same = true")
    before = page.locator("#moves [name=turn]").input_value()
    press(page)
    page.wait_for_function(
        "before => document.querySelector('#moves [name=turn]')?.value > before", arg=before
    )
    assert page.evaluate("document.getElementById('status').same") is True
    expect(page.locator("#status")).to_have_count(1)
    expect(page.locator("#status")).to_contain_text("It is your turn.")


def log_in_as(person: BrowserContext, other: BrowserContext) -> None:
    """Gives the person the session of the other, as a log-in in another tab does."""
    person.add_cookies([dict(cookie) for cookie in other.cookies()])  # type: ignore[misc]


NO_SEAT = (
    "Your account has no seat at this table. If another account of yours has one, log in with it "
    "to go on with this game."
)


def test_who_logs_in_with_another_account_while_waiting_is_told_once(
    person: BrowserContext, stranger: BrowserContext
) -> None:
    page = person.pages[0]
    page.clock.install()
    wait_for_a_friend(page)

    def log_in_between_two_polls(route: Route) -> None:
        log_in_as(person, stranger)
        route.abort()

    page.route("**/play/war/*.json*", log_in_between_two_polls, times=1)
    expect(page.locator("#choices [role=alert]")).to_have_text(NO_SEAT)
    all_is_well(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(60_000)
    assert asked == []


def test_who_logs_in_with_another_account_and_moves_is_led_back_to_the_table(
    person: BrowserContext, stranger: BrowserContext
) -> None:
    page = person.pages[0]
    begin(page, "bomb")
    assert my_turn(page)
    log_in_as(person, stranger)
    press(page)
    alert = page.locator("#choices [role=alert]")
    expect(alert).to_have_text(NO_SEAT)
    expect(page.locator("#moves :disabled")).to_have_count(0)
    log_back_in(page, "log in with it")


def test_an_answer_that_arrives_after_a_newer_one_changes_nothing(person: BrowserContext) -> None:
    page = person.pages[0]
    page.goto("/play/thegame?seats=1")
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector("#play[data-ready]")
    assert my_turn(page)
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        held.append((route, route.fetch()))

    page.route("**/play/thegame/*.json*", hold, times=1)
    page.evaluate("revision = ''; void ask()")
    before = page.locator("#events li").count()
    press(page)
    expect(page.locator("#events li")).not_to_have_count(before)
    assert my_turn(page)
    shown = page.locator("#parts").inner_html()
    ((route, answer),) = held
    with page.expect_response(lambda response: response.url == route.request.url) as late:
        route.fulfill(response=answer)
    late.value.finished()
    page.evaluate("new Promise((done) => setTimeout(done))")
    assert page.locator("#parts").inner_html() == shown


def test_a_card_is_dragged_onto_a_pile(person: BrowserContext) -> None:
    page = person.pages[0]
    page.goto("/play/thegame?seats=1")
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector("#play[data-ready]")
    assert my_turn(page)
    card = page.locator('#board [data-pick^="card"].pickable').first
    number = (card.get_attribute("data-pick") or "").split()[1]
    start, end = card.bounding_box(), page.locator('#board [data-pick="pile 0"]').bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 20, steps=6)
    page.mouse.up()
    expect(page.locator("#events")).to_contain_text(f"lays {number} on pile 0")


def test_who_comes_too_late_for_the_free_seat_is_told_so(
    person: BrowserContext, stranger: BrowserContext, browser: Browser, address: str
) -> None:
    page = person.pages[0]
    page.goto("/play/war")
    page.get_by_label("Player 2").select_option("friend")
    page.get_by_role("button", name="Start the game").click()
    link = page.locator("code.secret").inner_text()
    visitor = browser.new_context(base_url=address)
    late = visitor.new_page()
    late.goto(link)
    expect(late.get_by_text("A seat is free for you.")).to_be_visible()
    other = stranger.pages[0]
    other.goto(link)
    other.get_by_role("button", name="Take the seat").click()
    expect(late.get_by_text("No seat is free at this table any more")).to_be_visible()
    expect(late.get_by_text("A seat is free for you.")).to_have_count(0)
    visitor.close()


def test_a_second_person_joins_by_the_link(
    person: BrowserContext, browser: Browser, address: str
) -> None:
    page = person.pages[0]
    page.goto("/play/war")
    page.get_by_label("Player 2").select_option("friend")
    page.get_by_role("button", name="Start the game").click()
    link = page.locator("code.secret").inner_text()
    context = browser.new_context(base_url=address, reduced_motion="reduce")
    other = context.new_page()
    sign_up(other, "bob")
    other.goto(link)
    # Meanwhile the page requests news, and keeps the link's secret.
    with other.expect_response(lambda answer: ".json" in answer.url and answer.status == 204):
        pass
    other.get_by_role("button", name="Take the seat").click()
    assert my_turn(other)
    other.get_by_role("button", name="Make this move").click()
    expect(other.locator("#status")).to_contain_text("Waiting for alice")
    assert my_turn(page)
    page.get_by_role("button", name="Make this move").click()
    assert my_turn(page)
    assert my_turn(other)
    expect(page.locator("#events li")).to_have_count(3)
    expect(page.locator("#events")).to_contain_text("bob")
    expect(page.locator("#events")).not_to_contain_text("a free seat")
    expect(page).to_have_title("Addition War: alice, bob")
    other.get_by_text("Leave the table …").click()
    other.get_by_role("button", name="Leave for good").click()
    expect(page.locator("#status")).to_contain_text("bob left the table")
    expect(page.get_by_text("Download the record")).to_be_visible()
    context.close()
