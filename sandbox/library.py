"""Imports the standard library from an archive in memory, so that a seat needs no file.

Runs inside a box, and is loaded before anything else of ours. Knows the layout of the archive that
`archive.py` writes; knows no wall and no bot.
"""

from __future__ import annotations

import _imp
import importlib.machinery
import importlib.util
import marshal
import mmap
import os
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType
from typing import Final

HOME: Final = "/lib/python{}.{}".format(*sys.version_info)
"""The directory of the library in every seat. There is nothing in it."""

LENGTH_BYTES: Final = 8
"""An archive begins with the length of its index. The index follows, then the contents it names."""

Entry = tuple[bool, int, int, int, int]
"""A module in the index: whether it is a package, then place and length of its code, as marshal
writes it, and of its source."""


class Library:
    """A finder and loader of modules in an archive, and of loaded shared libraries."""

    def __init__(self, archive: mmap.mmap, extensions: Mapping[str, str]) -> None:
        start = LENGTH_BYTES + int.from_bytes(archive[:LENGTH_BYTES], "little")
        self._index: dict[str, Entry] = marshal.loads(archive[LENGTH_BYTES:start])
        self._body = memoryview(archive)[start:]
        self._extensions = extensions

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec whose names are the same on every machine, or None."""
        if fullname not in self._index and fullname not in self._extensions:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, None, origin=self.get_filename(fullname))
        spec.loader = self  # type: ignore[assignment]
        spec.has_location = True
        if self.is_package(fullname):
            spec.submodule_search_locations = [os.path.dirname(spec.origin or "")]
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """The module of a shared library, which the system's loader finds by its name in memory."""
        file = self._extensions.get(spec.name)
        if file is None:
            return None
        return _imp.create_dynamic(importlib.machinery.ModuleSpec(spec.name, None, origin=file))

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module's code."""
        name = module.__spec__.name if module.__spec__ else module.__name__
        if name in self._extensions:
            _imp.exec_dynamic(module)
            module.__file__ = self.get_filename(name)
        else:
            exec(self.get_code(name), module.__dict__)  # noqa: S102

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, with the name of its file as it is in every seat."""
        _, at, length, _, _ = self._entry(fullname)
        code: CodeType = marshal.loads(self._body[at : at + length])
        _imp._fix_co_filename(  # type: ignore[attr-defined]
            code, self.get_filename(fullname)
        )
        return code

    def get_source(self, fullname: str) -> str | None:
        """The module's text, for tracebacks and `inspect`; None if it has none."""
        if fullname in self._extensions:
            return None
        _, _, _, at, length = self._entry(fullname)
        return importlib.util.decode_source(bytes(self._body[at : at + length]))

    def get_filename(self, fullname: str) -> str:
        """The name that tracebacks give the module's file."""
        stem = f"{HOME}/{fullname.replace('.', '/')}"
        if fullname in self._extensions:
            return f"{HOME}/lib-dynload/{fullname}.so"
        return f"{stem}/__init__.py" if self.is_package(fullname) else f"{stem}.py"

    def is_package(self, fullname: str) -> bool:
        """Whether it has modules in it."""
        return fullname in self._index and self._index[fullname][0]

    def _entry(self, fullname: str) -> Entry:
        try:
            return self._index[fullname]
        except KeyError:
            raise ImportError(f"no module named {fullname!r}", name=fullname) from None


def install(place: str) -> None:
    """Makes Python import the library from the archive at this place, before any file.

    `place` is the number of an open descriptor, which is closed, or a path.
    """
    descriptor = int(place) if place.isdecimal() else os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    archive = mmap.mmap(descriptor, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
    os.close(descriptor)
    sys.meta_path.insert(_before_paths(), Library(archive, _extensions()))


def _before_paths() -> int:
    """The position in `sys.meta_path` of the finder that looks for files."""
    return sys.meta_path.index(importlib.machinery.PathFinder)


def close_paths() -> None:
    """Stops Python from looking for any file from here on."""
    del sys.meta_path[_before_paths()]
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    sys.path[:] = [HOME]


def extensions() -> Mapping[str, str]:
    """The files of the library's shared libraries, by the name of the module in each."""
    return next(one._extensions for one in sys.meta_path if isinstance(one, Library))


def _extensions() -> dict[str, str]:
    from sandbox.policy import EXTENSIONS

    found: dict[str, str] = {}
    for folder in (path for path in sys.path if path.endswith("lib-dynload")):
        for name in EXTENSIONS:
            for suffix in importlib.machinery.EXTENSION_SUFFIXES:
                file = os.path.join(folder, name + suffix)
                if os.path.isfile(file):
                    found.setdefault(name, file)
    return found
