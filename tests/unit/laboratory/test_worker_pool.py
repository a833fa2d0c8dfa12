"""Processes that play jobs side by side: how they are left, and what they raise."""

from __future__ import annotations

import time
from typing import Any

import pytest

from laboratory.worker_pool import worker_pool
from matchbox.errors import SeatFault

LARGE = bytes(200_000)
"""More than a pipe holds, so that the jobs behind the first wait to be written."""


def _sleep(box: Any, job: tuple[float, bytes]) -> None:
    time.sleep(job[0])


def _fail(box: Any, job: bytes) -> None:
    raise SeatFault("platform", "the box was gone")


def _leave(error: type[BaseException] | None) -> None:
    jobs = [(0.0, LARGE), *[(10_000.0, LARGE)] * 20]
    with worker_pool("none", 2) as opened:
        for _ in opened.play(_sleep, jobs):
            if error is not None:
                raise error
            return


def test_whoever_leaves_it_waits_for_no_job() -> None:
    _leave(None)
    with pytest.raises(KeyboardInterrupt):
        _leave(KeyboardInterrupt)


def test_a_job_raises_what_it_raises_without_processes() -> None:
    for workers in (1, 2):
        with (
            pytest.raises(SeatFault, match="platform: the box was gone") as caught,
            worker_pool("none", workers) as opened,
        ):
            list(opened.play(_fail, [LARGE] * 20))
        assert (caught.value.kind, caught.value.detail) == ("platform", "the box was gone")
