"""The compiled build: every module with a `.pxd` beside it. Without a C compiler nothing is
compiled.

The compiled modules go to `matchbox/compiled`, where `matchbox/build.py` finds them.
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
"""Options that halve the compile time and make nothing slower: most of the code calls Python's
functions.

With -fno-plt such a call goes straight to its target. With -foptimize-sibling-calls a call that
comes last leaves nothing on the C stack, a part of which is copied whenever a decision waits.
"""

CLOSE = ["-Wl,-z,noseparate-code"] if sys.platform == "linux" else []
"""Makes each module need fewer mappings of memory, since every fork of a seat copies all
mappings."""


def has_compiler() -> bool:
    """Whether there is a C compiler under its usual name."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return os.name != "posix" or shutil.which(command.split()[0]) is not None


def extensions() -> list[Extension]:
    """Returns an extension for each module; none without compiler and Cython. Leaves out modules
    that cannot be compiled."""
    if not has_compiler():
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    home = build.HOME.parent
    made: list[Extension] = cythonize(
        [
            Extension(
                name, [str(file.relative_to(home))], extra_compile_args=QUICK, extra_link_args=CLOSE
            )
            for name, file in build.sources().items()
        ],
        build_dir="build/cython",
        force=True,  # Other modules' types may have changed, too.
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
