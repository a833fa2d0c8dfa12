"""What tests do with a page that a person does by hand."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def write_text(page: Page, text: str) -> None:
    """Replaces the text in the workbench's editor, as one who pastes does."""
    expect(page.locator("#desk")).to_have_attribute("data-ready", "")
    page.get_by_role("textbox", name="The bot's text").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
