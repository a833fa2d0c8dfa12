"""Starts a program that dies with its starter: `python -m worker.child PID -- PROGRAM`.

Knows one system call. On Linux, the kernel kills the program when its parent ends for any reason;
elsewhere the program must notice by itself.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final, NoReturn

_PR_SET_PDEATHSIG: Final = 1


def tie_to(parent: int) -> None:
    """Asks the kernel to kill this process when its parent ends; exits if that has happened.

    It is killed when the parent's thread that started this process ends. So start children from
    a thread that lives as long as the parent.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def tied(command: list[str]) -> list[str]:
    """The command line that runs the command tied to this process.

    With -P, no file of the folder in which this process was started is imported.
    """
    return [sys.executable, "-P", "-m", "worker.child", str(os.getpid()), "--", *command]


def main(arguments: list[str]) -> NoReturn:
    """Becomes the program."""
    parent, _, *command = arguments
    tie_to(int(parent))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
