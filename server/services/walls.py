"""Stores the arenas' reports on the walls around bots. Finds out whether all arenas have a wall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import select

from matchbox.errors import BadMessage
from matchbox.match.wire import Amount, Claim, Count
from server.db.models import Setting
from server.services.events import storable
from server.services.remote_names import key_of
from server.times import MINUTE_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy.orm import Session

NAME: Final = "walls"
_KEPT: Final = select(Setting.value).where(Setting.name == NAME)
ARENAS: Final = 256
"""The number of reports that are kept, the newest ones. Each arena has one."""
STALE_MS: Final = 5 * MINUTE_MS
"""An arena is gone if its last report is this many ms older than the newest of all, since arenas
repeat their reports."""

SILENT_MS: Final = 45_000
"""An arena reports every 15 s; one that has missed three reports is silent."""
GAP_MS: Final = 30_000
"""If no arena has reported for this many ms, the cause is the server or the machine, not the
arenas."""

FAULTS_MS: Final = 15 * MINUTE_MS
"""The time in ms for which a fault of an arena counts."""
MAX_FAULTS: Final = 20
"""The number of faults of an arena that are kept, the newest ones."""
TWO_AT_ONCE: Final = (
    "two processes report under this name, as with one key on two hosts, so each loses its jobs to "
    "the other; give each host a key of its own, and run the command once"
)
"""The cause of a fault that the server counts itself, as is DIED."""
DIED: Final = "the arena died in the middle of a job, and was started again"


class WallReport(msgspec.Struct, frozen=True):
    """An arena's report on its own box, which it has tested from inside."""

    box: str
    walled: bool
    """True if strangers' programs may run in the box."""
    why: str = ""
    """The reason why the box is not walled; empty if it is."""
    arena: str = "arena"
    """The arena's name. A later report with the same name replaces this one."""
    cores: Count | None = None
    """The number of cores that the arena may use."""
    load: Amount | None = None
    """The load of its host for each core, over the last minute."""
    doing: str = ""
    """The match that it plays, or the name of another job; empty if it is idle."""
    host: str = ""
    """The name of its machine."""
    release: str = ""
    """Its version of Matchbox."""
    express: bool = False
    """True if it only takes jobs that people wait for, and plays no matches."""
    leaving: bool = False
    """True in the last report of an arena that is being stopped."""
    job: Claim | None = None
    """The job that the arena is working on; None if it is idle."""
    run: str = ""
    """Names the run of the arena: a new text for each start."""
    faults: Count = 0
    """The number of jobs at which it has failed in this run."""
    fault: str = ""
    """The cause of the last of these faults."""


class ArenaWall(msgspec.Struct, frozen=True):
    """An arena's report as it is stored."""

    box: str
    walled: bool
    why: str
    at: int
    """When the report came, UTC in ms."""
    cores: int | None = None
    load: float | None = None
    doing: str = ""
    host: str = ""
    release: str = ""
    express: bool = False
    left: bool = False
    """True if the arena said that it was leaving."""
    run: str = ""
    former: str = ""
    """The run that reported before this one."""
    reported: int = 0
    """How many faults of this run it has reported."""
    faults: tuple[int, ...] = ()
    """When its last faults were reported, UTC in ms."""
    fault: str = ""
    """The cause of the last one."""


class Wall(msgspec.Struct, frozen=True):
    """The reports of all arenas, summed up."""

    walled: bool
    why: str
    """The reason why an arena is not walled; empty if all are."""
    box: str | None
    """The kind of box of an arena: of one without a wall, if there is one. None before any
    report."""
    arenas: dict[str, ArenaWall]
    """The arenas that still report, by name."""

    @property
    def playing(self) -> list[ArenaWall]:
        """Those that play matches: all but express arenas."""
        return [one for one in self.arenas.values() if not one.express]


def report_wall(session: Session, report: Mapping[str, Any], *, now: int) -> WallReport:
    """Stores an arena's report, and returns it. Raises BadMessage, which names a wrong field."""
    try:
        read = msgspec.convert(dict(report), WallReport)
    except msgspec.ValidationError as error:
        raise BadMessage(f"this is not a report of a wall: {error}") from error
    row = session.get(Setting, NAME)
    # A report from a clock that was ahead would make all other arenas count as gone.
    kept = {
        name: {**one, "at": min(one["at"], now)}
        for name, one in (row.value if row is not None else {}).items()
    }
    name = storable(read.arena, 200)
    kept[name] = {
        **_faults(read, kept.get(name, {}), now),
        "box": storable(read.box, 32),
        "walled": read.walled,
        "why": storable(read.why, 500),
        "cores": read.cores,
        "load": read.load,
        "doing": storable(read.doing, 64),
        "host": storable(read.host, 128),
        "release": storable(read.release, 32),
        "express": read.express,
        "left": read.leaving,
        "at": now,
    }
    newest = sorted(kept.items(), key=lambda item: item[1]["at"])[-ARENAS:]
    session.merge(Setting(name=NAME, value=dict(newest), changed_at=now))
    return read


def _faults(read: WallReport, before: Mapping[str, Any], now: int) -> dict[str, Any]:
    """The faults that are stored of an arena: those of before, and those that this report adds.

    A report that comes twice adds none again: its answer may have been lost. One without a run,
    such as the last one of an arena, adds none. If the arena has a key, a run that reports again
    after another one adds one fault, since both have the same name.
    """
    run, last = storable(read.run, 32), before.get("run", "")
    same, former = run in ("", last), before.get("former", "")
    known = before.get("reported", 0) if same else 0
    new, why = max(0, read.faults - known) if run else 0, read.fault
    reported = known + new
    if not same and run == former and key_of(read.arena):
        new, why = 1, TWO_AT_ONCE
    kept = [min(at, now) for at in recent_faults(before.get("faults", ()), now)]
    return {
        "run": run or last,
        "former": former if same else last,
        "reported": reported,
        "faults": [*kept, *[now] * min(new, MAX_FAULTS)][-MAX_FAULTS:],
        "fault": storable(why, 500) if new else before.get("fault", ""),
    }


def is_new_run(session: Session, arena: str, run: object) -> bool:
    """Whether this run of the arena follows another one, and has not reported yet."""
    before = reports(session).get(storable(arena, 200))
    return before is not None and run not in ("", before.run, before.former)


def add_fault(session: Session, arena: str, why: str, *, now: int) -> None:
    """Counts one more fault of an arena that has reported."""
    row, name = session.get_one(Setting, NAME), storable(arena, 200)
    kept = row.value[name]
    faults = [*recent_faults(kept["faults"], now), now][-MAX_FAULTS:]
    row.value = {**row.value, name: {**kept, "faults": faults, "fault": storable(why, 500)}}


def forget(session: Session, which: Callable[[str], bool]) -> None:
    """Marks the arenas with these names as gone, so that they do not count as silent."""
    row = session.get(Setting, NAME)
    if row is not None:
        gone = {name: {**one, "left": True} for name, one in row.value.items() if which(name)}
        row.value = {**row.value, **gone}


def reporting(session: Session, *, now: int) -> bool:
    """Whether any arena has reported within the last GAP_MS."""
    row = session.get(Setting, NAME)
    return row is not None and now - row.changed_at <= GAP_MS


def silent(session: Session, *, now: int) -> bool:
    """Whether no arena has reported for SILENT_MS, or ever. Reads no report."""
    at = session.scalar(select(Setting.changed_at).where(Setting.name == NAME))
    return at is None or now - at > SILENT_MS


def reporting_arenas(session: Session, *, express: bool = False, now: int) -> list[str]:
    """Returns the names of the arenas that report now and play matches: all but express arenas,
    which are returned only with `express`."""
    return [
        name
        for name, one in reports(session).items()
        if not one.left and (express or not one.express) and now - one.at <= SILENT_MS
    ]


def is_walled(session: Session, arena: str) -> bool:
    """Whether the arena has reported a wall, or nothing yet."""
    kept = session.scalar(_KEPT) or {}
    return bool(kept.get(storable(arena, 200), {}).get("walled", True))


def reports(session: Session) -> dict[str, ArenaWall]:
    """Returns the newest report of every arena by name, including those of silent arenas."""
    return msgspec.convert(session.scalar(_KEPT) or {}, dict[str, ArenaWall])


def recent_faults(faults: Iterable[int], now: int) -> list[int]:
    """Returns the faults of an arena within the last FAULTS_MS. Times are UTC in ms."""
    return [at for at in faults if now - at < FAULTS_MS]


def wall(session: Session) -> Wall:
    """Returns the arenas' reports, summed up: strangers' bots may run if every arena has a wall.

    Only arenas that still report count, and while none does, those that have just left.
    """
    kept = reports(session)
    newest = max((report.at for report in kept.values()), default=0)
    arenas = {name: one for name, one in kept.items() if newest - one.at <= STALE_MS}
    arenas = {name: one for name, one in arenas.items() if not one.left} or arenas
    if not arenas:
        return Wall(False, "no arena has reported its wall yet; try again in a moment", None, {})
    bare = [report for report in arenas.values() if not report.walled]
    shown = bare[0] if bare else next(iter(arenas.values()))
    return Wall(not bare, shown.why, shown.box, arenas)
