"""The settings of the platform's upkeep: what it keeps, for how long, and its logs.

Declares names, types, defaults and bounds; `matchbox.settings` reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from matchbox.setting_values import setting

_FOLDERS: Final = re.compile(r"/[^,]*( *, */[^,]*)*")


def _days(default: int, meaning: str, least: int = 0) -> Any:
    """A number of days, up to a hundred years."""
    return setting(default, meaning, least=least, most=36_500)


@dataclass(frozen=True, kw_only=True)
class UpkeepSettings:
    """The settings of disks, backups, retention and logs."""

    play_keep_days: int = _days(90, "days for which a finished table can be watched", least=1)
    disks: str = setting(
        "",
        "folders whose disks are watched, separated by commas; empty: the data folder",
        form=(_FOLDERS, "paths that begin with /, separated by commas"),
    )
    least_free_mb: int = setting(
        200,
        "free space on every disk that is watched, MB; with less, no matches are sent and no "
        "uploads are taken; 0: no limit",
        least=0,
        most=1 << 20,
    )
    keep_event_days: int = _days(
        30, "days for which events of live pages are kept, at most 10,000 events; 0: for ever"
    )
    keep_delivery_days: int = _days(
        7, "days after which a mail or webhook delivery that still waits is given up; 0: never"
    )
    keep_notice_days: int = _days(365, "days for which notices stay in the inboxes; 0: for ever")
    keep_session_days: int = setting(
        30,
        "days after which an unused browser session ends; 0, or more than 30: 30",
        least=0,
        most=36_500,
        cap=30,
    )
    keep_tryout_days: int = _days(
        180,
        "days for which the output of a try-out is kept, if its version does not play; the verdict "
        "stays; 0: for ever",
    )
    keep_refused_days: int = _days(
        30,
        "days for which the file of a refused version is kept, if it was in no match; the verdict "
        "stays; 0: for ever",
    )
    keep_output_days: int = _days(
        180,
        "days for which the output and reports of bots in a match or lesson are kept, in a season "
        "until its end at least; 0: for ever",
    )
    keep_record_days: int = _days(
        0,
        "days for which records and deals of matches outside of seasons are kept; results and "
        "ratings stay; 0: for ever",
    )
    keep_season_record_days: int = _days(
        0, "days after the end of a season for which its records are kept; 0: for ever"
    )
    log_json: bool = setting(False, "write logs as JSON, one object a line; false: as text")
    access_log: bool = setting(True, "write a line to the log for every request")
    backup_folder: str = setting(
        "",
        "folder for backups on the schedule and before upgrades, which must exist; empty: "
        "`backups` in the data folder",
    )
    backup_every_hours: int = setting(
        0, "hours between two backups that the ledger makes; 0: none", least=0, most=8760
    )
    backups_kept: int = setting(
        7,
        "how many of the newest scheduled backups are kept in that folder, and how many of those "
        "before upgrades",
        least=1,
        most=10_000,
    )
    backup_before_upgrade: bool = setting(
        True, "back the database up before an upgrade changes its schema"
    )
