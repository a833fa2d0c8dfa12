"""A question is cut into packets with marks."""

from __future__ import annotations

from itertools import islice

import pytest

from sandbox.box_seat import _TAGS, _split_packets, _tags
from sandbox.policy import CHUNK_BYTES, TAG_BYTES

TAG = b"12345678"


@pytest.mark.parametrize(
    ("length", "count"),
    [
        (0, 1),
        (1, 1),
        (CHUNK_BYTES, 1),
        (CHUNK_BYTES + 1, 2),
        (2 * CHUNK_BYTES, 2),
        (5 * CHUNK_BYTES + 7, 6),
    ],
)
def test_a_question_is_cut_and_can_be_joined(length: int, count: int) -> None:
    frame = bytes(n % 251 for n in range(length))
    packets = list(_split_packets(TAG, frame))
    assert len(packets) == count
    assert all(packet.startswith(TAG) for packet in packets)
    assert [packet[8] for packet in packets] == [1] * (count - 1) + [0]
    assert b"".join(packet[9:] for packet in packets) == frame
    assert max(map(len, packets)) <= CHUNK_BYTES + 9


def test_every_question_of_every_seat_has_a_mark_of_its_own() -> None:
    marks = [mark for _ in range(2) for mark in islice(_tags(), 3 * _TAGS)]
    assert {len(mark) for mark in marks} == {TAG_BYTES}
    assert len(set(marks)) == len(marks)
