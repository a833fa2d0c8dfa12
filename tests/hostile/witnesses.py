"""Proofs that an attack has worked: observations from outside, or a value that the bot could not
know.

Knows the kernel's files about processes; knows no attack. A witness is entered before the match,
looks at every seat after each of its answers, and in the end says whether the attack worked. If it
has a place of its own, the bot's file gets that place for @PLACE@.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import platform
import re
import resource
import secrets
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sandbox.meter import is_asleep
from sandbox.program import LIBRARY

if TYPE_CHECKING:
    from sandbox.box_seat import BoxSeat

BYSTANDER: Final = secrets.token_hex(8)
"""The content of a file beside the platform's code, in the boxes in which a layer is tested."""

_FUTEX: Final = {"x86_64": 202, "aarch64": 98}
_PACKETS: Final = "0005"
_BORROWED: Final = (
    *("this", "antigravity", "rlcompleter", "pyclbr"),
    *("tabnanny", "stringprep", "symtable", "modulefinder"),
)
"""Files of the library that are hardly ever read."""


@dataclass
class AttackResult:
    """The result of the matches: the attacker's output, and whether one was void."""

    logs: list[str] = field(default_factory=list)
    void: bool = False


class Witness:
    """A witness that sees nothing."""

    place = ""
    awaits = False
    """True if it must look while an answer is still awaited."""
    lasting = False
    """True if the attack's effect outlives the seat, so that the box cannot be used for other
    attacks."""

    of_the_machine = False
    """True if it looks at something that all processes here share: only one test at a time may do
    so."""

    def __init__(self) -> None:
        self.found = False
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def look(self, seat: BoxSeat) -> None:
        """Looks at an open seat. Raises OSError if its process is gone."""

    def seen(self, outcome: AttackResult) -> bool:
        """Whether the attack worked."""
        return self.found


class Canary(Witness):
    """A value in a place that no bot may read, and in its output if it has."""

    value = BYSTANDER

    def seen(self, outcome: AttackResult) -> bool:
        return any(self.value in re.split(r"[^\w.-]+", log) for log in outcome.logs)


class Machine(Canary):
    """A fact about the whole machine, which `fact` returns."""

    def __init__(self, fact: str) -> None:
        super().__init__()
        disk = os.statvfs(LIBRARY)
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.place = str(LIBRARY)
        facts = {"name": platform.node(), "memory": pages, "disk": disk.f_blocks}
        self.value = str(facts[fact])


class Place(Canary):
    """Something outside of the box: the value is its size, or the target of its link."""

    def __init__(self, as_link: bool = False) -> None:
        super().__init__()
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory()))
        place = folder / "secret"
        self.place = str(place)
        if as_link:
            self.value = secrets.token_hex(8)
            place.symlink_to(self.value)
        else:
            size = 1000 + secrets.randbelow(1_000_000)
            self.value = str(size)
            place.write_bytes(bytes(size))


class Neighbour(Canary):
    """A process of this machine: the value is its number, and the place a guess in thousands."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-c", "input()"]
        live = self._open.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))
        self._open.callback(live.kill)
        self.value = str(live.pid)
        self.place = str(live.pid // 1000 * 1000)
        return self


class Carried(Witness):
    """A value that one process left and another found."""

    def seen(self, outcome: AttackResult) -> bool:
        text = "\n".join(outcome.logs)
        left = set(re.findall(r"left (\w+)", text))
        return bool(left & set(re.findall(r"found (\w+)", text)))


class Note(Carried):
    """The same, with names of missing files in the library's directory, which differ in each
    run."""

    def __init__(self) -> None:
        super().__init__()
        self.place = f"{LIBRARY}/{secrets.token_hex(8)}"


class Forks(Witness):
    """Numbers of the attacker's processes in their own namespace, more than one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: set[str] = set()

    def look(self, seat: BoxSeat) -> None:
        self._numbers.add(_status(seat.pid)["NSpid"].split()[-1])

    def seen(self, outcome: AttackResult) -> bool:
        return len(self._numbers & set(re.findall(r"number (\w+)", "\n".join(outcome.logs)))) > 1


class Void(Witness):
    """A match that does not count, or a fault of the honest bot."""

    def seen(self, outcome: AttackResult) -> bool:
        return outcome.void


class Status(Witness):
    """A line of the process's status: a number above `most`, or the word `word`."""

    def __init__(self, line: str, most: int = 0, word: str = "") -> None:
        super().__init__()
        self._line, self._most, self._word = line, most, word
        self.awaits = line == "State"

    def look(self, seat: BoxSeat) -> None:
        words = _status(seat.pid).get(self._line, "0").split()
        if self._word:
            self.found |= words[0] == self._word
        else:
            self.found |= int(words[0]) > self._most


class Apart(Witness):
    """A line about the process that differs from its maker's. In every other seat they are
    equal."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self._line = line

    def look(self, seat: BoxSeat) -> None:
        own = _status(seat.pid)
        self.found |= own[self._line].split()[0] != _status(int(own["PPid"]))[self._line].split()[0]


class Socket(Witness):
    """A socket in the seat's network. There is none, except the one of its channel."""

    def __init__(self, kinds: list[str]) -> None:
        super().__init__()
        self._kinds = kinds

    def look(self, seat: BoxSeat) -> None:
        for kind in self._kinds:
            lines = Path(f"/proc/{seat.pid}/net/{kind}").read_text().splitlines()[1:]
            self.found |= any(kind != "unix" or line.split()[4] != _PACKETS for line in lines)


class Scheduling(Witness):
    """Another scheduling of the seat, or of the process that it was forked from."""

    lasting = True

    def look(self, seat: BoxSeat) -> None:
        zygote = int(_status(seat.pid)["PPid"])
        self.found |= os.sched_getscheduler(seat.pid) != os.sched_getscheduler(0)
        self.found |= os.sched_getaffinity(seat.pid) != os.sched_getaffinity(zygote)
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        self.found |= os.getpriority(os.PRIO_PROCESS, zygote) > ours


class Zygote(Witness):
    """A lower limit of the process from which seats are forked."""

    lasting = True

    def look(self, seat: BoxSeat) -> None:
        _, hard = resource.prlimit(int(_status(seat.pid)["PPid"]), resource.RLIMIT_NOFILE)
        self.found |= hard < resource.getrlimit(resource.RLIMIT_NOFILE)[1]


class Lock(Witness):
    """A file of the library that we cannot lock, because another process has."""

    of_the_machine = True
    place = str(LIBRARY)

    def look(self, seat: BoxSeat) -> None:
        with open(os.__file__, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.found = True


class Record(Witness):
    """A part of the library's file that another process has locked."""

    of_the_machine = True
    place = str(LIBRARY)

    def look(self, seat: BoxSeat) -> None:
        wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        with open(os.__file__, "rb") as file:
            lock = fcntl.fcntl(file, fcntl.F_GETLK, wanted)
        self.found |= struct.unpack_from("h", lock)[0] != fcntl.F_UNLCK


class Pipe(Witness):
    """The pipe for a bot's output, larger than it was."""

    def look(self, seat: BoxSeat) -> None:
        self.found |= fcntl.fcntl(seat._output, fcntl.F_GETPIPE_SZ) > 64 * 1024


class Waiter(Witness):
    """A thread of ours that waits on a page of the C library, and was woken by another process."""

    of_the_machine = True

    def __enter__(self) -> Self:
        code = (
            "import ctypes, os\n"
            "libc = ctypes.CDLL(None)\n"
            "page = ctypes.cast(libc.getenv, ctypes.c_void_p).value // 4096 * 4096\n"
            "word = ctypes.cast(page, ctypes.POINTER(ctypes.c_int))[0]\n"
            "print('waits', flush=True)\n"
            f"number = {_FUTEX[platform.machine()]}\n"
            "libc.syscall(number, ctypes.c_void_p(page), 0, word, None, None, 0)\n"
            "os._exit(0)\n"
        )
        self._waiter = self._open.enter_context(
            subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        )
        self._open.callback(self._waiter.kill)
        assert self._waiter.stdout is not None
        self._waiter.stdout.readline()
        while not is_asleep(self._waiter.pid):
            time.sleep(0.01)
        return self

    def seen(self, outcome: AttackResult) -> bool:
        try:
            return self._waiter.wait(timeout=3) == 0
        except subprocess.TimeoutExpired:
            return False


class Cache(Witness):
    """The pages of the library that the machine holds in memory."""

    of_the_machine = True
    place = str(LIBRARY)

    def __init__(self, evicted: bool = False) -> None:
        super().__init__()
        self._evicted = evicted
        self._bits = secrets.randbelow(255) + 1

    def __enter__(self) -> Self:
        self._lay()
        return self

    def look(self, seat: BoxSeat) -> None:
        # A request for a page makes the machine read it, often before the answer: one try is not
        # enough.
        if not self._evicted:
            self._lay()

    def _lay(self) -> None:
        for at, name in enumerate(_BORROWED):
            _load(LIBRARY / f"{name}.py", self._evicted or bool(self._bits >> at & 1))

    def seen(self, outcome: AttackResult) -> bool:
        if self._evicted:
            return not _resident(LIBRARY / f"{_BORROWED[0]}.py")
        return any(f"cached {self._bits}\n" in log for log in outcome.logs)


class Heard(Canary):
    """A file of the library that we open while the bot is playing."""

    place = str(LIBRARY)

    def __enter__(self) -> Self:
        self.value = f"{secrets.choice(_BORROWED)}.py"
        return self

    def look(self, seat: BoxSeat) -> None:
        (LIBRARY / self.value).read_bytes()


class Clock(Witness):
    """A time of the machine, in seconds or processor cycles, that the bot has printed."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._now = _cycles if unit == "cycles" else _seconds

    def __enter__(self) -> Self:
        self._begun = self._now()
        return self

    def seen(self, outcome: AttackResult) -> bool:
        times = re.findall(r"clock (\d+)", "\n".join(outcome.logs))
        return any(self._begun <= int(at) <= self._now() for at in times)


class Pause(Witness):
    """A pause of ours, in milliseconds, printed by a bot that was not asked meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self._pause = 400 + secrets.randbelow(200)
        self._left = 8

    def look(self, seat: BoxSeat) -> None:
        if self._left:
            self._left -= 1
            time.sleep(self._pause / 1000)

    def seen(self, outcome: AttackResult) -> bool:
        waited = [int(ms) for log in outcome.logs for ms in re.findall(r"waited (\d+)", log)]
        # After its own answer, once its rival was loaded, and after each of its rival's answers.
        return any(0 <= ms - many * self._pause < 100 for ms in waited for many in range(1, 7))


WITNESSES: Final = {
    one.__name__.lower(): one
    for one in (Canary, Machine, Place, Neighbour, Carried, Note, Forks, Void, Status, Apart,
                Socket, Scheduling, Zygote, Lock, Record, Pipe, Waiter, Cache, Heard,
                Clock, Pause)
}  # fmt: skip


def _seconds() -> int:
    return int(time.time())


def _cycles() -> int:
    """The processor's counter, on x86-64."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes.fromhex("0f31 48c1e220 4809d0 c3"))
    place = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return int(ctypes.CFUNCTYPE(ctypes.c_uint64)(place)())


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _load(path: Path, wanted: bool) -> None:
    """Loads these pages into the machine's memory, or removes them."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if wanted:
            file.read()


def _resident(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            return bool(os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT))
        except BlockingIOError:
            return False
