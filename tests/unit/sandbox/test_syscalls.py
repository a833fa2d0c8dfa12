"""The filters, run by an interpreter of classic BPF instead of a kernel."""

from __future__ import annotations

import os
import struct

import pytest

from sandbox.syscalls import (
    ABSENT,
    ALLOW,
    ARCHITECTURES,
    BOT,
    COUNTERS,
    KILL,
    PARTS_OF_LIST,
    PATHS,
    REFUSE,
    RETURN_ZERO,
    TIMED_OUT,
    TIMERS,
    UNIMPLEMENTED,
    WAITS,
    ZYGOTE,
    Architecture,
    bot_filter,
    current_architecture,
    zygote_filter,
)

MACHINES = sorted(ARCHITECTURES)
# Calls that no bot may make, by their numbers on x86_64.
FORBIDDEN = {
    "ioctl": 16, "shmget": 29, "socket": 41, "connect": 42, "socketpair": 53, "execve": 59,
    "kill": 62, "semget": 64, "msgget": 68, "fcntl": 72, "flock": 73, "ptrace": 101, "setuid": 105,
    "prctl": 157, "mount": 165, "setns": 308, "tgkill": 234, "mq_open": 240, "keyctl": 250,
    "inotify_init": 253, "unshare": 272, "prlimit64": 302, "process_vm_readv": 310,
    "memfd_create": 319, "bpf": 321, "execveat": 322, "userfaultfd": 323, "io_uring_setup": 425,
    "pidfd_open": 434, "clone3": 435, "pidfd_getfd": 438, "clone": 56, "fork": 57, "vfork": 58,
}  # fmt: skip


PRIVATE = 128
GIVE_BACK = 4


def verdict(
    program: bytes,
    audit: int,
    number: int,
    second: int = PRIVATE,
    first: int = 0,
    fourth: int = 0,
    third: int = GIVE_BACK,
) -> int:
    """Returns the filter's verdict on a call of this number on this architecture."""
    lines = list(struct.iter_unpack("=HBBI", program))
    low, high = fourth & 0xFFFFFFFF, fourth >> 32
    packet = {0: number, 4: audit, 16: first, 24: second, 32: third, 40: low, 44: high}
    register, at = 0, 0
    while True:
        code, yes, no, value = lines[at]
        at += 1
        if code == 0x20:
            register = packet[value]
        elif code == 0x15:
            at += yes if register == value else no
        elif code == 0x35:
            at += yes if register >= value else no
        elif code == 0x54:
            register &= value
        elif code == 0x45:
            at += yes if register & value else no
        else:
            assert code == 0x06
            return int(value)


def both(arch: Architecture, number: int, audit: int | None = None) -> int:
    """Returns the verdict on a bot's call: the stricter one of the two stacked filters."""
    programs = (zygote_filter(arch), bot_filter(arch))
    answers = [verdict(p, arch.audit if audit is None else audit, number) for p in programs]
    return min(answers, key=lambda answer: (answer != KILL, answer))


@pytest.fixture(params=MACHINES)
def arch(request: pytest.FixtureRequest) -> Architecture:
    return ARCHITECTURES[request.param]


def test_a_bot_may_call_what_is_listed(arch: Architecture) -> None:
    for name in BOT & arch.numbers.keys():
        assert both(arch, arch.numbers[name]) == ALLOW, name


def test_a_bot_loses_what_its_zygote_keeps(arch: Architecture) -> None:
    for name in ZYGOTE & arch.numbers.keys():
        assert verdict(zygote_filter(arch), arch.audit, arch.numbers[name]) == ALLOW, name
        assert both(arch, arch.numbers[name]) == REFUSE, name


def test_every_other_number_is_refused(arch: Architecture) -> None:
    named = {arch.numbers[name] for name in BOT | ZYGOTE | UNIMPLEMENTED if name in arch.numbers}
    for number in set(range(600)) - named:
        assert both(arch, number) == REFUSE


@pytest.mark.parametrize("name", sorted(FORBIDDEN))
def test_a_bot_may_not_call(name: str) -> None:
    assert both(ARCHITECTURES["x86_64"], FORBIDDEN[name]) in (REFUSE, ABSENT)


def test_a_foreign_architecture_is_killed(arch: Architecture) -> None:
    for number in (0, 1, 59, 220):
        assert both(arch, number, audit=0x40000003) == KILL


def test_the_second_abi_of_x86_64_is_killed() -> None:
    arch = ARCHITECTURES["x86_64"]
    for number in (0x40000000, 0x40000000 + 39, 0x40000000 + 520, 0xFFFFFFFF):
        assert both(arch, number) == KILL


def test_a_bot_may_wait_in_its_own_memory_alone(arch: Architecture) -> None:
    futex = arch.numbers["futex"]
    for operation in range(14):
        assert verdict(bot_filter(arch), arch.audit, futex, operation) == REFUSE
        assert verdict(bot_filter(arch), arch.audit, futex, operation | PRIVATE) == ALLOW
        assert verdict(zygote_filter(arch), arch.audit, futex, operation) == ALLOW


def test_a_bot_gives_memory_back_and_advises_nothing_else(arch: Architecture) -> None:
    madvise = arch.numbers["madvise"]
    for advice in (*range(30), *range(100, 104)):
        allowed = ALLOW if advice in (4, 8) else REFUSE
        assert verdict(bot_filter(arch), arch.audit, madvise, third=advice) == allowed
        assert verdict(zygote_filter(arch), arch.audit, madvise, third=advice) == ALLOW


def test_a_bot_takes_no_page_of_the_common_store_of_huge_ones(arch: Architecture) -> None:
    number = arch.numbers["mmap"]
    for flags in (0x02, 0x22, 0x32, 0x4022):
        assert verdict(bot_filter(arch), arch.audit, number, fourth=flags) == ALLOW
        huge = flags | 0x40000
        assert verdict(bot_filter(arch), arch.audit, number, fourth=huge) == REFUSE
        assert verdict(bot_filter(arch), arch.audit, number, fourth=huge | 21 << 26) == REFUSE


def test_a_process_with_its_own_clock_reads_no_other(arch: Architecture) -> None:
    program, number = zygote_filter(arch, own_clock=True), arch.numbers["clock_gettime"]
    for clock in (*range(20), 0xFFFFFFFF, 0x80000002, (~1 << 3 | 2) & 0xFFFFFFFF):
        allowed = clock in (2, 3)
        assert verdict(program, arch.audit, number, first=clock) == (ALLOW if allowed else REFUSE)


def test_a_process_with_its_own_clock_neither_sets_alarms_nor_waits(arch: Architecture) -> None:
    program = zygote_filter(arch, own_clock=True)
    for names, meets in ((TIMERS, REFUSE), (WAITS, RETURN_ZERO)):
        for name in names & arch.numbers.keys():
            assert verdict(program, arch.audit, arch.numbers[name]) == meets, name
    timed = {*TIMERS, *WAITS, "futex", "clock_gettime"}
    for name in (BOT | ZYGOTE) - timed & arch.numbers.keys():
        assert verdict(program, arch.audit, arch.numbers[name]) == ALLOW, name


@pytest.mark.parametrize("flags", [0, 128, 256, 128 | 256])
def test_a_process_with_its_own_clock_waits_for_itself_without_a_time(
    arch: Architecture, flags: int
) -> None:
    program, futex = zygote_filter(arch, own_clock=True), arch.numbers["futex"]
    for operation in range(20):
        untimed, *timed = (
            verdict(program, arch.audit, futex, operation | flags, fourth=fourth)
            for fourth in (0, 1, 0x7FFC_0000_0000, 0x7FFC_0000_1000)
        )
        if operation in (1, 10):
            assert {untimed, *timed} == {ALLOW}
        elif operation in (0, 9):
            assert (untimed, set(timed)) == (ALLOW, {TIMED_OUT})
        else:
            assert {untimed, *timed} == {REFUSE}


def test_every_part_of_the_filters_can_be_left_out_alone(arch: Architecture) -> None:
    clone, futex, other = arch.numbers["clone"], arch.numbers["futex"], 0x40000003

    def meets(
        part: str, number: int, audit: int = arch.audit, second: int = PRIVATE, third: int = 0
    ) -> list[int]:
        def has(name: str) -> bool:
            return name != part

        programs = (zygote_filter(arch, has), bot_filter(arch, has))
        return [verdict(program, audit, number, second, third=third) for program in programs]

    assert meets("seccomp:list", 599) == [ALLOW, ALLOW]
    assert meets("seccomp:list", clone) == [ALLOW, REFUSE]
    for part, names in PARTS_OF_LIST.items():
        for name in names & arch.numbers.keys():
            assert meets(part, arch.numbers[name]) == [ALLOW, ALLOW]
            assert both(arch, arch.numbers[name]) == REFUSE
    assert meets("seccomp:zygote", clone) == [ALLOW, ALLOW]
    assert meets("seccomp:zygote", 599) == [REFUSE, ALLOW]
    assert meets("seccomp:futex", futex, second=0) == [ALLOW, ALLOW]
    assert meets("seccomp:futex", 599) == [REFUSE, ALLOW]
    assert meets("seccomp:memory", arch.numbers["madvise"], third=25) == [ALLOW, ALLOW]
    assert meets("seccomp:memory", 599) == [REFUSE, ALLOW]
    assert KILL not in meets("seccomp:abi", arch.numbers["read"], audit=other)


def test_bot_and_zygote_have_nothing_in_common() -> None:
    assert BOT.isdisjoint(ZYGOTE)
    assert (UNIMPLEMENTED | PATHS | COUNTERS).isdisjoint(BOT | ZYGOTE)


def test_no_number_stands_for_two_calls(arch: Architecture) -> None:
    assert len(set(arch.numbers.values())) == len(arch.numbers)


def test_every_name_has_a_number_somewhere() -> None:
    known = {name for arch in ARCHITECTURES.values() for name in arch.numbers}
    assert known == BOT | ZYGOTE | UNIMPLEMENTED | PATHS | COUNTERS
    assert TIMERS | WAITS <= BOT


def test_a_program_fits_the_kernel_and_ends_in_a_verdict(arch: Architecture) -> None:
    for program in (zygote_filter(arch), zygote_filter(arch, own_clock=True), bot_filter(arch)):
        assert len(program) % 8 == 0
        assert len(program) // 8 <= 256, "a jump is one byte"
        assert struct.unpack("=HBBI", program[-8:])[0] == 0x06


def test_an_unknown_machine_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = os.uname_result(("Linux", "box", "6.1", "#1", "pdp11"))
    monkeypatch.setattr(os, "uname", lambda: machine)
    assert current_architecture() is None
