"""Plays matches again and gives lessons again, and compares what comes of it with the books.

Knows what may come of it; where the bots' files and memories come from is handed in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from matchbox.league.archive_layout import Taught
    from matchbox.match.record import Record
    from matchbox.match.wire import Entrant
    from sandbox.box import Box

Finding = Literal["same", "different", "unrepeatable", "replayed_only"]
LessonFinding = Literal["same", "different", "unrepeatable", "not_repeated"]
Find = Callable[[str], bytes | None]
"""The bytes with that digest, or None where they are not to be had."""

FINDINGS: Final[tuple[Finding, ...]] = ("same", "different", "unrepeatable", "replayed_only")
LESSON_FINDINGS: Final[tuple[LessonFinding, ...]] = (
    *("same", "different", "unrepeatable", "not_repeated"),
)
_BY_A_MACHINE: Final = ("timeout", "memory", "platform")
"""Faults that a machine's clock or memory decides, taken from the books."""


class Witness:
    """Plays and teaches again in the box; None is this very process."""

    def __init__(self, bundle: Find, memory: Find, box: Box | None) -> None:
        self._bundle = bundle
        self._memory = memory
        self._box = box

    def finding(
        self, record: Record, digest: str | None, classes: Sequence[str | None] = ()
    ) -> Finding:
        """What came of playing the record again; `digest` is what the books have, `classes` the
        class that each entrant's owner has chosen."""
        from matchbox import registry
        from matchbox.errors import BadRecord
        from matchbox.match import record as records
        from matchbox.match import replay as proofs

        if digest is not None and records.digest(record) != digest:
            return "different"
        try:
            proofs.replay(registry.game(record.game), record)
        except BadRecord:
            return "different"
        bundles = {version: self._bundle(version) for version in record.seats}
        memories = {name: self._memory(name) for name in proofs.memories(record) if name}
        known = {name: data for name, data in bundles.items() if data is not None}
        remembered = {name: data for name, data in memories.items() if data is not None}
        elsewhere = record.python not in ("", records.python_minor())
        if len(known) < len(bundles) or len(remembered) < len(memories) or elsewhere:
            return "replayed_only"
        return self._play_again(record, known, remembered, classes)

    def lesson(
        self, game: str, pupil: Entrant, key: str, taught: Taught, record: Callable[[str], bytes]
    ) -> LessonFinding:
        """What came of giving the lesson again; `record` hands out the packed record of a match."""
        if taught.fault.partition(":")[0] in _BY_A_MACHINE:
            return "same" if taught.after == taught.before else "different"
        bundle = self._bundle(pupil.version)
        memory = b"" if taught.before is None else self._memory(taught.before)
        if bundle is None or memory is None or _elsewhere(taught, record):
            return "not_repeated"
        first = self._teach(game, pupil, key, taught, record, bundle, memory)
        if first == (taught.after, taught.fault.partition(":")[0]):
            return "same"
        again = self._teach(game, pupil, key, taught, record, bundle, memory)
        return "different" if first == again else "unrepeatable"

    def _teach(
        self,
        game: str,
        pupil: Entrant,
        key: str,
        taught: Taught,
        record: Callable[[str], bytes],
        bundle: bytes,
        memory: bytes,
    ) -> tuple[str | None, str]:
        """The digest of the memory, and the kind of fault."""
        from matchbox.bundle import digest
        from matchbox.match.wire import Teach
        from worker.arena.learning import give

        job = Teach(
            attempt=0,
            token="",
            game=game,
            limits=_limits(),
            lesson="",
            pupil=pupil,
            key=key,
            played=taught.played,
        )
        learned = give(job, bundle, memory, record, self._box)
        return digest(learned.memory) if learned.memory else None, learned.fault or ""

    def _play_again(
        self,
        record: Record,
        bundles: dict[str, bytes],
        memories: dict[str, bytes],
        classes: Sequence[str | None],
    ) -> Finding:
        from msgspec.structs import replace

        from matchbox import registry
        from matchbox.match import replay as proofs
        from worker.arena.order import shuffled
        from worker.arena.play import Table

        job = proofs.job_of(record)
        if classes:
            seats = zip(job.seats, classes, strict=True)
            job = replace(job, seats=[replace(seat, class_name=name) for seat, name in seats])
        job = replace(job, limits=_limits())
        table = Table(job, bundles, self._box, memories=memories)
        return proofs.verify(registry.game(record.game), record, table.open_player, shuffled)


def _elsewhere(taught: Taught, record: Callable[[str], bytes]) -> bool:
    """Whether it was learned under another Python than this one, as the first match tells."""
    from matchbox.match import record as records

    played = next(iter(taught.played), None)
    python = "" if played is None else records.unpack(record(played)).python
    return python not in ("", records.python_minor())


def _limits() -> dict[str, Any]:
    """The limits of a seat here."""
    from matchbox.settings import limits_of, read_settings

    return dict(limits_of(read_settings(os.environ)))
