"""Describes a league and its seasons: the format, the admission, the schedule, the rounds.

Knows no rows and no clock.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, assert_never

from cronsim import CronSim, CronSimError

from dashboard import wording
from dashboard.wording import plural
from matchbox import registry
from matchbox.league.swiss import ROUND_ROBIN

if TYPE_CHECKING:
    from matchbox.answers.leagues import Round
    from matchbox.league.format import Admission, Format, Schedule

QUESTIONS: Final = {"order": "the whole order is known", "champion": "the best bot is known"}
STAGES: Final = {
    "placement": ("placement round",),
    "cycle": ("round",),
    "mixed": ("round of mixed teams", "rounds of mixed teams"),
    "swiss": ("Swiss round",),
    "tail": ("batch", "batches"),
    "group": ("group round",),
    "knock-out": ("round of ties", "rounds of ties"),
}
"""The name of a round of each stage, with its plural if that is irregular."""


def format(  # noqa: A001 - named after what it tells
    form: Format, game: str, seats: int = 2
) -> list[str]:
    """Returns the format of a season of that game in words: one sentence for each rule that
    applies. `seats` is how many bots sit at a table."""
    sentences = [_played_by_teams(form) if registry.is_cooperative(game) else _played(form, seats)]
    if form.placement:
        matches = plural(form.placement, "placement match", "placement matches")
        sentences.append(f"A newcomer plays {matches} first.")
    if form.divisions > 1:
        moving = "the best of each rises, and the last sinks"
        if form.moving > 1:
            moving = f"the best {form.moving} of each rise, and the last {form.moving} sink"
        sentences.append(
            f"At most {form.divisions} divisions: between seasons {moving}, or fewer if there are "
            "too few bots."
        )
    limits = [
        f"{form.matches:,} matches" if form.matches else "",
        f"{plural(form.hours, 'hour')}" if form.hours else "",
    ]
    if any(limits):
        sentences.append(f"It ends after {' or '.join(filter(None, limits))} at the latest.")
    if form.learning != "off":
        begins = (
            "without a memory"
            if form.learning == "fresh"
            else "with its memory from an earlier season"
        )
        sentences.append(f"Bots learn between rounds; each begins the season {begins}.")
    return sentences


def _played(form: Format, seats: int) -> str:
    match form.kind:
        case "round-robin":
            return f"{_cycles(form, seats)}."
        case "swiss":
            rounds = plural(form.rounds, "round") if form.rounds else "as many rounds as it takes"
            return f"Swiss, {rounds}: bots of about the same score meet."
        case "adaptive":
            many = f", or with more than {ROUND_ROBIN} bots a Swiss system" if seats == 2 else ""
            then = f"then bots of similar rank meet until {_known(form)}"
            return f"{_cycles(form, seats)}{many}; {then}."
        case "knock-out":
            return f"Groups of at most {form.group}; {go_on(form)} to a knock-out."
    assert_never(form.kind)


def go_on(form: Format) -> str:
    """Who goes on from the groups to the knock-out: "the best 2 of each go on"."""
    return (
        f"the best {form.through} of each go on" if form.through > 1 else "the best of each goes on"
    )


def _cycles(form: Format, seats: int) -> str:
    if seats == 2:
        return f"{plural(form.cycles, 'double round robin')}: every two bots meet in both orders"
    each = "in each " if form.cycles > 1 else ""
    return (
        f"{plural(form.cycles, 'cycle')} at tables of {seats}: {each}every two bots meet about "
        "twice"
    )


def _played_by_teams(form: Format) -> str:
    mixed = plural(form.mixed, "round of mixed teams", "rounds of mixed teams")
    then = f", then {mixed}" if form.mixed else ""
    cycles = plural(form.cycles, "cycle")
    played = f"{cycles}: every bot plays as a team of its own copies on the same deals{then}."
    if form.kind == "adaptive":
        played += f" After that, every bot plays on with its own copies until {_known(form)}."
    return played


def _known(form: Format) -> str:
    """What an adaptive season finds out, and with how much care."""
    care = "" if form.question == "champion" else f", with {form.care} care"
    best = "the best is known" if form.top == 1 else f"the best {form.top} are known"
    return QUESTIONS.get(form.question, best) + care


def admission(admitted: Admission, *, continuous: bool = False) -> list[str]:
    """Returns the admission in words: one sentence for each rule that applies.

    The bots of a `continuous` league also play without being entered.
    """
    if continuous:
        sentences = ["Every active bot of the game plays."]
    else:
        sentences = ["By invitation." if admitted.by == "invitation" else "Open to all."]
    if admitted.everybody and not continuous:
        sentences.append(
            "At the start every active bot is entered; bots that an author has entered come first."
        )
    if admitted.bots is not None and not continuous:
        sentences.append(f"Each author may enter {plural(admitted.bots, 'bot')}.")
    if admitted.uploads is not None:
        sentences.append(
            f"Each author may upload {plural(admitted.uploads, 'version')} in 24 hours."
        )
    return sentences


def schedule(scheduled: Schedule) -> str:
    """Returns the schedule in words: "At 18:00 on Friday (UTC)", or "Once, on Friday, December 11,
    2026, at 18:00 (UTC)"; "" if there is none.

    A time or an expression that is not valid, as in a form that was sent, is returned as it is.
    """
    if scheduled.once is not None:
        with suppress(ValueError):
            day = datetime.fromisoformat(scheduled.once)
            return f"Once, on {day:%A, %B} {day.day}, {day:%Y, at %H:%M} ({scheduled.zone})"
        return f"{scheduled.once} ({scheduled.zone})"
    if not scheduled.cron:
        return ""
    with suppress(CronSimError):
        told = CronSim(scheduled.cron, datetime(2000, 1, 1, tzinfo=UTC)).explain()
        return f"{told} ({scheduled.zone})"
    return f"{scheduled.cron} ({scheduled.zone})"


def options(chosen: dict[str, Any]) -> str:
    """Returns the game's options: "see 3, faces 6"; "" without any."""
    return ", ".join(f"{name} {wording.option(value)}" for name, value in chosen.items())


def rounds(opened: list[Round]) -> str:
    """Returns the rounds opened so far: "8 Swiss rounds, 2 batches"; "" before the first round."""
    counted = Counter(one.stage for one in opened)
    return ", ".join(plural(number, *STAGES[stage]) for stage, number in counted.items())


FILTERS: Final = (format, admission, schedule, options, rounds)
"""The template filters; each has the name `describe_` followed by the function's name."""
