"""The compiled frame codec writes and reads the same frames as the libraries."""

from __future__ import annotations

import json
import marshal
import sys
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox import build
from matchbox.errors import SeatFault
from matchbox.match import frames
from matchbox.match.frame_codec import Asking, answer_frame, answers, asks

NUMBERS = st.one_of(st.integers(0, 2**31 - 1), st.integers(0, 300))
BRIEFS = st.one_of(st.binary(max_size=300), st.binary(max_size=40).map(bytearray))
SEEDS = st.one_of(st.none(), st.text("0123456789abcdef", max_size=64), st.text(max_size=3))
QUESTIONS = st.lists(st.tuples(NUMBERS, BRIEFS, SEEDS), max_size=6)
TEXTS = st.one_of(st.sampled_from(["draw", "see", "", "a b", "~!"]), st.text(max_size=40))
MOVES = st.lists(st.one_of(TEXTS, st.integers(0, 300), st.integers()), max_size=8)


def marshalled(nonce: Any, questions: Any, ended: Any) -> bytes:
    return marshal.dumps(["ask", nonce, questions, ended], 2)


@given(NUMBERS, QUESTIONS, st.lists(NUMBERS, max_size=4))
def test_questions_are_written_as_marshal_does(nonce: int, questions: Any, ended: Any) -> None:
    frame = asks(nonce, questions, ended)
    assert frame == marshalled(nonce, questions, ended)


@pytest.mark.parametrize(
    "questions, ended",
    [
        ([(1, bytes(2**16), None)], []),
        ([(1, b"", "a" * 2**16)], []),
        ([(1, b"", None)] * 5000, []),
        ([], [1] * 20000),
    ],
)
def test_there_is_room_for_any_number_of_questions(questions: Any, ended: Any) -> None:
    assert asks(1, questions, ended) == marshalled(1, questions, ended)


@given(NUMBERS, QUESTIONS, st.lists(NUMBERS, max_size=4))
def test_questions_that_are_written_as_they_come_are_those_of_a_list(
    nonce: int, questions: Any, ended: Any
) -> None:
    asking = Asking()
    asking.add(3, b"forgotten", None)
    asking.clear()
    for question in questions:
        asking.add(*question)
    assert len(asking) == len(questions)
    assert list(asking) == questions
    assert asking[1:3] == questions[1:3]
    assert frames.ask_frame(nonce, asking, ended) == marshalled(nonce, questions, ended)


def test_what_is_asked_is_what_it_was_when_it_was_written() -> None:
    asking, told = Asking(), bytearray(b"before")
    asking.add(1, told, None)
    told[:] = b"behind"
    assert list(asking) == [(1, b"before", None)]


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 10**30])
def test_a_question_whose_number_is_too_large_is_not_written(number: int) -> None:
    asking = Asking()
    with pytest.raises(OverflowError):
        asking.add(number, b"", None)
    assert list(asking) == []


@pytest.mark.parametrize("number", [-1, -(2**31), 255, 256, 2**24, 2**31 - 1])
def test_numbers_of_four_bytes_are_written_as_marshal_does(number: int) -> None:
    assert asks(number, [(number, b"x", None)], [number]) == marshalled(
        number, [(number, b"x", None)], [number]
    )


@pytest.mark.parametrize(
    "nonce, questions, ended",
    [
        (2**31, [], []),
        (True, [], []),
        (1, [(2**31, b"", None)], []),
        (1, [(-(2**31) - 1, b"", None)], []),
        (1, [(10**30, b"", None)], []),
        (1, [(1, {"a": 1}, None)], []),
        (1, [(1, "a", None)], []),
        (1, [], [2**40]),
    ],
)
def test_any_other_questions_are_left_to_marshal(nonce: Any, questions: Any, ended: Any) -> None:
    assert asks(nonce, questions, ended) == b""
    asked = frames.ask_frame(nonce, questions, ended)
    assert marshal.loads(asked) == ["ask", nonce, questions, ended]


def spelled(*message: Any) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


@given(NUMBERS, MOVES)
def test_answers_are_read_as_msgspec_does_or_not_at_all(nonce: int, moves: list[Any]) -> None:
    frame = spelled("say", nonce, moves, [])
    found = answers(frame, nonce, len(moves))
    plain = all(
        (type(move) is int and 0 <= move < 10**15)
        or (type(move) is str and move.isascii() and not set(move) & {'"', "\\", "\x7f"}
            and all(letter >= " " for letter in move))
        for move in moves
    )  # fmt: skip
    assert (found is not None) == plain
    assert found is None or found == moves
    assert answers(frame, nonce + 1, len(moves)) is None
    assert answers(frame, nonce, len(moves) + 1) is None


def test_an_answer_that_is_said_again_is_one_object() -> None:
    frame = spelled("say", 1, ["draw", "see", "draw"], [])
    first, again = answers(frame, 1, 3), answers(frame, 1, 3)
    assert first == again == ["draw", "see", "draw"]
    assert first is not None
    assert again is not None
    assert first[0] is first[2] is again[0]


def test_however_many_texts_are_said_each_is_read_and_no_long_one_is_kept() -> None:
    for first in range(0, 2000, 100):
        moves = [f"text {number}" for number in range(first, first + 100)] + ["x" * 1000 * first]
        assert answers(spelled("say", 1, moves, []), 1, 101) == moves
    for size, kept in ((32, True), (33, False)):
        one, two = [frames.read_answers(spelled("say", 1, ["y" * size], []), 1, 1)[0] for _ in "ab"]
        assert one == two == "y" * size
        assert build.in_use() == "plain" or (one is two) == kept


def test_however_many_texts_are_said_few_are_kept_for_good() -> None:
    told = [f"never said before {number}" for number in range(2000)]
    found = answers(spelled("say", 1, told, []), 1, 2000)
    assert found == told
    assert sum(sys.intern(text) is one for text, one in zip(told, found, strict=True)) <= 256


SAID = b'["say",12,["draw",0,"see",10],[]]'


@pytest.mark.parametrize("size", range(len(SAID)))
def test_a_part_of_an_answer_is_none(size: int) -> None:
    assert answers(SAID[:size], 12, 4) is None
    assert answers(SAID[size + 1 :], 12, 4) is None


@given(
    st.integers(0, len(SAID) - 1), st.one_of(st.binary(max_size=2), st.sampled_from('"\\[],01 '))
)
def test_an_answer_that_was_changed_is_read_as_msgspec_does_or_not_at_all(
    place: int, put: Any
) -> None:
    put = put.encode() if isinstance(put, str) else put
    for frame in (SAID[:place] + put + SAID[place + 1 :], SAID[:place] + put + SAID[place:]):
        for count in range(3, 6):
            found = answers(frame, 12, count)
            try:
                kind, nonce, moves, faults = json.loads(frame.decode())
            except ValueError:
                assert found is None
            else:
                assert found is None or ["say", 12, found, []] == [kind, nonce, moves, faults]


@pytest.mark.parametrize(
    "frame",
    [
        b'["say",7,[01],[]]', b'["say",07,[1],[]]', b'["say",7,[1,],[]]', b'["say",7,[,1],[]]',
        b'["say",7,["a],[]]', b'["say",7,[-],[]]', b'["say",7,["],[]]', b'["say",7,[,[]]',
        b'["say",,[1],[]]', b'["say",7,1],[]]', b'["say",7,[1 ],[]]', b'["say",7,["a" ],[]]',
        b'["say",7,[1"a"],[]]', b'["say",7],[]]', b'["say",7,],[]]', b'["say",],[]]',
        b'["say",7,["a\x00"],[]]', b'["say",7,["a\xff"],[]]',
    ],
)  # fmt: skip
def test_what_is_no_answer_is_none(frame: bytes) -> None:
    for count in range(3):
        assert answers(frame, 7, count) is None
    with pytest.raises(SeatFault):
        frames.read_answers(b"[" + frame, 7, 1)


PARTS = [
    b'"draw"', b'"see"', b"0", b"10", b"-0", b"-1", b"+1", b"01", b"1.0", b"1e2", b"9" * 15,
    b"9" * 16, b"%d" % 2**53, b"%d" % 2**64, b"9" * 400, b"true", b"null", b"NaN", b'"\\u0041"',
    b'"\\ud800"', b'"\x00"', b'"\x7f"', b'"\xff"', b'"\xc3\xa9"', b'"\\""', b'"', b'""', b'"],[]]"',
    b"[]", b"[1]", b"{}", b"[", b"]", b"],[]]", b",", b" ", b"\\",
]  # fmt: skip


def read_or_refused(frame: bytes, nonce: int, count: int) -> str:
    try:
        return repr(frames.read_answers(frame, nonce, count))
    except SeatFault as fault:
        return f"{fault.kind}: {fault.detail}"


def test_whatever_a_seat_sends_is_read_as_the_libraries_read_it() -> None:
    random, usual = Random(0), 0
    for _ in range(5000):
        count = random.randrange(4)
        parts = [random.choice(PARTS[: random.choice((4, len(PARTS)))]) for _ in range(count)]
        nonce = random.choice((b"7", b"7", b"7", random.choice(PARTS)))
        frame = b'["say",%b,[%b],[]]' % (nonce, b",".join(parts))
        for _ in range(random.choice((0, 0, 1, 2))):
            place = random.randrange(len(frame))
            rest = frame[place + random.randrange(2) :]
            frame = frame[:place] + random.choice((b"", random.choice(PARTS))) + rest
        usual += answers(frame, 7, count) is not None
        # With a space behind it, it is the same JSON, and left to the libraries.
        assert read_or_refused(frame, 7, count) == read_or_refused(frame + b" ", 7, count)
    assert usual > 500


@given(st.integers(0, 2**40), st.lists(st.sampled_from(["draw", "see", 0, 5]), max_size=9))
def test_answers_are_written_as_json(nonce: int, moves: list[Any]) -> None:
    texts, numbers = {"draw": b'"draw"', "see": b'"see"'}, {0: b"0", 5: b"5"}
    assert answer_frame(nonce, moves, texts, numbers) == spelled("say", nonce, moves, [])


def test_answers_that_are_not_known_are_left() -> None:
    for moves in (["draw"], [2, "see"], [True], [None], [["see"]]):
        assert answer_frame(1, moves, {"see": b'"see"'}, {0: b"0", 1: b"1"}) == b""
    assert answer_frame(1, ["see"] * 20000, {"see": b'"see"'}, {}) == b""
