"""`matchbox up`: the whole platform on this machine, with embedded defaults.

Knows which programs it consists of and in which order they start; the supervisor keeps them alive.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from cli import output
from cli.data_option import data_option
from matchbox.errors import Conflict, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cli.supervisor import Program, Supervisor
    from matchbox.settings import Settings

HOST: Final = "127.0.0.1"
_READY_S: Final = 60.0
_CHECK_S: Final = 0.2
_INHERITED: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
_NOT_FOR_ARENAS: Final = (
    "MATCHBOX_SECRET_KEY", "MATCHBOX_DATABASE_URL", "MATCHBOX_SMTP_", "MATCHBOX_OPENID_",
)  # fmt: skip


class _Stopped(Exception):
    """A signal asked the platform to stop."""


class Listeners(NamedTuple):
    """The sockets of the platform: one for everybody, and one for arenas."""

    public: socket.socket
    internal: socket.socket


def up(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one")] = 8000,
    data: Annotated[
        Path, data_option("folder for everything that is kept", envvar="MATCHBOX_DATA")
    ] = Path("data"),
) -> None:
    """Start the platform; Ctrl-C stops it, and nothing is lost."""
    from cli import folder
    from cli.supervisor import on_stop

    os.umask(0o077)
    on_stop(_stop)
    try:
        place = folder.make(data)
        with folder.locked(place), listen(port) as public, _internal_listener() as internal:
            _run(place, Listeners(public, internal))
    except _Stopped:
        output.note("Stopped.")


def listen(port: int, otherwise: str = "as in `make up PORT=8001`") -> socket.socket:
    """A socket that listens on that port of this machine alone. Raises Conflict."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        why = "is taken" if error.errno == errno.EADDRINUSE else "may not be used by this account"
        raise Conflict(f"port {port} {why}: choose another one, {otherwise}") from None
    return listener


def _internal_listener() -> socket.socket:
    """The socket for arenas. Raises Conflict or BadSetting."""
    from matchbox.settings import read_settings

    port = read_settings(os.environ).internal_port
    return listen(port, "with MATCHBOX_INTERNAL_PORT")


def _run(place: Path, listeners: Listeners) -> None:
    """Starts everything and keeps it running until the command is to stop."""
    from cli import folder
    from cli.supervisor import Supervisor
    from matchbox.settings import read_settings
    from server.openid_client import check_installed
    from worker import broker

    port = listeners.public.getsockname()[1]
    given = folder.environment(place, port, os.environ)
    given["MATCHBOX_INTERNAL_URL"] = f"http://{HOST}:{listeners.internal.getsockname()[1]}"
    embedded = not given.get("MATCHBOX_BROKER_URL")
    if embedded:
        given["MATCHBOX_BROKER_URL"] = broker.address(place)
        broker.prepare(place)
    settings = read_settings(given, open)
    environment = {**inherited_environment(), **given, "PYTHONUNBUFFERED": "1"}
    check_installed(settings)
    supervisor = Supervisor(folder.logs(place), output.note)
    try:
        secret = _prepare(environment, needs_broker=not embedded)
        folder.keep_database(place, settings.database_url)
        folder.keep_address(place, settings.server_url)
        folder.keep_retention(place, settings)
        if embedded:
            supervisor.add(_broker(place, environment))
            socket_path = broker.socket_path(place)
            _wait(supervisor, "broker", lambda: "" if socket_path.exists() else "no socket")
        web, internal, *others = programs(settings, environment, place, listeners)
        supervisor.add(web)
        supervisor.add(internal)
        _wait(supervisor, "web", lambda: _trouble(f"http://{HOST}:{port}/"))
        _wait(supervisor, "internal", lambda: _trouble(f"{settings.internal_url}/healthz"))
        for program in others:
            supervisor.add(program)
        _print_address(settings.server_url, secret, folder.logs(place))
        _keep_running(supervisor, place)
    except _Stopped:
        output.note("Stopping ...")
        signal.signal(signal.SIGINT, lambda *_: supervisor.kill())
        supervisor.stop()
        raise
    finally:
        supervisor.kill()
        shutil.rmtree(folder.metrics(place), ignore_errors=True)


def _keep_running(supervisor: Supervisor, place: Path) -> None:
    """Restarts what has died, until the command is to stop. Raises Conflict if the folder is moved
    or deleted."""
    from cli import folder
    from server.services import supervision

    begun = place.stat()
    while True:
        folder.check_in_place(place, begun)
        supervisor.restart_dead()
        supervision.give_sign(place)
        time.sleep(_CHECK_S)


def programs(
    settings: Settings, environment: Mapping[str, str], place: Path, listeners: Listeners
) -> list[Program]:
    """Every program except the broker, in the order in which they start."""
    from cli import web
    from cli.supervisor import Program
    from worker.app import EXPRESS_QUEUES
    from worker.arena import cpu_affinity

    started = [
        _web_server("web", web.PUBLIC, environment, place, listeners.public),
        _web_server("internal", web.INTERNAL, environment, place, listeners.internal),
        Program("ledger", _worker("ledger", "ledger", "-Q", "ledger"), environment, layer=1),
        Program("beat", _celery("worker.ledger.beat", "beat", "--pidfile="), environment, layer=2),
    ]
    known = arena_environment(environment, place)
    for number in range(settings.arenas or len(cpu_affinity.usable_cores())):
        name = f"arena-{number + 1}"
        started.append(Program(name, _worker(name, "arena"), known, layer=2))
    if settings.express_arena:
        command = _worker("arena-express", "arena", "-Q", ",".join(EXPRESS_QUEUES))
        known = {**known, "MATCHBOX_PIN": "false"}
        started.append(Program("arena-express", command, known, layer=2))
    return started


def arena_environment(environment: Mapping[str, str], place: Path) -> dict[str, str]:
    """The environment of an arena: without the database, signing keys and mail settings."""
    from cli import folder

    known = {n: v for n, v in environment.items() if not n.startswith(_NOT_FOR_ARENAS)}
    return {**known, "MATCHBOX_DATA": str(folder.arena(place))}


def _web_server(
    name: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    place: Path,
    listener: socket.socket,
) -> Program:
    """A web server at that socket. It counts its requests in a folder of its own."""
    from cli import folder
    from cli.supervisor import Program

    at = ("-c", "python:cli.web", "-b", f"fd://{listener.fileno()}")
    counts = folder.metrics(place) / name
    known = {**environment, "PROMETHEUS_MULTIPROC_DIR": str(counts)}
    command = _python("gunicorn", *at, *arguments)
    # A log-out of the account may remove all that it has in memory (systemd's RemoveIPC).
    return Program(name, command, known, (listener.fileno(),), layer=1, folder=counts)


def _broker(place: Path, environment: Mapping[str, str]) -> Program:
    from cli.supervisor import Program
    from worker import broker

    return Program("broker", broker.command(place), environment)


def _worker(name: str, half: str, *queues: str) -> list[str]:
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "WARNING")
    named = ("-n", f"{name}@matchbox")
    return _celery(f"worker.{half}.main", "worker", "-P", "solo", *queues, *named, *quiet)


def _celery(app: str, *arguments: str) -> list[str]:
    return _python("celery", "-A", app, *arguments)


def _python(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "worker.start", module, *arguments]


def _prepare(environment: Mapping[str, str], *, needs_broker: bool) -> str | None:
    """Updates the database; returns the first operator's secret. Raises Unavailable.

    `needs_broker` says that the broker runs elsewhere, and must be there already.
    """
    from worker.child import tied

    process = subprocess.Popen(
        tied(_python("cli.prepare", *(["--broker"] if needs_broker else []))),
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    last = "it gave no reason"
    try:
        for line in process.stderr:
            if line.startswith(output.PASSED_ON):
                output.note(line.removeprefix(output.PASSED_ON).strip())
            else:
                last = line.strip() or last
        printed, _ = process.communicate()
    except BaseException:
        process.kill()
        raise
    if process.returncode:
        raise Unavailable(f"Matchbox cannot start: {last}")
    report: dict[str, Any] = json.loads(printed.splitlines()[-1])
    secret: str | None = report["first_operator"]
    return secret


def _wait(supervisor: Supervisor, name: str, trouble: Callable[[], str]) -> None:
    """Waits until `trouble` returns no text. Raises Unavailable with its last text if that takes
    too long."""
    deadline = time.monotonic() + _READY_S
    while found := trouble():
        if time.monotonic() > deadline:
            raise Unavailable(
                f"{name} did not start within {_READY_S:.0f} s ({found}); {name}.log in the data "
                "folder's logs says why"
            )
        supervisor.restart_dead()
        time.sleep(0.05)


def _trouble(url: str) -> str:
    """Requests a page; returns the reason why that failed, or "" if the answer is 200."""
    from urllib.error import HTTPError
    from urllib.request import ProxyHandler, build_opener

    try:
        with build_opener(ProxyHandler({})).open(url, timeout=5) as answer:
            return "" if answer.status == 200 else f"{url} answers {answer.status}"
    except HTTPError as error:
        return f"{url} answers {error.code}"
    except OSError as error:
        return f"{url} does not answer: {error}"


def _print_address(url: str, secret: str | None, logs: Path) -> None:
    print(f"Matchbox is running at {url}", flush=True)
    if secret is not None:
        print(f"Become its first operator, once: {url}/first/{secret}", flush=True)
    output.note(f"Logs are in {logs}. Ctrl-C stops everything.")


def inherited_environment() -> dict[str, str]:
    """The variables of the operating system that a program of the platform gets."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ}


def _stop(*_: object) -> None:
    """Asks the command to stop in order. Only the first signal has an effect."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    raise _Stopped
