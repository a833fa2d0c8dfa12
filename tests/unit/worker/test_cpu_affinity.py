"""Arenas of one machine share its cores without asking each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import structlog

from worker.arena import cpu_affinity

CLAIM = """
import json, os, sys
from pathlib import Path
from worker.arena import cpu_affinity
core = cpu_affinity.claim(Path(sys.argv[1]) / "cores")
print(json.dumps([core, sorted(os.sched_getaffinity(0))]), flush=True)
sys.stdin.readline()
"""
Claim = Callable[[], tuple[int | None, list[int], "subprocess.Popen[str]"]]


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Claim]:
    """Starts a process that claims a core; returns the claim, its permitted cores, and the
    process."""
    with ExitStack() as stack:

        def start() -> tuple[int | None, list[int], subprocess.Popen[str]]:
            command = [sys.executable, "-c", CLAIM, str(tmp_path)]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            assert process.stdout is not None
            core, runs_on = json.loads(process.stdout.readline())
            return core, runs_on, process

        yield start


def test_each_gets_a_core_of_its_own_until_there_is_none_left(arena: Claim) -> None:
    usable = cpu_affinity.usable_cores()
    got = [arena()[:2] for _ in [*usable, "one too many"]]
    assert got == [*((core, [core]) for core in usable), (None, usable)]


def test_the_core_of_one_that_was_killed_is_free_again(arena: Claim) -> None:
    core, _, process = arena()
    process.kill()
    process.wait()
    assert arena()[0] == core


def test_it_takes_only_what_it_may_use_and_a_child_stays_there(tmp_path: Path) -> None:
    last = cpu_affinity.usable_cores()[-1]
    source = "import os; print(sorted(os.sched_getaffinity(0)))"
    program = (
        "import os, subprocess, sys; from pathlib import Path; "
        "from worker.arena import cpu_affinity; "
        f"os.sched_setaffinity(0, {{{last}}}); assert cpu_affinity.usable_cores() == [{last}]; "
        f"assert cpu_affinity.claim(Path({str(tmp_path)!r})) == {last}; "
        f"sys.exit(subprocess.run([sys.executable, '-S', '-c', {source!r}]).returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == f"[{last}]", done.stderr


def scheduled(before: str) -> str:
    """Returns the scheduler of a child whose parent has done this with all usable cores."""
    source = "import os; print(os.sched_getscheduler(0) == os.SCHED_BATCH)"
    program = (
        "import os, subprocess, sys; from worker.arena import cpu_affinity; "
        "usable = cpu_affinity.usable_cores(); "
        f"{before}; sys.exit(subprocess.run([sys.executable, '-S', '-c', {source!r}]).returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_who_shares_a_core_takes_turns_and_nobody_else() -> None:
    assert scheduled("pass") == "False"
    assert scheduled("cpu_affinity.pin(usable[0])") == "True"
    assert scheduled("cpu_affinity.pin(usable[0]); cpu_affinity.unpin(usable)") == "False"


def test_where_turns_are_forbidden_the_core_is_kept_all_the_same() -> None:
    refuse = "def refuse(*_): raise PermissionError"
    pinned = "cpu_affinity.pin(usable[0]); assert len(cpu_affinity.usable_cores()) == 1"
    before = f"os.sched_setscheduler = refuse; {pinned}"
    assert scheduled(f"exec({refuse!r}); {before}") == "False"


def test_a_core_that_is_taken_away_meanwhile_is_passed_over(tmp_path: Path) -> None:
    first, kept = cpu_affinity.usable_cores()[0], []

    def pin_to(core: int) -> None:
        if core == first:
            raise OSError("no such core")
        kept.append(core)

    assert cpu_affinity.claim(tmp_path, pin_to) == (kept[0] if kept else None)
    assert first not in kept


def test_where_no_lock_can_be_made_any_core_will_do(tmp_path: Path) -> None:
    for core in cpu_affinity.usable_cores():
        (tmp_path / f"core-{core}").mkdir()
    assert cpu_affinity.claim(tmp_path, lambda core: None) is None


def test_where_the_folder_cannot_be_made_any_core_will_do_and_the_log_says_why(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    with structlog.testing.capture_logs() as lines:
        assert cpu_affinity.claim(tmp_path / "file/cores") is None
    ((event, why),) = [(line["event"], line["why"]) for line in lines]
    assert event == "core.not_claimed"
    assert f"'{tmp_path}/file/cores'" in why


def test_where_the_system_cannot_nothing_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_affinity, "CAN_PIN", False)
    assert cpu_affinity.claim(tmp_path / "cores") is None
    assert not (tmp_path / "cores").exists()
    assert cpu_affinity.usable_cores() == list(range(os.cpu_count() or 1))
    cpu_affinity.pin(cpu_affinity.usable_cores()[-1])
    cpu_affinity.unpin(cpu_affinity.usable_cores())


POOL = """
import os, sys
from laboratory.worker_pool import worker_pool
with worker_pool("none", 1):
    print(sorted(os.sched_getaffinity(0)), flush=True)
    sys.stdin.readline()
print(sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.readline()
"""


def test_commands_of_an_account_get_other_cores_and_give_them_back(tmp_path: Path) -> None:
    usable = cpu_affinity.usable_cores()
    with ExitStack() as stack:

        def start() -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", POOL],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "TMPDIR": str(tmp_path)},
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        def runs_on(process: subprocess.Popen[str]) -> list[int]:
            assert process.stdout is not None
            found: list[int] = json.loads(process.stdout.readline())
            return found

        commands = []
        for core in [*usable[::-1], None]:
            commands.append(start())
            assert runs_on(commands[-1]) == (usable if core is None else [core])
        assert commands[0].stdin is not None
        print(file=commands[0].stdin, flush=True)
        assert runs_on(commands[0]) == usable
        assert runs_on(start()) == [usable[-1]]


def test_a_folder_of_another_account_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    stranger = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: stranger)
    with cpu_affinity.claimed() as core:
        assert core is None
    assert not list((tmp_path / f"matchbox-{stranger}-cores").iterdir())
