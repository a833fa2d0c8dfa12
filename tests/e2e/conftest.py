"""A browser that watches the content policy, and the whole application with a real database.

Only the arena is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import ConsoleMessage, Page, Request

from matchbox.match.wire import TryOut
from server.app import create_app
from server.services.bootstrap import ShippedBot, prepare
from tests.books import Books, open_books, tried_out
from tests.browser import SCREENS, Screen
from tests.builders import shipped
from tests.web_server import answering

QUIET: Final = ["--disable-background-networking", "--disable-component-update", "--no-first-run"]
SMALL: Final = ["--disable-gpu", "--in-process-gpu"]
"""There is no graphics card, so no process of its own pretends to be one."""
HASTY: Final = ["--js-flags=--no-opt --no-maglev"]
"""No page lives for long enough to repay the time of optimizing its scripts."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The installed browser, in few processes, without requests of its own."""
    args = [*browser_type_launch_args["args"], *QUIET, *SMALL, *HASTY]
    return {**browser_type_launch_args, "args": args}


@pytest.fixture
def screen() -> Screen:
    """The screen on which the test's pages are opened, if the test chooses none."""
    return SCREENS["wide-light"]


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any], screen: Screen) -> dict[str, Any]:
    """Opens pages on that screen."""
    return {**browser_context_args, "viewport": screen.viewport, "color_scheme": screen.scheme}


@pytest.fixture
def watched(page: Page) -> Iterator[Page]:
    """A page that must not break the policy, raise an error, or send a request to another host. The
    page itself may be refused, but nothing that it loads."""
    trouble: list[str] = []
    hosts: set[str] = set()
    pages: set[str] = set()

    def hear(message: ConsoleMessage) -> None:
        if message.location["url"] not in pages or not message.text.startswith("Failed to load"):
            trouble.append(message.text)

    def see(asked: Request) -> None:
        hosts.add(asked.url.split("/")[2])
        if asked.is_navigation_request():
            pages.add(asked.url)

    page.on("console", hear)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", see)
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation',"
        " e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
    )
    yield page
    assert trouble == []
    assert {host.split(":")[0] for host in hosts} <= {"127.0.0.1"}


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """The database of a platform whose shipped bots are active, with a wall reported."""
    url = f"sqlite:///{shutil.copy(empty_database, tmp_path / 'books.db')}"
    books = open_books(url, data=str(tmp_path))
    books.wall()
    bots = [ShippedBot("bomb", name, shipped("bomb", name)) for name in ("simple", "scared")]
    with books.write() as session:
        prepare(session, books.settings, bots, now=books.clock())
    for job in books.sent(TryOut):
        books.settle(tried_out(job))
    yield books
    books.context.close()


@pytest.fixture
def address(books: Books) -> Iterator[str]:
    """The address of the whole application."""
    with answering(create_app(books.context)) as url:
        yield url
