"""A round of Skull, step by step: placing, bidding, turning cards over, and losing cards.

Knows the state and changes it; checks no move, since the rules have done so. The story holds all
public events.
"""

from __future__ import annotations

from typing import Final

from matchbox.dice import Dice
from matchbox.games.skull import story
from matchbox.games.skull.layout import (
    BETTING,
    BIDS,
    CARDS,
    CHOICE,
    DOCUMENT,
    INSIDE,
    LOSE,
    LOST,
    MOVER,
    OVER,
    OWN,
    PASSED,
    PHASE,
    PILES,
    PLACING,
    POINTS,
    PUBLISHED,
    ROSE,
    SEATS,
    SKULL,
    START,
    STARTER,
    TABLE,
    TOP,
    VARIANT,
)

POINTS_TO_WIN: Final = 2
BY_POINTS: Final = "two points"
BY_CARDS: Final = "last one with cards"
ENDS: Final = ("met", "own_skull", "other_skull")
"""The ways in which a challenge ends."""
_HAND: Final = (1, 3)
"""Everybody's first hand: how many skulls and roses."""
_LOST: Final = LOST - OWN
_CLEARED: Final = bytes(OWN - PILES)


class State:
    """The cards on the table and in the hands, in the order of `layout`.

    Attributes:
        board: the public part.
        own: by seat, the part that only it sees; the end of a pile is its top.
        owned: the same with all the seat's cards in its hand.
        inside: the seats with cards, ascending; `follower` the next of them clockwise, by seat.
        top_seat: the highest bidder in this round.
        turned: the cards turned over in this round, twice the seat plus the kind each.
        known: by seat, whether everybody knows that it owns its skull; None if nobody can know.
        story: all events of the game; this round's begin at `round_at`, the last move's at `moved`.
        ended: why the game is over, None until it is.
    """

    __slots__ = (
        "board", "ended", "follower", "inside", "known", "moved", "own", "owned", "round_at",
        "story", "top_seat", "turned", "winners",
    )  # fmt: skip

    def __init__(self, seats: int, variant: int) -> None:
        self.board = bytearray(OWN)
        self.board[VARIANT] = variant
        self.board[SEATS] = self.board[INSIDE] = seats
        self.board[CARDS : CARDS + seats] = bytes([sum(_HAND)] * seats)
        self.owned = [bytearray((*_HAND, seat, 0)) for seat in range(seats)]
        self.inside = list(range(seats))
        self.follower = bytearray([*range(1, seats), 0])
        self.known: list[bool | None] = [True] * seats
        self.story = bytearray()
        self.round_at = self.moved = 0
        self.ended: str | None = None
        self.winners: list[int] = []
        self.top_seat = 0
        self.turned = bytearray()
        self.clear_table()

    def clear_table(self) -> None:
        """Puts all cards back into their owners' hands."""
        self.own = list(map(bytearray, self.owned))
        self.board[PILES:OWN] = _CLEARED
        self.turned.clear()

    def leave(self, seat: int) -> None:
        """Marks the seat as owning no cards."""
        self.known[seat] = False
        if seat in self.inside:
            self.inside.remove(seat)
            self.board[INSIDE] -= 1
        after = self.follower[seat]
        for one in range(len(self.own)):
            if self.follower[one] == seat:
                self.follower[one] = after


def new_round(state: State, starter: int) -> None:
    """Begins a round: all cards in hand, and the starter is to place the first one."""
    state.clear_table()
    state.round_at = len(state.story)
    board = state.board
    board[PHASE] = PLACING
    board[MOVER] = board[STARTER] = starter


def place(state: State, seat: int, kind: int) -> None:
    """Puts a card from the hand on top of the pile."""
    board, own = state.board, state.own[seat]
    own[kind] -= 1
    own.append(kind)
    board[PILES + seat] += 1
    board[TABLE] += 1
    board[MOVER] = state.follower[seat]
    state.story.append(story.PLACE + seat)


def speak(state: State, seat: int, bid: int) -> None:
    """Makes a bid or passes; the last one opens the challenge."""
    board = state.board
    board[PHASE] = BETTING
    board[BIDS + seat] = bid
    if bid == PASSED:
        state.story.append(story.PASS + seat)
    else:
        state.top_seat = seat
        board[TOP] = bid
        state.story.append(story.BET + seat)
        state.story.append(bid)
    after = _who_speaks_after(state, seat)
    if after == seat or board[TOP] == board[TABLE]:
        _open(state)
    else:
        board[MOVER] = after


def _who_speaks_after(state: State, seat: int) -> int:
    """The next seat clockwise that may still bid, or `seat` itself if none may.

    In the document everybody speaks only once.
    """
    board, follower = state.board, state.follower
    after = follower[seat]
    if board[VARIANT] == DOCUMENT:
        while after != seat and board[BIDS + after]:
            after = follower[after]
    else:
        while after != seat and (board[BIDS + after] == PASSED or after == state.top_seat):
            after = follower[after]
    return after


def _open(state: State) -> None:
    """The challenger turns over his own pile first, but not in the document."""
    board, challenger = state.board, state.top_seat
    board[PHASE] = CHOICE
    board[MOVER] = challenger
    if board[VARIANT] == DOCUMENT:
        return
    while board[PILES + challenger] and len(state.turned) < board[TOP]:
        if _turn(state, challenger) == SKULL:
            _fail_on_own_skull(state, challenger)
            return
    if len(state.turned) == board[TOP]:
        _meet(state, challenger)


def choose(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """Turns over the top card of another pile."""
    board = state.board
    state.story.append(story.CHOOSE + challenger)
    state.story.append(owner)
    if _turn(state, owner) == SKULL:
        _fail_on_anothers_skull(state, challenger, owner, dice)
    elif board[VARIANT] == DOCUMENT:
        if not board[PILES + owner]:
            _meet(state, challenger)
    elif len(state.turned) == board[TOP]:
        _meet(state, challenger)


def _turn(state: State, owner: int) -> int:
    board, kind = state.board, state.own[owner].pop()
    board[PILES + owner] -= 1
    board[TABLE] -= 1
    state.turned.append(2 * owner + kind)
    if kind == SKULL:
        state.story.append(story.SKULL + owner)
        state.known[owner] = True
        return kind
    state.story.append(story.ROSE + owner)
    if not board[PILES + owner] and state.turned.count(2 * owner + ROSE) == board[CARDS + owner]:
        state.known[owner] = False
    return kind


def _meet(state: State, challenger: int) -> None:
    """Enough roses were turned over: the challenger gets a point."""
    board = state.board
    state.story.append(story.MET + challenger)
    board[POINTS + challenger] += 1
    if board[VARIANT] != PUBLISHED:
        _end(state, [challenger], "challenge met")
    elif board[POINTS + challenger] == POINTS_TO_WIN:
        _end(state, [challenger], BY_POINTS)
    else:
        end_round(state, challenger)


def _fail_on_own_skull(state: State, challenger: int) -> None:
    """The challenger chooses the card to lose if there is a choice."""
    if _fail(state, challenger):
        return
    if state.owned[challenger][ROSE]:
        state.board[PHASE] = LOSE
    else:
        lose(state, challenger, challenger, SKULL)


def _fail_on_anothers_skull(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """The card to lose is drawn by lot."""
    if not _fail(state, challenger):
        drawn = dice.below(state.board[CARDS + challenger])
        lose(state, challenger, owner, ROSE if drawn >= state.owned[challenger][SKULL] else SKULL)


def _fail(state: State, challenger: int) -> bool:
    """Notes the failure. Returns True if the game is over: in a single challenge the others win."""
    state.story.append(story.FAILED + challenger)
    if state.board[VARIANT] == PUBLISHED:
        return False
    _end(state, [seat for seat in state.inside if seat != challenger], "challenge failed")
    return True


def lose(state: State, challenger: int, skull_of: int, kind: int) -> None:
    """Removes the card for good; then comes the next round, or the end."""
    board, owned = state.board, state.owned[challenger]
    owned[kind] -= 1
    owned[_LOST] += 1
    owned.append(kind)
    board[CARDS + challenger] -= 1
    state.story.append(story.LOST + challenger)
    if state.known[challenger]:
        state.known[challenger] = None
    if board[CARDS + challenger]:
        end_round(state, challenger)
        return
    state.own[challenger] = bytearray(owned)
    state.leave(challenger)
    state.story.append(story.OUT + challenger)
    if _is_won(state):
        return
    if skull_of == challenger:
        board[PHASE] = START
    else:
        end_round(state, skull_of)


def remove(state: State, seat: int) -> None:
    """Takes all cards from the seat; the next one clockwise starts a new round."""
    starter = state.follower[seat]
    state.owned[seat][SKULL] = state.owned[seat][ROSE] = state.board[CARDS + seat] = 0
    state.leave(seat)
    state.story.append(story.GONE + seat)
    if not _is_won(state):
        end_round(state, starter)


def end_round(state: State, starter: int) -> None:
    """Ends this round's part of the story, and begins another round."""
    state.story.append(story.END)
    new_round(state, starter)


def _is_won(state: State) -> bool:
    """Ends the game if only one seat owns cards; returns whether it has ended."""
    if len(state.inside) > 1:
        return False
    _end(state, state.inside.copy(), BY_CARDS)
    return True


def _end(state: State, winners: list[int], why: str) -> None:
    state.story.append(story.END)
    state.winners, state.ended, state.board[PHASE] = winners, why, OVER


def end_of(events: str) -> str | None:
    """How the challenge of a finished round ended; None if a forfeit cut the round short."""
    told = [event.split() for event in events.split(", ")]
    for seat, what, *_ in told:
        if what == "met":
            return "met"
        if what == "failed":
            return "own_skull" if [seat, "skull"] in told else "other_skull"
    return None
