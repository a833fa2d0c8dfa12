"""Loads the machine code that seats may need before their wall stands, with all of its pages.

Knows the C library's loader; runs inside a box, in the zygote.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

_PAGE: Final = 4096
_LOADED: Final = 1
_POPULATE_READ: Final = 22

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_kept: list[ctypes.CDLL] = []


class _Header(ctypes.Structure):
    """A segment of a shared object, as `Elf64_Phdr`."""

    _fields_ = (
        *(("kind", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("offset", ctypes.c_uint64)),
        *(("address", ctypes.c_uint64), ("physical", ctypes.c_uint64), ("size", ctypes.c_uint64)),
        *(("memory", ctypes.c_uint64), ("align", ctypes.c_uint64)),
    )


class _Object(ctypes.Structure):
    """A loaded shared object, as `dl_phdr_info`."""

    _fields_ = (
        *(("base", ctypes.c_uint64), ("name", ctypes.c_char_p)),
        *(("headers", ctypes.POINTER(_Header)), ("count", ctypes.c_uint16)),
    )


_Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Object), ctypes.c_size_t, ctypes.c_void_p)


def load(files: Iterable[str]) -> None:
    """Loads these shared libraries, without running any module in them.

    A later import finds a loaded library by its name in memory, and looks for no file.
    """
    for file in files:
        with suppress(OSError):  # It is linked with a library that the box does not hold.
            _kept.append(ctypes.CDLL(file, mode=sys.getdlopenflags()))


def populate() -> None:
    """Loads every page of the machine code into memory, whether it was used before or not.

    Otherwise the first seat that calls a function would wait for the disk, and the next would not.
    """
    for start, length in _segments():
        if _libc.madvise(start, length, _POPULATE_READ) != 0:
            ctypes.string_at(start, length)  # Kernels before 5.14 load a page only when it is read.


def _segments() -> list[tuple[int, int]]:
    """First address and length of every part of a file that is mapped here."""
    found: list[tuple[int, int]] = []

    def visit(one: ctypes._Pointer[_Object], _size: int, _data: int | None) -> int:
        shared = one.contents
        for header in shared.headers[: shared.count]:
            if header.kind == _LOADED and header.size:
                start = (shared.base + header.address) // _PAGE * _PAGE
                found.append((start, shared.base + header.address + header.size - start))
        return 0

    _libc.dl_iterate_phdr(_Visit(visit), None)
    return found
