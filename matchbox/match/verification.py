"""Verifies a match: its moves are replayed, and its bots play it again if their files are known.

Knows records and the possible findings. The caller passes the functions that open a bot's seat and
find its file and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, get_args

from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import BadRecord, Conflict
from matchbox.match import record as records
from matchbox.match import replay
from matchbox.match.wire import Finding

if TYPE_CHECKING:
    from matchbox.game import Game
    from matchbox.match.record import Record
    from matchbox.match.rotation_runner import Player
    from matchbox.match.wire import PlayMatch

FINDINGS: Final[tuple[Finding, ...]] = get_args(Finding)

Find: TypeAlias = Callable[[str], bytes | None]
"""Returns the bytes with that digest, or None if they are not available."""
Files: TypeAlias = Mapping[str, bytes]
"""Bundles or memories by digest."""
Seats: TypeAlias = "Callable[[PlayMatch, Files, Files], Callable[[int, int], Player]]"
"""Takes a job, its bundles and its memories; returns a function that opens an entrant's seat in a
rotation."""
RotationOrder: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
"""Takes rotations and returns them in the order of play."""


class Examined(NamedTuple):
    """The finding, and the first move that differs if the match took another course."""

    finding: Finding
    differs: replay.MoveIndex | None = None


@dataclass(frozen=True, slots=True)
class Verifier:
    """Verifies the records of matches."""

    bundle: Find
    memory: Find
    seats: Seats
    order: RotationOrder = iter
    report: Callable[[int], None] = lambda bouts: None
    """Called with the number of bouts that have ended since last time."""

    def verify(
        self, record: Record, digest: str | None, classes: Sequence[str | None] = ()
    ) -> Finding:
        """Plays the record's match again, as `examine` does."""
        return self.examine(record, digest, classes).finding

    def examine(
        self, record: Record, digest: str | None, classes: Sequence[str | None] = ()
    ) -> Examined:
        """Plays the record's match again, and says where it differs.

        `digest` is the digest that the server has stored, if it is known. `classes` names the
        player class of each entrant; empty if no owner has chosen one. Raises Conflict if the match
        was played by other rules than those here.
        """
        if digest is not None and records.digest(record) != digest:
            return Examined("different")
        try:
            return self._play_again(registry.game(record.game), record, classes)
        except BadRecord:
            return Examined("different")

    def _play_again(self, game: Game, record: Record, classes: Sequence[str | None]) -> Examined:
        """Replays the moves, then plays the match again if its bots can run here.

        Raises BadRecord if the moves do not replay, or Conflict for other rules.
        """
        if record.rules != game.spec.rules:
            raise Conflict(
                f"match {record.match} was played by rules {record.rules} of {game.spec.title} and "
                f"these are rules {game.spec.rules}; verify it with the release that played it"
            )
        replay.replay(game, record)
        bundles = _found(record.seats, self.bundle)
        memories = _found(filter(None, replay.memories(record)), self.memory)
        if bundles is None or memories is None or not records.is_of_this_python(record):
            return Examined("replayed_only")
        job = replay.job_of(record)
        if classes:
            seats = zip(job.seats, classes, strict=True)
            job = replace(job, seats=[replace(seat, class_name=name) for seat, name in seats])
        opened = self.seats(job, bundles, memories)
        return Examined(*replay.compare(game, record, opened, self.order, self.report))


def _found(names: Iterable[str], find: Find) -> dict[str, bytes] | None:
    """The bytes with these digests; None if any of them is not available."""
    found = {}
    for name in names:
        data = find(name)
        if data is None:
            return None
        found[name] = data
    return found
