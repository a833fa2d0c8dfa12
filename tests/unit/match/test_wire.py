"""Messages that break their schema are refused, and a seat's bad frame is that seat's fault."""

from __future__ import annotations

import json
import marshal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from matchbox.errors import BadMessage, SeatFault
from matchbox.match import frames
from matchbox.match.answer_codec import answer_frame_of_rows
from matchbox.match.frames import _rows, read_answers, read_loaded
from matchbox.match.wire import PlayMatch, TriedOut, from_plain, to_plain
from tests.builders import a_job
from tests.fakes import Race

VERDICT = TriedOut(
    version="0" * 64,
    attempt=1,
    token="token",
    accepted=True,
    verdict="accepted",
    reasons=[],
    class_name=None,
    games=4,
    cpu_ms_per_decision=0.1,
    log="",
    box="bwrap",
)


def frame(*message: Any) -> bytes:
    return json.dumps(message).encode()


def fault_of(answer: object) -> tuple[str, str]:
    assert isinstance(answer, SeatFault)
    return answer.kind, answer.detail


def test_a_job_comes_back_from_plain_data() -> None:
    job = a_job(Race())
    assert from_plain(PlayMatch, json.loads(json.dumps(to_plain(job)))) == job


@pytest.mark.parametrize(
    "change, told",
    [
        ({"deals": ["short"]}, "deals"),
        ({"v": 2}, "v"),
        ({"width": "1"}, "width"),
        ({"width": 1025}, "width"),
        ({"width": -1}, "width"),
        ({"sample": 10**12}, "sample"),
        ({"seats": [{"version": "no digest"}]}, "version"),
        ({"match": None}, "match"),
    ],
)
def test_a_message_that_breaks_its_schema_is_refused_by_field(
    change: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadMessage, match=f"this is not a PlayMatch message: .*{told}"):
        from_plain(PlayMatch, to_plain(a_job(Race())) | change)


@pytest.mark.parametrize("name", ["cpu_ms_per_decision", "cpu_ms_per_deal"])
@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -1.0, 1e300])
def test_an_amount_in_a_verdict_is_a_number_that_can_be_reckoned_with(
    name: str, amount: float
) -> None:
    assert from_plain(TriedOut, to_plain(VERDICT)) == VERDICT
    with pytest.raises(BadMessage, match=name):
        from_plain(TriedOut, to_plain(VERDICT) | {name: amount})


def test_a_verdict_may_tell_of_as_much_memory_as_a_limit_allows() -> None:
    large = replace(VERDICT, peak_bytes=65_536 << 20)
    assert from_plain(TriedOut, to_plain(large)) == large
    with pytest.raises(BadMessage, match="peak_bytes"):
        from_plain(TriedOut, to_plain(VERDICT) | {"peak_bytes": 2**53})


@pytest.mark.parametrize("told", [{"a": [None, True]}, b"a brief", bytearray(b"a brief")])
def test_a_frame_to_a_seat_holds_questions_and_ended_bouts(told: Any) -> None:
    questions = [(1, told, "ab"), (2, told, None)]
    assert marshal.loads(frames.ask_frame(7, questions, [0])) == ["ask", 7, questions, [0]]


def test_a_frame_may_ask_nothing() -> None:
    assert marshal.loads(frames.ask_frame(7, [], [0])) == ["ask", 7, [], [0]]


def test_answers_come_in_the_order_of_the_questions() -> None:
    assert read_answers(frame("say", 7, ["draw", 3, None, [1]], []), 7, 4) == ["draw", 3, None, [1]]


@pytest.mark.parametrize("beside", ["draw", [1], None, True])
def test_texts_and_whole_numbers_are_what_was_sent_whatever_stands_beside_them(beside: Any) -> None:
    moves = ["", "1", 0, 1, 2**53 - 1, 1 - 2**53, beside]
    answers = read_answers(frame("say", 7, moves, []), 7, len(moves))
    assert [repr(answer) for answer in answers] == [repr(move) for move in moves]


def test_a_fault_stands_in_place_of_its_move() -> None:
    answers = read_answers(frame("say", 7, [None, 3], [[0, "crash", "KeyError"]]), 7, 2)
    assert fault_of(answers[0]) == ("crash", "KeyError")
    assert answers[1] == 3


def test_moves_in_a_row_are_a_tuple() -> None:
    said = frame("say", 7, ["draw", ["see", 3], [1, 2]], [], [1])
    assert read_answers(said, 7, 3) == ["draw", ("see", 3), [1, 2]]


@pytest.mark.parametrize("beside", ["draw", 5, [], ["a", [1]], None, [None], [[[1]]], {"a": 1}])
def test_rows_are_read_whatever_stands_beside_them(beside: Any) -> None:
    moves = [["land", ["tap", 3], 2**53 - 1, ["x", ["y", 0]]], beside, ["done"]]
    said = json.dumps(["say", 7, moves, [], [0, 2]], separators=(",", ":")).encode()
    assert read_answers(said, 7, 3) == [tuple(moves[0]), beside, ("done",)]
    for rows in ("[0,3]", "[-1]", "[0,true]", "[0,0]", "[0.0]", '["0"]'):
        with pytest.raises(SeatFault, match="moves in a row where there can be none"):
            read_answers(said.replace(b"[0,2]]", rows.encode() + b"]"), 7, 3)


def in_lines(moves: list[Any], end: bytes) -> bytes:
    told = (json.dumps(move, separators=(",", ":")).encode() for move in moves)
    return b'["say",7,[\n' + b",\n".join(told) + b"\n],[]," + end


def test_answers_in_lines_are_those_that_stand_in_one() -> None:
    moves = [["land", ["tap", 3]], ["a", [1]], "draw", ["done"]]
    assert answer_frame_of_rows(7, [tuple(moves[0]), *moves[1:3], ("done",)], [0, 3]) == in_lines(
        moves, b"[0,3]]"
    )
    read = [read_answers(in_lines(moves, b"[0,3]]"), 7, 4) for _ in range(2)]
    assert read[0] == read[1] == [("land", ["tap", 3]), ["a", [1]], "draw", ("done",)]
    assert read[0][0] is read[1][0]
    for beside in ("draw", 5, [], None, [None], [[[1]]], {"a": 1}, 0.5):
        frames = [in_lines([["x", 1], beside, ["y"]], b"[0,2]]")]
        frames.append(frames[0].replace(b"\n", b""))
        one, other = ([str(answer) for answer in read_answers(said, 7, 3)] for said in frames)
        assert one == other


@pytest.mark.parametrize(
    "end", [b"[0]", b"[0]x", b"[0]]]", b"[1]]", b"[-1]]", b"[0,0]]", b"[true]]", b"[0]]\nx"]
)
def test_lines_with_an_end_that_is_none_are_a_fault_of_the_frame(end: bytes) -> None:
    with pytest.raises(SeatFault, match="protocol"):
        read_answers(in_lines([["x", 1]], end), 7, 1)


@pytest.mark.parametrize(
    "line", [b'["a"],\n["b"', b'["a"],["b"]', b'["\xff"]', b"", b'["a"', b"[]"]
)
def test_a_line_that_is_no_row_is_a_fault_of_the_frame(line: bytes) -> None:
    with pytest.raises(SeatFault, match="protocol"):
        read_answers(b'["say",7,[\n' + line + b"\n],[],[0]]", 7, 1)


def test_of_answers_only_so_many_and_so_short_ones_are_kept() -> None:
    for number in range(3000):
        assert read_answers(in_lines([["x", number]], b"[0]]"), 7, 1) == [("x", number)]
    long = ["x" * 1000]
    assert read_answers(in_lines([long], b"[0]]"), 7, 1) == [tuple(long)]
    assert len(_rows) <= 1000
    assert max(map(len, _rows)) < 100


def test_a_number_in_a_row_that_is_too_large_is_that_answers_fault() -> None:
    said = b'["say",7,[["tap",9007199254740992],["tap",1]],[],[0,1]]'
    answers = read_answers(said, 7, 2)
    assert fault_of(answers[0]) == ("protocol", "the move holds a whole number of 2**53 or more")
    assert answers[1] == ("tap", 1)


def test_a_row_that_holds_no_plain_data_is_that_answers_fault() -> None:
    answers = read_answers(frame("say", 7, [["draw", 0.5], "draw"], [], [0]), 7, 2)
    assert fault_of(answers[0])[0] == "protocol"
    assert answers[1] == "draw"


def test_a_row_that_could_not_be_sent_is_that_answers_fault_alone() -> None:
    said = frame(
        "say", 7, [None, ["see", 3]], [[0, "protocol", "the move is not plain data"]], [0, 1]
    )
    answers = read_answers(said, 7, 2)
    assert fault_of(answers[0]) == ("protocol", "the move is not plain data")
    assert answers[1] == ("see", 3)


@pytest.mark.parametrize("rows", [5, "0", [1], [-1], [True], ["0"], [0, 0], [2]])
def test_a_row_where_there_is_none_is_a_fault_of_the_frame(rows: Any) -> None:
    with pytest.raises(SeatFault, match="protocol"):
        read_answers(frame("say", 7, [["draw"], []], [], rows), 7, 2)


@pytest.mark.parametrize(
    "move, problem",
    [
        (2**53, "whole number"),
        (1.5, "float"),
        ([[[[[[[[[1]]]]]]]]], "deeper"),
        ({"a": 0.5}, "float"),
    ],
)
def test_a_move_that_is_no_plain_data_is_a_fault_of_its_bout_alone(move: Any, problem: str) -> None:
    answers = read_answers(frame("say", 7, [move, 3], []), 7, 2)
    kind, detail = fault_of(answers[0])
    assert kind == "protocol"
    assert problem in detail
    assert answers[1] == 3


@pytest.mark.parametrize(
    "sent",
    [
        b"", b"\xff", b"{}", b"[" * 100_000, frame("say", 6, [1], []), frame("say", 7, [], []),
        frame("say", 7, [1, 2], []), frame("say", 7, [1]), frame("load", 7, [1], []),
        frame("say", 7, [1], [[1, "crash", "x"]]), frame("say", 7, [1], [[-1, "crash", "x"]]),
        frame("say", 7, [1], [[0, "timeout", "x"]]), frame("say", 7, [1], [[0, "crash"]]),
        frame("say", 7, [1], [[0, "crash", 5]]), frame("say", 7, [1], ["x"]),
        frame("say", 7, [1], [[False, "crash", "x"]]), frame("say", 7, [1], [[0, [], "x"]]),
        b"NaN", marshal.dumps(["say", 7, [1], []]),
    ],
)  # fmt: skip
def test_any_other_frame_is_the_whole_programs_fault(sent: bytes) -> None:
    with pytest.raises(SeatFault) as fault:
        read_answers(sent, 7, 1)
    assert fault.value.kind == "protocol"


@given(st.binary(max_size=60))
def test_no_frame_brings_the_referee_down(sent: bytes) -> None:
    with pytest.raises(SeatFault):
        read_answers(sent, 7, 1)
    with pytest.raises(SeatFault):
        read_loaded(sent)


def test_a_loaded_class_is_named() -> None:
    assert read_loaded(frame("loaded", "Mine")) == "Mine"


@pytest.mark.parametrize(
    "sent, kind",
    [
        (frame("fault", "crash", "SyntaxError"), "crash"),
        (frame("fault", "memory", "x"), "memory"),
        (frame("fault", "platform", "x"), "protocol"),
        (frame("loaded", 5), "protocol"),
    ],
)
def test_a_bot_that_is_not_loaded_is_a_fault(sent: bytes, kind: str) -> None:
    with pytest.raises(SeatFault) as fault:
        read_loaded(sent)
    assert fault.value.kind == kind


class Whole(int):
    """An int of a class of its own."""


@pytest.mark.parametrize(
    "data", [Whole(1), 1.0, b"", (1,), {1}, object(), -(2**53), [1, {"a": ()}]]
)
def test_what_is_no_plain_data_is_told(data: Any) -> None:
    assert frames.what_is_wrong(data)


def test_keys_of_plain_data_are_text() -> None:
    assert frames.what_is_wrong({1: 1})
    assert not frames.what_is_wrong({"1": 1})


# --- What a seat says about itself -----------------------------------------------------------

ESCAPES = "red \x1b[31m, back\b, a line\rover it, \x9bC1, turned \u202eround, half \ud800"


def test_a_detail_cannot_steer_the_terminal_or_turn_a_line_around() -> None:
    sent = json.dumps(["say", 3, [None], [[0, "crash", ESCAPES.replace("\ud800", "")]]])
    (fault,) = frames.read_answers(sent.encode(), 3, 1)
    assert isinstance(fault, SeatFault)
    assert fault.detail.startswith(
        r"red \x1b[31m, back\x08, a line\x0dover it, \x9bC1, turned \u202e"
    )


def test_a_detail_is_short_however_long_it_was_sent() -> None:
    sent = json.dumps(["fault", "crash", "x" * 5000]).encode()
    with pytest.raises(SeatFault) as raised:
        frames.read_loaded(sent)
    assert len(raised.value.detail) == frames.DETAIL_LENGTH


@pytest.mark.parametrize("name", ["", "a b", "<script>", "\x1b]0;owned\x07", "A" * 1000, "A\n"])
def test_a_class_has_an_identifier_for_a_name(name: str) -> None:
    with pytest.raises(SeatFault, match="did not say that it loaded"):
        frames.read_loaded(json.dumps(["loaded", name]).encode())


def test_what_is_readable_stays_as_it_is() -> None:
    text = "a line\n\tan indented one, with umlauts äöü, 汉字 and 🎲"
    assert frames.readable(text) == text
    assert frames.readable("one\r\ntwo\rthree") == "one\ntwo\\x0dthree"
    assert frames.readable(ESCAPES).isprintable()
