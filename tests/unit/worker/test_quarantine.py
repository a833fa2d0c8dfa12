"""A suspect tried alone: released, refused for its own fault, or for its effect on the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from matchbox.bundle import digest
from matchbox.errors import BadBundle, SeatFault
from matchbox.match.wire import Entrant, TryOut
from tests.unit.worker.bots import GOOD, turning
from tests.unit.worker.conftest import a_try_out
from worker.arena.quarantine import try_alone

if TYPE_CHECKING:
    from sandbox.box import Box
    from sandbox.box_seat import BoxSeat
    from sandbox.meter import Bank
    from sandbox.policy import Limits

HOUSE = b"from matchbox.games.bomb import SimplePlayer\n\nBOT = SimplePlayer\n"
BREAKER = GOOD.encode() + b"# breaks the platform\n"


class Shaky:
    """A box that dies `times` times of a bundle with this mark in it."""

    def __init__(self, box: Box, mark: bytes, times: int) -> None:
        self.kind = box.kind
        self.libraries = ()
        self.left = times
        self._box = box
        self._mark = mark

    def seat(self, limits: Limits, bank: Bank) -> _ShakySeat:
        return _ShakySeat(self, self._box.seat(limits, bank), self._mark)


class _ShakySeat:
    def __init__(self, box: Shaky, seat: BoxSeat, mark: bytes) -> None:
        self._box = box
        self._seat = seat
        self._mark = mark
        self.close = seat.close

    @property
    def stderr(self) -> str:
        return self._seat.stderr

    @property
    def cpu_ms(self) -> float:
        return self._seat.cpu_ms

    @property
    def peak_bytes(self) -> int:
        return self._seat.peak_bytes

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        if self._mark in frame and self._box.left:
            self._box.left -= 1
            raise SeatFault("platform", "the box of the bot has died")
        return self._seat.ask(frame, decisions, start=start)


def suspected(bundle: bytes) -> TryOut:
    return a_try_out(bundle, beside=Entrant(digest(HOUSE)))


def shaky(box: Box, mark: bytes, times: int) -> Box:
    return cast("Box", Shaky(box, mark, times))


def test_a_suspect_that_plays_well_is_let_go(box: Box) -> None:
    told = try_alone(suspected(GOOD.encode()), GOOD.encode(), HOUSE, box)
    assert (told.accepted, told.verdict, told.version) == (True, "accepted", digest(GOOD.encode()))


def test_a_suspect_that_is_at_fault_itself_is_refused_for_that(box: Box) -> None:
    bot = turning("raise ValueError('mine')")
    told = try_alone(suspected(bot), bot, HOUSE, box)
    assert (told.accepted, told.verdict) == (False, "crash")


def test_what_the_house_bot_does_is_not_the_suspects_fault(box: Box) -> None:
    house = turning("raise ValueError('the house')")
    job = a_try_out(GOOD.encode(), beside=Entrant(digest(house)))
    assert try_alone(job, GOOD.encode(), house, box).accepted


def test_a_platform_that_fails_once_is_given_another_chance(box: Box) -> None:
    assert try_alone(suspected(BREAKER), BREAKER, HOUSE, shaky(box, b"# breaks", 1)).accepted


def test_a_suspect_that_brings_the_platform_down_twice_is_refused(box: Box) -> None:
    told = try_alone(suspected(BREAKER), BREAKER, HOUSE, shaky(box, b"# breaks", 9))
    assert (told.accepted, told.verdict, told.games) == (False, "platform", 0)
    assert "not without it: the box of the bot has died" in told.reasons[0]


def test_a_platform_that_fails_without_the_suspect_judges_nobody(box: Box) -> None:
    with pytest.raises(SeatFault, match="has died") as raised:
        try_alone(suspected(BREAKER), BREAKER, HOUSE, shaky(box, b"Player", 99))
    assert raised.value.kind == "platform"


@pytest.mark.parametrize("house", [b"no bot \xff", turning("raise ValueError('house')")])
def test_a_suspect_is_not_blamed_for_a_bad_bundle_of_the_house(box: Box, house: bytes) -> None:
    suspect = a_try_out(BREAKER, beside=Entrant(digest(house)))
    with pytest.raises((SeatFault, BadBundle)):
        try_alone(suspect, BREAKER, house, shaky(box, b"breaks the platform", 9))
