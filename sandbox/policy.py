"""Every limit of a seat, as data. Knows numbers and names; knows no kernel.

It is loaded on both sides of the wall, so it imports nothing but the standard library.
"""

from __future__ import annotations

import signal
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

LAYERS: Final = (
    *("root", "no_new_privs", "landlock", "identity", "dumpable"),
    *("own_clock", "descriptors", "rlimits", "seccomp"),
)
"""The inner wall, from the first step to the last. A test may leave out any of them by name."""

NOT_EVERYWHERE: Final = ("own_clock",)
"""Layers that some machines cannot have. Without them two seats of one owner may pass each other
notes, and no more: strangers may play all the same, and the report says that it is missing."""

_RLIMITS: Final = (
    *("AS", "CORE", "CPU", "FSIZE", "MEMLOCK", "MSGQUEUE", "NICE", "NOFILE", "NPROC", "RTPRIO"),
    *("SIGPENDING", "STACK"),
)

PARTS: Final = (
    *(f"rlimits:{name}" for name in _RLIMITS),
    *("seccomp:abi", "seccomp:list", "seccomp:paths", "seccomp:counters", "seccomp:zygote"),
    *("seccomp:futex", "seccomp:memory"),
)
"""What two of the layers are made of, each to be left out alone: every resource limit; and of the
filters the check of the ABI, the list of calls, those that take a path or count what others do,
what only the zygote may call, shared futexes, advice on memory."""

ENVIRONMENT: Final[Mapping[str, str]] = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
"""The whole environment of a bot, the same on every machine."""

STARTED: Final[Mapping[str, str]] = {**ENVIRONMENT, "LD_BIND_NOW": "1"}
"""What a zygote is started with: calls between libraries are linked at once. Every fork would link
those that it is the first to make, and have the memory copied where that is written down."""

NOBODY: Final = 65534
"""The user and group a bot sees itself as."""

HOST: Final = "box"
"""The name of the machine a bot sees."""

CHUNK_BYTES: Final = 60 * KIB
"""The longest part of a question that travels in one packet."""

QUESTION_BYTES: Final = 20 * MIB
"""The longest question a seat is sent: the 16 MiB of records that a bot learns from."""

SEATS_PER_ZYGOTE: Final = 1000
"""After so many seats a zygote is retired."""

HELLO: Final = b"ready"
"""The first packet of a fork, once its wall stands."""

FRAME_DECISIONS: Final = 10
"""A frame has the time of so many decisions at the most. Quick bots answer hundreds in it; one that
does not is asked in smaller ones, where each decision has all of its time."""

SERIAL_BYTES: Final = 8
"""Length of the number by which a zygote's answer is known to be of this seat."""

DESCRIPTORS: Final = struct.Struct("2i")
"""What comes with the limits of a seat: its channel, and the end of the pipe for its output."""

DEATH: Final = struct.Struct("idq?")
"""How a seat ended: its wait status, processor time in ms, most memory in bytes, and whether it
left its zygote as it was."""

TAG_BYTES: Final = 8
"""Length of the mark that ties an answer to its question."""

WHERE: Final = signal.SIGUSR1
"""Tells a fork whose time is over to print where it is, most recent call first."""

LAST_RESORT_S: Final = 24 * 3600
"""The kernel's own limit of processor time. It counts in ticks, which a bot can fool either way,
and it kills as if from outside: no bot may come near, the host's clock is what ends its time."""

NO_MEMORY: Final = 77
"""Exit code of a fork that ended in MemoryError."""

CONTAINER: Final[Mapping[str, object]] = {
    "network_mode": "none",
    "read_only": True,
    "cap_drop": ["ALL"],
    "user": f"{NOBODY}:{NOBODY}",
    "pids_limit": 32,
    "nano_cpus": 1_000_000_000,
    "ipc_mode": "private",
    # In place of the two writable directories that every container has.
    "tmpfs": dict.fromkeys(("/dev/shm", "/dev/mqueue"), "ro,noexec,nosuid,nodev,size=4k"),
    "log_config": {"type": "none"},
    "hostname": HOST,
    "working_dir": "/",
    "environment": STARTED,
    "auto_remove": True,
}
"""Every limit of a container but its memory and its system calls, by the name of the Docker SDK.
The inner wall stands behind each of them."""

CONTAINER_ROOM_MB: Final = 192
"""Memory of a container beyond that of its seat: what the zygote has, and the kernel for it. So a
seat meets its own limit first, and who killed it is never in doubt."""

STANDARD_LIBRARY: Final = tuple(
    name
    for line in (
        "abc argparse ast base64 bisect bz2 collections.abc contextlib contextvars copy ctypes",
        "dataclasses decimal enum fractions functools gc graphlib hashlib heapq",
        "importlib.machinery importlib.util inspect io itertools json keyword linecache logging",
        "lzma math numbers operator os pathlib pkgutil pprint random re reprlib resource signal",
        "statistics string struct sys textwrap threading time timeit token tokenize traceback",
        "types typing warnings weakref zlib",
    )
    for name in line.split()
)
"""What bots import most: loaded once in the zygote. The rest is imported from memory when asked
for: uuid too, which at once remembers the name of the machine that it is loaded on."""

EXTENSIONS: Final = tuple(
    name
    for line in (
        "_asyncio _bisect _blake2 _bz2 _contextvars _csv _ctypes _datetime _decimal _elementtree",
        "_hashlib _heapq _hmac _json _lsprof _lzma _md5 _multiprocessing _opcode _pickle",
        "_posixshmem _posixsubprocess _queue _random _sha1 _sha2 _sha256 _sha3 _sha512 _socket",
        "_statistics _struct _typing _zoneinfo array audioop binascii cmath fcntl grp math mmap",
        "pyexpat resource select termios unicodedata zlib",
    )
    for name in line.split()
)
"""The library's modules of machine code that a seat can import, where this Python has them in files
of their own. All are mapped before the wall goes up, and every fork pays a little for each. So some
are left out: codecs of East Asian languages, and what talks to databases, terminals, devices and
services of the machine."""


LIBRARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "numpy": (
        *("numpy", "numpy.char", "numpy.ctypeslib", "numpy.dtypes", "numpy.exceptions"),
        *("numpy.fft", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random"),
        *("numpy.rec", "numpy.strings", "numpy.typing", "numpy.lib.recfunctions"),
        *("numpy.lib.scimath", "numpy.lib.stride_tricks"),
    ),
}
"""What a box can hold beside the standard library, each with the modules that are loaded at once:
nothing of them can be read later."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot may use in one seat. Times are milliseconds, sizes bytes or MiB as named.

    Attributes:
        cpu_ms: processor time of one decision.
        wall_factor: charged wall time allowed, as a multiple of the processor time.
        start_cpu_ms: processor time of loading the bot.
        bank_ms: time of all decisions of a match together: processor time and what is slept.
        off_turn_ms: processor time between an answer and the next question. It is charged to the
            bank; the limit leaves room for what a crowded host takes and the kernel books as ours.
        restless_ms: after more of that than this, a seat is stopped whenever it is not asked, so
            that it cannot measure by what it does meanwhile how long others take.
        patience_ms: wall time after which a seat that gets no processor is the platform's fault.
        memory_mb: address space above the warm zygote's own.
        answer_bytes: longest answer to one question.
        report_bytes: beside it, for diagnostics on the move; none where they are not asked for.
        envelope_bytes: what a frame of answers may hold beside them.
        frame_bytes: longest frame of answers.
        log_bytes: what is kept of a bot's output.
    """

    cpu_ms: int = 1000
    wall_factor: int = 4
    start_cpu_ms: int = 5000
    bank_ms: int = 60_000
    off_turn_ms: int = 500
    restless_ms: float = 0.2
    patience_ms: int = 120_000
    memory_mb: int = 256
    answer_bytes: int = 256
    report_bytes: int = 0
    envelope_bytes: int = KIB
    frame_bytes: int = 64 * KIB
    log_bytes: int = 16 * KIB

    def longest_answer(self, decisions: int) -> int:
        """How many bytes the frame that answers so many questions may have."""
        whole = self.envelope_bytes + decisions * (self.answer_bytes + self.report_bytes)
        return whole if whole < self.frame_bytes else self.frame_bytes


@dataclass(frozen=True, slots=True)
class Engine:
    """What a box of the kind `docker` is told beside its program.

    Attributes:
        runtime: the engine's name of it, such as "runsc"; empty is the engine's own choice.
        sockets: a directory that engine and worker see under the same path; empty is the usual.
        modules: what the image holds beside the program, so that several share one.
    """

    runtime: str = ""
    sockets: str = ""
    modules: tuple[str, ...] = ()


LEARN_CPU_MS: Final = 10_000
"""Processor time for learning between two rounds."""

LEARN_MEMORY_MB: Final = 512
"""Memory while it learns."""

LEARN_ANSWER_BYTES: Final = 90 * KIB
"""The longest memory, 64 KiB, in base64 and a little more."""


def learning(limits: Limits) -> Limits:
    """The limits of a bot that learns instead of playing: one long decision, a long answer."""
    return replace(
        limits,
        cpu_ms=LEARN_CPU_MS,
        bank_ms=LEARN_CPU_MS * limits.wall_factor,
        memory_mb=max(LEARN_MEMORY_MB, limits.memory_mb),
        answer_bytes=LEARN_ANSWER_BYTES,
        frame_bytes=LEARN_ANSWER_BYTES,
    )


@dataclass(frozen=True, slots=True)
class Wall:
    """Which layers of the inner wall go up. Only tests leave one out, to see what it stops."""

    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = set(self.drop) - {*LAYERS, *PARTS}
        if unknown:
            raise ValueError(f"no such layer of the wall: {', '.join(sorted(unknown))}")

    def has(self, layer: str) -> bool:
        """True where the layer goes up, or the part of one."""
        return layer not in self.drop and layer.partition(":")[0] not in self.drop


STANDING: Final[Mapping[str, int]] = {
    "RLIMIT_CORE": 0,
    "RLIMIT_CPU": LAST_RESORT_S,
    "RLIMIT_FSIZE": 0,
    "RLIMIT_MEMLOCK": 0,
    "RLIMIT_MSGQUEUE": 0,
    "RLIMIT_NICE": 0,
    "RLIMIT_RTPRIO": 0,
    "RLIMIT_SIGPENDING": 16,
    "RLIMIT_STACK": 8 * MIB,
}
"""The resource limits that a zygote can do with too: its seats have them from it."""


def rlimits(limits: Limits, baseline_bytes: int) -> dict[str, int]:
    """The other resource limits of a bot's process, by name in `resource`; soft and hard alike.

    `baseline_bytes` is the address space of the zygote it is forked from.
    """
    return {
        "RLIMIT_AS": baseline_bytes + limits.memory_mb * MIB,
        "RLIMIT_NOFILE": 32,
        "RLIMIT_NPROC": 0,
    }
