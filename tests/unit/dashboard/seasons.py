"""Made-up rows of seasons and leagues of bomb, for the cast."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from matchbox.answers.courses import Course, Fixture, Meeting, Stamp
from matchbox.answers.leagues import (
    Division,
    League,
    LeagueLine,
    Round,
    Season,
    SeasonEntrant,
    SeasonLine,
    Trophy,
)
from matchbox.answers.lessons import Verification
from matchbox.errors import NotFound
from matchbox.league.format import Admission, Format, Schedule, write

EARLIER: Final = "2026-11-21T11:57:00Z"
LATER: Final = "2026-11-27T17:00:00Z"
BOTS: Final = (
    ("alice/careful", 1642.0, 18.0, 412), ("house/medium", 1601.0, 16.0, 530),
    ("bob/ledger", 1588.0, 21.0, 377), ("house/scared", 1502.0, 15.0, 540),
    ("bob/tin-drum", 1466.0, 64.0, 22), ("house/simple", 1301.0, 17.0, 533),
)  # fmt: skip

STAMP: Final = Stamp(course="running-2-q2", standing="ab12")
VERIFIED: Final = Verification(
    at=EARLIER, matches=60, out_of=60, same=58, different=[], standing="same",
    unrepeatable=["ab" * 16], replayed_only=["cd" * 16],
    lessons={"lessons": 4, "out_of": 4, "same": 4, "different": []},
    counts={"different": 0, "unrepeatable": 1, "replayed_only": 1},
    lesson_counts={"different": 0, "unrepeatable": 0, "not_repeated": 0},
)  # fmt: skip


def _season_fields(state: str = "running", **own: Any) -> dict[str, Any]:
    row = {
        "id": 7, "name": "Autumn 2026", "game": "bomb", "title": "Bomb", "league": "cup",
        "state": state, "edition": 3, "division": 1, "divisions": 2, "round": 4,
        "format": write(Format(cycles=2, divisions=2)), "cycles": 2, "deals": 7,
        "paced": True, "seed": None, "entries": 6, "matches": 60, "finished": 41,
        "created_at": EARLIER, "starts_at": None, "started_at": EARLIER, "finished_at": None,
        "trouble": "",
    }  # fmt: skip
    return row | own


def season_line() -> SeasonLine:
    """A season of bomb in a list."""
    return SeasonLine(**_season_fields())


def entrant(bot: str, **own: Any) -> SeasonEntrant:
    """A bot that plays in the season."""
    owner, _, name = bot.partition("/")
    row: dict[str, Any] = {
        "bot": bot, "owner": owner, "name": name, "version": 2, "version_id": 2,
        "digest": "ef" * 32, "class_name": None, "mine": owner == "alice", "out": "",
        "out_at": None, "out_why": "",
    }  # fmt: skip
    return SeasonEntrant(**row | own)


def season(number: int, **own: Any) -> Season:
    """The season with its entrants."""
    if number != 7:
        raise NotFound(f"there is no season {number}")
    entrants = [entrant(bot) for bot, *_ in BOTS]
    entrants[4] = entrant(BOTS[4][0], out="disqualified", out_why="two accounts, one author")
    row = {
        "entrants": entrants,
        "newer": {"alice/careful": 3},
        "editions": [
            Division(id=7, name="Autumn 2026", division=1),
            Division(id=8, name="Autumn 2026, division 2", division=2),
        ],
        "admission": write(Admission()),
        "schedule": write(Schedule(cron="0 18 * * FRI", zone="Europe/Berlin")),
        "paused": False,
        "may_enter": True,
        "trophy": None,
        "rounds": [Round(stage="cycle", rests=[], ties=[])] * 2,
        "verified": VERIFIED,
    }
    return Season(**_season_fields() | row | own)


def fixture(number: int, first: int, second: int, points: float | None = None) -> Fixture:
    """A match of the round; without points it is being played."""
    shares: list[float | None] = [None, None] if points is None else [points, 1 - points]
    return Fixture(
        match=f"{first:016x}{second:016x}", round=number, seats=[first, second], points=shares,
        state="running" if points is None else "finished", score=None,
    )  # fmt: skip


def course(season: int, **own: Any) -> Course:
    """Two rounds, the second of which is under way."""
    row: dict[str, Any] = {"bots": [bot for bot, *_ in BOTS], "seats": 2, "left": {2: 2}}
    return Course(**row | own)


def fixtures(season: int, rounds: Collection[int]) -> list[Fixture]:
    """In the first round every bot meets a neighbour; one match of the second is over."""
    every = [
        *(fixture(0, at, at + 1, 0.6) for at in (0, 2, 4)),
        fixture(1, 1, 0, 0.25), fixture(1, 3, 2), fixture(1, 5, 4),
    ]  # fmt: skip
    return [one for one in every if one.round in rounds]


def meetings(season: int, rows: Collection[int], columns: Collection[int]) -> list[Meeting]:
    """Versions with neighbouring row numbers have met; the one with the lower number won."""
    return [
        Meeting(first=one, second=other, bouts=28, share=0.75, ci95=(0.6, 0.86))
        if one < other
        else Meeting(first=one, second=other, bouts=28, share=0.25, ci95=(0.14, 0.4))
        for one in rows
        for other in columns
        if abs(one - other) == 1
    ]


def cup() -> Season:
    """The season as a knock-out with a winner."""
    names = [bot for bot, *_ in BOTS]
    levels: list[list[list[str]]] = [[names[:1], names[2:4], names[4:6], names[1:2]],
                                     [[names[0], names[2]], [names[4], names[1]]]]  # fmt: skip
    levels.append([[names[0], names[1]]])
    opened = [Round(stage="knock-out", rests=[], ties=ties) for ties in levels]
    trophy = Trophy(champion=names[0], shared=[])
    form = write(Format(kind="knock-out"))
    return season(7, state="finished", rounds=opened, trophy=trophy, format=form)


def waiting_season(number: int, **own: Any) -> Season:
    """The season before its scheduled start, which was put off once."""
    row: dict[str, Any] = {
        "state": "open", "starts_at": LATER, "matches": 0, "started_at": None, "newer": {},
        "trouble": "season Autumn 2026 has fewer than 2 bots; enter more",
    }  # fmt: skip
    return season(number, **row | own)


def _league_fields(name: str) -> dict[str, Any]:
    own = name == "bomb"
    run = Schedule() if own else Schedule(cron="0 18 * * FRI", zone="Europe/Berlin")
    return {
        "id": 2, "name": name, "game": "bomb", "title": "Bomb", "rules": "1",
        "options": {"see": 3}, "seats": 2, "deals": 10, "paced": own, "continuous": own,
        "paused": False, "separation": "none" if own else "strong", "created_at": EARLIER,
        "format": write(Format(kind="adaptive", question="top", top=3, divisions=2)),
        "admission": write(Admission(by="open" if own else "invitation")),
        "schedule": write(run), "next_start": None if own else LATER,
    }  # fmt: skip


def league_line(name: str = "cup") -> LeagueLine:
    """A scheduled league of bomb, by invitation; or the game's own."""
    return LeagueLine(**_league_fields(name))


def league(name: str, **own: Any) -> League:
    """The league with its seasons. Alice is invited, which only an operator sees."""
    if name not in ("cup", "bomb"):
        raise NotFound(f"there is no league {name!r}")
    known = {"seasons": [season_line()], "season_count": 1, "invited": ["alice"]}
    return League(**_league_fields(name) | known | own)
