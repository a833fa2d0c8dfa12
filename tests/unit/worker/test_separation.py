"""The order of rotations is random, and strong separation keeps them apart."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.match import record as records
from matchbox.match import replay
from sandbox.box import Box, SeatOpener
from tests.unit.worker.bots import GOOD, text, turning
from tests.unit.worker.conftest import a_match, by_digest
from worker.arena import separation
from worker.arena.match_seats import MatchSeats
from worker.arena.play import play_job
from worker.arena.separation import Separation, shuffled

ONE = GOOD.encode()
TWO = text("class Bot(ScaredPlayer):", "    pass")


class Zygotes:
    """Stands for a box: notes the seats that were opened since its last renewal."""

    def __init__(self) -> None:
        self.seats: list[list[int]] = []

    def renew(self) -> None:
        self.seats.append([])

    def way(self, rotation: int) -> Callable[[], Any]:
        return lambda: self.seats[-1].append(rotation)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made; none takes any time."""
    made: list[float] = []
    monkeypatch.setattr(Separation, "_pause", lambda self, seconds: made.append(seconds))
    return made


def test_every_order_of_the_rotations_is_drawn_and_none_is_lost() -> None:
    drawn = [shuffled(range(3)) for _ in range(600)]
    assert {tuple(sorted(one)) for one in drawn} == {(0, 1, 2)}
    # A given order is missing from 600 draws with a probability of 1 in 10 to the 47th.
    assert len(set(drawn)) == 6


def test_a_match_is_played_in_an_order_that_its_record_does_not_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, played = a_match(ONE, TWO, deals=4), []
    opened: list[int] = []
    whole = MatchSeats.open_player

    def open_player(table: MatchSeats, entrant: int, rotation: int) -> Any:
        opened.append(rotation)
        return whole(table, entrant, rotation)

    monkeypatch.setattr(MatchSeats, "open_player", open_player)
    for wanted in ((0, 1), (1, 0)):
        monkeypatch.setattr("worker.arena.play.shuffled", lambda _, wanted=wanted: wanted)
        opened.clear()
        played.append(play_job(job, by_digest(ONE, TWO), None))
        assert opened == [wanted[0]] * 2 + [wanted[1]] * 2
    assert played[0].record == played[1].record


def test_what_a_bot_printed_is_told_by_rotation(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    numbered = turning("print(id(type(self)) and game_data.hand_size())", "return None")
    job, logs = a_match(ONE, numbered, deals=1), []
    for wanted in ((0, 1), (1, 0)):
        monkeypatch.setattr("worker.arena.play.shuffled", lambda _, wanted=wanted: wanted)
        logs.append(play_job(job, by_digest(ONE, numbered), box).logs)
    assert logs[0] == logs[1]
    assert logs[0][1]


def test_a_verification_plays_the_rotations_in_an_order_of_its_own() -> None:
    job = a_match(ONE, TWO)
    record = records.unpack(play_job(job, by_digest(ONE, TWO), None).record)
    asked: list[tuple[int, ...]] = []

    def backwards(rotations: Any) -> Any:
        asked.append(tuple(rotations))
        return reversed(asked[-1])

    seats = MatchSeats(job, by_digest(ONE, TWO), None).open_player
    assert replay.compare(registry.game("bomb"), record, seats, backwards).verdict == "same"
    assert asked == [(0, 1)]


def test_each_rotation_has_zygotes_of_its_own_and_one_pause(pauses: list[float]) -> None:
    zygotes = Zygotes()
    apart = Separation(cast("Box", zygotes), 2, lambda: None)
    for rotation in (1, 1, 0, 0, 1, 0):
        apart.open(rotation, zygotes.way(rotation))
    assert zygotes.seats == [[1, 1], [0, 0], [1], [0]]
    assert len(pauses) == 2
    assert all(separation.SHORTEST_S <= pause <= separation.LONGEST_S for pause in pauses)
    assert pauses[0] != pauses[1]


def test_a_match_takes_no_longer_for_its_pauses_and_fresh_zygotes(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the next match would have fewer deals: see server.services.match_sizing."""
    apart: list[Separation] = []
    opened = Separation.open

    def noted(one: Separation, rotation: int, way: Callable[[], Any]) -> Any:
        apart[:] = [one]
        return opened(one, rotation, way)

    monkeypatch.setattr(Separation, "open", noted)
    monkeypatch.setattr(separation, "SHORTEST_S", 1.9)
    job, begun = a_match(ONE, TWO, separation="strong"), time.monotonic()
    seconds = play_job(job, by_digest(ONE, TWO), box).seconds
    assert 2 * 1.9 < apart[0].spent_s <= time.monotonic() - begun - seconds


def test_only_seats_of_fresh_zygotes_count_as_separation(monkeypatch: pytest.MonkeyPatch) -> None:
    zygotes, now = Zygotes(), 0.0

    def start() -> Any:
        nonlocal now
        now += 1

    monkeypatch.setattr(Separation, "_pause", lambda self, seconds: start())
    monkeypatch.setattr(time, "monotonic", lambda: now)
    apart = Separation(cast("Box", zygotes), 2, lambda: None)
    for rotation in (1, 1, 1, 0, 0, 0, 1):
        apart.open(rotation, start)
    assert apart.spent_s == 2 * (1 + 2) + 1


@pytest.mark.parametrize("wants", [True, False])
def test_the_start_of_a_zygote_with_libraries_counts_as_separation(
    wants: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    class Fork:
        def __init__(self, with_libraries: bool) -> None:
            nonlocal now
            now += 8 if with_libraries else 1

        def ask(self, frame: bytes, decisions: int, *, start: bool) -> bytes:
            nonlocal now
            now += 100
            return b""

        def close(self) -> None:
            pass

    monkeypatch.setattr(Separation, "_pause", lambda self, seconds: None)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    apart = Separation(cast("Box", Zygotes()), 2, lambda: None)
    way = SeatOpener(cast("Any", Fork), lambda answer: wants)
    apart.open(0, way).ask(b"load", 1, start=True)
    assert apart.spent_s == (1 + 8 if wants else 1)
    apart.open(1, way).ask(b"load", 1, start=True)
    assert apart.spent_s == (1 + 8 + 8 if wants else 1 + 1)


def test_the_lease_is_renewed_during_a_pause_and_a_stop_is_heard() -> None:
    class Stopped(Exception):
        pass

    beats: list[int] = []

    def beat() -> None:
        beats.append(0)
        if len(beats) == 2:
            raise Stopped

    zygotes = Zygotes()
    with pytest.raises(Stopped):
        Separation(cast("Box", zygotes), 2, beat).open(0, zygotes.way(0))
    assert len(beats) == 2
    assert zygotes.seats == [[]]


def test_a_match_with_strong_separation_has_the_same_record_and_no_seat_shares_a_zygote(
    box: Box, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = a_match(ONE, TWO, deals=3, sample=4)
    wanted = play_job(job, by_digest(ONE, TWO), box).record
    zygotes: dict[int, set[int]] = {}
    whole = Separation.open

    def opened(apart: Separation, rotation: int, way: Callable[[], Any]) -> Any:
        channel = whole(apart, rotation, way)
        zygotes.setdefault(rotation, set()).update(one.pid for one in box._all)
        return channel

    monkeypatch.setattr(Separation, "open", opened)
    strong = play_job(replace(job, separation="strong", sample=0), by_digest(ONE, TWO), box)
    assert strong.record == wanted
    assert sorted(zygotes) == [0, 1]
    assert not zygotes[0] & zygotes[1]
    assert len(pauses) == 2
    sampled = play_job(replace(job, separation="strong"), by_digest(ONE, TWO), box)
    assert (sampled.record, sampled.sampled) == (wanted, 4)


def test_bots_in_this_very_process_need_no_separation(pauses: list[float]) -> None:
    job = a_match(ONE, TWO, separation="strong")
    assert play_job(job, by_digest(ONE, TWO), None).box == "none"
    assert pauses == []
