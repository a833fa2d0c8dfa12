"""Which build of the hot path is in use: plain Python, or the same source compiled.

A module with a `.pxd` beside it can be compiled. The compiled modules lie in `matchbox/compiled`,
under names that hold a digest of all the sources. After any change to a source, all modules run as
plain Python until they are compiled again; the two are never mixed. Knows no game.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import blake2b
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

HOME: Final = Path(__file__).parent
FOLDER: Final = HOME / "compiled"
SETTING: Final = "MATCHBOX_COMPILED"
"""The environment variable. It is a setting like the others, but is read before all of them."""
NO: Final = ("0", "false", "no")


@cache
def sources() -> dict[str, Path]:
    """Returns the source file of every module that can be compiled, by module name."""
    found = (types.with_suffix(".py") for types in sorted(HOME.rglob("*.pxd")))
    return {".".join(file.relative_to(HOME.parent).with_suffix("").parts): file for file in found}


@cache
def digest() -> str:
    """12 hex digits over the sources of all modules that can be compiled."""
    found = blake2b(digest_size=6)
    for name, file in sources().items():
        for data in (name.encode(), file.read_bytes(), file.with_suffix(".pxd").read_bytes()):
            found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()


def stem(name: str) -> str:
    """The name of the compiled module's file, without a suffix."""
    return f"{name.replace('.', '_')}_{digest()}"


def files() -> dict[str, Path]:
    """Returns every compiled module by name; empty if one is missing or has another source."""
    if not FOLDER.is_dir():
        return {}
    made = {name: FOLDER / f"{stem(name)}{EXTENSION_SUFFIXES[0]}" for name in sources()}
    return made if all(file.is_file() for file in made.values()) else {}


class _Compiled(MetaPathFinder):
    """Loads compiled modules in place of their source."""

    def __init__(self, files: dict[str, Path]) -> None:
        self._files = {name: str(file) for name, file in files.items()}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        """The spec of the compiled module of that name, or None if there is none."""
        file = self._files.get(name)
        if file is None:
            return None
        return spec_from_file_location(name, file, loader=ExtensionFileLoader(name, file))


def install_compiled_finder() -> None:
    """Makes later imports load compiled modules, if they exist and the setting allows them."""
    if os.environ.get(SETTING, "").lower() not in NO and (made := files()):
        sys.meta_path.insert(0, _Compiled(made))


def in_use() -> str:
    """Returns the build in use: "compiled" or "plain"."""
    compiled = any(isinstance(finder, _Compiled) for finder in sys.meta_path)
    return "compiled" if compiled else "plain"


def why_plain() -> str:
    """Returns why the hot path runs as plain Python, or "" if it is compiled.

    "refused": the setting forbids compiled modules. "changed": a source has changed since.
    "partial": the modules were compiled for another Python, or some are missing. "missing": nothing
    was compiled.
    """
    if in_use() == "compiled":
        return ""
    if os.environ.get(SETTING, "").lower() in NO:
        return "refused"
    made = [file.name for file in FOLDER.iterdir()] if FOLDER.is_dir() else []
    if any(f"_{digest()}." in name for name in made):
        return "partial"
    return "changed" if made else "missing"
