"""Lessons and verified seasons on the pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from matchbox.answers.lessons import Lesson, Lessons
from tests.unit.dashboard.cast import NOBODY, OPERATOR, SOURCE, lesson
from tests.unit.dashboard.seasons import VERIFIED, season
from tests.unit.dashboard.test_pages import get

LEARNED: Final = VERIFIED.lessons


def test_an_owner_sees_what_the_bot_learned_and_others_see_none_of_it() -> None:
    mine = get("/bots/alice/careful").text
    assert "Only you and the operators" not in mine
    assert "only you and the operators see them" in mine
    assert "kept its memory crash: <b>" in mine
    assert "12 bytes" in mine
    others = replace(NOBODY, lessons=lambda *_: Lessons(items=[], next=None))
    assert "Lessons" not in get("/bots/alice/careful", others).text


@pytest.mark.parametrize(
    ("newest", "says"),
    [
        ([lesson("waiting", after=None)], True),
        ([lesson(after=None, bytes=0)], False),
        ([lesson("waiting", after=None), lesson(after=None, bytes=0)], False),
    ],
)
def test_a_memory_is_that_after_the_newest_lesson(newest: list[Lesson], says: bool) -> None:
    source = replace(SOURCE, lessons=lambda *_: Lessons(items=[*newest, lesson()], next=None))
    assert ("Its memory holds 12 bytes" in get("/bots/alice/careful", source).text) == says


def test_older_lessons_follow_on_pages_of_their_own() -> None:
    def lessons(owner: str, name: str, cursor: str | None) -> Lessons:
        found = lesson(bytes=7 if cursor else 12)
        return Lessons(items=[found], next=None if cursor == "9" else "9")

    source = replace(SOURCE, lessons=lessons)
    first = get("/bots/alice/careful", source)
    assert "Older lessons" in first.text
    links = [attrs.get("href") for _, attrs in first.elements]
    assert "/bots/alice/careful?lessons=9#lessons" in links
    second = get("/bots/alice/careful?lessons=9", source).text
    assert "7 bytes" in second
    assert "Its memory holds" not in second
    assert "Older lessons" not in second


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({}, "60 of 60 matches played again, 58 the same, 1 with bots that answer differently"),
        ({}, "4 of 4 lessons repeated; they led to the same memory. The standing follows"),
        (
            {"lessons": LEARNED | {"same": 1, "different": ["a/b 1", "a/b 2"]}},
            "1 of 4 lessons repeated; they led to the same memory, 2 to another. The standing",
        ),
        (
            {"lessons": LEARNED | {"same": 3, "unrepeatable": ["a/b 1"]}},
            "to the same memory, 1 to a different one each time. The standing follows",
        ),
        ({"different": ["ab" * 16]}, "1 different"),
        ({"standing": "different"}, "no longer follows from its rows"),
    ],
)
def test_a_season_tells_when_it_was_verified_and_how_much_of_it(
    changed: dict[str, Any], says: str
) -> None:
    found = VERIFIED.model_copy(update=changed)
    counts, lesson_counts = numbers(found.model_dump()), numbers(dict(found.lessons))
    counted = {"counts": counts, "lesson_counts": lesson_counts}
    told = season(7, verified=found.model_copy(update=counted))
    assert says in get("/seasons/7", replace(SOURCE, season=lambda number: told)).text


def numbers(findings: dict[str, Any]) -> dict[str, int]:
    """How many there are of each finding that is a list."""
    return {name: len(ids) for name, ids in findings.items() if isinstance(ids, list)}


def test_a_parked_lesson_waits_for_the_operator() -> None:
    page = get("/admin", OPERATOR)
    assert "after round 1 of Autumn 2026" in page.text
    forms = {there["action"] for name, there in page.elements if name == "form"}
    assert {f"/admin/lessons/9/{step}" for step in ("requeue", "skip")} <= forms
