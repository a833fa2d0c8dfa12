"""Computes when a league's next season starts, from a single time or a cron expression, and a time
zone.

Reads no clock and no database. Days on which clocks change are treated as by Debian's cron: a start
in the skipped hour comes right after it, and a start in the repeated hour comes once, unless the
minute or the hour begins with a star.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from matchbox.errors import BadOption

if TYPE_CHECKING:
    from matchbox.league.format import Schedule

FIELDS: Final = 5
MAX_CHARACTERS: Final = 100
_VALUES: Final = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day-of-month": "1 to 31, or L for the last, and a day that one of the months has",
    "month": "1 to 12, or JAN to DEC",
    "day-of-week": "0 to 7, or SUN to SAT",
}
"""What a field may be, by the name of the field in CronSim's errors."""


def next_start(schedule: Schedule, after: int) -> int | None:
    """Returns the first start after the time `after`, both UTC in ms; None if there is none.

    Raises BadOption if the expression or the zone is not valid.
    """
    if schedule.once is not None:
        start = _only_start(schedule.once, _zone(schedule.zone))
        return start if start > after else None
    if schedule.cron is None:
        return None
    begin = datetime.fromtimestamp(after // 1000, _zone(schedule.zone))
    for moment in _times(schedule.cron, begin):
        start = _ms(moment)
        if start > after:  # false in the repeated hour, for which cron returns the first of both
            return start
    return None


def check(schedule: Schedule, now: int, old: Schedule | None = None) -> None:
    """Raises BadOption if the expression or the zone is not valid, if the time never comes, or if a
    single start is past. That of the `old` schedule may be: a form sends it again.
    """
    _zone(schedule.zone)
    if schedule.once is not None and schedule != old and next_start(schedule, now) is None:
        why = f"once is {schedule.once} ({schedule.zone}), which is past; name a time to come"
        raise BadOption(why).of("once")
    if schedule.cron is not None and next_start(schedule, now) is None:
        why = f"the time {schedule.cron!r} never comes; change its day or its month"
        raise BadOption(why).of("cron")


def _only_start(once: str, zone: ZoneInfo) -> int:
    """The local time `once`, UTC in ms. It is found as that of a cron line, so that it is the same
    time on days on which clocks change. Raises BadOption if there is no such day or hour."""
    try:
        local = datetime.fromisoformat(once)
    except ValueError as error:
        raise BadOption(f"once is {once}, which cannot be: {error}").of("once") from None
    before = (local.replace(tzinfo=UTC) - timedelta(days=2)).astimezone(zone)
    return _ms(next(_times(f"{local.minute} {local.hour} {local.day} {local.month} *", before)))


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _times(cron: str, begin: datetime) -> CronSim:
    if len(cron) > MAX_CHARACTERS or len(cron.split()) != FIELDS:
        raise BadOption(
            f"{cron[:MAX_CHARACTERS]!r} is not a cron expression: write minute, hour, day of "
            "month, month and day of week, such as '0 18 * * FRI'"
        ).of("cron")
    try:
        return CronSim(cron, begin)
    except CronSimError as error:
        what = str(error).lower()
        values = _VALUES.get(what.removeprefix("bad "))
        hint = f"; write {values}" if values else ""
        why = f"{cron!r} is not a cron expression: {what}{hint}"
        raise BadOption(why).of("cron") from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, not a name, or the name of a folder
        raise BadOption(
            f"there is no time zone {name[:MAX_CHARACTERS]!r}; name one such as Europe/Berlin"
        ).of("zone") from None
