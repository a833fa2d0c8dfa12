"""Fakes: games made for tests, and players that follow a script."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from matchbox.dice import Dice
from matchbox.errors import IllegalMove, SeatFault
from matchbox.game import CHANCE, Options, Outcome, Plain, Spec
from matchbox.match.frames import Answer, Question

Decide = Callable[[Any], Answer]
"""The decision of a player on a view: a move, or a fault of this bout."""


def by_sum(view: Any) -> Answer:
    """A legal move in a race, which differs from view to view."""
    return 1 + int(view["sum"]) % 3


def crash(view: Any) -> Answer:
    """A crash at whatever is shown."""
    return SeatFault("crash", "boom")


class ScriptedPlayer:
    """A player for the referee that decides by a function, and records its calls.

    Raises the fault that `breaks` returns for a question: one of the whole program.
    """

    def __init__(
        self, decide: Decide, breaks: Callable[[Question], SeatFault | None] = lambda _: None
    ) -> None:
        self._decide = decide
        self._breaks = breaks
        self.asked: list[list[Question]] = []
        self.ended: list[int] = []
        self.renewed = 0
        self.closed = 0

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        """One answer for each question."""
        self.asked.append([(bout, _copied(view), seed) for bout, view, seed in questions])
        for question in questions:
            fault = self._breaks(question)
            if fault is not None:
                raise fault
        return [self._decide(view) for _, view, _ in questions]

    def end(self, bout: int) -> None:
        """Records that the bout is over."""
        self.ended.append(bout)

    def renew(self) -> None:
        """Records a fresh program."""
        self.renewed += 1

    def close(self) -> None:
        """Records the end."""
        self.closed += 1


def _copied(view: Any) -> Any:
    """A copy of the view: the referee reuses the bytes of a brief."""
    return bytes(view) if isinstance(view, bytearray | memoryview) else view


class LeastDice:
    """Dice whose every draw is the least."""

    def below(self, n: int) -> int:
        return 0

    def shuffle(self, items: Any) -> None:
        pass

    def choice(self, items: Any) -> Any:
        return items[0]


class RandomDice:
    """Dice that draw from a `random.Random` of their own."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, n: int) -> int:
        return self._random.randrange(n)

    def shuffle(self, items: Any) -> None:
        self._random.shuffle(items)

    def choice(self, items: Any) -> Any:
        return self._random.choice(items)


@dataclass
class Race:
    """Seats add 1 to 3 to a sum in turn; the first to reach the goal wins. The goal is drawn at
    first."""

    spec: Spec = field(
        default_factory=lambda: Spec("race", "Race", (2, 3), "1", hidden="The goal.", max_steps=60)
    )

    def start(self, seats: int, dice: Dice, options: Options) -> dict[str, Any]:
        return {"sum": 0, "goal": 0, "mover": 0, "in": list(range(seats)), "seats": seats}

    def to_move(self, state: dict[str, Any]) -> Sequence[int]:
        if not state["goal"]:
            return (CHANCE,)
        return () if state["sum"] >= state["goal"] else (state["mover"],)

    def legal(self, state: dict[str, Any], seat: int) -> list[Plain]:
        return [1, 2, 3]

    def apply(self, state: dict[str, Any], seat: int, move: Plain, dice: Dice) -> dict[str, Any]:
        if seat == CHANCE:
            return {**state, "goal": 10 + dice.below(10)}
        if type(move) is not int or not 1 <= move <= 3:
            raise IllegalMove(f"{move!r} is not 1, 2 or 3")
        total = state["sum"] + move
        mover = seat if total >= state["goal"] else self._after(state, seat)
        return {**state, "sum": total, "mover": mover}

    def without(self, state: dict[str, Any], seat: int, dice: Dice) -> dict[str, Any]:
        left = {**state, "in": [one for one in state["in"] if one != seat]}
        return {
            **left,
            "mover": self._after(left, seat) if state["mover"] == seat else left["mover"],
        }

    def view(self, state: dict[str, Any], seat: int | None) -> Plain:
        return {"sum": state["sum"], "seat": seat}

    def outcome(self, state: dict[str, Any]) -> Outcome | None:
        if not state["goal"] or state["sum"] < state["goal"]:
            return None
        places = tuple(1 if one == state["mover"] else 2 for one in range(state["seats"]))
        return Outcome(places, tuple(2 - place for place in places), "goal")

    def describe(self, move: Plain, view: Plain) -> str:
        return "hides the goal" if move is None else f"adds {move}"

    def resample(self, state: dict[str, Any], seat: int | None, dice: Dice) -> dict[str, Any]:
        return {**state, "goal": state["goal"] and state["sum"] + 1 + dice.below(5)}

    def _after(self, state: dict[str, Any], seat: int) -> int:
        later = [one for one in state["in"] if one > seat]
        return int((later or state["in"])[0])


@dataclass
class Auction:
    """All seats bid 0 to 9 at once, three times over; the highest sum wins. Nothing is hidden."""

    spec: Spec = field(
        default_factory=lambda: Spec("auction", "Auction", (2, 3), "1", balanced=True)
    )

    def start(self, seats: int, dice: Dice, options: Options) -> dict[str, Any]:
        return {"bids": [[] for _ in range(seats)], "out": []}

    def to_move(self, state: dict[str, Any]) -> Sequence[int]:
        seats = [one for one in range(len(state["bids"])) if one not in state["out"]]
        least = min(len(state["bids"][one]) for one in seats)
        return () if least == 3 else [one for one in seats if len(state["bids"][one]) == least]

    def legal(self, state: dict[str, Any], seat: int) -> list[Plain]:
        return list(range(10))

    def apply(self, state: dict[str, Any], seat: int, move: Plain, dice: Dice) -> dict[str, Any]:
        if type(move) is not int or not 0 <= move <= 9:
            raise IllegalMove(f"{move!r} is no bid from 0 to 9")
        bids = [list(one) for one in state["bids"]]
        bids[seat].append(move)
        return {**state, "bids": bids}

    def without(self, state: dict[str, Any], seat: int, dice: Dice) -> dict[str, Any]:
        return {**state, "out": [*state["out"], seat]}

    def view(self, state: dict[str, Any], seat: int | None) -> Plain:
        made = min(map(len, state["bids"]))
        return {"bids": [one[:made] for one in state["bids"]], "seat": seat}

    def outcome(self, state: dict[str, Any]) -> Outcome | None:
        if self.to_move(state):
            return None
        sums = tuple(map(sum, state["bids"]))
        places = tuple(1 + sum(other > one for other in sums) for one in sums)
        return Outcome(places, sums, "three bids")

    def describe(self, move: Plain, view: Plain) -> str:
        return f"bids {move}"

    def resample(self, state: dict[str, Any], seat: int | None, dice: Dice) -> dict[str, Any]:
        return {**state}
