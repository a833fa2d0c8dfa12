"""The workbench in a real browser: writing, drafts, files, and the way to a verdict."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from dashboard import game_pages
from matchbox.match.wire import PlayMatch, TryOut
from server.services.tick import tick
from tests.books import Books, really_played, tried_out
from tests.browser import all_is_well, journey, log_in, write_text

pytestmark = pytest.mark.browser


def editor(page: Page) -> Locator:
    """The editor's text, once it is there."""
    expect(page.locator("#code-editor")).to_have_attribute("data-ready", "")
    return page.get_by_role("textbox", name="The bot's text")


def source(page: Page) -> str:
    """The text that the form would send."""
    expect(page.locator("#code-editor")).to_have_attribute("data-ready", "")
    return page.locator("#source").input_value()


@journey
def test_it_is_accessible_within_the_policy_and_as_wide_as_the_window(
    watched: Page, address: str
) -> None:
    watched.emulate_media(reduced_motion="reduce")
    watched.goto(address + "/submit?game=bomb")
    editor(watched).click()
    watched.keyboard.press("Control+End")
    watched.keyboard.insert_text("\n# a comment, 1 + 'text'\nclass Other(Player): x = None")
    expect(watched.get_by_role("button", name="Start afresh")).to_be_visible()
    all_is_well(watched)


def test_tab_indents_and_escape_then_tab_leaves(watched: Page, address: str) -> None:
    watched.goto(address + "/submit")
    write_text(watched, "")
    watched.keyboard.press("Tab")
    watched.keyboard.insert_text("x")
    assert source(watched) == "    x"
    watched.keyboard.press("Escape")
    watched.keyboard.press("Tab")
    expect(editor(watched)).not_to_be_focused()
    assert source(watched) == "    x"


def test_the_game_brings_its_example_and_rules_and_each_bot_keeps_its_draft(
    watched: Page, address: str
) -> None:
    watched.goto(address + "/submit?game=bomb")
    assert source(watched) == game_pages.example("bomb")
    write_text(watched, "# of bomb")
    watched.get_by_label("Game").select_option("war")
    expect(watched.locator("#rules summary")).to_have_text("Rules of Addition War")
    expect(editor(watched)).to_contain_text(game_pages.example("war").split("\n")[0])
    assert source(watched) == game_pages.example("war")
    watched.get_by_label("Game").select_option("bomb")
    expect(editor(watched)).to_have_text("# of bomb")
    watched.get_by_label("Name of the bot").fill("named")
    watched.get_by_label("Name of the bot").blur()
    expect(watched.locator("#draft")).to_contain_text("Draft of a moment ago")
    watched.reload()
    expect(watched.get_by_label("Name of the bot")).to_have_value("named")
    assert source(watched) == "# of bomb"


def test_undo_does_not_bring_the_text_of_another_game(page: Page, address: str) -> None:
    page.goto(address + "/submit?game=bomb")
    write_text(page, "# of bomb")
    page.get_by_label("Game").select_option("war")
    expect(editor(page)).to_contain_text(game_pages.example("war").split("\n")[0])
    editor(page).press("ControlOrMeta+z")
    assert source(page) == game_pages.example("war")
    page.get_by_label("Game").select_option("bomb")
    expect(editor(page)).to_have_text("# of bomb")
    editor(page).press("ControlOrMeta+z")
    expect(editor(page)).to_have_text("# of bomb")


def test_what_is_selected_stays_so_while_the_page_looks_up_the_bot(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/submit?game=bomb")
    held: list[Route] = []
    page.route("**/submit?*", lambda route: held.append(route))
    page.get_by_label("Name of the bot").fill("pasted")
    with page.expect_request("**/submit?*"):
        editor(page).click()
    page.keyboard.press("ControlOrMeta+a")
    page.evaluate("document.getElementById('command').dataset.old = ''")
    held[0].continue_()
    expect(page.locator("#command")).not_to_have_attribute("data-old", "")
    page.keyboard.insert_text("pass")
    assert source(page) == "pass"


def test_a_text_that_gets_the_name_of_a_bot_stays_and_that_bots_draft_can_be_brought_back(
    page: Page, address: str
) -> None:
    page.goto(address + "/submit?game=bomb")
    write_text(page, "# the old text")
    page.get_by_label("Name of the bot").fill("named")
    page.get_by_label("Name of the bot").blur()
    expect(page.locator("#draft")).to_contain_text("Draft of a moment ago")
    page.goto(address + "/submit?game=bomb")
    write_text(page, "# the new text")
    page.get_by_label("Name of the bot").fill("named")
    page.get_by_label("Name of the bot").blur()
    expect(page.get_by_role("button", name="Bring back the draft")).to_be_visible()
    assert source(page) == "# the new text"
    page.reload()
    expect(editor(page)).to_have_text("# the new text")
    page.get_by_role("button", name="Bring back the draft").click()
    assert source(page) == "# the old text"


def test_another_bots_draft_replaces_a_text_which_can_be_brought_back(
    page: Page, address: str
) -> None:
    name = page.get_by_label("Name of the bot")
    page.goto(address + "/submit?game=bomb&name=one")
    write_text(page, "# of one")
    page.goto(address + "/submit?game=bomb&name=two")
    write_text(page, "# of two")
    name.fill("one")
    name.blur()
    expect(editor(page)).to_have_text("# of one")
    page.get_by_role("button", name="Bring back the draft").click()
    assert source(page) == "# of two"
    name.fill("three")
    name.blur()
    page.goto(address + "/submit?game=bomb&name=three")
    expect(editor(page)).to_have_text("# of two")


def test_a_browser_that_keeps_no_drafts_is_named(page: Page, address: str) -> None:
    refuse = "get() { throw new DOMException('refused', 'SecurityError') }"
    page.add_init_script(f"Object.defineProperty(window, 'localStorage', {{ {refuse} }})")
    page.clock.install()
    page.goto(address + "/submit?game=bomb")
    write_text(page, "# mine")
    for _ in range(2):
        expect(page.locator("#draft")).to_have_text(
            "This browser keeps no drafts: submit the text before you leave the page."
        )
        page.clock.fast_forward("00:21")
    page.get_by_label("Name of the bot").fill("named")
    page.get_by_label("Game").select_option("war")
    expect(page.locator("#rules summary")).to_have_text("Rules of Addition War")


def test_a_draft_outlives_a_reload_tells_its_age_and_comes_back(
    watched: Page, address: str
) -> None:
    watched.clock.install()
    watched.goto(address + "/submit?game=bomb")
    write_text(watched, "# mine")
    watched.clock.fast_forward("12:00")
    watched.reload()
    expect(watched.locator("#draft")).to_contain_text("Draft of 12 min ago")
    assert source(watched) == "# mine"
    watched.get_by_role("button", name="Start afresh").click()
    assert source(watched) == game_pages.example("bomb")
    watched.reload()
    watched.get_by_role("button", name="Bring back the draft of 12 min ago").click()
    assert source(watched) == "# mine"


def test_a_file_is_chosen_or_dropped(watched: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_bytes(b"# from a file\r\n")
    watched.goto(address + "/submit")
    write_text(watched, "# mine")
    watched.get_by_label("Or a file").set_input_files(file)
    expect(editor(watched)).to_contain_text("# from a file")
    assert source(watched) == "# from a file\n"
    expect(watched.get_by_role("button", name="Bring back")).to_be_visible()
    held = watched.evaluate_handle(
        """() => {
          const held = new DataTransfer();
          held.items.add(new File(["PK"], "mine.zip"));
          return held;
        }"""
    )
    watched.locator("#code-editor").dispatch_event("drop", {"dataTransfer": held})
    expect(watched.locator("#draft")).to_contain_text("mine.zip is sent instead of the text.")
    watched.get_by_role("button", name="Send the text").click()
    expect(watched.locator("#draft")).not_to_contain_text("mine.zip")


def test_several_files_are_not_taken_for_one(watched: Page, address: str) -> None:
    watched.goto(address + "/submit")
    write_text(watched, "# mine")
    held = watched.evaluate_handle(
        """() => {
          const held = new DataTransfer();
          for (const name of ["player.py", "table.py"]) held.items.add(new File(["#"], name));
          return held;
        }"""
    )
    watched.locator("#code-editor").dispatch_event("drop", {"dataTransfer": held})
    expect(watched.locator("#verdict")).to_contain_text("A folder or several files are sent as")
    assert source(watched) == "# mine"


def test_a_file_that_is_empty_or_too_long_is_refused_by_name(page: Page, address: str) -> None:
    page.goto(address + "/submit")
    write_text(page, "# mine")
    chooser = page.get_by_label("Or a file")
    # A screen reader reads what is new in a live part, but not a live part that is itself new.
    read_out = page.locator("[aria-live]:has(> #verdict)").element_handle()
    for name, data, fault in (
        ("nil.py", b"", "is empty."),
        ("nil.zip", b"", "is empty."),
        ("long.py", b"#" * 65_537, "has 65 KiB; a single file may have 64."),
        ("long.zip", b"PK" * 600_000, "has 1172 KiB; a zip may have 1024."),
    ):
        chooser.set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
        expect(page.locator("#verdict")).to_have_text(f"{name} {fault} It is not sent.")
        assert read_out.inner_text() == f"{name} {fault} It is not sent."
        expect(page.locator("#draft")).not_to_contain_text(name)
        assert source(page) == "# mine"


def test_a_zip_is_sent_without_the_text(page: Page, address: str) -> None:
    sign_up(page, address)
    write_text(page, "#" * 1_200_000)
    file = {"name": "m.zip", "mimeType": "application/zip", "buffer": b"PK\3\4"}
    page.get_by_label("Or a file").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#verdict")).to_contain_text("zip")
    expect(page.locator("#verdict")).not_to_contain_text("1 MiB")


def test_a_zip_that_has_changed_on_the_disk_is_to_be_chosen_again(
    page: Page, address: str, tmp_path: Path
) -> None:
    sign_up(page, address)
    packed = tmp_path / "bot.zip"
    packed.write_bytes(b"PK")
    page.get_by_label("Or a file").set_input_files(packed)
    packed.write_bytes(b"PK, packed again")
    os.utime(packed, (0, 0))
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#verdict")).to_contain_text("bot.zip has changed since you chose it.")


def test_a_text_that_is_deleted_can_be_brought_back(page: Page, address: str) -> None:
    page.goto(address + "/submit")
    write_text(page, "# mine")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    assert source(page) == ""
    page.reload()
    page.get_by_role("button", name="Bring back the draft").click()
    assert source(page) == "# mine"


def test_a_draft_of_another_tab_can_be_brought_back(page: Page, address: str) -> None:
    page.goto(address + "/submit")
    write_text(page, "# mine")
    other = page.context.new_page()
    other.goto(address + "/submit")
    write_text(other, "# of the other tab")
    other.close()
    write_text(page, "# mine, longer")
    write_text(page, "# mine, and longer")
    page.get_by_role("button", name="Bring back the draft").click()
    expect(editor(page)).to_have_text("# of the other tab")
    page.get_by_role("button", name="Bring back the draft").click()
    expect(editor(page)).to_have_text("# mine, and longer")


def test_the_way_back_leads_to_the_game_that_was_chosen(page: Page, address: str) -> None:
    page.goto(address + "/submit?game=bomb")
    editor(page)
    page.get_by_label("Game").select_option("war")
    expect(page.locator("#command")).to_contain_text("--game war")
    write_text(page, "# for war")
    page.goto(address + "/docs/")
    page.go_back()
    expect(editor(page)).to_have_text("# for war")
    expect(page.locator("#command")).to_contain_text("--game war")
    expect(page.get_by_label("Game")).to_have_value("war")


def test_another_game_has_its_own_command(page: Page, address: str) -> None:
    page.goto(address + "/submit?game=bomb")
    expect(page.locator("#command")).to_contain_text("--game bomb")
    page.get_by_label("Game").select_option("war")
    expect(page.locator("#command")).to_contain_text("--game war")


def test_a_game_whose_parts_do_not_come_can_be_tried_again(watched: Page, address: str) -> None:
    """Such as where a network answers with its own log-in."""
    watched.goto(address + "/submit?game=bomb")
    editor(watched)
    watched.route("**/submit?*", lambda route: route.fulfill(body="<p>Log in</p>"), times=1)
    watched.get_by_label("Game").select_option("war")
    missed = watched.get_by_role("alert")
    expect(missed).to_contain_text("The example and the rules of this game could not be loaded.")
    missed.get_by_role("button", name="Try again").click()
    expect(watched.locator("#rules summary")).to_have_text("Rules of Addition War")
    expect(missed).to_have_count(0)


def test_without_its_script_the_page_is_a_plain_form(
    new_context: object, books: Books, address: str
) -> None:
    page = new_context(java_script_enabled=False).new_page()  # type: ignore[operator]
    page.goto(address + "/submit?game=bomb")
    plain = page.get_by_label("The bot's text")
    assert plain.input_value() == game_pages.example("bomb")
    expect(page.locator("#rules-text")).to_be_visible()


NAME = "Name of the bot"
WHOLE = """from matchbox.games.bomb import *


class Mine(Player):
    def name(self):
        return "Mine"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
"""
WRONG = WHOLE.replace("return None", "return self.plan[0]")
REASON = "The bot raised an exception (player.py, line 9, in turn): AttributeError: no plan."


def arena(books: Books, *, accepted: bool) -> None:
    """The arena's and the ledger's part of a try-out."""
    for job in books.sent(TryOut):
        more = {} if accepted else {"reasons": [REASON]}
        books.settle(tried_out(job, accepted=accepted, **more))


def sign_up(page: Page, address: str, name: str = "alice") -> None:
    """Makes an account."""
    page.goto(address + "/signup")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign up").click()
    expect(page.locator("#code-editor")).to_have_attribute("data-ready", "")


@journey
def test_an_author_writes_is_refused_mends_is_accepted_and_watches(
    watched: Page, books: Books, address: str
) -> None:
    watched.emulate_media(reduced_motion="reduce")
    sign_up(watched, address)
    write_text(watched, WRONG)
    verdict = watched.locator("#verdict")
    watched.get_by_role("button", name="Try it").click()
    expect(verdict).to_contain_text("Being tried out")
    arena(books, accepted=False)
    expect(verdict).to_contain_text("It would be refused. Your bot ended with an error.")
    expect(verdict.locator(".wrong")).to_contain_text("return self.plan[0]")
    watched.get_by_label(NAME).fill("mine")
    watched.get_by_role("button", name="Submit", exact=True).click()
    expect(verdict).to_contain_text("Being tried out")
    arena(books, accepted=False)
    expect(verdict).to_contain_text("Refused.")
    expect(verdict.get_by_role("link", name="alice/mine, version 1")).to_be_visible()
    assert watched.url == address + "/submit?game=bomb&name=mine"
    verdict.get_by_role("link", name="Fix line 9").click()
    expect(editor(watched)).to_be_focused()
    expect(watched.locator(".cm-wrong")).to_contain_text("return self.plan[0]")
    assert source(watched) == WRONG
    write_text(watched, WHOLE)
    watched.get_by_role("button", name="Submit", exact=True).click()
    expect(verdict).to_contain_text("Being tried out")
    arena(books, accepted=True)
    expect(verdict).to_contain_text("Active. It plays by the rules.")
    expect(verdict).to_contain_text("First match: being paired")
    all_is_well(watched)
    tick(books.context)
    expect(verdict).to_contain_text("First match: under way")
    for job in books.sent(PlayMatch):
        books.record(really_played(books, job))
    verdict.get_by_role("link", name="Watch it").first.click()
    expect(watched.locator("#replay")).to_have_attribute("data-ready", "")
    watched.goto(address + "/bots/alice/mine/versions/2")
    watched.get_by_role("link", name="Changes since version 1").click()
    expect(watched.locator(".removed")).to_contain_text("return self.plan[0]")
    expect(watched.locator(".added")).to_contain_text("return None")
    watched.goto(address + "/bots/alice/mine/versions/1")
    expect(watched.locator(".elsewhere")).to_be_hidden()
    watched.get_by_role("link", name="Fix line 9").click()
    expect(watched.locator(".cm-wrong")).to_contain_text("return self.plan[0]")
    watched.goto("about:blank")


def test_try_it_is_at_most_20_tab_stops_away_and_works_by_keyboard(
    watched: Page, books: Books, address: str
) -> None:
    sign_up(watched, address)
    watched.goto(address + "/submit?game=bomb")
    expect(watched.locator("#code-editor")).to_have_attribute("data-ready", "")
    stops = 0
    button = watched.get_by_role("button", name="Try it")
    while not button.evaluate("one => one === document.activeElement"):
        stops += 1
        assert stops <= 20
        if editor(watched).evaluate("one => one === document.activeElement"):
            watched.keyboard.press("Escape")
        watched.keyboard.press("Tab")
    watched.keyboard.press("Enter")
    expect(watched.locator("#verdict")).to_contain_text("Being tried out")
    arena(books, accepted=True)
    expect(watched.locator("#verdict")).to_contain_text("It would be accepted.")
    expect(button).to_be_focused()


def test_a_reload_brings_back_the_verdict_of_what_was_sent(
    watched: Page, books: Books, address: str
) -> None:
    sign_up(watched, address)
    write_text(watched, WHOLE)
    watched.get_by_label(NAME).fill("mine")
    watched.get_by_role("button", name="Submit", exact=True).click()
    verdict = watched.locator("#verdict")
    expect(verdict).to_contain_text("Being tried out")
    watched.reload()
    expect(verdict).to_contain_text("Being tried out")
    expect(watched.get_by_label(NAME)).to_have_value("mine")
    expect(watched.locator("#changed")).to_be_hidden()
    assert source(watched) == WHOLE
    arena(books, accepted=True)
    expect(verdict).to_contain_text("Active. It plays by the rules.")
    watched.reload()
    expect(verdict).to_contain_text("Active. It plays by the rules.")
    for _ in range(2):
        watched.goto(address + "/submit?game=bomb&name=mine")
        expect(watched.locator("#code-editor")).to_have_attribute("data-ready", "")
        watched.wait_for_load_state("networkidle")
        expect(verdict).to_be_empty()
        watched.add_init_script("performance.getEntriesByType = () => []")  # as some browsers


@journey
def test_a_verdict_says_when_it_is_of_another_text(page: Page, address: str) -> None:
    sign_up(page, address)
    write_text(page, "# mine")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator("#verdict")).to_contain_text("Being tried out")
    changed = page.locator("#changed")
    expect(changed).to_be_hidden()
    write_text(page, "# other")
    expect(changed).to_be_visible()
    all_is_well(page)
    write_text(page, "# mine")
    expect(changed).to_be_hidden()
    page.get_by_text("The file has several players").click()
    page.get_by_label("Class to play with").fill("Other")
    expect(changed).to_be_visible()
    page.get_by_label("Class to play with").fill("")
    expect(changed).to_be_hidden()
    file = {"name": "m.zip", "mimeType": "application/zip", "buffer": b"PK"}
    page.get_by_label("Or a file").set_input_files(file)  # type: ignore[arg-type]
    expect(changed).to_be_visible()
    page.get_by_role("button", name="Try it").click()
    expect(changed).to_be_hidden()


def test_while_the_text_is_being_sent_neither_button_sends_it_again(
    page: Page, address: str
) -> None:
    sign_up(page, address)
    write_text(page, "# mine")
    held: list[Route] = []
    page.route("**/submit/try", lambda route: held.append(route))
    submitted: list[str] = []
    page.route("**/submit", lambda route: submitted.append(route.request.url))
    page.get_by_role("button", name="Try it").click()
    submit = page.get_by_role("button", name="Submit")
    expect(submit).to_be_disabled()
    submit.click(force=True)
    held[0].continue_()
    expect(page.locator("#verdict")).to_contain_text("Being tried out")
    expect(submit).to_be_enabled()
    assert (len(held), submitted) == (1, [])


def test_a_lost_session_or_a_refusal_leaves_the_draft(page: Page, address: str) -> None:
    sign_up(page, address)
    write_text(page, "x = '\N{RIGHT-TO-LEFT OVERRIDE}'")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("line 1 holds the invisible character")
    write_text(page, "# mine")
    page.context.clear_cookies()
    page.get_by_role("button", name="Try it").click()
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("You are logged out. Log in again; your draft is kept.")
    verdict.get_by_role("link", name="Log in again").click()
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Log in").click()
    expect(editor(page)).to_have_text("# mine")


def test_a_log_out_in_another_tab_while_a_verdict_waits_takes_no_text_from_the_page(
    page: Page, address: str
) -> None:
    sign_up(page, address)
    page.get_by_label("Game").select_option("war")
    expect(page.locator("#command")).to_contain_text("--game war")
    page.get_by_label(NAME).fill("mine")
    write_text(page, "# mine")
    page.get_by_role("button", name="Try it").click()
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("Being tried out")
    page.context.clear_cookies()
    expect(verdict).to_contain_text("You are logged out. Log in again; your draft is kept.")
    assert source(page) == "# mine"
    verdict.get_by_role("link", name="Log in again").click()
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Log in").click()
    expect(editor(page)).to_have_text("# mine")
    expect(page.get_by_label("Game")).to_have_value("war")
    expect(page.get_by_label(NAME)).to_have_value("mine")


@pytest.mark.parametrize("place", ["#bench", "header"])
def test_a_sign_up_leads_back_to_the_game_and_the_name_and_so_to_the_text(
    page: Page, address: str, place: str
) -> None:
    page.goto(address + "/submit")
    page.get_by_label("Game").select_option("war")
    expect(page.locator("#command")).to_contain_text("--game war")
    write_text(page, "# mine")
    page.get_by_label(NAME).fill("mine")
    page.locator(place).get_by_role("link", name="Log in").click()
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign up").click()
    expect(editor(page)).to_have_text("# mine")
    expect(page.get_by_label("Game")).to_have_value("war")
    expect(page.get_by_label(NAME)).to_have_value("mine")


def test_once_a_text_is_written_every_log_in_leads_back_to_its_game(
    page: Page, address: str
) -> None:
    """A member of a league would get its game instead of the first one."""
    page.goto(address + "/submit")
    editor(page)
    entrances = page.locator("a[href^='/login'], a[href^='/signup']")
    assert "game" not in str(entrances.evaluate_all("all => all.map((one) => one.href)"))
    back = "next=%2Fsubmit%3Fgame%3D" + page.get_by_label("Game").input_value()
    write_text(page, "# mine")
    for _ in range(2):
        expect(page.locator("#draft")).to_contain_text("Draft of a moment ago")
        leads = entrances.evaluate_all("all => all.map((one) => one.href)")
        assert [back in lead for lead in leads] == [True] * 4
        page.reload()


def test_after_a_log_in_in_another_tab_the_form_can_be_sent_again(page: Page, address: str) -> None:
    sign_up(page, address)
    write_text(page, "x = '\N{RIGHT-TO-LEFT OVERRIDE}'")
    page.context.clear_cookies()
    other = page.context.new_page()
    other.goto(address + "/login")
    other.get_by_label("Name").fill("alice")
    other.get_by_label("Password").fill("correct horse battery")
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("button", name="Log out")).to_be_visible()
    other.close()
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("not from a page of your present session")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("line 1 holds the invisible character")


def test_a_log_in_of_somebody_else_in_another_tab_sends_nothing_for_them(
    page: Page, address: str
) -> None:
    sign_up(page, address)
    write_text(page, "# mine")
    page.context.clear_cookies()
    sign_up(page.context.new_page(), address, "bob")
    for _ in range(2):
        page.get_by_role("button", name="Try it").click()
        expect(page.locator("#verdict")).to_contain_text(
            "This browser is logged in as bob now. Log in again; your draft is kept."
        )


def test_a_draft_belongs_to_the_account_that_wrote_it(page: Page, address: str) -> None:
    """Two pupils often share a browser."""
    page.goto(address + "/submit")
    write_text(page, "# before a log-in")
    sign_up(page, address)
    expect(editor(page)).to_have_text("# before a log-in")
    write_text(page, "# of alice")
    page.context.clear_cookies()
    sign_up(page, address, "bob")
    expect(editor(page)).not_to_contain_text("# of alice")


def test_a_text_from_before_the_log_in_leaves_the_older_draft_of_the_account_to_bring_back(
    page: Page, address: str
) -> None:
    sign_up(page, address)
    page.goto(address + "/submit?game=bomb")
    write_text(page, "# of alice")
    page.context.clear_cookies()
    page.goto(address + "/submit?game=bomb")
    write_text(page, "# before a log-in")
    log_in(page, address, "alice", "correct horse battery")
    page.goto(address + "/submit?game=bomb")
    expect(editor(page)).to_have_text("# before a log-in")
    page.get_by_role("button", name="Bring back the draft").click()
    assert source(page) == "# of alice"
