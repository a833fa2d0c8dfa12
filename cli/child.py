"""Starts a program so that it dies with whoever started it: `python -m cli.child PID -- PROGRAM`.

Knows one system call. On Linux the kernel kills the program when its parent ends, however that
ends; elsewhere the program must notice by itself.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final, NoReturn

_PR_SET_PDEATHSIG: Final = 1


def tie_to(parent: int, number: int = signal.SIGKILL) -> None:
    """From now on this process gets the signal when its parent ends; exits if that has happened.

    It is the parent's thread that counts: start children from one that lives as long as it does.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def tied(command: list[str], core: int | None = None) -> list[str]:
    """The command line that runs the command tied to this process, on that core if one is given."""
    pinned = [] if core is None else ["--core", str(core)]
    return [sys.executable, "-m", "cli.child", str(os.getpid()), *pinned, "--", *command]


def cores() -> list[int]:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin(core: int) -> None:
    """Keeps this process and its children on one core, where the system can."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {core})


def main(arguments: list[str]) -> NoReturn:
    """Becomes the program."""
    options, command = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    tie_to(int(options[0]))
    if "--core" in options:
        pin(int(options[options.index("--core") + 1]))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
