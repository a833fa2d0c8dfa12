from __future__ import annotations

import pytest

from dashboard import markdown


def test_a_page_leads_nowhere_else_and_runs_nothing() -> None:
    page = markdown.read(
        "# Chess\n[rules](https://elsewhere.example/x) ![board](//elsewhere.example/b.png)\n"
        "<script>alert(1)</script> [games](/games/bomb) <img src=x onerror=alert(1)>\n"
        "[click](javascript:alert(1)) [file](other.md) <https://elsewhere.example/y>\n"
    ).html
    assert "href=" not in page.replace('<a href="/games/bomb">games</a>', "")
    assert "rules (https://elsewhere.example/x) board" in page
    assert "<script" not in page
    assert "<img" not in page
    assert " file " in page


def test_the_caller_says_where_links_lead() -> None:
    page = markdown.read("[a](b.md#c) [d](e.md)", {"b.md#c": "/docs/b#c"}.get).html
    assert page == '<p><a href="/docs/b#c">a</a> d</p>\n'


def test_a_link_keeps_the_marks_of_its_text() -> None:
    page = markdown.read("[**a** `b`](/c) [**a** `b`](https://x.example)").html
    assert '<a href="/c"><strong>a</strong> <code>b</code></a>' in page
    assert "<strong>a</strong> <code>b</code> (https://x.example)" in page


def test_listings_and_tables_can_be_scrolled_by_keyboard() -> None:
    assert '<pre tabindex="0">' in markdown.read("```\nx = 1\n```\n").html
    assert '<table tabindex="0">' in markdown.read("| a |\n| --- |\n").html


def test_a_table_has_no_styles_and_no_empty_headings() -> None:
    page = markdown.read("| | a |\n| :-- | --: |\n| b | 1 |\n").html
    assert "style" not in page
    assert '<th class="number">a</th>' in page
    assert '<td class="number">1</td>' in page
    assert "<th></th>" not in page


def test_headings_have_anchors_and_the_title_stands_apart() -> None:
    page = markdown.read("# One\ntext\n## A `b`, c\n### Same\n## Same\n# Same\n")
    assert page.title == "One"
    assert "<h1" not in page.html
    found = [(section.level, section.heading, section.anchor) for section in page.sections]
    assert found == [
        (1, "One", ""),
        (2, "A b, c", "a-b-c"),
        (3, "Same", "same"),
        (2, "Same", "same-1"),
        (2, "Same", "same-2"),
    ]
    assert '<h2 id="a-b-c">A <code>b</code>, c</h2>' in page.html
    assert page.sections[0].paragraphs == ["text"]


def test_no_two_headings_have_the_same_anchor() -> None:
    page = markdown.read("# One\n## A\n## A\n## A 1\n## A\n")
    anchors = [section.anchor for section in page.sections[1:]]
    assert anchors == ["a", "a-1", "a-1-1", "a-2"]


def test_a_page_without_a_title_keeps_all_its_headings() -> None:
    page = markdown.read("text\n\n# One\n")
    assert page.title == ""
    assert '<h2 id="one">One</h2>' in page.html


@pytest.mark.parametrize("text", ["", "text"])
def test_a_text_without_headings_has_one_section(text: str) -> None:
    assert len(markdown.read(text).sections) == 1


def test_a_comment_is_not_shown_but_in_a_listing() -> None:
    page = markdown.read("a\n\n<!-- b -->\n\nc\n\n```\n<!-- d -->\n```\n").html
    assert page.startswith("<p>a</p>\n<p>c</p>\n")
    assert "&lt;!-- d --&gt;" in page
    assert "b" not in page.replace("tabindex", "")


def test_the_text_of_a_section_has_no_marks() -> None:
    page = markdown.read("**a**\n[b](/c)\n\n| d | `e` |\n| --- | --- |\n| f | g |\n")
    assert page.sections[0].paragraphs == ["a b", "d", "e", "f", "g"]
