"""A round of Skull, step by step: cards down, bids, cards turned over, and what that costs.

Knows the state and changes it; checks no move, for the rules have done so. Everything public that
happens is told in the story.
"""

from __future__ import annotations

from typing import Final

from matchbox.dice import Dice
from matchbox.games.skull import story
from matchbox.games.skull.layout import HEAD, INSIDE, SEATS, STARTER, VARIANT
from matchbox.games.skull.moves import VARIANTS

SKULL: Final = 0
ROSE: Final = 1
"""The kinds of card, by their places in moves.KINDS."""
ROSES: Final = 3
PASSED: Final = 255
"""The bid of whoever passed."""
POINTS_TO_WIN: Final = 2
BY_POINTS: Final = "two points"
BY_CARDS: Final = "last one with cards"
ENDS: Final = ("met", "own_skull", "other_skull")
"""How a challenge ends."""


class State:
    """What lies on the table and in the hands. The end of a pile is its top.

    Attributes:
        phase: placing, betting, choice; or lose, start where the challenger decides after failing.
        mover: the seat that decides now.
        owned: by kind and seat, how many cards it has, wherever they are.
        hands: the same of those in the hand.
        cards: how many cards each seat owns.
        piles: the kinds face down on the table, by seat; `sizes` how many those are.
        inside: the seats that own a card, rising; `follower` the next of them clockwise, by seat.
        table: how many cards lie face down.
        head: room for the numbers with which a brief begins; those that seldom change stand there.
        bids: the last bid of this round by seat, `PASSED`, or 0 for whoever has not spoken.
        turned: the cards turned over in this round, twice the seat plus the kind each.
        lost: the kinds that each seat has lost, oldest first.
        known: by seat, whether everybody knows that it owns its skull; None where nobody can.
        story: all events of the game; this round's begin at `round_at`, the last move's at `moved`.
        ended: why the game is over, None until it is.
    """

    __slots__ = (
        "bids", "cards", "ended", "follower", "hands", "head", "inside", "known", "lost", "moved",
        "mover", "owned", "phase", "piles", "points", "round_at", "seats", "sizes", "starter",
        "story", "table", "top_bid", "top_seat", "turned", "variant", "winners",
    )  # fmt: skip

    def __init__(self, seats: int, variant: str) -> None:
        self.seats = seats
        self.variant = variant
        self.head = bytearray(HEAD)
        self.head[VARIANT], self.head[SEATS] = VARIANTS.index(variant), seats
        self.head[INSIDE] = seats
        self.owned = (bytearray([1] * seats), bytearray([ROSES] * seats))
        self.cards = bytearray([1 + ROSES] * seats)
        self.inside = list(range(seats))
        self.follower = bytearray([*range(1, seats), 0])
        self.points = bytearray(seats)
        self.lost = [bytearray() for _ in range(seats)]
        self.known: list[bool | None] = [True] * seats
        self.story = bytearray()
        self.round_at = self.moved = 0
        self.ended: str | None = None
        self.winners: list[int] = []
        self.phase = "placing"
        self.mover = self.starter = 0
        self.clear_table()

    def clear_table(self) -> None:
        """All cards back in their owners' hands."""
        self.hands = (self.owned[SKULL][:], self.owned[ROSE][:])
        self.piles = [bytearray() for _ in range(self.seats)]
        self.sizes = bytearray(self.seats)
        self.turned = bytearray()
        self.bids = bytearray(self.seats)
        self.table = 0
        self.top_seat: int | None = None
        self.top_bid = 0

    def leave(self, seat: int) -> None:
        """The seat owns no card any more."""
        if seat in self.inside:
            self.inside.remove(seat)
            self.head[INSIDE] -= 1
        after = self.follower[seat]
        for one in range(self.seats):
            if self.follower[one] == seat:
                self.follower[one] = after


def new_round(state: State, starter: int) -> None:
    """All cards in hand, and the starter to place the first."""
    state.clear_table()
    state.round_at = len(state.story)
    state.phase = "placing"
    state.mover = state.starter = state.head[STARTER] = starter


def place(state: State, seat: int, kind: int) -> None:
    """A card from the hand on top of the pile."""
    hand = state.hands[kind]
    hand[seat] -= 1
    state.piles[seat].append(kind)
    state.sizes[seat] += 1
    state.table += 1
    state.story.append(story.PLACE + seat)
    state.mover = state.follower[seat]


def speak(state: State, seat: int, bid: int) -> None:
    """A bid, or passing; the last word opens the challenge."""
    state.phase = "betting"
    state.bids[seat] = bid
    if bid == PASSED:
        state.story.append(story.PASS + seat)
    else:
        state.top_seat, state.top_bid = seat, bid
        state.story.append(story.BET + seat)
        state.story.append(bid)
    after = _who_speaks_after(state, seat)
    if after == seat or state.top_bid == state.table:
        _open(state)
    else:
        state.mover = after


def _who_speaks_after(state: State, seat: int) -> int:
    """The next one clockwise who may still bid, or that seat itself where nobody may.

    The document lets everybody speak only once.
    """
    bids, after = state.bids, state.follower[seat]
    if state.variant == "document":
        while after != seat and bids[after]:
            after = state.follower[after]
    else:
        while after != seat and (bids[after] == PASSED or after == state.top_seat):
            after = state.follower[after]
    return after


def _open(state: State) -> None:
    """The challenger turns over his own pile first; the document has him leave it."""
    challenger = state.top_seat
    assert challenger is not None
    state.phase, state.mover = "choice", challenger
    if state.variant == "document":
        return
    while state.sizes[challenger] and len(state.turned) < state.top_bid:
        if _turn(state, challenger) == SKULL:
            _fail_on_own_skull(state, challenger)
            return
    if len(state.turned) == state.top_bid:
        _meet(state, challenger)


def choose(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """The top card of another pile is turned over."""
    state.story.append(story.CHOOSE + challenger)
    state.story.append(owner)
    if _turn(state, owner) == SKULL:
        _fail_on_anothers_skull(state, challenger, owner, dice)
    elif state.variant == "document":
        if not state.sizes[owner]:
            _meet(state, challenger)
    elif len(state.turned) == state.top_bid:
        _meet(state, challenger)


def _turn(state: State, owner: int) -> int:
    kind = state.piles[owner].pop()
    state.sizes[owner] -= 1
    state.table -= 1
    state.turned.append(2 * owner + kind)
    if kind == SKULL:
        state.story.append(story.SKULL + owner)
        state.known[owner] = True
        return kind
    state.story.append(story.ROSE + owner)
    if not state.sizes[owner] and state.turned.count(2 * owner + ROSE) == state.cards[owner]:
        state.known[owner] = False
    return kind


def _meet(state: State, challenger: int) -> None:
    """As many roses as bid: a point."""
    state.story.append(story.MET + challenger)
    state.points[challenger] += 1
    if state.variant != "published":
        _end(state, [challenger], "challenge met")
    elif state.points[challenger] == POINTS_TO_WIN:
        _end(state, [challenger], BY_POINTS)
    else:
        end_round(state, challenger)


def _fail_on_own_skull(state: State, challenger: int) -> None:
    """The challenger chooses the card to lose, if there is a choice."""
    if _fail(state, challenger):
        return
    if state.owned[ROSE][challenger]:
        state.phase = "lose"
    else:
        lose(state, challenger, challenger, SKULL)


def _fail_on_anothers_skull(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """Chance chooses the card to lose."""
    if not _fail(state, challenger):
        drawn = dice.below(state.cards[challenger])
        lose(state, challenger, owner, int(drawn >= state.owned[SKULL][challenger]))


def _fail(state: State, challenger: int) -> bool:
    """True where that was all: a single challenge is won by everybody else."""
    state.story.append(story.FAILED + challenger)
    if state.variant == "published":
        return False
    _end(state, [seat for seat in state.inside if seat != challenger], "challenge failed")
    return True


def lose(state: State, challenger: int, skull_of: int, kind: int) -> None:
    """The card is gone for good; then the next round, or the end."""
    state.owned[kind][challenger] -= 1
    state.cards[challenger] -= 1
    state.lost[challenger].append(kind)
    state.story.append(story.LOST + challenger)
    if state.known[challenger]:
        state.known[challenger] = None
    if state.cards[challenger]:
        end_round(state, challenger)
        return
    state.known[challenger] = False
    state.leave(challenger)
    state.story.append(story.OUT + challenger)
    if _is_won(state):
        return
    if skull_of == challenger:
        state.phase = "start"
    else:
        end_round(state, skull_of)


def remove(state: State, seat: int) -> None:
    """The seat owns nothing any more, and the next one clockwise starts a new round."""
    starter = state.follower[seat]
    state.owned[SKULL][seat] = state.owned[ROSE][seat] = state.cards[seat] = 0
    state.known[seat] = False
    state.leave(seat)
    state.story.append(story.GONE + seat)
    if not _is_won(state):
        end_round(state, starter)


def end_round(state: State, starter: int) -> None:
    """Files this round's events, and begins another round."""
    state.story.append(story.END)
    new_round(state, starter)


def _is_won(state: State) -> bool:
    """True where one seat alone owns cards; it has won."""
    if len(state.inside) > 1:
        return False
    _end(state, state.inside.copy(), BY_CARDS)
    return True


def _end(state: State, winners: list[int], why: str) -> None:
    state.story.append(story.END)
    state.winners, state.ended, state.phase = winners, why, "over"


def end_of(events: str) -> str | None:
    """How the challenge of a filed round ended; None where a forfeit broke the round off."""
    told = [event.split() for event in events.split(", ")]
    for seat, what, *_ in told:
        if what == "met":
            return "met"
        if what == "failed":
            return "own_skull" if [seat, "skull"] in told else "other_skull"
    return None
