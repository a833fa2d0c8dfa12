"""Each kind of box keeps the same promises: one suite, run on every kind there is."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from matchbox.errors import BoxUnavailable, SeatFault
from sandbox import box as boxes
from sandbox.box import Box, open_box
from sandbox.box_seat import BoxSeat
from sandbox.meter import Bank, cpu_clock
from sandbox.policy import ZYGOTE_LIMITS, Engine, Limits, Wall, rlimits
from sandbox.selftest import _test, best_kind, selftest
from tests.installation import eventually, gone

HERE = Path(__file__).parent
ENTRY = "echo_entry:serve"
LIMITS = Limits(cpu_ms=3000, memory_mb=64, wall_factor=3)
BRIEF = Limits(cpu_ms=200, memory_mb=64, wall_factor=3)
"""For the bot that is to run out of time. Others have more, since a machine may be slow."""
WAIT = "import _thread; lock = _thread.allocate_lock(); lock.acquire(); lock.acquire()"
"""Code that never ends, and takes no processor time."""
THINK = """
import os, sys, time
def think(frame, event, called):
    if event == "c_return" and called is os.write:
        sys.setprofile(None)
        end = time.process_time() + {seconds}
        while time.process_time() < end: pass
sys.setprofile(think)
"""
"""Code that continues to work after its answer is sent."""


@pytest.fixture(scope="module")
def box(kind: str) -> Iterator[Box]:
    with open_box(kind, preload=(), entry=ENTRY, paths=[HERE]) as opened:
        yield opened


@pytest.fixture
def seat(box: Box) -> Iterator[BoxSeat]:
    with contextlib.closing(box.seat(LIMITS)) as opened:
        yield opened


@pytest.fixture
def hurried(box: Box) -> Iterator[BoxSeat]:
    with contextlib.closing(box.seat(BRIEF)) as opened:
        yield opened


def fault(seat: BoxSeat, code: str) -> SeatFault:
    """The fault that a seat commits when it runs this code."""
    with pytest.raises(SeatFault) as raised:
        seat.ask(code.encode())
    return raised.value


def error(seat: BoxSeat, code: str) -> str:
    """The name of the error that this code raises in a seat; "none" if it raises none."""
    lines = "\n".join(f"    {line}" for line in code.splitlines())
    tried = f"try:\n{lines}\n    reply = b'none'\nexcept BaseException as e:\n"
    return seat.ask(f"{tried}    reply = type(e).__name__.encode()".encode()).decode()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


# --- Questions and answers ------------------------------------------------------------------


def test_a_seat_answers_what_it_is_asked(seat: BoxSeat) -> None:
    assert seat.ask(b"reply = b'hello'", start=True) == b"hello"
    assert seat.ask(b"reply = b''") == b""


def test_a_long_question_arrives_whole(seat: BoxSeat) -> None:
    text = "x" * 200_000
    assert seat.ask(f"reply = str(len('{text}')).encode()".encode()) == b"200000"


def test_an_answer_may_be_as_long_as_the_limit_and_no_longer(box: Box, seat: BoxSeat) -> None:
    longest = LIMITS.longest_answer(3)
    assert len(seat.ask(f"reply = bytes({longest})".encode(), 3)) == longest
    with pytest.raises(SeatFault) as raised:
        seat.ask(f"reply = bytes({longest + 1})".encode(), 3)
    assert raised.value.kind == "protocol"


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_a_huge_answer_is_a_protocol_fault(seat: BoxSeat, size: int) -> None:
    assert fault(seat, f"reply = bytes({size})").kind == "protocol"


def test_an_answer_that_nobody_asked_for_is_a_protocol_fault(seat: BoxSeat) -> None:
    assert seat.ask(b"send(b'one'); reply = b'two'") == b"one"
    assert fault(seat, "reply = b'three'").kind == "protocol"


def test_an_error_of_ours_while_a_bot_thinks_is_the_platforms_fault(
    seat: BoxSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(pid: int) -> bool:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("sandbox.meter.is_asleep", read)
    found = fault(seat, WAIT)
    assert (found.kind, "Too many open files" in found.detail) == ("platform", True)


def test_a_seat_for_which_no_descriptors_are_left_is_the_platforms_fault(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pipe() -> tuple[int, int]:
        raise OSError(errno.EMFILE, "Too many open files")

    before = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        patch.setattr("sandbox.zygote_client.os.pipe", pipe)
        with pytest.raises(SeatFault, match=r"could not be made: .*Too many open") as raised:
            box.seat(LIMITS)
    assert raised.value.kind == "platform"
    assert len(os.listdir("/proc/self/fd")) == before
    assert len(box._all) == len(box._idle) + len(box._lent)
    with contextlib.closing(box.seat(LIMITS)) as seat:
        assert seat.ask(b"reply = b'hello'", start=True) == b"hello"


def test_a_zygote_that_gets_no_processor_has_the_patience_of_a_seat(box: Box) -> None:
    with contextlib.closing(box.seat(LIMITS)) as seat:
        zygote = seat.zygote
    os.kill(zygote.pid, signal.SIGSTOP)
    with pytest.raises(SeatFault, match="could not be made") as raised:
        zygote.fork(rlimits(LIMITS, 0), 0.2)
    assert (raised.value.kind, zygote.healthy) == ("platform", False)


def test_who_is_late_and_has_closed_its_output_costs_no_processor_time(
    hurried: BoxSeat,
) -> None:
    begun = time.process_time()
    assert fault(hurried, f"import os; os.close(1); os.close(2); {WAIT}").kind == "timeout"
    assert time.process_time() - begun < 0.15


def test_thinking_off_turn_is_a_protocol_fault(seat: BoxSeat) -> None:
    seat.ask(THINK.format(seconds=0.8).encode())
    assert eventually(lambda: time.clock_gettime(cpu_clock(seat.pid)) > 0.7)
    assert fault(seat, "").kind == "protocol"


def test_thinking_off_turn_a_little_at_a_time_uses_the_bank_up(box: Box) -> None:
    think = THINK.format(seconds=0.03).encode()
    with contextlib.closing(box.seat(Limits(bank_ms=200))) as seat:
        with pytest.raises(SeatFault) as raised:
            for _ in range(60):
                seat.ask(think)
        assert raised.value.kind == "timeout"


def test_thinking_off_turn_is_paid_from_the_bank(box: Box) -> None:
    bank = Bank(LIMITS)
    with contextlib.closing(box.seat(LIMITS, bank)) as seat:
        seat.ask(THINK.format(seconds=0.3).encode())
        assert eventually(lambda: time.clock_gettime(cpu_clock(seat.pid)) > 0.3)
        before = bank.left_ms
        seat.ask(b"reply = b''")
    assert bank.left_ms < before - 200


def test_a_fault_is_final(seat: BoxSeat) -> None:
    assert fault(seat, "raise SystemExit(3)").kind == "crash"
    assert fault(seat, "reply = b'still here'").kind == "crash"


# --- Ways to die ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "raise ValueError('no')",
        "raise SystemExit(0)",
        "import os; os._exit(0)",
        "import os; os._exit(77 - 1)",
        "import ctypes; ctypes.string_at(0)",
        "import os; os.abort()",
        "import os; os.close(3)",
        f"import os; os.close(3); {WAIT}",
        "reply = 'not bytes'",
    ],
)
def test_every_way_to_leave_is_a_crash(seat: BoxSeat, code: str) -> None:
    assert fault(seat, code).kind == "crash"


def test_a_traceback_is_kept_for_the_owner(seat: BoxSeat) -> None:
    fault(seat, "raise ValueError('the reason')")
    assert "ValueError: the reason" in seat.stderr


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        WAIT,
        "sum(range(10 ** 12))",
        "import signal\nfor n in (14, 15, 24): signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
    ],
)
def test_no_answer_in_time_is_a_timeout(hurried: BoxSeat, code: str) -> None:
    assert fault(hurried, code).kind == "timeout"


@pytest.mark.parametrize("code", ["while True: pass", WAIT])
def test_a_bot_whose_time_is_over_says_where_it_is(hurried: BoxSeat, code: str) -> None:
    fault(hurried, code)
    assert "(most recent call first)" in hurried.stderr
    assert "line 1 in <module>" in hurried.stderr


def test_a_bot_that_will_not_say_where_it_is_ends_all_the_same(hurried: BoxSeat) -> None:
    deaf = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))"
    assert fault(hurried, deaf + "\nwhile True: pass").kind == "timeout"


def test_a_start_has_a_budget_of_its_own(hurried: BoxSeat) -> None:
    spin = b"import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass"
    assert hurried.ask(spin, start=True) == b"done"
    assert fault(hurried, spin.decode()).kind == "timeout"


def test_a_bank_is_used_up(box: Box) -> None:
    spin = b"import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end: pass"
    with contextlib.closing(box.seat(Limits(bank_ms=1000))) as seat:
        assert seat.ask(spin) == b"done"
        assert fault(seat, spin.decode()).kind == "timeout"


@pytest.mark.parametrize(
    "code",
    [
        "kept = [bytes(1 << 20) for _ in range(200)]",
        "kept = 'x' * (1 << 30)",
        "raise MemoryError",
    ],
)
def test_too_much_memory_is_a_memory_fault(seat: BoxSeat, code: str) -> None:
    assert fault(seat, code).kind == "memory"


def test_a_bot_that_stops_reading_is_a_timeout(hurried: BoxSeat) -> None:
    assert hurried.ask(f"send(b'ok'); {WAIT}".encode()) == b"ok"
    assert fault(hurried, "#" * 1_000_000).kind == "timeout"


def test_a_starved_bot_is_not_charged(box: Box) -> None:
    limits = Limits(cpu_ms=600, wall_factor=1)
    # Beside neighbours the seat may have up to 70% of its core, as a group of its own.
    spin = b"import time\nend = time.process_time() + 0.52\nwhile time.process_time() < end: pass"
    loop = [sys.executable, "-uc", "print('busy')\nwhile True: pass"]
    before = os.sched_getaffinity(0)
    with contextlib.closing(box.seat(limits)) as seat, contextlib.ExitStack() as crowd:
        os.sched_setaffinity(0, {min(before)})
        crowd.callback(os.sched_setaffinity, 0, before)
        os.sched_setaffinity(seat.pid, {min(before)})
        for _ in range(4):
            neighbour = crowd.enter_context(subprocess.Popen(loop, stdout=subprocess.PIPE))
            crowd.callback(neighbour.kill)
            assert neighbour.stdout is not None
            assert neighbour.stdout.readline() == b"busy\n"
        begun = time.monotonic()
        assert seat.ask(spin) == b"done"
        assert time.monotonic() - begun > 0.6


def test_a_kill_from_outside_is_the_platforms(seat: BoxSeat) -> None:
    os.kill(seat.pid, signal.SIGKILL)
    assert fault(seat, "").kind == "platform"


def test_a_dead_zygote_is_the_platforms_and_the_next_seat_works(box: Box) -> None:
    with contextlib.closing(box.seat(LIMITS)) as seat:
        os.kill(parent_of(seat.pid), signal.SIGKILL)
        assert fault(seat, "while True: pass").kind == "platform"
    with contextlib.closing(box.seat(LIMITS)) as seat:
        assert seat.ask(b"") == b"done"


def test_however_many_zygotes_died_idle_they_are_replaced(box: Box) -> None:
    with contextlib.ExitStack() as seats:
        opened = [seats.enter_context(contextlib.closing(box.seat(LIMITS))) for _ in range(5)]
        zygotes = [parent_of(seat.pid) for seat in opened]
    for zygote in zygotes:
        os.kill(zygote, signal.SIGKILL)
    assert eventually(lambda: all(map(gone, zygotes)))
    with contextlib.closing(box.seat(LIMITS)) as seat:
        assert seat.ask(b"") == b"done"


# --- Output ---------------------------------------------------------------------------------


def test_both_streams_are_captured(seat: BoxSeat) -> None:
    seat.ask(b"import sys\nprint('out')\nprint('err', file=sys.stderr)")
    assert sorted(seat.stderr.split()) == ["err", "out"]


def test_output_over_the_limit_is_dropped_and_blocks_nobody(seat: BoxSeat) -> None:
    assert seat.ask(b"print('x' * 500_000)", 3) == b"done"
    assert len(seat.stderr.partition("\x1e")[0]) == LIMITS.log_bytes


def test_who_prints_a_little_at_every_question_is_never_held_up_for_long(seat: BoxSeat) -> None:
    begun = time.monotonic()
    for _ in range(100):
        assert seat.ask(b"print('x' * 5000)", 3) == b"done"
    assert time.monotonic() - begun < 10
    assert len(seat.stderr.partition("\x1e")[0]) == LIMITS.log_bytes


def test_an_endless_flood_is_a_timeout(hurried: BoxSeat) -> None:
    assert fault(hurried, "import os\nwhile True: os.write(2, bytes(4096))").kind == "timeout"
    assert len(hurried.stderr.partition("\x1e")[0]) == BRIEF.log_bytes


def test_output_that_is_no_text_is_shown_all_the_same(seat: BoxSeat) -> None:
    seat.ask(b"import os; os.write(1, bytes([255, 65]))")
    assert seat.stderr == "\N{REPLACEMENT CHARACTER}A"


def test_there_is_no_input(seat: BoxSeat) -> None:
    assert error(seat, "input()") == "EOFError"


# --- The wall -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd')",
        f"open({str(HERE / 'echo_entry.py')!r})",
        "import sys; open(sys.modules['echo_entry'].__file__)",
        "import sys; open(sys.executable, 'rb')",
        "open('/proc/self/environ')",
        "import os; os.listdir('/')",
        "import os; os.stat('/etc/passwd')",
        "open('/tmp/x', 'w')",
        "import os; os.mkdir('/x')",
        "import os; os.chdir('/')",
        "import os; os.fork()",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import subprocess; subprocess.run(['true'])",
        "import sys, os; os.execv(sys.executable, ['python'])",
        "import threading; threading.Thread(target=int).start()",
        "import socket; socket.socket()",
        "import socket; socket.socketpair()",
        "import os; os.kill(1, 0)",
        "import os; os.kill(os.getpid(), 9)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "import os; os.pidfd_open(1)",
        "import os; os.memfd_create('x')",
        "import os; os.pipe()",
        "import os; os.setuid(0)",
        "import os; os.nice(1)",
        "import os; os.sched_setaffinity(0, {0})",
        "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))",
        "import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (1, 1))",
        "import time; time.clock_settime(time.CLOCK_REALTIME, 0)",
        "import multiprocessing; multiprocessing.Lock()",
        "import fcntl, os; fcntl.flock(1, fcntl.LOCK_EX)",
        "import flask",
        "import msgspec",
        "import sandbox.box",
        "import matchbox",
    ],
)
def test_the_wall_refuses(seat: BoxSeat, code: str) -> None:
    assert error(seat, code) != "none"


def test_every_resource_limit_stands_in_a_seat(seat: BoxSeat) -> None:
    assert seat.ask(b"reply = b'alive'") == b"alive"
    limits = {**ZYGOTE_LIMITS, **rlimits(LIMITS, seat.zygote.baseline_bytes)}
    lines = Path(f"/proc/{seat.pid}/limits").read_text().splitlines()[1:]
    for name, most in limits.items():
        # The kernel lists them in the order of their numbers.
        soft, hard = lines[getattr(resource, name)][26:].split()[:2]
        assert soft == hard, name
        assert int(hard) <= most, name


def test_tracing_is_refused_by_the_kernel(seat: BoxSeat) -> None:
    code = b"import ctypes; reply = str(ctypes.CDLL(None).ptrace(0, 0, 0, 0)).encode()"
    assert seat.ask(code) == b"-1"


def test_the_environment_is_the_same_everywhere(seat: BoxSeat) -> None:
    names = seat.ask(b"import os; reply = ' '.join(sorted(os.environ)).encode()").decode()
    assert names.split() == ["LC_ALL", "PYTHONHASHSEED", "PYTHONUTF8", "TZ"]


def test_the_machine_has_no_name_of_its_own(seat: BoxSeat) -> None:
    assert seat.ask(b"import platform; reply = platform.node().encode()") == b"box"


def test_nothing_of_the_host_is_in_reach_of_the_interpreter(seat: BoxSeat) -> None:
    assert (
        seat.ask(b"import sys; reply = repr((sys.argv, sys.orig_argv)).encode()") == b"([''], [])"
    )
    code = b"import sys; reply = str([p for p in sys.path if 'python3' not in p]).encode()"
    assert b"packages" not in seat.ask(code)


def test_a_seat_has_no_descriptor_but_its_own(seat: BoxSeat) -> None:
    code = """
import errno, os
found = []
for n in range(64):
    try:
        os.lseek(n, 0, os.SEEK_CUR)
    except OSError as error:
        if error.errno == errno.EBADF:
            continue
    found.append(n)
reply = str(found).encode()
"""
    assert seat.ask(code.encode()) == b"[0, 1, 2, 3]"


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(0.001); time.time(); time.perf_counter(); time.localtime()",
        "import random; random.random(); random.SystemRandom().random()",
        "import os; assert len(os.urandom(8)) == 8",
        "import secrets, uuid; secrets.token_hex(); uuid.uuid4()",
        "import wave, cmd, colorsys, symtable, xml.etree.ElementTree",
        "import math, statistics, decimal, fractions, heapq, itertools, functools, dataclasses",
        "import hashlib, zlib, bz2, lzma; hashlib.sha256(b'x').hexdigest()",
        "import datetime; datetime.datetime.now()",
        "import io, json, re, copy; json.loads('[1]'); re.match('a', 'a'); copy.deepcopy([1])",
        "import threading; threading.Lock().acquire(); threading.local()",
        "import traceback; traceback.format_stack()",
        "import gc; gc.collect()",
        "import array, mmap; array.array('i', range(1000))",
        "import inspect, random; inspect.getsource(random)",
        "import sys; sys.stdout.reconfigure(encoding='utf-8'); print('\N{SNOWMAN}')",
        "import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
    ],
)
def test_an_honest_bot_has_the_standard_library(seat: BoxSeat, code: str) -> None:
    assert error(seat, code) == "none"


def test_what_is_the_same_in_every_seat_is_prepared_once(box: Box) -> None:
    told = b"import echo_entry; reply = repr(echo_entry.PREPARED).encode(); echo_entry.PREPARED = 0"
    for _ in range(2):
        with contextlib.closing(box.seat(LIMITS)) as seat:
            assert seat.ask(told) == b"['once']"


# --- Seats ----------------------------------------------------------------------------------


def test_two_seats_share_nothing(box: Box) -> None:
    with (
        contextlib.closing(box.seat(LIMITS)) as one,
        contextlib.closing(box.seat(LIMITS)) as two,
    ):
        one.ask(b"import random; random.mark = 'seen'")
        mark = b"import random; reply = getattr(random, 'mark', 'clean').encode()"
        assert one.ask(mark) == b"seen"
        assert two.ask(mark) == b"clean"
        assert parent_of(one.pid) != parent_of(two.pid)


def test_two_seats_cannot_wake_each_other_through_a_file_that_both_have_mapped(box: Box) -> None:
    wake = (
        b"import ctypes, os, platform\n"
        b"libc = ctypes.CDLL(None, use_errno=True)\n"
        b"shared = ctypes.cast(libc.getenv, ctypes.c_void_p).value // 4096 * 4096\n"
        b"number = {'x86_64': 202, 'aarch64': 98}[platform.machine()]\n"
        b"woken = libc.syscall(number, ctypes.c_void_p(shared), 1, 1, None, None, 0)\n"
        b"reply = f'{woken} {ctypes.get_errno()}'.encode()\n"
    )
    with contextlib.closing(box.seat(LIMITS)) as seat:
        assert seat.ask(wake) == b"-1 1"


def test_two_seats_hash_alike(box: Box) -> None:
    hashes = set()
    for _ in range(2):
        with contextlib.closing(box.seat(LIMITS)) as seat:
            hashes.add(seat.ask(b"reply = str(hash('a')).encode()"))
    assert len(hashes) == 1


def test_a_zygote_is_forked_again_after_a_seat_is_closed(box: Box) -> None:
    zygotes = set()
    for _ in range(3):
        with contextlib.closing(box.seat(LIMITS)) as seat:
            seat.ask(b"")
            zygotes.add(parent_of(seat.pid))
    assert len(zygotes) == 1


def test_a_closed_seat_leaves_no_process(box: Box) -> None:
    seat = box.seat(LIMITS)
    seat.ask(b"")
    seat.close()
    seat.close()
    assert gone(seat.pid)
    assert seat.cpu_ms > 0
    assert fault(seat, "").kind == "platform"


def test_a_zygote_that_must_not_be_forked_again_ends_with_its_seat(box: Box) -> None:
    with contextlib.closing(box.seat(LIMITS)) as seat:
        zygote = parent_of(seat.pid)
        seat.zygote.healthy = False
    assert eventually(lambda: gone(zygote))
    with contextlib.closing(box.seat(LIMITS)) as after:
        assert after.ask(b"") == b"done"


def test_the_processor_time_of_a_seat_is_seen(seat: BoxSeat) -> None:
    spin = b"import time\nend = time.process_time() + 0.05\nwhile time.process_time() < end: pass"
    seat.ask(spin)
    assert seat.cpu_ms >= 40


def test_a_zygote_retires_after_its_last_seat(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "SEATS_PER_ZYGOTE", 2)
    zygotes = []
    with open_box(kind, preload=(), entry=ENTRY, paths=[HERE]) as box:
        for _ in range(4):
            with contextlib.closing(box.seat(LIMITS)) as seat:
                zygotes.append(parent_of(seat.pid))
        assert zygotes[0] == zygotes[1] != zygotes[2] == zygotes[3]
        assert eventually(lambda: gone(zygotes[0]))


@pytest.mark.parametrize("kind", ["process"])
def test_a_module_that_a_box_cannot_load_is_named(kind: str, tmp_path: Path) -> None:
    (tmp_path / "greedy.py").write_text("import no_such_library\n")
    why = r"a box cannot load the module greedy: .* named 'no_such_library'"
    with (
        pytest.raises(BoxUnavailable, match=why),
        open_box(kind, preload=("greedy",), entry=ENTRY, paths=[HERE, tmp_path]) as box,
    ):
        box.seat(LIMITS)


def test_a_renewed_box_ends_its_idle_zygotes_and_no_open_seat(kind: str) -> None:
    with open_box(kind, preload=(), entry=ENTRY, paths=[HERE]) as box:
        with contextlib.closing(box.seat(LIMITS)) as seat:
            with contextlib.closing(box.seat(LIMITS)) as other:
                idle = parent_of(other.pid)
            box.renew()
            assert eventually(lambda: gone(idle))
            assert seat.ask(b"") == b"done"
            before = parent_of(seat.pid)
        box.renew()
        with contextlib.closing(box.seat(LIMITS)) as after:
            assert parent_of(after.pid) not in (before, idle)
            assert after.ask(b"") == b"done"


def test_a_box_outlives_the_thread_that_opened_it(kind: str) -> None:
    opened: list[Box] = []
    thread = threading.Thread(
        target=lambda: opened.append(open_box(kind, preload=(), entry=ENTRY, paths=[HERE]))
    )
    thread.start()
    thread.join()
    with opened[0] as box, contextlib.closing(box.seat(LIMITS)) as seat:
        assert seat.ask(b"") == b"done"


def test_closing_a_box_ends_its_seats(kind: str) -> None:
    with open_box(kind, preload=(), entry=ENTRY, paths=[HERE]) as box:
        seat = box.seat(LIMITS)
        zygote = parent_of(seat.pid)
    assert eventually(lambda: gone(zygote) and gone(seat.pid))
    assert fault(seat, "").kind == "platform"


def test_a_killed_host_takes_its_boxes_with_it(kind: str) -> None:
    code = (
        "import sys, time; from pathlib import Path; from sandbox.box import open_box\n"
        f"box = open_box({kind!r}, preload=(), entry={ENTRY!r}, paths=[Path({str(HERE)!r})])\n"
        "seat = box.seat(); seat.ask(b''); print(seat.pid, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        zygote = parent_of(pid)
        host.kill()
    assert eventually(lambda: gone(zygote) and gone(pid))


# --- Kinds ----------------------------------------------------------------------------------


def test_the_whole_selftest_passes_here(kind: str) -> None:
    report = selftest(kind)
    assert report.missing == []
    assert report.walled


@pytest.mark.parametrize("layer", ["landlock", "seccomp", "rlimits"])
def test_the_selftest_names_a_layer_that_is_left_out(kind: str, layer: str) -> None:
    report = selftest(kind, Wall(drop=(layer,)))
    assert not report.walled
    assert report.layers[layer] is False
    assert any(layer in sentence for sentence in report.missing)


def test_a_process_box_without_namespaces_is_for_trusted_bots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sandbox.process_box._namespaces", tuple)
    report = _test("process", Wall(), Engine(), ())
    assert not report.walled
    assert not report.layers["root"]
    assert report.layers["landlock"]
    assert report.layers["seccomp"]


def test_the_best_kind_is_a_walled_one() -> None:
    assert selftest(best_kind()).walled


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(BoxUnavailable, match="no box 'cardboard'"):
        open_box("cardboard", preload=(), entry=ENTRY)


def test_a_module_that_is_not_installed_is_named() -> None:
    with pytest.raises(BoxUnavailable, match="'no_such_module'"):
        open_box("process", preload=("no_such_module.x",), entry=ENTRY, paths=[HERE])


def test_a_box_that_does_not_start_says_why(kind: str) -> None:
    with pytest.raises(BoxUnavailable, match="nothing_there"):
        open_box(kind, preload=(), entry="echo_entry:nothing_there", paths=[HERE])
