"""Chooses the next matches of an endless ranked queue. Knows ratings and counts; knows no results.

In a small field, pairs that have never met come first: what is not played must be estimated. Then
most matches are between neighbours, first for the entrants that are least known; the rest connect
the field. The order in a pairing does not matter: a match plays every rotation of the seats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from matchbox.dice import Dice
from matchbox.league.pairing import Pairing, different_owners, pair_key
from matchbox.league.tables import mixed_teams

NEIGHBOUR_PERCENT = 80
"""The percentage of ranked pairings that are between neighbours; the rest connect the field."""
NEIGHBOURS = 2
"""Entrants up to this many places up or down are neighbours."""
SMALL_FIELD = 32
"""In a field up to this size every pair meets, as in a season that begins with a round robin."""
NEWCOMER_MATCHES = 8
"""Entrants with fewer matches than this are served first."""
MIXED_PERCENT = 25
"""The percentage of rounds of a cooperative queue that have mixed teams."""


@dataclass(frozen=True, slots=True)
class Contender:
    """An entrant in the queue: Elo, and the number of matches played or queued."""

    entrant: str
    mean: float
    half_width: float
    games: int


def next_pairing(
    field: Sequence[Contender],
    history: Mapping[tuple[str, str], int],
    dice: Dice,
    *,
    seats: int = 2,
    owner: Mapping[str, str] | None = None,
    resting: Collection[str] = (),
) -> Pairing | None:
    """Returns the next table; None if no table can be filled, or if everybody rests.

    First chooses an entrant that does not rest, then the others at its table; first those that it
    has never met, if the field is small or if anybody may be drawn. `history` counts
    matches played or queued under `pair_key(a, b)`. Two bots of one owner never sit at one table; a
    bot that is not in `owner` may sit with everybody.
    """
    owner = owner or {}
    ranked = sorted(field, key=lambda one: (-one.mean, one.entrant))
    awake = [one for one in ranked if one.entrant not in resting]
    owners = {owner.get(one.entrant, (one.entrant,)) for one in ranked}
    if not awake or len(owners) < seats:
        return None
    may_meet = different_owners(owner)

    def unmet(one: Contender, other: Contender) -> bool:
        allowed = may_meet(one.entrant, other.entrant)
        return allowed and not history.get(pair_key(one.entrant, other.entrant))

    if len(ranked) <= SMALL_FIELD:
        awake = [one for one in awake if any(unmet(one, other) for other in ranked)] or awake
    anybody = dice.below(100) >= NEIGHBOUR_PERCENT
    table = [awake[dice.below(len(awake))] if anybody else _neediest(awake, dice)]

    def may_sit(other: Contender) -> bool:
        return all(may_meet(one.entrant, other.entrant) for one in table)

    def is_new(other: Contender) -> bool:
        return may_sit(other) and unmet(table[0], other)

    while len(table) < seats:
        first = anybody or len(ranked) <= SMALL_FIELD
        able = is_new if first and any(map(is_new, ranked)) else may_sit
        if anybody:
            others = [other for other in ranked if able(other)]
        else:
            others = _least_met(table, _neighbours(table[0], ranked, able), history)
        table.append(others[dice.below(len(others))])
    return Pairing(tuple(one.entrant for one in table))


def next_round(games: Mapping[str, int], enough: int, seats: int, dice: Dice) -> list[Pairing]:
    """Returns the next matches of a cooperative queue, all on the same deals.

    `games` counts matches played or queued; bots with fewer than `enough` play. Usually each bot
    fills a table alone. Now and then, if there are more bots than seats, teams are mixed, and
    resting bots fill them up.
    """
    awake = [name for name in sorted(games) if games[name] < enough]
    if not awake or len(games) <= seats or dice.below(100) >= MIXED_PERCENT:
        return [Pairing((name,) * seats) for name in awake]
    partners = [name for name in sorted(games) if games[name] >= enough]
    dice.shuffle(partners)
    # At least two teams: a bot's part shows only beside other teams on the same deals.
    company = awake + partners[: max(0, 2 * seats - len(awake))]
    (teams,) = mixed_teams(company, seats, 1, dice)
    return teams


def _neediest(able: Sequence[Contender], dice: Dice) -> Contender:
    """The newcomer with the fewest games; without newcomers, a draw in proportion to variance.

    The entrant with the greatest variance is not simply taken: one that wins or loses everything
    stays uncertain for ever and would starve the others.
    """
    newest = min(able, key=lambda one: (one.games, -one.half_width, one.entrant))
    if newest.games < NEWCOMER_MATCHES:
        return newest
    weights = [max(1, round(one.half_width**2)) for one in able]
    left = dice.below(sum(weights))
    for one, weight in zip(able, weights, strict=True):
        left -= weight
        if left < 0:
            return one
    raise AssertionError("a draw below the sum of the weights falls on one of them")


def _neighbours(
    chosen: Contender, ranked: Sequence[Contender], may_sit: Callable[[Contender], bool]
) -> list[Contender]:
    place = ranked.index(chosen)
    above = [other for other in reversed(ranked[:place]) if may_sit(other)]
    below = [other for other in ranked[place + 1 :] if may_sit(other)]
    return above[:NEIGHBOURS] + below[:NEIGHBOURS]


def _least_met(
    table: Sequence[Contender],
    others: Sequence[Contender],
    history: Mapping[tuple[str, str], int],
) -> list[Contender]:
    counts = [
        sum(history.get(pair_key(one.entrant, other.entrant), 0) for one in table)
        for other in others
    ]
    least = min(counts)
    return [other for other, count in zip(others, counts, strict=True) if count == least]
