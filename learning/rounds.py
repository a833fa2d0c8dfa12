"""Skull for two as a chain of rounds: the beginning of a round, its possible courses, and the next
round.

Knows the rules for two players and the knowledge of each; knows no strategy. Every round ends
with a point or a lost card, so `closeness` falls from round to round and the last rounds can be
solved first.

The abstraction: of earlier rounds, a player remembers only the points, the cards, and whether a
skull is known to be owned ("h"), known to be lost ("n") or neither ("m").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

CARDS: Final = 4
POINTS_TO_WIN: Final = 2
HAS, MAY, NONE = "h", "m", "n"
OWNS: Final = {3: 0.75, 2: 0.6, 1: 0.4}
"""The probability of a skull by the number of cards, if one is possible. It is a little higher than
after blind losses, because a player who turns over its own skull chooses the card to lose."""
PRIVATE: Final = 6
"""A player's private holding: 0 no skull, 1 the skull in hand, 2 + p the skull at place p of the
pile, from the bottom."""

Values: TypeAlias = NDArray[np.float64]
"""Chances that player 0 wins, by whether player 0 (rows) and player 1 (columns) own a skull."""


class Side(NamedTuple):
    """Everybody's knowledge of a player when a round begins."""

    points: int
    cards: int
    known: str

    @property
    def owns(self) -> float:
        """The assumed probability that the player owns a skull."""
        return {HAS: 1.0, NONE: 0.0}.get(self.known, OWNS.get(self.cards, 1.0))


class Stage(NamedTuple):
    """A round about to begin; player 0 starts it."""

    starter: Side
    other: Side

    @property
    def closeness(self) -> int:
        """The greatest number of rounds that may follow, up to a constant. It falls by one from
        round to round."""
        return self.starter.cards + self.other.cards - self.starter.points - self.other.points

    def __str__(self) -> str:
        return " ".join(f"{points}{cards}{known}" for points, cards, known in self)


@dataclass(frozen=True)
class Node:
    """A decision of a round, as everybody sees it."""

    history: str
    """A letter for each move so far: p a card placed, a digit a bid."""
    mover: int
    piles: tuple[int, int]
    actions: str
    """R and S place a rose and the skull, a digit bids, x passes."""


class Challenge(NamedTuple):
    """The end of the bidding, when the challenger turns cards over."""

    challenger: int
    bid: int
    piles: tuple[int, int]


def stages() -> list[Stage]:
    """Every round that can occur in a game."""
    sides = [
        Side(points, cards, known)
        for points, cards in product(range(POINTS_TO_WIN), range(1, CARDS + 1))
        for known in (HAS, MAY, NONE)
        if cards < CARDS or known == HAS
    ]
    return [Stage(*both) for both in product(sides, repeat=2)]


def batches(all_stages: Sequence[Stage]) -> Iterator[list[Stage]]:
    """Groups of stages with the same numbers of cards: they have the same decisions."""
    for cards in product(range(1, CARDS + 1), repeat=2):
        same = [one for one in all_stages if (one.starter.cards, one.other.cards) == cards]
        if same:
            yield same


FIRST: Final = Node("", 0, (0, 0), "RS")
"""The first decision of a round."""


def follow(node: Node, action: str, cards: tuple[int, int]) -> Node | Challenge:
    """The node or end that everybody sees after that action; R and S look alike."""
    mover, other = node.mover, 1 - node.mover
    if action == "x":
        return Challenge(other, int(node.history[-1]), node.piles)
    if action in "RS":
        piles = (node.piles[0] + (mover == 0), node.piles[1] + (mover == 1))
        ready = all(piles)
        places = "RS" if piles[other] < cards[other] else ""
        bids = _bids(1, sum(piles)) if ready else ""
        return Node(node.history + "p", other, piles, places + bids)
    if int(action) == sum(node.piles):
        return Challenge(mover, int(action), node.piles)
    bids = _bids(int(action) + 1, sum(node.piles))
    return Node(node.history + action, other, node.piles, bids + "x")


def _bids(least: int, most: int) -> str:
    return "".join(map(str, range(least, most + 1)))


def allowed(node: Node, cards: tuple[int, int]) -> NDArray[np.bool_]:
    """Whether each action (columns) is possible with each private holding (rows)."""
    in_hand = cards[node.mover] - node.piles[node.mover]
    mask = np.ones((PRIVATE, len(node.actions)), dtype=bool)
    if node.actions[0] == "R":
        mask[:, 0] = in_hand > 0
        mask[1, 0] = in_hand > 1
        mask[:, 1] = False
        mask[1, 1] = True
    return mask


def payoffs(stage: Stage, end: Challenge, values: Mapping[Stage, Values]) -> NDArray[np.float64]:
    """The probability that player 0 wins, by the private holdings of both players."""
    won: dict[str, Values] = {
        result: _after(stage, end, result, values) for result in ("met", "own_skull", "other_skull")
    }
    table = np.zeros((PRIVATE, PRIVATE))
    for mine, theirs in product(range(PRIVATE), repeat=2):
        result = _ending(end, (mine, theirs))
        table[mine, theirs] = won[result][int(mine > 0), int(theirs > 0)]
    return table


def _turned(end: Challenge) -> tuple[int, int]:
    """The number of cards that the challenger turns over from its own pile, and from the other
    one."""
    own = min(end.bid, end.piles[end.challenger])
    return own, end.bid - own


def _ending(end: Challenge, held: tuple[int, int]) -> str:
    own, others = _turned(end)
    mine, theirs = held[end.challenger], held[1 - end.challenger]
    if mine - 2 >= end.piles[end.challenger] - own:
        return "own_skull"
    if others and theirs - 2 >= end.piles[1 - end.challenger] - others:
        return "other_skull"
    return "met"


def _after(stage: Stage, end: Challenge, result: str, values: Mapping[Stage, Values]) -> Values:
    """The probabilities after a challenge with this result."""
    challenger = end.challenger
    own, other = stage[challenger], stage[1 - challenger]
    turned = _turned(end)
    if result == "met":
        if own.points + 1 == POINTS_TO_WIN:
            return np.full((2, 2), 1.0 - challenger)
        own = _shown(own._replace(points=own.points + 1), turned[0])
        return _values_of_player_0(challenger, values[Stage(own, _shown(other, turned[1]))])
    if own.cards == 1:
        return np.full((2, 2), float(challenger))
    if result == "other_skull":
        shown = _shown(own, turned[0])
        known = MAY if shown.known == HAS else shown.known
        left = shown._replace(cards=own.cards - 1, known=known)
        after = values[Stage(left, other._replace(known=HAS))].copy()
        after[1] = after[0] / own.cards + after[1] * (1 - 1 / own.cards)
        return _values_of_player_0(challenger, after)
    following = Stage(own._replace(cards=own.cards - 1, known=MAY), other)
    after = values[following]
    return _values_of_player_0(
        challenger, np.tile(after[int(keeps_skull(following, values))], (2, 1))
    )


def _shown(side: Side, roses: int) -> Side:
    """The side after this many of its cards were turned over, all of them roses."""
    return side._replace(known=NONE) if roses == side.cards < CARDS else side


def keeps_skull(stage: Stage, values: Mapping[Stage, Values]) -> bool:
    """Whether a starter who chooses its lost card does better by keeping a skull."""
    owns = stage.other.owns
    without, with_skull = values[stage] @ np.array([1 - owns, owns])
    return bool(with_skull >= without)


def _values_of_player_0(starter: int, after: Values) -> Values:
    """The next round's values as seen by this round's player 0; its starter is its player 0."""
    return 1 - after.T if starter else after
