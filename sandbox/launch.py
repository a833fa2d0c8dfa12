"""Starts a zygote, and returns the same handle for each kind of box.

Knows processes of this machine; docker_box.py knows containers.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Final

from sandbox.archive import descriptor
from sandbox.policy import ZYGOTE_ENVIRONMENT

CREDENTIALS: Final = struct.Struct("3i")
"""The kernel's `struct ucred`: pid, uid and gid of the process at a channel's other end."""


@dataclass(frozen=True, slots=True)
class Launched:
    """A zygote that has been started and may not be ready yet.

    `control` is our end of its channel, which also receives the sender's pid. `end` kills the box
    with everything in it. `error_output` ends a box that has failed, and returns the last line that
    it printed, or a sentence in its place. `reserve_memory` lets its seats have this many MiB.
    """

    control: socket.socket
    end: Callable[[], None]
    error_output: Callable[[], str]
    reserve_memory: Callable[[int], None]


Launch = Callable[[], Launched]


def launcher(command: Sequence[str]) -> Launch:
    """A function that starts this command, which finds its end of the channel at descriptor 0.

    The command also inherits the archive of the standard library, under our number for it. The
    function raises OSError if the command cannot be started.
    """

    def launch() -> Launched:
        control, theirs = channel_pair()
        try:
            with theirs:
                process = starter(os.getpid()).submit(_start, command, theirs.fileno()).result()
        except OSError:
            control.close()
            raise
        # The process limits its own address space and nothing else does, so it always has room.
        return Launched(
            control,
            lambda: _end(process),
            lambda: _error_output(process),
            reserve_memory=lambda _: None,
        )

    return launch


@cache
def starter(pid: int) -> ThreadPoolExecutor:
    """The one thread of this process that starts boxes.

    A box dies with the thread that started it, so that thread must live as long as the process.
    """
    return ThreadPoolExecutor(1, thread_name_prefix=f"boxes-of-{pid}")


def channel_pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of a channel: ours, which also receives the sender's pid, and the other one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return ours, theirs


def _start(command: Sequence[str], theirs: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=dict(ZYGOTE_ENVIRONMENT),
        cwd="/",
        pass_fds=(descriptor(),),
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    if process.stderr is not None:
        process.stderr.close()


def _error_output(process: subprocess.Popen[bytes]) -> str:
    process.kill()
    _, printed = process.communicate()
    lines = printed.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
