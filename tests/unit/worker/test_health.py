"""The health check of a worker's container."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.installation import eventually
from tests.services import free_port
from worker import health, start


def test_a_broker_that_answers_is_enough(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCHBOX_BROKER_URL", redis_url)
    health.main()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:{port}/0", "redis+socket:///nowhere/{port}"])
def test_a_broker_that_is_not_there_is_told_in_a_sentence(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_BROKER_URL", url.format(port=free_port()))
    with pytest.raises(SystemExit, match="the broker cannot be reached: "):
        health.main()


def test_a_wrong_setting_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCHBOX_BROKER_URL", "redis://h:bad")
    with pytest.raises(SystemExit, match=r"^MATCHBOX_BROKER_URL cannot be read: its port"):
        health.main()
    monkeypatch.setenv("MATCHBOX_LEASE_MINUTES", "none")
    with pytest.raises(SystemExit, match=r"^Matchbox cannot start: MATCHBOX_"):
        start.settings_here()


def test_an_environment_without_a_broker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MATCHBOX_BROKER_URL", raising=False)
    with pytest.raises(SystemExit, match="set MATCHBOX_BROKER_URL"):
        health.main()


def test_a_worker_that_is_frozen_is_told_until_it_goes_on(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = tmp_path / "signs" / "alive"
    sign.parent.mkdir()
    monkeypatch.setenv("MATCHBOX_BROKER_URL", redis_url)
    monkeypatch.setenv(health.VARIABLE, str(sign))
    with pytest.raises(SystemExit, match="has not started yet"):
        health.main()
    code = "import time; from worker import health; health.EVERY_S = 0.01; health.show_life()"
    command = [sys.executable, "-c", f"{code}; time.sleep(600)"]
    with subprocess.Popen(command) as worker:
        try:
            eventually(sign.exists)
            health.main()
            worker.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, worker.pid, os.WSTOPPED)
            os.utime(sign, (1, 1))
            with pytest.raises(SystemExit, match="frozen: it has given no sign of life for "):
                health.main()
            worker.send_signal(signal.SIGCONT)
            eventually(lambda: sign.stat().st_mtime > 1)
            health.main()
            folder = sign.parent.rename(tmp_path / "away")
            time.sleep(0.2)  # It tries about twenty times.
            folder.rename(sign.parent)
            os.utime(sign, (1, 1))
            eventually(lambda: sign.stat().st_mtime > 1)
        finally:
            worker.kill()


def test_it_imports_neither_celery_nor_the_database() -> None:
    code = "import sys, worker.health; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"celery", "kombu", "sqlalchemy", "flask", "worker.app"} & set(done.stdout.split())
