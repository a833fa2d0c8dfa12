"""Seasons of fifty bots, from schedule to trophy, while everything is killed:
`python -m tests.integration.fifty_bots bomb skull`.

What must hold: the season starts and ends by itself, no match is lost or counted twice, nobody is
blamed for a kill, every match comes out the same when it is played again, and nothing stays behind.
Knows processes and what the API tells; knows no game's rules.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from cli.named_bots import shipped_names
from tests.builders import shipped
from tests.installation import (
    Installation,
    born,
    children,
    descendants,
    eventually,
    gone,
    installed,
)

BOTS: Final = 50
AN_AUTHOR: Final = 5
"""The number of bots of each author."""
SOON_S: Final = 10
"""The season starts at the first full minute that is at least this many seconds away."""
KILLS: Final = (
    *("beat", "arena-1", "zygote", "ledger", "seat", "web"),
    *("broker", "arena-2", "ledger", "web", "up"),
)
"""The processes to kill, in this order: the beat before the season begins, the others during it."""
SETTINGS: Final = {"MATCHBOX_LEAGUE_MATCHES": "1", "MATCHBOX_ATTEMPTS": "3"}
"""In a small field, the killed zygote and the killed seat may belong to the same match. Two faults
would park that match until an operator acts."""
_LEAVING_S: Final = 10.0


@dataclass(frozen=True)
class Plan:
    """The settings of a game's season: minutes on two cores are enough for it."""

    variants: tuple[str, ...]
    """Shipped bots whose variants fill the field. They are quick."""
    matches: int
    """The season's budget. The order of equal bots never becomes certain, so the budget ends the
    tail."""
    deals: int = 1
    seats: int = 2


PLANS: Final = {
    "bomb": Plan(("simple", "scared", "medium"), 900),
    "skull": Plan(("random", "bluffer"), 400),
    "war": Plan(("random", "highest"), 500),
    "thegame": Plan(("legal", "minimal", "random", "trick"), 267, seats=3),
    "creatures": Plan(("autopilot", "stilllearning"), 400),
}


@dataclass
class Run:
    """A platform, its season, and the observations."""

    game: str
    bots: int
    platform: Installation
    until: float
    """The deadline, in seconds of the monotonic clock."""
    season: str = ""
    kills: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """A sentence for each thing that must never happen and did."""
    known: set[tuple[int, str]] = field(default_factory=set)
    """The platform's processes: each pid with its time of birth."""

    @property
    def plan(self) -> Plan:
        """Returns the plan for the game's season."""
        return PLANS[self.game]

    def tell(self) -> dict[str, Any]:
        """Returns the season as the API describes it."""
        told: dict[str, Any] = self.platform.get(f"/seasons/{self.season}")
        return told

    def wait(self, ready: Callable[[], object], why: str) -> None:
        """Waits until `ready` returns true. Raises AssertionError at the deadline."""
        eventually(ready, max(0.0, self.until - time.monotonic()), why, pause_s=0.5)

    def look(self) -> None:
        """Remembers the platform's present processes."""
        pids = [self.platform.pid, *descendants(self.platform.pid)]
        self.known |= {(pid, since) for pid in pids if (since := born(pid))}


def run(game: str, bots: int = BOTS, minutes: float = 30, budget: int = 0) -> dict[str, Any]:
    """Plays the game's season on a platform of its own, and replays every match; returns the
    observations."""
    told: dict[str, Any] = {"game": game}
    until = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="mbx-fifty-") as folder:
        scratch = Path(folder) / "tmp"
        scratch.mkdir()
        inherited = patch.dict(os.environ, {"TMPDIR": str(scratch)})
        with inherited, installed(Path(folder) / "data", SETTINGS) as platform:
            one = Run(game, bots, platform, until)
            try:
                told |= _season(one, budget or one.plan.matches)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                one.wrong.append(str(error))
            one.look()
        left = os.listdir(scratch)
    one.wrong += [f"files stayed behind: {', '.join(left)}"] if left else []
    one.wrong += [f"process {pid} stayed behind" for pid in _alive(one.known)]
    return {**told, "kills": dict(sorted(one.kills.items())), "wrong": one.wrong}


def _season(one: Run, budget: int) -> dict[str, Any]:
    one.platform.operator()
    _submit(one)
    _found(one, budget)
    _disturb(one, budget)
    one.wait(lambda: one.tell()["state"] == "finished", "the season does not end by itself")
    told = one.tell()
    matches = one.platform.items("/matches", season=told["id"])
    played = _check_matches(one, told, matches)
    _check_standing(one, told, matches)
    begun = time.monotonic()
    verified = _verify(one, told)
    return {
        "bots": len(told["entrants"]),
        "authors": len({entrant["owner"] for entrant in told["entrants"]}),
        "rounds": dict(Counter(each["stage"] for each in told["rounds"])),
        **played,
        "seconds": _seconds(told["started_at"], told["finished_at"]),
        "trophy": told["trophy"],
        "verified": verified,
        "verifying_seconds": round(time.monotonic() - begun),
    }


def field_of(game: str, bots: int = BOTS) -> Iterator[tuple[str, str, bytes]]:
    """Yields author, name and file of every bot that joins the shipped ones in the field.

    Each is a shipped bot with one more line, a comment.
    """
    likes = cycle(PLANS[game].variants)
    for number, like in zip(range(bots - len(shipped_names(game))), likes, strict=False):
        author = f"author-{number // AN_AUTHOR + 1:02d}"
        source = shipped(game, like) + f"# The {like} of {author}, {number}.\n".encode()
        yield author, f"{like}-{number}", source


def _submit(one: Run) -> None:
    """Submits the authors' bots, and waits until the bots may play."""
    tokens: dict[str, str] = {}
    made: list[tuple[int, str]] = []
    for author, name, source in field_of(one.game, one.bots):
        if author not in tokens:
            tokens[author] = one.platform.author(author)
        told = one.platform.upload(name, source, token=tokens[author], game=one.game)
        assert told.status_code == 201, told.text
        made.append((told.json()["id"], tokens[author]))
    for version, token in made:
        told_of = one.platform.verdict(version, token=token)
        assert told_of["state"] == "active", told_of


def _found(one: Run, budget: int) -> None:
    """Creates the season by the command. It starts by itself, and bots enter by themselves."""
    starts = datetime.now(UTC) + timedelta(seconds=SOON_S + 60)
    one.season = f"Fifty {one.game}"
    done = one.platform.command(
        *("season", "create", one.season, "--game", one.game, "--seats", str(one.plan.seats)),
        *("--deals", str(one.plan.deals), "--format", "adaptive", "--question", "order"),
        *("--care", "thrifty", "--max-matches", str(budget), "--bots", str(AN_AUTHOR)),
        *("--cron", f"{starts.minute} {starts.hour} * * *"),
    )
    assert done.returncode == 0, done.stderr


def _disturb(one: Run, budget: int) -> None:
    """Kills one process after the other, from before the season begins until shortly before its
    end."""
    one.look()
    for number, name in enumerate(KILLS):
        due = budget * number // len(KILLS)
        one.wait(partial(_has_got, one, due), f"the season stands still before {name} is killed")
        if one.tell()["state"] == "finished":
            one.wrong.append(f"the season was over before {', '.join(KILLS[number:])} could be hit")
            return
        _kill(one, name)
        one.kills[name.partition("-")[0]] += 1
        one.look()


def _has_got(one: Run, matches: int) -> bool:
    told = one.tell()
    return told["state"] == "finished" or told["finished"] >= matches


def _kill(one: Run, name: str) -> None:
    """Kills the process with signal 9; starts only the platform itself again."""
    if name in ("zygote", "seat"):
        eventually(lambda: _kill_one_of(_inside(one.platform, name)), why=f"there is no {name}")
    elif name == "up":
        one.look()
        os.kill(one.platform.pid, signal.SIGKILL)
        one.platform.end()
        one.platform.start()
    else:
        one.platform.kill(name)


def _kill_one_of(pids: list[int]) -> bool:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def _inside(platform: Installation, name: str) -> list[int]:
    """Returns the pids of the zygotes at work in the arenas' boxes, or of the seats, their
    forks."""
    arenas = [pid for name, pid in platform.programs().items() if name.startswith("arena")]
    found = [pid for arena in arenas for pid in descendants(arena) if _is_zygote(pid)]
    seats = {pid: [fork for fork in children(pid) if _is_zygote(fork)] for pid in found}
    if name == "zygote":
        return [pid for pid, forks in seats.items() if forks]
    return [fork for forks in seats.values() for fork in forks]


def _is_zygote(pid: int) -> bool:
    """Returns whether the process is Python with the zygote's program, and not the builder of its
    box."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return b"python" in words[0] and any(b"sandbox.zygote" in word for word in words)
    return False


def _check_matches(one: Run, told: dict[str, Any], matches: list[dict[str, Any]]) -> dict[str, int]:
    """Counts the matches, and checks that none is lost, void, played twice, or held against a
    bot."""
    states = Counter(match["state"] for match in matches)
    if set(states) != {"finished"}:
        one.wrong.append(f"matches are not finished: {dict(states)}")
    numbers = sorted(match["number"] for match in matches)
    if numbers != list(range(told["matches"])):
        one.wrong.append(f"{len(numbers)} of {told['matches']} numbers of matches are there")
    for match in matches:
        blamed = [entrant["bot"] for entrant in match["entrants"] if entrant["forfeits"]]
        if blamed:
            one.wrong.append(f"match {match['id']}: {', '.join(blamed)} forfeits")
    text = one.platform.ask("GET", f"/seasons/{one.season}/export").text
    records = [json.loads(line)["record"] for line in text.splitlines()]
    if sorted(record["match"] for record in records) != sorted(match["id"] for match in matches):
        one.wrong.append(f"{len(records)} records are there of {len(matches)} matches")
    return {
        "matches": len(matches),
        "games": sum(len(record["bouts"]) for record in records),
        "sent_again": _sent_again(one.platform.data / "matchbox.db", told["id"]),
    }


def _sent_again(books: Path, season: int) -> int:
    """Returns how many of the season's matches were sent more than once. Reads the database, since
    one query answers for all matches."""
    with closing(sqlite3.connect(f"file:{books}?mode=ro", uri=True)) as known:
        query = "select count(*) from match where season_id = ? and attempt > 1"
        return int(known.execute(query, (season,)).fetchone()[0])


def _check_standing(one: Run, told: dict[str, Any], matches: list[dict[str, Any]]) -> None:
    """Checks that the standing has every bot, counts every match once for each bot in it, and has a
    winner."""
    board = one.platform.get(f"/seasons/{one.season}/standings")
    seated = [{entrant["bot"] for entrant in match["entrants"]} for match in matches]
    wanted = Counter(bot for table in seated for bot in table)
    counted = {line["bot"]: line["matches"] for line in board["lines"]}
    if board["matches"] != len(matches) or counted != wanted:
        one.wrong.append(f"the standing counts {board['matches']} matches: {counted}, not {wanted}")
    if len(board["lines"]) != one.bots or len(told["entrants"]) != one.bots:
        one.wrong.append(f"{len(board['lines'])} of {one.bots} bots stand in it")
    if not told["trophy"] or not (told["trophy"]["champion"] or told["trophy"]["shared"]):
        one.wrong.append("nobody has got the trophy")


def _verify(one: Run, told: dict[str, Any]) -> str:
    """Replays all matches by the command; returns the share that came out the same, as text."""
    left = max(0.0, one.until - time.monotonic())
    done = one.platform.command("season", "verify", one.season, "--json", within_s=left)
    found = json.loads(done.stdout or "{}")
    same, whole = found.get("same", 0), found.get("out_of", 0)
    if done.returncode or not same == whole == told["matches"]:
        one.wrong.append(f"{same} of {told['matches']} matches came out the same {done.stderr}")
    if not found.get("standing", {}).get("same"):
        one.wrong.append("the standing computed again is another one")
    return f"{same} of {whole}"


def _seconds(begun: str, ended: str) -> int:
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(begun)).total_seconds())


def _alive(known: set[tuple[int, str]]) -> list[int]:
    """Returns those of the processes that still live after the platform has ended."""
    until = time.monotonic() + _LEAVING_S
    while alive := [pid for pid, since in known if born(pid) == since and not gone(pid)]:
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    return alive


def main() -> None:
    """Prints the observations of each game's season; exits with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=list(PLANS), help=", ".join(PLANS))
    parser.add_argument("--bots", type=int, default=BOTS)
    parser.add_argument("--matches", type=int, default=0, help="budget; else each game's own")
    parser.add_argument("--minutes", type=float, default=30, help="of each game, then it fails")
    given = parser.parse_args()
    if unknown := sorted(set(given.games) - set(PLANS)):
        parser.error(f"no season is planned of {', '.join(unknown)}; there are {', '.join(PLANS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and cleans up
    failed = False
    for game in given.games:
        told = run(game, given.bots, given.minutes, given.matches)
        print(json.dumps(told, indent=2), flush=True)
        failed = failed or bool(told["wrong"])
    sys.exit(failed)


if __name__ == "__main__":
    main()
