"""A platform of the test's own, really started: `matchbox up`, its processes, its people.

Knows how it is started, watched and ended; a process dies with the test that started it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx

from worker.child import tied

Found = TypeVar("Found")

START_S: Final = 240.0
"""A shared machine may be slow. Nothing here is timed."""
LONGEST_PAUSE_S: Final = 0.5
PASSWORD: Final = "correct horse battery"
QUICK: Final[Mapping[str, str]] = {
    "MATCHBOX_ARENAS": "2",
    "MATCHBOX_EXPRESS_ARENA": "false",
    "MATCHBOX_LEASE_MINUTES": "1",
    "MATCHBOX_LEAGUE_MATCHES": "2",
    "MATCHBOX_MATCH_DEALS": "1",
    "MATCHBOX_MATCH_SECONDS": "0",
    "MATCHBOX_REQUESTS_PER_MINUTE": "100000",
    "MATCHBOX_LOGINS_PER_MINUTE": "1000",
    "MATCHBOX_TICK_SECONDS": "1",
    "MATCHBOX_UPLOADS_PER_HOUR": "1000",
    "MATCHBOX_PENDING_TRYOUTS": "1000",
    "MATCHBOX_PENDING_TRYOUTS_PER_ADDRESS": "1000",
}
"""Settings of a platform whose demonstration league soon has no more matches."""
_MARKS: Final = (
    ("web", r"gunicorn.*server\.app:from_environment"),
    ("internal", r"gunicorn.*server\.app:internal_from_environment"),
    ("ledger", r"worker\.ledger\.main worker"),
    ("beat", r"worker\.ledger\.beat beat"),
    ("broker", r"(valkey|redis)-server"),
)
_ARENA: Final = re.compile(r"-n (arena-\w+)@")
_NOT_COPIED: Final = shutil.ignore_patterns("*.sock", "*.pid", "logs", "metrics", "up.lock")

shared: Path | None = None
"""A folder that the processes of one test run share. Without it, every platform starts from
nothing."""


def eventually(
    look: Callable[[], Found],
    within_s: float = START_S,
    why: str | Callable[[], str] = "",
    pause_s: float = 0.05,
) -> Found:
    """The first thing seen that is true of what is looked for; fails where that takes too long.

    `why` is what it then says, such as a log, which is read only then. What takes long is looked at
    less often, since a look costs the platform that is waited for.
    """
    begun = time.monotonic()
    while not (found := look()):
        waited = time.monotonic() - begun
        if waited >= within_s:
            said = why if isinstance(why, str) else why()
            raise AssertionError(said or f"{look} was not so within {within_s:.0f} s")
        time.sleep(max(pause_s, min(LONGEST_PAUSE_S, waited / 20)))
    return found


def born(pid: int) -> str:
    """The time at which the process began, which tells it from a later process with the same
    number."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def gone(pid: int) -> bool:
    """Whether the process has ended, reaped or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def children(pid: int) -> list[int]:
    """The processes that this one has started and that live."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
            if not gone(int(child))
        ]
    return []


def descendants(pid: int) -> list[int]:
    """The processes that this one has started, and theirs, and so on."""
    found = children(pid)
    return found + [below for child in found for below in descendants(child)]


def name_of(pid: int) -> str:
    """The program of the platform that this process runs; "" while the process is starting."""
    with suppress(FileNotFoundError, ProcessLookupError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if "worker.child" in words:
            return ""
        arena = _ARENA.search(words)
        return arena[1] if arena else next((n for n, m in _MARKS if re.search(m, words)), "")
    return ""


class Installation:
    """One data folder, and the platform that is started in it, again and again."""

    def __init__(
        self,
        data: Path,
        settings: Mapping[str, str] | None = None,
        port: int = 0,
        within: Sequence[str] = (),
    ):
        self.data = data
        self.port = port
        self.settings = {**QUICK, **(settings or {})}
        self.within = list(within)
        self.told = ""
        self.url = ""
        self.link = ""
        self._process: subprocess.Popen[str] | None = None
        self._token = ""

    @property
    def pid(self) -> int:
        """The supervisor's process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts the platform. Its address is known then, and the operator's link if it was
        printed."""
        self._process = up(self.data, self.port, self.settings, self.within)
        assert self._process.stdout is not None
        lines: list[str] = []
        for line in self._process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        self.told = "".join(lines)
        address = re.search(r"running at (\S+)", self.told)
        assert address is not None, self.told + self.logs()
        self.url = address[1]
        link = re.search(r"http\S+/first/\S+", self.told)
        self.link = link[0] if link else ""

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Sends the signal and waits for the end; the exit code."""
        assert self._process is not None
        self._process.send_signal(number)
        try:
            code = self._process.wait(START_S)
        finally:
            self._process.kill()
            self._process.communicate()
        return code

    def ready(self) -> None:
        """Waits until every program of the platform is at work: arenas have reported their wall."""
        names = {
            "web",
            "internal",
            "ledger",
            "beat",
            *(f"arena-{n + 1}" for n in range(self.arenas)),
        }
        eventually(lambda: names <= set(self.programs()), why=self.logs())
        eventually(lambda: self.settled(), why=self.logs())

    @property
    def arenas(self) -> int:
        """How many arenas it has."""
        return int(self.settings["MATCHBOX_ARENAS"])

    def settled(self) -> bool:
        """Whether every shipped bot has its verdict."""
        bots = self.items("/bots", owner="house")
        return bool(bots) and all(one["state"] == "active" for one in bots)

    def rests(self) -> bool:
        """Whether no match waits or is being played."""
        queue = self.get("/queue")
        return not queue["queued"] + queue["running"]

    def programs(self) -> dict[str, int]:
        """The pids of the platform's programs by their names."""
        return {name: pid for pid in children(self.pid) if (name := name_of(pid))}

    def kill(self, name: str) -> int:
        """Kills a program of the platform with signal 9; returns its former pid."""
        pid = eventually(lambda: self.programs().get(name, 0), why=f"{name} does not run")
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: gone(pid))
        return pid

    def logs(self) -> str:
        """The end of every program's log, for a person who looks for a fault."""
        files = sorted((self.data / "logs").glob("*.log"))
        return "\n".join(f"== {file.name}\n{file.read_text()[-2000:]}" for file in files)

    def operator(self) -> None:
        """Makes the first operator, charlie, with the link. From now on requests are sent as
        charlie."""
        with visitor() as charlie:
            claim(charlie, self.link, "charlie")
        login = {"name": "charlie", "password": PASSWORD}
        self._token = self.ask("POST", "/login", json=login).json()["token"]

    def author(self, name: str) -> str:
        """Makes an author's account, unless an earlier go at the test did; returns its token."""
        credentials = {"name": name, "password": PASSWORD}
        assert self.ask("POST", "/accounts", json=credentials).status_code in (201, 409)
        token: str = self.ask("POST", "/login", json=credentials).json()["token"]
        return token

    def ask(self, method: str, path: str, *, token: str = "", **what: Any) -> httpx.Response:
        """The answer of the API. The request is repeated while the server restarts."""
        key = token or self._token
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        deadline = time.monotonic() + START_S
        while True:
            try:
                address = f"{self.url}/api/v1{path}"
                return httpx.request(
                    method, address, headers=headers, timeout=START_S, trust_env=False, **what
                )
            except httpx.TransportError:
                assert time.monotonic() < deadline, self.logs()
                time.sleep(0.1)

    def get(self, path: str, *, token: str = "", **query: Any) -> Any:
        """The JSON at that address."""
        answer = self.ask("GET", path, token=token, params=query)
        assert answer.is_success, answer.text
        return answer.json()

    def post(self, path: str, **body: Any) -> Any:
        """The answer of the API to this JSON."""
        answer = self.ask("POST", path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def items(self, path: str, *, token: str = "", **query: Any) -> list[Any]:
        """Every item of a list, page after page."""
        found: list[Any] = []
        page: dict[str, Any] = {"next": ""}
        while page["next"] is not None:
            cursor = {"cursor": page["next"]} if page["next"] else {}
            page = self.get(path, token=token, limit=200, **query, **cursor)
            found += page["items"]
        return found

    def command(self, *words: str, within_s: float = START_S) -> subprocess.CompletedProcess[str]:
        """The output of `matchbox` with these words, as the user of the machine. Raises
        TimeoutExpired."""
        mine = {"MATCHBOX_URL": self.url, "MATCHBOX_TOKEN": self._token}
        command = [str(Path(sys.executable).with_name("matchbox")), *words]
        return subprocess.run(
            command,
            env={**surroundings(), **mine},
            timeout=within_s,
            capture_output=True,
            text=True,
            check=False,
        )

    def upload(self, name: str, data: bytes, *, token: str = "", **more: str) -> httpx.Response:
        """The answer of the API to the upload of this bomb player."""
        form = {"game": "bomb", "name": name, **more}
        return self.ask("POST", "/bots", token=token, data=form, files={"file": ("bot.py", data)})

    def verdict(self, version: int, *, token: str = "") -> dict[str, Any]:
        """The version once it has its verdict."""

        def look() -> dict[str, Any]:
            told = self.ask("GET", f"/versions/{version}", token=token).json()
            return {} if told["state"] == "pending" else told

        return eventually(look, why=f"no verdict on version {version}\n{self.logs()}")


def up(
    data: Path, port: int, settings: Mapping[str, str], within: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """`matchbox up`, tied to this process; `within` is a command that becomes the one after it."""
    matchbox = str(Path(sys.executable).with_name("matchbox"))
    return subprocess.Popen(
        tied([*within, matchbox, "up", *place(data, port)]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**surroundings(), **settings},
    )


def place(data: Path, port: int) -> list[str]:
    """The options with the data folder and the port."""
    return ["--data", str(data), "--port", str(port)]


def surroundings() -> dict[str, str]:
    """The environment without settings of the platform."""
    return {name: v for name, v in os.environ.items() if not name.startswith("MATCHBOX_")}


@contextmanager
def installed(
    data: Path,
    settings: Mapping[str, str] | None = None,
    port: int = 0,
    *,
    anew: bool = False,
    within: Sequence[str] = (),
) -> Iterator[Installation]:
    """A platform that runs and is ready, for the length of the block; `within` as `up` takes it.

    It goes on from a copy of a data folder in which the shipped bots have their verdicts. With
    `anew`, or with a database elsewhere, it starts in an empty folder: settings that shape leagues
    when they are made need that.
    """
    platform = Installation(data, settings, port, within)
    if shared and not anew and "MATCHBOX_DATABASE_URL" not in platform.settings:
        shutil.copytree(_prepared(shared), data, ignore=_NOT_COPIED)
    with _running(platform):
        yield platform


@contextmanager
def _running(platform: Installation) -> Iterator[None]:
    platform.start()
    try:
        platform.ready()
        yield
    finally:
        platform.end()


def _prepared(place: Path) -> Path:
    """A data folder whose demonstration league has no more matches. The first process that needs it
    makes it in `place`; others wait."""
    made, draft = place / "prepared", place / "draft"
    with (place / "prepared.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            platform = Installation(draft)
            with _running(platform):
                eventually(platform.rests, why=platform.logs())
            draft.rename(made)
    return made


def visitor() -> httpx.Client:
    """A client that follows every redirect, and is patient."""
    return httpx.Client(follow_redirects=True, timeout=START_S, trust_env=False)


def claim(who: httpx.Client, link: str, name: str) -> httpx.Response:
    """The answer to the form behind the one-time link."""
    form = who.get(link).text
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', form)
    fields = {"name": name, "password": PASSWORD, "csrf_token": token[1] if token else ""}
    return who.post(link, data=fields)


def listening(pids: Sequence[int]) -> set[tuple[str, int]]:
    """The TCP addresses at which these processes listen."""
    held = {opened for pid in pids for opened in _descriptors(pid)}
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, *_, inode = line.split()[:10]
        if state == "0A" and f"socket:[{inode}]" in held:
            host, port = local.split(":")
            found.add((socket.inet_ntoa(bytes.fromhex(host)[::-1]), int(port, 16)))
    return found


def _descriptors(pid: int) -> set[str]:
    """The descriptors of a process. It may close any of them, or end, while we look."""
    held = set()
    with suppress(FileNotFoundError, ProcessLookupError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):
                held.add(str(link.readlink()))
    return held
