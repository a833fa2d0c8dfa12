"""A bank of their own pays for bouts that are replayed because another bot was at fault.

A made-up box takes 1 ms from the bank for each decision, so no clock is involved.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

import pytest

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.errors import SeatFault
from matchbox.game import fill_options
from matchbox.match import record as records
from matchbox.match.record import Record
from matchbox.match.seat import LocalChannel
from matchbox.match.wire import Entrant, MatchPlayed, PlayMatch
from sandbox.policy import Limits
from tests.hostile import stage
from worker.arena import play
from worker.arena.match_seats import MatchSeats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.box import Box
    from sandbox.meter import Bank

DEALS = 16
PLENTY_MS = 1_000_000
MARGIN = 1.2
"""A bank holds this multiple of the time that the same bot needs at a table of honest ones."""
HONEST = {
    "skull": "skull import RandomAgent as Bot",
    "thegame": "thegame import LegalMinimalPlayer as Bot",
}
FAULTY = {
    "skull": (stage.HERE / "drains_the_banks" / "bot.py").read_text(),
    "thegame": """
from matchbox.games.thegame import LegalMinimalPlayer


class Attacker(LegalMinimalPlayer):
    def play(self, table):
        return "no play" if table.seat == 1 else super().play(table)


BOT = Attacker
""",
}
"""By game: a bot that makes its faults in seat 1, which entrant 0 has in the last rotation."""
TABLES = [
    (name, seats, DEALS)
    for name, game in sorted(registry.games().items())
    for seats in game.spec.seats
    if seats >= 3
]
"""Every game for three or more at every table size, with the number of bouts in flight."""


@pytest.fixture(autouse=True)
def _worst_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the attacker into the seat of its faults in the last rotation. The order is random
    otherwise."""
    monkeypatch.setattr(play, "shuffled", tuple)


class CountingSeat:
    """A program in this process that pays 1 ms for each decision."""

    stderr = ""
    cpu_ms = 0.0
    peak_bytes = 0

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._channel = LocalChannel()

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """Answers if the bank can pay for it."""
        if not start:
            if self._bank.left_ms < decisions:
                raise SeatFault("timeout", "used all of its bank")
            self._bank.left_ms -= decisions
        return self._channel.ask(frame, decisions, start=start)

    def close(self) -> None:
        """Does nothing."""
        self._channel.close()


class CountingBox:
    """A box of such seats."""

    kind = "none"
    libraries = ()

    def __init__(self) -> None:
        self.banks: list[Bank] = []

    def seat(self, limits: Limits, bank: Bank) -> CountingSeat:
        """Opens a seat that pays from that bank."""
        if bank not in self.banks:
            self.banks.append(bank)
        return CountingSeat(bank)


def honest(game: str, entrant: int) -> bytes:
    """Returns an honest bot. Each entrant is a version of its own."""
    return f"# {entrant}\nfrom matchbox.games.{HONEST[game]}\n\nBOT = Bot\n".encode()


def match(
    game: str, bots: Sequence[bytes], bank_ms: int, width: int = DEALS
) -> tuple[MatchPlayed, CountingBox]:
    """Plays a match between these bots, with `bank_ms` for each; returns it and its box."""
    spec = registry.game(game).spec
    job = PlayMatch(
        attempt=1,
        token="t" * 64,
        game=game,
        limits={"bank_ms": bank_ms},
        match="m" * 32,
        rules=spec.rules,
        options=fill_options(spec, {}),
        deals=derive_deals("banks", DEALS),
        seats=[Entrant(digest(bot)) for bot in bots],
        width=width,
    )
    box = CountingBox()
    bundles = {digest(bot): bot for bot in bots}
    return play.play_job(job, bundles, cast("Box", box)), box


@cache
def calm(game: str, seats: int) -> int:
    """Returns the time in ms that the busiest of `seats` honest bots needs for the match."""
    bots = [honest(game, entrant) for entrant in range(seats)]
    result, box = match(game, bots, PLENTY_MS)
    assert not result.notes
    return int(max(PLENTY_MS - bank.left_ms for bank in box.banks))


def attacked(
    game: str, seats: int, width: int = DEALS, attackers: int = 1
) -> tuple[MatchPlayed, CountingBox]:
    """Plays the same match with attackers in the first places, and with measured banks."""
    bots = [honest(game, entrant) for entrant in range(seats)]
    for entrant in range(attackers):
        bots[entrant] = f"# {entrant}\n{FAULTY[game]}".encode()
    return match(game, bots, int(MARGIN * calm(game, seats)), width)


def blamed(result: MatchPlayed) -> dict[int, set[str]]:
    """Returns the kinds of faults, by entrant."""
    found: dict[int, set[str]] = {}
    for note in result.notes:
        found.setdefault(note.entrant, set()).add(note.kind)
    return found


@pytest.mark.parametrize("game, seats, width", [*TABLES, ("skull", 3, 1), ("thegame", 3, 1)])
def test_an_attacker_costs_honest_bots_no_time_in_any_game_for_three_or_more(
    game: str, seats: int, width: int
) -> None:
    result, _ = attacked(game, seats, width)
    assert blamed(result) == {0: {"illegal", "excluded"}}
    record: Record = records.unpack(result.record)
    at_fault = {
        records.entrant(fault.seat, bout.rotation, seats)
        for bout in record.bouts
        for fault in bout.faults
    }
    assert at_fault == {0}


def test_two_attackers_cost_honest_bots_no_time_either() -> None:
    result, box = attacked("skull", 4, attackers=2)
    assert blamed(result) == {entrant: {"illegal", "excluded"} for entrant in (0, 1)}
    assert len(box.banks) <= 4 * 3


@pytest.mark.parametrize("seats", [3, 6])
def test_where_replays_are_paid_from_the_banks_of_the_match_honest_bots_forfeit(
    seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MatchSeats, "open_player", MatchSeats.open_alone)
    result, _ = attacked("skull", seats)
    kinds = [blamed(result).get(entrant, set()) for entrant in range(1, seats)]
    assert {"timeout", "excluded"} <= set().union(*kinds)
