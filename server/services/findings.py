"""The facts that the checks of the platform's health read, and the form of their findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from matchbox.answers.health import Finding

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.answers.health import ArenaLine, Figures, JobsLine, Level
    from matchbox.settings import Settings

SYMPTOMS: Final = {
    "arenas": "an-arena-is-silent",
    "stopped": "an-arena-was-stopped-for-a-false-result",
    "walls": "an-arena-has-no-wall",
    "web": "the-site-does-not-answer",
    "internal": "arenas-reach-nobody",
    "faults": "jobs-fail-in-an-arena",
    "releases": "an-arena-has-another-release",
    "ledger": "results-do-not-appear",
    "standings": "boards-are-old",
    "supervisor": "matchbox-up-is-silent",
    "jobs": "jobs-wait-and-nothing-moves",
    "parked": "something-is-parked",
    "results": "results-do-not-appear",
    "broker": "the-broker-cannot-be-reached",
    "disk": "the-disk-is-almost-full",
    "mail": "mail-does-not-leave",
    "backups": "no-backup-was-made",
    "schedule": "a-league-opens-no-further-seasons",
    "starts": "a-season-does-not-start-on-time",
    "seasons": "a-season-is-paused-that-nobody-has-paused",
}
"""Every kind of finding, with its section of docs/symptoms.md."""


class State(NamedTuple):
    """The facts that the checks read."""

    session: Session
    settings: Settings
    now: int
    arenas: list[ArenaLine]
    jobs: list[JobsLine]
    figures: Figures
    up_ms: int
    """The time since the platform began to run, in ms."""


def bad(kind: str, text: str, remedy: str, about: str = "") -> Finding:
    """Returns a bad finding of that kind, `about` a thing of that name if it is about one."""
    return _finding(kind, "bad", text, remedy, about)


def warning(kind: str, text: str, remedy: str, about: str = "") -> Finding:
    """Returns a warning, as `bad` returns a bad finding."""
    return _finding(kind, "warning", text, remedy, about)


def _finding(kind: str, level: Level, text: str, remedy: str, about: str) -> Finding:
    page = f"/docs/symptoms#{SYMPTOMS[kind]}"
    return Finding(kind=kind, about=about, page=page, level=level, text=text, remedy=remedy)


def duration(seconds: int) -> str:
    """Returns a length of time in words: "50 s", "3 min", "2 h"."""
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
