"""The settings of the platform's upkeep: what it keeps, for how long, and its logs.

Declares names, types, defaults and bounds; `matchbox.settings` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

from matchbox.setting_values import setting


@dataclass(frozen=True, kw_only=True)
class UpkeepSettings:
    """The settings of disks, backups, retention and logs."""

    play_keep_days: int = setting(
        90, "days for which a table that is over can be watched", least=1, most=36_500
    )
    least_free_mb: int = setting(
        200,
        "free space on the disk of the data folder, MB; with less, no matches are sent and no "
        "uploads are taken; 0: no limit",
        least=0,
        most=1 << 20,
    )
    log_json: bool = setting(False, "write logs as JSON, one object a line; false: as text")
    access_log: bool = setting(True, "write a line to the log for every request")
    backup_folder: str = setting(
        "",
        "folder for the backups that are made by themselves; empty: `backups` in the data folder",
    )
    backup_every_hours: int = setting(
        0, "hours between two backups that the ledger makes; 0: none", least=0, most=8760
    )
    backups_kept: int = setting(
        7,
        "newest backups that are kept in that folder, of those on the schedule and of those before "
        "upgrades each",
        least=1,
        most=10_000,
    )
    backup_before_upgrade: bool = setting(
        True, "back the database up before an upgrade changes its schema"
    )
