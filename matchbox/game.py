"""The Game contract. Knows what every game must answer; knows no game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from matchbox.dice import Dice, SeededDice
from matchbox.errors import BadOption

Plain: TypeAlias = "None | bool | int | str | list[Any] | dict[str, Any]"
"""Moves and views: None, bool, int below 2**53, str, list, dict with str keys; nothing else."""

Options: TypeAlias = Mapping[str, "str | int | bool"]
State: TypeAlias = Any
"""What a game keeps; it belongs to the referee alone."""

CHANCE: Final = -1
"""In `to_move`: a step that the referee plays, with the move None."""


@dataclass(frozen=True, slots=True)
class Option:
    """One typed option of a game."""

    default: str | int | bool
    help: str
    choices: tuple[str | int | bool, ...] = ()
    """The values allowed; empty allows every value of the default's type."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What is said of a game before anybody plays it."""

    name: str
    title: str
    seats: tuple[int, ...]
    """The table sizes it can be played at, rising."""
    rules: str
    """The version of the rules: a change that alters any game makes a new one."""
    options: Mapping[str, Option] = field(default_factory=dict)
    cooperative: bool = False
    hidden: str = ""
    """What a seat may not know, in one sentence; empty where nothing is hidden."""
    balanced: bool = False
    """True where all seats have the same chances between equal players."""
    diagnostics: bool = False
    """True where `player.py` has a `report(player)`: what a player says of its last move."""
    max_steps: int = 10_000
    """No bout takes more steps than this; the referee calls a longer one a platform fault."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a bout ended."""

    places: tuple[int, ...]
    """A place per seat, 1 is best; seats that tie share a place."""
    scores: tuple[int, ...]
    """The game's own score per seat."""
    why: str
    """One short phrase: what ended it."""


class Game(Protocol):
    """The rules of one game, as functions of a state.

    Everything is deterministic: chance comes only from the dice that the referee hands in.
    """

    @property
    def spec(self) -> Spec:
        """What is said of the game before anybody plays it."""

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """The state before the first move of a table of that many seats."""

    def to_move(self, state: State) -> Sequence[int]:
        """The seats that owe a move, rising; several are simultaneous; empty means over."""

    def legal(self, state: State, seat: int) -> list[Plain]:
        """Every move the seat may make now, never empty for a seat in `to_move`."""

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """The state after the move; may reuse the old one.

        Raises IllegalMove before anything has changed.
        """

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """The state in which play goes on without that seat (three or more seats)."""

    def view(self, state: State, seat: int | None) -> Plain:
        """Fresh data that holds exactly what the seat may know; None is the spectator."""

    def outcome(self, state: State) -> Outcome | None:
        """The outcome once `to_move` is empty, else None."""

    def describe(self, move: Plain, view: Plain) -> str:
        """The transcript's words for a move that led to this view of a spectator.

        One event a line; without the mover's name, and without anything hidden.
        """

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """A state of its own which that seat cannot tell from this one, its secrets dealt anew."""


Answers: TypeAlias = Mapping[int, Any]
"""What seats have answered, by seat."""


class Batch(Protocol):
    """Many bouts of one game side by side. A game may offer it, for speed, as
    `batch(seats, options)`, which is None where it has none for that table.

    It plays what the functions of a state play, as long as every seat answers with a move that
    the rules allow. A bout in which one does not is handed back, to be played by those.
    """

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout. The seats' seeds go out with their first questions."""

    def ask(self, seat: int) -> Sequence[tuple[int, Any, str | None]]:
        """What that seat is to be asked, as matchbox.match.frames.Question, in a list or written
        down by a matchbox.match.packing.Asking; what it is told may change with the answer."""

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Takes one answer a question. Gives back the bouts that it cannot go on with: number,
        moves before, and the answers that follow them."""

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """The bouts that have ended since the last time: number, moves, outcome."""

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Gives back all bouts under way, as `take` does."""


def fill_options(spec: Spec, given: Mapping[str, object]) -> dict[str, str | int | bool]:
    """Every option of the game, by name, with defaults filled in.

    Text is read as the type of the default. Raises BadOption for an unknown name or value.
    """
    unknown = sorted(set(given) - set(spec.options))
    if unknown:
        known = ", ".join(sorted(spec.options)) or "none"
        raise BadOption(f"{spec.name} has no option {unknown[0]!r}; its options: {known}")
    return {
        name: _read(spec, name, option, given.get(name, option.default))
        for name, option in sorted(spec.options.items())
    }


def check_seats(spec: Spec, seats: int) -> None:
    """Raises BadOption unless the game is played at tables of that size."""
    if seats not in spec.seats:
        sizes = ", ".join(map(str, spec.seats))
        raise BadOption(f"{spec.name} is played by {sizes} players, not {seats}")


def _read(spec: Spec, name: str, option: Option, value: object) -> str | int | bool:
    read = _from_text(type(option.default), value) if isinstance(value, str) else value
    fits = type(read) is type(option.default)
    if not fits or (option.choices and read not in option.choices):
        allowed = ", ".join(map(str, option.choices)) or f"any {type(option.default).__name__}"
        raise BadOption(f"option {name} of {spec.name} cannot be {value!r}; allowed: {allowed}")
    assert isinstance(read, str | int | bool)
    return read


def _from_text(kind: type, text: str) -> object:
    if kind is bool:
        return {"true": True, "false": False, "yes": True, "no": False}.get(text.lower(), text)
    if kind is int:
        try:
            return int(text)
        except ValueError:
            return text
    return text
