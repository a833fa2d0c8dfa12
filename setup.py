"""The compiled build: every module with a `.pxd` beside it. Where no C compiler is, there is none.

What is made goes to `matchbox/compiled`; `matchbox/build.py` says how it is found again.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

sys.path.insert(0, str(Path(__file__).parent))
os.environ["MATCHBOX_COMPILED"] = "0"

from matchbox import build

QUICK = ["-O1", "-g0", "-fno-plt", "-foptimize-sibling-calls"]
"""Half the time of the compiler's usual options, and no slower: most of it is calls of Python's.

Those go straight to where they lead. And a call that comes last leaves nothing on the C stack, of
which a part is copied whenever a decision waits."""

CLOSE = ["-Wl,-z,noseparate-code"] if sys.platform == "linux" else []
"""Fewer mappings of memory for each module: every fork of a seat copies them all."""


def compiler() -> bool:
    """Whether there is a C compiler where one is called by its name."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return os.name != "posix" or shutil.which(command.split()[0]) is not None


def extensions() -> list[Extension]:
    """One a module, none without compiler and Cython. One that cannot be compiled is left out."""
    if not compiler():
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    home = build.HOME.parent
    made: list[Extension] = cythonize(
        [
            Extension(
                name,
                [str(file.relative_to(home))],
                extra_compile_args=QUICK,
                extra_link_args=CLOSE,
            )
            for name, file in build.sources().items()
        ],
        build_dir="build/cython",
        force=True,  # By the time of its files alone, what others' types have changed is missed.
        compiler_directives={"language_level": 3, "annotation_typing": False},
        quiet=True,
    )
    build.FOLDER.mkdir(exist_ok=True)
    for made_before in build.FOLDER.glob("*"):
        if build.digest() not in made_before.name:
            made_before.unlink()
    for extension in made:
        extension.name = f"matchbox.compiled.{build.stem(extension.name)}"
        extension.optional = True
    return made


setup(ext_modules=extensions(), options={"build_ext": {"parallel": os.cpu_count()}})
