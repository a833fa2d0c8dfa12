"""System calls that a kernel lets past every filter, and their detection."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from cli import doctor
from sandbox import kernel_gaps
from sandbox.syscalls import ALLOW, answer_filter
from tests.unit.sandbox.test_syscalls import verdict


def test_a_filter_answers_one_call_and_allows_all_others() -> None:
    program = answer_filter(335, errno.ENOMEDIUM)
    assert verdict(program, 0, 335) == 0x00050000 | errno.ENOMEDIUM
    assert {verdict(program, 0, number) for number in (0, 59, 334, 336)} == {ALLOW}


def test_a_call_that_the_filter_is_asked_about_does_not_pass() -> None:
    getppid = {"x86_64": 110, "aarch64": 173}[os.uname().machine]
    assert not kernel_gaps._passes(getppid)


@pytest.mark.parametrize(
    ("status", "passes"), [(0, False), (1, False), (2, False), (3, True), (-4, True)]
)
def test_a_call_that_is_made_passes_however_it_ends(
    monkeypatch: pytest.MonkeyPatch, status: int, passes: bool
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=status))
    assert kernel_gaps._passes(335) == passes


def test_only_calls_of_this_architecture_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_gaps, "_passes", lambda _: True)
    named = kernel_gaps.past_the_filter()
    assert named == list(kernel_gaps.CALLS.get(os.uname().machine, {}))
    monkeypatch.setattr(sys, "platform", "darwin")
    assert kernel_gaps.past_the_filter() == []


def test_the_doctor_names_them(capsys: pytest.CaptureFixture[str]) -> None:
    report: doctor.Report = {
        "python": "3",
        "system": "Linux",
        "build": "compiled",
        "plain": "",
        "box": "process",
        "boxes": {},
        "servers": {},
        "brokers": {},
        "databases": {},
        "games": {},
        "walled": True,
        "past_the_filter": ["uretprobe"],
        "cores": {"usable": 1, "arenas": 1, "pinned": 1},
    }
    doctor._show(report)
    assert "filters do not see uretprobe\n" in capsys.readouterr().out
