"""A made-up queue and faults: matches, try-outs, a lesson and a turn wait."""

from __future__ import annotations

from typing import Final

from matchbox.answers.faults import BotFaults, FaultKind, Faults
from matchbox.answers.queue import QueueDetail, QueueGroup, QueueKind, Waiting, WaitingJob
from tests.unit.dashboard.seasons import EARLIER, LATER

WAITING: Final = Waiting(place=3, seconds=40, reason="2 try-outs come before it.")
HELD: Final = Waiting(place=None, seconds=None, reason="The league bomb is paused.")
QUEUE: Final = QueueDetail(
    stopped="",
    window=32,
    kinds=[
        QueueKind(kind="match", queued=1207, running=32, parked=2, oldest_at=EARLIER, done=200,
                  seconds=1.4),
        QueueKind(kind="try-out", queued=120, running=0, parked=0, oldest_at=EARLIER, done=0,
                  seconds=None),
        QueueKind(kind="draft", queued=3, running=0, parked=0, oldest_at=EARLIER, done=0,
                  seconds=None),
    ],
    groups=[
        QueueGroup(league="bomb", season=None, season_name=None, comparisons=False, queued=7,
                   running=3, oldest_at=EARLIER, reason=""),
        QueueGroup(league="bomb", season=None, season_name=None, comparisons=True, queued=1,
                   running=0, oldest_at=EARLIER, reason=""),
        QueueGroup(league="cup", season=7, season_name="spring", comparisons=False, queued=1200,
                   running=0, oldest_at=EARLIER, reason="The season spring is paused."),
    ],
    jobs=[
        WaitingJob(kind="match", id="0123456789abcdef", name="alice/careful – bob/ledger",
                   since=EARLIER, place=1, seconds=46, reason="It is next."),
        WaitingJob(kind="try-out", id="5", name="bob/ledger v3", since=EARLIER, place=1,
                   seconds=None, reason="It is next."),
        WaitingJob(kind="draft", id="1", name="a draft of alice", since=EARLIER, place=2,
                   seconds=None, reason="One try-out comes before it."),
        WaitingJob(kind="turn", id="t", name="a table of bomb", since=EARLIER, place=1,
                   seconds=None, reason="It waits for a free arena."),
        WaitingJob(kind="lesson", id="7", name="bob/ledger v3", since=EARLIER, place=1,
                   seconds=12, reason="It waits for a free arena.", season_name="spring"),
    ],
)  # fmt: skip
NO_QUEUE: Final = QueueDetail(stopped="", window=32, kinds=QUEUE.kinds[1:], groups=[], jobs=[])
NO_FAULTS: Final = Faults(days=1, since=EARLIER, kinds=[], bots=[], found=0)


def faults(days: int) -> Faults:
    """Faults of two versions and of the platform."""
    told = (("alice/careful", {"crash": 3, "illegal": 1207}), ("bob/ledger", {"platform": 2}))
    bots = [
        BotFaults(bot=bot, version=2, state="suspended", faults=sum(kinds.values()), kinds=kinds,
                  last_match="0123456789abcdef", last_hour=EARLIER, last_at=LATER)
        for bot, kinds in told
    ]  # fmt: skip
    kinds = [FaultKind(kind=kind, faults=count, bots=1)
             for kind, count in (("illegal", 1207), ("crash", 3), ("platform", 2))]  # fmt: skip
    return Faults(days=days, since=EARLIER, kinds=kinds, bots=bots, found=300)
