"""A step says so if there was no room for its output, while the steps are played."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_pages import serving
from tests.unit.dashboard.cast import MATCH, SOURCE

pytestmark = pytest.mark.browser


def test_a_step_whose_output_had_no_room_says_so(watched: Page) -> None:
    with serving(SOURCE) as address:
        watched.goto(f"{address}/matches/{MATCH}?bout=1&step=0")
        expect(watched.locator("#replay")).to_have_attribute("data-ready", "")
        nothing, said = watched.locator("#said-nothing"), watched.locator("#said [data-from]")
        expect(nothing).to_be_visible()
        expect(said).to_be_hidden()
        watched.locator("#board").press("End")
        expect(nothing).to_be_hidden()
        expect(said).to_contain_text("1,234 bytes of this bout and later ones.")
        watched.keyboard.press("Home")
        expect(nothing).to_be_visible()
        expect(said).to_be_hidden()
