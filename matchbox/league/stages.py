"""The stages of a season. Each yields its next rounds, and none when it is finished.

Only the tail and the knock-out look at the budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice, zip_longest
from math import ceil
from typing import Final

from matchbox.league import knock_out, seating, swiss
from matchbox.league.format import Format
from matchbox.league.knock_out import Tie
from matchbox.league.pairing import Pairing, different_owners, double_round_robin, pair_key
from matchbox.league.ratings import fit_strengths
from matchbox.league.season import Field, Progress, Round
from matchbox.league.tail import Question, doubts_in, is_answered, next_batch

MAX_BATCH: Final = 2_000
"""The most matches in a batch of a tail."""


def cycles(plan: Format, field: Field, progress: Progress) -> Iterator[Round]:
    """The rest of a round robin: of pairs, of larger tables, or of teams and mixed teams."""
    done = len(progress.rounds_of("cycle", "mixed"))
    if field.cooperative:
        return islice(_teams(plan, field), done, None)
    if field.paired:
        once = [Round("cycle", tuple(pairs)) for pairs in double_round_robin(field.order)]
        return islice(chain.from_iterable([once] * plan.cycles), done, None)
    whole = plan.cycles * seating.rounds_at(len(field.entrants), field.seats)
    seatings = islice(_seatings(field, progress, "order", 1 + done), max(whole - done, 0))
    return (Round("cycle", seated) for seated in seatings)


def is_swiss(plan: Format, field: Field) -> bool:
    """Whether a Swiss system is played, possibly before a tail."""
    large = field.paired and len(field.entrants) > swiss.ROUND_ROBIN
    return plan.kind == "swiss" or (plan.kind == "adaptive" and large)


def swiss_rounds(plan: Format, field: Field) -> int:
    """How many rounds a Swiss system has."""
    asked_for = plan.rounds if plan.kind == "swiss" else None
    return asked_for or swiss.rounds_of(len(field.entrants))


def swiss_round(plan: Format, field: Field, progress: Progress) -> Iterator[Round]:
    """The next round of a Swiss system."""
    played = progress.rounds_of("swiss")
    seeds = [name for name in _seeds(field, progress) if name not in progress.out]
    if len(played) >= swiss_rounds(plan, field) or len(seeds) < 2:
        return
    here = [one for one in progress.matches if one.round in played]
    byes = [name for number in played for name in progress.rounds[number].rests]
    results = [
        swiss.result_of(
            one.seats, one.half_points, out=progress.out, disqualified=progress.disqualified
        )
        for one in here
    ]
    yield swiss.swiss_round(
        swiss.points_of(results, byes),
        seeds,
        [pair_key(*one.seats) for one in here],
        had_bye=byes,
        may_meet=different_owners(field.owner),
    )


def adaptive_rounds(plan: Format, field: Field, progress: Progress, left: int) -> Iterator[Round]:
    """The rest of the base rounds, or else the next batch if the question is still open."""
    base = swiss_round if is_swiss(plan, field) else cycles
    rounds = base(plan, field, progress)
    first = next(rounds, None)
    return chain([first], rounds) if first is not None else _tail(plan, field, progress, left)


def groups_of(plan: Format, seeds: Sequence[str]) -> list[list[str]]:
    """The groups before a knock-out, none larger than the format says."""
    return knock_out.groups(seeds, ceil(len(seeds) / plan.group))


def knock_out_rounds(plan: Format, field: Field, progress: Progress, left: int) -> Iterator[Round]:
    """The rest of the group stage, or else the next round of ties.

    A level tie is replayed as long as the budget suffices for all later ties.
    """
    if left_of_groups := _rest_of_groups(plan, field, progress):
        yield from left_of_groups
        return
    ties = played = _last_ties(progress)
    if played:
        found = winners(
            progress, group_ranks(plan, field, progress), spare=left - (len(played) - 1)
        )
        open_ties = [tie for tie, one in zip(played, found, strict=True) if one is None]
        if not open_ties and len(played) == 1:
            return
        if not open_ties:
            ties = open_ties = knock_out.next_ties([one or () for one in found])
    else:
        ties = open_ties = _first_ties(plan, field, progress)
    pairings = [Pairing(tie) for tie in open_ties if len(tie) == 2 and progress.out.isdisjoint(tie)]
    if ties:
        yield Round("knock-out", tuple(pairings), ties=tuple(ties))


def winners(progress: Progress, ranks: Sequence[str], *, spare: int) -> list[Tie | None]:
    """The winner of each tie of the last round; None for a tie that must be replayed, if `spare`
    matches suffice for that."""
    ties, legs = _last_ties(progress), _legs(progress)

    def decide(most: int) -> list[Tie | None]:
        return [
            knock_out.winner(tie, legs[frozenset(tie)], ranks, out=progress.out, most=most)
            for tie in ties
        ]

    found = decide(1 + knock_out.MAX_REPLAYS)
    return found if found.count(None) <= spare else decide(0)


def has_unplayed_tie(progress: Progress) -> bool:
    """Whether a tie of the last round, whose two entrants can both go on, has no match that
    counts."""
    legs = _legs(progress)
    return any(
        len(tie) > 1 and progress.out.isdisjoint(tie) and not legs[frozenset(tie)]
        for tie in _last_ties(progress)
    )


def alone_through(plan: Format, field: Field, progress: Progress) -> Tie:
    """The only entrant that goes on from the groups, once these are over; empty if two or more go
    on, or none."""
    if _rest_of_groups(plan, field, progress):
        return ()
    seeds = _qualified(plan, field, progress)
    return tuple(seeds) if len(seeds) == 1 else ()


def group_ranks(plan: Format, field: Field, progress: Progress) -> list[str]:
    """All entrants in the order of their group results."""
    shares = _shares(progress)
    orders = [knock_out.in_order(group, shares) for group in _groups(plan, field, progress)]
    return knock_out.ranked(orders, shares)


def _groups(plan: Format, field: Field, progress: Progress) -> list[list[str]]:
    return groups_of(plan, _seeds(field, progress))


def _rest_of_groups(plan: Format, field: Field, progress: Progress) -> list[Round]:
    seeds = _seeds(field, progress)
    each = [double_round_robin(group) for group in groups_of(plan, seeds)]
    together = [tuple(chain.from_iterable(found)) for found in zip_longest(*each, fillvalue=[])]
    rounds = [Round("group", pairings) for pairings in together]
    if rounds:
        rounds[0] = replace(rounds[0], order=tuple(seeds))
    return rounds[len(progress.rounds_of("group")) :]


def _first_ties(plan: Format, field: Field, progress: Progress) -> list[Tie]:
    """The first ties; none if only one entrant has come through."""
    seeds = _qualified(plan, field, progress)
    return knock_out.bracket(seeds) if len(seeds) > 1 else []


def _qualified(plan: Format, field: Field, progress: Progress) -> list[str]:
    """The entrants that go on from the groups, as seeds of the knock-out."""
    shares = _shares(progress)
    able = [
        [name for name in group if name not in progress.out]
        for group in _groups(plan, field, progress)
    ]
    return knock_out.qualified([knock_out.in_order(group, shares) for group in able], plan.through)


def _last_ties(progress: Progress) -> list[Tie]:
    rounds = progress.rounds_of("knock-out")
    return list(progress.rounds[rounds[-1]].ties) if rounds else []


def _legs(progress: Progress) -> defaultdict[frozenset[str], list[Mapping[str, int]]]:
    """The half points of each match of the last round's ties that counts, by the entrants."""
    ties = tuple(_last_ties(progress))
    rounds = [
        number for number in progress.rounds_of("knock-out") if progress.rounds[number].ties == ties
    ]
    legs: defaultdict[frozenset[str], list[Mapping[str, int]]] = defaultdict(list)
    for one in progress.matches_in(rounds):
        if one.half_points is not None:
            legs[frozenset(one.seats)].append(one.half_points)
    return legs


def _shares(progress: Progress) -> dict[str, Fraction]:
    """Everybody's share of the points in the group stage."""
    results: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for one in progress.matches_in(progress.rounds_of("group")):
        for name, taken in (one.half_points or {}).items():
            results[name].append((taken, sum((one.half_points or {}).values())))
    return {name: knock_out.share(found) for name, found in results.items()}


def _seeds(field: Field, progress: Progress) -> list[str]:
    """The entrants by the results of placement matches, or by lot if there were none.

    Once the groups are drawn, that order stays, even if results of placement matches count no more.
    """
    groups = progress.rounds_of("group")
    if groups and progress.rounds[groups[0]].order:
        return list(progress.rounds[groups[0]].order)
    placed = progress.rounds_of("placement")
    if not placed or progress.counts is None:
        return field.order
    fitted = fit_strengths(progress.counts(placed).pairwise)
    strengths = dict(zip(fitted.entrants, fitted.strengths.round(6).tolist(), strict=True))
    return sorted(field.order, key=lambda name: -strengths.get(name, 0.0))


def _teams(plan: Format, field: Field) -> Iterator[Round]:
    """In every cycle: every bot with copies of itself, then mixed teams if a team has two seats or
    more."""
    alone = tuple(Pairing((name,) * field.seats) for name in field.order)
    mixed: list[list[Pairing]] = []
    if len(field.entrants) >= field.seats > 1:
        rounds = plan.cycles * plan.mixed
        mixed = seating.mixed_teams(field.order, field.seats, rounds, field.dice("mixed", 0))
    for cycle in range(plan.cycles):
        yield Round("cycle", alone)
        for teams in mixed[cycle * plan.mixed : (cycle + 1) * plan.mixed]:
            yield Round("mixed", tuple(teams))


def _seatings(
    field: Field, progress: Progress, purpose: str, step: int
) -> Iterator[tuple[Pairing, ...]]:
    """Endless seatings at larger tables, of all entrants that still play."""
    able = [name for name in field.order if name not in progress.out]
    played = [one.seats for one in progress.matches]
    return seating.seatings(
        able, field.seats, lambda at: field.dice(purpose, step + at), played, owner=field.owner
    )


def _tail(plan: Format, field: Field, progress: Progress, left: int) -> Iterator[Round]:
    """A batch; none if the question is answered, nobody may meet, or the budget is used up."""
    able = [name for name in field.order if name not in progress.out]
    question = Question(plan.question, plan.top, plan.care)
    if progress.counts is None or len(able) < 2:
        return
    counts = progress.counts(range(len(progress.rounds)))
    found = doubts_in(counts, able, question, cooperative=field.cooperative)
    if found is not None and is_answered(found, question):
        return
    number = len(progress.rounds_of("tail"))
    if field.cooperative:
        batch = [Pairing((name,) * field.seats) for name in able]
    elif field.paired and found is not None:
        n = len(able)
        size = min(-(-n * (n - 1) // 4), MAX_BATCH, left)
        dice = field.dice("tail", number)
        batch = next_batch(able, found, dice, size=size, may_meet=different_owners(field.owner))
    else:
        seatings = ceil(seating.rounds_at(len(able), field.seats) / 4)
        each = islice(_seatings(field, progress, f"tail {number}", 0), seatings)
        batch = list(chain.from_iterable(each))[:left]
    if batch:
        yield Round("tail", tuple(batch))
