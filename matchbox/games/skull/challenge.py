"""A round of Skull, step by step: placing, bidding, turning cards over, and losing cards.

Knows the state and changes it; checks no move, since the rules have done so. The story holds all
public events.
"""

from __future__ import annotations

from typing import Final

from matchbox.dice import Dice
from matchbox.games.skull import story
from matchbox.games.skull.moves import (
    BETTING,
    CHOICE,
    DOCUMENT,
    LOSE,
    MAX_SEATS,
    OVER,
    PASSED_BYTE,
    PLACING,
    PUBLISHED,
    ROSE,
    SKULL,
    START,
)

POINTS_TO_WIN: Final = 2
BY_POINTS: Final = "two points"
BY_CARDS: Final = "last one with cards"
ENDS: Final = ("met", "own_skull", "other_skull")
"""The ways in which a challenge ends."""
_HAND: Final = (1, 3)
"""Everybody's first hand: how many skulls and roses."""


class State:
    """The cards on the table and in the hands. A row has a place for every seat of the largest
    table.

    Attributes:
        phase, variant: indices into moves.PHASES and moves.VARIANTS.
        mover, starter: the seat to move, and the seat that has begun this round.
        points, cards: by seat, its points and how many cards it owns.
        pile_sizes, bids: by seat, the size of its pile and its bid, 0 before it has bid.
        table: how many cards lie face down; top: the highest bid; top_seat: the highest bidder.
        hands, owned: by seat, how many skulls and roses it has in its hand, and in all places.
        lost: by seat, the kinds of the cards that it has lost.
        piles: by seat, the kinds of the cards on it, face down; the end is the top.
        inside: the seats with cards, ascending; `follower` the next of them clockwise, by seat.
        turned: the cards turned over in this round, twice the seat plus the kind each.
        known: by seat, whether everybody knows that it owns its skull; None if nobody can know.
        story: all events of the game; this round's begin at `round_at`, the last move's at `moved`.
        ended: why the game is over, None until it is.
    """

    __slots__ = (
        "bids", "cards", "ended", "follower", "hands", "inside", "known", "lost", "moved", "mover",
        "owned", "phase", "pile_sizes", "piles", "points", "round_at", "starter", "story",
        "table", "top", "top_seat", "turned", "variant", "winners",
    )  # fmt: skip

    def __init__(self, seats: int, variant: int) -> None:
        self.variant = variant
        self.phase = PLACING
        self.mover = self.starter = 0
        self.points = bytearray(MAX_SEATS)
        self.cards = bytearray(MAX_SEATS)
        self.cards[:seats] = bytes([sum(_HAND)] * seats)
        self.owned = [bytearray(_HAND) for _ in range(seats)]
        self.lost = [bytearray() for _ in range(seats)]
        self.inside = list(range(seats))
        self.follower = bytearray([*range(1, seats), 0])
        self.known: list[bool | None] = [True] * seats
        self.story = bytearray()
        self.round_at = self.moved = 0
        self.ended: str | None = None
        self.winners: list[int] = []
        self.clear_table()

    def clear_table(self) -> None:
        """Puts all cards back into their owners' hands."""
        self.hands = list(map(bytearray, self.owned))
        self.piles = [bytearray() for _ in self.owned]
        self.pile_sizes = bytearray(MAX_SEATS)
        self.bids = bytearray(MAX_SEATS)
        self.table = self.top = self.top_seat = 0
        self.turned = bytearray()

    def leave(self, seat: int) -> None:
        """Marks the seat as owning no cards."""
        self.known[seat] = False
        if seat in self.inside:
            self.inside.remove(seat)
        after = self.follower[seat]
        for one in range(len(self.owned)):
            if self.follower[one] == seat:
                self.follower[one] = after


def new_round(state: State, starter: int) -> None:
    """Begins a round: all cards in hand, and the starter is to place the first one."""
    state.clear_table()
    state.round_at = len(state.story)
    state.phase = PLACING
    state.mover = state.starter = starter


def place(state: State, seat: int, kind: int) -> None:
    """Puts a card from the hand on top of the pile."""
    hand, pile = state.hands[seat], state.piles[seat]
    hand[kind] -= 1
    pile.append(kind)
    state.pile_sizes[seat] += 1
    state.table += 1
    state.mover = state.follower[seat]
    state.story.append(story.PLACE + seat)


def speak(state: State, seat: int, bid: int) -> None:
    """Makes a bid or passes; the last one opens the challenge."""
    state.phase = BETTING
    state.bids[seat] = bid
    if bid == PASSED_BYTE:
        state.story.append(story.PASS + seat)
    else:
        state.top_seat = seat
        state.top = bid
        state.story.append(story.BET + seat)
        state.story.append(bid)
    after = _who_speaks_after(state, seat)
    if after == seat or state.top == state.table:
        _open(state)
    else:
        state.mover = after


def _who_speaks_after(state: State, seat: int) -> int:
    """The next seat clockwise that may still bid, or `seat` itself if none may.

    In the document everybody speaks only once.
    """
    follower = state.follower
    after = follower[seat]
    if state.variant == DOCUMENT:
        while after != seat and state.bids[after]:
            after = follower[after]
    else:
        while after != seat and (state.bids[after] == PASSED_BYTE or after == state.top_seat):
            after = follower[after]
    return after


def _open(state: State) -> None:
    """The challenger turns over its own pile first, but not in the document."""
    challenger = state.top_seat
    state.phase = CHOICE
    state.mover = challenger
    if state.variant == DOCUMENT:
        return
    while state.pile_sizes[challenger] and len(state.turned) < state.top:
        if _turn(state, challenger) == SKULL:
            _fail_on_own_skull(state, challenger)
            return
    if len(state.turned) == state.top:
        _meet(state, challenger)


def choose(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """Turns over the top card of another pile."""
    state.story.append(story.CHOOSE + challenger)
    state.story.append(owner)
    if _turn(state, owner) == SKULL:
        _fail_on_anothers_skull(state, challenger, owner, dice)
    elif state.variant == DOCUMENT:
        if not state.pile_sizes[owner]:
            _meet(state, challenger)
    elif len(state.turned) == state.top:
        _meet(state, challenger)


def _turn(state: State, owner: int) -> int:
    kind = state.piles[owner].pop()
    state.pile_sizes[owner] -= 1
    state.table -= 1
    state.turned.append(2 * owner + kind)
    if kind == SKULL:
        state.story.append(story.SKULL + owner)
        state.known[owner] = True
        return kind
    state.story.append(story.ROSE + owner)
    if not state.pile_sizes[owner] and state.turned.count(2 * owner + ROSE) == state.cards[owner]:
        state.known[owner] = False
    return kind


def _meet(state: State, challenger: int) -> None:
    """Enough roses were turned over: the challenger gets a point."""
    state.story.append(story.MET + challenger)
    state.points[challenger] += 1
    if state.variant != PUBLISHED:
        _end(state, [challenger], "challenge met")
    elif state.points[challenger] == POINTS_TO_WIN:
        _end(state, [challenger], BY_POINTS)
    else:
        end_round(state, challenger)


def _fail_on_own_skull(state: State, challenger: int) -> None:
    """The challenger chooses the card to lose if there is a choice."""
    if _fail(state, challenger):
        return
    if state.owned[challenger][ROSE]:
        state.phase = LOSE
    else:
        lose(state, challenger, challenger, SKULL)


def _fail_on_anothers_skull(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """The card to lose is drawn by lot."""
    if not _fail(state, challenger):
        drawn = dice.below(state.cards[challenger])
        lose(state, challenger, owner, ROSE if drawn >= state.owned[challenger][SKULL] else SKULL)


def _fail(state: State, challenger: int) -> bool:
    """Notes the failure. Returns True if it ends the game: in a single challenge the others win."""
    state.story.append(story.FAILED + challenger)
    if state.variant == PUBLISHED:
        return False
    _end(state, [seat for seat in state.inside if seat != challenger], "challenge failed")
    return True


def lose(state: State, challenger: int, skull_of: int, kind: int) -> None:
    """Removes the card for good; then comes the next round, or the end."""
    state.owned[challenger][kind] -= 1
    state.lost[challenger].append(kind)
    state.cards[challenger] -= 1
    state.story.append(story.LOST + challenger)
    if state.known[challenger]:
        state.known[challenger] = None
    if state.cards[challenger]:
        end_round(state, challenger)
        return
    state.hands[challenger] = bytearray(state.owned[challenger])
    state.piles[challenger].clear()
    state.leave(challenger)
    state.story.append(story.OUT + challenger)
    if _end_if_one_is_left(state):
        return
    if skull_of == challenger:
        state.phase = START
    else:
        end_round(state, skull_of)


def remove(state: State, seat: int) -> None:
    """Takes all cards from the seat; the next one clockwise starts a new round."""
    starter = state.follower[seat]
    state.owned[seat][SKULL] = state.owned[seat][ROSE] = state.cards[seat] = 0
    state.leave(seat)
    state.story.append(story.GONE + seat)
    if not _end_if_one_is_left(state):
        end_round(state, starter)


def end_round(state: State, starter: int) -> None:
    """Ends this round's part of the story, and begins another round."""
    state.story.append(story.END)
    new_round(state, starter)


def _end_if_one_is_left(state: State) -> bool:
    """Ends the game if only one seat owns cards; returns whether it has ended."""
    if len(state.inside) > 1:
        return False
    _end(state, state.inside.copy(), BY_CARDS)
    return True


def _end(state: State, winners: list[int], why: str) -> None:
    state.story.append(story.END)
    state.winners, state.ended, state.phase = winners, why, OVER


def end_of(events: str) -> str | None:
    """How the challenge of a finished round ended; None if a forfeit cut the round short."""
    parts = [event.split() for event in events.split(", ")]
    for seat, what, *_ in parts:
        if what == "met":
            return "met"
        if what == "failed":
            return "own_skull" if [seat, "skull"] in parts else "other_skull"
    return None
