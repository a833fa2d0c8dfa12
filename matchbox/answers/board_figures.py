"""The figures of a board: pairs, seats and lengths. A bot's results by opponent."""

from __future__ import annotations

from matchbox.answers import Answer, Interval


class PairLine(Answer):
    """Two versions that have met; `share` is the first one's share of the points.

    The interval is clustered by deal.
    """

    first: str
    first_version: int
    second: str
    second_version: int
    bouts: int
    deals: int
    share: float
    ci95: Interval


class SeatLine(Answer):
    """A seat at tables of `players`; its `share` of the points is one half if it has no advantage.

    Seats count from 0. The interval is clustered by deal.
    """

    players: int
    seat: int
    bouts: int
    deals: int
    share: float
    ci95: Interval


class LengthLine(Answer):
    """How many bouts had this number of moves."""

    moves: int
    bouts: int


class BoardFigures(Answer):
    """The counts behind a board, over the same rows as its standing.

    `bots` are the full names of the bots whose pairs are shown, best first, of `field` bots on the
    board. `seats` is empty in a cooperative game. `lengths` leave out old bouts, whose moves were
    not counted.
    """

    bots: list[str]
    field: int
    pairs: list[PairLine]
    seats: list[SeatLine]
    lengths: list[LengthLine]


class Opponent(Answer):
    """A version that a bot's version has met; `share` is the bot's share of the points.

    `state` is the opponent's: `active`, `older` for a version that was replaced, or `retired`.
    `lately` are the bot's shares in its newest matches against it, oldest first.
    """

    bot: str
    version: int
    state: str
    bouts: int
    deals: int
    share: float
    ci95: Interval
    lately: list[float]


class Opponents(Answer):
    """The opponents of one version of a bot, the hardest first; `version` is null without one.

    `met` is how many there are; a page lists only some of them.
    """

    version: int | None
    items: list[Opponent]
    met: int
