"""Bouts for many matches, cut from a few long matches between shipped bots.

Every deal is used once, so that no two matches share one. Knows one game; knows no database.
"""

from __future__ import annotations

from collections import deque
from contextlib import redirect_stderr
from functools import cache
from io import StringIO
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
"""The shipped bots that the bots of the benchmark are copies of."""
FAILING: Final = b"""from matchbox.games.bomb import Player


class Failing(Player):
    def turn(self, game_data, play_a_card):
        return "no move"
"""
"""A bot that forfeits each of its bouts."""
ILLEGAL: Final = "illegal"
AT_FIRST: Final = 100
"""The number of deals that are played when bouts between two bots are first needed."""
AT_ONCE: Final = 2_000
"""The most deals that are played at a time. Each time, twice as many are played as before."""
WIDTH: Final = 250


@cache
def source_of(kind: int) -> bytes:
    """The file of the shipped bot of this kind."""
    return (Path(__file__).parents[2] / "bots" / GAME / f"{KINDS[kind]}.py").read_bytes()


_Dealt = tuple[list[str], list[Bout]]
"""The deals of a match, and its bouts."""


class Dealer:
    """Plays the long matches as they are needed, and hands out their bouts."""

    def __init__(self) -> None:
        self._left: dict[tuple[tuple[bytes, bytes], int], deque[_Dealt]] = {}
        self._deals: dict[tuple[tuple[bytes, bytes], int], int] = {}
        """The number of deals to play when there are none left."""
        self._dealt = 0

    def record(
        self,
        match: str,
        league: League,
        sources: tuple[bytes, bytes],
        seats: Sequence[str],
        deals: int,
        *,
        fails: bool = False,
    ) -> Record:
        """A record of that many deals between these bots' files, as if played by the versions with
        these digests. If the first one `fails`, it forfeits the first deal.
        """
        if fails:
            dealt, bouts = self._next((FAILING, sources[1]), 1)
            more, others = self._next(sources, deals - 1)
            dealt = [*dealt, *more]
            bouts = [*map(_failed, bouts), *(replace(bout, deal=bout.deal + 1) for bout in others)]
        else:
            dealt, bouts = self._next(sources, deals)
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

    def _next(self, sources: tuple[bytes, bytes], deals: int) -> _Dealt:
        """This number of deals with their bouts, which were not handed out before."""
        kind = sources, deals
        left = self._left.setdefault(kind, deque())
        if not left:
            wanted = self._deals.get(kind, AT_FIRST)
            self._deals[kind] = min(2 * wanted, AT_ONCE)
            left.extend(self._play(sources, deals, max(1, wanted // deals)))
        return left.popleft()

    def _play(self, sources: tuple[bytes, bytes], deals: int, matches: int) -> Iterator[_Dealt]:
        """The deals and bouts of that many matches, played as one match."""
        files = {digest(source): source for source in sources}
        spec = registry.game(GAME).spec
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
            seats=[Entrant(digest(source)) for source in sources],
            width=WIDTH,
        )
        self._dealt += matches
        with redirect_stderr(StringIO()):  # the bots' prints in this process
            record = play_job(job, files, None).record
        played = iter(records.unpack(record).bouts)
        for own in dealt:
            both = islice(played, 2 * deals)
            yield own, [replace(bout, deal=at // 2) for at, bout in enumerate(both)]


def _failed(bout: Bout) -> Bout:
    """The bout, lost by an illegal move. In a long match a bot is excluded after a few of them."""
    return replace(bout, why=ILLEGAL, faults=[replace(one, kind=ILLEGAL) for one in bout.faults])
