"""The program in a box: the code to load, where it lies on this machine, and how Python is started.

Knows files of the interpreter and of packages; knows no wall and no bot.
"""

from __future__ import annotations

import json
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from matchbox import build
from matchbox.errors import BoxUnavailable
from sandbox.policy import LIBRARIES, Wall

_EVERY_BOX: Final = ("sandbox", "greenlet")
_BOOT: Final = (
    "import sys; archive, *imports, job = sys.argv[1:]; sys.path += imports; "
    "from sandbox.library import install; install(archive); "
    "from sandbox.zygote import main; main(job, imports)"
)

INTERPRETER: Final = Path(sys.executable).resolve()
LIBRARY: Final = Path(sysconfig.get_path("stdlib"))


@dataclass(frozen=True, slots=True)
class Program:
    """The code of a box: modules loaded in its zygote, and the function that serves a seat.

    Attributes:
        preload: module names.
        entry: "module:function", called in every seat with `recv` and `send`. If that module has a
            function `prepare`, it is called once, in the zygote.
        paths: directories that are searched for modules before the installed packages.
        wall: which layers of the inner wall go up.
        libraries: names of policy.LIBRARIES. Only seats that ask for libraries have them loaded.
    """

    preload: tuple[str, ...]
    entry: str
    paths: tuple[Path, ...] = ()
    wall: Wall = field(default_factory=Wall)
    libraries: tuple[str, ...] = ()

    def with_libraries(self) -> Program:
        """Returns the program with its libraries loaded."""
        modules = [module for name in self.libraries for module in LIBRARIES[name]]
        return replace(self, preload=(*modules, *self.preload), libraries=())

    def packages(self) -> list[Path]:
        """Files and directories of all modules that the box must hold beside the library."""
        names = [*_EVERY_BOX, *self.preload, self.entry.partition(":")[0]]
        tops = dict.fromkeys(name.partition(".")[0] for name in names)
        places = [_place(name, self.paths) for name in tops if not _in_library(name)]
        # A package from a wheel keeps its shared libraries here.
        linked = [place.with_name(f"{place.name}.libs") for place in places]
        return places + [place for place in linked if place.is_dir()]

    def command(
        self,
        imports: Iterable[str | Path],
        *,
        own_root: bool | None,
        archive: str,
        interpreter: str = str(INTERPRETER),
        control: str | None = None,
    ) -> list[str]:
        """The interpreter's command line. All places are named as they look from inside.

        `own_root` is True if the zygote must leave the host's root itself, and None if it has no
        way to. `archive` is the place of the standard library (see library.install). `control` is
        the path of the socket to call back on; without one, the channel is at descriptor 0.
        """
        job = {
            "preload": self.preload,
            "entry": self.entry,
            "drop": self.wall.drop,
            "own_root": own_root,
            "control": control,
            "build": (build.SETTING, str(int(build.in_use() == "compiled"))),
        }
        flags = ("-P", "-s", "-S", "-B", "-c", _BOOT)
        return [interpreter, *flags, archive, *map(str, imports), json.dumps(job)]


def _in_library(name: str) -> bool:
    return name in sys.stdlib_module_names


def _place(name: str, paths: Sequence[Path]) -> Path:
    spec = PathFinder.find_spec(name, [str(path) for path in paths]) or _installed(name)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    if spec is None or spec.origin is None:
        raise BoxUnavailable(f"the module {name!r} is not installed: install it beside Matchbox")
    return Path(spec.origin)


def _installed(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except ValueError:
        return None
