"""The workbench as the server sends it; tests/e2e/test_workbench.py has its script."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import dashboard
from dashboard import game_pages
from dashboard.source import Source
from matchbox import registry
from matchbox.answers.classes import FullSeason
from matchbox.answers.matches import Matches
from matchbox.bundle import NAME, read_bundle
from tests.unit.dashboard import cast, classroom
from tests.unit.dashboard.cast import BROKEN, MATCH, NOBODY, OPERATOR, SOURCE, games, make_app
from tests.unit.dashboard.test_pages import get


def text(path: str, name: str = "source", source: object = SOURCE) -> str:
    """The content of one of the page's text fields."""
    page = make_app(source).test_client().get(path).text  # type: ignore[arg-type]
    (found,) = re.findall(rf'<textarea [^>]*id="{name}"[^>]*>\n(.*?)</textarea>', page, re.S)
    return unescape(found)


@pytest.mark.parametrize("game", sorted(registry.games()))
def test_every_game_has_an_example_that_can_be_sent_in(game: str) -> None:
    example = game_pages.example(game)
    assert example.encode() in read_bundle(example.encode()).files.values()
    compile(example, "player.py", "exec")


def test_the_class_is_told_of_for_its_game_alone_and_where_no_place_is_left() -> None:
    assert "A bot that is accepted here is entered into spring." in get("/submit?game=bomb").text
    other = classroom.MEMBERSHIP.model_copy(update={"game": "chess"})
    elsewhere = replace(SOURCE, memberships=lambda: [other])
    assert "You are in league" not in get("/submit?game=bomb", elsewhere).text
    full = [FullSeason(id=7, name="spring", bots=["careful"])]
    one = classroom.MEMBERSHIP.model_copy(update={"full": full})
    page = get("/submit?game=bomb", replace(SOURCE, memberships=lambda: [one])).text
    assert "Your careful is entered into spring, which takes no more bots of yours" in page
    assert "is accepted here" not in page


def test_a_new_bot_begins_with_the_example_beside_the_rules() -> None:
    seen = get("/submit?game=bomb")
    assert text("/submit?game=bomb") == game_pages.example("bomb") == text("/submit", "given")
    assert "Rules of Bomb" in seen.text
    assert "A player who draws the bomb without a defuse card loses." in seen.text


def test_another_game_brings_its_own_rules_and_example() -> None:
    two = [*games(), games()[0].model_copy(update={"name": "war", "title": "Addition War"})]
    both = replace(SOURCE, games=lambda: two)
    assert text("/submit?game=war", source=both) == game_pages.example("war")
    assert "Rules of Addition War" in get("/submit?game=war", both).text


def test_the_next_version_begins_with_the_newest_or_the_one_that_is_named() -> None:
    told: list[tuple[str, str, int]] = []

    def file_of(*asked: object) -> bytes:
        told.append(asked)  # type: ignore[arg-type]
        return BROKEN.encode()

    source = replace(SOURCE, file_of=file_of)
    assert text("/submit?game=bomb&name=careful", source=source) == BROKEN
    page = make_app(source).test_client().get("/submit?game=bomb&name=careful&version=3&line=5")
    assert told == [("alice", "careful", 4), ("alice", "careful", 3)]
    assert 'data-origin="version 3 of careful"' in page.text
    assert 'data-requested data-line="5"' in page.text


@pytest.mark.parametrize("path", ["name=other&version=1", "version=1", "name=careful&version=3"])
def test_a_version_that_is_not_the_viewers_cannot_be_mended(path: str) -> None:
    zipped = replace(SOURCE, file_of=lambda owner, name, number: b"PK\3\4")
    assert make_app(zipped).test_client().get(f"/submit?{path}").status_code == 404
    nobodys = make_app(NOBODY).test_client().get(f"/submit?{path}")
    assert nobodys.location.startswith("/login?next=/submit?")


@pytest.mark.parametrize("line", ["0", "-1", "x", "²", "9" * 40, ""])
def test_a_line_that_is_none_is_left_out(line: str) -> None:
    page = make_app().test_client().get(f"/submit?line={line}")
    assert page.status_code == 200
    assert "data-line" not in page.text


def test_the_form_keeps_what_the_address_says() -> None:
    seen = get("/submit?game=bomb&name=careful")
    names = {attrs["name"]: attrs for _, attrs in seen.elements if "name" in attrs}
    assert names["name"]["value"] == "careful"
    assert {"file", "source", "class_name", "game", "csrf_token"} <= names.keys()


def test_a_visitor_writes_at_once_and_reads_how_to_submit() -> None:
    seen = get("/submit", NOBODY)
    assert "Log in or sign up to submit it" in seen.text
    assert "This browser keeps what you write." in seen.text
    buttons = [attrs for tag, attrs in seen.elements if tag == "button"]
    assert buttons == []


def test_who_may_not_submit_reads_why_and_has_no_button() -> None:
    closed = replace(SOURCE, uploads_closed=lambda: "No arena here can hold a stranger's bot.")
    page = make_app(closed).test_client().get("/submit").text
    assert "No arena here can hold a stranger&#39;s bot." in page
    assert '<button class="button">' not in page


def test_the_page_without_the_editor_is_light() -> None:
    client = make_app().test_client()
    page = client.get("/submit").text
    loads = [unescape(one) for one in re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)]
    editor = [one for one in loads if "codemirror" in one]
    assert len(editor) == 1
    assert re.search(r"codemirror[^>]* defer>", page)
    packed = {"Accept-Encoding": "gzip"}
    rest = sum(len(client.get(one, headers=packed).data) for one in loads if one not in editor)
    assert rest + len(gzip.compress(page.encode())) < 60_000
    assert len(page) < 60_000
    assert len(client.get(editor[0], headers=packed).data) < 150_000


def test_the_verdict_on_a_draft_is_told_with_the_line_to_mend() -> None:
    assert "Being tried out" in get("/drafts/1").text
    refused = make_app().test_client().get("/drafts/2").text
    assert "It would be refused. Your bot ended with an error." in refused
    assert 'data-line="5">Fix line 5</a>' in refused
    assert re.search(r'class="line wrong"><span class="gutter">→ +5  </span>    def turn', refused)
    assert "It would be accepted. It plays by the rules." in get("/drafts/3").text
    assert "The platform could not try it out: no disk." in get("/drafts/4").text
    answer = make_app(NOBODY).test_client().get("/drafts/2")
    assert answer.headers["Location"] == "/login?next=/drafts/2"


def test_a_refused_version_is_mended_at_its_line() -> None:
    page = unescape(make_app().test_client().get("/bots/alice/careful/versions/3").text)
    assert '/submit?game=bomb&name=careful&version=3&line=5" data-line="5">Fix line 5<' in page


@pytest.mark.parametrize(
    "asked", ["game=zzz", "game=bomb&name=careful&version=abc", "game=bomb&name=careful&version="]
)
def test_a_game_or_a_version_that_there_is_not_is_not_another_one(asked: str) -> None:
    assert make_app().test_client().get(f"/submit?{asked}").status_code == 404


@pytest.mark.parametrize(
    ("path", "part"),
    [("/drafts/1", "verdict"), ("/bots/alice/careful/versions/2", "verdict")],
)
def test_a_verdict_is_asked_for_at_its_own_address(path: str, part: str) -> None:
    page = get(f"{path}?more=1")
    asked = [attrs["hx-get"] for _, attrs in page.elements if attrs.get("id") == part]
    assert asked == [path]


def test_a_line_of_the_games_own_code_is_none_to_mend() -> None:
    why = (
        "An exception in the game's own code (sealed/player.py, line 3, in answer), not in the bot."
    )
    versions = [cast.version(3, "refused", cast.report("crash", why))]
    bot = cast.bot("alice", "careful", versions=versions)
    page = get("/bots/alice/careful/versions/3", replace(SOURCE, bot=lambda *asked: bot)).text
    assert "sealed/player.py, line 3" in page
    assert "line=3" not in page
    assert "Fix line" not in page


def test_a_zip_is_shown_at_the_line_that_is_wrong() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("player.py", "import brain\n")
        archive.writestr("lib/brain.py", BROKEN)
    wrong = cast.report(
        "illegal", "It gave an answer (in turn, which begins in lib/brain.py, line 5)."
    )
    bot = cast.bot("alice", "careful", versions=[cast.version(3, "refused", wrong)])
    source = replace(SOURCE, bot=lambda owner, name: bot, file_of=lambda *asked: packed.getvalue())
    page = get("/bots/alice/careful/versions/3", source).text
    assert "See line 5 of lib/brain.py" in page
    shown = make_app(source).test_client()
    page = unescape(shown.get("/bots/alice/careful/versions/3").text)
    (path, anchor) = re.findall(r'href="([^"#]+/source)#([^"]+)">See line 5', page)[0]
    assert f'id="{anchor}"' in shown.get(path).text
    assert "Fix line" not in page


def test_the_first_match_is_linked_as_soon_as_there_is_one() -> None:
    path = "/bots/alice/careful/versions/2"

    def all_of(**asked: Any) -> Matches:
        assert asked.pop("version") == 2
        assert asked.pop("rated"), "those of comparisons are left out"
        return cast.matches(**asked).model_copy(update={"next": None})

    few = replace(SOURCE, matches=all_of)
    page = make_app(few).test_client().get(path).text
    assert f'<a href="/matches/{MATCH}">See it</a>' in page
    none = replace(SOURCE, matches=lambda **asked: Matches(items=[], next=None))
    assert "First match: being paired" in get(path, none).text
    assert f'<a href="/matches/{MATCH}">See it</a>' not in get(path, SOURCE).text, "after many"
    done = replace(SOURCE, matches=lambda **asked: all_of(**asked, state="finished"))
    seen = get(path, done)
    assert "First match: finished Watch it, against house/medium v1" in seen.text
    third = (
        cast.matches(state="finished")
        .items[0]
        .entrants[-1]
        .model_copy(update={"bot": "bob/ledger"})
    )
    many = all_of(version=2, rated=True, state="finished")
    many.items[0].entrants.append(third)
    seen = get(path, replace(SOURCE, matches=lambda **asked: many))
    assert "against house/medium v1, bob/ledger v1" in seen.text
    theirs = replace(none, bot=lambda owner, name: cast.bot(owner, name, mine=False))
    assert "First match" not in get(path, theirs).text


def test_an_input_of_a_certain_form_says_which() -> None:
    """The browser shows the title with its own words about a value that does not match."""
    templates = Path(dashboard.__file__).parent.glob("templates/*.html")
    lines = [line for file in templates for line in file.read_text().splitlines()]
    asking = [line for line in lines if " pattern=" in f" {line}"]
    assert len(asking) > 1
    assert [line for line in asking if "title=" not in line] == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("/signup", NOBODY),
        ("/submit", NOBODY),
        ("/first/good", NOBODY),
        ("/admin/leagues/new", OPERATOR),
        ("/admin/leagues/new?step=2&game=bomb", OPERATOR),
    ],
)
def test_a_field_for_a_name_takes_what_is_a_name(path: str, source: Source) -> None:
    page = make_app(source).test_client().get(path).text
    (field,) = re.findall(r'<input name="name"[^>]+>', page)
    (pattern,) = re.findall(r' pattern="([^"]+)"', field)
    assert pattern.replace("\\-", "-") == NAME.pattern
