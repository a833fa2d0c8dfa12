"""Whole numbers in texts from outside."""

from __future__ import annotations

import pytest

from matchbox.whole_numbers import whole_number


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("7", 7), ("007", 7), ("9" * 9, 999_999_999)]
)
def test_it_reads_digits(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1_0", "1.0", "x", "²", "٣", "1" * 10])
def test_it_reads_nothing_else(text: str) -> None:
    assert whole_number(text) is None


def test_a_number_may_have_more_digits_if_the_caller_says_so() -> None:
    assert whole_number("1" * 18, 18) == int("1" * 18)
