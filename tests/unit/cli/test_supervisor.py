"""The supervisor: it restarts a dead child, and stops the children in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.supervisor import LONGEST_PAUSE_S, Child, Program, Supervisor, on_stop
from tests.installation import eventually, gone

SLEEPER = [sys.executable, "-S", "-c", "import time; print('up', flush=True); time.sleep(600)"]
STUBBORN = [
    *(sys.executable, "-S", "-c"),
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "print('up', flush=True); time.sleep(600)",
]
FAILING = [sys.executable, "-S", "-c", "print('no'); raise SystemExit(3)"]
ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])}


@pytest.fixture
def said() -> list[str]:
    """The supervisor's messages."""
    return []


@pytest.fixture
def supervisor(tmp_path: Path, said: list[str]) -> Iterator[Supervisor]:
    """A supervisor whose children end with the test."""
    made = Supervisor(tmp_path, said.append)
    yield made
    made.kill()


@contextmanager
def started(child: Child) -> Iterator[Child]:
    """The child, which has started and ends with the block."""
    child.start()
    try:
        yield child
    finally:
        child.kill()


def pid_of(supervisor: Supervisor, place: int = 0) -> int:
    """The process id of a child."""
    process = supervisor._children[place].process
    assert process is not None
    return process.pid


def test_what_a_child_prints_goes_to_its_log(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.add(Program("one", SLEEPER, ENVIRONMENT))
    eventually(lambda: (tmp_path / "one.log").read_text() == "up\n")
    assert not gone(pid_of(supervisor))


def test_a_child_that_is_killed_is_started_again(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    supervisor.add(Program("one", SLEEPER, ENVIRONMENT))
    eventually(lambda: (tmp_path / "one.log").read_text() == "up\n")
    first = pid_of(supervisor)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: gone(first))

    def again() -> bool:
        supervisor.restart_dead()
        return (tmp_path / "one.log").read_text() == "up\nup\n"

    eventually(again)
    assert said == ["one was ended by signal 9; it is started again"]
    assert pid_of(supervisor) != first


def test_a_child_that_dies_again_and_again_is_waited_for_longer_each_time(
    tmp_path: Path, said: list[str]
) -> None:
    now = 0.0
    one = Child(
        Program("one", FAILING, ENVIRONMENT), tmp_path / "one.log", said.append, lambda: now
    )
    with started(one):
        pauses = []
        for _ in range(9):
            assert one.process is not None
            one.process.wait()
            one.restart_dead()
            pauses.append(one.restart_at - now)
            now = one.restart_at
            one.restart_dead()
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, LONGEST_PAUSE_S]
    assert said[0] == "one ended with code 3; it is started again"
    assert said[1].startswith("one ended with code 3 right after its start (see ")
    assert said[1].endswith("it is tried again in 1 s")


def test_a_child_whose_folder_is_removed_is_started_again(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, counts = 0.0, tmp_path / "counts"
    asked: list[int] = []
    program = Program("one", SLEEPER, ENVIRONMENT, folder=counts)
    one = Child(program, tmp_path / "one.log", said.append, lambda: now)
    with started(one):
        one.restart_dead()  # It has not made the folder yet.
        counts.mkdir()
        now = LONGEST_PAUSE_S + 1
        one.restart_dead()
        assert one.process is not None
        assert one.process.poll() is None
        counts.rmdir()
        monkeypatch.setattr(one.process, "terminate", lambda: asked.append(1))
        for _ in range(3):  # A second request would end a web server in the middle of its answers.
            one.restart_dead()
        assert asked == [1]
        one.process.kill()
        one.process.wait()
        one.restart_dead()
        assert one.process is not None
        assert said == ["one was ended by signal 9; it is started again"]


def test_a_child_without_its_folder_that_does_not_stop_is_killed(
    tmp_path: Path, said: list[str]
) -> None:
    now = 0.0
    program = Program("one", STUBBORN, ENVIRONMENT, patience_s=10, folder=tmp_path / "counts")
    one = Child(program, tmp_path / "one.log", said.append, lambda: now)
    with started(one):
        first = one.process
        assert first is not None
        eventually(lambda: "up" in one.log.read_text())
        now = LONGEST_PAUSE_S + 1
        one.restart_dead()
        now += 10
        one.restart_dead()
        assert first.poll() is None
        now += 0.1
        one.restart_dead()
        assert first.poll() == -signal.SIGKILL
        assert said == ["one did not stop and was killed; it is started again"]
        one.restart_dead()
        assert one.process not in (None, first)


def test_a_log_that_cannot_be_emptied_leaves_the_programs_alone(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor.add(Program("one", SLEEPER, ENVIRONMENT))
    pid = pid_of(supervisor)
    os.truncate(tmp_path / "one.log", 11 << 20)

    def refuses(*given: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "truncate", refuses)
    supervisor.restart_dead()
    assert pid_of(supervisor) == pid


def test_a_child_that_cannot_be_started_is_tried_again(
    supervisor: Supervisor, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    supervisor.add(Program("one", SLEEPER, ENVIRONMENT))
    os.kill(pid_of(supervisor), signal.SIGKILL)
    eventually(lambda: gone(pid_of(supervisor)))
    (child,) = supervisor._children
    with monkeypatch.context() as full:
        full.setattr(subprocess, "Popen", fail)
        supervisor.restart_dead()
        child.restart_at = 0.0
        supervisor.restart_dead()
    assert child.process is None
    assert said[-1].startswith("one cannot be started: [Errno 11] ")
    child.restart_at = 0.0
    supervisor.restart_dead()
    assert child.process is not None


def test_children_stop_layer_by_layer(supervisor: Supervisor, tmp_path: Path) -> None:
    told = tmp_path / "stopped"
    source = (
        "import signal, sys, time\n"
        "def stop(*_):\n"
        f"    open({str(told)!r}, 'a').write(sys.argv[1])\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, stop)\n"
        "print('up', flush=True)\n"
        "time.sleep(600)\n"
    )
    for name, layer in (("a", 0), ("b", 2), ("c", 1)):
        command = [sys.executable, "-S", "-c", source, name]
        supervisor.add(Program(name, command, ENVIRONMENT, layer=layer))
    for name in "abc":
        eventually(lambda name=name: (tmp_path / f"{name}.log").read_text() == "up\n")  # type: ignore[misc]
    pids = [pid_of(supervisor, place) for place in range(3)]
    supervisor.stop()
    assert told.read_text() == "bca"
    assert all(gone(pid) for pid in pids)


def test_a_child_that_does_not_stop_is_killed(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.add(Program("one", STUBBORN, ENVIRONMENT, patience_s=0.2))
    eventually(lambda: (tmp_path / "one.log").read_text() == "up\n")
    pid = pid_of(supervisor)
    supervisor.stop()
    assert gone(pid)


def test_a_long_log_is_put_aside_at_a_start(supervisor: Supervisor, tmp_path: Path) -> None:
    (tmp_path / "one.log").write_bytes(b"x" * (11 << 20))
    supervisor.add(Program("one", SLEEPER, ENVIRONMENT))
    eventually(lambda: (tmp_path / "one.log").read_text() == "up\n")
    assert (tmp_path / "one.log.1").stat().st_size == 11 << 20


def test_a_child_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    sleeper = f"import os, time; open({str(pid_file)!r}, 'w').write(f'{{os.getpid()}}\\n'); "
    source = (
        "import subprocess, sys, time; from worker.child import tied; "
        f"subprocess.Popen(tied([sys.executable, '-S', '-c', {sleeper + 'time.sleep(600)'!r}])); "
        "time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", source], env=ENVIRONMENT)
    eventually(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"))
    parent.kill()
    parent.wait()
    eventually(lambda: gone(int(pid_file.read_text())))


WRITER = [
    *(sys.executable, "-S", "-u", "-c"),
    "import sys, time\n"
    "for number in range(10**6):\n"
    "    print(f'line {number:07d} ' + 'x' * 2000); time.sleep(0.0001)\n",
]


def test_a_log_stays_short_while_its_program_goes_on_writing(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.supervisor._LOG_BYTES", 50_000)
    child = Child(Program("writer", WRITER, ENVIRONMENT), tmp_path / "writer.log", said.append)
    with started(child):
        older = tmp_path / "writer.log.1"
        eventually(lambda: child.log.stat().st_size > 50_000)
        child.restart_dead()
        assert older.read_text().startswith("line 0000000")
        eventually(lambda: child.log.stat().st_size > 50_000)
        child.restart_dead()
        eventually(lambda: child.log.stat().st_size > 0)
        assert not child.log.read_bytes().startswith(b"\0")
        assert child.process is not None
        assert child.process.poll() is None


@pytest.mark.parametrize("before, called", [(signal.SIG_IGN, 0), (signal.SIG_DFL, 1)])
def test_a_closed_terminal_stops_no_command_that_nohup_started(
    before: signal.Handlers, called: int
) -> None:
    signals = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    kept = {number: signal.getsignal(number) for number in signals}
    calls: list[int] = []
    try:
        signal.signal(signal.SIGHUP, before)
        on_stop(lambda number, _: calls.append(number))
        for number in signals:
            os.kill(os.getpid(), number)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    assert calls == [*[signal.SIGHUP] * called, signal.SIGTERM, signal.SIGINT]
