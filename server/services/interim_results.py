"""Evaluates the finished matches of a comparison.

Reads the database and calls matchbox.league.versions; schedules and ends nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from matchbox.errors import BadOption
from matchbox.league.sprt import SHARES, Trial, verdict_text
from matchbox.league.versions import (
    Figures,
    NoSharedDeal,
    deal_pairs,
    gauntlet,
    gauntlet_document,
    head_to_head_document,
    judge,
    line_ups,
)
from matchbox.registry import is_cooperative
from server.db.models import Match
from server.services import ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from server.db.models import Comparison
    from server.services.ratings import Played


class Result(Figures):
    """What is stored of a comparison as its result."""

    looks: list[tuple[int, float | None]]
    """The bouts so far, and the log likelihood ratio or difference, after each batch."""
    forfeits: dict[str, int]
    """Forfeited bouts by the version's row number as text."""
    why: str
    """The reason why it was ended early; empty if it was not."""


_NOTHING: Final[Figures] = {
    "verdict": "undecided",
    "llr": None,
    "games": 0,
    "elo": None,
    "ci95": None,
    "difference": None,
    "difference_ci95": None,
}
"""The result of a gauntlet in which no deal is complete."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The matches of one round of a comparison."""

    tables: Sequence[tuple[int, ...]]
    """The row numbers of the versions at each table. These matches share their deals."""
    bouts: int
    """The number of bouts of all these matches together."""
    cooperative: bool
    sequential: bool
    """Whether the two versions meet each other, which ends once the result is clear."""

    @classmethod
    def of(cls, row: Comparison) -> Plan:
        """Returns the comparison's plan. Raises BadOption if its versions fill no table."""
        league = row.league
        cooperative = is_cooperative(league.game)
        try:
            places = line_ups(len(row.field), league.seats, cooperative=cooperative)
        except ValueError as error:
            raise BadOption(f"{league.game}: {error}") from None
        everybody = (row.challenger.id, row.defender.id, *row.field)
        tables = [tuple(everybody[place] for place in table) for table in places]
        turns = [1 if cooperative and len(set(table)) == 1 else len(table) for table in tables]
        return cls(
            tables, row.deals * sum(turns), cooperative, not cooperative and len(tables) == 1
        )


_UNKNOWN: Final[Result] = {**_NOTHING, "looks": [], "forfeits": {}, "why": ""}


def result_of(row: Comparison) -> Result:
    """Returns the stored result of a comparison.

    What an older release did not store yet is as if nothing was played.
    """
    return cast("Result", {**_UNKNOWN, **(row.result or {})})


def begin(row: Comparison, plan: Plan) -> Result:
    """Returns the comparison's result before the first look."""
    if plan.sequential:
        trial = _trial(row, row.most)
        document = head_to_head_document(trial, judge(trial, (0,) * len(SHARES), looks=0))
    else:
        document = _NOTHING
    return {**document, "looks": [], "forfeits": {}, "why": ""}


def why_untestable(row: Comparison) -> str:
    """The reason why the comparison's bounds cannot be tested; empty if they can.

    Older releases took bounds that are too close to each other.
    """
    try:
        _trial(row, row.most)
    except ValueError as error:
        return str(error)
    return ""


def update_result(session: Session, row: Comparison, plan: Plan, *, last: bool) -> None:
    """Updates the comparison's result from its finished matches; `last` if no look follows."""
    before = result_of(row) if row.result else begin(row, plan)
    played = ratings.played(session, Match.comparison_id == row.id)
    games = len(played.rows)
    if plan.sequential:
        looks = 1 + len(before["looks"])
        found = _duel(row, played, looks, last=last)
        shown = found["llr"]
    else:
        found = _gauntlet(row, plan, played)
        shown = found["difference"]
        if not last:  # The interval holds only for a number of games that was fixed in advance.
            found["verdict"] = "undecided"
    row.games = games
    row.result = {
        **before,
        **found,
        "looks": [*before["looks"], [games, shown]],
        "forfeits": _forfeits(played),
    }


def is_clear(row: Comparison) -> bool:
    """Whether a head-to-head comparison is decided. False for a gauntlet, which plays all games."""
    found = result_of(row)
    return found["llr"] is not None and found["verdict"] != "undecided"


def finding(row: Comparison) -> str:
    """Returns the finding of a comparison that is over, as a sentence without a full stop."""
    one, other = f"version {row.challenger.number}", f"version {row.defender.number}"
    found = result_of(row)
    if found["why"]:
        return f"the comparison of {one} with {other} could not be finished: {found['why']}"
    if found["verdict"] == "undecided":
        return f"the games are too few to say whether {one} is better than {other}"
    bounds = None if found["llr"] is None else row.bounds
    return verdict_text(found["verdict"], one, other, bounds)


def _trial(row: Comparison, most: int) -> Trial:
    low, high = row.bounds
    return Trial(low, high, max_bouts=most)


def _duel(row: Comparison, played: Played, looks: int, *, last: bool) -> Figures:
    pairs = deal_pairs(played.rows, row.challenger.entrant, row.defender.entrant)
    trial = _trial(row, 2 * sum(pairs) if last else row.most)
    return head_to_head_document(trial, judge(trial, pairs, looks=looks))


def _gauntlet(row: Comparison, plan: Plan, played: Played) -> Figures:
    one, other = row.challenger.entrant, row.defender.entrant
    try:
        whole = gauntlet(played.rows, one, other, cooperative=plan.cooperative)
    except NoSharedDeal:  # Every match of one of the two versions is void.
        return _NOTHING.copy()
    document = gauntlet_document(whole, len(played.rows))
    by_row = {str(played.versions[name]): value for name, value in document["by_opponent"].items()}
    return {**document, "by_opponent": by_row}


def _forfeits(played: Played) -> dict[str, int]:
    """The number of forfeited bouts, by the version's row number as text."""
    counts = Counter(row.seats[row.forfeit] for row in played.rows if row.forfeit is not None)
    return {str(played.versions[name]): count for name, count in sorted(counts.items())}
