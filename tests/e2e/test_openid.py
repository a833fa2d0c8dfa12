"""A pupil logs in with the school's account: a real provider, a real browser, the real policy."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from threading import Thread

import pytest
from playwright.sync_api import Page, expect
from werkzeug.serving import make_server

from server.app import create_app
from server.services import accounts
from tests.books import Books
from tests.browser import journey
from tests.openid_provider import SECRET, Provider, provider
from tests.services import free_port

pytestmark = pytest.mark.browser

PASSWORD = "a password of alice"


@pytest.fixture
def school() -> Iterator[Provider]:
    """The provider."""
    with provider() as told:
        yield told


@pytest.fixture
def site(books: Books, school: Provider) -> Iterator[str]:
    """The address of the platform, which knows the school's provider."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = replace(
        books.settings,
        server_url=url,
        openid_issuer=school.issuer,
        openid_client_id=school.client.client_id,
        openid_client_secret=SECRET,
        openid_label="the school's account",
    )
    school.client.redirect_uri = f"{url}/login/openid/back"
    books.clock.now = time.time_ns() // 1_000_000
    app = create_app(replace(books.context, settings=settings))
    server = make_server("127.0.0.1", port, app, threaded=True)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield url
    server.shutdown()
    thread.join()
    server.server_close()


@journey
def test_a_pupil_comes_by_the_school_goes_and_comes_again(watched: Page, site: str) -> None:
    by_school = watched.get_by_role("link", name="Log in with the school's account")
    watched.goto(site + "/login?next=/account")
    by_school.click()
    expect(watched.get_by_role("heading", name="You are new here")).to_be_visible()
    expect(watched.get_by_label("Name", exact=True)).to_have_value("dora")
    watched.get_by_role("button", name="Make the account").click()
    expect(watched).to_have_url(site + "/account")
    expect(watched.get_by_role("heading", name="dora", level=1)).to_be_visible()
    watched.get_by_role("button", name="Log out").click()
    expect(watched.get_by_role("link", name="Log out of the school")).to_be_visible()
    watched.goto(site + "/login?next=/account")
    by_school.click()
    expect(watched.get_by_role("heading", name="dora", level=1)).to_be_visible()


@journey
def test_an_account_is_linked_used_and_unlinked(watched: Page, site: str, books: Books) -> None:
    with books.write() as session:
        accounts.sign_up(session, "alice", PASSWORD, signup="open", now=books.clock())
    watched.goto(site + "/login?next=/account")
    watched.get_by_label("Name").fill("alice")
    watched.get_by_label("Password").fill(PASSWORD)
    watched.get_by_role("button", name="Log in").click()
    watched.get_by_role("link", name="Link the school's account").click()
    watched.get_by_label("Your password here").fill(PASSWORD)
    watched.get_by_role("button", name="Link it").click()
    watched.wait_for_url(re.compile("/account$"))
    watched.get_by_role("button", name="Log out").click()
    watched.goto(site + "/login?next=/account")
    watched.get_by_role("link", name="Log in with the school's account").click()
    expect(watched.get_by_role("heading", name="alice", level=1)).to_be_visible()
    form = watched.locator("form", has_text="Unlink it")
    form.get_by_label("Your password").fill(PASSWORD)
    form.get_by_role("button", name="Unlink it").click()
    expect(watched.get_by_text("It is not linked to your account")).to_be_visible()
