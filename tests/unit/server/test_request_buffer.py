"""A request is found complete however its bytes arrive."""

from __future__ import annotations

import pytest

from server.request_buffer import DRAINED_BYTES, HEAD_BYTES, RequestBuffer

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"


def post(length: str, *more: str) -> bytes:
    """The line and headers of a POST with a body of that length."""
    lines = ["POST / HTTP/1.1", f"Content-Length: {length}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


def buffered(data: bytes, most_bytes: int = 1000) -> RequestBuffer:
    """A buffer that has been given these bytes."""
    buffer = RequestBuffer(most_bytes)
    buffer.feed(data)
    return buffer


@pytest.mark.parametrize("request_", [GET, POST])
def test_a_request_is_complete_with_its_last_byte(request_: bytes) -> None:
    buffer = RequestBuffer(1000)
    for byte in request_:
        assert not buffer.is_complete
        buffer.feed(bytes([byte]))
    assert buffer.is_complete
    assert buffer.take() == request_
    assert buffer.is_empty


def test_what_follows_is_the_next_request() -> None:
    buffer = buffered(POST + GET + b"GET")
    assert buffer.take() == POST
    assert buffer.is_complete
    assert buffer.take() == GET
    assert (buffer.is_complete, buffer.is_empty) == (False, False)


def test_a_body_that_nobody_takes_is_read_and_thrown_away() -> None:
    head = post("5000")
    buffer = buffered(head + b"x" * 3000)
    assert (buffer.too_long, buffer.is_complete) == (True, False)
    buffer.feed(b"x" * 2000)
    assert buffer.take() == head


def test_a_length_has_as_many_digits_as_its_sender_likes() -> None:
    head = post("5".zfill(5000))
    assert buffered(head + b"hello" + GET).take() == head + b"hello"
    buffer = buffered(post("1" * 5000) + GET)
    assert (buffer.too_long, buffer.is_complete) == (True, False)


def test_no_more_of_it_is_read_than_an_answer_is_worth() -> None:
    head = post(str(1 << 40))
    buffer = buffered(head)
    for _ in range(DRAINED_BYTES >> 20):
        assert not buffer.is_complete
        buffer.feed(b"x" * (1 << 20))
    assert buffer.take() == head


def test_headers_without_an_end_are_refused() -> None:
    buffer = RequestBuffer(1000)
    for _ in range(HEAD_BYTES >> 10):
        buffer.feed(b"x" * 1024)
        assert buffer.refusal is None
    buffer.feed(b"x")
    assert buffer.refusal is not None
    assert buffer.refusal[0] == 431


def test_a_body_in_chunks_is_refused() -> None:
    buffer = buffered(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert buffer.refusal is not None
    assert buffer.refusal[0] == 411


@pytest.mark.parametrize("head", [post("-1"), post("five"), post("5", "Content-Length: 6")])
def test_a_length_that_is_none_is_left_to_the_parser(head: bytes) -> None:
    buffer = buffered(head)
    assert buffer.is_complete
    assert buffer.take() == head


def test_who_waits_for_a_word_is_told_it_once_the_headers_are_good() -> None:
    waits = "Expect: 100-continue"
    assert buffered(post("5", waits)).awaits_continue
    assert not buffered(post("5", waits) + b"hello").awaits_continue
    long = buffered(post("5000", waits))
    assert (long.awaits_continue, long.is_complete) == (False, True)
