"""Makes all zygotes look alike from inside Python: their names, paths and numbers.

Runs inside a box before the wall goes up. The filter refuses the replaced calls anyway, so this
module stops no attack. It lets honest code that makes such calls continue.
"""

from __future__ import annotations

import _imp
import ctypes
import errno
import gc
import os
import platform
import sys
import threading
from collections.abc import Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, Final, NoReturn

from sandbox.library import HOME
from sandbox.policy import HOST

_OURS: Final = "/box"
"""The directory of all modules outside the standard library."""
_PYTHON: Final = "/python"
_PID: Final = 2
_THREAD_ID_AT: Final = {"x86_64": 720}
"""Where the C library keeps a thread's number, as an offset from the thread's own address."""


def hide_paths(imports: Sequence[str]) -> None:
    """Gives files of modules the same names on every machine; `imports` are our directories."""
    library = sys._stdlib_dir  # type: ignore[attr-defined]
    # The longest come first, because one may lie within another.
    pairs = [(library, HOME), *((place, _OURS) for place in imports)]
    places = dict(sorted(pairs, key=lambda pair: -len(pair[0])))
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType):
            _hide_path(module, places)
    for function in gc.get_objects():
        if type(function) is FunctionType:
            file = function.__code__.co_filename
            if (new := _renamed(file, places)) != file:
                _imp._fix_co_filename(  # type: ignore[attr-defined]
                    function.__code__, new
                )
    sys.executable = sys._base_executable = _PYTHON  # type: ignore[attr-defined]
    sys.prefix = sys.exec_prefix = sys.base_prefix = sys.base_exec_prefix = "/"
    sys._stdlib_dir = HOME  # type: ignore[attr-defined]


def _hide_path(module: ModuleType, places: Mapping[str, str]) -> None:
    spec = module.__spec__
    for thing, names in (
        (module, ("__file__", "__cached__", "__path__")),
        (spec, ("origin", "cached", "submodule_search_locations")),
        (getattr(spec, "loader", None), ("path",)),
        (getattr(spec, "loader_state", None), ("filename",)),
    ):
        for name in names:
            value = getattr(thing, name, None)
            new = _renamed(value, places)
            if new != value:
                setattr(thing, name, new)


def _renamed(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(one, places) for one in value]
    if isinstance(value, str):
        for place, name in places.items():
            if value.startswith(f"{place}/"):
                return name + value[len(place) :]
    return value


def hide_identity() -> None:
    """Makes questions about process and machine return the same constants everywhere."""
    system = os.uname_result(("Linux", HOST, "0", "0", os.uname().machine))
    for name, answer in {
        "getpid": lambda: _PID,
        "getppid": lambda: 1,
        "cpu_count": lambda: 1,
        "process_cpu_count": lambda: 1,
        "sched_getaffinity": lambda _pid, /: {0},
        "uname": lambda: system,
        "getcwd": lambda: "/",
        "getcwdb": lambda: b"/",
        "times": _refuse,
    }.items():
        for module in (os, sys.modules["posix"]):
            if hasattr(module, name):
                setattr(module, name, answer)
    for module in (threading, sys.modules["_thread"]):
        vars(module)["get_native_id"] = lambda: _PID
    platform._uname_cache = None  # type: ignore[attr-defined]


def _refuse() -> NoReturn:
    """Raises PermissionError. Without that, the C library would ignore the kernel's refusal and
    return a random number."""
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


class ThreadId:
    """The C library's copy of a fork's thread number, which counts the forks before it."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None)
        libc.pthread_self.restype = ctypes.c_size_t
        at = _THREAD_ID_AT.get(os.uname().machine)
        self._place: ctypes.c_int | None = None
        if at is not None:
            place = ctypes.c_int.from_address(libc.pthread_self() + at)
            if place.value == threading.get_native_id():
                self._place = place

    def hide(self) -> None:
        """Replaces that copy with a constant. Called by the fork."""
        if self._place is not None:
            self._place.value = _PID
