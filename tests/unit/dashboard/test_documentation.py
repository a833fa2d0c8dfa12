from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from setuptools import find_namespace_packages  # type: ignore[import-untyped]

from dashboard import documentation
from dashboard.documentation import excerpt, names, read, search, site_address
from dashboard.source import Source
from matchbox.registry import games
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import MATCH, NOBODY, OPERATING, OPERATOR, PAGES, SOURCE, make_app

LINK = re.compile(r'href="((?:/|#)[^"]*)"')
IDENTIFIER = re.compile(r'\bid="([^"]+)"')


@pytest.fixture
def no_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installation that has no docs."""
    monkeypatch.setattr(documentation, "FOLDER", tmp_path / "docs")
    names.cache_clear()
    yield
    names.cache_clear()


def test_every_page_of_the_docs_is_served(checkout: Path) -> None:
    assert names() == sorted(path.stem for path in (checkout / "docs").glob("*.md"))
    client = make_app().test_client()
    for name in names():
        answer = client.get(f"/docs/{name}")
        assert answer.status_code == 200, name
        assert f"<h1>{read(name).title}</h1>" in answer.text


def test_every_link_between_the_docs_leads_to_a_heading_that_is_there() -> None:
    client = make_app().test_client()
    found = {name: client.get(f"/docs/{name}").text for name in names()}
    for name, page in found.items():
        for link in LINK.findall(page):
            place, _, anchor = link.partition("#")
            target = client.get(place).text if place else page
            assert not anchor or anchor in IDENTIFIER.findall(target), (name, link)
    assert 'href="/docs/protocol#an-exported-season"' in "".join(found.values())
    assert 'href="/games/bomb"' in found["write-a-bot"]
    assert not [name for name, page in found.items() if ".md" in "".join(LINK.findall(page))]


def test_no_two_headings_of_a_page_have_the_same_anchor() -> None:
    client = make_app().test_client()
    for name in names():
        found = IDENTIFIER.findall(client.get(f"/docs/{name}").text)
        assert len(found) == len(set(found)), name


def test_no_page_breaks_the_content_policy() -> None:
    for name in names():
        assert not re.search(r"<[^>]* style=|<(?:script|style)\b", read(name).html), name


@pytest.mark.parametrize("source", [SOURCE, NOBODY, OPERATOR, cast.EMPTY])
def test_every_link_of_a_page_into_the_docs_leads_to_a_heading_that_is_there(
    source: Source,
) -> None:
    client = make_app(source).test_client()
    linked = {
        link
        for path in (*PAGES, *(OPERATING if source is OPERATOR else ()))
        for link in LINK.findall(client.get(path).text)
        if link.startswith("/docs/")
    }
    assert "/docs/" in linked
    assert "/docs/write-a-bot" in linked
    for link in linked:
        place, _, anchor = link.replace("&amp;", "&").partition("#")
        answer = client.get(place)
        assert answer.status_code == 200, link
        assert not anchor or anchor in IDENTIFIER.findall(answer.text), link


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("/leaderboards/bomb", "write-a-bot#how-ratings-work"),
        ("/comparisons/1", "write-a-bot#5-watch-it-climb"),
        (f"/matches/{MATCH}", "write-a-bot#debug-it"),
        ("/account", "commands"),
        ("/account", "api"),
        ("/admin/leagues/new", "seasons#formats"),
        ("/leagues/cup/class", "seasons#a-class-in-a-minute"),
        ("/play", "commands#play-and-replay"),
        ("/games/bomb", "write-a-bot"),
        ("/seasons/7", "league"),
    ],
)
def test_a_page_leads_to_its_section_of_the_docs(path: str, link: str) -> None:
    """The tests above try, for every link of every page, that the section exists."""
    page = make_app(OPERATOR).test_client().get(path).text
    assert f'href="/docs/{link}"' in page


def test_a_refusal_leads_to_what_can_go_wrong() -> None:
    page = make_app().test_client().get("/bots/alice/careful/versions/3").text
    assert "Refused." in page
    assert 'href="/docs/write-a-bot#when-something-goes-wrong"' in page


def test_the_index_has_every_page_as_the_front_page_of_the_project_has_it(checkout: Path) -> None:
    listed = {
        name: line for lines in documentation.READERS.values() for name, line in lines.items()
    }
    assert sorted(listed) == names()
    front = " ".join((checkout / "README.md").read_text().split())
    page = " ".join(make_app().test_client().get("/docs/").text.split())
    for name, line in listed.items():
        assert f"- [docs/{name}.md](docs/{name}.md): {line}" in front
        assert f'<a href="/docs/{name}">{read(name).title}</a>: {line}' in page
    for name, game in games().items():
        assert f'<a href="/games/{name}">{game.spec.title}</a>' in page


def test_a_page_lists_its_headings() -> None:
    page = make_app().test_client().get("/docs/operate").text
    contents = page.partition('<nav class="contents"')[2].partition("</nav>")[0]
    assert '<li class="level-2"><a href="#backup">Backup</a></li>' in contents
    assert '<li class="level-3"><a href="#in-one-room">In one room</a></li>' in contents


def test_the_name_of_a_file_leads_to_its_page() -> None:
    answer = make_app().test_client().get("/docs/operate.md")
    assert (answer.status_code, answer.location) == (302, "/docs/operate")


@pytest.mark.parametrize("name", ["nothing", "..", "README", "learning.html", "../pages.py"])
def test_a_page_that_is_not_there_is_not_found(name: str) -> None:
    answer = make_app().test_client().get(f"/docs/{name}")
    assert answer.status_code == 404


def test_a_search_finds_sections_with_every_word_and_those_with_it_in_the_heading_first() -> None:
    hits = search("Backup")
    assert (hits[0].address, hits[0].section.anchor) == ("/docs/operate", "backup")
    assert search("backup no-such-word") == []
    both = search("seccomp landlock")
    assert both
    for hit in both:
        text = " ".join([hit.title, hit.section.heading, *hit.section.paragraphs]).lower()
        assert "seccomp" in text
        assert "landlock" in text


def test_a_search_finds_the_rules_of_games_under_headings_that_are_there() -> None:
    client = make_app().test_client()
    found = [hit for hit in search("defuse") if hit.address.startswith("/games/")]
    assert found
    page = client.get("/docs/?q=defuse").text
    for hit in found:
        assert (
            not hit.section.anchor or f'id="{hit.section.anchor}"' in client.get(hit.address).text
        )
        assert f'href="{hit.address}' in page


def test_design_decisions_come_last_in_a_search() -> None:
    for word in ("token", "numpy"):
        last = [hit.address == "/docs/decisions" for hit in search(word)]
        assert not last[0]
        assert last == sorted(last)
        assert any(last)


def test_a_question_is_searched_without_its_small_words() -> None:
    assert search("How do I submit?") == search("submit") != []
    assert search("how") != []
    assert search("?") == []


def test_a_search_shows_where_it_found_the_words() -> None:
    client = make_app().test_client()
    page = client.get("/docs/?q=LANDLOCK").text
    assert "<mark>Landlock</mark>" in page
    assert 'href="/docs/threat-model#layers"' in page
    assert "Nothing was found" in client.get("/docs/?q=no-such-word").text
    hostile = client.get("/docs/", query_string={"q": "<script>("}).text
    assert "<script>(" not in hostile


def test_only_the_hits_that_are_shown_have_an_excerpt(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[str]] = []

    def counted(paragraphs: list[str], words: list[str]) -> list[tuple[str, bool]]:
        made.append(words)
        return excerpt(paragraphs, words)

    monkeypatch.setattr(documentation, "excerpt", counted)
    assert len(search("e")) > documentation.MAX_HITS
    make_app().test_client().get("/docs/?q=e")
    assert made == [["e"]] * documentation.MAX_HITS


def test_an_excerpt_has_the_paragraph_with_most_of_the_words() -> None:
    long = "start " * 100 + "here is a needle in it " + "end " * 100
    pieces = excerpt(["needle", long], ["needle", "here"])
    assert pieces[0] == ("… ", False)
    assert [text for text, wanted in pieces if wanted] == ["here", "needle"]
    assert pieces[-1][0].endswith(" …")
    assert excerpt(["a plain text"], ["text"]) == [("a plain ", False), ("text", True)]
    assert excerpt([], ["a"]) == []


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("operate.md#backup", "/docs/operate#backup"),
        ("#backup", "#backup"),
        ("../matchbox/games/war/README.md", "/games/war"),
        ("../SECURITY.md", None),
        ("../../docs/operate.md", None),
        ("https://elsewhere.example", None),
        ("//elsewhere.example", None),
        ("nothing.md", None),
    ],
)
def test_a_link_leads_to_the_site_where_the_site_has_the_page(
    address: str, leads_to: str | None
) -> None:
    assert site_address("docs", address) == leads_to


@pytest.mark.usefixtures("no_docs")
def test_without_docs_the_index_says_so() -> None:
    client = make_app().test_client()
    assert "The docs are not part of this installation." in client.get("/docs/").text
    assert client.get("/docs/operate").status_code == 404
    assert "Nothing was found" in client.get("/docs/?q=backup").text


def test_a_wheel_has_the_docs(checkout: Path) -> None:
    assert "dashboard.docs" in find_namespace_packages(str(checkout), include=["dashboard*"])
    assert (checkout / "dashboard/docs").resolve() == checkout / "docs"
