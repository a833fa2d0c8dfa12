"""Verifies an exported season: plays its matches again, gives its lessons again, checks that the
memories follow from the lessons, and computes the standing again.

Knows archives and the possible findings. The caller passes the functions that run bots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from matchbox.bundle import digest
from matchbox.errors import BadRecord
from matchbox.league.archive import standings_agree
from matchbox.league.memory_history import MemoryHistory
from matchbox.league.standings import METHOD
from matchbox.match import record as records
from matchbox.match.learning import round_key
from matchbox.match.replay import MACHINE_FAULTS
from matchbox.match.wire import Entrant, Learned, Teach

if TYPE_CHECKING:
    from matchbox.league.archive import Archive
    from matchbox.league.archive_layout import ArchivedLesson, ArchivedMatch
    from matchbox.match.record import Record
    from matchbox.match.verification import Verifier
    from matchbox.match.wire import Finding

LessonFinding = Literal["same", "different", "unrepeatable", "not_repeated"]
"""`not_repeated`: the lesson could not be given again here."""
LESSON_FINDINGS: Final[tuple[LessonFinding, ...]] = get_args(LessonFinding)
GiveLesson: TypeAlias = Callable[[Teach, bytes, bytes, Callable[[str], bytes]], Learned]
"""Gives a lesson to a bundle's bot that has a memory. The last argument of this function returns
the packed record of a match."""


@dataclass(frozen=True, slots=True)
class StandingFinding:
    """The result of computing the standing again."""

    same: bool
    """Whether digest, order and figures agree; for an earlier method, whether the digest does."""
    digest: str
    """The digest in the archive."""
    computed: str | None
    """The digest computed now; None if a record is not the one that its row names."""
    earlier: int | None = None
    """The archive's method, if it is not this version's: then the figures cannot be compared."""


@dataclass(slots=True)
class SeasonVerifier:
    """Verifies the parts of one archive. Every method raises BadArchive if a part is damaged."""

    archive: Archive
    verifier: Verifier
    give_lesson: GiveLesson
    _history: MemoryHistory = field(init=False)

    def __post_init__(self) -> None:
        self._history = MemoryHistory(self.archive)

    def match(self, match: ArchivedMatch) -> Finding:
        """Plays the match again. It differs, too, if a bot played with another memory than its last
        lesson had left."""
        classes = [self.archive.entrant(name).class_name for name in match.seats]
        try:
            record = self.archive.record(match)
            if not self._history.fits_match(match, record):
                return "different"
            return self.verifier.verify(record, match.digest, classes)
        except BadRecord:
            return "different"

    def lesson(self, lesson: ArchivedLesson) -> LessonFinding:
        """Gives the lesson again; a lesson that differs is given a third time.

        It differs, too, if its memory or its matches do not follow from the lessons before it.
        """
        if not self._history.fits_lesson(lesson):
            return "different"
        try:
            return self._give_again(lesson)
        except BadRecord:
            return "different"

    def standing(self) -> StandingFinding:
        """Computes the standing again from the records."""
        kept = self.archive.head.standing
        try:
            if kept.method != METHOD:
                found = self.archive.recompute_digest()
                return StandingFinding(found == kept.digest, kept.digest, found, kept.method)
            again = self.archive.recompute_standing()
        except BadRecord:
            return StandingFinding(same=False, digest=kept.digest, computed=None)
        return StandingFinding(standings_agree(kept, again), kept.digest, again.digest)

    def _give_again(self, lesson: ArchivedLesson) -> LessonFinding:
        """Raises BadRecord if one of the lesson's matches does not replay."""
        fault, _, _ = lesson.fault.partition(":")
        if fault in MACHINE_FAULTS:
            return "same" if lesson.after == lesson.before else "different"
        version = self.archive.entrant(lesson.entrant).version
        bundle = self.verifier.bundle(version)
        memory = b"" if lesson.before is None else self.verifier.memory(lesson.before)
        if bundle is None or memory is None or not self._was_given_here(lesson):
            return "not_repeated"
        again = self._teach(lesson, bundle, memory)
        if again == (lesson.after, fault):
            return "same"
        if self._teach(lesson, bundle, memory) != again:
            return "unrepeatable"
        record = self._first_record(lesson)
        other = record is not None and self.verifier.other_library(record, [bundle])
        return "not_repeated" if other else "different"

    def _teach(
        self, lesson: ArchivedLesson, bundle: bytes, memory: bytes
    ) -> tuple[str | None, str]:
        """The digest of the new memory (None if it is empty), and the kind of fault."""
        season, pupil = self.archive.head.season, self.archive.entrant(lesson.entrant)
        job = Teach(
            attempt=0,
            token="",
            game=season.game,
            limits={},
            lesson="",
            pupil=Entrant(pupil.version, pupil.class_name, lesson.before),
            key=round_key(season.seed, lesson.round, pupil.version),
            played=lesson.played,
        )
        learned = self.give_lesson(job, bundle, memory, self.archive.packed_record)
        return digest(learned.memory) if learned.memory else None, learned.fault or ""

    def _was_given_here(self, lesson: ArchivedLesson) -> bool:
        """Whether the lesson was given under this Python, as its first record says."""
        record = self._first_record(lesson)
        return record is None or records.is_of_this_python(record)

    def _first_record(self, lesson: ArchivedLesson) -> Record | None:
        played = next(iter(lesson.played), None)
        return None if played is None else records.unpack(self.archive.packed_record(played))
