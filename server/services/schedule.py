"""When a league's next season starts: cron in a time zone. Reads no clock and no books.

Days on which clocks change are treated as cron of Debian does: what falls into the hour that is
left out comes right after it, and what falls into the hour that comes twice comes once, unless the
minute or the hour begins with a star.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from matchbox.errors import BadOption

if TYPE_CHECKING:
    from matchbox.league.format import Schedule

FIELDS: Final = 5
MOST_LETTERS: Final = 100


def next_start(schedule: Schedule, after: int) -> int | None:
    """The first time of the schedule after that one, both UTC in ms; None if none comes.

    Raises BadOption if the expression or the zone is none.
    """
    if schedule.cron is None:
        return None
    begin = datetime.fromtimestamp(after // 1000, _zone(schedule.zone))
    for moment in _times(schedule.cron, begin):
        start = round(moment.timestamp() * 1000)
        if start > after:  # not so in the hour that comes twice, of which cron takes the first
            return start
    return None


def check(schedule: Schedule, now: int) -> None:
    """Raises BadOption if the expression or the zone is none, or the time never comes."""
    _zone(schedule.zone)
    if schedule.cron is not None and next_start(schedule, now) is None:
        raise BadOption(f"the time {schedule.cron!r} never comes; change its day or its month")


def _times(cron: str, begin: datetime) -> CronSim:
    if len(cron) > MOST_LETTERS or len(cron.split()) != FIELDS:
        raise BadOption(
            f"{cron[:MOST_LETTERS]!r} is no time of cron: write minute, hour, day of month, month "
            "and day of week, such as '0 18 * * FRI'"
        )
    try:
        return CronSim(cron, begin)
    except CronSimError as error:
        raise BadOption(f"{cron!r} is no time of cron: {str(error).lower()}") from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, no name at all, or that of a folder
        raise BadOption(
            f"there is no time zone {name[:MOST_LETTERS]!r}; name one such as Europe/Berlin"
        ) from None
