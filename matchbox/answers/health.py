"""The platform's health: the faults that the checks have found, and the state of each part."""

from __future__ import annotations

from typing import Literal, TypeAlias

from matchbox.answers import Answer
from matchbox.answers.arenas import KeyState
from matchbox.answers.queue import JobName

Level: TypeAlias = Literal["bad", "warning"]
ArenaState: TypeAlias = Literal["reports", "silent", "left", "gone"]


class Finding(Answer):
    """Something that is wrong: a sentence that says what and why, and one that says what to do.

    `kind` names the check that found it, such as `arenas` or `disk`, and `about` the thing that is
    wrong, such as an arena's name; empty if the kind says it all.
    `page` is the section of the docs that explains it.
    """

    kind: str
    about: str
    page: str
    level: Level
    text: str
    remedy: str


class ArenaLine(Answer):
    """An arena as it last reported; `load` is that of its host for each core.

    `host` is the name of its machine and `release` its version of Matchbox; both are empty if it
    has not reported them. `state` is `silent` if its reports have stopped, `left` if it said
    goodbye, `gone` if it has been silent for so long that nobody waits for it. `doing` is the match
    that it plays, or the name of another job; empty if it is idle. An `express` arena only takes
    jobs that people wait for, and plays no matches. `full_name` is the name with
    that of the host, as actions take it. `stopped` says why the arena gets no jobs; empty if it is
    not stopped. `key` is the name of the key with which an arena on another host plays; empty for
    an arena here. `key_state` is then the key's state: a `draining` arena gets no new jobs.
    `faults` is at how many jobs the platform failed there in the last 15 minutes, at most 20, and
    `fault` says why at the last of them.
    """

    name: str
    full_name: str
    key: str = ""
    key_state: KeyState | None = None
    stopped: str
    host: str
    release: str
    state: ArenaState
    box: str
    walled: bool
    why: str
    express: bool = False
    cores: int | None
    load: float | None
    doing: str
    seen_at: str
    faults: int = 0
    fault: str = ""


class JobsLine(Answer):
    """The unfinished jobs of a kind: `oldest_at` is when the oldest of them was made.

    `running` jobs are sent to the arenas, which do `playing` of them now.
    """

    kind: JobName
    queued: int
    running: int
    parked: int
    oldest_at: str | None
    playing: int = 0


class Figures(Answer):
    """The measurements of the platform. `broker` says whether it answers, and is null if the
    platform has none.

    `results` is how many results wait for the ledger, `results_ms` how long the oldest of them has
    waited, `ledger_ms` the age of the ledger's last sign of life, `disk_free` the free bytes of the
    watched disk with the least room, `mails_failing` how many mails could not be sent after several
    tries, with no mail sent since they were written, and `backup_ms` the age of the last backup on
    the schedule. A figure that is not known is null.
    """

    broker: bool | None
    results: int | None
    results_ms: int | None = None
    ledger_ms: int | None
    disk_free: int | None
    mails_failing: int
    backup_ms: int | None = None


class Health(Answer):
    """The platform's health at one moment; nothing is wrong if there is no finding."""

    checked_at: str
    findings: list[Finding]
    arenas: list[ArenaLine]
    jobs: list[JobsLine]
    figures: Figures
