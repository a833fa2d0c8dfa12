"""A real Docker engine for the tests, with images for the seats of their boxes.

A running engine is used as it is. Otherwise one is started, which all test processes of this
account share. A keeper process ends it after the last of them has ended, even if that was killed.
Its data stays in the user's cache, so that the base image is made once on a machine.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sandbox import docker_box, docker_image
from tests.services import missing, needs, running

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "matchbox-tests"
BASE: Final = "matchbox-test-base:bookworm"
RELEASE: Final = "bookworm"
RELEASE_PYTHON: Final = (3, 11)
START_S: Final = 120.0
PING_S: Final = 5
USUAL: Final = "/etc/ssl/certs/ca-certificates.crt"
CERTIFICATES: Final = "/etc/ssl/machine-ca.pem"
# The settings of this machine that a build needs to reach its package index.
PASSED_ON: Final = ("PIP_INDEX_URL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@contextmanager
def engine() -> Iterator[str]:
    """The address of an engine, as in DOCKER_HOST, that runs at least until the block ends."""
    usual = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if _answers(usual):
        yield usual
        return
    needs("dockerd")
    if os.geteuid() != 0:
        missing("start a Docker engine to run this: only root can have the tests start one")
    host = f"unix://{CACHE}/docker.sock"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "users").open("w") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        with alone():
            if not _answers(host):
                _start(host)
        yield host


@contextmanager
def alone() -> Iterator[None]:
    """Lets no other test process of this account start or build while the block runs."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(*programs: Sequence[Path]) -> None:
    """Builds the images that hold these packages on the engine of DOCKER_HOST."""
    client = docker_box.connect()
    with alone():
        base = base_image(client)
        for packages in programs:
            docker_image.build(client, packages, base, "host")


def base_image(client: Any) -> str:
    """The name of an image with this Python: the usual one if it is available, else ours."""
    usual = client.images.list(docker_image.BASE)
    if usual or sys.version_info[:2] != RELEASE_PYTHON or not shutil.which("debootstrap"):
        return docker_image.BASE
    if not client.images.list(BASE):
        _bootstrap(client)
    return BASE


def _bootstrap(client: Any) -> None:
    """Makes a base image from Debian's packages: a machine like CI's can pull no image."""
    certificates = Path(os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE") or USUAL)
    changes = [f"ENV {name}={os.environ[name]}" for name in PASSED_ON if os.environ.get(name)]
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        root, tar = f"{folder}/root", f"{folder}/root.tar"
        wanted = ["--variant=minbase", "--include=python3,python3-venv,python3-pip"]
        _run("debootstrap", *wanted, RELEASE, root, _mirror())
        if certificates.is_file():
            # It has a name of its own: the package of certificates overwrites the usual one.
            shutil.copy(certificates, root + CERTIFICATES)
            changes += [f"ENV PIP_CERT={CERTIFICATES} SSL_CERT_FILE={CERTIFICATES}"]
        _run("tar", "-C", root, "-cf", tar, ".")
        name, _, tag = BASE.partition(":")
        client.api.import_image(src=tar, repository=name, tag=tag, changes=changes)


def _mirror() -> str:
    """The address from which apt gets this release on this machine."""
    wanted = ["--format", "$(REPO_URI)", "Identifier: Packages", f"Codename: {RELEASE}"]
    wanted += ["Component: main"]
    told = subprocess.run(["apt-get", "indextargets", *wanted], capture_output=True, text=True)
    return next(iter(told.stdout.split()), "")


def _run(*words: str) -> None:
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{words[0]} failed:\n{done.stdout[-2000:]}"


def _answers(host: str) -> bool:
    """Whether an engine serves requests there. One on another machine is assumed to.

    That somebody listens says too little: an engine opens its socket long before it is ready, and
    may end in between; and something else may hold the usual socket.
    """
    if not host.startswith("unix://"):
        return True
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(PING_S)
        try:
            caller.connect(host.removeprefix("unix://"))
            caller.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            return b" 200 " in caller.recv(64)
        except OSError:
            return False


def _start(host: str) -> None:
    """Starts a keeper, and returns once its engine answers.

    What an engine on a killed machine left behind can stop the next one: a process file whose
    number somebody else has by now, or a torn database. So a second one starts from nothing.
    """
    told = _try_to_start(host, CACHE)
    if told is not None:
        again = _try_to_start(host, Path(tempfile.mkdtemp(prefix="anew-", dir=CACHE)))
        assert again is None, f"{told}\n\nIn an empty folder:\n{again}"


def _try_to_start(host: str, home: Path) -> str | None:
    """Starts a keeper whose engine has its files in `home`. Returns what it said if it failed."""
    told = CACHE / "keeper.log"
    with told.open("wb") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.engine", host, str(home)],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_S
    while not _answers(host):
        if keeper.poll() is not None:
            return told.read_text()[-4000:]
        if time.monotonic() > deadline:
            keeper.terminate()
            keeper.wait()
            return f"no answer within {START_S:.0f} s\n{told.read_text()[-4000:]}"
        time.sleep(0.1)
    keeper.returncode = 0  # It outlives this process, which need not wait for it.
    return None


def keep(host: str, home: Path) -> None:
    """Runs an engine with its files in `home` until no test process uses it any more."""
    command = [needs("setpriv"), "--pdeathsig", "TERM", needs("dockerd"), "--host", host]
    command += ["--data-root", f"{home}/docker", "--exec-root", f"{home}/run"]
    command += ["--pidfile", f"{home}/docker.pid", "--iptables=false", "--bridge=none"]
    ready = running(command, lambda: _answers(host), home / "docker.log")
    # The lock is released last, so that nobody finds an engine that is about to end.
    with (CACHE / "users").open("w") as users, ready:
        fcntl.flock(users, fcntl.LOCK_EX)
    if home != CACHE:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    keep(sys.argv[1], Path(sys.argv[2]))
