"""The layout of an exported season: the types of season.json and matches.jsonl.

Knows fields; reads and writes nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from matchbox.match.wire import Digest

SCHEMA: Final = 1
MatchId = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


class ArchivedSeason(msgspec.Struct, frozen=True, kw_only=True):
    """A season and its settings."""

    name: str
    league: str
    game: str
    rules: str
    options: dict[str, str | int | bool]
    seats: int
    deals: int
    """The deals of a match."""
    seed: str
    format: dict[str, Any]
    edition: int
    division: int
    rounds: int
    state: str
    started_at: str | None
    finished_at: str | None


class ArchivedEntrant(msgspec.Struct, frozen=True, kw_only=True):
    """A version in the season."""

    name: str
    """The name in rows and standings: owner/bot:digest[:class]."""
    version: Digest
    class_name: str | None
    out: str
    """suspended, disqualified, or empty."""


class ArchivedLesson(msgspec.Struct, frozen=True, kw_only=True):
    """A lesson, as the server stored it."""

    entrant: str
    round: int
    """The round before the lesson, from 0."""
    played: dict[MatchId, int]
    """The matches it was learned from, and for each the entrant that the version was."""
    before: Digest | None
    after: Digest | None
    fault: str
    """The fault that kept the old memory, as "kind: detail"; empty if there was none."""


class StandingSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a standing, as in matchbox.league.standings.standing."""

    entrants: list[str]
    listed: list[str]
    parents: dict[str, str]
    cooperative: bool
    seat_term: bool


class ArchivedStanding(msgspec.Struct, frozen=True, kw_only=True):
    """The standing as the server has stored it."""

    digest: Digest
    settings: StandingSettings
    lines: list[dict[str, Any]]
    method: int = 4
    """The version of the computation (`standings.METHOD`). Archives that do not say it have 4."""


class SeasonFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file season.json."""

    season: ArchivedSeason
    entrants: list[ArchivedEntrant]
    lessons: list[ArchivedLesson]
    standing: ArchivedStanding
    schema: Literal[1] = SCHEMA


class ArchivedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match: a line of matches.jsonl."""

    match: MatchId
    number: int
    round: int
    state: Literal["finished", "void"]
    """A void match does not count; its record is included because bots have learned from it."""
    digest: Digest
    """The record's digest."""
    seats: list[str]
    """The entrants' names."""
    bouts: list[tuple[int, int, list[int], list[int], int | None]]
    """For each bout: deal, rotation, places, scores, and the seat that forfeited."""
