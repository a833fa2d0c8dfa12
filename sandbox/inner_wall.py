"""The inner wall, the same in every seat on Linux: a process raises it on itself, for good.

Knows the kernel's calls through ctypes; knows no messages and no bots. `first_step` goes up in the
zygote, which must still fork; `SecondStep` goes up in the fork, before the first byte of a bot's
code.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Callable, Mapping
from typing import Final

from sandbox import own_clock
from sandbox.libc import LIBC, checked
from sandbox.policy import HOST, NOBODY, Wall
from sandbox.syscalls import Architecture, bot_filter, zygote_filter

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_CREATE_RULESET, _RESTRICT_SELF = 444, 446
# The number of rights that each Landlock ABI can refuse: on files, on the network, on scopes.
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NET_RIGHTS, _SCOPES = 0b11, 0b11

_STAGE: Final = "/proc"
_RDONLY, _NOSUID, _NODEV, _REMOUNT = 1, 2, 4, 32
_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _CLEAR_ALL, _CAPABILITY_3, _RIGHTS = 24, 47, 4, 0x20080522, 41


def first_step(wall: Wall, arch: Architecture | None, *, own_root: bool | None) -> dict[str, bool]:
    """Raises the layers that still let a process fork; says by name which of them stand.

    `own_root` is True if this process must leave the host's root itself, False if the outer wall
    has done so, and None if there is no outer wall.
    """
    raised = {}
    if own_root is not False:
        raised["root"] = bool(own_root) and wall.has("root") and _succeeds(leave_root)
    for layer, raise_layer in (
        ("no_new_privs", renounce_privileges),
        ("landlock", restrict_files),
        ("identity", become_nobody),
        ("dumpable", hide_memory),
        ("own_clock", own_clock.install),
        ("seccomp", lambda: load_filter(_zygote_filter(arch, wall, raised["own_clock"]))),
    ):
        raised[layer] = wall.has(layer) and _succeeds(raise_layer)
    return raised


class SecondStep:
    """Takes from a fork everything that only its zygote may do.

    It is prepared in the zygote, so that the fork only calls the kernel. Every page of memory that
    a fork writes to has to be copied; counting a reference is enough.
    """

    def __init__(self, wall: Wall, arch: Architecture | None) -> None:
        self._wall = wall
        self._calls = [_prctl_arguments(_PR_SET_PDEATHSIG, signal.SIGKILL)]
        if wall.has("seccomp") and arch is not None:
            self._calls.append(_filter_arguments(bot_filter(arch, wall.has)))
        self._limits: list[tuple[int, tuple[int, int]]] = []

    def set_limits(self, limits: Mapping[str, int]) -> None:
        """Sets the resource limits of the next forks, soft and hard alike."""
        self._limits = _known_limits(limits, self._wall)

    def apply(self) -> None:
        """Raises the second step. Called by the fork. Raises OSError."""
        for number, both in self._limits:
            resource.setrlimit(number, both)
        for words in self._calls:
            checked(LIBC.prctl(*words))


def limit(limits: Mapping[str, int], wall: Wall) -> None:
    """Puts these limits on this process and on all that it forks."""
    for number, both in _known_limits(limits, wall):
        resource.setrlimit(number, both)


def _known_limits(limits: Mapping[str, int], wall: Wall) -> list[tuple[int, tuple[int, int]]]:
    """The limits that this wall has and this Python knows: number, then soft and hard limit."""
    known = {
        getattr(resource, name): most
        for name, most in limits.items()
        if wall.has(_part_name(name)) and hasattr(resource, name)
    }
    return [(number, _both(number, most)) for number, most in known.items()]


def _both(number: int, most: int) -> tuple[int, int]:
    """This value as soft and hard limit, unless the current hard limit is lower."""
    _, hard = resource.getrlimit(number)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    return least, least


def _part_name(limit: str) -> str:
    return f"rlimits:{limit.removeprefix('RLIMIT_')}"


def leave_root() -> None:
    """Moves to an empty root of its own, and gives up the rights to do so.

    Works once, in the namespaces of a process box.
    """
    _mount("tmpfs", _STAGE, "tmpfs", _NOSUID | _NODEV)
    _mount(None, _STAGE, None, _REMOUNT | _RDONLY | _NOSUID | _NODEV)
    _call(LIBC.sethostname, HOST.encode(), len(HOST))
    os.chroot(_STAGE)
    os.chdir("/")
    for right in range(_RIGHTS):
        _call(LIBC.prctl, _PR_CAPBSET_DROP, right, 0, 0, 0)
    _call(LIBC.prctl, _PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    _call(LIBC.capset, struct.pack("=Ii", _CAPABILITY_3, 0), bytes(24))


def _mount(source: str | None, target: str, kind: str | None, flags: int) -> None:
    words = (os.fsencode(word) if word is not None else None for word in (source, target, kind))
    _call(LIBC.mount, *words, flags, None)


def become_nobody() -> None:
    """Leaves the administrator's account, unless the outer wall has done so already."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def hide_memory() -> None:
    """Keeps other processes of this account from looking into this one, and prevents core dumps."""
    _call(LIBC.prctl, _PR_SET_DUMPABLE, 0, 0, 0, 0)


def renounce_privileges() -> None:
    """Ensures that no program started from here can gain privileges."""
    _call(LIBC.prctl, _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def load_filter(program: bytes) -> None:
    """Sends every later system call of this process through the filter."""
    checked(LIBC.prctl(*_filter_arguments(program)))


class _Filter(ctypes.Structure):
    """A filter in the form that the kernel takes: the number of its instructions, of eight bytes
    each, and their address."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _filter_arguments(program: bytes) -> tuple[object, ...]:
    """The arguments with which `prctl` loads the filter."""
    pointer = ctypes.byref(_Filter(len(program) // 8, program))
    return (
        *_prctl_arguments(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER)[:2],
        pointer,
        *_prctl_arguments()[3:],
    )


def _prctl_arguments(*numbers: int) -> tuple[object, ...]:
    """The five arguments of a call of `prctl`."""
    return tuple(ctypes.c_long(number) for number in (*numbers, 0, 0, 0, 0, 0)[:5])


def landlock_abi() -> int:
    """The version of Landlock that the kernel speaks; 0 if it has none."""
    return max(0, int(LIBC.syscall(_CREATE_RULESET, None, 0, 1)))


def restrict_files() -> None:
    """Refuses to open any file from here on."""
    abi = landlock_abi()
    if not abi:
        raise OSError("this kernel has no Landlock")
    files = (1 << _FILE_RIGHTS[min(abi, 5)]) - 1
    rights = [files] + [_NET_RIGHTS] * (abi >= 4) + [_SCOPES] * (abi >= 6)
    attributes = struct.pack(f"={len(rights)}Q", *rights)
    ruleset = _call(LIBC.syscall, _CREATE_RULESET, attributes, len(attributes), 0)
    _call(LIBC.syscall, _RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _call(function: Callable[..., int], *arguments: object) -> int:
    """The result of a call into the C library. Raises OSError with the kernel's reason."""
    return checked(
        int(function(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)))
    )


def _succeeds(layer: Callable[[], None]) -> bool:
    try:
        layer()
    except OSError:
        return False
    return True


def _zygote_filter(arch: Architecture | None, wall: Wall, own_clock: bool) -> bytes:
    if arch is None:
        raise OSError("the system calls of this architecture are not known")
    return zygote_filter(arch, wall.has, own_clock=own_clock)
