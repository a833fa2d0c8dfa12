"""Bouts for many matches, cut from a few long matches that shipped bots have really played.

Every deal is dealt once, so that no two matches share one. Knows one game; knows no database.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import deals_from, derive_deals
from matchbox.match import record as records
from matchbox.match.record import Bout, Record
from matchbox.match.wire import Entrant, PlayMatch
from worker.arena.play import play_job

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from server.db.models import League

GAME: Final = "bomb"
KINDS: Final = ("scared", "simple", "medium")
"""The shipped bots whose play the bots of the bench copy."""
AT_ONCE: Final = 2_000
"""How many deals of a long match are played at a time."""
WIDTH: Final = 250


@cache
def source_of(kind: int) -> bytes:
    """The file of the shipped bot of this kind."""
    return (Path(__file__).parents[2] / "bots" / GAME / f"{KINDS[kind]}.py").read_bytes()


class Dealer:
    """Plays the long matches, as far as they are needed, and hands out their bouts."""

    def __init__(self) -> None:
        self._left: dict[tuple[tuple[int, int], int], deque[tuple[list[str], list[Bout]]]] = {}
        self._dealt = 0

    def record(
        self, match: str, league: League, kinds: tuple[int, int], seats: Sequence[str], deals: int
    ) -> Record:
        """A record of that many deals between versions of these kinds; `seats` are digests."""
        left = self._left.setdefault((kinds, deals), deque())
        if not left:
            left.extend(self._play(kinds, deals))
        dealt, bouts = left.popleft()
        return Record(
            match=match,
            game=GAME,
            rules=league.rules,
            options=league.options,
            deals=dealt,
            seats=list(seats),
            width=WIDTH,
            bouts=bouts,
            python=records.python_minor(),
        )

    def _play(self, kinds: tuple[int, int], deals: int) -> Iterator[tuple[list[str], list[Bout]]]:
        """The deals and bouts of some matches, which are played as one."""
        files = {digest(source_of(kind)): source_of(kind) for kind in kinds}
        spec = registry.game(GAME).spec
        matches = max(1, AT_ONCE // deals)
        firsts = derive_deals("the bench of the site", matches, start=self._dealt)
        dealt = [deals_from(first, deals) for first in firsts]
        job = PlayMatch(
            attempt=1,
            token="bench",
            game=GAME,
            limits={},
            match=f"long match {self._dealt}",
            rules=spec.rules,
            options={name: one.default for name, one in spec.options.items()},
            deals=[deal for own in dealt for deal in own],
            seats=[Entrant(digest(source_of(kind))) for kind in kinds],
            width=WIDTH,
        )
        self._dealt += matches
        played = iter(records.unpack(play_job(job, files, None).record).bouts)
        for own in dealt:
            both = islice(played, 2 * deals)
            yield own, [replace(bout, deal=at // 2) for at, bout in enumerate(both)]
