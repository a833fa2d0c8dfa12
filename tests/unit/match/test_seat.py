"""A seat as the referee sees it: opened late, renewed, and asked with a number for each
question."""

from __future__ import annotations

import json
import marshal
from typing import Any

import pytest

from matchbox.errors import SeatFault
from matchbox.match.seat import KEPT_LENGTH, KEPT_REPORTS, Seat


class ScriptedChannel:
    """A program that loads as the test says, and echoes the views."""

    def __init__(self, loaded: list[str], off: int = 0, breaks: object = None) -> None:
        """`breaks` is the view at which the program breaks."""
        self._breaks = breaks
        self._loaded = loaded
        self._off = off
        self.ended: list[int] = []
        self.numbers: list[int] = []
        self.decisions: list[int] = []
        self.closed = False
        self.stderr = "printed\n"
        self.cpu_ms = 2.0
        self.peak_bytes = 0

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        if start:
            return json.dumps(self._loaded).encode()
        _, nonce, questions, ended = marshal.loads(frame)
        self.ended += ended
        self.numbers.append(nonce)
        self.decisions.append(decisions)
        if self._breaks in [view for _, view, _ in questions]:
            raise SeatFault("crash", "broken")
        return json.dumps(
            ["say", nonce + self._off, [view for _, view, _ in questions], []]
        ).encode()

    def close(self) -> None:
        self.closed = True


def a_seat(*channels: ScriptedChannel) -> tuple[Seat, list[Any]]:
    """A seat that opens these channels one after the other."""
    left = list(channels)
    return Seat(lambda: left.pop(0), b"load"), left


def test_no_two_questions_have_the_same_number() -> None:
    channel = ScriptedChannel(["loaded", "Mine"])
    seat, _ = a_seat(channel)
    for view in (5, 6, 7):
        seat.answer([(0, view, "")])
    assert channel.numbers == [1, 2, 3]


def test_a_program_is_started_with_the_first_question() -> None:
    channel = ScriptedChannel(["loaded", "Mine"])
    seat, left = a_seat(channel)
    assert left
    assert seat.answer([(0, 5, "ab"), (1, 6, "cd")]) == [5, 6]
    assert not left
    assert seat.class_name == "Mine"
    assert channel.decisions == [2]


def test_ended_bouts_are_told_with_the_next_question() -> None:
    channel = ScriptedChannel(["loaded", "Mine"])
    seat, _ = a_seat(channel)
    seat.answer([(0, 5, "ab")])
    seat.end(0)
    seat.answer([(1, 5, "ab")])
    seat.answer([(1, 5, None)])
    assert channel.ended == [0]


def test_what_has_no_room_in_one_frame_is_asked_in_several() -> None:
    channel = ScriptedChannel(["loaded", "Mine"])
    seat, _ = a_seat(channel)
    seat.end(7)
    views = list(range(1024))
    assert seat.answer([(bout, bout, None) for bout in views]) == views
    assert channel.decisions == [250, 250, 250, 250, 24]
    assert channel.ended == [7]
    reporting = Seat(lambda: channel, b"load", reports=True)
    assert reporting.answer([(bout, bout, None) for bout in views]) == views
    assert max(channel.decisions[5:]) == 25


def test_long_questions_are_asked_in_several_frames() -> None:
    channel = ScriptedChannel(["loaded", "Mine"])
    seat, _ = a_seat(channel)
    seat.end(7)
    views = [str(bout) * 300_000 for bout in range(5)]
    assert seat.answer([(bout, view, None) for bout, view in enumerate(views)]) == views
    assert channel.decisions == [2, 2, 1]
    assert channel.ended == [7]
    views = ["a" * (2 << 20)]
    assert seat.answer([(0, views[0], None)]) == views


@pytest.mark.parametrize(
    ("view", "wrong"),
    [
        ({"card": object()}, "holds a object, which is not plain data"),
        ([len], "holds a builtin_function_or_method, which is not plain data"),
    ],
)
def test_a_view_that_cannot_be_sent_is_the_platforms_fault(view: Any, wrong: str) -> None:
    seat, _ = a_seat(ScriptedChannel(["loaded", "Mine"]))
    with pytest.raises(SeatFault, match=f"a view that the game returned {wrong}") as fault:
        seat.answer([(0, [1], ""), (1, view, "")])
    assert fault.value.kind == "platform"


def test_a_fault_tells_which_bouts_its_frame_asked_about() -> None:
    for long, expected in ((0, range(250, 500)), (10_000, range(312, 374))):
        seat, _ = a_seat(ScriptedChannel(["loaded", "Mine"], breaks="320" + long * "-"))
        questions = [(bout, f"{bout}" + long * "-", None) for bout in range(500)]
        with pytest.raises(SeatFault) as raised:
            seat.answer(questions)
        assert raised.value.bouts == list(expected)


def test_an_answer_to_another_question_is_refused() -> None:
    seat, _ = a_seat(ScriptedChannel(["loaded", "Mine"], off=1))
    with pytest.raises(SeatFault, match="does not answer the question"):
        seat.answer([(0, 5, "ab")])


def test_a_fresh_program_is_told_nothing_of_the_old_one() -> None:
    first, second = (ScriptedChannel(["loaded", "Mine"]) for _ in range(2))
    seat, _ = a_seat(first, second)
    seat.answer([(0, 5, "ab")])
    seat.end(0)
    seat.renew()
    assert first.closed
    seat.answer([(1, 5, "ab")])
    assert second.ended == []
    seat.close()
    assert seat.log == "printed\nprinted\n"
    assert seat.cpu_ms == 4.0


def test_a_bot_that_does_not_load_is_a_fault_at_every_question() -> None:
    channels = [ScriptedChannel(["fault", "crash", "SyntaxError"]) for _ in range(2)]
    seat, _ = a_seat(*channels)
    for channel in channels:
        with pytest.raises(SeatFault, match="crash: SyntaxError"):
            seat.answer([(0, 5, "ab")])
        assert channel.closed


def test_a_seat_that_was_never_asked_opens_nothing() -> None:
    seat, left = a_seat(ScriptedChannel(["loaded", "Mine"]))
    seat.end(0)
    seat.close()
    assert left
    assert seat.log == ""


def test_of_a_flood_by_many_programs_only_the_beginning_is_kept() -> None:
    channels = [ScriptedChannel(["loaded", "Mine"]) for _ in range(10)]
    seat, _ = a_seat(*channels)
    for bout, channel in enumerate(channels):
        channel.stderr = f"\x1ep{bout},0\x1f" + "x" * (KEPT_LENGTH // 3)
        seat.answer([(bout, 5, "ab")])
        seat.renew()
    kept = seat.printed()
    assert list(kept) == [0, 1]
    assert kept[0][-1].left_out == 0
    assert kept[1][-1].left_out == 8 * len(channels[0].stderr)
    assert len(seat.log) < KEPT_LENGTH
    assert f"{kept[1][-1].left_out} more bytes were left out" in seat.log


class ReportingChannel(ScriptedChannel):
    """A program that reports on each of its moves."""

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        if start:
            return super().ask(frame, decisions, start=start)
        _, nonce, questions, _ = marshal.loads(frame)
        reports = [[bout, 0, "x" * 10] for bout, _, _ in questions]
        return json.dumps(["say", nonce, [0] * len(questions), [], [], reports]).encode()


def test_of_very_many_reports_those_of_the_first_bouts_are_kept() -> None:
    seat = Seat(lambda: ReportingChannel(["loaded", "Mine"]), b"load", reports=True)
    bouts = range(3 * KEPT_REPORTS)
    for bout in reversed(bouts):
        seat.answer([(bout, 5, "ab")])
    assert seat.reports is not None
    assert set(bouts[:KEPT_REPORTS]) <= {bout for bout, _ in seat.reports}
    assert len(seat.reports) <= 2 * KEPT_REPORTS
    assert seat.reports_left_out == 10 * (len(bouts) - len(seat.reports))
