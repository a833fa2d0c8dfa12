"""An author finds the reason for lost bouts, and whether the next version is better."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from server.services import accounts
from tests.books import Books, really_play
from tests.browser import all_is_well, journey, log_in
from tests.e2e.test_workbench import WHOLE as BETTER
from tests.installation import PASSWORD

pytestmark = pytest.mark.browser

WORSE: Final = BETTER.replace("return 0", "return self.places[0]")


@journey
def test_an_author_finds_out_why_a_bout_was_lost_and_compares_the_next_version(
    watched: Page, books: Books, address: str
) -> None:
    watched.emulate_media(reduced_motion="reduce")
    with books.write() as session:
        alice = accounts.sign_up(session, "alice", PASSWORD, signup="open", now=books.clock())
    books.bot(alice, "mine", WORSE.encode())
    really_play(books, 3)
    log_in(watched, address, "alice")
    watched.goto(address + "/bots/alice/mine")
    opponent = watched.locator("#opponents tbody tr").first
    expect(opponent).to_contain_text("%")
    opponent.get_by_role("link", name="lost matches").click()
    expect(watched.get_by_label("Its result")).to_have_value("lost")
    watched.locator("main tbody tr").first.get_by_role("link").first.click()
    # The page opens at alice's own first lost bout.
    expect(watched.locator("#replay")).to_have_attribute("data-ready", "")
    expect(watched.locator("#replay")).to_contain_text(re.compile("alice/mine.*(lost|fault)", re.S))
    watched.get_by_role("link", name="Next event").click()
    expect(watched.locator("#now")).not_to_be_empty()
    expect(watched.locator("#replay")).to_contain_text("AttributeError")
    all_is_well(watched)
    books.bot(alice, "mine", BETTER.encode())
    watched.goto(address + "/bots/alice/mine")
    compare = watched.locator("#compare")
    compare.get_by_label("Bouts, at most").fill("200")
    compare.get_by_role("button", name="Compare").click()
    expect(watched.get_by_role("heading", level=1)).to_contain_text("ersion 2")
    really_play(books, 8)
    expect(watched.locator("main")).to_contain_text("Version 2 is better than version 1")
    all_is_well(watched)
    watched.goto("about:blank")
