"""The compiled hot path: in every wheel if there is a compiler, never stale, never a mixture.

That it plays the same games as plain Python is compared in test_identity.py.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from matchbox import build
from tests.contract import sources

HOME = Path(__file__).parents[2]
LOCALS = re.compile(
    r"^(?P<indent> *)@cython\.locals\((?P<names>[^)]*)\)\s*"
    r"(?:@cython\.\S+\s*)*c(?:p)?def (?:[^\n(]*?)(?P<function>\w+)\(",
    re.MULTILINE,
)
"""Types of variables in a `.pxd`, and the function that they are for."""
SHOWN = "from matchbox import build, dice; print(build.in_use(), dice.__file__, build.why_plain())"


def shown(where: Path, **environment: str) -> list[str]:
    """The build that the folder's Matchbox uses, and the file of one of its modules."""
    told = subprocess.run(
        [sys.executable, "-P", "-c", SHOWN],
        env=os.environ | {"PYTHONPATH": str(where), build.SETTING: "1"} | environment,
        cwd=where,
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.split()


@pytest.fixture
def built() -> str:
    """The build that the installation made: plain Python only without a C compiler."""
    if build.files():
        return "compiled"
    assert shutil.which("cc") is None, "there is a compiler: `make setup` compiles with it"
    assert "CI" not in os.environ
    return "plain"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with a copy of the installation, including compiled modules."""
    shutil.copytree(HOME / "matchbox", tmp_path / "matchbox")
    return tmp_path


def wheel(into: Path, **environment: str) -> Path:
    """The content of a wheel that is built now."""
    source = into / "source"
    for name in sources.ROOMS:
        ignored = shutil.ignore_patterns("__pycache__", "compiled")
        shutil.copytree(HOME / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(HOME / name, source)
    # pip calls this. Before it, pip would compile everything once more to find the name.
    build_wheel = f"from setuptools import build_meta; build_meta.build_wheel({str(into)!r})"
    subprocess.run(
        [sys.executable, "-c", build_wheel],
        env=os.environ | environment,
        cwd=source,
        capture_output=True,
        check=True,
    )
    (made,) = into.glob("*.whl")
    with zipfile.ZipFile(made) as packed:
        packed.extractall(into / "installed")
    return into / "installed"


def test_what_was_compiled_is_used_unless_plain_python_is_asked_for(
    copied: Path, built: str
) -> None:
    used, file, *why = shown(copied)
    assert why == ([] if built == "compiled" else ["missing"])
    assert used == built
    assert (Path(file).parent == copied / "matchbox/compiled") == (built == "compiled")
    plain = ["plain", str(copied / "matchbox/dice.py"), "refused"]
    assert shown(copied, MATCHBOX_COMPILED="0") == plain


@pytest.mark.parametrize("edited", ["dice.py", "match/bout.pxd"])
def test_whoever_edits_a_line_plays_in_plain_python(copied: Path, built: str, edited: str) -> None:
    with (copied / "matchbox" / edited).open("a") as file:
        file.write("\n# Another line.\n")
    used, _, why = shown(copied)
    assert used == "plain"
    assert why == ("changed" if built == "compiled" else "missing")


def test_there_is_never_a_mixture(copied: Path, built: str) -> None:
    for file in list((copied / "matchbox").glob("compiled/*"))[:1]:
        file.unlink()
    used, _, why = shown(copied)
    assert used == "plain"
    assert why == ("partial" if built == "compiled" else "missing")


def test_what_was_compiled_for_another_python_is_told_from_another_source(copied: Path) -> None:
    made = copied / "matchbox/compiled"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    (made / f"matchbox_dice_{build.digest()}.cpython-39-other.so").touch()
    assert shown(copied)[2:] == ["partial"]
    (made / "matchbox_dice_000000000000.so").touch()
    assert shown(copied)[2:] == ["partial"]


@pytest.fixture
def ready_compiler(tmp_path: Path) -> str:
    """A quick stand-in for a C compiler: for every module it copies the result that the
    installation made of the same source, and fails if there is none."""
    script = tmp_path / "ready-cc"
    script.write_text(f"""#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" = -o ] && made=$2
    shift
done
case $made in
    *.so) exec cp "{build.FOLDER}/${{made##*/}}" "$made" ;;
    *) exec touch "$made" ;;
esac
""")
    script.chmod(0o755)
    return str(script)


@pytest.mark.slow
def test_a_wheel_holds_every_compiled_module(
    tmp_path: Path, built: str, ready_compiler: str
) -> None:
    assert shown(wheel(tmp_path, CC=ready_compiler))[0] == built


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["false", "no-such-compiler"])
def test_without_a_compiler_a_wheel_is_plain_python(tmp_path: Path, compiler: str) -> None:
    assert shown(wheel(tmp_path, CC=compiler))[0] == "plain"
    assert (tmp_path / "source/build/cython").exists() == (compiler == "false")


def test_types_lie_beside_every_module_that_is_compiled() -> None:
    assert {"matchbox.dice", "matchbox.match.bout", "matchbox.games.bomb.rules"} <= set(
        build.sources()
    )
    assert all(file.is_file() for file in build.sources().values())


def typed_locals(types: Path) -> Iterator[tuple[str, str]]:
    """Every function for whose variables a `.pxd` has types, as in Class.function, with each of
    their names."""
    text = types.read_text()
    for found in LOCALS.finditer(text):
        classes = re.findall(r"^cdef class (\w+)", text[: found.start()], re.MULTILINE)
        inside = f"{classes[-1]}." if found["indent"] else ""
        for name in re.findall(r"(\w+)\s*=", found["names"]):
            yield inside + found["function"], name


def own_names(source: Path) -> dict[str, set[str]]:
    """The variables of every function of a module, by its name as in Class.function."""
    found = {}
    for outer in ast.parse(source.read_text()).body:
        inner = outer.body if isinstance(outer, ast.ClassDef) else [outer]
        prefix = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
        for one in inner:
            if isinstance(one, ast.FunctionDef):
                names = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
                found[prefix + one.name] = names | {
                    node.arg for node in ast.walk(one) if isinstance(node, ast.arg)
                }
    return found


def test_no_type_is_given_to_a_variable_that_is_not_there() -> None:
    for source in build.sources().values():
        names = own_names(source)
        for function, name in typed_locals(source.with_suffix(".pxd")):
            assert name in names[function], f"{source.name}: {function} has no {name}"
