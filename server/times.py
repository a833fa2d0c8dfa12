"""Times and lengths of time. Inside, both are whole numbers of milliseconds, and times are UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, overload

from matchbox.errors import BadOption, quoted

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import InstrumentedAttribute

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
CLOCKS_MS: Final = MINUTE_MS
"""The most by which the clocks of two machines of a platform may differ, in ms."""
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_MS: Final = timedelta(milliseconds=1)


@overload
def iso(at: int) -> str: ...
@overload
def iso(at: int | None) -> str | None: ...
def iso(at: int | None) -> str | None:
    """Returns a stored time as ISO 8601, in UTC with milliseconds."""
    if at is None:
        return None
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time_ms(text: str) -> int:
    """Returns the time of an ISO 8601 text in ms UTC; without an offset it is in UTC.

    Raises BadOption.
    """
    try:
        read = datetime.fromisoformat(text.strip())
        at = (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:  # also a time outside of the years 1 to 9999
        raise BadOption(
            f"{quoted(text)} is not a time; give one as 2026-11-25 or 2026-11-25T13:30, in UTC"
        ) from error
    return max(0, (at - _EPOCH) // _MS)


def minute_after(at: int) -> str:
    """Returns the first whole minute at or after the time, such as "2026-11-25 13:30 UTC"."""
    return f"{datetime.fromtimestamp(-(-at // MINUTE_MS) * 60, UTC):%Y-%m-%d %H:%M} UTC"


def seconds_until(at: int, now: int) -> int:
    """Returns the whole seconds after which the time has come, at least 1."""
    return max(1, -(-(at - now) // 1000))


def lately(
    column: InstrumentedAttribute[int] | InstrumentedAttribute[int | None], length: int, now: int
) -> ColumnElement[bool]:
    """Returns the condition that a stored time lies within the last `length` ms.

    False for a time further in the future than clocks may differ: the clock was ahead when it was
    stored.
    """
    return column.between(now - length + 1, now + CLOCKS_MS)


def has_passed(length: int, since: int, now: int) -> bool:
    """Whether this much time has passed since then.

    True also for a time further in the future than clocks may differ: the clock was ahead when it
    was stored, and nothing should wait until that time comes.
    """
    return not -CLOCKS_MS <= now - since < length
