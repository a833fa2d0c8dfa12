"""Writes the archive of the standard library that `library.py` reads inside a box.

Runs on the host, once per process, and while an image is built. Knows where Python keeps its files.
"""

from __future__ import annotations

import fcntl
import importlib.machinery
import importlib.util
import marshal
import os
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from sandbox.library import LENGTH_BYTES, Entry

_LEFT_OUT: Final = {
    *("test", "tests", "idlelib", "lib2to3", "ensurepip", "tkinter", "turtle", "turtledemo"),
    "pydoc_data",
}
"""Tests, graphical programs and package installers, which a seat does not need."""

_BUILD: Final = "_sysconfigdata"
"""The module that describes how Python was built. It holds many paths of the build machine, so a
seat gets an empty one."""

_HEADER: Final = 16
_TIMESTAMPED: Final = bytes(4)


@cache
def descriptor() -> int:
    """Returns the descriptor of an open file in memory that holds the archive. The file is sealed:
    nobody can change it."""
    made = os.memfd_create("library", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(made, "wb", closefd=False) as file:
        file.write(packed(Path(sysconfig.get_path("stdlib"))))
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    fcntl.fcntl(made, fcntl.F_ADD_SEALS, seals)
    return made


def write(place: str) -> None:
    """Writes the archive of this Python's library to a file."""
    Path(place).write_bytes(packed(Path(sysconfig.get_path("stdlib"))))


def packed(library: Path) -> bytes:
    """The archive of the library in this directory."""
    index: dict[str, Entry] = {}
    parts: list[bytes] = []
    at = 0
    for name, file in sorted(_modules(library)):
        source = b"build_time_vars = {}\n" if name.startswith(_BUILD) else file.read_bytes()
        code = _code(name, file, source)
        package = file.name == "__init__.py"
        index[name] = (package, at, len(code), at + len(code), len(source))
        parts += (code, source)
        at += len(code) + len(source)
    head = marshal.dumps(index)
    return b"".join((len(head).to_bytes(LENGTH_BYTES, "little"), head, *parts))


def _modules(library: Path) -> Iterator[tuple[str, Path]]:
    """Every module of the library by name, with its file; installed packages are left out."""
    for entry in os.scandir(library):
        name = entry.name.removesuffix(".py")
        if name in _LEFT_OUT or not (name in sys.stdlib_module_names or name.startswith(_BUILD)):
            continue
        if entry.is_dir():
            yield from _package(name, Path(entry.path))
        elif entry.name.endswith(".py"):
            yield name, Path(entry.path)


def _package(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    for entry in os.scandir(folder):
        stem = entry.name.removesuffix(".py")
        if entry.is_dir():
            if stem.isidentifier() and stem not in _LEFT_OUT and stem != "__pycache__":
                yield from _package(f"{name}.{stem}", Path(entry.path))
        elif entry.name == "__init__.py":
            yield name, Path(entry.path)
        elif entry.name.endswith(".py") and stem != "__main__":
            yield f"{name}.{stem}", Path(entry.path)


def _code(name: str, file: Path, source: bytes) -> bytes:
    """The module's code as marshal writes it: Python's own compiled file if that is up to date."""
    if name.startswith(_BUILD):
        return marshal.dumps(compile(source, file.name, "exec", dont_inherit=True))
    kept = _kept(file)
    if kept is not None:
        return kept
    # Compiles the module, and caches the result where this account may write.
    code = importlib.machinery.SourceFileLoader(name, str(file)).get_code(name)
    return marshal.dumps(code)


def _kept(file: Path) -> bytes | None:
    try:
        data = Path(importlib.util.cache_from_source(str(file))).read_bytes()
        status = file.stat()
    except OSError:
        return None
    times = (int(status.st_mtime), status.st_size)
    stamp = b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in times)
    fresh = data[:_HEADER] == importlib.util.MAGIC_NUMBER + _TIMESTAMPED + stamp
    return data[_HEADER:] if fresh else None
