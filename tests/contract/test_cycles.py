"""No module of a room imports itself by way of others, not even inside a function.

Imports for types alone do not count, nor does the `__init__` of a module's own package.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.contract import sources


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Every import as a module and a name in it, empty for the module itself; types left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        yield from imports(node)


def graph_of(trees: Mapping[str, ast.AST]) -> dict[str, set[str]]:
    """The modules among these that each of them imports, by full name."""
    graph: dict[str, set[str]] = {}
    for name, tree in trees.items():
        found = imports(tree)
        wanted = (full if (full := f"{one}.{part}") in trees else one for one, part in found)
        graph[name] = {module for module in wanted if module in trees} - {name}
    return graph


def reachable(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    """The modules to which importing `start` leads."""
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting.extend(graph[module])
    return seen


def in_a_cycle(graph: Mapping[str, Iterable[str]]) -> set[str]:
    """The modules from which imports lead back to themselves."""
    return {module for module in graph if module in reachable(graph, module)}


def module_name(checkout: Path, path: Path) -> str:
    """The full name of a module; a package's is that of its `__init__`."""
    parts = path.relative_to(checkout).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("room", sources.HOUSE)
def test_no_module_imports_itself_by_way_of_others(room: str, checkout: Path) -> None:
    paths = sources.modules(checkout, room)
    trees = {module_name(checkout, path): sources.tree_of(path) for path in paths}
    assert not in_a_cycle(graph_of(trees))


@pytest.mark.parametrize(
    ("one", "other", "cycle"),
    [
        ("import a.two", "from a import one", True),
        ("from a.two import name", "def f():\n  from a.one import name", True),
        ("import a.two", "if TYPE_CHECKING:\n  import a.one", False),
        ("import a.two", "import a", False),
    ],
)
def test_a_cycle_is_seen(one: str, other: str, cycle: bool) -> None:
    trees = {"a": ast.parse(""), "a.one": ast.parse(one), "a.two": ast.parse(other)}
    assert in_a_cycle(graph_of(trees)) == ({"a.one", "a.two"} if cycle else set())
