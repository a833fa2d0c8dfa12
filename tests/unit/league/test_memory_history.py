"""The memories of an archived season: which follow from its lessons, and which do not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox.league import memory_history
from matchbox.league.archive_layout import ArchivedLesson, ArchivedMatch
from matchbox.league.memory_history import MemoryHistory
from matchbox.match.record import Record, memories_of

DEALS = 2
ONE, TWO, OTHER = "1" * 64, "2" * 64, "f" * 64
"""Memories."""


def match(number: int, round_: int, *seats: str, state: Any = "finished") -> ArchivedMatch:
    """A match of these entrants: a and b, or others."""
    return ArchivedMatch(
        match=f"{number:032x}", number=number, round=round_, state=state, digest="0" * 64,
        seats=list(seats or "ab"), bouts=[],
    )  # fmt: skip


def lesson(
    round_: int, before: str | None, after: str | None, *matches: int, seat: int = 0
) -> ArchivedLesson:
    """A lesson of the entrant a, from the matches with these numbers."""
    played = {f"{number:032x}": seat for number in matches}
    return ArchivedLesson(
        entrant="a", round=round_, played=played, before=before, after=after, fault=""
    )


MATCHES = [match(0, 0), match(1, 0), match(2, 1), match(3, 2)]
LESSONS = [lesson(0, None, ONE, 0, 1), lesson(1, ONE, TWO, 2), lesson(2, TWO, OTHER, 3)]


def history(
    lessons: list[ArchivedLesson] = LESSONS,
    matches: list[ArchivedMatch] = MATCHES,
    *,
    learning: str = "fresh",
    versions: str = "AB",
    bundles: str = "AB",
) -> MemoryHistory:
    """The history of an archive of the entrants a and b with these versions; it has these
    bundles."""
    entrants = [
        SimpleNamespace(name=name, version=version)
        for name, version in zip("ab", versions, strict=True)
    ]
    head = SimpleNamespace(
        season=SimpleNamespace(format={"learning": learning}, deals=DEALS),
        lessons=lessons,
        entrants=entrants,
    )
    archive: Any = SimpleNamespace(
        head=head,
        matches=matches,
        entrant={one.name: one for one in entrants}.__getitem__,
        bundle=lambda version: b"" if version in bundles else None,
    )
    return MemoryHistory(archive)


def had(*memories: str | None) -> Record:
    """The record of a match in which the entrants had these memories."""
    return Record("", "", "", {}, [], list("AB"), 1, [], memories=memories_of(memories))


def test_a_memory_is_that_of_the_last_lesson_before_the_round() -> None:
    known = history()
    for one, memory in zip(MATCHES, [None, None, ONE, TWO], strict=True):
        for had_memory in (None, ONE, TWO, OTHER):
            assert known.fits_match(one, had(had_memory, None)) is (memory == had_memory)
    assert not known.fits_match(MATCHES[0], had(None, ONE)), "b has had no lesson"
    assert not known.fits_match(MATCHES[0], had(ONE))


def test_a_match_that_is_played_again_has_the_memory_of_its_round() -> None:
    again = match(4, 1)
    known = history(matches=[*MATCHES, again])
    assert known.fits_match(again, had(ONE, None))
    assert not known.fits_match(again, had(TWO, None))


@pytest.mark.parametrize(
    ("bundles", "versions", "fits"),
    [("AB", "AB", False), ("A", "AB", True), ("A", "AA", True)],
)
def test_a_bot_whose_lessons_are_withheld_may_have_any_memory(
    bundles: str, versions: str, fits: bool
) -> None:
    known = history(bundles=bundles, versions=versions)
    assert known.fits_match(MATCHES[0], had(None, OTHER)) is fits
    off = history([], bundles=bundles, versions=versions, learning="off")
    assert not off.fits_match(MATCHES[0], had(None, OTHER))


def test_a_bot_begins_with_one_memory_of_its_parent() -> None:
    inherits = history([lesson(1, ONE, TWO, 0, 1, 2)], learning="parent")
    assert inherits.fits_lesson(lesson(1, ONE, TWO, 0, 1, 2))
    for memory, fits in ((ONE, True), (None, True), (TWO, False)):
        assert inherits.fits_match(MATCHES[0], had(memory, None)) is fits
        assert inherits.fits_match(MATCHES[2], had(memory, None)) is fits
    assert not inherits.fits_match(MATCHES[3], had(ONE, None))
    never_taught = history([], learning="parent")
    assert never_taught.fits_match(MATCHES[0], had(None, ONE))
    assert never_taught.fits_match(MATCHES[3], had(None, ONE))
    assert not never_taught.fits_match(MATCHES[3], had(None, TWO))


def test_lessons_that_follow_each_other_fit() -> None:
    assert all(map(history().fits_lesson, LESSONS))


@pytest.mark.parametrize(
    ("forged", "more"),
    [
        (lesson(1, None, TWO, 2), []),
        (lesson(1, OTHER, TWO, 2), []),
        (lesson(1, ONE, TWO), []),
        (lesson(1, ONE, TWO, 1, 2), []),
        (lesson(1, ONE, TWO, 2, 3), []),
        (lesson(1, ONE, TWO, 2, seat=1), []),
        (lesson(1, ONE, TWO, 2, seat=-2), []),
        (lesson(1, ONE, TWO, 2, 4), [match(4, 1, "b", "c")]),
        (lesson(1, ONE, TWO, 5), [match(5, 1)]),
    ],
    ids=["no-memory", "another-memory", "no-match", "twice", "too-early", "another-seat",
         "no-seat", "another's-match", "one-of-two-matches"],
)  # fmt: skip
def test_a_lesson_that_does_not_follow_is_found_out(
    forged: ArchivedLesson, more: list[ArchivedMatch]
) -> None:
    known = history([LESSONS[0], forged, LESSONS[2]], [*MATCHES, *more])
    assert known.fits_lesson(LESSONS[0])
    assert not known.fits_lesson(forged)


def test_a_second_lesson_after_a_round_is_found_out() -> None:
    another = lesson(0, None, TWO, 0, 1)
    known = history([LESSONS[0], another])
    assert not known.fits_lesson(LESSONS[0])
    assert not known.fits_lesson(another)


def test_a_season_without_learning_has_no_lessons() -> None:
    assert not any(map(history(learning="off").fits_lesson, LESSONS))


def test_an_honest_lesson_may_lack_matches_of_its_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was played again after it, one that was void, and those beyond what it needs."""
    again, void = match(4, 0), match(5, 0, state="void")
    assert history(matches=[*MATCHES, again, void]).fits_lesson(LESSONS[0])
    learned_later = replace(LESSONS[1], played=lesson(1, ONE, TWO, 2, 4).played)
    known = history([LESSONS[0], learned_later], [*MATCHES, again])
    assert known.fits_lesson(LESSONS[0])
    assert known.fits_lesson(learned_later)
    short = lesson(0, None, ONE, 1)
    assert not history([short]).fits_lesson(short)
    monkeypatch.setattr(memory_history, "MAX_RECORDS", DEALS)
    assert history([short]).fits_lesson(short)


def test_a_bot_that_comes_back_learns_from_earlier_rounds() -> None:
    missed = lesson(2, None, ONE, 0, 1, 2, 3)
    known = history([missed])
    assert known.fits_lesson(missed)
    assert known.fits_match(MATCHES[3], had(None, None))
