"""Namespaces without bubblewrap, as a command line: the inner wall does the rest.

Knows `unshare` of util-linux. Where the kernel refuses it, the zygote starts without namespaces.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

from sandbox.archive import descriptor
from sandbox.policy import NOBODY
from sandbox.program import Program

_FLAGS: Final = (
    *("--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}"),
    # The zygote moves to a root of its own, then gives up the rights that let it do so.
    *("--keep-caps", "--pid", "--net", "--ipc", "--uts", "--mount", "--fork", "--kill-child"),
)


def command(program: Program) -> list[str]:
    """The command that starts the program's zygote, in namespaces of its own where they work."""
    places = dict.fromkeys(place.parent for place in program.packages())
    namespaces = _namespaces()
    inside = program.command(places, own_root=bool(namespaces) or None, archive=str(descriptor()))
    return [*namespaces, *inside]


def _namespaces() -> tuple[str, ...]:
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    prefix = (unshare, *_FLAGS, "--")
    tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if tried.returncode == 0 else ()
