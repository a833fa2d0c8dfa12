"""An author uploads bots while the platform is disturbed, and checks their verdicts.

Each upload must get one verdict, the right one, in time by the platform's own clock.
The module uses the API as an author does, and disturbs nothing.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from tests.builders import shipped
from tests.installation import START_S, Installation, eventually
from tests.unit.worker.bots import text, turning

VERDICT_S: Final = 300.0
"""The most seconds from an upload to its verdict on idle processors, whatever happens."""
MAX_UPLOADS: Final = 900
"""The most uploads of an author: an inbox keeps 1,000 notices."""
BUSY: Final = (503, 507)
"""The statuses with which the platform declines an upload for now, as on a full disk. The author
sends it again."""
GOOD: Final = shipped("bomb", "simple")
KINDS: Final = (
    ("accepted", GOOD),
    ("crash", turning("return 1 / 0")),
    ("accepted", shipped("bomb", "scared")),
    ("illegal", turning("return 7")),
    ("accepted", GOOD),
    ("bundle", text("x = 1")),
)
"""The uploads in turn: the right verdict, and the file."""


@dataclass(frozen=True)
class Upload:
    """An accepted upload: its version, and the right verdict."""

    name: str
    version: int
    verdict: str


@dataclass
class Author:
    """An account that uploads bots one after the other, each under a new name."""

    platform: Installation
    name: str
    token: str
    kinds: tuple[tuple[str, bytes], ...] = KINDS
    limit_s: float = VERDICT_S
    uploads: list[Upload] = field(default_factory=list)
    declined: Counter[int] = field(default_factory=Counter)
    """How often the platform declined an upload, by the status of its answer."""
    wrong: list[str] = field(default_factory=list)

    def upload(self) -> None:
        """Uploads the next bot; tries again while the platform declines it for now."""
        number = len(self.uploads) + len(self.wrong)
        verdict, source = self.kinds[number % len(self.kinds)]
        name = f"{self.name}-{number}"
        data, deadline = source + f"# {name}\n".encode(), time.monotonic() + START_S
        answer = self.platform.upload(name, data, token=self.token)
        while answer.status_code in BUSY and time.monotonic() < deadline:
            self.declined[answer.status_code] += 1
            time.sleep(1)
            answer = self.platform.upload(name, data, token=self.token)
        if answer.status_code == 201:
            self.uploads.append(Upload(name, answer.json()["id"], verdict))
        else:
            self.wrong.append(f"{name} was not taken: {answer.status_code} {answer.text}")

    @contextmanager
    def uploading(self, every_s: float) -> Iterator[None]:
        """Uploads a bot every `every_s` seconds during the block."""
        over = threading.Event()

        def work() -> None:
            while not over.is_set() and len(self.uploads) + len(self.wrong) < MAX_UPLOADS:
                try:
                    self.upload()
                except AssertionError as error:
                    self.wrong.append(f"an upload got no answer: {error}")
                over.wait(every_s)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def judge(self) -> dict[str, Any]:
        """Waits for every verdict; returns the observations, with each failed upload in `wrong`."""
        with suppress(AssertionError):
            eventually(lambda: all(one["settled_at"] for one in self._versions()), self.limit_s)
        versions = self._versions()
        taken_s = []
        for upload, version in zip(self.uploads, versions, strict=True):
            if version["settled_at"]:
                taken_s.append(seconds(version))
            self.wrong += faults(upload, version, self.limit_s)
        self._count()
        return {
            "uploads": len(self.uploads),
            "verdicts": len(taken_s),
            "slowest_s": round(max(taken_s, default=0.0), 1),
            "declined": dict(self.declined),
        }

    def _versions(self) -> list[dict[str, Any]]:
        """Returns each upload as the API describes it now."""
        return [
            self.platform.get(f"/versions/{one.version}", token=self.token) for one in self.uploads
        ]

    def _count(self) -> None:
        """Checks that each upload made one version and one notice of a verdict."""
        bots = self.platform.items("/bots", owner=self.name)
        expected = Counter({one.name: 1 for one in self.uploads})
        found = Counter({one["name"]: one["number"] or 0 for one in bots})
        if found != expected:
            self.wrong.append(f"the versions are {dict(found)}, not {dict(expected)}")
        told = Counter(
            one["subject"]
            for one in self.platform.items("/notices", token=self.token)
            if one["kind"] == "verdict"
        )
        for one in self.uploads:
            if (count := told[f"version:{one.version}"]) != 1:
                self.wrong.append(f"{one.name} was told {count} verdicts")


def faults(upload: Upload, version: dict[str, Any], limit_s: float) -> list[str]:
    """Returns a sentence for each fault of this upload's verdict."""
    name, report = upload.name, version["report"] or {}
    if not version["settled_at"]:
        return [f"{name} has no verdict: it is {version['state']}, {version['trouble'] or 'waits'}"]
    found = []
    if (taken := seconds(version)) > limit_s:
        found.append(f"{name} got its verdict after {taken:.0f} s")
    state = "active" if upload.verdict == "accepted" else "refused"
    if (version["state"], report.get("verdict")) != (state, upload.verdict):
        told = f"{version['state']} ({report.get('verdict')}: {report.get('reasons')})"
        found.append(f"{name} is {told}, and should be {state} ({upload.verdict})")
    return found


def seconds(version: dict[str, Any]) -> float:
    """Returns the seconds from the upload to its verdict, by the platform's clock."""
    begun, ended = (datetime.fromisoformat(version[name]) for name in ("created_at", "settled_at"))
    return (ended - begun).total_seconds()
