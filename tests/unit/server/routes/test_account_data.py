"""Downloading one's data and deleting one's account over HTTP."""

from __future__ import annotations

import io
import json
import re
from contextlib import ExitStack
from zipfile import ZipFile

from werkzeug.test import TestResponse

from server import zips
from server.db.models import User
from server.services import account_deletion, operations, play
from tests.books import Books
from tests.unit.server.conftest import PASSWORD
from tests.unit.server.routes.conftest import (
    Browse,
    Caller,
    open_season,
    problem,
    start_season,
    token_of,
)
from tests.unit.server.test_play import move, open_table, seen


def names_of(response: TestResponse) -> list[str]:
    """Returns the names of the files in the answer's zip."""
    assert response.status_code == 200
    with response, ZipFile(io.BytesIO(response.data)) as archive:
        return archive.namelist()


def test_the_data_comes_by_page_by_api_and_through_an_operator(
    browse: Browse, dora: User, charlie: User, nobody: Caller, as_charlie: Caller, books: Books
) -> None:
    page = browse(dora).send("/account/data")
    assert (page.mimetype, page.headers["Cache-Control"]) == ("application/zip", "no-store")
    assert "Accept-Ranges" not in page.headers
    mine = Caller(nobody.client, token_of(books, dora))
    names = names_of(page)
    assert "account.json" in names
    browse(charlie).send("/admin/users/dora/note", note="Dora Maar")
    with mine.get("/account/data") as told, ZipFile(io.BytesIO(told.data)) as archive:
        assert int(told.headers["Content-Length"]) == len(told.data)
        assert json.loads(archive.read("account.json"))["note"] == "Dora Maar"
    assert names_of(mine.get("/account/data")) == names
    assert names_of(as_charlie.post("/users/dora/data")) == names
    assert names_of(browse(charlie).send("/admin/users/dora/data")) == names
    problem(mine.post("/users/charlie/data"), 403)
    assert "user.export" in browse(charlie).get("/admin/users/dora").text


def test_a_refused_export_is_not_in_the_audit_log(
    browse: Browse, dora: User, charlie: User, as_charlie: Caller, nobody: Caller, books: Books
) -> None:
    mine = Caller(nobody.client, token_of(books, dora))
    with ExitStack() as held:
        unread = [io.BytesIO() for _ in range(zips.MAX_UNREAD)]
        for one in unread:
            held.callback(zips._PERSONAL.hold(one))
        refused = as_charlie.post("/users/dora/data")
        problem(mine.post("/users/charlie/data"), 403)
    assert "try again in a minute" in problem(refused, 503)["detail"]
    assert refused.headers["Retry-After"] == "60"
    assert "user.export" not in browse(charlie).get("/admin/users/dora").text


def test_an_account_without_a_password_is_deleted_by_a_fresh_session(
    browse: Browse, books: Books, alice: User
) -> None:
    with books.write() as session:
        alice = session.get_one(User, alice.id)
        alice.password = None  # as of one who logs in by a provider
    hers = browse(alice)
    send = {"json": {"password": ""}, "headers": {"X-CSRFToken": hers.csrf_token()}}
    books.clock.pass_by(minutes=11)
    path = "/api/v1/account/delete"
    assert "within ten minutes" in problem(hers.client.post(path, **send), 403)["detail"]
    fresh = browse(alice)
    send["headers"] = {"X-CSRFToken": fresh.csrf_token()}
    assert fresh.client.post(path, **send).status_code == 204
    assert fresh.get("/api/v1/whoami").status_code == 401


def test_an_account_is_deleted_by_its_page(browse: Browse, dora: User, nobody: Caller) -> None:
    hers = browse(dora)
    wrong = hers.send("/account/delete", password="not hers at all")
    assert wrong.status_code == 403
    assert "The password is wrong" in wrong.text
    told = hers.send("/account/delete", password=PASSWORD)
    assert told.status_code == 200
    assert "Your account is deleted" in told.text
    assert "Log in" in told.text
    assert hers.get("/account").status_code == 302
    problem(nobody.post("/login", {"name": "dora", "password": PASSWORD}), 401)


def test_an_account_is_deleted_by_the_api(dora: User, nobody: Caller, books: Books) -> None:
    mine = Caller(nobody.client, token_of(books, dora))
    problem(mine.post("/account/delete", {"password": "not hers at all"}), 403)
    assert mine.post("/account/delete", {"password": PASSWORD}).status_code == 204
    problem(mine.get("/whoami"), 401)
    problem(nobody.post("/accounts", {"name": "dora", "password": PASSWORD}), 409)


def test_a_deleted_author_is_shown_as_one(
    browse: Browse, dora: User, books: Books, nobody: Caller
) -> None:
    books.bot(dora, "one")
    mine = Caller(nobody.client, token_of(books, dora))
    mine.post("/account/delete", {"password": PASSWORD})
    page = browse(None).get(f"/bots/deleted-author-{dora.id}/one")
    assert page.status_code == 200
    assert "a deleted author" in page.text
    assert "dora" not in page.text


def sit_down(books: Books, alice: User, dora: User) -> str:
    """Returns the id of a table of both."""
    table = open_table(books, alice, ["me", "friend"], game="war")
    secret = seen(books, table, alice).join or ""
    with books.write() as session:
        play.join(session, dora, table, secret, settings=books.settings, now=books.clock())
    return table


def test_pages_call_the_person_at_a_table_and_the_bot_in_a_reason_a_deleted_author(
    browse: Browse, books: Books, alice: User, dora: User, charlie: User
) -> None:
    over, left = sit_down(books, alice, dora), sit_down(books, alice, dora)
    while seen(books, over, alice).state == "persons":
        for person in (alice, dora):
            if choices := seen(books, over, person).choices:
                move(books, person, over, choices[0].move)
    season = open_season(books, charlie, alice, dora)
    match = start_season(books, charlie, season)[0]
    with books.write() as session:
        why, now = "dora/dora-bot is broken", books.clock()
        operations.disqualify(session, charlie, season, "dora/dora-bot", why, now=now)
    account_deletion.delete_account(books.context, dora, PASSWORD, network="here")
    paths = (f"/play/war/{over}", f"/play/war/{left}", f"/matches/{match}", f"/seasons/{season}")
    for path in ("/play", *paths):
        page = browse(alice).get(path)
        told = re.sub("<[^>]*>", "", page.text)
        assert "a deleted author" in told, path
        assert "deleted-author-" not in told, path
