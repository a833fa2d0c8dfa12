"""The doors between the rooms are shut, and a breach of any of them is seen.

import-linter checks the imports (its contracts are in pyproject.toml). The rest is checked here
from the syntax: the calls of a module, and the names in a single file.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.db import models
from tests.contract import sources

# The parts of the standard library for pictures and rules: pure, without anything to open.
PURE = {
    "__future__", "bisect", "collections", "collections.abc", "dataclasses", "enum", "functools",
    "html", "itertools", "json", "math", "operator", "string", "textwrap", "types", "typing",
}  # fmt: skip
# The modules that may read the environment: entry points, which pass it on, and modules that build
# one for a box.
ENTRY_POINTS = (
    "cli/",
    "matchbox/build.py",
    "sandbox/",
    "worker/arena/remote.py",
    "worker/health.py",
    "worker/start.py",
    "server/app.py",
    "server/db/migrations/env.py",
)
# The modules that may turn a string into a module.
LOADERS = {
    "matchbox/build.py",
    "matchbox/registry.py",
    "matchbox/match/loading.py",
    "matchbox/match/bot_runner.py",
}

BREACHES = [
    ("layers", "cli/breach.py", "import bench"),
    ("layers", "cli/breach.py", "import learning"),
    ("layers", "learning/breach.py", "import bench"),
    ("layers", "laboratory/breach.py", "import cli"),
    ("layers", "worker/breach.py", "import laboratory"),
    ("layers", "worker/breach.py", "import cli"),
    ("layers", "server/breach.py", "import worker.ledger"),
    ("layers", "dashboard/breach.py", "import server"),
    ("layers", "sandbox/breach.py", "import dashboard"),
    ("layers", "bots/breach.py", "import server.db"),
    ("layers", "matchbox/breach.py", "import bots"),
    ("pure-core", "matchbox/breach.py", "import os"),
    ("pure-core", "matchbox/league/breach.py", "from datetime import datetime"),
    ("pure-core", "matchbox/games/one/rules.py", "import random"),
    ("pure-core", "matchbox/games/one/player.py", "import socket"),
    ("games-apart", "matchbox/games/one/rules.py", "import matchbox.games.other"),
    ("inside-a-game", "matchbox/games/one/rules.py", "from matchbox.games.one import players"),
    ("inside-a-game", "matchbox/games/one/player.py", "import matchbox.games.one.terminal"),
    ("referee", "matchbox/match/breach.py", "import matchbox.games.one"),
    ("referee", "matchbox/league/breach.py", "from matchbox.games.one import rules"),
    ("referee", "matchbox/lab/breach.py", "from matchbox.games.one import rules"),
    ("sandbox", "sandbox/breach.py", "import matchbox.games.one"),
    ("sandbox", "sandbox/breach.py", "from matchbox import league"),
    ("arena", "worker/arena/breach.py", "import sqlalchemy"),
    ("arena", "worker/arena/breach.py", "from server import services"),
    ("arena", "worker/arena/breach.py", "import worker.ledger"),
    ("arena", "laboratory/breach.py", "import sqlalchemy"),
    ("books", "worker/ledger/breach.py", "import sandbox"),
    ("books", "server/services/breach.py", "import docker"),
    ("books", "dashboard/breach.py", "from worker import arena"),
    ("services", "server/services/breach.py", "from flask import request"),
    ("routes", "server/routes/breach.py", "from server.db import models"),
]


def lint(checkout: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The output of import-linter for a checkout."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", *options]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def contract_names(checkout: Path) -> dict[str, str]:
    """The name of every contract by its id."""
    table = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]["importlinter"]
    return {contract["id"]: contract["name"] for contract in table["contracts"]}


@pytest.fixture(scope="module")
def copy(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the rooms with two more games."""
    folder = tmp_path_factory.mktemp("house") / "copy"
    for room in sources.HOUSE:
        shutil.copytree(checkout / room, folder / room, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(checkout / "pyproject.toml", folder)
    for game in ("one", "other"):
        (folder / "matchbox/games" / game).mkdir()
        for module in ("__init__", "rules", "player", "players", "terminal"):
            (folder / "matchbox/games" / game / f"{module}.py").touch()
    return folder


@pytest.fixture
def breach(copy: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The id of the contract that a copy of the source breaks while the test runs."""
    contract, place, line = request.param
    file = copy / place
    kept = file.read_text() if file.exists() else None
    file.write_text(line + "\n")
    yield contract
    file.unlink() if kept is None else file.write_text(kept)


def test_every_door_is_shut(checkout: Path) -> None:
    verdict = lint(checkout)
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr


def test_every_door_has_a_breach_that_tries_it(checkout: Path) -> None:
    assert {contract for contract, *_ in BREACHES} == set(contract_names(checkout))


def test_a_copy_without_a_breach_passes(copy: Path) -> None:
    verdict = lint(copy)
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr


@pytest.mark.parametrize("breach", BREACHES, indirect=True, ids="{0[0]}: {0[1]}: {0[2]}".format)
def test_a_breach_is_seen(breach: str, copy: Path) -> None:
    verdict = lint(copy, "--contract", breach)
    words = " ".join(verdict.stdout.split())
    assert verdict.returncode == 1, words + verdict.stderr
    assert f"{contract_names(copy)[breach]} BROKEN" in words


# --- Checks of the syntax --------------------------------------------------------------------


def foreign_in_a_bot(tree: ast.Module) -> set[str]:
    """The modules of ours that a bot imports and that are no game."""
    ours = {name for name in sources.imported(tree) if name.split(".")[0] in sources.HOUSE}
    return {name for name in ours if not name.startswith("matchbox.games.")}


def foreign_in_a_drawing(tree: ast.Module, game: str) -> set[str]:
    """The imports of `draw.py` beside its own game, the contract's types and pure functions."""
    allowed = (f"matchbox.games.{game}.", "matchbox.game.", *(f"{name}." for name in PURE))
    return {name for name in sources.imported(tree) if not f"{name}.".startswith(allowed)}


def doors_opened(tree: ast.Module) -> set[str]:
    """The functions for input, output and loading that the module calls, and chance that has no
    seed."""
    unseeded = {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
    } & {"default_rng", "PCG64"}
    reading = {"io.open", "np.fromfile", "np.load", "np.loadtxt", "np.genfromtxt", "np.memmap"}
    return (
        unseeded
        | sources.attributes(tree) & reading
        | sources.called(tree)
        & {
            "open",
            "input",
            "print",
            "breakpoint",
            "__import__",
            "exec",
            "eval",
        }
    )


def network_reached(tree: ast.Module) -> set[str]:
    """The parts of `urllib` and `http` that open connections; pure parts, such as `urllib.parse`,
    are allowed."""
    reaching = ("urllib.request.", "http.client.", "http.server.")
    return {name for name in sources.imported(tree) if f"{name}.".startswith(reaching)}


def environment_read(tree: ast.Module) -> set[str]:
    """The ways in which the module reads the environment."""
    ways = {"os.environ", "os.getenv", "os.environb"}
    return (sources.attributes(tree) | sources.imported(tree)) & ways


def shared_in_a_form(tree: ast.Module) -> set[str]:
    """The API's routes that a form's route imports. Both must call the same action instead."""
    return {name for name in sources.imported(tree) if name.startswith("server.routes.api_")}


def rows_in_a_route(tree: ast.Module) -> set[str]:
    """The lookups and tables that a route imports. An action finds its own rows by name."""
    lookups = "server.services.lookup."
    tables = {name for name in vars(models) if not name.islower()}  # Modules are.
    return {
        name
        for name in sources.imported(tree)
        if f"{name}.".startswith(lookups)
        or (name.startswith("server.services.") and name.rpartition(".")[2] in tables)
    }


def test_bots_import_only_games(checkout: Path) -> None:
    for path in sources.modules(checkout, "bots"):
        assert not foreign_in_a_bot(sources.tree_of(path)), path


def test_a_drawing_imports_nothing_but_its_game(checkout: Path) -> None:
    for path in sorted((checkout / "matchbox/games").glob("*/draw.py")):
        assert not foreign_in_a_drawing(sources.tree_of(path), path.parent.name), path


def test_the_core_opens_nothing(checkout: Path) -> None:
    for path in sources.modules(checkout, "matchbox"):
        place = path.relative_to(checkout).as_posix()
        if path.name != "terminal.py" and place not in LOADERS:
            assert not doors_opened(sources.tree_of(path)), path
            assert not network_reached(sources.tree_of(path)), path


def test_only_loaders_turn_a_string_into_a_module(checkout: Path) -> None:
    for path in sources.modules(checkout, "matchbox"):
        if path.relative_to(checkout).as_posix() not in LOADERS:
            names = sources.imported(sources.tree_of(path))
            assert not {name for name in names if name.startswith("importlib")}, path


def test_only_entry_points_read_the_environment(checkout: Path) -> None:
    for path in sources.modules(checkout, *sources.ROOMS):
        if not path.relative_to(checkout).as_posix().startswith(ENTRY_POINTS):
            assert not environment_read(sources.tree_of(path)), path


def test_forms_call_actions_and_no_route_of_the_api(checkout: Path) -> None:
    forms = sorted((checkout / "server/routes").glob("form*.py"))
    assert forms
    for path in forms:
        assert not shared_in_a_form(sources.tree_of(path)), path


def test_routes_look_up_no_row(checkout: Path) -> None:
    for path in sources.modules(checkout, "server/routes"):
        assert not rows_in_a_route(sources.tree_of(path)), path


@pytest.mark.parametrize(
    "source", ["from server.routes import api_bots", "from server.routes.api_bots import upload"]
)
def test_a_form_that_calls_the_api_is_seen(source: str) -> None:
    assert shared_in_a_form(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "from server.services import lookup",
        "from server.services.lookup import find_bot",
        "from server.services.seasons import Season",
    ],
)
def test_a_route_that_looks_up_a_row_is_seen(source: str) -> None:
    assert rows_in_a_route(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    ["import matchbox.dice", "from matchbox import registry", "def f():\n  from server import db"],
)
def test_a_bot_that_looks_beyond_its_game_is_seen(source: str) -> None:
    assert foreign_in_a_bot(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "from matchbox.games.other import rules",
        "import plotly",
        "from . import terminal",
    ],
)
def test_a_drawing_that_looks_elsewhere_is_seen(source: str) -> None:
    assert foreign_in_a_drawing(ast.parse(source), "one")


@pytest.mark.parametrize(
    "source", ["import html", "from typing import Any", "from matchbox.games.one.rules import GAME"]
)
def test_a_drawing_may_use_its_game_and_pure_functions(source: str) -> None:
    assert not foreign_in_a_drawing(ast.parse(source), "one")


@pytest.mark.parametrize(
    "source",
    [
        "open('x')",
        "def f():\n  return input()",
        "print(1)",
        "io.open('x')",
        "np.load('x')",
        "np.random.default_rng()",
        "np.random.Generator(np.random.PCG64())",
    ],
)
def test_an_opened_door_is_seen(source: str) -> None:
    assert doors_opened(ast.parse(source))


@pytest.mark.parametrize("source", ["import urllib.request", "from http import client"])
def test_a_reach_for_the_network_is_seen(source: str) -> None:
    assert network_reached(ast.parse(source))


@pytest.mark.parametrize("source", ["os.environ['A']", "os.getenv('A')", "from os import environ"])
def test_a_look_at_the_environment_is_seen(source: str) -> None:
    assert environment_read(ast.parse(source))
