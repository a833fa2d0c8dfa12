"""Copies this Python, its library and the libraries that both are linked with to an empty root.

Runs while the image is built: `gather.py ROOT`. Knows `ldd`; knows no program that will run there.
The interpreter is also at /python, whatever its path is here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

LINKED = re.compile(r"(/\S+) \(0x")
EXTRA = (Path("/etc/ld.so.cache"), Path("/usr/lib/locale/C.utf8"))
LEFT_OUT = shutil.ignore_patterns("*-packages", "test", "config-*", "ensurepip")


def main(root: Path) -> None:
    """Fills the root."""
    interpreter = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    for place in (interpreter, library, *EXTRA):
        copy(place, root)
    compiled = [interpreter, *root.rglob("*.so")]
    for place in linked(compiled):
        if not place.is_relative_to(root):  # A package's own libraries are there already.
            copy(place, root)
    (root / "python").symlink_to(interpreter)


def copy(place: Path, root: Path) -> None:
    """Copies the file or directory to the same path below the root; follows links."""
    target = root / place.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        shutil.copytree(place, target, ignore=LEFT_OUT, ignore_dangling_symlinks=True)
    elif place.is_file():
        shutil.copy2(place, target)


def linked(files: Iterable[Path]) -> Iterator[Path]:
    """Yields every library that one of the files is linked with, each once and without `..`."""
    output = subprocess.run(["ldd", *files], stdout=subprocess.PIPE, text=True, check=False).stdout
    yield from map(Path, dict.fromkeys(map(os.path.normpath, LINKED.findall(output))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
