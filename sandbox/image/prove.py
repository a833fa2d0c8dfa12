"""Keeps the compiled hot path if this Python can load all of it: `prove.py PACKAGES`.

It was compiled where the image was requested, which may be another system. Runs while the image is
built, by the interpreter that will load it there. Without the compiled modules, the plain Python
ones are used.
"""

from __future__ import annotations

import shutil
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from pathlib import Path


def main(packages: Path) -> None:
    """Removes all compiled modules if one of them is missing or cannot be loaded."""
    compiled = packages / "matchbox/compiled"
    if not compiled.is_dir():
        return
    sys.path.insert(0, str(packages))
    from matchbox import build

    made = build.files()
    if not made or not all(loads(name, file) for name, file in made.items()):
        shutil.rmtree(compiled)


def loads(name: str, file: Path) -> bool:
    """Whether the system's loader accepts the module; none of its code is run."""
    loader = ExtensionFileLoader(name, str(file))
    try:
        loader.create_module(ModuleSpec(name, loader, origin=str(file)))
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]))
