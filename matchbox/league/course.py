"""Decides which rounds a season plays next. Knows entrants and results; no clock, no database.

Everything follows from the season's seed, its field and the results of earlier rounds, and not from
the order in which results arrived. A season is over if there is no next round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Final, assert_never

from matchbox.league import knock_out, seating, stages
from matchbox.league.format import Format
from matchbox.league.pairing import different_owners, placements
from matchbox.league.season import Field, Progress, Round

MAX_MATCHES: Final = 20_000
"""The most matches of a season."""
DEALS_PER_BOT: Final = 500
"""An adaptive season without its own budget ends when its bots have played this many deals each."""


class Unplayable(ValueError):
    """A season that cannot be played by these entrants, or in this format; its text says why."""


def next_rounds(plan: Format, field: Field, progress: Progress) -> Iterator[Round]:
    """Yields the next round, or several if none depends on the results of another.

    Leaves out bots that play no further matches; a round may be empty. The rounds never exceed the
    budget.
    """
    left = budget(plan, field) - len(progress.matches)
    for one in _placed(plan, field, progress) or _rounds(plan, field, progress, left):
        pairings = tuple(table for table in one.pairings if progress.out.isdisjoint(table.seats))
        left -= len(pairings)
        if left < 0:
            return
        yield replace(one, pairings=pairings)


def check(plan: Format, field: Field) -> None:
    """Raises Unplayable if such a field cannot play a season of this format."""
    n = len(field.entrants)
    if n < 2:
        raise Unplayable("a season needs two entrants or more")
    if len(set(field.entrants)) != n:
        raise Unplayable("an entrant is listed twice; every entrant plays once in a season")
    check_pairs(plan, field)
    if not field.cooperative and n < field.seats:
        raise Unplayable(f"{n} entrants do not fill a table of {field.seats}; enter more")
    whole = size(plan, field)
    if whole > MAX_MATCHES:
        raise Unplayable(f"{n} bots make {whole} matches; a season has {MAX_MATCHES} at the most")
    if plan.matches is not None and plan.matches > MAX_MATCHES:
        raise Unplayable(
            f"its budget is {plan.matches} matches; a season has {MAX_MATCHES} at the most"
        )
    if plan.kind == "knock-out" and plan.matches is not None and plan.matches < whole:
        raise Unplayable(f"its groups and knock-out are {whole} matches; raise the budget to that")


def check_pairs(plan: Format, field: Field) -> None:
    """Raises Unplayable if the format needs tables of two rivals, and this field has others.

    That does not depend on the entrants.
    """
    if field.paired:
        return
    if plan.kind in ("swiss", "knock-out"):
        raise Unplayable(f"a {plan.kind} season pairs two rivals; choose round-robin or adaptive")
    if plan.placement:
        raise Unplayable("placement matches pair two rivals; leave them out")


def size(plan: Format, field: Field) -> int:
    """The least number of matches: without an adaptive tail, and without replays of level ties."""
    n = len(field.entrants)
    placed = sum(len(one.pairings) for one in _placed(plan, field, Progress()))
    if plan.kind == "knock-out":
        groups = [len(one) for one in stages.groups_of(plan, field.order)]
        ties = sum(min(one, plan.through) for one in groups) - 1
        return placed + sum(one * (one - 1) for one in groups) + ties
    if stages.is_swiss(plan, field):
        return placed + stages.swiss_rounds(plan, field) * (n // 2)
    if field.cooperative:
        teams = ceil(n / field.seats) if n >= field.seats > 1 else 0
        return plan.cycles * (n + plan.mixed * teams)
    if field.paired:
        return placed + plan.cycles * n * (n - 1)
    return plan.cycles * seating.rounds_at(n, field.seats) * (n // field.seats)


def budget(plan: Format, field: Field) -> int:
    """The most matches that are played."""
    if plan.matches is not None:
        return plan.matches
    if plan.kind != "adaptive":
        return MAX_MATCHES
    deals_per_match = field.deals * (1 if field.cooperative else field.seats)
    whole = ceil(len(field.entrants) * DEALS_PER_BOT / deals_per_match)
    return min(max(whole, 2 * size(plan, field)), MAX_MATCHES)


def final_order(plan: Format, field: Field, progress: Progress) -> list[str] | None:
    """The final order of a knock-out, best first; None before its end and for other formats.

    An entrant that alone goes on, from the groups or from a round, is the champion: there is no
    final. There is no champion either if a tie with two entrants has no match that counts.
    """
    if plan.kind != "knock-out" or stages.has_unplayed_tie(progress):
        return None
    played = [progress.rounds[number].ties for number in progress.rounds_of("knock-out")]
    levels = list(dict.fromkeys(played))
    ranks = stages.group_ranks(plan, field, progress)
    if played:
        last = [one or () for one in stages.winners(progress, ranks, spare=0)]
    else:
        last = [stages.alone_through(plan, field, progress)]
    while len(last) > 1:  # Rounds without a match are not opened.
        last = knock_out.next_ties(last)
        if any(len(tie) > 1 for tie in last):
            return None
        levels.append(tuple(last))
    (champion,) = last
    return knock_out.places(levels, champion, ranks) if champion else None


def _rounds(plan: Format, field: Field, progress: Progress, left: int) -> Iterator[Round]:
    match plan.kind:
        case "round-robin":
            return stages.cycles(plan, field, progress)
        case "swiss":
            return stages.swiss_round(plan, field, progress)
        case "adaptive":
            return stages.adaptive_rounds(plan, field, progress, left)
        case "knock-out":
            return stages.knock_out_rounds(plan, field, progress, left)
    assert_never(plan.kind)


def _placed(plan: Format, field: Field, progress: Progress) -> list[Round]:
    """The placement matches of newcomers, which are played once, before all rounds."""
    veterans = [name for name in field.order if name not in field.newcomers]
    newcomers = [name for name in field.order if name in field.newcomers]
    if progress.rounds or not plan.placement or not veterans:
        return []
    found = placements(newcomers, veterans, plan.placement, may_meet=different_owners(field.owner))
    return [Round("placement", tuple(found))] if found else []
