"""`matchbox status`: the health of a running platform, in words. The server checks it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from cli import output
from cli.playing import JsonOption
from cli.remote import connect

if TYPE_CHECKING:
    from matchbox.answers.health import ArenaLine, Health

_MATCH_ID: Final = 32
WAIT_S: Final = 20.0
"""The seconds that the server may take to check itself. With a broker that hangs, it takes some
seconds."""


def status(json: JsonOption = False) -> None:
    """Say what is wrong with the platform, and what each arena is doing. For operators.

    Exits 1 if anything is wrong.
    """
    from matchbox.answers.health import Health

    with connect() as client:
        late = "it hangs or is overloaded; see web.log, and restart `web`"
        health = client.answer(Health, "/health", wait_s=WAIT_S, late=late)
    if json:
        output.document(health.plain())
    else:
        _print(health)
    if health.findings:
        output.exit_no()


def _print(health: Health) -> None:
    for one in health.findings:
        print(f"{one.text} {one.remedy}")
    awaited = [one for one in health.arenas if one.state in ("reports", "silent")]
    if awaited:
        now = datetime.fromisoformat(health.checked_at)
        rows = [
            (
                one.full_name,
                one.host,
                "stopped" if one.stopped else one.state,
                _doing(one),
                f"{int((now - datetime.fromisoformat(one.seen_at)).total_seconds())} s ago",
            )
            for one in awaited
        ]
        output.table(("arena", "host", "state", "doing", "last report"), rows)
    reporting = sum(one.state == "reports" for one in health.arenas)
    waiting = sum(one.queued for one in health.jobs)
    playing = sum(one.playing for one in health.jobs)
    sent = sum(one.running for one in health.jobs) - playing
    well = "" if health.findings else "All is well. "
    jobs = f"Jobs at work: {playing:,}, sent to arenas: {sent:,}, waiting: {waiting:,}."
    print(f"{well}Arenas: {reporting}. {jobs}{_ledger(health)}")


def _doing(arena: ArenaLine) -> str:
    """What the arena is doing: a match by the beginning of its id, or other work by its name."""
    if len(arena.doing) == _MATCH_ID:
        return f"match {arena.doing[:8]}"
    return arena.doing or "nothing"


def _ledger(health: Health) -> str:
    """The known facts about the ledger, with a space before them."""
    figures = health.figures
    text = ""
    if figures.ledger_ms is not None:
        text += f" The ledger's last sign of life: {figures.ledger_ms // 1000} s ago."
    if figures.results:
        text += f" Results that wait for it: {figures.results:,}"
        oldest = figures.results_ms
        text += "." if oldest is None else f", the oldest for {oldest // 1000} s."
    return text
