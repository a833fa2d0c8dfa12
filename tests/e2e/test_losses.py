"""An author finds the reason for lost bouts, and whether the next version is better."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from matchbox.match.wire import PlayMatch
from server.services import accounts
from server.services.tick import tick
from tests.books import Books, really_played
from tests.browser import all_is_well, journey

pytestmark = pytest.mark.browser

PASSWORD: Final = "correct horse battery"
BETTER: Final = """from matchbox.games.bomb import *


class Mine(Player):
    def name(self):
        return "Mine"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
"""
WORSE: Final = BETTER.replace("return 0", "return self.places[0]")


def log_in(page: Page, address: str) -> None:
    """Logs alice in."""
    page.goto(address + "/login")
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def play(books: Books, rounds: int) -> None:
    """Plays the matches of this many ticks, and refreshes the standing."""
    for _ in range(rounds):
        tick(books.context)
        for job in books.sent(PlayMatch):
            books.record(really_played(books, job))
        books.clock.pass_by(seconds=30)
    tick(books.context)


@journey
def test_an_author_finds_out_why_a_bout_was_lost_and_compares_the_next_version(
    watched: Page, books: Books, address: str
) -> None:
    watched.emulate_media(reduced_motion="reduce")
    with books.write() as session:
        alice = accounts.sign_up(session, "alice", PASSWORD, signup="open", now=books.clock())
    books.bot(alice, "mine", WORSE.encode())
    play(books, 3)
    log_in(watched, address)
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
    compare.get_by_label("Games, at most").fill("200")
    compare.get_by_role("button", name="Compare").click()
    expect(watched.get_by_role("heading", level=1)).to_contain_text("ersion 2")
    play(books, 8)
    expect(watched.locator("main")).to_contain_text("Version 2 is better than version 1")
    all_is_well(watched)
    watched.goto("about:blank")
