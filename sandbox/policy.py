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
"""The layers of the inner wall, in the order in which they go up. A test may leave out any."""

NOT_EVERYWHERE: Final = ("own_clock",)
"""Layers that some machines cannot have. Without them, two seats of one owner may be able to pass
notes to each other, but nothing worse. Strangers' bots may still play; the report names the
missing layer."""

_RLIMITS: Final = (
    *("AS", "CORE", "CPU", "FSIZE", "MEMLOCK", "MSGQUEUE", "NICE", "NOFILE", "NPROC", "RTPRIO"),
    *("SIGPENDING", "STACK"),
)

PARTS: Final = (
    *(f"rlimits:{name}" for name in _RLIMITS),
    *("seccomp:abi", "seccomp:list", "seccomp:paths", "seccomp:counters", "seccomp:zygote"),
    *("seccomp:futex", "seccomp:memory"),
)
"""The parts of the layers `rlimits` and `seccomp`, each of which a test may leave out: every
resource limit; and of the filters the check of the ABI, the list of calls, calls that take a path,
calls that count what others do, calls that only the zygote may make, shared futexes, advice on
memory."""

ENVIRONMENT: Final[Mapping[str, str]] = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
"""The whole environment of a bot, the same on every machine."""

ZYGOTE_ENVIRONMENT: Final[Mapping[str, str]] = {
    **ENVIRONMENT,
    "LD_BIND_NOW": "1",
    "GLIBC_TUNABLES": "glibc.pthread.rseq=0",
}
"""The environment of a zygote. It makes the zygote link all calls between libraries at its start.
Otherwise each fork would link a call when it first makes it, and copy the memory that records
the link. And the kernel does not write the processor's number into the memory of seats (`rseq`)."""

NOBODY: Final = 65534
"""The user and group that a bot runs as."""

HOST: Final = "box"
"""The host name that a bot sees."""

CHUNK_BYTES: Final = 60 * KIB
"""The longest part of a question that fits one packet."""

QUESTION_BYTES: Final = 20 * MIB
"""The longest question to a seat: it has room for the 16 MiB of records that a bot learns from."""

SEATS_PER_ZYGOTE: Final = 1000
"""A zygote is retired after this many seats."""

HELLO: Final = b"ready"
"""The first packet of a fork, once its wall stands."""

FRAME_DECISIONS: Final = 10
"""A frame gets the time of this many decisions at most. Quick bots answer hundreds of questions in
that time. Slow bots get smaller frames, in which each decision has its full time."""

SERIAL_BYTES: Final = 8
"""Length of the number that ties a zygote's answer to this seat."""

DESCRIPTORS: Final = struct.Struct("2i")
"""The descriptors sent with the limits of a seat: its channel, and the pipe for its output."""

EXIT_STATUS: Final = struct.Struct("idq?")
"""The end of a seat: its wait status, processor time in ms, most memory in bytes, and whether it
left its zygote unchanged."""

TAG_BYTES: Final = 8
"""Length of the mark that ties an answer to its question."""

PRINT_STACK: Final = signal.SIGUSR1
"""The signal that makes a fork whose time is over print its stack, most recent call first."""

LAST_RESORT_S: Final = 24 * 3600
"""The kernel's own limit of processor time, which no bot should ever reach. It counts in ticks: a
bot can make them count too much or too little. Its kill cannot be told from one that came from
outside. So the host's clock ends a bot's time, not this limit."""

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
    # These take the place of the two writable directories that every container has.
    "tmpfs": dict.fromkeys(("/dev/shm", "/dev/mqueue"), "ro,noexec,nosuid,nodev,size=4k"),
    "log_config": {"type": "none"},
    "hostname": HOST,
    "working_dir": "/",
    "environment": ZYGOTE_ENVIRONMENT,
    "auto_remove": True,
}
"""Every limit of a container except memory and system calls, by the name that the Docker SDK uses.
The inner wall stands behind each of them."""

CONTAINER_ROOM_MB: Final = 192
"""Memory of a container beyond its seat's, for the zygote and the kernel. So a seat reaches its own
limit first, and the cause of its end is always clear."""

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
"""The modules that bots import most: loaded once, in the zygote. Others are imported from memory on
demand. That includes uuid, which remembers the host name of the machine that loads it."""

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
"""The standard library's extension modules that a seat can import, where this Python has them in
files of their own. All are mapped before the wall goes up, and each costs every fork a little. So
some are left out: codecs of East Asian languages, and modules for databases, terminals, devices and
services of the machine."""

LIBRARIES: Final[Mapping[str, tuple[str, ...]]] = {
    "numpy": (
        *("numpy", "numpy.char", "numpy.ctypeslib", "numpy.dtypes", "numpy.exceptions"),
        *("numpy.fft", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random"),
        *("numpy.rec", "numpy.strings", "numpy.typing", "numpy.lib.recfunctions"),
        *("numpy.lib.scimath", "numpy.lib.stride_tricks"),
    ),
}
"""The packages that a box can hold beside the standard library, each with the modules that are
loaded at once: no module of theirs can be loaded later."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one bot in one seat. Times are milliseconds, sizes bytes or MiB as named.

    Attributes:
        cpu_ms: processor time of one decision.
        wall_factor: charged wall time allowed, as a multiple of the processor time.
        start_cpu_ms: processor time of loading the bot.
        bank_ms: time for all decisions of a match together: processor time and sleep.
        off_turn_ms: processor time between an answer and the next question. It is charged to the
            bank; the limit allows for time that a crowded host takes and the kernel books as ours.
        restless_ms: a seat that uses more than this between two questions is halted between
            questions from then on. Otherwise it could measure how long others think.
        patience_ms: if a seat gets no processor for this much wall time, the platform is at fault.
        memory_mb: address space above the warm zygote's own.
        answer_bytes: longest answer to one question.
        report_bytes: further room for diagnostics on the move; 0 if they are not wanted.
        envelope_bytes: what a frame of answers may hold beside the answers.
        frame_bytes: longest frame of answers.
        log_bytes: how much of a bot's output is kept.
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
        """The longest frame, in bytes, that may answer this many questions."""
        whole = self.envelope_bytes + decisions * (self.answer_bytes + self.report_bytes)
        return whole if whole < self.frame_bytes else self.frame_bytes


@dataclass(frozen=True, slots=True)
class Engine:
    """Settings of a box of the kind `docker`, beside its program.

    Attributes:
        runtime: the engine's name for a runtime, such as "runsc"; empty is the engine's default.
        sockets: a directory that engine and worker see under the same path; empty is the default.
        modules: further modules in the image, so that several programs can share it.
    """

    runtime: str = ""
    sockets: str = ""
    modules: tuple[str, ...] = ()


LEARN_CPU_MS: Final = 10_000
"""Processor time for learning between two rounds, in milliseconds."""

LEARN_MEMORY_MB: Final = 512
"""Memory for learning, in MiB."""

LEARN_ANSWER_BYTES: Final = 90 * KIB
"""The longest memory, 64 KiB, in base64 with a little to spare."""


def learning_limits(limits: Limits) -> Limits:
    """The limits of a bot that learns instead of playing: one long decision with a long answer."""
    return replace(
        limits,
        cpu_ms=LEARN_CPU_MS,
        bank_ms=LEARN_CPU_MS * limits.wall_factor,
        memory_mb=max(LEARN_MEMORY_MB, limits.memory_mb),
        answer_bytes=LEARN_ANSWER_BYTES,
        frame_bytes=LEARN_ANSWER_BYTES,
    )


def longest_answer_ms(limits: Limits) -> int:
    """The most wall time that a bot may take for one answer: to load, to a frame, in a lesson."""
    lesson = learning_limits(limits)
    budgets = (
        (min(FRAME_DECISIONS * limits.cpu_ms, limits.bank_ms), limits.bank_ms),
        (limits.start_cpu_ms, max(limits.bank_ms, lesson.bank_ms)),
        (lesson.cpu_ms, lesson.bank_ms),
    )
    return max(min(budget * limits.wall_factor, max(budget, bank)) for budget, bank in budgets)


@dataclass(frozen=True, slots=True)
class Wall:
    """The layers of the inner wall that go up. Only tests leave one out, to see what it stops."""

    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = set(self.drop) - {*LAYERS, *PARTS}
        if unknown:
            raise ValueError(f"no such layer of the wall: {', '.join(sorted(unknown))}")

    def has(self, layer: str) -> bool:
        """Whether this layer, or this part of a layer, goes up."""
        return layer not in self.drop and layer.partition(":")[0] not in self.drop


ZYGOTE_LIMITS: Final[Mapping[str, int]] = {
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
"""The resource limits that a zygote can have too: its seats inherit them."""


def rlimits(limits: Limits, baseline_bytes: int) -> dict[str, int]:
    """The other resource limits of a bot's process, by name in `resource`; soft and hard alike.

    `baseline_bytes` is the address space of the zygote that it is forked from.
    """
    return {
        "RLIMIT_AS": baseline_bytes + limits.memory_mb * MIB,
        "RLIMIT_NOFILE": 32,
        "RLIMIT_NPROC": 0,
    }
