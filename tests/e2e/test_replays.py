"""The page of a match in a real browser: the board, its controls, the strip and the transcript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from dashboard.source import Source
from matchbox import registry
from matchbox.answers.matches import EVERYBODY, Bout, Fault, Matches, Step, Steps
from matchbox.dice import SeededDice
from matchbox.game import CHANCE, fill_options
from tests.browser import COLOURS, PHONE, SIZES, Scheme, axe_says, too_wide
from tests.contrast import faint
from tests.e2e.test_pages import serving
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import MATCH, SOURCE

pytestmark = pytest.mark.browser

BOUT = f"/matches/{MATCH}?bout=1"
LAST = len(cast.steps(MATCH, 1, EVERYBODY).steps) - 1
MIN_PX = 11
MAX_TABS = 20


@pytest.fixture(scope="module")
def alices() -> Iterator[str]:
    """The pages as alice sees them."""
    with serving(SOURCE) as address:
        yield address


@pytest.fixture
def replayed(watched: Page, alices: str) -> Page:
    """The second bout of the match, ready to be stepped through."""
    page = ready(watched, alices + BOUT)
    page.locator("#board").focus()
    return page


def ready(page: Page, address: str) -> Page:
    page.goto(address)
    expect(page.locator("#replay")).to_have_attribute("data-ready", "")
    return page


def tabs_to(page: Page, name: str) -> int:
    """How often Tab is pressed from the top of the page until that element has the focus."""
    for pressed in range(1, 600):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == name:
            return pressed
    raise AssertionError(f"{name} is never reached")


def test_the_link_to_a_table_follows_the_step(replayed: Page) -> None:
    link = replayed.locator("#go-on")
    replayed.keyboard.press("Home")
    expect(link).to_have_attribute("href", re.compile(r"&bout=1&moves=0&seat=all$"))
    replayed.keyboard.press("ArrowRight")
    expect(link).to_have_attribute("href", re.compile(r"&bout=1&moves=1&seat=all$"))
    replayed.keyboard.press("End")
    expect(link).to_be_hidden()
    replayed.keyboard.press("Home")
    link.click()
    expect(replayed.get_by_text("The game goes on from")).to_be_visible()


def test_a_bout_is_stepped_through_by_keyboard(replayed: Page) -> None:
    told = cast.steps(MATCH, 1, EVERYBODY).steps
    now, at = replayed.locator("#now"), replayed.locator("#at")
    expect(now).to_have_text("The start")
    before = replayed.locator("#board").inner_html()
    replayed.keyboard.press("ArrowRight")
    replayed.keyboard.press("ArrowRight")
    expect(at).to_have_text("2")
    expect(now).to_contain_text(told[2].text.split("\n")[0])
    assert replayed.locator("#board").inner_html() != before
    replayed.keyboard.press("ArrowLeft")
    expect(at).to_have_text("1")
    expect(replayed.locator(".transcript li[aria-current]")).to_contain_text(
        told[1].text.split("\n")[0]
    )
    replayed.keyboard.press("End")
    expect(at).to_have_text(str(LAST))
    expect(now).to_have_text("medium wins: the bomb blew up")
    replayed.keyboard.press("Home")
    expect(at).to_have_text("0")
    replayed.keyboard.press("n")
    expect(now).to_contain_text("it is the bomb")


def test_arrow_keys_work_after_a_click_on_play(replayed: Page) -> None:
    replayed.get_by_role("button", name="Play").click()
    expect(replayed.locator("#at")).to_have_text(re.compile("[1-9]"))
    replayed.get_by_role("button", name="Pause").click()
    at = int(replayed.locator("#at").inner_text())
    replayed.keyboard.press("ArrowRight")
    expect(replayed.locator("#at")).to_have_text(str(at + 1))


def test_keys_that_a_page_or_a_voice_needs_act_in_the_replay_alone(replayed: Page) -> None:
    at = replayed.locator("#at")
    replayed.keyboard.press("ArrowRight")
    expect(at).to_have_text("1")
    replayed.evaluate("document.activeElement.blur()")
    for key in ("n", "Home", "End", "Space"):
        replayed.keyboard.press(key)
    expect(replayed.get_by_role("button", name="Play")).to_be_visible()
    expect(at).to_have_text("1")
    replayed.keyboard.press("ArrowRight")
    expect(at).to_have_text("2")
    replayed.locator("#board").click()
    replayed.keyboard.press("Home")
    expect(at).to_have_text("0")


def test_space_plays_the_bout_and_stops_it(replayed: Page) -> None:
    replayed.locator("#speed").select_option("8")
    replayed.locator("h1").click()
    replayed.keyboard.press("Space")
    expect(replayed.get_by_role("button", name="Pause")).to_be_visible()
    expect(replayed.locator("#at")).to_have_text(re.compile("[2-9]"))
    replayed.keyboard.press("Space")
    expect(replayed.get_by_role("button", name="Play")).to_be_visible()
    replayed.reload()
    expect(replayed.locator("#speed")).to_have_value("8")


READ_OUT = """() => {
  window.told = [];
  const now = document.getElementById("now");
  new MutationObserver(() => now.ariaLive === "polite" && window.told.push(now.textContent))
    .observe(now, { childList: true });
}"""
"""Notes what is put into the line below the board while it is read out."""


def test_where_a_bout_stops_is_read_out_once_and_not_what_was_passed(replayed: Page) -> None:
    replayed.locator("#speed").select_option("8")
    replayed.evaluate(READ_OUT)
    replayed.get_by_role("button", name="Play").press("Enter")
    expect(replayed.locator("#at")).to_have_text(str(LAST))
    expect(replayed.get_by_role("button", name="Play")).to_be_visible()
    end = replayed.locator("#now").inner_text()
    assert replayed.evaluate("window.told") == [end]


def test_a_browser_that_takes_no_more_addresses_for_now_gets_the_last_one_later(
    replayed: Page,
) -> None:
    replayed.evaluate(
        "() => { history.replaceState = (...told) => {"
        " if (window.tired) throw new Error('too many');"
        " History.prototype.replaceState.apply(history, told); } }"
    )
    replayed.evaluate("window.tired = true")
    replayed.keyboard.press("End")
    replayed.get_by_role("button", name="Play").click()
    expect(replayed.get_by_role("button", name="Pause")).to_be_visible()
    replayed.get_by_role("button", name="Pause").click()
    replayed.keyboard.press("End")
    replayed.evaluate("window.tired = false")
    expect(replayed).to_have_url(re.compile(rf"step={LAST}$"))


def test_the_slider_and_the_lines_of_the_transcript_lead_to_their_step(replayed: Page) -> None:
    replayed.locator("#slider").fill("7")
    expect(replayed.locator("#at")).to_have_text("7")
    replayed.locator(".transcript li").nth(5).click()
    expect(replayed.locator("#at")).to_have_text("5")
    replayed.keyboard.press("ArrowDown")
    expect(replayed.locator("#at")).to_have_text("6")
    expect(replayed.locator(".transcript li").nth(6).locator("a")).to_be_focused()


def test_a_link_to_a_step_scrolls_the_transcript_to_it(watched: Page, alices: str) -> None:
    page = ready(watched, f"{alices}{BOUT}&step={LAST - 1}")
    expect(page.locator("#at")).to_have_text(str(LAST - 1))
    line = page.locator(".transcript li[aria-current]")
    inside = page.evaluate(
        "() => { const l = document.querySelector('.transcript li[aria-current]');"
        " const b = l.parentElement; return l.offsetTop >= b.scrollTop &&"
        " l.offsetTop + l.offsetHeight <= b.scrollTop + b.clientHeight; }"
    )
    assert inside
    expect(line).to_have_count(1)


def test_another_viewer_sees_the_same_step(replayed: Page) -> None:
    replayed.keyboard.press("ArrowRight")
    replayed.keyboard.press("ArrowRight")
    open_hands = replayed.locator("#board").inner_text()
    replayed.get_by_role("link", name="a spectator’s").click()
    expect(replayed.locator("#replay")).to_have_attribute("data-ready", "")
    expect(replayed.locator("#at")).to_have_text("2")
    assert replayed.locator("#board").inner_text() != open_hands
    replayed.keyboard.press("ArrowRight")
    replayed.locator("#seen").get_by_role("link", name="careful").click()
    expect(replayed.locator("#at")).to_have_text("3")
    expect(replayed.locator("#board")).to_contain_text("careful: ")
    expect(replayed.locator("#board")).to_contain_text("medium: ")


def test_the_controls_are_few_tabs_away(watched: Page) -> None:
    bouts = [cast.bout(number) for number in range(10) for _ in range(50)]
    many = cast.match(MATCH, bouts=bouts)
    with serving(replace(SOURCE, match=lambda match_id: many)) as address:
        page = ready(watched, f"{address}/matches/{MATCH}?bout=449")
        assert tabs_to(page, "play") <= MAX_TABS
        assert tabs_to(page, "filter") <= MAX_TABS
        expect(page.locator("#bouts [aria-current]")).to_be_in_viewport()
        page.keyboard.press("Tab")
        expect(page.locator("#bouts a[aria-current]")).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#bouts a").nth(450)).to_be_focused()
        expect(page.locator("#at")).to_have_text("0")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Bout 451")).to_be_visible()


def test_the_strip_shows_the_bouts_that_are_wanted(watched: Page) -> None:
    out = Fault(step=0, seat=1, kind="excluded", detail=None)
    bouts = [cast.bout(number) for number in range(8)]
    bouts += [cast.bout(number, faults=[out], places=[1, 2]) for number in (8, 9)]
    told = cast.match(MATCH, bouts=bouts)
    with serving(replace(SOURCE, match=lambda match_id: told)) as address:
        page = ready(watched, f"{address}/matches/{MATCH}?bout=0")
        shown = page.locator("#bouts li:visible")
        expect(shown).to_have_count(8)
        page.locator("#filter").select_option("fault")
        expect(shown).to_have_text([re.compile("^1"), re.compile("^5")])
        page.locator("#filter").select_option("excluded")
        expect(shown).to_have_count(3)  # with the current one
        box = page.locator(".bouts").bounding_box()
    assert box is not None
    assert box["height"] == 40


def test_the_way_back_leads_to_the_bouts_that_were_wanted(page: Page) -> None:
    told = cast.match(MATCH, bouts=[cast.bout(number) for number in range(8)])
    with serving(replace(SOURCE, match=lambda match_id: told)) as address:
        ready(page, f"{address}/matches/{MATCH}?bout=0")
        shown = page.locator("#bouts li:visible")
        page.locator("#filter").select_option("fault")
        shown.last.click()
        expect(page.get_by_role("heading", name="Bout 5")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", name="Bout 1")).to_be_visible()
        expect(page.locator("#filter")).to_have_value("fault")
        expect(shown).to_have_text([re.compile("^1"), re.compile("^5")])
        page.goto("about:blank")


def test_a_bout_is_stepped_through_without_scripts(browser: Browser, alices: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(alices + BOUT)
        page.get_by_label("Step on").click()
        page.get_by_label("Step on").click()
        expect(page.locator("#at")).to_have_text("2")
        page.get_by_role("link", name="Next event").click()
        expect(page.locator("#now")).to_contain_text("it is the bomb")
        page.get_by_title("Deal 2, rotation 1").click()
        expect(page.get_by_role("heading", name="Bout 3")).to_be_visible()


def played_by_lot(name: str, seats: int, view: int | None) -> Steps:
    """A bout of any game that makes the first legal move each time, as the page gets it."""
    game = registry.game(name)
    state: Any = game.start(seats, SeededDice(b"0" * 16, 0), fill_options(game.spec, {}))
    told: list[Step] = []

    def look(seat: int | None, text: str) -> None:
        table: Any = game.view(state, None)
        opened = {**table, "seats": [game.view(state, one) for one in range(seats)]}
        seen = opened if view == EVERYBODY else game.view(state, view)
        told.append(Step(seat=seat, text=text, move=None, view=seen))

    look(None, "")
    while movers := game.to_move(state):
        at, dice = len(told), SeededDice(b"0" * 16, len(told))
        legal = [None] if movers[0] == CHANCE else game.legal(state, movers[0])
        move = SeededDice(b"moves" + b"0" * 11, at).choice(legal[: max(1, len(legal) - 1)])
        state = game.apply(state, movers[0], move, dice)
        look(movers[0], game.describe(move, game.view(state, None)))
    look(None, "over")
    places, row = [1] + [2] * (seats - 1), list(range(seats))
    bout = Bout(
        deal=0, rotation=0, places=places, scores=[0] * seats, why="over", seats=row,
        moves=len(told) - 2, faults=[],
    )  # fmt: skip
    return Steps(bout=bout, steps=told)


def match_by_lot(name: str, seats: int) -> Source:
    """A source with one match of this game."""
    bout = played_by_lot(name, seats, None).bout
    one = cast.match(MATCH).entrants[0]
    bots = [
        one.model_copy(update={"bot": f"bob/b{n}", "name": f"b{n}", "points": 0.5})
        for n in range(seats)
    ]
    score = 3.0 if registry.game(name).spec.cooperative else None
    told = cast.match(MATCH, game=name, bouts=[bout], entrants=bots, score=score)
    game = cast.games()[0].model_copy(update={"name": name})
    return replace(
        SOURCE,
        games=lambda: [game],
        match=lambda match_id: told,
        matches=lambda **asked: Matches(
            items=[told] * (asked.get("state") == "finished"), next=None
        ),
        steps=lambda match_id, number, seat: played_by_lot(name, seats, seat),
    )


def least_text(page: Page, board: str) -> float:
    """The size of the smallest letters on the board, in pixels of the page."""
    size = page.evaluate(
        "board => Math.min(...[...document.querySelectorAll(`${board} text`)].map("
        "t => parseFloat(getComputedStyle(t).fontSize) * t.getCTM().a))",
        board,
    )
    return float(size)


def show(page: Page, step: int) -> None:
    """Shows a step, as the slider does, but at once."""
    page.evaluate(
        """step => {
          const slider = document.getElementById('slider');
          slider.value = step;
          slider.dispatchEvent(new Event('input', {bubbles: true}));
        }""",
        step,
    )
    assert page.locator("#at").inner_text() == str(step)


LARGEST = [(name, game.spec.seats[-1]) for name, game in registry.games().items()]


@pytest.mark.parametrize("name, seats", LARGEST)
def test_every_board_is_legible_on_a_phone(watched: Page, name: str, seats: int) -> None:
    watched.emulate_media(reduced_motion="reduce")
    watched.set_viewport_size(PHONE)
    steps = range(0, len(played_by_lot(name, seats, None).steps), 5)
    with serving(match_by_lot(name, seats)) as address:
        for seen_by in ("0", "table", "all"):
            page = ready(watched, f"{address}/matches/{MATCH}?seat={seen_by}")
            for step in steps:
                show(page, step)
                assert least_text(page, "#board") >= MIN_PX
            assert too_wide(page) == []
            assert "Seat 0" not in page.locator("#board").inner_text()
        schemes: list[tuple[Scheme, tuple[str, ...]]] = [("light", ()), ("dark", COLOURS)]
        for scheme, rules in schemes:
            page.emulate_media(color_scheme=scheme)
            assert axe_says(page, *rules) == []
            for step in steps:
                show(page, step)
                assert faint(page, "#board") == []


def test_a_faint_text_on_a_board_is_noticed(replayed: Page) -> None:
    assert faint(replayed, "#board") == []
    replayed.evaluate("document.querySelector('#board text').setAttribute('fill', '#999999')")
    (told,) = faint(replayed, "#board")
    assert told.startswith("2.8: ")


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("name, seats", LARGEST)
def test_the_stage_of_the_first_page_is_legible_and_keeps_its_height(
    watched: Page, name: str, seats: int, size: ViewportSize
) -> None:
    watched.set_viewport_size(size)
    watched.clock.install()
    with serving(match_by_lot(name, seats)) as address:
        watched.goto(address)
        expect(watched.locator("#stage")).to_have_attribute("data-ready", "")
        heights = set()
        for _ in range(min(20, len(played_by_lot(name, seats, None).steps))):
            assert least_text(watched, "#stage-board") >= MIN_PX
            box = watched.locator("#stage-board").bounding_box()
            assert box is not None
            heights.add(round(box["height"]))
            watched.clock.run_for(1000)
        assert len(heights) == 1
        assert axe_says(watched) == []
        watched.goto("about:blank")
