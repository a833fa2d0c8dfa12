"""Checks that the memories of an archived season follow from its lessons.

Knows the rows of an archive, and gives no lesson again. An archive lacks the lessons of owners who
withhold them; any memory of their bots is possible.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from matchbox.match.learning import MAX_RECORDS
from matchbox.match.replay import memories

if TYPE_CHECKING:
    from matchbox.league.archive import Archive
    from matchbox.league.archive_layout import ArchivedLesson, ArchivedMatch
    from matchbox.match.record import Record


class MemoryHistory:
    """The memory that each entrant of an archive had in each round, by its lessons."""

    def __init__(self, archive: Archive) -> None:
        season = archive.head.season
        self._archive = archive
        self._learning = season.format.get("learning", "off")
        self._most = MAX_RECORDS / max(season.deals, 1)
        """A lesson from fewer matches was from all that there were."""
        self._lessons: dict[str, list[ArchivedLesson]] = {}
        """By entrant, in the order of rounds."""
        for lesson in sorted(archive.head.lessons, key=lambda one: one.round):
            self._lessons.setdefault(lesson.entrant, []).append(lesson)
        self._matches = {one.match: one for one in archive.matches}
        self._finished: dict[tuple[str, int], list[ArchivedMatch]] = {}
        """The finished matches, by entrant and round."""
        for match in archive.matches:
            for name in set(match.seats) if match.state == "finished" else ():
                self._finished.setdefault((name, match.round), []).append(match)
        self._newest: dict[int, int] = {}
        """The greatest number of a match from which bots learned after that round."""
        for lesson in archive.head.lessons:
            numbers = [self._matches[match].number for match in lesson.played]
            self._newest[lesson.round] = max([self._newest.get(lesson.round, -1), *numbers])
        self._versions = Counter(one.version for one in archive.head.entrants)
        self._inherited: dict[str, str] = {}
        """The memories with which bots without a lesson have played in a match that was checked."""

    def fits_match(self, match: ArchivedMatch, record: Record) -> bool:
        """Whether every bot had the memory that its last lesson before the match's round left."""
        found = memories(record)
        return len(found) == len(match.seats) and all(
            self._fits(name, match.round, memory or None)
            for name, memory in zip(match.seats, found, strict=True)
        )

    def fits_lesson(self, lesson: ArchivedLesson) -> bool:
        """Whether the lesson began with the memory that the one before it left, and was from the
        bot's own matches up to its round, none of them for the second time."""
        own = self._lessons[lesson.entrant]
        earlier = [one for one in own if one.round < lesson.round]
        known = {match for one in earlier for match in one.played}
        if earlier:
            follows = lesson.before == earlier[-1].after
        else:
            follows = lesson.before is None or self._learning == "parent"
        return (
            self._learning != "off"
            and [one.round for one in own].count(lesson.round) == 1
            and follows
            and bool(lesson.played)
            and known.isdisjoint(lesson.played)
            and all(self._is_own(lesson, *played) for played in lesson.played.items())
            and self._has_all(lesson)
        )

    def _fits(self, entrant: str, round_: int, memory: str | None) -> bool:
        own = self._lessons.get(entrant, [])
        earlier = [one for one in own if one.round < round_]
        if earlier:
            return memory == earlier[-1].after
        if memory is None:
            return True  # With "parent" too: by earlier releases, bots inherited less.
        if self._learning == "off":
            return False
        if not own and self._is_withheld(entrant):
            return True
        if self._learning != "parent":
            return False
        first = own[0].before if own else self._inherited.setdefault(entrant, memory)
        return memory == first

    def _is_withheld(self, entrant: str) -> bool:
        """Whether the archive may lack the lessons of an entrant of which it has none.

        It has the lessons of each bot whose bundle it has, unless another bot has the same bundle.
        """
        version = self._archive.entrant(entrant).version
        return self._versions[version] > 1 or self._archive.bundle(version) is None

    def _is_own(self, lesson: ArchivedLesson, match: str, seat: int) -> bool:
        """Whether the bot had that seat, its first, in that match, up to the lesson's round."""
        row = self._matches[match]
        return (
            row.round <= lesson.round
            and lesson.entrant in row.seats
            and row.seats.index(lesson.entrant) == seat
        )

    def _has_all(self, lesson: ArchivedLesson) -> bool:
        """Whether the lesson was from all finished matches of its round, or from enough.

        A match that replaces another one may be newer than the lesson: it has a greater number than
        every match that was over when the lessons of the round were opened.
        """
        last = self._newest[lesson.round]
        found = self._finished.get((lesson.entrant, lesson.round), [])
        return len(lesson.played) >= self._most or all(
            one.match in lesson.played for one in found if one.number <= last
        )
