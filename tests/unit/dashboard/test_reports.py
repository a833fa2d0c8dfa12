from __future__ import annotations

import re

import pytest

from dashboard.reports import AROUND, excerpt, missing, printed, reported, wrong_place
from matchbox.answers.matches import Diagnostic
from tests.unit.dashboard import cast
from tests.unit.dashboard.cast import BROKEN

TRACEBACK = 'File "bot.py", line 3, in <module>\n  File "bot.py", line 12, in turn\nValueError: no'


def test_a_reason_names_the_line() -> None:
    assert wrong_place(["SyntaxError: expected ':' (bot.py, line 5)"], TRACEBACK) == ("bot.py", 5)


def test_a_reason_without_a_file_is_about_the_main_one() -> None:
    assert wrong_place(["player.py is not UTF-8 in line 4"]) == ("player.py", 4)


def test_else_the_end_of_the_traceback_does() -> None:
    assert wrong_place(["ValueError: no"], TRACEBACK) == ("bot.py", 12)


def test_a_line_of_the_platform_is_never_blamed() -> None:
    ours = 'File "/box/matchbox/games/bomb/player.py", line 199, in answer\n'
    compiled = ours.replace("/box/", "")
    assert wrong_place(["turn() returned 42"], ours) is None
    assert wrong_place(["turn() returned 42"], compiled) is None
    assert wrong_place(["ValueError: no"], TRACEBACK + compiled) == ("bot.py", 12)
    assert wrong_place(["ValueError: no"], ours + TRACEBACK) == ("bot.py", 12)


def test_a_line_that_the_bot_printed_is_no_traceback() -> None:
    assert wrong_place(["too slow"], "line 7 of my diary") is None


def test_the_excerpt_marks_the_wrong_place_among_its_neighbours() -> None:
    lines = excerpt(BROKEN, 5)
    assert [one.number for one in lines if one.wrong] == [5]
    assert lines[0].number == 5 - AROUND
    assert lines[-1].number <= 5 + AROUND
    assert "def turn" in lines[AROUND].text


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_end_as_for_python(end: str) -> None:
    text = BROKEN.replace("\n", end)
    assert excerpt(text, 5) == excerpt(BROKEN, 5)


@pytest.mark.parametrize("text, number", [(None, 5), ("", 1), ("x = 1", 99), ("x", 0), ("x", None)])
def test_there_is_no_excerpt_without_such_a_line(text: str | None, number: int | None) -> None:
    assert excerpt(text, number) == []


def test_what_was_printed_stands_by_its_step() -> None:
    bout = cast.bout(0)
    movers = [None, 0, 1, None, 0, 1, None]
    found = printed(bout, movers, [cast.LOG])
    assert [(one.step, one.traceback, one.text) for one in found] == [
        (1, False, "<b>I see"),
        (4, True, "ValueError: no"),
    ]
    assert printed(bout, movers, []) == []


def test_where_output_had_no_room_is_told_from_its_step_on() -> None:
    movers = [None, 0, 1, None, 0, 1, None]
    here = missing(cast.bout(0), movers, [cast.LOG])
    assert here == [(4, False, "From step 4 on reports of alice/careful are not kept: 90 bytes.")]
    count = "1,234 bytes of this bout and later ones."
    assert missing(cast.bout(1), movers, [cast.LOG]) == [
        (5, True, f"From step 5 on prints of alice/careful are not kept: {count}")
    ]
    since = "From deal 1, rotation 2 on prints of alice/careful are not kept: 1,234 bytes."
    assert missing(cast.bout(2), movers, [cast.LOG]) == [(0, True, since)]
    assert missing(cast.bout(2), movers, []) == []
    one = [each.model_copy(update={"left_out": 1}) for each in cast.LOG.left_out]
    ((*_, text),) = missing(cast.bout(0), movers, [cast.LOG.model_copy(update={"left_out": one})])
    assert text.endswith("are not kept: 1 byte.")


@pytest.mark.parametrize(
    ("query", "said", "hidden"),
    [
        ("bout=0&step=0", "reports of alice/careful are not kept: 90 bytes.", False),
        ("bout=1&step=0", "1,234 bytes of this bout and later ones.", False),
        ("bout=1&step=99", "1,234 bytes of this bout and later ones.", True),
        ("bout=2&step=0", "From deal 1, rotation 2 on prints of alice/careful", True),
    ],
)
def test_a_page_never_says_nothing_where_output_was_left_out(
    query: str, said: str, hidden: bool
) -> None:
    page = cast.make_app().test_client().get(f"/matches/{cast.MATCH}?{query}").text
    assert said in page
    (nothing,) = re.findall(r'id="said-nothing"([^>]*)>', page)
    assert ("hidden" in nothing) == hidden


def test_a_report_stands_by_the_decision_that_it_is_about() -> None:
    bout = cast.bout(1)
    movers = [None, 0, 1, 1, -1, 0, 1]
    said = [
        Diagnostic(deal=deal, rotation=1, decision=decision, report=[deal, decision])
        for deal, decision in ((0, 0), (0, 2), (0, 9), (1, 1))
    ]
    found = reported(bout, movers, [cast.LOG.model_copy(update={"diagnostics": said})])
    assert found == ["", "", "[0, 0]", "", "", "", "[0, 2]"]
    assert reported(bout, movers, []) == [""] * 7
