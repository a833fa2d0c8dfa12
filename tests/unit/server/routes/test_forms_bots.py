"""The forms of bots: submit, activate, retire."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO
from typing import Any
from urllib.parse import unquote

from matchbox.bundle import digest
from server.db.models import User
from tests.books import SIMPLE, Books
from tests.unit.server.routes.conftest import Browse, open_season, start_season


def fields(**more: Any) -> dict[str, Any]:
    """Returns the fields of the submit page's form."""
    return {"game": "bomb", "name": "timid", "source": "", "class_name": "", **more}


def test_a_file_becomes_a_version_whose_page_will_tell_the_verdict(
    browse: Browse, alice: User, books: Books
) -> None:
    visitor = browse(alice)
    answer = visitor.send("/submit", **fields(file=(BytesIO(SIMPLE), "my bot.py")))
    assert (answer.status_code, answer.location) == (303, "/bots/alice/timid/versions/1")
    assert visitor.get(answer.location).status_code == 200
    assert books.version(1).digest == digest(SIMPLE)


def test_a_text_does_as_well_with_its_line_ends_mended(
    browse: Browse, alice: User, books: Books
) -> None:
    text = SIMPLE.decode().replace("\n", "\r\n")
    file = (BytesIO(b""), "")
    answer = browse(alice).send("/submit", **fields(source=text, file=file, class_name="Simple"))
    assert answer.status_code == 303, answer.text
    assert books.version(1).digest == digest(SIMPLE)
    assert books.version(1).class_name == "Simple"


def test_a_poor_bot_is_shown_again_with_what_was_typed(browse: Browse, alice: User) -> None:
    visitor = browse(alice)
    for more, status, said in (
        ({"source": ""}, 422, "choose a file"),
        ({"source": "#", "file": (BytesIO(b""), "nil.zip")}, 422, "nil.zip is empty"),
        ({"source": "x = '\u202e'"}, 422, "invisible"),
        ({"source": "#", "name": "No!"}, 422, "cannot be a name"),
        ({"source": "#", "game": "chess"}, 404, "chess"),
        ({"source": "#" * 70_000}, 422, "65536"),
    ):
        answer = visitor.send("/submit", **fields(**more))
        assert answer.status_code == status, answer.text
        assert said in answer.text.lower()


def test_an_empty_file_is_named_in_few_words(browse: Browse, alice: User) -> None:
    empty = (BytesIO(), "x" * 999 + ".py")
    answer = browse(alice).send("/submit", game="bomb", name="one", file=empty)
    assert answer.status_code == 422
    assert f"X{'x' * 59} is empty; choose another file, or none" in answer.text


def test_submitting_is_for_accounts(browse: Browse) -> None:
    answer = browse(None).send("/submit", **fields(source="#"))
    assert answer.status_code == 401
    assert "Log in" in answer.text


def test_without_a_wall_the_page_says_why_only_operators_submit(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    books.wall(walled=False)
    for visitor in (browse(None), browse(alice)):
        assert "no namespaces" in visitor.get("/submit").text
    assert browse(alice).send("/submit", **fields(source="#")).status_code == 403
    operator = browse(charlie)
    assert "no namespaces" not in operator.get("/submit").text
    assert operator.send("/submit", **fields(source=SIMPLE.decode())).status_code == 303


def test_an_owner_activates_and_retires(
    browse: Browse, alice: User, bob: User, books: Books
) -> None:
    books.bot(alice, "timid", SIMPLE)
    books.bot(alice, "timid", SIMPLE + b"# two\n")
    owner, rival = browse(alice), browse(bob)
    page = "/bots/alice/timid"
    assert rival.send(f"{page}/activate", number=1).status_code == 403
    assert browse(None).send(f"{page}/activate", number=1).status_code == 401
    assert owner.send(f"{page}/activate", number=1).location == f"{page}#versions"
    assert books.version(1).state == "active"
    for number, status in ((9, 404), ("one", 422), ("", 422), ("9" * 30, 422)):
        assert owner.send(f"{page}/activate", number=number).status_code == status
    assert rival.send(f"{page}/retire").status_code == 403
    assert browse(None).send(f"{page}/retire").status_code == 401
    assert owner.send(f"{page}/retire").location == page
    assert owner.send(f"{page}/retire").status_code == 409


def test_an_owner_sees_the_line_that_is_wrong_and_a_rival_does_not(
    browse: Browse, alice: User, bob: User, books: Books
) -> None:
    from matchbox.match.wire import TryOut
    from tests.books import tried_out

    secret = b"# my secret opening\nx = 1\ny = x / 0\n"
    books.upload(alice, "timid", secret)
    (job,) = books.postman.take()
    assert isinstance(job, TryOut)
    books.settle(tried_out(job, accepted=False))
    page = "/bots/alice/timid/versions/1"
    assert "my secret opening" in browse(alice).get(page).text
    assert "my secret opening" not in browse(bob).get(page).text
    assert "my secret opening" not in browse(None).get(page).text


def test_a_log_in_leads_from_a_form_that_is_shown_again_to_its_page(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    open_season(books, charlie, alice)
    stranger = browse(None)
    for form, page in (
        ("/submit/try", "/submit?game=bomb&name=timid"),
        ("/submit", "/submit?game=bomb&name=timid"),
        ("/seasons/1/enter", "/seasons/1"),
    ):
        refused = stranger.client.post(form, data=fields(source="x = 1"))
        linked = re.findall(r'href="/login\?next=([^"]+)"', refused.text)
        assert [unquote(unescape(one)) for one in linked] == [page]
        assert stranger.get(page).status_code == 200


def test_who_mends_a_version_after_the_session_has_ended_logs_in_first(
    browse: Browse, alice: User, books: Books
) -> None:
    books.bot(alice, "timid")
    page = "/submit?game=bomb&name=timid&version=1&line=2"
    answer = browse(None).get(page)
    assert answer.status_code == 302
    assert unquote(answer.location) == f"/login?next={page}"
    assert browse(alice).get(page).status_code == 200


def test_an_author_is_told_what_the_first_match_waits_for(
    browse: Browse, alice: User, bob: User, books: Books
) -> None:
    books.bot(alice, "timid")
    visitor, page = browse(alice), "/bots/alice/timid/versions/1"
    books.bot(alice, "bold")
    alone = visitor.get(page).text
    assert "until a bot of somebody else plays Bomb" in alone
    assert "being paired" not in alone
    books.bot(bob, "rival")
    assert "being paired" in visitor.get(page).text
    books.league(paused=True)
    told = visitor.get(page).text
    assert "until an operator resumes the league" in told
    assert "being paired" not in told


def test_a_bot_that_is_retired_plays_on_in_a_season_under_way_as_its_page_says(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    number = open_season(books, charlie, alice, bob)
    start_season(books, charlie, number)
    visitor = browse(alice)
    assert (
        "in one that is frozen or under way it plays on"
        in visitor.get("/bots/alice/alice-bot").text
    )
    visitor.send("/bots/alice/alice-bot/retire")
    assert books.dispatch()


def test_only_its_author_is_asked_to_fix_a_refused_version(
    browse: Browse, alice: User, bob: User, books: Books
) -> None:
    from matchbox.match.wire import TryOut
    from tests.books import tried_out

    books.upload(alice, "timid")
    for job in books.sent(TryOut):
        books.settle(tried_out(job, accepted=False))
    page = "/bots/alice/timid/versions/1"
    asked = [browse(user).get(page).text.count('"/submit?game=bomb') for user in (alice, bob, None)]
    assert asked == [1, 0, 0]
