"""A browser that minds the policy, and the whole application over real books.

Only the arena is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from matchbox.match.wire import TryOut
from server.app import create_app
from server.services.bootstrap import ShippedBot, prepare
from tests.books import Books, open_books, tried_out
from tests.builders import shipped
from tests.web_server import answering

QUIET: Final = ["--disable-background-networking", "--disable-component-update", "--no-first-run"]
SMALL: Final = ["--disable-gpu", "--in-process-gpu"]
"""There is no graphics card: no process of its own pretends to be one."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The installed browser, small, asking for nothing by itself."""
    return {**browser_type_launch_args, "args": [*browser_type_launch_args["args"], *QUIET, *SMALL]}


@pytest.fixture
def watched(page: Page) -> Iterator[Page]:
    """A page that must break no policy, raise nothing, and ask no other host for anything."""
    trouble: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda asked: hosts.add(asked.url.split("/")[2]))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation',"
        " e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
    )
    yield page
    assert trouble == []
    assert {host.split(":")[0] for host in hosts} <= {"127.0.0.1"}


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """The books of a platform whose shipped bots are active, behind a wall."""
    url = f"sqlite:///{shutil.copy(empty_database, tmp_path / 'books.db')}"
    books = open_books(url, data=str(tmp_path))
    books.wall()
    bots = [ShippedBot("bomb", name, shipped("bomb", name)) for name in ("simple", "scared")]
    with books.write() as session:
        prepare(session, books.settings, bots, now=books.clock())
    for job in books.postman.take():
        if isinstance(job, TryOut):
            books.settle(tried_out(job))
    yield books
    books.context.close()


@pytest.fixture
def address(books: Books) -> Iterator[str]:
    """Where the whole application answers."""
    with answering(create_app(books.context)) as url:
        yield url
