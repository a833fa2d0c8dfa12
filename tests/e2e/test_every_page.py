"""Checks that every page must pass, in each of its states, on a wide screen and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from flask import Flask
from flask_compress import Compress
from playwright.sync_api import Page, Response

from bench.site.first_byte import FIGURE_BYTES, PAGE_BYTES
from tests.browser import axe_says, journey, settle, too_wide
from tests.keyboard import too_far
from tests.unit.dashboard.cast import SOURCE, make_app
from tests.unit.dashboard.states import LOOKS, REFUSED, Look
from tests.web_server import answering

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Wire:
    """Counts the bytes that the page loads, as in a browser without a cache."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        listener = page.context.new_cdp_session(page)
        listener.on("Network.loadingFinished", self._count)
        listener.send("Network.enable")
        listener.send("Network.setCacheDisabled", {"cacheDisabled": True})

    def _count(self, told: dict[str, Any]) -> None:
        self.bytes += int(told["encodedDataLength"])


def compressed(app: Flask) -> Flask:
    """The application, with the compression of the server."""
    app.config["COMPRESS_MIMETYPES"] = ["text/html", "application/json"]
    Compress(app)
    return app


def wrongs(page: Page, answer: Response | None, path: str, loaded: int) -> Iterator[str]:
    """Yields the faults of the page that was loaded."""
    assert answer is not None
    if answer.ok == (path in REFUSED):
        yield f"it answers {answer.status}"
    most = FIGURE_BYTES if page.locator("[data-plotly]").count() else PAGE_BYTES
    if loaded > most:
        yield f"its first load has {loaded} bytes"
    yield from too_wide(page)
    yield from too_far(page)
    yield from axe_says(page)


@journey
@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_every_page_is_accessible_as_wide_as_its_screen_and_light(
    watched: Page, look: Look
) -> None:
    watched.emulate_media(reduced_motion="reduce")
    told = []
    with answering(compressed(make_app(look.source))) as address:
        wire = Wire(watched)
        for path in look.paths:
            wire.bytes = 0
            answer = watched.goto(address + path)
            settle(watched)
            told += [f"{path} {one}" for one in wrongs(watched, answer, path, wire.bytes)]
        watched.goto("about:blank")
    assert told == []


BAD: Final = """() => {
  document.querySelector('h1').outerHTML = '<img src="/assets/icon.svg">';
  document.querySelector('main').insertAdjacentHTML('afterbegin',
    '<p>wide</p>' + '<a href="/x">far</a>'.repeat(30) + '<button>x</button>');
  document.querySelector('main p').style.minWidth = '2000px';
}"""


def test_what_is_wrong_with_a_page_is_found(page: Page) -> None:
    with answering(make_app(SOURCE)) as address:
        answer = page.goto(address + "/")
        assert list(wrongs(page, answer, "/", 0)) == []
        page.evaluate(BAD)
        found = " ".join(wrongs(page, answer, "/games/poker", PAGE_BYTES + 1))
    for said in ("answers 200", "200001 bytes", "px too wide", "32: <button>x", "image-alt"):
        assert said in found


def test_the_first_load_is_counted_with_all_that_scripts_fetch(page: Page) -> None:
    wire = Wire(page)
    with answering(compressed(make_app(SOURCE))) as address:
        page.goto(address + "/login")
        without, wire.bytes = wire.bytes, 0
        page.goto(address + "/leaderboards/bomb")
        settle(page)
    assert 5_000 < without < 50_000
    assert wire.bytes > 400_000, "Plotly is loaded by a script, and is 450 kB when it is compressed"
