"""Measures the figures of the platform's health. Judges none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox.answers.health import Figures
from matchbox.errors import BrokerUnavailable
from server.services import backup_schedule, broker, deliveries, disk, signs

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings


def measure(session: Session, settings: Settings, *, now: int) -> Figures:
    """Returns all figures that can be measured now. Takes 2 s if the broker cannot be reached."""
    results, answers = None, None
    kept = backup_schedule.backups(session)
    if settings.broker_url:
        try:
            results, answers = broker.waiting_results(settings.broker_url), True
        except BrokerUnavailable:
            answers = False
    oldest = results.oldest_at if results else None
    last, room = signs.last(session, signs.TICK), disk.least_room(settings)
    failing = deliveries.count_failing_mails(session, now=now) if settings.smtp_host else 0
    return Figures(
        broker=answers,
        results=results.results if results else None,
        results_ms=None if oldest is None else max(0, now - oldest),
        ledger_ms=None if last is None else now - last,
        disk_free=None if room is None else room.free,
        mails_failing=failing,
        backup_ms=None if kept is None or kept.done_at is None else now - kept.done_at,
    )
