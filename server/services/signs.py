"""Stores the signs of life of the processes, and tells which of them are silent. Judges nothing.

TICK is given when the ledger has done all its steps, and STANDINGS when all boards were up to date.
The other signs only say that a process is running. All processes of `web` share one, as do those of
`internal`: together they are silent if none gives it. Each ledger has one of its own, with the name
of its Celery worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from server.db.models import Setting
from server.times import CLOCKS_MS, HOUR_MS, MINUTE_MS, has_passed

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.context import Context

TICK: Final = "ledger"
STANDINGS: Final = "standings"
DUE_MS: Final = {TICK: 10_000, STANDINGS: MINUTE_MS}
"""The least time in ms between two updates of each of these signs."""
LATE_MS: Final = 45_000
"""A process is silent if its sign is older than this; a ledger, if it has also missed 10 ticks."""

WEB: Final = "web"
INTERNAL: Final = "internal"
EVERY_MS: Final = 15_000
"""The time in ms after which each process gives its sign again. It is stored only if the last one
is older than half of this."""
GONE_MS: Final = HOUR_MS
"""A ledger that has been silent for this long, an hour, is gone. In ms."""
PROCESSES: Final = "signs of life"
"""The name under which the signs of processes are stored."""
BEGUN: Final = "begun"
"""The name under which it is stored when the platform began to run."""
LEDGERS_BEGUN: Final = "ledgers begun"
"""The name under which it is stored when ledgers gave a sign after they had hung: none of them had
given one for LATE_MS, and one had not ended normally."""
BREAK_MS: Final = 2 * EVERY_MS
"""If no process has given a sign for this long, the next sign begins a new run of the platform."""
_LEDGER: Final = "ledger:"


def note(session: Session, of: str, *, now: int) -> None:
    """Stores the time of TICK, STANDINGS, BEGUN or LEDGERS_BEGUN. Call it for the first two if
    `is_due` says so."""
    session.merge(Setting(name=of, value={}, changed_at=now))


def is_due(session: Session, of: str, *, now: int) -> bool:
    """Whether TICK or STANDINGS is so old that it should be stored again."""
    at = last(session, of)
    return at is None or has_passed(DUE_MS[of], at, now)


def last(session: Session, of: str) -> int | None:
    """Returns when TICK, STANDINGS, BEGUN or LEDGERS_BEGUN was stored last, UTC in ms."""
    return session.scalar(select(Setting.changed_at).where(Setting.name == of))


def ledger_is_late(session: Session, settings: Settings, now: int) -> bool:
    """Whether the ledger's last tick is too old, or there is none.

    It is never late while the platform has just begun to run. Times from a clock that was ahead do
    not count.
    """
    most = max(LATE_MS, 10_000 * settings.tick_seconds)
    times = (last(session, TICK) or 0, begun_at(session))
    return all(has_passed(most + 1, at, now) for at in times)


def of_ledger(worker: str) -> str:
    """Returns the sign of the ledger that is the Celery worker with this name."""
    return _LEDGER + worker


def worker_of(sign: str) -> str:
    """Returns the name of the worker that gives this sign of a ledger."""
    return sign.removeprefix(_LEDGER)


def is_ledger(sign: str) -> bool:
    """Whether this is the sign of a ledger."""
    return sign.startswith(_LEDGER)


def begun_at(session: Session) -> int:
    """Returns when the platform began to run after its last stop, UTC in ms; 0 if unknown."""
    return last(session, BEGUN) or 0


def has_run(session: Session, length: int, *, now: int) -> bool:
    """Whether the platform has run for this many ms by its signs; True if it has given none yet.

    A clock that jumps ahead looks like a stop.
    """
    newest = max(processes(session).values(), default=None)
    if newest is None:
        return True
    return now - newest <= BREAK_MS and has_passed(length, begun_at(session), now)


def processes(session: Session) -> dict[str, int]:
    """Returns when each process has given its sign last, UTC in ms, by the sign."""
    return dict(session.scalar(select(Setting.value).where(Setting.name == PROCESSES)) or {})


def give(context: Context, sign: str) -> None:
    """Stores the sign of a process, unless it, or a process with the same sign, has just done
    so."""
    with context.read() as session:
        if not has_passed(EVERY_MS // 2, processes(session).get(sign, 0), context.now()):
            return
    with context.write() as session:
        kept, now = processes(session), context.now()
        stopped = now - max(kept.values(), default=0) > BREAK_MS
        if stopped or begun_at(session) > now + CLOCKS_MS:  # Else nothing seems late until then.
            note(session, BEGUN, now=now)
        of_ledgers = [at for name, at in kept.items() if is_ledger(name)]
        if is_ledger(sign) and of_ledgers and now - max(of_ledgers) > LATE_MS:
            note(session, LEDGERS_BEGUN, now=now)
        stay = {
            name: min(at, now)  # A sign from a clock that was ahead would make all others silent.
            for name, at in kept.items()
            if now - at < GONE_MS or not is_ledger(name)
        }
        _store(session, {**stay, sign: now}, now)


def take_back(context: Context, sign: str) -> None:
    """Deletes the sign of a process that ends normally, so that it does not count as silent."""
    with context.write() as session:
        stay = {name: at for name, at in processes(session).items() if name != sign}
        _store(session, stay, context.now())


def silent(session: Session) -> dict[str, int]:
    """Returns the time since which each silent process has been silent, UTC in ms, by its sign.

    Signs are compared with the newest one, not with the clock: if a process hangs while it holds
    the database, no process can store a sign. After a stop of the platform, each has LATE_MS to
    give its first sign.
    """
    kept, begun = processes(session), begun_at(session)
    newest = max(kept.values(), default=0)
    return {sign: at for sign, at in kept.items() if newest - max(at, begun) > LATE_MS}


def last_of_ledgers(session: Session) -> int:
    """Returns when a ledger has given its sign last, UTC in ms; 0 if none ever has."""
    return max((at for sign, at in processes(session).items() if is_ledger(sign)), default=0)


def ledgers_work(session: Session, now: int) -> bool:
    """Whether ledgers have given their signs for LATE_MS or longer, or none ever has."""
    return has_passed(LATE_MS + 1, last(session, LEDGERS_BEGUN) or 0, now)


def _store(session: Session, kept: dict[str, int], now: int) -> None:
    session.merge(Setting(name=PROCESSES, value=kept, changed_at=now))
