"""What an exported season says of itself: the types of season.json and matches.jsonl.

Knows fields; reads and writes nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from matchbox.match.wire import Digest

SCHEMA: Final = 1
MatchId = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


class Season(msgspec.Struct, frozen=True, kw_only=True):
    """What was played, and how."""

    name: str
    league: str
    game: str
    rules: str
    options: dict[str, str | int | bool]
    seats: int
    deals: int
    """Of a match."""
    seed: str
    format: dict[str, Any]
    edition: int
    division: int
    rounds: int
    state: str
    started_at: str | None
    finished_at: str | None


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """A version in the season."""

    name: str
    """As rows and standings name it: owner/bot:digest[:class]."""
    version: Digest
    class_name: str | None
    out: str
    """suspended, disqualified, or empty."""


class Taught(msgspec.Struct, frozen=True, kw_only=True):
    """A lesson as the books have it."""

    entrant: str
    round: int
    """The round that was over, from 0."""
    played: dict[MatchId, int]
    """What it was learned from, and which of the match's entrants the version was."""
    before: Digest | None
    after: Digest | None
    fault: str
    """The fault that left the old memory, as "kind: detail"."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a standing follows from, beside the rows: as matchbox.league.standings.standing."""

    entrants: list[str]
    listed: list[str]
    parents: dict[str, str]
    cooperative: bool
    seat_term: bool


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The standing as the books have it."""

    digest: Digest
    settings: Settings
    lines: list[dict[str, Any]]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The file season.json."""

    season: Season
    entrants: list[Entrant]
    lessons: list[Taught]
    standing: Ranked
    schema: Literal[1] = SCHEMA


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """A match: a line of matches.jsonl."""

    match: MatchId
    number: int
    round: int
    state: Literal["finished", "void"]
    """A void match counts no more; its record is there because bots have learned from it."""
    digest: Digest
    """Of its record."""
    seats: list[str]
    """The entrants' names."""
    bouts: list[tuple[int, int, list[int], list[int], int | None]]
    """Deal, rotation, places, scores, and the seat that forfeited."""
