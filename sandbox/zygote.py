"""The warm process inside a box, from which every seat is forked. Started through launch.py.

Loads code, raises the wall, forks, and reaps its forks. It never runs a line of a bot. Its fork
does, behind the wall's second step, through an entry function that the job names.

Commands come over descriptor 0 or a socket that the job names, one packet each:
    {limit: most} in JSON, with policy.DESCRIPTORS: forks a seat with these resource limits. The
        seat answers on its own channel.
    a serial: waits for the fork, which the other side has killed, and answers with the same serial
        and policy.EXIT_STATUS.

On its channel a fork first sends HELLO. Then every packet in is a tag of eight bytes, a byte that
is 1 where more of the same question follows, and a part of the question; every packet out is the
tag of the last question and the answer.

Everything possible is done before the fork: a fork copies every page that it writes to, and so
does the zygote while a fork lives. Copying takes longer than the work itself. So limits are parsed
only when they have changed, and no hook of the library runs in a fork.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import io
import json
import os
import resource
import socket
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import eq
from typing import Any, Final, NoReturn

from sandbox import inner_wall, library, machine_traits, shared_objects, syscalls
from sandbox.policy import (
    CHUNK_BYTES,
    DESCRIPTORS,
    ENVIRONMENT,
    EXIT_STATUS,
    HELLO,
    NO_MEMORY,
    PRINT_STACK,
    STANDARD_LIBRARY,
    TAG_BYTES,
    ZYGOTE_LIMITS,
    Wall,
)

Serve = Callable[[Callable[[], bytes | None], Callable[[bytes], None]], object]

_CHANNEL: Final = 3
_CONTROL: Final = 9
_ROOM: Final = socket.CMSG_SPACE(DESCRIPTORS.size)
_LIMITS: Final = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]


def main(job: str, imports: Sequence[str]) -> None:
    """Loads the job's modules, raises the wall's first step, and serves until its host is gone.

    `job` is the JSON of `Program.command`; `imports` are the directories of all modules except the
    standard library's.
    """
    order: dict[str, Any] = json.loads(job)
    setting, value = order["build"]
    os.environ[setting] = value
    control = _take_control(order["control"])
    _know_output()
    report: dict[str, object] = {"python": sys.version_info[:2]}
    try:
        zygote, report["raised"] = _prepare(order, imports, control)
    except Exception as error:
        report["failed"] = f"{type(error).__name__}: {error}"[:2000]
        raise
    finally:
        control.send(json.dumps(report).encode())
    zygote.run()


def _prepare(
    order: dict[str, Any], imports: Sequence[str], control: socket.socket
) -> tuple[Zygote, dict[str, bool]]:
    """A zygote behind the first step of its wall, and for each layer by name whether it stands."""
    serve = _load(order["preload"], order["entry"])
    wall, arch = Wall(tuple(order["drop"])), syscalls.current_architecture()
    thread_id = machine_traits.ThreadId()
    _forget(imports)
    raised = inner_wall.first_step(wall, arch, own_root=order["own_root"])
    inner_wall.limit(ZYGOTE_LIMITS, wall)
    faulthandler.register(PRINT_STACK, all_threads=False)
    zygote = Zygote(control, serve, wall, inner_wall.SecondStep(wall, arch), thread_id)
    gc.collect()
    gc.freeze()
    return zygote, raised


def _take_control(path: str | None) -> socket.socket:
    """The command channel, from a path or descriptor 0. Descriptor 0 becomes an empty input."""
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


def _know_output() -> None:
    """Makes `sys.stdout` as if it wrote to a pipe, as it does in a seat.

    A stream asks only once, when it is made, whether it can seek. One that believes so fails when a
    bot changes its encoding.
    """
    given, out = os.dup(1), sys.stdout
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    binary = io.BufferedWriter(io.FileIO(1, "w", closefd=False))
    sys.stdout = io.TextIOWrapper(binary, encoding=out.encoding, errors=out.errors)
    sys.__stdout__ = sys.stdout  # type: ignore[misc]
    os.dup2(given, 1)
    for descriptor in (given, reader, writer):
        os.close(descriptor)


def _load(preload: Sequence[str], entry: str) -> Serve:
    # A process with one thread can be forked safely: no library may start others.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    name, _, function = entry.partition(":")
    with _no_hooks():
        for module in (*STANDARD_LIBRARY, *preload):
            try:
                importlib.import_module(module)
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
                raise ImportError(f"a box cannot load the module {module}: {told}") from error
        served = importlib.import_module(name)
    shared_objects.load(library.extensions().values())
    shared_objects.populate()
    if hasattr(served, "prepare"):
        served.prepare()
    serve: Serve = getattr(served, function)
    return serve


@contextmanager
def _no_hooks() -> Iterator[None]:
    """Removes the hooks that modules loaded meanwhile register to run in a fork: they repair locks
    and threads, which no fork needs."""
    register = os.register_at_fork
    os.register_at_fork = lambda **_: None
    try:
        yield
    finally:
        os.register_at_fork = register


def _forget(imports: Sequence[str]) -> None:
    """Refuses imports of anything but the library and loaded modules; hides machine traits."""
    library.close_paths()
    machine_traits.hide_paths(imports)
    machine_traits.hide_identity()
    sys.argv[:] = [""]
    sys.orig_argv[:] = []
    for name in set(os.environ) - set(ENVIRONMENT):  # Added by a shell or an engine.
        del os.environ[name]


class Zygote:
    """Forks seats, one at a time, and compares its state with its first state after each."""

    def __init__(
        self,
        control: socket.socket,
        serve: Serve,
        wall: Wall,
        second: inner_wall.SecondStep,
        thread_id: machine_traits.ThreadId,
    ) -> None:
        self._control = control
        self._serve = serve
        self._streams = _channel()
        self._closes = wall.has("descriptors")
        self._second = second
        self._thread_id = thread_id
        self._limits = b""
        self._child = 0
        self._baseline = list(_state())

    def run(self) -> None:
        """Obeys commands until the host closes the channel."""
        while True:
            message, sent, _, _ = self._control.recvmsg(4096, _ROOM)
            if not message:
                return
            if sent:
                self._seat(message, *DESCRIPTORS.unpack(sent[0][2]))
            else:
                self._control.send(message + self._reap())

    def _seat(self, limits: bytes, channel: int, output: int) -> None:
        if limits != self._limits:
            self._limits = limits
            self._second.set_limits(json.loads(limits))
        self._child = os.fork()
        if not self._child:
            self._run_seat(channel, output)
        os.close(channel)
        os.close(output)

    def _reap(self) -> bytes:
        _, status, usage = os.wait4(self._child, 0)
        self._child = 0
        clean = _childless() and all(map(eq, _state(), self._baseline))
        cpu_ms = (usage.ru_utime + usage.ru_stime) * 1000
        return EXIT_STATUS.pack(status, cpu_ms, usage.ru_maxrss * 1024, clean)

    def _run_seat(self, channel: int, output: int) -> NoReturn:
        """The fork's whole life. First it closes all that its zygote had open."""
        try:
            os.dup2(output, 1, False)
            os.dup2(output, 2, False)
            if channel != _CHANNEL:
                os.dup2(channel, _CHANNEL, False)
            if self._closes:
                os.closerange(_CHANNEL + 1, 64)
            self._thread_id.hide()
            self._second.apply()
            os.write(_CHANNEL, HELLO)
            self._serve(*self._streams)
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
    """The entry's two functions: `recv` gives a whole question, `send` takes a whole answer."""
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
        # An answer is cut to twice a chunk. That is longer than any limit, so that the host refuses
        # it, and short enough to arrive.
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


def _state() -> Iterator[object]:
    """Open descriptors and resource limits: what one seat could leave behind for the next.

    They are yielded one by one, because a list of them would use memory that has to be copied.
    """
    free = os.dup(0)  # The lowest free number: it is higher if a descriptor was left open.
    os.close(free)
    yield free
    for limit in _LIMITS:
        yield resource.getrlimit(limit)
