"""The beat: it goes on when the clock is set."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import time
from datetime import timedelta
from celery import Celery
from celery.beat import Scheduler
from worker.ledger.beat import app

sent = []

class Counted(Scheduler):
    producer = None  # It would wait for the broker.

    def apply_async(self, entry, **_):
        sent.append(entry.name)

def wait_for(count):
    end = time.monotonic() + 120
    while len(sent) < count and time.monotonic() < end:
        time.sleep(max(0, min(0.1, scheduler.tick())))

scheduler = Counted(app)
wait_for(1)
real = Celery.now
Celery.now = lambda app: real(app) - timedelta(hours=2)
wait_for(3)
print(len(sent))
"""


def test_the_ticks_go_on_when_the_clock_is_put_back() -> None:
    settings = {"MATCHBOX_TICK_SECONDS": "1", "MATCHBOX_BROKER_URL": "redis://127.0.0.1:1/0"}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(
        command,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\n"
