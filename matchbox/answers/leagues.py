"""Leagues and seasons: their settings, entrants and winners."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchbox.answers import Answer
from matchbox.answers.league_settings import Admission, Format, Schedule
from matchbox.answers.lessons import Verification

State: TypeAlias = Literal["draft", "open", "frozen", "running", "paused", "finished", "cancelled"]


class SeasonLine(Answer):
    """A season in a list; `title` is the game's.

    `round` is the number of opened rounds, `divisions` the number of divisions of its edition.
    `matches` leaves out those that an operator or an exclusion made void. It is `paced` if the
    number of deals follows from its bots' speed when it starts. `seed` is null until it is over;
    for the first division, until all divisions of its edition are. `trouble` says why the schedule
    could not start it in time, or why it was paused and cannot go on. `seats` is how many bots sit
    at a table. `starts_at` is null if no schedule starts it, as in a paused league.
    """

    id: int
    name: str
    game: str
    title: str
    league: str
    state: State
    edition: int
    division: int
    divisions: int
    format: Format
    cycles: int
    round: int
    deals: int
    paced: bool
    seed: str | None
    entries: int
    matches: int
    finished: int
    created_at: str
    starts_at: str | None
    started_at: str | None
    finished_at: str | None
    trouble: str
    seats: int = 2


class SeasonEntrant(Answer):
    """A bot in a season; its version is null until it is fixed.

    `out` is `suspended` or `disqualified` if it plays no further matches, else empty.
    """

    bot: str
    owner: str
    name: str
    version: int | None
    version_id: int | None
    digest: str | None
    class_name: str | None
    out: str
    out_at: str | None
    out_why: str
    mine: bool


class Division(Answer):
    """A season of the same edition."""

    id: int
    name: str
    division: int


class Trophy(Answer):
    """The winners: a champion, or the bots that share the first place."""

    champion: str | None
    shared: list[str]


class Round(Answer):
    """A round that was opened: which bots rested, and the ties of a knock-out."""

    stage: str
    rests: list[str]
    ties: list[list[str]]


class Season(SeasonLine):
    """A season with its entrants; `trophy` is null until it is finished, and if it is a knock-out
    that ended without a final.

    `newer` has the active versions that came too late, as numbers by bot. `editions` are all
    divisions. `admission`, `schedule` and `paused` are the league's. `may_enter` says whether the
    league takes your bots at all. `verified` is an operator's newest report on it.
    """

    entrants: list[SeasonEntrant]
    newer: dict[str, int]
    editions: list[Division]
    admission: Admission
    schedule: Schedule
    paused: bool
    may_enter: bool
    trophy: Trophy | None
    rounds: list[Round]
    verified: Verification | None


class Seasons(Answer):
    """A page of the seasons, newest first."""

    items: list[SeasonLine]
    next: str | None


class LeagueLine(Answer):
    """A league in a list; `next_start` is that of its next season, or null.

    It is `paced` if it has no number of deals of its own. `separation` says how far apart the
    rotations of a match are played.
    """

    id: int
    name: str
    game: str
    title: str
    rules: str
    options: dict[str, Any]
    seats: int
    deals: int
    paced: bool
    separation: str
    continuous: bool
    paused: bool
    created_at: str
    format: Format
    admission: Admission
    schedule: Schedule
    next_start: str | None


class League(LeagueLine):
    """A league with some of its seasons: the newest, and the newest that are not over.

    `season_count` counts all that you may see. `invited` names accounts, only for operators.
    """

    seasons: list[SeasonLine]
    season_count: int
    invited: list[str] | None


class Leagues(Answer):
    """All leagues."""

    items: list[LeagueLine]
    next: str | None
