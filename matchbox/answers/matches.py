"""Matches, their bouts, steps and logs, and the queue."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from matchbox.answers import Answer
from matchbox.answers.queue import Waiting
from matchbox.errors import FaultKind
from matchbox.match.wire import Finding

State: TypeAlias = Literal["queued", "running", "finished", "parked", "void"]


class Entrant(Answer):
    """A version at the table; `points` is its share of the match once that is readable.

    In a cooperative game it is null: a team has one score. `forfeits` counts bouts.
    """

    bot: str
    owner: str
    name: str
    version: int
    version_id: int
    digest: str
    class_name: str | None
    points: float | None
    forfeits: int | None


class MatchLine(Answer):
    """A match in a list; `score` is a team's mean score of a bout, null where seats compete.

    `why` is the reason for the match. `title` is the game's, `season_name` that of its season.
    """

    id: str
    game: str
    title: str
    league: str
    season: int | None
    number: int
    why: str
    state: State
    created_at: str
    finished_at: str | None
    entrants: list[Entrant]
    score: float | None
    season_name: str | None = None


class ParkedMatch(MatchLine):
    """A match that waits for an operator, and why."""

    trouble: str


class Fault(Answer):
    """A fault of a seat, before that step; `detail` is for the bot's owner and operators."""

    step: int
    seat: int
    kind: FaultKind
    detail: str | None


class Bout(Answer):
    """A bout of a match that is over; `seats` names the entrant in each seat of the table.

    `moves` counts them. Places and scores are by seat; 1 is the best place.
    """

    deal: int
    rotation: int
    places: list[int]
    scores: list[int]
    why: str
    seats: list[int]
    moves: int
    faults: list[Fault]


class Match(MatchLine):
    """A match; `embargo` says why its record, result and bouts are still closed.

    If the record was removed, `embargo` says so. Then `bouts` stays null, but the result is shown.
    `options` is null if there is no record and the league has other rules by now.

    A match that was played has the fields from `digest` to `record` once its embargo has ended.
    Only the API gives the `record`, which is null until then. `trouble` is for operators; `mine`
    says whether the viewer may read the log. `waiting` says why it is not played yet, if it waits.
    `arena` is the arena that played it, for operators with its host; it is null in old matches.
    """

    attempt: int
    rules: str
    options: dict[str, Any] | None
    width: int
    trouble: str | None
    embargo: str | None
    void_why: str
    replaces: str | None
    replaced_by: str | None
    mine: bool
    digest: str | None = None
    deals: list[str] | None = None
    arena: str | None = None
    box: str | None = None
    seconds: float | None = None
    python: str | None = None
    libraries: dict[str, str] | None = None
    bouts: list[Bout] | None = None
    record: dict[str, Any] | None = None
    waiting: Waiting | None = None


class Matches(Answer):
    """A page of the matches."""

    items: list[MatchLine]
    next: str | None


EVERYBODY: Final = -1
"""In place of a seat: the open view, which shows every seat's hand."""


class Step(Answer):
    """A step of a bout: the `seat` that moved, null at the start and the end, below 0 for chance.

    `text` is the line of the transcript, and `view` the view of the chosen seat after the step.
    `fault` is the kind of the seat's fault, if it made no move.
    """

    seat: int | None
    text: str
    move: Any
    view: Any
    fault: FaultKind | None = None


class MatchVerification(Answer):
    """Whether a match that an arena has played again gave the same record.

    `state` is waiting, done, or failed if the platform could not play it, which is no finding.
    `finding` is same, different, unrepeatable (a bot does not repeat itself), or replayed_only (the
    recorded moves hold, but its bots could not be run again). `bout` and `move`, both from 0, are
    the first that differ, null if none does. `why` says why it failed; or why the match was only
    replayed, in the words of the arena, if that is not for a missing file.
    """

    match: str
    state: Literal["waiting", "done", "failed"]
    finding: Finding | None
    bout: int | None
    move: int | None
    asked_at: str
    finished_at: str | None
    why: str = ""


class Steps(Answer):
    """A bout, step by step: the first is the start, the last is the ending."""

    bout: Bout
    steps: list[Step]


class Note(Answer):
    """A fault of a bot in a bout."""

    deal: int
    rotation: int
    kind: str
    detail: str


class Diagnostic(Answer):
    """A player's comment on one of its decisions, counted by bout from 0."""

    deal: int
    rotation: int
    decision: int
    report: Any


class PrintedText(Answer):
    """A bot's output at one of its decisions, or the traceback of its fault there.

    `decision` counts the moves that the player had made before in the bout; it is null for the end
    of the bout. `left_out` is the number of bytes that were cut.
    """

    deal: int
    rotation: int
    decision: int | None
    traceback: bool
    text: str
    left_out: int


class LeftOut(Answer):
    """Nothing of this kind is kept of the bout from this decision on, because the room was used up.

    If `rest` is true, nothing of it is kept of later bouts either. Bouts are ordered by deal, then
    by rotation. `left_out` is the number of bytes. `decision` is as in PrintedText.
    """

    deal: int
    rotation: int
    decision: int | None
    kind: Literal["print", "traceback", "report"]
    left_out: int
    rest: bool


class LogLine(Answer):
    """A bot's output in a match; only its owner gets the `diagnostics`.

    `printed` is the output by decision; it is empty in old matches.
    `left_out` says where the room for it, or for the diagnostics, was used up.
    """

    bot: str
    entrant: int
    text: str
    cpu_ms: float
    notes: list[Note]
    diagnostics: list[Diagnostic]
    printed: list[PrintedText]
    left_out: list[LeftOut]


class Logs(Answer):
    """The output of the bots of a match that you may see."""

    items: list[LogLine]
    next: str | None


class Queue(Answer):
    """The numbers of matches and versions that are not done yet.

    `running` matches are sent to the arenas, which play `playing` of them now. `silent` is true if
    no arena that plays matches has reported for 45 seconds: then the running matches wait as well.
    """

    queued: int
    running: int
    parked: int
    pending_versions: int
    parked_versions: int
    quarantined_versions: int
    oldest_queued_at: str | None
    silent: bool = False
    playing: int = 0
