"""The source as data: its files, and the imports, calls and definitions in each.

Reads files and parses them; does not decide what is allowed.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.services import missing, needs

ROOMS = ("matchbox", "sandbox", "server", "worker", "laboratory", "cli", "dashboard", "bots")
HOUSE = (*ROOMS, "bench", "learning")
"""The rooms, and the folders that measure and learn beside the platform."""


def modules(checkout: Path, *folders: str) -> Iterator[Path]:
    """Every Python file of these folders, in order."""
    for folder in folders:
        yield from sorted((checkout / folder).rglob("*.py"))


def kept_files(checkout: Path) -> list[Path]:
    """Every file that git keeps or would add."""
    if not (checkout / ".git").exists():
        missing("clone the project with git to run this: the kept files are not known otherwise")
    # Git would not list the checkout of another account.
    command = [needs("git"), "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others"]
    command.append("--exclude-standard")
    listed = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True)
    return [
        path for name in listed.stdout.split("\0") if name and (path := checkout / name).is_file()
    ]


def is_somebody_elses(place: Path) -> bool:
    """Whether the file's text is not ours to change: an attack, or a player of a document."""
    inside = place.as_posix()
    return inside.startswith("tests/documents/") or (
        inside.startswith("tests/hostile/") and place.name.startswith("bot")
    )


def tree_of(path: Path) -> ast.Module:
    """The file, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(tree: ast.AST) -> set[str]:
    """The full names of all imports anywhere in the file."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def called(tree: ast.AST) -> set[str]:
    """The names of all functions that are called by a plain name, such as `open`."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def attributes(tree: ast.AST) -> set[str]:
    """All attributes of plain names that are read, such as `os.environ`."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {f"{node.value.id}.{node.attr}" for node in nodes if isinstance(node.value, ast.Name)}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The number of lines of the function, with its signature but without its decorators."""
    return (function.end_lineno or function.lineno) - function.lineno + 1
