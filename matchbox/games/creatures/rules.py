"""The rules of the creature duel: two decks, twenty life each, and creatures that attack.

Knows what lies on the table and whose turn it is; does not know who plays.

A turn is any number of "land" (once), ["tap", lands], ["summon", name] and ["attack", creature],
then "done". A creature on a field is [number, name, mark]: its owner's how-manieth summon it was,
its name, and "" or what has tapped it, "attacked" or "blocked". Who is attacked and has an
untapped creature answers "pass" or ["block", creature].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from matchbox.dice import Dice
from matchbox.errors import IllegalMove
from matchbox.game import Options, Outcome, Plain, Spec
from matchbox.games.creatures import seen
from matchbox.games.creatures.kinds import CREATURES, DECK, LAND
from matchbox.games.creatures.state import Side, State

HAND: Final = 7
NO_LIFE: Final = "no life left"

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
        state = State((Side(list(DECK)), Side(list(DECK))))
        for side in state.sides:
            dice.shuffle(side.deck)
            side.hand = [side.deck.pop() for _ in range(HAND)]
        _begin_turn(state)
        return state

    def to_move(self, state: State) -> Sequence[int]:
        """Whose turn it is, or who is attacked and may block; nobody once somebody has lost."""
        if state.loser is not None:
            return ()
        return (state.mover,) if state.attacker is None else (1 - state.mover,)

    def legal(self, state: State, seat: int) -> list[Plain]:
        """What the hand, the mana and the untapped creatures allow."""
        side = state.sides[seat]
        ready = [number for number, _, mark in side.field if not mark]
        if state.attacker is not None:
            return ["pass", *(["block", number] for number in ready)]
        payable = [name for name in dict.fromkeys(side.hand) if _is_payable(side, name)]
        return [
            "done",
            *(["land"] if not side.played and LAND in side.hand else []),
            *(["tap", lands] for lands in range(1, side.lands - side.tapped + 1)),
            *(["summon", name] for name in payable),
            *(["attack", number] for number in ready),
        ]

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The same state, after the move."""
        kind, what = _parted(move)
        steps = _STEPS_OF_A_TURN if state.attacker is None else _STEPS_OF_THE_ATTACKED
        step = steps.get(kind)
        if step is None:
            raise IllegalMove(f"{str(move)[:60]} is no move here; there are {', '.join(steps)}")
        step(state, state.sides[seat], what)
        return state

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """There is no play without one of two."""
        raise IllegalMove("the duel ends when one of its two players is gone")

    def view(self, state: State, seat: int | None) -> Plain:
        """Both sides as they lie on the table, and to a seat its own hand and mana."""
        return seen.from_outside(state) if seat is None else seen.from_seat(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        """Who has no life, or no card to draw, has lost."""
        if state.loser is None:
            return None
        lost = state.loser
        return Outcome(
            (1 + (lost == 0), 1 + (lost == 1)), (int(lost == 1), int(lost == 0)), state.why
        )

    def describe(self, move: Plain, view: Plain) -> str:
        """What was done, and what came of it."""
        return seen.told(view)

    def turns(self, moves: Sequence[Plain]) -> int:
        """How many turns these moves make, the one in which the game ends counted."""
        return moves.count("done") + (bool(moves) and moves[-1] != "done")

    def facts(self, state: State) -> dict[str, Any]:
        """Whether a life ended it; how often each creature was summoned by who has won, "W", and
        who has lost, "L"."""
        summons = {name: {"W": 0, "L": 0} for name in CREATURES}
        for seat, side in enumerate(state.sides):
            if state.loser is not None:
                for name in [name for _, name, _ in side.field] + side.discard:
                    summons[name]["L" if seat == state.loser else "W"] += 1
        return {"ended_by_life": state.why == NO_LIFE, "summons": summons}

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state that the seat cannot tell from this one: unseen cards shuffled and dealt anew."""
        other = state.copy()
        for number, side in enumerate(other.sides):
            size = 0 if number == seat else len(side.hand)
            unseen = side.deck + (side.hand if size else [])
            dice.shuffle(unseen)
            side.deck = unseen[size:]
            if size:
                side.hand = unseen[:size]
        return other


GAME: Final = Creatures()


# --- Steps of the game -----------------------------------------------------------------------


def _begin_turn(state: State) -> None:
    """Untaps all that the mover has and draws a card; who has none to draw has lost."""
    side = state.sides[state.mover]
    state.turn += 1
    side.tapped = 0
    side.played = False
    for creature in side.field:
        creature[2] = ""
    if side.deck:
        side.hand.append(side.deck.pop())
    else:
        _lose(state, state.mover, "no card to draw")


def _land(state: State, side: Side, what: Plain) -> None:
    if what is not None or side.played or LAND not in side.hand:
        raise IllegalMove("you hold no land, or have played one this turn")
    side.hand.remove(LAND)
    side.lands += 1
    side.played = True
    state.last = {"did": "land"}


def _tap(state: State, side: Side, what: Plain) -> None:
    untapped = side.lands - side.tapped
    if type(what) is not int or not 1 <= what <= untapped:
        raise IllegalMove(f"you have {untapped} untapped lands, and cannot tap {str(what)[:20]}")
    side.tapped += what
    side.mana += what
    state.last = {"did": "tap", "amount": what}


def _summon(state: State, side: Side, what: Plain) -> None:
    if type(what) is not str or what not in side.hand or not _is_payable(side, what):
        raise IllegalMove(f"you hold no creature {str(what)[:20]!r} that {side.mana} mana pay for")
    side.hand.remove(what)
    side.mana -= CREATURES[what].cost
    side.summoned += 1
    side.field.append([side.summoned, what, ""])
    state.last = {"did": "summon", "card": what, "number": side.summoned}


def _attack(state: State, side: Side, what: Plain) -> None:
    creature = _ready(side, what)
    creature[2] = "attacked"
    state.last = {"did": "attack", "card": creature[1], "number": creature[0]}
    if any(not mark for _, _, mark in state.sides[1 - state.mover].field):
        state.attacker = creature
    else:
        _hit(state, creature)


def _pass(state: State, side: Side, what: Plain) -> None:
    if what is not None or state.attacker is None:
        raise IllegalMove("to let the attacker through, answer just pass")
    state.last = {"did": "pass", "card": state.attacker[1]}
    _hit(state, state.attacker)


def _block(state: State, side: Side, what: Plain) -> None:
    """The lower power is destroyed, equal powers both; no damage goes through."""
    blocker, attacker = _ready(side, what), state.attacker
    assert attacker is not None
    blocker[2] = "blocked"
    strengths = CREATURES[attacker[1]].power, CREATURES[blocker[1]].power
    fallen = []
    if strengths[0] <= strengths[1]:
        fallen.append(_destroy(state.sides[state.mover], attacker))
    if strengths[1] <= strengths[0]:
        fallen.append(_destroy(side, blocker))
    state.attacker = None
    state.last = {"did": "block", "card": attacker[1], "blocker": blocker[1], "fallen": fallen}


def _done(state: State, side: Side, what: Plain) -> None:
    if what is not None:
        raise IllegalMove("to end the turn, answer just done")
    side.mana = 0
    state.last = {"did": "done"}
    state.mover = 1 - state.mover
    _begin_turn(state)


def _hit(state: State, creature: list[Any]) -> None:
    """The attacked seat loses life; without any left it has lost."""
    victim = state.sides[1 - state.mover]
    damage = CREATURES[creature[1]].power
    victim.life -= damage
    state.attacker = None
    state.last |= {"damage": damage, "left": victim.life}
    if victim.life <= 0:
        _lose(state, 1 - state.mover, NO_LIFE)


def _destroy(side: Side, creature: list[Any]) -> str:
    side.field.remove(creature)
    name: str = creature[1]
    side.discard.append(name)
    return name


def _lose(state: State, seat: int, why: str) -> None:
    state.loser, state.why = seat, why


_Step = Callable[[State, Side, Plain], None]
_STEPS_OF_A_TURN: Final[dict[str, _Step]] = {
    "land": _land, "tap": _tap, "summon": _summon, "attack": _attack, "done": _done,
}  # fmt: skip
_STEPS_OF_THE_ATTACKED: Final[dict[str, _Step]] = {"pass": _pass, "block": _block}


def _parted(move: Plain) -> tuple[str, Plain]:
    """What kind of move it is, and with what; "" for what is no move."""
    if type(move) is str:
        return move, None
    if type(move) is list and len(move) == 2 and type(move[0]) is str and move[1] is not None:
        return move[0], move[1]
    return "", None


def _is_payable(side: Side, name: str) -> bool:
    return name in CREATURES and CREATURES[name].cost <= side.mana


def _ready(side: Side, number: Plain) -> list[Any]:
    """The untapped creature of that number. Raises IllegalMove."""
    for creature in side.field:
        if type(number) is int and creature[0] == number and not creature[2]:
            return creature
    raise IllegalMove(f"you have no untapped creature of number {str(number)[:20]}")
