"""Photographs every page: `python -m tests.screenshots`, with `home season` for some of them.

Starts a platform with demonstration data, or uses one that `--demo FILE` describes; `--keep FILE`
writes such a file. The pictures go to docs/screenshots.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.installation import PASSWORD, Installation, installed
from tests.screenshots import demo
from tests.screenshots.table import SHOTS, Shot
from tests.services import BROWSERS, needs

FOLDER: Final = Path(__file__).parents[2] / "docs" / "screenshots"
SIZES: Final = {"wide": (1280, 900), "phone": (390, 844)}
SCHEMES: Final = ("light", "dark")
CHROMIUM: Final = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking")
READY_MS: Final = 60_000


def photograph(
    address: str, named: Mapping[str, str], shots: list[Shot], folder: Path, *, whole: bool
) -> int:
    """Writes the pictures of these pages; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=needs(*BROWSERS), args=list(CHROMIUM))
        known: dict[str, Any] = {
            who: _log_in(browser, address, who) for who in {shot.who for shot in shots}
        }
        for size, (width, height) in SIZES.items():
            for scheme in SCHEMES:
                for who, state in known.items():
                    context = browser.new_context(
                        storage_state=state,
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,
                        reduced_motion="reduce",
                    )
                    page = context.new_page()
                    for shot in (one for one in shots if one.who == who):
                        page.goto(address + shot.address.format(**named))
                        _settle(page)
                        file = folder / f"{shot.name}-{size}-{scheme}.png"
                        page.screenshot(path=file, full_page=whole)
                        count += 1
                    context.close()
        browser.close()
    return count


def _settle(page: Page) -> None:
    """Waits until every figure is drawn and every replay can be stepped through."""
    for mark in ("[data-figure]", "#replay", "#stage"):
        for found in page.locator(mark).all():
            found.scroll_into_view_if_needed()
            expect(found).to_have_attribute("data-ready", "", timeout=READY_MS)
    page.evaluate("window.scrollTo(0, 0)")


def _log_in(browser: Browser, address: str, who: str) -> Any:
    """Returns the browser's state with this person logged in; with nobody for an empty name."""
    context = browser.new_context()
    if who:
        page = context.new_page()
        page.goto(f"{address}/login")
        page.get_by_label("Name").fill(who)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("button", name="Log out")).to_be_visible(timeout=READY_MS)
    state = context.storage_state()
    context.close()
    return state


@contextmanager
def _demonstration(given: argparse.Namespace) -> Iterator[tuple[str, dict[str, str]]]:
    """The platform's address, and values for the parts of addresses. It runs until the block
    ends."""
    if given.demo:
        told = json.loads(Path(given.demo).read_text())
        yield told["address"], told["named"]
        return
    with tempfile.TemporaryDirectory(prefix="mbx-shots-") as folder:
        data = Path(given.data or folder) / "data"
        with installed(data, demo.SETTINGS, given.port, anew=True) as platform:
            yield platform.url, _filled(platform, given)


def _filled(platform: Installation, given: argparse.Namespace) -> dict[str, str]:
    print(f"Filling {platform.url} with demonstration data takes some minutes", file=sys.stderr)
    named = demo.fill(platform)
    if given.keep:
        Path(given.keep).write_text(json.dumps({"address": platform.url, "named": named}))
    return named


def main() -> None:
    """Photographs the named pages, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="names of the table, or how they begin")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--whole", action="store_true", help="whole pages, not what a screen shows")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--data", help="folder for the platform; else one that is deleted")
    parser.add_argument("--keep", help="write here how the platform is found, and let it run")
    parser.add_argument("--demo", help="look at the platform that --keep has described")
    given = parser.parse_args()
    wanted = tuple(given.pages) or ("",)
    shots = [shot for shot in SHOTS if shot.name.startswith(wanted)]
    if not shots:
        parser.error(f"no page is called {' or '.join(wanted)}: see tests/screenshots/table.py")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and cleans up
    with _demonstration(given) as (address, named):
        count = photograph(address, named, shots, given.folder, whole=given.whole)
        print(f"{count} pictures in {given.folder}", flush=True)
        if given.keep:
            signal.pause()


if __name__ == "__main__":
    main()
