"""The warm process inside a box, from which every seat is forked. Started through launch.py.

Knows how to load code, raise the wall, fork, and bury its forks. It never runs a line of a bot:
the fork does, behind the wall's second step, through an entry function that is named to it.

Commands come over descriptor 0 or a socket that the job names, one packet each, and each is
answered with one packet:
    {"do": "seat", "serial": n, "rlimits": {name: most}} with two descriptors, the fork's channel
        and the end of the pipe for its output -> {"serial": n}
    {"do": "bury", "serial": n}   waits for the fork, which the other side has killed ->
        {"serial": n, "status": wait status, "cpu_ms", "max_rss": bytes, "clean": bool}

On its channel a fork first sends HELLO. Then every packet in is a tag of eight bytes, a byte that
is 1 where more of the same question follows, and a part of the question; every packet out is the
tag of the last question and the answer.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import json
import os
import resource
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from sandbox import inner_wall, syscalls
from sandbox.policy import (
    CHUNK_BYTES,
    ENVIRONMENT,
    HELLO,
    NO_MEMORY,
    STANDARD_LIBRARY,
    TAG_BYTES,
    WHERE,
    Wall,
)

Serve = Callable[[Callable[[], bytes | None], Callable[[bytes], None]], object]

_CHANNEL: Final = 3
_CONTROL: Final = 9
_LIMITS: Final = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]


def main(job: str) -> None:
    """Loads what the job names, raises the wall's first step, and serves until its host is gone."""
    order: dict[str, Any] = json.loads(job)
    control = _take_control(order["control"])
    told: dict[str, object] = {"python": sys.version_info[:2]}
    try:
        zygote, told["raised"] = _prepare(order, control)
    except Exception as error:
        told["failed"] = f"{type(error).__name__}: {error}"[:2000]
        raise
    finally:
        control.send(json.dumps(told).encode())
    zygote.run()


def _prepare(order: dict[str, Any], control: socket.socket) -> tuple[Zygote, dict[str, bool]]:
    """A zygote behind the first step of its wall, and which layers stand."""
    library = [path for path in sys.path if os.path.isdir(path) and path not in order["imports"]]
    serve = _load(order["preload"], order["entry"])
    _forget(order["imports"])
    wall, arch = Wall(tuple(order["drop"])), syscalls.here()
    raised = inner_wall.first_step(wall, arch, library, own_root=order["own_root"])
    gc.collect()
    gc.freeze()
    return Zygote(control, serve, wall, inner_wall.second_filter(wall, arch)), raised


def _take_control(path: str | None) -> socket.socket:
    """The command channel, behind a path or at descriptor 0, which becomes an empty input."""
    if path is None:
        control = socket.socket(fileno=os.dup2(0, _CONTROL, inheritable=False))
    else:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
            caller.connect(path)
            control = socket.socket(fileno=os.dup2(caller.fileno(), _CONTROL, inheritable=False))
    reader, writer = os.pipe()
    os.dup2(reader, 0)
    os.close(reader)
    os.close(writer)
    return control


def _load(preload: Sequence[str], entry: str) -> Serve:
    # What is forked has one thread: no library may start others.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    for name in STANDARD_LIBRARY:
        importlib.import_module(name)
    for name in preload:
        importlib.import_module(name)
    module, _, function = entry.partition(":")
    serve: Serve = getattr(importlib.import_module(module), function)
    return serve


def _forget(imports: Sequence[str]) -> None:
    """From here on only the standard library and what is loaded can be imported."""
    sys.path[:] = [path for path in sys.path if path not in imports]
    for path in imports:
        sys.path_importer_cache.pop(path, None)
    sys.argv[:] = [""]
    sys.orig_argv[:] = []
    for name in set(os.environ) - set(ENVIRONMENT):  # What a shell or an engine has added.
        del os.environ[name]


class Zygote:
    """Forks seats, one at a time, and compares itself with its first state after each."""

    def __init__(
        self, control: socket.socket, serve: Serve, wall: Wall, program: bytes | None
    ) -> None:
        self._control = control
        self._serve = serve
        self._wall = wall
        self._program = program
        self._child = 0
        self._baseline = _state()

    def run(self) -> None:
        """Obeys commands until the host closes the channel."""
        while True:
            message, descriptors, _, _ = socket.recv_fds(self._control, 4096, 2)
            if not message:
                return
            order = json.loads(message)
            answer = self._seat(order, descriptors) if order["do"] == "seat" else self._bury()
            self._control.send(json.dumps({"serial": order["serial"], **answer}).encode())

    def _seat(self, order: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        self._child = os.fork()
        if not self._child:
            self._be_a_seat(order["rlimits"], *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return {}

    def _bury(self) -> dict[str, Any]:
        _, status, usage = os.wait4(self._child, 0)
        self._child = 0
        return {
            "status": status,
            "cpu_ms": (usage.ru_utime + usage.ru_stime) * 1000,
            "max_rss": usage.ru_maxrss * 1024,
            "clean": _childless() and _state() == self._baseline,
        }

    def _be_a_seat(self, limits: dict[str, int], channel: int, output: int) -> NoReturn:
        """The fork's whole life. What it was forked from is closed to it first."""
        try:
            for descriptor, place in ((output, 1), (output, 2), (channel, _CHANNEL)):
                if descriptor != place:
                    os.dup2(descriptor, place, inheritable=False)
            if self._wall.has("descriptors"):
                os.closerange(_CHANNEL + 1, 64)
            faulthandler.register(WHERE, all_threads=False)
            inner_wall.second_step(self._wall, limits, self._program)
            os.write(_CHANNEL, HELLO)
            recv, send = _channel()
            self._serve(recv, send)
            code = 0
        except MemoryError:
            code = NO_MEMORY
        except BaseException:  # noqa: BLE001 - whatever a bot raises ends its fork
            traceback.print_exc()
            code = 1
        finally:
            _flush()
            os._exit(code)


def _channel() -> tuple[Callable[[], bytes | None], Callable[[bytes], None]]:
    """The two functions through which the entry talks. Whole questions in, whole answers out."""
    read, write, out = os.read, os.write, sys.stdout
    room = CHUNK_BYTES + TAG_BYTES + 1
    tag = b""

    def recv() -> bytes | None:
        nonlocal tag
        packet = read(_CHANNEL, room)
        if not packet:
            return None
        tag = packet[:TAG_BYTES]
        if not packet[TAG_BYTES]:
            return packet[TAG_BYTES + 1 :]
        parts = [packet[TAG_BYTES + 1 :]]
        while packet[TAG_BYTES]:
            packet = read(_CHANNEL, room)
            parts.append(packet[TAG_BYTES + 1 :])
        return b"".join(parts)

    def send(answer: bytes) -> None:
        out.flush()
        # Longer than any limit, and still short enough to arrive: the host says what is wrong.
        write(_CHANNEL, (tag + answer)[: 2 * CHUNK_BYTES])

    return recv, send


def _flush() -> None:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - a bot may have broken its own output
        return


def _childless() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def _state() -> tuple[object, ...]:
    """Open descriptors and resource limits: what one seat could leave behind for the next."""
    free = os.dup(0)  # The lowest number: one that was left open would have taken it.
    os.close(free)
    return free, [resource.getrlimit(limit) for limit in _LIMITS]
