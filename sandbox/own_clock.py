"""A clock for one seat: it shows the processor time of the process, in whole milliseconds.

Two seats that both read the machine's clock could pass notes by it. So the functions of the vDSO,
through which the C library reads clocks, are redirected to code of ours; the kernel's page of times
is unmapped; and the instructions that read the processor's counter are refused. The filter in
syscalls.py decides about system calls. Knows x86-64 machine code; knows no filter.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from errno import EINVAL
from typing import Final

from sandbox.libc import LIBC, checked

TICK_NS: Final = 1_000_000
"""The clock's resolution."""
EPOCH: Final = 946_684_800
"""The time at which every seat begins, in Unix time: the first second of 2000, in UTC."""

_PAGE: Final = 4096
_AT_SYSINFO_EHDR, _DOFORK, _PR_GET_TSC, _PR_SET_TSC, _TSC_SIGSEGV = 33, 11, 25, 26, 2
_READ_WRITE, _READ_EXECUTE, _ALL, _PRIVATE_ANONYMOUS = 3, 5, 7, 0x22
_FAILED: Final = (1 << 64) - 1
_JUMP: Final = 12
_MAX_PAGES: Final = 16
_MACHINE: Final = "x86_64"
_VDSO: Final = "linux-vdso.so.1"

_TICK, _BEGUN = (number.to_bytes(4, "little").hex() for number in (TICK_NS, EPOCH))
_CODE: Final = bytes.fromhex(
    # clock_gettime: rdi is the clock, rsi the place for seconds and nanoseconds.
    "83ff0b 773f"  # cmp edi, 11; ja: no such clock
    "57 56"  # push rdi; push rsi
    "83ff03 7405 bf02000000"  # the thread's own clock is asked for, the process's for any other
    "b8e4000000 0f05"  # mov eax, 228 (clock_gettime); syscall
    "5e 5f"  # pop rsi; pop rdi
    "85c0 7525"  # test eax, eax; jnz: return what the kernel said
    f"488b4608 31d2 b9{_TICK} 48f7f1 48295608"  # take nanoseconds modulo TICK_NS from them
    "31c0"  # xor eax, eax
    "b921090000 0fa3f9 7307"  # mov ecx, 0x921; bt ecx, edi; jnc: not a clock that tells the date
    f"488106{_BEGUN}"  # add qword [rsi], EPOCH
    "c3"  # ret
    "b8eaffffff c3"  # no such clock: mov eax, -EINVAL; ret
    # gettimeofday: rdi is the place for seconds and microseconds, rsi for the time zone.
    "4885f6 7407 48c70600000000"  # a zone that is asked for is zero
    "4889fe 31ff 4885f6 741b"  # mov rsi, rdi; xor edi, edi; test rsi, rsi; jz: nothing to fill in
    "e89bffffff 85c0 7514"  # call clock_gettime; test eax, eax; jnz: return it
    "488b4608 31d2 b9e8030000 48f7f1 48894608"  # divide nanoseconds by 1000
    "31c0 c3"  # xor eax, eax; ret
    # time: rdi is a place for the seconds, or zero; they are returned as well.
    "57 4883ec10 4889e6 31ff e873ffffff"  # push rdi; clock_gettime into the stack
    "488b0424 4883c410 5f"  # mov rax, [rsp]; pop rdi
    "4885ff 7403 488907 c3"  # test rdi, rdi; jz: return; mov [rdi], rax; ret
    # clock_getres: rdi is the clock, rsi a place for seconds and nanoseconds, or zero.
    "83ff0b 77a0"  # cmp edi, 11; ja: no such clock
    f"4885f6 740f 48c70600000000 48c74608{_TICK}"  # zero seconds and TICK_NS
    "31c0 c3"  # xor eax, eax; ret
    # getrandom, of which the vDSO keeps state beside the times: the system call itself.
    "b83e010000 0f05 c3"  # mov eax, 318; syscall; ret
)
_ENTRIES: Final = {
    "__vdso_clock_gettime": 0x00,
    "__vdso_gettimeofday": 0x4A,
    "__vdso_time": 0x7E,
    "__vdso_clock_getres": 0x9F,
    "__vdso_getrandom": 0xBB,
}
"""The offset in the code of each vDSO function. An older kernel does not have all of them."""
_NEEDED: Final = "__vdso_clock_gettime"


def install() -> None:
    """Gives this process, and all that it forks, a clock of its own.

    Raises OSError if the machine or its kernel does not allow it, and leaves the clocks as they
    were.
    """
    if os.uname().machine != _MACHINE:
        raise OSError(f"no code for a clock on {os.uname().machine}")
    checked(LIBC.prctl(_PR_GET_TSC, ctypes.byref(ctypes.c_int()), 0, 0, 0))
    vdso: int = LIBC.getauxval(_AT_SYSINFO_EHDR)
    functions, times = _functions(), _count_time_pages(vdso)
    code = _code_page()
    size = _make_writable(vdso, max(functions.values()))
    try:
        checked(LIBC.munmap(*_longs(vdso - times * _PAGE, times * _PAGE)))
        for name, place in functions.items():
            ctypes.memmove(place, _jump(code + _ENTRIES[name]), _JUMP)
    finally:
        _protect(vdso, size, _READ_EXECUTE)
    checked(LIBC.prctl(_PR_SET_TSC, _TSC_SIGSEGV, 0, 0, 0))


def _functions() -> dict[str, int]:
    """The addresses of the functions that this kernel's vDSO has, by name. Raises OSError."""
    vdso = ctypes.CDLL(_VDSO)
    found = {
        name: ctypes.cast(getattr(vdso, name), ctypes.c_void_p).value or 0
        for name in _ENTRIES
        if hasattr(vdso, name)
    }
    if _NEEDED not in found:
        raise OSError("the vDSO of this kernel has no clock")
    return found


def _count_time_pages(vdso: int) -> int:
    """The number of pages with the kernel's times right before the vDSO. Raises OSError for none.

    A box has no /proc that says so. But MADV_DOFORK is invalid for the kernel's mappings alone:
    on any other, it only repeats the default.
    """
    for count in range(_MAX_PAGES):
        place = vdso - (count + 1) * _PAGE
        if LIBC.madvise(*_longs(place, _PAGE, _DOFORK)) == 0 or ctypes.get_errno() != EINVAL:
            break
    if not count:
        raise OSError("the kernel's page of times was not found")
    return count


def _code_page() -> int:
    """The address of a new page with the code of the clock."""
    page = LIBC.mmap(*_longs(0, _PAGE, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0))
    if page == _FAILED:
        raise OSError(ctypes.get_errno(), "no page for the code of the clock")
    ctypes.memmove(page, _CODE, len(_CODE))
    _protect(page, _PAGE, _READ_EXECUTE)
    return int(page)


def _make_writable(vdso: int, last: int) -> int:
    """Makes the vDSO writable, at least up to the address `last`; returns its size.

    The kernel changes the rights of the whole vDSO or of nothing.
    """
    for size in range((last - vdso) // _PAGE * _PAGE + _PAGE, _MAX_PAGES * _PAGE, _PAGE):
        with suppress(OSError):
            _protect(vdso, size, _ALL)
            return size
    raise OSError("the vDSO of this kernel cannot be written to")


def _jump(target: int) -> bytes:
    return b"\x48\xb8" + target.to_bytes(8, "little") + b"\xff\xe0"  # movabs rax; jmp rax


def _protect(start: int, size: int, rights: int) -> None:
    checked(LIBC.mprotect(*_longs(start, size, rights)))


def _longs(*numbers: int) -> tuple[ctypes.c_long, ...]:
    return tuple(map(ctypes.c_long, numbers))
