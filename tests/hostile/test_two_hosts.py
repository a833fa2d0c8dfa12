"""Two hosts look the same to a seat: everything that can be requested by name is compared.

The second host has another name, environment, number of processors, and an additional file in the
library's folder; its seat is not the first of its zygote.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sandbox.program import LIBRARY

ROOT = Path(__file__).parents[2]
RENAMED = ("unshare", "--uts", "sh", "-c", 'hostname another-host && exec "$@"', "sh")


@contextlib.contextmanager
def extra_file(name: str) -> Iterator[None]:
    """A file in the library's folder that is not the library's, if this account may write there.
    Where CI is set, it must."""
    place = LIBRARY / name
    try:
        place.write_text("SEEN = True\n")
    except OSError:
        if os.environ.get("CI"):
            raise
        yield
        return
    try:
        yield
    finally:
        place.unlink()


def seen(
    kind: str, extra: str, forks: int = 0, first: tuple[str, ...] = (), **env: str
) -> dict[str, object]:
    """Every answer that a seat gets, by its question."""
    words = (kind, str(forks), str(LIBRARY), str(LIBRARY / extra))
    command = [*first, sys.executable, "-m", "tests.hostile.other_host", *words]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert isinstance(answers, dict)
    return answers


def renamed() -> tuple[str, ...]:
    """The command that runs another on a host of another name, if that works here. Where CI is
    set, it must."""
    check = bool(os.environ.get("CI"))
    tried = subprocess.run([*RENAMED, "true"], capture_output=True, check=check)
    return RENAMED if tried.returncode == 0 else ()


def test_two_hosts_show_a_seat_the_same(kind: str) -> None:
    extra = f"matchbox_extra_{secrets.token_hex(4)}.py"
    one = seen(kind, extra)
    core = str(max(os.sched_getaffinity(0)))
    first = (*renamed(), "taskset", "-c", core)
    with extra_file(extra):
        two = seen(kind, extra, 2, first, LANG="de_DE", HOME="/elsewhere", MATCHBOX_MARK="1")
    assert len(one) > 500
    assert {name for name in one if one[name] != two.get(name)} == set()
    assert one == two
