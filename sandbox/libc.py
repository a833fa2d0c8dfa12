"""The C library's functions, and the errors that its calls report."""

from __future__ import annotations

import ctypes
import os
from typing import Final

LIBC: Final = ctypes.CDLL(None, use_errno=True)
LIBC.getauxval.restype = ctypes.c_ulong
LIBC.mmap.restype = ctypes.c_void_p


def checked(result: int) -> int:
    """Returns the result of a call into the C library. Raises OSError with the kernel's reason."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
