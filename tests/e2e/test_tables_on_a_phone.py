"""A table at which a person plays: legible on a phone, played by touch, its events announced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from matchbox import registry
from tests.e2e.test_play import (
    BOTS,
    begin,
    books,  # noqa: F401
    my_turn,
    press,
    sign_up,
)
from tests.e2e.test_replays import MIN_PX, least_text

pytestmark = pytest.mark.browser

PHONE: Final[Any] = {"width": 390, "height": 844}
WATCH: Final = """
window.changes = [];
window.pauses = [];
const own = window.setTimeout;
window.setTimeout = (call, ms, ...more) => {
  window.pauses.push(ms);
  return own(call, ms, ...more);
};
addEventListener("DOMContentLoaded", () => {
  const [list, now] = ["events", "now"].map((name) => document.getElementById(name));
  const play = document.getElementById("play");
  if (!play) return;
  new MutationObserver(() => window.changes.push({
    lines: list.children.length,
    last: list.lastElementChild?.textContent.trim(),
    now: now.textContent.trim(),
    turn: play.dataset.turn,
  })).observe(list, { childList: true });
});
"""
"""Notes each change of the list of events, and all pauses."""


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Page]:
    """Alice's phone, logged in; moves are shown without pauses."""
    context = browser.new_context(
        viewport=PHONE, has_touch=True, reduced_motion="reduce", base_url=address
    )
    page = context.new_page()
    sign_up(page, "alice")
    yield page
    context.close()


def sit_down(page: Page, game: str, seats: int) -> None:
    """Starts a game at a table of that size."""
    page.goto(f"/play/{game}?seats={seats}")
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector("#play[data-ready]")
    assert my_turn(page)


@pytest.mark.parametrize("game", BOTS)
def test_a_table_is_legible_on_a_phone(phone: Page, game: str) -> None:
    for seats in {2, registry.game(game).spec.seats[-1]}:
        sit_down(phone, game, seats)
        for _ in range(3):
            assert least_text(phone, "#board") >= MIN_PX
            assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            press(phone)
            if not my_turn(phone):
                break


def drag_by_touch(page: Page, what: Locator, onto: Locator) -> None:
    """Drags a finger from one element to another."""
    what.scroll_into_view_if_needed()
    start, end = what.bounding_box(), onto.bounding_box()
    assert start is not None
    assert end is not None
    finger = page.context.new_cdp_session(page)
    away = (end["x"] - start["x"] + 4, end["y"] - start["y"] + 4)
    for part in range(7):
        x, y = (start["x"] + 6 + away[0] * part / 6, start["y"] + 6 + away[1] * part / 6)
        kind = "touchMove" if part else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def number_of(card: Locator) -> str:
    """The number on a card that can be played."""
    return (card.get_attribute("data-pick") or "").split()[1]


def test_a_card_is_drawn_onto_a_pile_with_a_finger(phone: Page) -> None:
    sit_down(phone, "thegame", 1)
    card = phone.locator('#board [data-pick^="card"].pickable').first
    number = number_of(card)
    drag_by_touch(phone, card, phone.locator('#board [data-pick="pile 0"]'))
    expect(phone.locator("#events")).to_contain_text(f"lays {number} on pile 0")


def test_two_cards_are_drawn_together_with_a_finger(phone: Page) -> None:
    sit_down(phone, "war", 2)
    cards = phone.locator('#board [data-pick^="card"].pickable')
    held = [
        phone.locator(f'#board [data-pick="card {number_of(card)}"]')
        for card in (cards.first, cards.last)
    ]
    left = [card.count() - 1 for card in held]
    drag_by_touch(phone, cards.first, cards.last)
    for card, count in zip(held, left, strict=True):
        expect(card).to_have_count(count)


def test_what_happens_is_told_one_event_at_a_time(browser: Browser, address: str) -> None:
    context = browser.new_context(reduced_motion="no-preference", base_url=address)
    page = context.new_page()
    sign_up(page, "alice")
    page.add_init_script(WATCH)
    begin(page, "war")
    assert my_turn(page)
    before = page.locator("#events li").count()
    page.evaluate("window.changes.length = 0")
    press(page)
    assert my_turn(page)
    after = page.locator("#events li").count()
    changes = page.evaluate("window.changes")
    assert after > before + 1
    assert [one["lines"] for one in changes] == list(range(before + 1, after + 1))
    assert all(one["last"] == one["now"] for one in changes)
    assert all(one["turn"] == "wait" for one in changes[:-1])  # The last may come with the turn.
    assert 600 in page.evaluate("window.pauses")
    context.close()


COUNT: Final = """() => {
  window.told = [];
  const note = (change) => [...change.addedNodes].map((node) => node.textContent);
  new MutationObserver((changes) => window.told.push(...changes.flatMap(note)))
    .observe(document.getElementById("heard"), { childList: true });
}"""
"""Notes what is read out."""


def test_a_move_by_keyboard_keeps_the_focus_and_every_event_is_read_out_once(phone: Page) -> None:
    sit_down(phone, "skull", 2)  # No game of skull is over after the first move.
    phone.evaluate(COUNT)
    before = phone.locator("#events li").count()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    phone.route("**/api/v1/tables/*/moves", hold)
    phone.locator("#moves fieldset button").first.press("Enter")
    expect(phone.get_by_role("list", name="What happened")).to_be_focused()
    while not held:
        phone.wait_for_timeout(20)
    held[0].continue_()
    assert my_turn(phone)
    expect(phone.locator("#moves button:focus")).to_have_count(1)
    fresh = phone.locator("#events li").all_inner_texts()[before:]
    assert ". ".join(phone.evaluate("window.told")) == ". ".join(fresh)
    expect(phone.locator("#now")).to_have_attribute("aria-live", "off")
    phone.get_by_role("button", name="Step back").press("Enter")
    expect(phone.locator("#now")).to_have_attribute("aria-live", "polite")


def test_the_result_of_a_game_has_the_focus_and_is_the_title_of_its_page(phone: Page) -> None:
    sit_down(phone, "bomb", 2)
    while my_turn(phone):
        press(phone)
    result = phone.locator("#status")
    expect(result).to_be_focused()
    expect(result).to_be_in_viewport()
    words = result.locator("b").inner_text().rstrip(".")
    assert words.startswith("You ")
    expect(phone).to_have_title(f"{words} – Bomb: alice, simple")
    phone.keyboard.press("Tab")
    expect(phone.get_by_role("link", name="A new game")).to_be_focused()


def test_all_moves_of_several_rivals_are_read_out(phone: Page) -> None:
    sit_down(phone, "skull", 4)
    phone.evaluate(COUNT)
    before = phone.locator("#events li").count()
    press(phone)
    assert my_turn(phone)
    fresh = phone.locator("#events li").all_inner_texts()[before:]
    assert len(fresh) > 3
    assert ". ".join(phone.evaluate("window.told")) == ". ".join(fresh)
