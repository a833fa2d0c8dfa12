"""Reads whole numbers from texts that people and programs send."""

from __future__ import annotations

from typing import Final

WHOLE: Final = "it must be a whole number from 0 to 999999999"
"""The end of the error message for any other text."""


def whole_number(text: str, digits: int = 9) -> int | None:
    """Returns the number that the text writes with at most `digits` digits; None for other texts.

    Only 0 to 9 count as digits: `int` would also take those of other scripts, signs and spaces.
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None
