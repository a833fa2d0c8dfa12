"""The season that is played once in calm and once in a storm: five bots, one deal a match.

Uses only the API; knows no processes.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.builders import shipped
from tests.installation import Installation, eventually, installed

SEED: Final = "the season that survives"
SEASON_S: Final = 600.0
"""The season stands still if no match ends for this long."""
BOTS: Final = ("simple", "scared", "medium")
A_CYCLE: Final = 20
"""The matches of a cycle: every two of five bots meet twice."""


@dataclass(frozen=True)
class Season:
    """The outcome of a season."""

    records: tuple[str, ...]
    """A line of JSON for each match: its digest and its record."""
    standing: dict[str, Any]

    @property
    def digests(self) -> list[str]:
        """Returns the digest of every record, in the order of the plan."""
        return [json.loads(line)["digest"] for line in self.records]

    @property
    def matches(self) -> list[str]:
        """Returns the id of every match."""
        return [json.loads(line)["record"]["match"] for line in self.records]


def begin(platform: Installation, matches: int, seed: str = SEED, *, more: bytes = b"") -> None:
    """Creates the operator, and starts a season like that of `found`."""
    platform.operator()
    found(platform, matches, seed, more=more)
    start(platform, matches)


def found(platform: Installation, matches: int, seed: str = SEED, *, more: bytes = b"") -> None:
    """Creates a season in which five bots play `matches` matches, a multiple of A_CYCLE.

    `more` is added to the files of the two uploaded bots.
    """
    mine = {"cautious": "medium", "hasty": "simple"}
    for name, like in mine.items():
        told = platform.upload(name, shipped("bomb", like) + more + f"# {name}\n".encode()).json()
        assert platform.verdict(told["id"])["state"] == "active"
    cycles = matches // A_CYCLE
    platform.post("/seasons", name="stormy", league="bomb", cycles=cycles, deals=1, seed=seed)
    for bot in (*(f"house/{name}" for name in BOTS), *(f"charlie/{name}" for name in mine)):
        platform.post("/seasons/stormy/enter", bot=bot)


def start(platform: Installation, matches: int) -> None:
    """Starts the season of `found`. After that, no bot enters it."""
    assert platform.post("/seasons/stormy/start")["matches"] == matches


def finished(platform: Installation) -> int:
    """Returns how many matches of the season are over; 0 while the platform has no database."""
    answer = platform.ask("GET", "/seasons/stormy")
    if answer.status_code == 503:
        return 0
    assert answer.is_success, answer.text
    return int(answer.json()["finished"])


def reaches(platform: Installation, matches: int) -> None:
    """Waits until this many matches are over."""
    eventually(
        lambda: finished(platform) >= matches, SEASON_S, "the season stands still", pause_s=0.2
    )


def outcome(platform: Installation, matches: int) -> Season:
    """Returns the season once it is over; checks that no match is parked, void, lost or doubled."""

    def over() -> bool:
        return bool(platform.get("/seasons/stormy")["state"] == "finished")

    while not over():
        reaches(platform, min(matches, finished(platform) + 1))
        if finished(platform) == matches:
            eventually(over, SEASON_S, "the season does not end")
    told = platform.items("/matches", season=platform.get("/seasons/stormy")["id"])
    assert len(told) == matches, f"{len(told)} matches, not {matches}"
    states = Counter(match["state"] for match in told)
    assert set(states) == {"finished"}, dict(states)
    records = platform.ask("GET", "/seasons/stormy/export").text.splitlines()
    standing = platform.get("/seasons/stormy/standings")
    lines = [{k: v for k, v in line.items() if k != "version_id"} for line in standing["lines"]]
    kept = {name: standing[name] for name in ("matches", "rows_digest")}
    return Season(tuple(records), {**kept, "lines": lines})


def calm(folder: Path, matches: int, seed: str = SEED) -> Season:
    """Plays the season undisturbed in this folder."""
    with installed(folder) as platform:
        begin(platform, matches, seed)
        return outcome(platform, matches)


def difference(expected: Season, found: Season) -> list[str]:
    """Returns a sentence for each difference between the disturbed season and the undisturbed
    one."""
    told = []
    if len(set(found.matches)) != len(expected.matches):
        told.append(f"{len(set(found.matches))} matches have a result, not {len(expected.matches)}")
    pairs = zip(expected.records, found.records, strict=False)
    differing = sum(1 for calm_one, one in pairs if calm_one != one)
    if differing:
        told.append(f"{differing} records differ from those of the undisturbed season")
    if expected.standing != found.standing:
        told.append("the standing is not that of the undisturbed season")
    return told
