"""The Game contract: what every game must answer, and what it may offer. Knows no game.

`matchbox/hooks.py` compares an installed game with these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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


class GameHooks(Protocol):
    """What the rules of a game may offer beside `Game`. Each function is optional.

    A game without a hook leaves the name out, or sets it to None.
    """

    def refusal(self, state: State, seat: int, move: Plain) -> str:
        """The sentence with which the move is refused; empty where it is legal.

        The referee calls it before simultaneous moves are made, and changes nothing. Without it,
        the move is looked up in `legal`. The move may be any plain data.
        """

    def brief(self, state: State, seat: int) -> bytes:
        """The view of a seat in `to_move`, as bytes, sent in place of the view.

        It must equal `brief_of(view(state, seat))` of the player module. The player module must
        have `brief_of` and `answer_brief`.
        """

    def batch(self, seats: int, options: Options) -> Batch | None:
        """A loop of the game's own for many bouts at a table of that size.

        None, for a table that has none, leaves the bouts to the loop of all games.
        """

    def turns(self, moves: Sequence[Plain]) -> int:
        """How many turns the moves of a bout make, for the mean that `simulate` prints.

        Without it, each move is a turn.
        """

    def facts(self, state: State) -> dict[str, Any]:
        """Named facts of a bout that ended in this state, for `simulate`.

        Every bout has the same names. A value is a bool, an int, a dict of ints, or a dict of
        dicts of ints. A bout that ended by a fault may be in the middle of the game.
        """


Ask: TypeAlias = Callable[[Any], Any]
"""Makes a move inside a decision and returns the seat's view after it, or its brief where the
question was one. A tuple is several moves in a row."""


class PlayerModule(Protocol):
    """What a game's `player.py` must have. It must also have the class that authors subclass, as
    `Player` or under the name `BASE`."""

    def answer(self, player: Any, view: Any, ask: Ask) -> Plain:
        """The player's move for this view. Whatever it raises is the player's fault."""


class PlayerHooks(Protocol):
    """What a game's `player.py` may have beside that. Each name is optional."""

    BASE: type[Any]
    """The class that authors subclass, where it is not called `Player`."""
    ALIASES: Mapping[str, str]
    """Names of modules that authors import, and the modules that stand in for them."""
    REMEMBERED: Mapping[str, bytes]
    """Names of files that a player opens to read its memory, and their content while there is no
    memory."""

    def brief_of(self, view: Any) -> bytes:
        """The bytes of `GameHooks.brief`, written from the view alone."""

    def answer_brief(self, player: Any, brief: bytes, ask: Ask) -> Plain:
        """The player's move for this brief: the same as `answer` for the view."""

    def report(self, player: Any) -> object:
        """Plain data that the player says of its last move, or None.

        The game's `Spec` must say `diagnostics=True`.
        """

    def maker(self, chosen: type[Any]) -> Callable[[], object]:
        """A function that makes a player of the author's class, where a call of the class does
        not."""

    def adopt(self, value: object, *, named: bool) -> type[Any] | None:
        """A player class made of a value of the author's file that is none, or None.

        `named` is True where the author has named the value as the bot.
        """


class TerminalHooks(Protocol):
    """What a game's `terminal.py` may have. Each name is optional."""

    EXPORTS: Mapping[str, Callable[[Any, Sequence[str]], Iterable[str]]]
    """File names, and for each a function that returns the file's text in parts.

    It takes a record (`matchbox.match.record.Record`) and the entrants' names, and may raise
    BadRecord.
    """


Answers: TypeAlias = Mapping[int, Any]
"""What seats have answered, by seat."""


class Batch(Protocol):
    """Many bouts of one game side by side. A game may offer its own with `GameHooks.batch`.

    It plays what the functions of a state play, as long as every seat answers with a move that
    the rules allow. A bout in which one does not is handed back, to be played by those.
    """

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout. The seats' seeds go out with their first questions."""

    def ask(self, seat: int) -> Sequence[tuple[int, Any, str | None]]:
        """What that seat is to be asked, as matchbox.match.frames.Question, in a list or written
        down by a matchbox.match.frame_codec.Asking; what it is told may change with the answer."""

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
