"""Verifies a match: replays its moves, and reruns it if the files of its bots are known.

Knows records and the possible findings. The caller passes the functions that open a bot's seat,
read its code, and find its file and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
OpenSeats: TypeAlias = "Callable[[PlayMatch, Files, Files], Callable[[int, int], Player]]"
"""Takes a job, its bundles and its memories; returns a function that opens an entrant's seat in a
rotation."""
RotationOrder: TypeAlias = Callable[[Iterable[int]], Iterable[int]]
"""Takes rotations and returns them in the order of play."""
ReadNames: TypeAlias = Callable[[str, bytes, Sequence[str]], Collection[str]]
"""Takes a game, a bundle and names of libraries; returns those that the bundle's code names. The
code is a stranger's, so this must not compile it outside a box. Raises SeatFault("platform")."""


class Examined(NamedTuple):
    """The finding, and the first move that differs if the match took another course."""

    finding: Finding
    differs: replay.MoveIndex | None = None
    why: str = ""
    """Why a match was only replayed here, if its files were there; "" otherwise."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """Verifies the records of matches."""

    bundle: Find
    """Finds a version's bundle."""
    memory: Find
    """Finds a memory."""
    seats: OpenSeats
    order: RotationOrder = iter
    """The order in which rotations are played; it does not change the record."""
    on_progress: Callable[[int], None] = lambda bouts: None
    """Called with the number of bouts that have ended since its last call."""
    libraries: Mapping[str, str] = field(default_factory=dict)
    """The version of each library that a bot may import in its seat here; "" if it may not."""
    read_names: ReadNames = lambda game, bundle, libraries: ()
    """Finds the libraries that a bundle's code names."""

    def verify(
        self, record: Record, digest: str | None, classes: Sequence[str | None] = ()
    ) -> Finding:
        """The finding of `examine`; raises the same errors."""
        return self.examine(record, digest, classes).finding

    def examine(
        self, record: Record, digest: str | None, classes: Sequence[str | None] = ()
    ) -> Examined:
        """Reruns the record's match, and says where it differs.

        `digest` is the digest that the server has stored, if it is known. `classes` names the
        player class of each entrant; empty if no owner has chosen one. Raises Conflict if the match
        was played by other rules than those here, UnknownGame, and SeatFault("platform").
        """
        if digest is not None and records.digest(record) != digest:
            return Examined("different")
        try:
            return self._rerun(registry.game(record.game), record, classes)
        except BadRecord:
            return Examined("different")

    def _rerun(self, game: Game, record: Record, classes: Sequence[str | None]) -> Examined:
        """Replays the moves, then reruns the match if its bots can run here.

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
        if bundles is None or memories is None:
            return Examined("replayed_only")
        if not records.is_of_this_python(record):
            ours = records.python_minor()
            why = f"the match was played by Python {record.python}, and Python {ours} is here"
            return Examined("replayed_only", why=why)
        job = replay.job_of(record)
        if classes:
            seats = zip(job.seats, classes, strict=True)
            job = replace(job, seats=[replace(seat, class_name=name) for seat, name in seats])
        opened = self.seats(job, bundles, memories)
        found = replay.compare(game, record, opened, self.order, self.on_progress)
        if found.verdict == "different" and (why := self.other_library(record, bundles.values())):
            return Examined("replayed_only", why=why)
        return Examined(*found)

    def other_library(self, record: Record, bundles: Iterable[bytes]) -> str:
        """Says which library that these bots import had another version in the record's boxes than
        it has here; "" if none had. Raises SeatFault("platform")."""
        here = self.libraries
        other = [name for name, was in record.libraries.items() if here.get(name, was) != was]
        if not other:
            return ""
        for bundle in bundles:
            for name in self.read_names(record.game, bundle, other):
                ours = f"{name} {here[name]} is here" if here[name] else f"there is no {name} here"
                return f"the match was played with {name} {record.libraries[name]}, and {ours}"
        return ""


def _found(names: Iterable[str], find: Find) -> dict[str, bytes] | None:
    """The bytes with these digests; None if any of them is not available."""
    found = {}
    for name in names:
        data = find(name)
        if data is None:
            return None
        found[name] = data
    return found
