"""The rules of the creature duel: two decks, twenty life each, and creatures that attack.

Knows the table and whose turn it is; does not know the players.

A turn is any number of "land" (once), ["tap", lands], ["summon", name] and ["attack", creature],
then "done". A creature on a field is [number, name, mark]: its number among its owner's summons,
from 1; its name; and "", or "attacked" or "blocked" if that has tapped it. A player who is attacked
and has an untapped creature answers "pass" or ["block", creature].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from matchbox import limbs
from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Options, Outcome, Plain, Spec
from matchbox.games.creatures import codec, steps, turn_order, views
from matchbox.games.creatures.batch import Batch
from matchbox.games.creatures.dealing import CARDS, Deck
from matchbox.games.creatures.kinds import (
    COSTS,
    CREATURES,
    FACE_DOWN,
    LAND_CARD,
    NAMES,
    NUMBERS,
    TOO_MANY,
)
from matchbox.games.creatures.state import NO_LIFE, NOBODY, Side, State

HAND: Final = 7

SPEC: Final = Spec(
    name="creatures",
    title="Creature duel",
    seats=(2,),
    rules="1",
    hidden="A seat does not know the other hand, or the order of either deck.",
    max_steps=5000,
)


class Creatures:
    """The game, as matchbox.game.Game asks for it."""

    spec = SPEC

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """Both decks shuffled, seven cards drawn from each, and seat 0's first turn begun."""
        return _deal(_shuffled(dice), _shuffled(dice))

    def to_move(self, state: State) -> Sequence[int]:
        """The player whose turn it is, or who may block; nobody once somebody has lost."""
        return state.movers

    def legal(self, state: State, seat: int) -> list[Plain]:
        """The moves that the hand, the mana and the untapped creatures allow."""
        side = state.sides[seat]
        marked = zip(side.numbers, side.marks, strict=True)
        ready = [number for number, mark in marked if not mark]
        if state.attacker != NOBODY:
            return ["pass", *(["block", number] for number in ready)]
        payable = [card for card in dict.fromkeys(side.hand) if 0 < COSTS[card] <= side.mana]
        return [
            "done",
            *(["land"] if not side.played and LAND_CARD in side.hand else []),
            *(["tap", lands] for lands in range(1, side.lands - side.tapped + 1)),
            *(["summon", NAMES[card]] for card in payable),
            *(["attack", number] for number in ready),
        ]

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The same state, after the move."""
        if type(move) is str:
            kind, what = move, None
        elif type(move) is list and len(move) == 2 and type(move[0]) is str:
            kind, what = move
            kind = "" if what is None else kind
        else:
            kind, what = "", None
        known = _STEPS_OF_A_TURN if state.attacker == NOBODY else _STEPS_OF_THE_ATTACKED
        step = known.get(kind)
        if step is None:
            if kind == TOO_MANY:
                raise IllegalMove(f"{kind}; every loop must end, and turn_prompt return False")
            raise IllegalMove(
                f"{str(move)[:60]} is not a move here; the moves are {', '.join(known)}"
            )
        step(state, state.sides[seat], what)
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """Raises IllegalMove: two players are needed."""
        raise IllegalMove("the duel ends when one of its two players is gone")

    def view(self, state: State, seat: int | None) -> Plain:
        """Both sides of the table; for a seat also its own hand and mana."""
        return views.from_outside(state) if seat is None else views.from_seat(state, seat)

    def brief(self, state: State, seat: int) -> bytes:
        """The view of the seat to move as codec.brief_of writes it, made without the view."""
        return codec.brief(state, seat)

    def batch(self, seats: int, options: Options) -> Batch:
        """Many bouts side by side."""
        # Compiled code shuffles a whole deck in less time than it needs to postpone a part of it.
        deck = _shuffled if limbs.COMPILED else Deck
        return Batch(lambda dice: _deal(deck(dice), deck(dice)))

    def outcome(self, state: State) -> Outcome | None:
        """A player without life, or without a card to draw, has lost."""
        return turn_order.outcome(state)

    def describe(self, move: Plain, view: Plain) -> str:
        """Describes the move and its effect."""
        return views.describe_last(view)

    def turns(self, moves: Sequence[Plain]) -> int:
        """How many turns these moves make; the last one counts, too."""
        return moves.count("done") + (bool(moves) and moves[-1] != "done")

    def facts(self, state: State) -> dict[str, Any]:
        """Returns facts for statistics.

        They tell whether the loss of all life ended the duel, and how often the winner ("W") and
        the loser ("L") summoned each creature.
        """
        summons = {name: {"W": 0, "L": 0} for name in CREATURES}
        for seat, side in enumerate(state.sides):
            if state.loser is not None:
                for card in side.kinds + side.discard:
                    summons[NAMES[card]]["L" if seat == state.loser else "W"] += 1
        return {"ended_by_life": state.why == NO_LIFE, "summons": summons}

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that looks the same to the seat: unseen cards are shuffled and dealt again."""
        other = state.copy()
        for number, side in enumerate(other.sides):
            size = 0 if number == seat else len(side.hand)
            unseen = side.deck + (side.hand if size else b"")
            dice.shuffle(unseen)
            side.deck = unseen[size:]
            if size:
                side.hand = unseen[:size]
        return other


GAME: Final = Creatures()


# --- Steps of the game -----------------------------------------------------------------------


def _shuffled(dice: Dice) -> bytearray:
    deck = bytearray(CARDS)
    dice.shuffle(deck)
    return deck


def _deal(*decks: bytearray) -> State:
    """The table with these decks, after the hands were drawn."""
    state = State((Side(decks[0]), Side(decks[1])))
    for side, deck in zip(state.sides, decks, strict=True):
        side.hand = deck[: -HAND - 1 : -1]
        del deck[-HAND:]
    turn_order.begin_turn(state)
    return state


def _land(state: State, side: Side, what: Plain) -> None:
    if what is not None or steps.play_land(side) < 0:
        raise IllegalMove("you hold no land, or have played one this turn")
    state.last = ("land", 0, 0, False)


def _tap(state: State, side: Side, what: Plain) -> None:
    if type(what) is not int or not steps.tap(side, what):
        untapped = side.lands - side.tapped
        raise IllegalMove(f"you have {untapped} untapped lands, and cannot tap {str(what)[:20]}")
    state.last = ("tap", what, 0, False)


def _summon(state: State, side: Side, what: Plain) -> None:
    card = NUMBERS.get(what, FACE_DOWN) if type(what) is str else FACE_DOWN
    if card == LAND_CARD or steps.summon(side, card) < 0:
        raise IllegalMove(f"you hold no creature {str(what)[:20]!r} that {side.mana} mana pay for")
    state.last = ("summon", card, side.numbers[-1], False)


def _attack(state: State, side: Side, what: Plain) -> None:
    place = _ready(side, what)
    is_settled = turn_order.attack(state, place)
    state.last = ("attack", side.kinds[place], side.numbers[place], is_settled)


def _pass(state: State, side: Side, what: Plain) -> None:
    if what is not None:
        raise IllegalMove("to let the attacker through, answer 'pass' alone")
    attacking = state.sides[state.mover]
    state.last = ("pass", attacking.kinds[state.attacker], 0, True)
    turn_order.let_through(state)


def _block(state: State, side: Side, what: Plain) -> None:
    place = _ready(side, what)
    attacking = state.sides[state.mover]
    state.last = ("block", attacking.kinds[state.attacker], side.kinds[place], False)
    turn_order.block(state, place)


def _done(state: State, side: Side, what: Plain) -> None:
    if what is not None:
        raise IllegalMove("to end the turn, answer 'done' alone")
    state.last = ("done", 0, 0, False)
    turn_order.end_turn(state)


_Step = Callable[[State, Side, Plain], None]
_STEPS_OF_A_TURN: Final[dict[str, _Step]] = {
    "land": _land, "tap": _tap, "summon": _summon, "attack": _attack, "done": _done,
}  # fmt: skip
_STEPS_OF_THE_ATTACKED: Final[dict[str, _Step]] = {"pass": _pass, "block": _block}


def _ready(side: Side, number: Plain) -> int:
    """The place of the untapped creature of that number. Raises IllegalMove."""
    place = steps.untapped(side, number) if type(number) is int else steps.NOWHERE
    if place < 0:
        raise IllegalMove(f"you have no untapped creature of number {str(number)[:20]}")
    return place
