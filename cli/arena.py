"""`matchbox arena --join URL`: plays matches for a server from another host."""

from __future__ import annotations

import os
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from cli import output
from cli.data_option import data_option
from matchbox.errors import (
    BadOption,
    KeyRefused,
    MatchboxError,
    ServerUnreachable,
    Unavailable,
)
from server.services.remote_names import MAX_ARENAS

if TYPE_CHECKING:
    from collections.abc import Callable

_CHECK_S: Final = 0.5
_LOOK_S: Final = 60.0
"""Seconds between two checks of the key. It is also checked when an arena has ended."""
_NOT_FOR_ARENAS: Final = ("MATCHBOX_TOKEN", "MATCHBOX_URL")


def arena(
    join: Annotated[str, typer.Option("--join", help="the server's address, https://...")],
    arenas: Annotated[
        int,
        typer.Option(
            min=0,
            max=MAX_ARENAS,
            help=f"how many play at once; 0: one for each core, at most {MAX_ARENAS}",
        ),
    ] = 0,
    key_file: Annotated[
        Path | None, typer.Option(help="file with the key; else MATCHBOX_ARENA_KEY, or asked for")
    ] = None,
    data: Annotated[Path, data_option("folder for logs")] = Path("arena-data"),
) -> None:
    """Play matches for a server from another host; Ctrl-C stops it, and nothing is lost."""
    from cli.supervisor import on_stop
    from matchbox.match.host_versions import own_versions
    from matchbox.settings import libraries_of, read_settings
    from worker.arena import cpu_affinity, reports
    from worker.arena.boxes import choose
    from worker.arena.client import ServerClient

    url = _address(join)
    key = _key(key_file)
    settings = read_settings(os.environ)
    client = ServerClient(url, key, number=1, pauses_s=(0.5, 1.0))
    versions = own_versions(libraries_of(settings))
    try:
        client.join(versions)
    except ServerUnreachable as error:
        raise Unavailable(
            f"the server at {url} cannot be reached: start it, or correct --join ({error})"
        ) from error
    # Each arena tests its box. Where none passes, they would start and test for ever.
    reports.require_wall(reports.wall_report("", choose(settings.box, settings), settings))
    stop = threading.Event()
    on_stop(lambda *_: stop.set())
    count = arenas or min(MAX_ARENAS, len(cpu_affinity.usable_cores()))
    _keep_running(url, key, count, data.resolve(), stop, partial(client.join, versions))
    output.note("Stopped.")


def _keep_running(
    url: str, key: str, arenas: int, data: Path, stop: threading.Event, join: Callable[[], str]
) -> None:
    """Runs the arenas until the command is to stop. Raises KeyRefused once the key was removed.

    `join` asks the server whether it gives them jobs.
    """
    from cli.supervisor import Program, Supervisor
    from worker.arena.remote import KEY

    os.umask(0o077)
    logs = data / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    given = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_ARENAS}
    own = {KEY: key, "MATCHBOX_SERVER_URL": url, "MATCHBOX_DATA": str(data)}
    environment = {**given, **own, "PYTHONUNBUFFERED": "1"}
    ended = threading.Event()

    def note_end(text: str) -> None:
        output.note(text)
        ended.set()

    supervisor = Supervisor(logs, note_end)
    try:
        for number in range(1, arenas + 1):
            command = [sys.executable, "-P", "-m", "worker.arena.remote", str(number)]
            supervisor.add(Program(f"arena-{number}", command, environment))
        who = "One arena plays" if arenas == 1 else f"{arenas} arenas play"
        output.note(f"{who} for {url}. Logs are in {logs}. Press Ctrl-C to stop.")
        checks = 0
        while not stop.wait(_CHECK_S):
            supervisor.restart_dead()
            checks += 1
            if ended.is_set() or checks * _CHECK_S % _LOOK_S == 0:
                ended.clear()
                try:
                    join()
                except KeyRefused:
                    raise
                except MatchboxError as error:
                    output.note(f"The server gives no jobs now: {error}")
        output.note("Stopping ...")
        supervisor.stop()
    finally:
        supervisor.kill()


def _address(url: str) -> str:
    """The server's address. Raises BadOption if it is none, or if the key could be read on the way
    there."""
    from matchbox.setting_values import is_loopback, names_host

    if not names_host(url):
        raise BadOption(f"{url!r} is not the address of a server; give one with https://")
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(url)):
        raise BadOption(
            f"{url!r} does not begin with https://, so others could read the key on its way; "
            "give the server's address with https://"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def _key(file: Path | None) -> str:
    """The key from the file, the environment or a prompt. Raises BadOption."""
    from cli.remote import secret_of
    from worker.arena.remote import KEY

    try:
        given = file.read_text() if file is not None else os.environ.get(KEY, "")
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"the key cannot be read from {file}: {error}") from error
    key = (given or secret_of("The arena's key")).strip()
    if not key.isascii() or not key.isprintable() or not key:
        raise BadOption(
            "the key is empty, or has characters that no key has; an operator makes one on the "
            "page Arenas"
        )
    return key
