"""Fixtures for all tests: real servers, a real browser, and an environment of their own."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import tomllib
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from ssl import SSLContext
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from flask import Flask
from httpx._transports import default
from hypothesis import settings
from jinja2 import FileSystemBytecodeCache
from playwright.sync_api import BrowserContext, expect
from sqlalchemy import create_engine
from sqlalchemy.dialects.sqlite.base import SQLiteDialect
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

from matchbox import build, registry
from sandbox.box import KINDS, Box
from sandbox.policy import LIBRARIES
from sandbox.program import Program
from server import recent
from server.db import session
from server.db.migrations import migrate
from server.services import passwords
from tests import engine, installation, services
from tests.builders import open_box
from worker.arena.boxes import ENTRY

# A busy machine is no bug: nothing here is timed, and CI draws the same examples every time.
settings.register_profile("matchbox", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("matchbox")

PATIENCE_MS = 60_000
"""Milliseconds that a page may take to show the expected text."""


TESTS = Path(__file__).parent
LONG = tuple(TESTS / name for name in ("deployment", "e2e", "hostile", "integration"))
"""Folders of tests that wait for processes."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Collects tests with the garbage collector off, since it finds next to nothing. Afterwards the
    collector ignores the loaded objects, and runs less often. This saves a quarter of the
    processor time of the unit tests."""
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, then the others that wait for processes, so that none of
    them runs last and alone. Coverage doubles the processor time of a test, so it is measured only
    in the quick unit tests of the rooms for which it is requested, and only in the first case of
    each test."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    waits = {item.path for item in items if any(map(item.path.is_relative_to, LONG))}
    items.sort(key=lambda item: (item.path not in slow, item.path not in waits))
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())
    measured = [TESTS / "unit" / room for room in project["tool"]["coverage"]["run"]["source"]]
    files = {item.path for item in items}
    quick = {path for path in files - slow if any(map(path.is_relative_to, measured))}
    seen: set[str] = set()
    for item in items:
        name, _, _ = item.nodeid.partition("[")
        if item.path not in quick or name in seen:
            item.add_marker("no_cover")
        seen.add(name)


@pytest.fixture(autouse=True, scope="session")
def _clean_environment() -> Iterator[None]:
    """Hides the environment's settings and the flags of make from all tests, except the choice of
    the build. Lets commands take Ctrl-C, which a shell has the tests ignore in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("MATCHBOX_", "MAKE", "MFLAGS")) and name != build.SETTING:
                patch.delenv(name)
        yield


@pytest.fixture(autouse=True, scope="session")
def _shared_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The processes of a run share the parent folder of their own."""
    own = tmp_path_factory.getbasetemp()
    installation.shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(autouse=True, scope="session")
def _quick_setting_up() -> Iterator[None]:
    """Saves time in this process: hashes passwords at the least cost; compiles templates, SQL and
    URL rules once for all applications and databases; reads the certificates of clients once. A
    platform that is started as a process is not affected."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", cheap)
        patch.setattr(recent, "KEPT_S", 0.0)  # Tests change something and look at once.
        compiled = {"bytecode_cache": FileSystemBytecodeCache(folder)}
        patch.setattr(Flask, "jinja_options", compiled)
        # Statements that were compiled for one database serve every other one of its kind.
        patch.setattr(SQLiteDialect, "__eq__", lambda one, other: type(one) is type(other))
        patch.setattr(SQLiteDialect, "__hash__", lambda one: hash(type(one)))
        shared: dict[str, Any] = {"compiled_cache": LRUCache(2000)}
        patch.setattr(session, "create_engine", partial(create_engine, execution_options=shared))
        patch.setattr(Rule, "_compile_builder", _compiled_once(Rule._compile_builder))
        patch.setattr(default, "create_ssl_context", _read_once(httpx.create_ssl_context))
        yield


def _compiled_once(compiled: Callable[[Rule, bool], Any]) -> Callable[[Rule, bool], Any]:
    """The method of a URL rule that compiles the function that makes its addresses. The compiled
    function depends on the rule's text and defaults alone."""
    kept: dict[tuple[Any, ...], Any] = {}

    def compile_builder(rule: Rule, append_unknown: bool = True) -> Any:
        told = rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown
        if told not in kept:
            kept[told] = compiled(rule, append_unknown)
        return kept[told]

    return compile_builder


def _read_once(made: Callable[..., SSLContext]) -> Callable[..., SSLContext]:
    """The function that makes a client's context of TLS. A context with the usual certificates
    takes as long as many requests, so it is made once for each place that the environment names."""
    kept: dict[tuple[Any, ...], SSLContext] = {}

    def create_ssl_context(
        verify: Any = True, cert: Any = None, trust_env: bool = True
    ) -> SSLContext:
        if verify is not True or cert is not None:
            return made(verify=verify, cert=cert, trust_env=trust_env)
        places = [os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")]
        told = trust_env, *places
        if told not in kept:
            kept[told] = made(trust_env=trust_env)
        return kept[told]

    return create_ssl_context


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder of the project."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    path = tmp_path_factory.mktemp("empty") / "matchbox.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of Debian's Redis, running; one for each test process."""
    with services.redis_like(services.needs("redis-server")) as url:
        yield url


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """The URL of the embedded Valkey, running; one for each test process."""
    with services.redis_like(services.valkey_binary()) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a running Postgres (`postgresql+psycopg://`); one for each test process."""
    with services.postgres() as url:
        yield url


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[str]:
    """The URL of an empty Postgres database of this test's own."""
    with services.fresh_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[str]:
    """The address of a running Docker engine, which is also in DOCKER_HOST."""
    with engine.engine() as host, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", host)
        yield host


@pytest.fixture(scope="session")
def seat_images(docker_engine: str) -> None:
    """The images of every program that a test plays in containers."""
    here = Path(__file__).parent
    attacks = Program((), "sandbox.attacks:serve", libraries=tuple(LIBRARIES))
    bots = Program(tuple(registry.seat_modules()), ENTRY, libraries=tuple(LIBRARIES))
    engine.build(
        attacks.packages(),
        attacks.with_libraries().packages(),
        Program((), "echo_entry:serve", (here / "contract",)).packages(),
        bots.packages(),
        bots.with_libraries().packages(),
    )


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of box, ready to be opened."""
    if request.param == "docker":
        request.getfixturevalue("seat_images")
    return str(request.param)


@pytest.fixture(scope="module")
def box(kind: str) -> Iterator[Box]:
    """A box of that kind, warm."""
    with open_box(kind) as opened:
        yield opened


@pytest.fixture(scope="session")
def browser_path() -> str:
    """The installed Chromium."""
    return services.needs(*services.BROWSERS)


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    """A context of the browser in which an action may take as long as what a test expects."""
    context.set_default_timeout(PATIENCE_MS)
    return context


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], browser_path: str
) -> dict[str, Any]:
    """How pytest-playwright starts the installed browser, even as root in a container."""
    expect.set_options(timeout=PATIENCE_MS)
    return {
        **browser_type_launch_args,
        "executable_path": browser_path,
        "args": ["--no-sandbox", "--disable-dev-shm-usage"],
    }
