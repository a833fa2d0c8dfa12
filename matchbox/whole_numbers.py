"""Reads whole numbers from texts that people and programs send."""

from __future__ import annotations

from typing import Final

WHOLE: Final = "it must be a whole number of at most 9 digits"
"""The end of the message about another text."""


def whole_number(text: str, digits: int = 9) -> int | None:
    """Returns the number that the text writes with at most so many digits; None for another text.

    Only 0 to 9 count as digits: `int` would also take those of other scripts, signs and spaces.
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None
