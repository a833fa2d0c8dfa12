"""The outer wall of a container. Starts one for a zygote, watches it and removes it.

Knows a Docker engine and the flags in policy.py; docker_image.py knows the image. A container is
made for a zygote, never for a match. Its zygote calls back over a socket in a directory that is
mounted read-only; nothing else of the host is in it.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from matchbox.errors import BoxUnavailable
from sandbox import container_calls, docker_image, orphans
from sandbox.launch import CREDENTIALS, Launch, Launched, starter
from sandbox.policy import CONTAINER, CONTAINER_ROOM_MB, MIB, Engine, Limits
from sandbox.program import Program

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

T = TypeVar("T")

_USUAL_HOST: Final = "unix:///var/run/docker.sock"
_INSIDE: Final = "/run/matchbox"
_SOCKET: Final = "control"
_LONGEST_PATH: Final = 107
"""The most bytes of a socket's path: a limit of the kernel."""
_RANDOM: Final = 8
"""The number of characters that `mkdtemp` adds to the prefix of a name."""
_START_S: Final = 60.0
_CHECK_S: Final = 0.5
_END_MS: Final = 10_000


def launcher(program: Program, engine: Engine) -> Launch:
    """A function that starts a container for the program's zygote.

    Removes the leftovers of killed processes. Raises BoxUnavailable with a sentence that says what
    to do: there is no engine, no image, or no directory that engine and worker share.
    """
    whole = replace(program, preload=program.preload + engine.modules)
    command = program.command(
        [docker_image.PLACE],
        own_root=False,
        archive=docker_image.ARCHIVE,
        interpreter=docker_image.INTERPRETER,
        control=f"{_INSIDE}/{_SOCKET}",
    )

    def prepare() -> str:
        client = connect()
        orphans.sweep(client, _directory(engine))
        if whole.libraries:
            docker_image.find(client, whole.with_libraries().packages())
        return docker_image.find(client, whole.packages())

    image = _call_engine(prepare)

    def launch() -> Launched:
        box = _Container(image, command, engine)
        control = _call_engine(box.start)
        return Launched(control, box.end, box.error_output, box.reserve_memory)

    return launch


def connect() -> DockerClient:
    """The engine that DOCKER_HOST names, or this machine's own. Raises BoxUnavailable."""
    from docker.errors import DockerException

    host = os.environ.get("DOCKER_HOST") or _USUAL_HOST
    try:
        _check_listens(host)
        return _client(os.getpid(), host)
    except (DockerException, OSError) as error:
        raise BoxUnavailable(
            "no Docker engine answers: start one, or name it in DOCKER_HOST, and let this account "
            f"use it ({error})"
        ) from error


class _Container:
    """One container, from its start to its end."""

    def __init__(self, image: str, command: list[str], engine: Engine) -> None:
        self._image = image
        self._command = command
        self._engine = engine
        self._memory_mb = Limits().memory_mb
        self._advice = (
            "it ended without an error message; try "
            f"`docker run --rm {image} {command[0]} -c 'import json'`"
        )

    def start(self) -> socket.socket:
        """Starts the container. Returns the channel of its zygote once the zygote has called back.

        Raises BoxUnavailable.
        """
        from docker.errors import DockerException
        from requests import RequestException

        directory = _directory(self._engine)
        self._folder = Path(tempfile.mkdtemp(prefix=orphans.folder_prefix(), dir=directory))
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                _listen(listener, self._folder)
                self._container = self._create()
                try:
                    self._container.start()
                    control = self._accept_call(listener)
                    self._handle = _handle(control)
                except BaseException:
                    with suppress(DockerException, RequestException):  # It may be gone already.
                        self._container.remove(force=True)
                    raise
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        return control

    def end(self) -> None:
        """Kills the zygote; the engine removes a container when its first process has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        watch = select.poll()
        watch.register(self._handle, select.POLLIN)
        watch.poll(_END_MS)
        os.close(self._handle)
        shutil.rmtree(self._folder, ignore_errors=True)

    def error_output(self) -> str:
        """Ends the container. Returns advice for the operator: a container prints nothing here."""
        self.end()
        return self._advice

    def reserve_memory(self, memory_mb: int) -> None:
        """Gives the container memory for a seat of this many MiB. Raises OSError."""
        if memory_mb > self._memory_mb:
            try:
                _call_engine(lambda: self._container.update(**_memory(memory_mb)))
            except BoxUnavailable as error:
                raise OSError(str(error)) from error
            self._memory_mb = memory_mb

    def _create(self) -> Container:
        from docker.types import Mount

        cores = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        return connect().containers.create(
            self._image,
            self._command,
            **CONTAINER,
            **_memory(self._memory_mb),
            use_config_proxy=False,  # The operator's proxies may have a password.
            cpuset_cpus=cores,
            labels={orphans.OWNER: orphans.owner()},
            mounts=[Mount(_INSIDE, str(self._folder), type="bind", read_only=True)],
            runtime=self._engine.runtime or None,
            security_opt=["no-new-privileges", f"seccomp={json.dumps(container_calls.profile())}"],
        )

    def _accept_call(self, listener: socket.socket) -> socket.socket:
        """The zygote's call, once it comes. Raises BoxUnavailable if the container ends first."""
        from docker.errors import NotFound

        listener.settimeout(_CHECK_S)
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            with suppress(TimeoutError):
                control, _ = listener.accept()
                return control
            try:
                self._container.reload()
            except NotFound:
                break
            if self._container.status not in ("created", "running"):
                break
        raise BoxUnavailable(f"the container did not start: {self._advice}")


def _call_engine(work: Callable[[], T]) -> T:
    """Calls the function on the one thread that talks to the engine; returns its result.

    Raises BoxUnavailable.
    """
    from docker.errors import DockerException
    from requests import RequestException

    try:
        return starter(os.getpid()).submit(work).result()
    except (DockerException, RequestException) as error:
        reason = getattr(error, "explanation", None) or error
        raise BoxUnavailable(f"the Docker engine refused: {reason}") from error


def _check_listens(host: str) -> None:
    """Raises OSError if nobody listens on the engine's socket."""
    if host.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(host.removeprefix("unix://"))


@cache
def _client(_pid: int, _host: str) -> DockerClient:
    """A client for this process alone: a fork must not share its connections."""
    from docker import from_env

    client: DockerClient = from_env()
    return client


def _memory(memory_mb: int) -> dict[str, int]:
    most = (memory_mb + CONTAINER_ROOM_MB) * MIB
    return {"mem_limit": most, "memswap_limit": most}


def _directory(engine: Engine) -> Path:
    """Returns the directory in which each socket has a folder. Raises BoxUnavailable."""
    usual = "/run/matchbox" if os.geteuid() == 0 else f"/tmp/matchbox-{os.geteuid()}"
    directory = Path(engine.sockets or usual)
    socket_path = directory / (orphans.folder_prefix() + "x" * _RANDOM) / _SOCKET
    if (over := len(os.fsencode(socket_path)) - _LONGEST_PATH) > 0:
        raise BoxUnavailable(
            f"the sockets cannot be in {directory}: name another directory in MATCHBOX_SOCKETS, "
            f"whose path is shorter by {over} bytes"
        )
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not engine.sockets:  # A directory from the settings may be shared.
            directory.chmod(0o700)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        raise BoxUnavailable(
            f"the sockets cannot be in {directory}: name another directory in MATCHBOX_SOCKETS "
            f"({error.strerror})"
        ) from error
    return directory


def _listen(listener: socket.socket, folder: Path) -> None:
    """Listens in a directory that other accounts may enter, but not write to.

    The channel of each call also receives the sender's pid, from its first packet on.
    """
    place = folder / _SOCKET
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    listener.bind(str(place))
    folder.chmod(0o755)
    place.chmod(0o666)
    listener.listen(1)


def _handle(control: socket.socket) -> int:
    """A pidfd of the process that called, by which it can be ended. Raises BoxUnavailable."""
    credentials = control.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    pid = CREDENTIALS.unpack(credentials)[0]
    try:
        handle = os.pidfd_open(pid)
        signal.pidfd_send_signal(handle, 0)
    except PermissionError as error:
        raise BoxUnavailable(
            "this account may not end the processes of containers: run it as root, or give it "
            "the capability KILL"
        ) from error
    except OSError as error:
        raise BoxUnavailable(
            "the processes of containers cannot be seen from here: in a container, start this "
            "with `pid: host`"
        ) from error
    return handle
