"""The operators' pages of accounts: the list with its search, sessions and tokens of an account."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

import pytest

from matchbox.answers.classes import LeagueClass
from matchbox.answers.platform import Users
from matchbox.errors import Forbidden
from tests.unit.dashboard import classroom
from tests.unit.dashboard.cast import EMPTY, NOBODY, OPERATOR, SOURCE, get, make_app

RATED: Final = classroom.RESULTS[0].model_copy(update={"score": 0.6123})


def test_the_list_is_for_operators() -> None:
    def refuses(**asked: Any) -> Users:
        raise Forbidden("only operators may see this")

    assert get("/admin/users").status_code == 200
    assert get("/admin/users", replace(SOURCE, users=refuses)).status_code == 403
    assert get("/admin/users", NOBODY).location == "/login?next=/admin/users"


def test_the_list_is_asked_as_the_address_says() -> None:
    asked: list[dict[str, Any]] = []

    def users(**which: Any) -> Users:
        asked.append(which)
        return classroom.users(**which)

    source = replace(OPERATOR, users=users)
    page = get("/admin/users?q=+alice&role=operator&state=closed&page=3", source).text
    get("/admin/users?role=&state=&page=-1", source)
    whole = {"wanted": "alice", "role": "operator", "state": "closed", "cursor": "3", "limit": 30}
    first = {"wanted": "", "role": None, "state": None, "cursor": "1", "limit": 30}
    assert asked == [whole, first]
    assert 'value="alice"' in page
    assert "<option selected>operator" in page
    assert 'href="/admin/users?q=alice&amp;role=operator&amp;state=closed&amp;page=7"' in page


def test_the_list_says_how_many_there_are_and_marks_closed_ones() -> None:
    page = get("/admin/users?page=2").text
    for said in ("1,207 accounts, page 2 of 7", "alice@example.org", "closed</span>"):
        assert said in page, said
    assert "No account matches" in get("/admin/users?q=nobody").text
    assert "all 1,207 accounts" in get("/admin").text
    assert "Show 1 account<" in get("/admin", replace(EMPTY, viewer=OPERATOR.viewer)).text


def test_the_page_of_an_account_links_its_bots() -> None:
    assert re.search(
        r'<dt>Bots</dt><dd><a href="/authors/[\w-]+">\d', get("/admin/users/alice").text
    )


def test_however_many_pages_there_are_few_are_linked() -> None:
    def users(**asked: Any) -> Users:
        return classroom.users(**asked).model_copy(update={"pages": 200, "page": 90})

    page = get("/admin/users?page=90", replace(OPERATOR, users=users)).text
    linked = [int(number) for number in re.findall(r'aria-label="Page (\d+)"', page)]
    assert linked == [1, 88, 89, 90, 91, 92, 200]
    assert page.count('<span class="muted">…</span>') == 2
    assert 'page=90" aria-current="page"' in page


def test_an_account_shows_its_sessions_and_tokens_with_a_button_for_each_that_works() -> None:
    page = get("/admin/users/alice").text
    for said in ("Firefox on Linux", "/admin/users/alice/sessions/3/end",
                 "/admin/users/alice/tokens/4/revoke", "revoked</span>"):  # fmt: skip
        assert said in page, said
    assert "tokens/5/revoke" not in page
    assert "logged in nowhere" in get("/admin/users/bob").text


def test_a_large_class_is_shown_a_page_at_a_time() -> None:
    one = classroom.RESULTS[0]
    authors = [one.model_copy(update={"author": f"pupil-{at}"}) for at in range(201)]

    def league_class(name: str) -> LeagueClass:
        found = classroom.league_class(name)
        results = found.results.model_copy(update={"items": authors})
        return found.model_copy(update={"results": results})

    client = make_app(replace(OPERATOR, league_class=league_class)).test_client()
    first, last = (
        client.get("/leagues/cup/class").text,
        client.get("/leagues/cup/class?page=5").text,
    )
    for page, shown in ((first, authors[:50]), (last, authors[200:])):
        assert page.count('href="/admin/users/pupil-') == len(shown)
        assert page.count('<option value="pupil-') == len(authors)
    assert "/leagues/cup/class?page=5#results" in first


def test_the_class_page_shows_whose_newest_upload_was_refused_with_a_way_to_it() -> None:
    page = make_app(OPERATOR).test_client().get("/leagues/cup/class").text
    link = '<a href="/bots/alice/ledger/versions/3">ledger v3</a>'
    assert f'{link} <span class="tag bad">refused</span>' in page


def test_a_class_page_at_an_address_for_everybody_does_not_warn() -> None:
    client = make_app(replace(EMPTY, viewer=OPERATOR.viewer)).test_client()
    for host, warns in (("localhost:8000", True), ("bots.example.org", False)):
        page = client.get("/leagues/cup/class", base_url=f"http://{host}").text
        assert ("Other computers cannot open" in page) is warns


@pytest.mark.parametrize(
    ("name", "own", "told"),
    [
        ("cup", {}, "From the season spring."),
        ("cup", {"divisions": 3}, "From the season spring and the divisions below it, 3 in all."),
        ("cup", {"season": None}, "No season of the league has begun yet;"),
        ("bomb", {"season": None}, "From the leaderboard of the league."),
        (
            "cup",
            {"by": "borda", "items": [RATED]},
            '<td data-label="Expected score" class="number" data-sort="0.6123">61.2%</td>',
        ),
        ("cup", {"by": "score", "items": [RATED]}, ">0.6</td>"),
    ],
)
def test_the_results_of_a_class_say_where_they_come_from(
    name: str, own: dict[str, Any], told: str
) -> None:
    found = classroom.league_class(name)
    shown = found.model_copy(update={"results": found.results.model_copy(update=own)})
    source = replace(OPERATOR, league_class=lambda _: shown)
    assert told in make_app(source).test_client().get(f"/leagues/{name}/class").text
