"""The settings of matches: the walls around bots, their limits, and how much is played.

Declares names, types, defaults and bounds; `matchbox.settings` reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from matchbox.setting_values import setting

WIDTH: Final = 250
"""The default number of bouts that a seat plays at once."""
MAX_DEALS: Final = 5000
"""The greatest number of deals that a match may have."""
_FOLDER: Final = re.compile(r"/.*")
BOXES: Final = ("auto", "bwrap", "docker", "process")


@dataclass(frozen=True, kw_only=True)
class PlaySettings:
    """The settings of matches, seats, leagues and tables."""

    box: str = setting("auto", "the wall around bots; auto: the best that works", choices=BOXES)
    docker_runtime: str = setting(
        "", "the engine's runtime for containers of seats; empty: the engine's default"
    )
    sockets: str = setting(
        "",
        "folder for the control sockets of containers, with the same path for the engine; empty: "
        "`/run/matchbox`, or one in `/tmp` without root",
        form=(_FOLDER, "a path that begins with /"),
    )
    cpu_ms: int = setting(1000, "processor time for one decision, ms", least=10, most=600_000)
    start_cpu_ms: int = setting(5000, "processor time to load a bot, ms", least=100, most=600_000)
    bank_ms: int = setting(
        60_000,
        "time for all decisions of a match, ms: processor time and sleep",
        least=100,
        most=3_600_000,
    )
    wall_factor: int = setting(
        4, "wall time allowed, as a multiple of the processor time", least=2, most=100
    )
    memory_mb: int = setting(256, "memory of one seat, MiB", least=32, most=65_536)
    log_bytes: int = setting(
        16_384, "a bot's output that is kept for each match, bytes", least=0, most=1 << 20
    )
    libraries: str = setting(
        "numpy",
        "the libraries that bots may import beside the standard library",
        choices=("numpy", "none"),
    )
    match_deals: int = setting(
        10,
        "deals of a match in leagues created from now on, if they get no number of their own "
        "and the bots' speed is not known; each is played in all rotations",
        least=1,
        most=MAX_DEALS,
    )
    match_seconds: int = setting(
        2,
        "wanted length of a match, s: it gets as many deals as recently took this long, unless its "
        "league or season has a number of its own; 0: always the league's number",
        least=0,
        most=60,
    )
    fewest_deals: int = setting(
        2, "fewest deals of a match with a wanted length", least=1, most=MAX_DEALS
    )
    most_deals: int = setting(
        250, "most deals of a match with a wanted length", least=1, most=MAX_DEALS
    )
    tryout_deals: int = setting(2, "deals of the try-out of a new version", least=1, most=100)
    width: int = setting(WIDTH, "bouts that a seat plays at once", least=1, most=1024)
    sample_percent: int = setting(
        5,
        "percentage of matches of which some bouts are played again alone, besides each version's "
        "first match; 0: none at all",
        least=0,
        most=100,
    )
    arenas: int = setting(0, "arena workers of `matchbox up`; 0: one per core", least=0, most=1024)
    express_arena: bool = setting(
        True, "let `matchbox up` start one more arena, which only takes jobs that people wait for"
    )
    pin: bool = setting(
        True, "keep each arena and its bots on a processor core of their own, if one is free"
    )
    compiled: bool = setting(
        True, "use the compiled hot path, if one was made at install; false: plain Python"
    )
    lease_minutes: int = setting(
        5,
        "minutes after which a job is sent again if its arena reports no progress, or if no arena "
        "has taken it and the broker cannot be asked for its message",
        least=1,
        most=1440,
    )
    replay_percent: int = setting(
        100,
        "percentage of the matches whose moves are played through the rules before they are booked",
        least=0,
        most=100,
    )
    verify_percent: int = setting(
        5,
        "percentage of the matches of arenas on other hosts that another host's arena plays again; "
        "an arena whose record differs is stopped",
        least=0,
        most=100,
    )
    attempts: int = setting(2, "platform faults after which a match is parked", least=1, most=100)
    forfeit_percent: int = setting(
        5,
        "a version that forfeits more than this percentage of its bouts is suspended",
        least=1,
        most=100,
    )
    forfeit_matches: int = setting(
        20, "ranked and season matches before a version may be suspended", least=1, most=100_000
    )
    ranked_backlog: int = setting(
        8, "matches that a continuous league keeps in the queue", least=1, most=10_000
    )
    dispatch_window: int = setting(
        0,
        "matches that are in the queue at once; 0: four for each arena, at least 32",
        least=0,
        most=100_000,
    )
    league_matches: int = setting(
        200,
        "least number of matches that a version plays in a continuous league before it rests",
        least=1,
        most=1_000_000,
    )
    comparison_games: int = setting(
        20_000,
        "bouts of comparisons that an author may ask for in a day; 0: none",
        least=0,
        most=100_000_000,
    )
    comparisons_at_once: int = setting(
        2, "comparisons of one author that run at once", least=1, most=1000
    )
    play_tables: int = setting(
        50, "open tables where people play against bots; 0: none", least=0, most=10_000
    )
    play_tables_each: int = setting(
        3, "open tables at which one person may sit", least=1, most=1000
    )
    play_idle_minutes: int = setting(
        30,
        "minutes after which a table ends if a person does not move, or if no arena could play its "
        "bots' turn",
        least=1,
        most=1440,
    )
    verifications_per_day: int = setting(
        20, "matches that one account may have verified in a day; 0: none", least=0, most=100_000
    )
    tick_seconds: int = setting(
        2,
        "seconds between two ticks, at which the ledger does the work that is due",
        least=1,
        most=60,
    )
