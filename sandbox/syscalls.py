"""The system calls that a bot may make, as data, and the filter program that enforces the list.

Knows the call numbers of two architectures and the layout of a classic BPF program; calls no
kernel, so a small interpreter can test every rule. It is loaded on both sides of the wall.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
REFUSE: Final = 0x00050000 | errno.EPERM
ABSENT: Final = 0x00050000 | errno.ENOSYS
RETURN_ZERO: Final = 0x00050000
"""The call is not made, and returns 0."""
TIMED_OUT: Final = 0x00050000 | errno.ETIMEDOUT
"""The call is not made, and fails as if its timeout were over."""


def _names(*lines: str) -> frozenset[str]:
    return frozenset(name for line in lines for name in line.split())


BOT: Final = _names(
    # Messages, and other descriptors that are already open.
    "read write readv writev pread64 lseek close",
    # Memory, and waiting within the process.
    "brk mmap mremap munmap mprotect madvise futex sched_yield restart_syscall",
    "poll ppoll select pselect6 nanosleep clock_nanosleep",
    # Signals that it sends to itself by a timer, and their handlers.
    "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack alarm getitimer setitimer",
    # Reading the clock, and its own identity.
    "clock_gettime clock_getres gettimeofday time getrandom getuid geteuid getgid getegid",
    "exit exit_group",
)
"""All calls that a bot may make. Every other call is refused with EPERM."""

TIMERS: Final = _names("alarm getitimer setitimer clock_getres gettimeofday time")
"""Calls that reveal the machine's time, or send signals at a time. They are refused in a seat with
a clock of its own."""

WAITS: Final = _names("poll ppoll select pselect6 nanosleep clock_nanosleep sched_yield")
"""Calls that wait for a time, or poll. Where a seat has a clock of its own, they return 0 at once:
otherwise a bot could learn from them how long something else has taken."""

ZYGOTE: Final = _names(
    # Needed to fork a seat, hand it its descriptors, and wait for its end.
    "clone fork vfork set_robust_list rseq set_tid_address wait4 waitid",
    "recvmsg recvfrom sendmsg sendto dup dup2 dup3 pipe2 fcntl close_range",
    # Needed to raise the second step of the wall in the fork.
    "prlimit64 getrlimit setrlimit prctl seccomp",
)
"""Further calls that the zygote needs. A bot loses them before its first line."""

PATHS: Final = _names(
    "open openat stat lstat fstat newfstatat statx access faccessat faccessat2 getdents64",
    "readlink readlinkat getcwd",
)
"""Calls that take the name of a file, or describe one. The kernel remembers which names any process
has asked for, found or not, and the time of an answer reveals it: so a seat may not name any file.
Nor may it ask about an open pipe, whose inode number counts all pipes of the machine."""

COUNTERS: Final = _names("getpid getppid gettid getrusage times uname sched_getaffinity")
"""Calls that reveal the activity of others, or their processor. Process numbers count earlier
forks, and page faults show which pages somebody has read."""

UNIMPLEMENTED: Final = frozenset(("clone3",))
"""Calls answered with "no such call", so that the C library falls back on the older one."""

PARTS_OF_LIST: Final[Mapping[str, frozenset[str]]] = {
    "seccomp:paths": PATHS,
    "seccomp:counters": COUNTERS,
}
"""Calls that neither zygote nor bot may make, but that Python starts with. A test may allow them
again to a seat, by these names."""

_NUMBERS: Final = """
read 0 63, write 1 64, open 2 -, close 3 57, stat 4 -, fstat 5 80, lstat 6 -, poll 7 -, lseek 8 62,
mmap 9 222, mprotect 10 226, munmap 11 215, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135,
rt_sigreturn 15 139, pread64 17 67, readv 19 65, writev 20 66, access 21 -, select 23 -,
sched_yield 24 124, mremap 25 216, madvise 28 233, dup 32 23, dup2 33 -, nanosleep 35 101,
getitimer 36 102, alarm 37 -, setitimer 38 103, getpid 39 172, sendto 44 206, recvfrom 45 207,
sendmsg 46 211, recvmsg 47 212, clone 56 220, fork 57 -, vfork 58 -, exit 60 93, wait4 61 260,
uname 63 160, fcntl 72 25, getcwd 79 17, readlink 89 -, gettimeofday 96 169, getrlimit 97 163,
getrusage 98 165, times 100 153, getuid 102 174, getgid 104 176, geteuid 107 175, getegid 108 177,
getppid 110 173, sigaltstack 131 132, prctl 157 167, setrlimit 160 164, gettid 186 178, time 201 -,
futex 202 98, sched_getaffinity 204 123, getdents64 217 61, set_tid_address 218 96,
restart_syscall 219 128, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115,
exit_group 231 94, waitid 247 95, openat 257 56, newfstatat 262 79, readlinkat 267 78,
faccessat 269 48, pselect6 270 72, ppoll 271 73, set_robust_list 273 99, dup3 292 24, pipe2 293 59,
prlimit64 302 261, seccomp 317 277, getrandom 318 278, statx 332 291, rseq 334 293,
clone3 435 435, close_range 436 436, faccessat2 439 439
"""

_Line: TypeAlias = tuple[int, int, int, int]
"""One instruction: code, how many lines to jump if true, how many if false, and its value."""

Has: TypeAlias = Callable[[str], bool]
"""Says whether a part of the filters is in force, by its name in policy.py."""


def _all_parts(_: str) -> bool:
    """All parts are in force, as everywhere except in tests."""
    return True


@dataclass(frozen=True, slots=True)
class Architecture:
    """One machine: its identifier in filters, its call numbers, and where a foreign ABI begins."""

    audit: int
    numbers: dict[str, int]
    foreign_from: int | None


def _architectures() -> dict[str, Architecture]:
    rows = [row.split() for row in _NUMBERS.replace("\n", " ").split(",")]
    tables = [{r[0]: int(r[column]) for r in rows if r[column] != "-"} for column in (1, 2)]
    return {
        # From 0x40000000 on, the x32 ABI gives the same calls other numbers.
        "x86_64": Architecture(0xC000003E, tables[0], 0x40000000),
        "aarch64": Architecture(0xC00000B7, tables[1], None),
    }


ARCHITECTURES: Final = _architectures()


def current_architecture() -> Architecture | None:
    """This machine's architecture, or None if its call numbers are not known."""
    return ARCHITECTURES.get(os.uname().machine)


_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AND: Final = 0x54
_NUMBER_AT, _AUDIT_AT = 0, 4
_FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT, _THIRD_ARGUMENT_AT, _FOURTH_ARGUMENT_AT = 16, 24, 32, 40
_FUTEX_PRIVATE, _FUTEX_OPERATION = 128, 127
_FUTEX_WAIT, _FUTEX_WAKE, _FUTEX_WAIT_BITSET, _FUTEX_WAKE_BITSET = 0, 1, 9, 10
_PROCESS_CLOCK, _THREAD_CLOCK = 2, 3
_DONT_NEED, _FREE = 4, 8
_HUGE_PAGES: Final = 0x40000


def zygote_filter(arch: Architecture, has: Has = _all_parts, *, own_clock: bool = False) -> bytes:
    """The first filter: allows everything that zygote or bot needs, and nothing else.

    `own_clock` says that the process has a clock of its own, and must not see any other.
    """
    otherwise = REFUSE if has("seccomp:list") else ALLOW
    left = [PARTS_OF_LIST[part] for part in PARTS_OF_LIST if not has(part)]
    known = {ABSENT: UNIMPLEMENTED, ALLOW: BOT.union(ZYGOTE, *left)}
    if not own_clock:
        return _program(arch, known, otherwise, has)
    first = [*_own_clocks(arch), *_untimed_futexes(arch)]
    return _program(arch, {REFUSE: TIMERS, RETURN_ZERO: WAITS, **known}, otherwise, has, first)


def bot_filter(arch: Architecture, has: Has = _all_parts) -> bytes:
    """The second filter, on top of the first: takes away the calls that only the zygote needs."""
    taken = {REFUSE: ZYGOTE} if has("seccomp:zygote") else {}
    first = _private_futexes(arch) if has("seccomp:futex") else []
    if has("seccomp:memory"):
        first += _own_memory(arch)
    return _program(arch, taken, ALLOW, has, first)


def answer_filter(number: int, code: int) -> bytes:
    """A filter that answers this one call with an error, and allows all others."""
    tried = _group([number], ABSENT & ~0xFFFF | code)
    lines = [(_LOAD, 0, 0, _NUMBER_AT), *tried, (_RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _private_futexes(arch: Architecture) -> list[_Line]:
    """Refuses a futex that other processes could see: two bots could wake each other through a file
    of the library that both have mapped."""
    return [
        (_EQUAL, 0, 4, arch.numbers["futex"]),
        (_LOAD, 0, 0, _SECOND_ARGUMENT_AT),
        (_ANY_BIT, 1, 0, _FUTEX_PRIVATE),
        (_RETURN, 0, 0, REFUSE),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]


def _own_memory(arch: Architecture) -> list[_Line]:
    """Lets a bot give its own memory back. Refuses all other advice on memory, which can change
    pages that other processes share, or whether pages are shared. Also refuses memory from the
    machine's pool of huge pages, which is shared."""
    return [
        (_EQUAL, 0, 5, arch.numbers["madvise"]),
        (_LOAD, 0, 0, _THIRD_ARGUMENT_AT),
        (_EQUAL, 2, 0, _DONT_NEED),
        (_EQUAL, 1, 0, _FREE),
        (_RETURN, 0, 0, REFUSE),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_EQUAL, 0, 4, arch.numbers["mmap"]),
        (_LOAD, 0, 0, _FOURTH_ARGUMENT_AT),
        (_ANY_BIT, 0, 1, _HUGE_PAGES),
        (_RETURN, 0, 0, REFUSE),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]


def _own_clocks(arch: Architecture) -> list[_Line]:
    """Refuses every clock except those of the process itself."""
    return [
        (_EQUAL, 0, 5, arch.numbers["clock_gettime"]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_EQUAL, 2, 0, _PROCESS_CLOCK),
        (_EQUAL, 1, 0, _THREAD_CLOCK),
        (_RETURN, 0, 0, REFUSE),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]


def _untimed_futexes(arch: Architecture) -> list[_Line]:
    """Allows a process to wait on a futex of its own without a timeout, and to wake itself. A wait
    with a timeout ends at once."""
    return [
        (_EQUAL, 0, 13, arch.numbers["futex"]),
        (_LOAD, 0, 0, _SECOND_ARGUMENT_AT),
        (_AND, 0, 0, _FUTEX_OPERATION),
        (_EQUAL, 9, 0, _FUTEX_WAKE),
        (_EQUAL, 8, 0, _FUTEX_WAKE_BITSET),
        (_EQUAL, 2, 0, _FUTEX_WAIT),
        (_EQUAL, 1, 0, _FUTEX_WAIT_BITSET),
        (_RETURN, 0, 0, REFUSE),
        (_LOAD, 0, 0, _FOURTH_ARGUMENT_AT),
        (_EQUAL, 0, 2, 0),
        (_LOAD, 0, 0, _FOURTH_ARGUMENT_AT + 4),
        (_EQUAL, 1, 0, 0),
        (_RETURN, 0, 0, TIMED_OUT),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]


def _program(
    arch: Architecture,
    rules: Mapping[int, Collection[str]],
    otherwise: int,
    has: Has,
    first: Sequence[_Line] = (),
) -> bytes:
    """The filter as an array of `struct sock_filter`, eight bytes each."""
    lines = [*(_native(arch) if has("seccomp:abi") else ()), (_LOAD, 0, 0, _NUMBER_AT), *first]
    for verdict, names in rules.items():
        lines += _group(sorted(_known(arch, names)), verdict)
    return b"".join(struct.pack("=HBBI", *line) for line in [*lines, (_RETURN, 0, 0, otherwise)])


def _native(arch: Architecture) -> Iterator[_Line]:
    """Kills a process that uses the call numbers of another ABI."""
    yield from ((_LOAD, 0, 0, _AUDIT_AT), (_EQUAL, 1, 0, arch.audit), (_RETURN, 0, 0, KILL))
    if arch.foreign_from is not None:
        yield from ((_LOAD, 0, 0, _NUMBER_AT), (_AT_LEAST, 0, 1, arch.foreign_from))
        yield (_RETURN, 0, 0, KILL)


def _group(numbers: list[int], verdict: int) -> list[_Line]:
    """Returns the verdict for any of these numbers; jumps past itself for the others."""
    last = len(numbers) - 1
    tests = [
        (_EQUAL, last - at, 0 if at < last else 1, number) for at, number in enumerate(numbers)
    ]
    return [*tests, (_RETURN, 0, 0, verdict)]


def _known(arch: Architecture, names: Iterable[str]) -> list[int]:
    return [arch.numbers[name] for name in names if name in arch.numbers]
