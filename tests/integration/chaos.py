"""A season while a seeded script disturbs everything: `python -m tests.integration.chaos`.

The same season is played twice: undisturbed, and in a storm. Both must give the same records, byte
for byte, and the same standing. In the storm a host plays from afar as well, and an author uploads
bots, each of which must get its verdict in time.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tests.installation import Installation, eventually, installed
from tests.integration.remote_host import Host, joined, wired
from tests.integration.storm import LONG_S, Outside, Storm, script
from tests.integration.stormy_season import (
    A_CYCLE,
    SEED,
    Season,
    calm,
    difference,
    found,
    outcome,
    start,
)
from tests.integration.uploads import VERDICT_S, Author
from tests.services import free_port

DISK: Final = "768m"
"""The size of the disk that is filled. It holds the data folder and nothing else."""
UPLOAD_S: Final = 3.0
"""The author uploads a bot this many seconds after the last upload was taken."""
HOST: Final = "lab-1@key:lab"
"""The arena of the host that plays from afar."""


@dataclass
class Seen:
    """The observations of a storm."""

    struck: Counter[str] = field(default_factory=Counter)
    uploads: dict[str, Any] = field(default_factory=dict)
    """The number of uploads, how many got a verdict, and the slowest verdict."""
    from_afar: int = 0
    """The number of results that the host has sent."""
    wrong: list[str] = field(default_factory=list)
    """A sentence for each thing that must never happen and did."""


@contextmanager
def stormy(
    data: Path, away: Path, settings: dict[str, str] | None = None
) -> Iterator[tuple[Installation, Host]]:
    """Runs a platform with an operator, and a host that plays for it, for the length of the block.

    The folder of the host is `away`.
    """
    # The line of the host leads to this port, also when the platform is started again.
    with installed(data, settings, port=free_port()) as platform:
        platform.operator()
        key = platform.post("/arena-keys", name="lab")["key"]
        with wired(platform.url) as wire, joined(wire, key, away) as host:

            def reports() -> bool:
                arenas = platform.get("/health")["arenas"]
                return any(one["full_name"] == HOST for one in arenas)

            eventually(reports, why="the host does not come")
            yield platform, host


def weather(
    platform: Installation,
    matches: int,
    seed: str,
    storm: Storm,
    expected: Season,
    limit_s: float = VERDICT_S,
) -> Seen:
    """Plays the season in this storm, with uploads throughout; returns the observations.

    Each upload must get its verdict within `limit_s` seconds.

    The season's league plays no other matches, so the uploaded bots play none.
    """
    seen = Seen(storm.struck)
    found(platform, matches, seed)
    platform.post("/leagues/bomb/pause")
    author = Author(platform, "alice", platform.author("alice"), limit_s=limit_s)
    try:
        with author.uploading(UPLOAD_S):
            start(platform, matches)
            storm.rage()
            season = outcome(platform, matches)
        seen.wrong += difference(expected, season)
        seen.uploads = author.judge()
        told = platform.get(f"/arenas/{quote(HOST)}/matches", since="2000-01-01T00:00:00Z")
        seen.from_afar = told["count"] + told["kept"]
    except AssertionError as error:
        seen.wrong.append(str(error))
    seen.wrong += author.wrong
    return seen


def mount(folder: Path) -> None:
    """Mounts a small disk of its own at this folder. Raises CalledProcessError without the right.

    The caller has a mount namespace of its own, so the disk is gone with the last process in it.
    """
    folder.mkdir(parents=True)
    options = f"size={DISK},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "matchbox", str(folder)], check=True)


def run(
    matches: int, seed: str, blows: int, tell: Callable[[str], None], *, on: str, disk: bool
) -> dict[str, Any]:
    """Plays the season twice, undisturbed and in the storm; returns the observations and the
    faults.

    The undisturbed one is always on SQLite and the embedded broker.
    """
    with tempfile.TemporaryDirectory(prefix="mbx-chaos-") as name, ExitStack() as stack:
        tell(f"{matches} matches, undisturbed")
        expected = calm(Path(name) / "calm", matches, seed)
        place = Path(name) / "disk"
        if disk:
            mount(place)
            stack.callback(subprocess.run, ["umount", "--lazy", str(place)], check=False)
        else:
            tell("the disk is not filled: that takes --disk")
        outside = Outside.opened(stack) if on == "postgres" else None
        drawn = script(seed, matches, blows, LONG_S, disk=disk, database=outside is not None)
        settings = outside.settings if outside else None
        platform, host = stack.enter_context(stormy(place / "data", Path(name) / "host", settings))
        tell(f"{matches} matches, on {on}, in a storm")
        storm = Storm(platform, drawn, host, outside, tell)
        seen = weather(platform, matches, seed, storm, expected)
    told = {**vars(seen), "struck": dict(sorted(seen.struck.items()))}
    return {"matches": matches, "seed": seed, "on": on, "disk": disk, **told}


def main() -> None:
    """Prints the observations; exits with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=2000, help=f"a multiple of {A_CYCLE}")
    parser.add_argument(
        "--seed",
        default=SEED,
        help="of the season's deals and of the script, 16 characters or more",
    )
    parser.add_argument("--blows", type=int, default=32, help="how many disturbances")
    parser.add_argument(
        "--on",
        choices=("sqlite", "postgres"),
        default="sqlite",
        help="the storm's database and broker: SQLite and the embedded one, or Postgres and Redis",
    )
    parser.add_argument(
        "--disk", action="store_true", help="fill a disk as well: takes root and `unshare --mount`"
    )
    given = parser.parse_args()
    if given.matches < A_CYCLE or given.matches % A_CYCLE or given.blows < 1:
        parser.error(f"give a multiple of {A_CYCLE} matches, and at least one blow")
    if len(given.seed) < 16:
        parser.error("give a seed of 16 characters or more")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and cleans up
    tell = partial(print, file=sys.stderr, flush=True)
    told = run(given.matches, given.seed, given.blows, tell, on=given.on, disk=given.disk)
    print(json.dumps(told, indent=2), flush=True)
    sys.exit(bool(told["wrong"]))


if __name__ == "__main__":
    main()
