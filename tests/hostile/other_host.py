"""Prints the answer to everything that a seat on this host can request by name: `other_host.py KIND
FORKS`.

Knows a box and the questions; the host that it runs on is made by test_two_hosts.py.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Final

from sandbox.box import open_box
from sandbox.policy import Limits

ENTRY: Final = "echo_entry:serve"
HERE: Final = Path(__file__).parents[1] / "contract"
LIMITS: Final = Limits(cpu_ms=60_000, start_cpu_ms=60_000, bank_ms=600_000, answer_bytes=60_000)

PROBE: Final = """
import ctypes, importlib, json, locale, os, platform, pkgutil, resource, signal, sys, sysconfig

def told(question, *words):
    try:
        return repr(question(*words))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

names = ["/", "/proc", "/sys", "/etc/hostname", "/tmp", "/box", "/dev/null", ".", LIBRARY, EXTRA]
names += [f"/proc/{n}" for n in ("self", "1", "stat", "loadavg", "meminfo", "uptime", "self/maps")]
names += ["/sys/block", "/sys/devices/system/cpu/online", os.__file__, sys.executable]
seen = {}
for name in names:
    for ask in (os.stat, os.lstat, os.listdir, os.readlink, os.statvfs, open, os.path.realpath):
        seen[f"{ask.__name__} {name}"] = told(ask, name)
for name in dir(os):
    if name.startswith("get") or name in ("uname", "times", "cpu_count", "environ", "ctermid"):
        ask = getattr(os, name)
        seen[f"os.{name}"] = told(ask) if callable(ask) else repr(ask)
for name in ("SC_NPROCESSORS_ONLN", "SC_NPROCESSORS_CONF", "SC_OPEN_MAX", "SC_CLK_TCK"):
    seen[name] = told(os.sysconf, name)
for number in range(8):
    seen[f"fstat {number}"] = told(os.fstat, number)
    seen[f"ttyname {number}"] = told(os.ttyname, number)
for name in ("node", "platform", "uname", "machine", "release", "version", "libc_ver"):
    seen[f"platform.{name}"] = told(getattr(platform, name))
for name in ("argv", "orig_argv", "path", "prefix", "exec_prefix", "base_prefix", "executable",
             "version", "flags", "warnoptions", "_xoptions", "path_hooks", "_stdlib_dir",
             "builtin_module_names", "stdlib_module_names"):
    value = getattr(sys, name)
    seen[f"sys.{name}"] = repr(sorted(value) if isinstance(value, frozenset) else value)
for module in list(sys.modules.values()):
    seen[f"file of {module.__name__}"] = repr(getattr(module, "__file__", None))
    seen[f"path of {module.__name__}"] = repr(list(getattr(module, "__path__", ())))
seen["modules"] = repr([one.name for one in pkgutil.iter_modules()])
seen["vars"] = repr(sorted((k, repr(v)) for k, v in sysconfig.get_config_vars().items()))
seen["paths"] = repr(sorted(sysconfig.get_paths().items()))
seen["usage"] = told(resource.getrusage, resource.RUSAGE_SELF)
seen["locale"] = repr(locale.setlocale(locale.LC_ALL))
seen["affinity"] = told(os.sched_getaffinity, 0)
for name in (EXTRA_NAME, "antigravity_not_there", "sqlite3", "ssl", "turtle", "json.tool"):
    seen[f"import {name}"] = told(importlib.import_module, name).partition(" from ")[0]
libc = ctypes.CDLL(None, use_errno=True)
libc.pthread_self.restype = ctypes.c_size_t
room = ctypes.create_string_buffer(4096)
for number in NUMBERS:
    libc.syscall.restype = ctypes.c_long
    answer = libc.syscall(ctypes.c_long(number), room, room, room, room)
    seen[f"call {number}"] = (answer, ctypes.get_errno() if answer < 0 else 0)
seen["room"] = room.raw.rstrip(bytes(1)).hex()
seen["own number"] = ctypes.c_int.from_address(libc.pthread_self() + 720).value
text = json.dumps(seen, sort_keys=True, default=str)
"""


def numbers() -> list[int]:
    """Every number that no seat may call, except those that some kernels let past a filter."""
    from sandbox.syscalls import BOT, current_architecture

    arch = current_architecture()
    assert arch is not None
    allowed = {arch.numbers[name] for name in BOT if name in arch.numbers}
    return [number for number in range(470) if number not in {*allowed, 335, 336}]


def seen(kind: str, forks: int, library: str, extra: str) -> str:
    """The answers that a seat of this kind gets, after this many other seats of its zygote."""
    with open_box(kind, preload=(), entry=ENTRY, paths=[HERE]) as box:
        for _ in range(forks):
            box.seat(LIMITS).close()
        words: dict[str, object] = {
            "LIBRARY": library,
            "EXTRA": extra,
            "EXTRA_NAME": Path(extra).stem,
        }
        words["NUMBERS"] = numbers()
        with contextlib.closing(box.seat(LIMITS)) as seat:
            seat.ask("".join(f"{name} = {word!r}\n" for name, word in words.items()).encode())
            seat.ask(PROBE.encode(), 3)
            length = int(seat.ask(b"reply = str(len(text)).encode()"))
            steps = range(0, length, 50_000)
            return "".join(
                seat.ask(f"reply = text[{at}:{at + 50_000}].encode()".encode(), 3).decode()
                for at in steps
            )


if __name__ == "__main__":
    print(seen(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]))
