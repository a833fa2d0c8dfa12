"""A round of Skull, step by step: cards down, bids, cards turned over, and what that costs.

Knows the state and changes it; checks no move, for the rules have done so.

Everything public that happens is an event, a short text: "0 place", "0 bet 3", "0 pass",
"0 choose 2"; "2 rose" or "2 skull" for a card of seat 2 that is turned over; "0 met", "0 failed";
"0 lost" for a card lost; "0 out", "0 names 2", "0 gone" for a forfeit.
"""

from __future__ import annotations

from typing import Final

from matchbox.dice import Dice
from matchbox.games.skull.moves import KINDS, PASSED

ROSES: Final = 3
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
        owned: cards of each seat by kind, wherever they are.
        hands: those in the hand, by kind.
        piles: those face down on the table.
        inside: the seats that own a card, rising.
        table: how many cards lie face down.
        bids: the last bid of this round by seat, `PASSED`, or 0 for whoever has not spoken.
        lost: the kinds that each seat has lost, oldest first.
        known: by seat, whether everybody knows that it owns its skull; None where nobody can.
        log: the events of this round; `rounds` those of earlier rounds, a line for each.
        last: the events of the last move.
        ended: why the game is over, None until it is.
    """

    __slots__ = (
        "bids", "ended", "hands", "inside", "known", "last", "log", "lost", "mover", "owned",
        "phase", "piles", "points", "rounds", "seats", "starter", "table", "top_bid", "top_seat",
        "turned", "variant", "winners",
    )  # fmt: skip

    def __init__(self, seats: int, variant: str) -> None:
        self.seats = seats
        self.variant = variant
        self.owned = [{"skull": 1, "rose": ROSES} for _ in range(seats)]
        self.inside = list(range(seats))
        self.points = [0] * seats
        self.lost: list[list[str]] = [[] for _ in range(seats)]
        self.known: list[bool | None] = [True] * seats
        self.rounds = ""
        self.log: list[str] = []
        self.last: list[str] = []
        self.ended: str | None = None
        self.winners: list[int] = []
        self.phase = "placing"
        self.mover = self.starter = 0
        self.clear_table()

    def clear_table(self) -> None:
        """All cards back in their owners' hands."""
        self.hands = [own.copy() for own in self.owned]
        self.piles: list[list[str]] = [[] for _ in self.owned]
        self.turned: list[tuple[int, str]] = []
        self.bids = [0] * self.seats
        self.table = 0
        self.top_seat: int | None = None
        self.top_bid = 0

    def cards(self, seat: int) -> int:
        """How many cards the seat owns."""
        return self.owned[seat]["skull"] + self.owned[seat]["rose"]

    def after(self, seat: int) -> int:
        """The next seat clockwise that owns a card."""
        for one in self.inside:
            if one > seat:
                return one
        return self.inside[0]

    def tell(self, event: str) -> None:
        """Notes what everybody saw."""
        self.log.append(event)
        self.last.append(event)


def new_round(state: State, starter: int) -> None:
    """All cards in hand, and the starter to place the first."""
    state.clear_table()
    state.log = []
    state.phase = "placing"
    state.mover = state.starter = starter


def place(state: State, seat: int, kind: str) -> None:
    """A card from the hand on top of the pile."""
    state.hands[seat][kind] -= 1
    state.piles[seat].append(kind)
    state.table += 1
    state.tell(f"{seat} place")
    state.mover = state.after(seat)


def speak(state: State, seat: int, bid: int) -> None:
    """A bid, or passing; the last word opens the challenge."""
    state.phase = "betting"
    state.bids[seat] = bid
    if bid == PASSED:
        state.tell(f"{seat} pass")
    else:
        state.top_seat, state.top_bid = seat, bid
        state.tell(f"{seat} bet {bid}")
    waiting = _who_may_still_speak(state)
    if not waiting or state.top_bid == state.table:
        _open(state)
    else:
        state.mover = next((one for one in waiting if one > seat), waiting[0])


def _who_may_still_speak(state: State) -> list[int]:
    """The seats that may still bid; the document lets everybody speak only once."""
    if state.variant == "document":
        return [seat for seat in state.inside if not state.bids[seat]]
    others = [seat for seat in state.inside if seat != state.top_seat]
    return [seat for seat in others if state.bids[seat] != PASSED]


def _open(state: State) -> None:
    """The challenger turns over his own pile first; the document has him leave it."""
    challenger = state.top_seat
    assert challenger is not None
    state.phase, state.mover = "choice", challenger
    if state.variant == "document":
        return
    while state.piles[challenger] and len(state.turned) < state.top_bid:
        if _turn(state, challenger) == "skull":
            _fail_on_own_skull(state, challenger)
            return
    if len(state.turned) == state.top_bid:
        _meet(state, challenger)


def choose(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """The top card of another pile is turned over."""
    state.tell(f"{challenger} choose {owner}")
    if _turn(state, owner) == "skull":
        _fail_on_anothers_skull(state, challenger, owner, dice)
    elif state.variant == "document":
        if not state.piles[owner]:
            _meet(state, challenger)
    elif len(state.turned) == state.top_bid:
        _meet(state, challenger)


def _turn(state: State, owner: int) -> str:
    kind = state.piles[owner].pop()
    state.table -= 1
    state.turned.append((owner, kind))
    state.tell(f"{owner} {kind}")
    if kind == "skull":
        state.known[owner] = True
    elif state.turned.count((owner, kind)) == state.cards(owner):
        state.known[owner] = False
    return kind


def _meet(state: State, challenger: int) -> None:
    """As many roses as bid: a point."""
    state.tell(f"{challenger} met")
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
    if state.owned[challenger]["rose"]:
        state.phase = "lose"
    else:
        lose(state, challenger, challenger, "skull")


def _fail_on_anothers_skull(state: State, challenger: int, owner: int, dice: Dice) -> None:
    """Chance chooses the card to lose."""
    if not _fail(state, challenger):
        drawn = dice.below(state.cards(challenger))
        lose(state, challenger, owner, KINDS[drawn >= state.owned[challenger]["skull"]])


def _fail(state: State, challenger: int) -> bool:
    """True where that was all: a single challenge is won by everybody else."""
    state.tell(f"{challenger} failed")
    if state.variant == "published":
        return False
    _end(state, [seat for seat in state.inside if seat != challenger], "challenge failed")
    return True


def lose(state: State, challenger: int, skull_of: int, kind: str) -> None:
    """The card is gone for good; then the next round, or the end."""
    state.owned[challenger][kind] -= 1
    state.lost[challenger].append(kind)
    state.tell(f"{challenger} lost")
    if state.known[challenger]:
        state.known[challenger] = None
    if state.cards(challenger):
        end_round(state, challenger)
        return
    state.known[challenger] = False
    state.inside.remove(challenger)
    state.tell(f"{challenger} out")
    if _is_won(state):
        return
    if skull_of == challenger:
        state.phase = "start"
    else:
        end_round(state, skull_of)


def remove(state: State, seat: int) -> None:
    """The seat owns nothing any more, and the next one clockwise starts a new round."""
    starter = state.after(seat)
    state.owned[seat] = {"skull": 0, "rose": 0}
    state.known[seat] = False
    if seat in state.inside:
        state.inside.remove(seat)
    state.tell(f"{seat} gone")
    if not _is_won(state):
        end_round(state, starter)


def end_round(state: State, starter: int) -> None:
    """Files this round's events, and begins another round."""
    _file(state)
    new_round(state, starter)


def _is_won(state: State) -> bool:
    """True where one seat alone owns cards; it has won."""
    if len(state.inside) > 1:
        return False
    _end(state, state.inside.copy(), BY_CARDS)
    return True


def _end(state: State, winners: list[int], why: str) -> None:
    _file(state)
    state.winners, state.ended, state.phase = winners, why, "over"


def _file(state: State) -> None:
    state.rounds += ", ".join(state.log) + "\n"


def end_of(events: str) -> str | None:
    """How the challenge of a filed round ended; None where a forfeit broke the round off."""
    told = [event.split() for event in events.split(", ")]
    for seat, what, *_ in told:
        if what == "met":
            return "met"
        if what == "failed":
            return "own_skull" if [seat, "skull"] in told else "other_skull"
    return None
