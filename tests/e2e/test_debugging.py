"""An author reads a bot's output beside the step, and finds its faults from its page."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from matchbox.match.wire import MatchPlayed, PlayMatch
from server import queries
from server.services import accounts
from server.services.tick import tick
from tests.books import Books
from tests.browser import all_is_well, journey, log_in
from tests.builders import open_box
from tests.installation import PASSWORD
from worker.arena.play import play_job

pytestmark = pytest.mark.browser

TALKER: Final = """from matchbox.games.bomb import *


class Talker(MediumPlayer):
    turns = 0

    def turn(self, game_data, play_a_card):
        self.turns += 1
        print("this is turn", self.turns)
        if self.turns == 3:
            raise ValueError("three is too many")
"""


def play(books: Books) -> None:
    """Plays the queued matches, in a box, since only there the output is collected."""
    with open_box("auto") as box:
        for _ in range(2):
            tick(books.context)
            for job in books.sent(PlayMatch):
                books.record(_played(books, job, box))
            books.clock.pass_by(seconds=30)
        tick(books.context)


def _played(books: Books, job: PlayMatch, box: Any) -> MatchPlayed:
    with books.read() as session:
        bundles = {seat.version: queries.bundle(session, seat.version) for seat in job.seats}
    return play_job(job, bundles, box, reports=True)


@journey
def test_an_author_reads_the_output_beside_the_step_of_a_fault(
    watched: Page, books: Books, address: str
) -> None:
    with books.write() as session:
        alice = accounts.sign_up(session, "alice", PASSWORD, signup="open", now=books.clock())
    books.bot(alice, "mine", TALKER.encode())
    play(books)
    log_in(watched, address, "alice")
    watched.goto(address + "/bots/alice/mine")
    faults = watched.locator("#faults tbody tr")
    expect(faults.first).to_contain_text("ValueError: three is too many")
    all_is_well(watched)
    faults.first.get_by_role("link").click()
    expect(watched.locator("#replay")).to_have_attribute("data-ready", "")
    said = watched.locator("#said")
    shown = said.locator("[data-at]:visible")
    expect(shown.first).to_contain_text("this is turn 3")
    expect(shown.last).to_contain_text('File "player.py", line 11, in turn')
    expect(shown.last).to_contain_text("ValueError: three is too many")
    expect(said).not_to_contain_text("bot_runner")
    expect(said.get_by_role("link", name="Later output")).to_be_hidden()
    said.get_by_role("link", name="Earlier output").click()
    expect(shown).to_have_count(1)
    expect(shown).to_contain_text("this is turn 2")
    all_is_well(watched)
    watched.locator("#first").click()
    expect(said).to_contain_text("Nothing at this step.")
    watched.get_by_role("button", name="Log out").click()
    watched.go_back()
    watched.reload()
    expect(watched.locator("#replay")).to_be_visible()
    expect(watched.locator("#said")).to_have_count(0)
    watched.goto("about:blank")
