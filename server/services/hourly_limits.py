"""Limits how often an account may do something within an hour. Knows no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox.errors import TooMany
from server.times import HOUR_MS, MINUTE_MS, seconds_until

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session


def check_hour(
    session: Session, made: Select[int], most: int, what: str, *, advice: str = "", now: int
) -> None:
    """Raises TooMany if an account has done something `most` times within an hour.

    `made` selects the times, the newest first; `what` and `advice` are parts of the message.
    """
    last = session.scalar(made.offset(most - 1).limit(1))
    if last is not None:
        minutes = 1 + max(0, last + HOUR_MS - now) // MINUTE_MS
        left = "1 minute" if minutes == 1 else f"{minutes} minutes"
        raise TooMany(
            f"you have {what} within an hour; come back in {left}{advice}",
            seconds_until(last + HOUR_MS, now),
        )
