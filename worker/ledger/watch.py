"""Gives a program's sign of life, checks the platform's health, and tells the operators.

Every ledger does so, in a thread of its own, because the ticks stop when the broker is away. The
web servers give their signs too. They check the health and deliver notices only while no ledger
gives a sign.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from matchbox.errors import MatchboxError
from server.services import alarms, health, signs
from server.times import has_passed

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.context import Context
    from worker.ledger.courier import Courier

log = structlog.get_logger(__name__)

EVERY_S: Final = signs.EVERY_MS / 1000


def check_health(context: Context) -> int:
    """Checks the platform's health, and tells the operators of findings that are new or over.

    Returns the number of these findings.
    """
    with context.read() as session:
        judged = health.judge(session, context.settings, now=context.now())
        known = alarms.alarms(session)
    if not judged.findings and not known:
        return 0
    with context.write() as session:
        return alarms.note(session, judged.findings, now=context.now())


def has_to_check(context: Context, sign: str, begun_at: int) -> bool:
    """Whether the process with this sign, which began at that time, has to check the health.

    A ledger always has to. Others have to once the signs of all ledgers are late. Times from a
    clock that was ahead do not count.
    """
    if signs.is_ledger(sign):
        return True
    with context.read() as session:
        last, now = signs.last_of_ledgers(session), context.now()
    return all(has_passed(signs.LATE_MS + 1, at, now) for at in (last, begun_at))


class Watch:
    """A thread that gives the sign, checks the health, and wakes the courier."""

    def __init__(self, context: Context, courier: Courier, sign: str) -> None:
        self._context, self._courier, self._sign = context, courier, sign
        self._begun_at = context.now()
        self._over = Event()
        self._thread = Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Starts the thread, which gives the sign immediately and checks the health later."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread after the check that is under way, and removes the sign."""
        self._over.set()
        self._thread.join()
        self._attempt(self._take_sign_back)

    def turn(self) -> None:
        """Gives the sign and checks the health. A failure is logged, and the next turn tries
        again."""
        self._attempt(self._give_sign)
        self._attempt(self._look)

    def _run(self) -> None:
        self._attempt(self._give_sign)
        while not self._over.wait(EVERY_S):
            self.turn()

    def _look(self) -> None:
        if has_to_check(self._context, self._sign, self._begun_at):
            check_health(self._context)
            self._courier.wake()

    def _give_sign(self) -> None:
        signs.give(self._context, self._sign)

    def _take_sign_back(self) -> None:
        signs.take_back(self._context, self._sign)

    def _attempt(self, step: Callable[[], None]) -> None:
        try:
            step()
        except (MatchboxError, SQLAlchemyError) as error:
            log.warning("watch.failed", why=f"{type(error).__name__}: {error}")
        except Exception:  # without the thread nobody would be notified of anything
            log.exception("watch.failed")
