"""Finds system calls that this kernel lets past every filter.

Knows numbers and how to try one; knows no box. Some kernels for x86-64 do not ask a seccomp filter
about `uretprobe` and `uprobe`, which their own tracing uses.
"""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from sandbox import inner_wall
from sandbox.libc import LIBC
from sandbox.syscalls import answer_filter

CALLS: Final = {"x86_64": {"uretprobe": 335, "uprobe": 336}}
_ANSWER: Final = errno.ENOMEDIUM
"""No kernel gives this error for these calls, so it must come from our filter."""
_ASKED: Final = 0
_NO_FILTER: Final = 2
_PAST: Final = 3
"""The exit status if a call got past the filter. 1 is not used: a Python that fails exits with
it."""
_START: Final = (
    "import sys; sys.path += [sys.argv[1]]; from sandbox.kernel_gaps import main; main()"
)
_ROOT: Final = Path(__file__).parent.parent


def past_the_filter() -> list[str]:
    """Returns the names of the calls that this kernel lets past. Each is tried in a process of its
    own that has such a filter."""
    calls = CALLS.get(os.uname().machine, {}) if sys.platform == "linux" else {}
    return [name for name, number in calls.items() if _passes(number)]


def _passes(number: int) -> bool:
    """Whether the call was made, however it ended: the kernel kills a caller of `uretprobe`."""
    command = [sys.executable, "-P", "-s", "-S", "-c", _START, str(_ROOT), str(number)]
    status = subprocess.run(command, capture_output=True, check=False).returncode
    return status == _PAST or status < 0


def main() -> None:
    """The process that tries one call. Its exit status says whether the kernel asked the filter."""
    number = int(sys.argv[2])
    try:
        inner_wall.renounce_privileges()
        inner_wall.load_filter(answer_filter(number, _ANSWER))
    except OSError:
        os._exit(_NO_FILTER)
    answer = LIBC.syscall(ctypes.c_long(number))
    os._exit(_ASKED if answer < 0 and ctypes.get_errno() == _ANSWER else _PAST)
