"""The jobs that wait for an arena, their places in the queue, and the reasons why they wait."""

from __future__ import annotations

from typing import Literal, TypeAlias

from matchbox.answers import Answer

JobName: TypeAlias = Literal["match", "try-out", "draft", "lesson", "turn", "verification"]


class Waiting(Answer):
    """Why a job has not begun.

    `place` counts from 1; it is null while the job cannot be sent at all. `seconds` is an estimate
    of the time until it is done; null if nothing of its kind was done lately, or if its place is
    null.
    """

    place: int | None
    seconds: int | None
    reason: str


class WaitingJob(Waiting):
    """A job that waits: `id` is a match's id or the number of another row.

    `name` holds the names of its bots; a single bot's version number follows its name. A lesson has
    the number of its season as `id`, and its name as `season_name`, which is null for other jobs.
    """

    kind: JobName
    id: str
    name: str
    since: str
    season_name: str | None = None


class QueueKind(Answer):
    """The jobs of one kind.

    `running` jobs are sent to the arenas, which do `playing` of them now. `done` of the newest 200
    were done in the last half hour: one every `seconds`, as long as any waited. Each is null if it
    is not known.
    """

    kind: JobName
    queued: int
    running: int
    parked: int
    oldest_at: str | None
    done: int | None
    seconds: float | None
    playing: int = 0


class QueueGroup(Answer):
    """The queued matches of a season, of all comparisons of a league, or of its ranked queue.

    `reason` says why none of them is sent; empty if they take their turns.
    """

    league: str
    season: int | None
    season_name: str | None
    comparisons: bool
    queued: int
    running: int
    oldest_at: str
    reason: str


class QueueDetail(Answer):
    """The queue for operators. `stopped` says why nothing is played at all; it is empty if matches
    are played.

    `jobs` are those that are next, by kind; `window` is the most matches under way at a time.
    """

    stopped: str
    window: int
    kinds: list[QueueKind]
    groups: list[QueueGroup]
    jobs: list[WaitingJob]
