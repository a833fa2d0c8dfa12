"""The outer wall of bubblewrap, as a command line. Knows its flags; does not know the program
inside."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from matchbox.errors import BoxUnavailable
from sandbox.archive import descriptor
from sandbox.policy import HOST, NOBODY, ZYGOTE_ENVIRONMENT
from sandbox.program import INTERPRETER, LIBRARY, Program

_INSIDE: Final = Path("/box")
_NOBODY: Final = str(NOBODY)
_WALL: Final = [
    *("--unshare-user", "--unshare-all", "--disable-userns", "--new-session", "--die-with-parent"),
    *("--as-pid-1", "--clearenv", "--cap-drop", "ALL", "--uid", _NOBODY, "--gid", _NOBODY),
    *("--hostname", HOST, "--chdir", "/"),
]
_SHARED: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")


def command(program: Program) -> list[str]:
    """The command that starts the program's zygote in a box. Raises BoxUnavailable."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise BoxUnavailable(
            "bubblewrap is not installed: apt-get install bubblewrap (the PyPI package of that "
            "name is something else)"
        )
    inside = [
        argument
        for place in program.packages()
        for argument in ("--ro-bind", str(place), str(_INSIDE / place.name))
    ]
    environment = [word for pair in ZYGOTE_ENVIRONMENT.items() for word in ("--setenv", *pair)]
    return [
        *(bwrap, *_WALL, *environment, *_library(), *inside, "--remount-ro", "/", "--"),
        *program.command([_INSIDE], own_root=False, archive=str(descriptor())),
    ]


def _library() -> Iterator[str]:
    """Yields binds of the interpreter, its library and their shared libraries, but of no
    packages."""
    shared = [Path(place) for place in _SHARED if Path(place).is_dir()]
    home = LIBRARY.parent
    if not any(home.is_relative_to(place) for place in shared):
        shared.append(home)
    for place in (INTERPRETER, *shared):
        yield from ("--ro-bind", str(place), str(place))
    for packages in (LIBRARY / "site-packages", LIBRARY / "dist-packages", home / "python3"):
        if packages.is_dir():
            yield from ("--tmpfs", str(packages), "--remount-ro", str(packages))
