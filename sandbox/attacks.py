"""The attacks that must fail, for the self-test: each is tried from inside a fresh seat.

Knows how to misbehave; knows no host. An attack that returns has worked; one that raises was
refused. It runs in the box, so it imports nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from sandbox.policy import ENVIRONMENT

SPIN: Final = b"spin"
SPIN_S: Final = 0.05

_OURS: Final = (0, 1, 2, 3)
_GIB: Final = 1 << 30
_DESCRIPTORS: Final = 64
_LOCKED: Final = 0x2000
_PIDS: Final = 4096
_CALLS: Final = {
    "x86_64": {"ptrace": 101, "shmget": 29, "flock": 73, "unshare": 272, "io_uring_setup": 425,
               "futex": 202, "clock_gettime": 228},
    "aarch64": {"ptrace": 117, "shmget": 194, "flock": 32, "unshare": 97, "io_uring_setup": 425,
                "futex": 98, "clock_gettime": 113},
}  # fmt: skip
_FUTEX_WAKE: Final = 1
_CLOCK_MONOTONIC: Final = 1
_word: Final = ctypes.c_int()
_time: Final = (ctypes.c_long * 2)()
_CLONE_NEWUSER: Final = 0x10000000


class Refused(Exception):
    """The wall held, at a place where the kernel has no error of its own for it."""


def serve(recv: Callable[[], bytes | None], send: Callable[[bytes], None]) -> None:
    """Answers frames. Each frame names an attack; the answer says how it went. The worst answer is
    "worked"."""
    while (frame := recv()) is not None:
        if frame == SPIN:
            end = time.process_time() + SPIN_S
            while time.process_time() < end:
                continue
            send(b"spun")
        else:
            send(_try(ATTACKS[frame.decode()][1]).encode())


def _try(attack: Callable[[], object]) -> str:
    try:
        attack()
    except (OSError, MemoryError, RuntimeError, ValueError, Refused) as error:
        return f"refused: {error}"
    return "worked"


def _read_a_file() -> None:
    with open("/etc/passwd", "rb") as file:
        file.read(1)


def _read_the_interpreter() -> None:
    with open(sys.executable, "rb") as file:
        file.read(1)


def _name_a_file() -> None:
    """Looks up a name that does not exist. The kernel caches the answer, so that another seat could
    tell by the time of its own lookup that somebody asked."""
    with suppress(FileNotFoundError):
        os.stat("/lib/matchbox-attack")


def _count_page_faults() -> None:
    resource.getrusage(resource.RUSAGE_SELF)


def _write_a_file() -> None:
    name = f"/tmp/matchbox-attack-{os.getpid()}"
    with open(name, "wb") as file:
        os.unlink(name)
        file.write(b"state for the next match")
        file.flush()


def _start_a_thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def _fork() -> None:
    if not os.fork():
        os._exit(0)


def _execute() -> None:
    os.execv(sys.executable, [sys.executable, "-c", ""])


def _vsock() -> None:
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()


def _call(name: str, *arguments: int) -> Callable[[], None]:
    def call() -> None:
        number = _CALLS.get(platform.machine(), {}).get(name, -1)
        if ctypes.CDLL(None, use_errno=True).syscall(number, *map(ctypes.c_long, arguments)) < 0:
            raise OSError(ctypes.get_errno(), name)

    return call


def _take_memory() -> None:
    pages = bytearray(4 * _GIB)
    pages[-1] = 1


def _lock_memory() -> None:
    mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _LOCKED).close()


def _advise_on_memory() -> None:
    """Gives advice that concerns only its own page and that every kernel takes."""
    with mmap.mmap(-1, mmap.PAGESIZE) as page:
        page.madvise(mmap.MADV_SEQUENTIAL)


def _find_a_descriptor() -> None:
    for descriptor in range(_DESCRIPTORS):
        if descriptor not in _OURS and _open(descriptor):
            return
    raise Refused("no descriptor but its own")


def _open(descriptor: int) -> bool:
    try:
        os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError as error:
        return error.errno != errno.EBADF
    return True


def _find_a_process() -> None:
    ours = (1, os.getpid(), os.getppid())
    if not any(os.path.exists(f"/proc/{pid}") for pid in range(_PIDS) if pid not in ours):
        raise Refused("no process but its own")


def _read_the_environment() -> None:
    if dict(os.environ) == dict(ENVIRONMENT):
        raise Refused("nothing but what every seat is given")


def _be_the_administrator() -> None:
    if 0 not in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()):
        raise Refused("an account without rights")


ATTACKS: Final[dict[str, tuple[str, Callable[[], object]]]] = {
    "read a file": ("landlock", _read_a_file),
    "name a file": ("seccomp:paths", _name_a_file),
    "count page faults": ("seccomp:counters", _count_page_faults),
    "read beside the library": ("landlock", _read_the_interpreter),
    "list the root": ("landlock", lambda: os.listdir("/")),
    "look at the host's files": ("root", lambda: os.stat("/etc/passwd")),
    "look at other processes": ("root", _find_a_process),
    "write a file": ("landlock", _write_a_file),
    "start a thread": ("seccomp:zygote", _start_a_thread),
    "fork": ("seccomp:zygote", _fork),
    "open a network socket": ("seccomp:list", lambda: socket.socket().close()),
    "open a local socket": ("seccomp:list", lambda: socket.socket(socket.AF_UNIX).close()),
    "open a socket to the host": ("seccomp:list", _vsock),
    "signal another process": ("seccomp:list", lambda: os.kill(1, 0)),
    "change another's limits": (
        "seccomp:zygote",
        lambda: resource.prlimit(1, resource.RLIMIT_NOFILE),
    ),
    "trace another process": ("seccomp:list", _call("ptrace", 0, 0, 0, 0)),
    "share memory": ("seccomp:list", _call("shmget", 7, 4096, 0o1600)),
    "lock a file": ("seccomp:list", _call("flock", 0, 1)),
    "wake another process": (
        "seccomp:futex",
        _call("futex", ctypes.addressof(_word), _FUTEX_WAKE, 1),
    ),
    "make a namespace": ("seccomp:list", _call("unshare", _CLONE_NEWUSER)),
    "go around the filter": ("seccomp:list", _call("io_uring_setup", 1, 0)),
    "read the machine's clock": (
        "own_clock",
        _call("clock_gettime", _CLOCK_MONOTONIC, ctypes.addressof(_time)),
    ),
    "keep memory in a file": ("seccomp:list", lambda: os.memfd_create("state")),
    "take memory": ("rlimits:AS", _take_memory),
    "lock memory": ("rlimits:MEMLOCK", _lock_memory),
    "advise on memory": ("seccomp:memory", _advise_on_memory),
    "find an open descriptor": ("descriptors", _find_a_descriptor),
    "read the environment": ("outer", _read_the_environment),
    "be the administrator": ("identity", _be_the_administrator),
    "execute a program": ("seccomp:list", _execute),
}
"""Each attack: its name, the layer or part that stops it, and the function that tries it. The last
one ends the seat if it works."""
