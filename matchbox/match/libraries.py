"""Finds and refuses, inside the box, a bot's imports beside the standard library.

Knows names of modules and compiled code; runs no line of a bot.
"""

from __future__ import annotations

import sys
from types import CodeType
from typing import TYPE_CHECKING, Final

from matchbox.match.loading import source_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def wanted(files: Mapping[str, bytes], offered: Sequence[str]) -> list[str]:
    """Returns the offered libraries that the files' code names and that are not loaded here."""
    return named(files, [name for name in offered if name not in sys.modules])


def named(files: Mapping[str, bytes], libraries: Sequence[str]) -> list[str]:
    """Returns those of these libraries that the files' code names."""
    if not libraries:
        return []
    found = {name for file, data in files.items() for name in _named(file, data, libraries)}
    return [name for name in libraries if name in found]


def _named(file: str, data: bytes, libraries: Sequence[str]) -> Iterator[str]:
    if not file.endswith(".py") or not any(name.encode() in data for name in libraries):
        return
    try:
        code = compile(source_text(data), file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return  # The author is told when the file is loaded.
    for name in _names(code):
        yield name.partition(".")[0]


def _names(code: CodeType) -> Iterator[str]:
    """Every name in the code and in the functions inside it: imports are among them."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


_IMPORT: Final = "_find_and_load_unlocked"
"""importlib's function whose frame shows that an import, not `find_spec`, is running."""


class Refuser:
    """The last import finder: explains that a library is not here, and which ones are."""

    def __init__(self, offered: Sequence[str]) -> None:
        self._offered = offered

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        """Raises ModuleNotFoundError for a library that is being imported. Finds nothing if a bot
        only asks whether there is one, as by `importlib.util.find_spec`."""
        if path is not None or fullname in sys.stdlib_module_names:
            return
        # A finder is not told why it is called, so its caller's caller is looked at: frame 1 is
        # importlib's `_find_spec`, which both an import and a question call.
        if sys._getframe(2).f_code.co_name != _IMPORT:
            return
        if fullname in self._offered:
            why = "must be named in a plain `import` statement"
        else:
            why = f"is not available here; this server offers {listed(self._offered)}"
            if (game := f"matchbox.games.{fullname}") in sys.modules:
                why = f"is not available here; write {game}"
        raise ModuleNotFoundError(f"{fullname} {why}", name=fullname)


def stop_refusing() -> None:
    """Removes every Refuser, so that this process imports as before."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Refuser)]


LIBRARY: Final = "the standard library"


def listed(offered: Sequence[str]) -> str:
    """The libraries that a bot may import, in words."""
    return " and ".join([LIBRARY, *offered])
