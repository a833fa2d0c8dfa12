"""The system calls that a container may make, in the form of an engine's profile. Derived from the
bot's own list.

Knows names of calls and the form of the profile; calls no kernel and no engine.
"""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

from sandbox.syscalls import BOT, COUNTERS, PATHS, UNIMPLEMENTED, ZYGOTE

START: Final = frozenset(
    name
    for line in (
        # A container's runtime calls these between loading the filter and starting Python, while
        # its own threads may still wake. Not every version of it needs all of these.
        "execve epoll_create1 epoll_ctl epoll_pwait eventfd2 openat2 statfs fstatfs tgkill",
        # Python's own start, and the way to its control channel.
        "arch_prctl connect getsockname getsockopt",
        # Needed to raise the first step of the inner wall, which takes all of these away.
        "landlock_create_ruleset landlock_add_rule landlock_restrict_self",
    )
    for name in line.split()
)
"""Calls that a container needs to start, before the inner wall stands."""

_ARCHITECTURES: Final = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_NAMESPACES: Final = 0x7E020000
_ALL: Final = 0xFFFFFFFF


def profile() -> dict[str, object]:
    """The profile for this machine: no other ABI, no new namespaces, no sockets but AF_UNIX.

    Its architectures are empty if this machine's name for them is not known.
    """
    machine = os.uname().machine
    allow = "SCMP_ACT_ALLOW"
    channel = socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "architectures": [_ARCHITECTURES[machine]] if machine in _ARCHITECTURES else [],
        "syscalls": [
            {
                "names": sorted((BOT | ZYGOTE | PATHS | COUNTERS | START) - {"clone"}),
                "action": allow,
            },
            {"names": sorted(UNIMPLEMENTED), "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
            {"names": ["clone"], "action": allow, "args": [_argument(0, _NAMESPACES, 0)]},
            {
                "names": ["socket"],
                "action": allow,
                "args": [_argument(0, _ALL, socket.AF_UNIX), _argument(1, _ALL, channel)],
            },
        ],
    }


def _argument(index: int, mask: int, value: int) -> dict[str, object]:
    """A condition: the argument has this value under this mask."""
    return {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
