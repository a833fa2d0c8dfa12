"""The judgement on the platform's health: what is wrong, and what each part is at."""

from __future__ import annotations

from typing import Literal, TypeAlias

from matchbox.answers import Answer
from matchbox.answers.queue import JobName

Level: TypeAlias = Literal["bad", "warning"]


class Finding(Answer):
    """Something that is wrong: a sentence that says what and why, and one that says what to do.

    `kind` names the check that found it, such as `arenas` or `disk`.
    """

    kind: str
    level: Level
    text: str
    remedy: str


class ArenaLine(Answer):
    """An arena as it last reported; `load` is that of its host for each core.

    `state` is `silent` if its reports have stopped, `left` if it said goodbye, `gone` if it has
    been silent for so long that nobody waits for it. `doing` is the match that it plays, or the
    name of another job; empty if it is idle.
    """

    name: str
    state: Literal["reports", "silent", "left", "gone"]
    box: str
    walled: bool
    why: str
    cores: int | None
    load: float | None
    doing: str
    seen_at: str


class JobsLine(Answer):
    """The unfinished jobs of a kind: `oldest_at` is when the oldest of them was made."""

    kind: JobName
    queued: int
    running: int
    parked: int
    oldest_at: str | None


class Health(Answer):
    """The platform's health at one moment; nothing is wrong if there is no finding."""

    checked_at: str
    findings: list[Finding]
    arenas: list[ArenaLine]
    jobs: list[JobsLine]
