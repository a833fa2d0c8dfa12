"""The Game contract: the functions every game must have, and those it may have. Knows no game.

`matchbox/hooks.py` compares an installed game with these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from matchbox.dice import Dice, SeededDice
from matchbox.errors import BadOption, quoted
from matchbox.whole_numbers import whole_number

Plain: TypeAlias = "None | bool | int | str | list[Any] | dict[str, Any]"
"""Moves and views: None, bool, int below 2**53, str, list, dict with str keys; nothing else."""

Options: TypeAlias = Mapping[str, "str | int | bool"]
State: TypeAlias = Any
"""The game's own data; only the referee holds it."""

CHANCE: Final = -1
"""In `to_move`: the referee plays this step, with the move None."""


@dataclass(frozen=True, slots=True)
class Option:
    """One typed option of a game."""

    default: str | int | bool
    help: str
    choices: tuple[str | int | bool, ...] = ()
    """The values allowed; empty allows every value of the default's type."""


@dataclass(frozen=True, slots=True)
class Spec:
    """Facts about a game, known before anybody plays it."""

    name: str
    title: str
    seats: tuple[int, ...]
    """The table sizes it can be played at, in ascending order."""
    rules: str
    """The version of the rules, at most 16 characters: it must change with any change that alters a
    game."""
    options: Mapping[str, Option] = field(default_factory=dict)
    cooperative: bool = False
    hidden: str = ""
    """The information that is hidden from a seat, in one sentence; empty if nothing is hidden."""
    balanced: bool = False
    """True if all seats have the same chances between equal players."""
    diagnostics: bool = False
    """True if `player.py` has a `report(player)`, which returns diagnostics on the player's last
    move."""
    max_steps: int = 10_000
    """The most steps that a bout can take; the referee treats a longer one as a platform fault."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a bout ended."""

    places: tuple[int, ...]
    """A place per seat, 1 is best; tied seats share a place."""
    scores: tuple[int, ...]
    """The game's own score per seat. In a cooperative game it is at least 0, which is what a bout
    with a fault scores."""
    why: str
    """A short phrase that says what ended it."""


class Game(Protocol):
    """The rules of one game, as functions of a state.

    Everything is deterministic: chance comes only from the dice that the referee hands in.
    """

    @property
    def spec(self) -> Spec:
        """The facts about the game."""

    def start(self, seats: int, dice: Dice, options: Options) -> State:
        """Returns the state before the first move, at a table of that many seats."""

    def to_move(self, state: State) -> Sequence[int]:
        """The seats that owe a move, ascending; empty at the end.

        Several seats move simultaneously: each stays here until its own move is made.
        """

    def legal(self, state: State, seat: int) -> list[Plain]:
        """Returns every move the seat may make now; never empty for a seat in `to_move`."""

    def apply(self, state: State, seat: int, move: Plain, dice: Dice) -> State:
        """Returns the state after the move; may reuse the old one.

        Raises IllegalMove before it changes anything.
        """

    def without(self, state: State, seat: int, dice: Dice) -> State:
        """Returns the state in which play goes on without that seat (three or more seats).

        If several seats are to move, their moves were checked before: those of the others must stay
        legal.
        """

    def view(self, state: State, seat: int | None) -> Plain:
        """Returns new data that holds exactly what the seat may know; None is the spectator."""

    def outcome(self, state: State) -> Outcome | None:
        """Returns the outcome once `to_move` is empty, else None."""

    def describe(self, move: Plain, view: Plain) -> str:
        """The transcript's text for a move that led to this view of a spectator.

        The move None is a step of chance.
        One line per event; without the mover's name, and without anything hidden.
        """

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """Returns a new state that looks the same to the seat, with its secrets dealt again."""


class GameHooks(Protocol):
    """The functions that the rules of a game may have beside those of `Game`. Each is optional.

    A game without a hook leaves the name out, or sets it to None.
    """

    def refusal(self, state: State, seat: int, move: Plain) -> str:
        """Returns the reason why the move is refused, in one sentence; "" if it is legal.

        The referee calls it before it makes simultaneous moves. It must not change the state.
        Without this hook the move is looked up in `legal`. The move may be any plain data.
        """

    def brief(self, state: State, seat: int) -> bytes | bytearray:
        """The view of a seat in `to_move`, as bytes; it is sent in place of the view.

        A bytearray may change with the state's next move.
        It must equal `brief_of(view(state, seat))` of the player module. The player module must
        have `brief_of` and `answer_brief`.
        """

    def batch(self, seats: int, options: Options) -> Batch | None:
        """The game's own loop for many bouts at a table of that size.

        Returns None if that table has none; then the general loop of all games plays.
        """

    def turns(self, moves: Sequence[Plain]) -> int:
        """How many turns a bout's moves make; `simulate` prints the mean.

        Without it, each move counts as a turn. In a bout in which nobody decides anything, each
        step of chance does.
        """

    def facts(self, state: State) -> dict[str, Any]:
        """Named facts of a bout that ended in this state, for `simulate`.

        Every bout has the same names. A value is a bool, an int, a dict of ints, or a dict of dicts
        of ints. If a fault ended the bout, the state may be one in mid-game.
        """


Ask: TypeAlias = Callable[[Any], Any]
"""Makes a move inside a decision. Returns the seat's view after it, or its brief if the question
was a brief. A tuple is several moves in a row."""


class PlayerModule(Protocol):
    """The names that a game's `player.py` must have, beside the base class of players. That class
    is named `Player` or assigned to `BASE`."""

    def answer(self, player: Any, view: Any, ask: Ask) -> Plain:
        """The player's move for this view. Any exception counts as the player's fault."""


class PlayerHooks(Protocol):
    """The names that a game's `player.py` may have besides. Each is optional."""

    BASE: type[Any]
    """The base class of players, if it is not called `Player`."""
    ALIASES: Mapping[str, str]
    """Names of modules that authors import, and the modules that are loaded in their place."""
    REMEMBERED: Mapping[str, bytes]
    """Names of files that a player opens to read its memory. Each has the content that the player
    reads while the memory is empty."""

    def brief_of(self, view: Any) -> bytes:
        """The bytes that `GameHooks.brief` returns, computed from the view alone."""

    def answer_brief(self, player: Any, brief: bytes, ask: Ask) -> Plain:
        """The player's move for this brief: equal to `answer` for the view."""

    def report(self, player: Any) -> object:
        """The player's diagnostics on its last move, as plain data; None for none.

        The game's `Spec` must say `diagnostics=True`.
        """

    def maker(self, chosen: type[Any]) -> Callable[[], object]:
        """Returns a function that makes a player of the author's class, if calling the class does
        not work."""

    def adopt(self, value: object, *, named: bool) -> type[Any] | None:
        """Returns a player class made from a value in the author's file that is not a class, such
        as a function; None if the value cannot be used.

        `named` is True if the author has named the value as the bot.
        """


class TerminalHooks(Protocol):
    """The names that a game's `terminal.py` may have. Each is optional."""

    EXPORTS: Mapping[str, Callable[[Any, Sequence[str]], Iterable[str]]]
    """File names, and for each a function that yields the file's text in parts.

    It takes a record (`matchbox.match.record.Record`) and the entrants' names, and may raise
    BadRecord.
    """


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move as a person sees it on the site."""

    words: str
    """The move as the text of a button, such as "Place a rose"."""
    group: str = ""
    """The heading over this and similar moves."""
    picks: tuple[str, ...] = ()
    """The parts of the board that a person clicks to make the move: values of `data-pick` in the
    drawing. If there are several, the person clicks each in turn, or drags the first onto the
    second."""


class ChoicesModule(Protocol):
    """The names that a game's `choices.py` must have, if the game has one. It describes moves for
    people."""

    def choice(self, move: Any, view: Any) -> Choice | None:
        """The legal move as the seat with this view sees it; None for one that is not offered."""


class ChoicesHooks(Protocol):
    """The names that a game's `choices.py` may have besides."""

    def question(self, moves: Sequence[Any], view: Any) -> str:
        """The question to the seat with this view and these legal moves, in a sentence or two."""


class DrawModule(Protocol):
    """The names that a game's `draw.py` must have, if the game has one. It draws positions."""

    def draw(self, view: Any) -> str:
        """The view as an SVG element."""


class DrawHooks(Protocol):
    """The names that a game's `draw.py` may have besides. Each is optional."""

    EVENTS: Sequence[str]
    """Phrases of `describe`: a spectator can jump to each step whose line has one of them."""
    ENDINGS: Mapping[str, str]
    """The values of `Outcome.why`, and the words that pages show in their place."""


Answers: TypeAlias = Mapping[int, Any]
"""The seats' answers, by seat."""


class Batch(Protocol):
    """Many bouts of one game side by side. A game may offer its own with `GameHooks.batch`.

    It plays as the game's `apply` and `view` do while every answer is a legal move. It hands a bout
    with any other answer back, and the referee continues that bout with these functions.
    """

    def start(self, bout: int, dice: SeededDice, seeds: list[str]) -> None:
        """Deals a bout. The seats' seeds are sent with their first questions."""

    def ask(self, seat: int) -> Sequence[tuple[int, Any, str | None]]:
        """The questions to that seat, each a matchbox.match.frames.Question: in a list, or in a
        matchbox.match.frame_codec.Asking. A question's content may change once it is answered."""

    def take(self, seat: int, answers: Sequence[Any]) -> list[tuple[int, list[Plain], Answers]]:
        """Takes one answer for each question. Returns the bouts that it cannot continue. Each is a
        tuple: the bout's number, the moves so far, and the answers to be taken next."""

    def over(self) -> list[tuple[int, list[Plain], Outcome]]:
        """Returns the bouts that have ended since the last call, without a fault.

        Each is a tuple: the bout's number, all its moves in the order in which they were made, and
        its outcome.
        """

    def leave(self) -> list[tuple[int, list[Plain], Answers]]:
        """Stops playing all bouts in progress and returns them, in the form that `take` returns.

        The referee calls it after a fault that may concern any of them.
        """


def fill_options(spec: Spec, given: Mapping[str, object]) -> dict[str, str | int | bool]:
    """Returns every option of the game by name, with defaults filled in.

    Text is converted to the type of the default. Raises BadOption for an unknown name or value.
    """
    unknown = sorted(set(given) - set(spec.options))
    if unknown:
        known = ", ".join(sorted(spec.options)) or "none"
        raise BadOption(f"{spec.name} has no option {quoted(unknown[0])}; its options: {known}")
    return {
        name: _read(spec, name, option, given.get(name, option.default))
        for name, option in sorted(spec.options.items())
    }


def check_seats(spec: Spec, seats: int) -> None:
    """Raises BadOption unless the game has tables of that size."""
    if seats not in spec.seats:
        sizes = ", ".join(map(str, spec.seats))
        players = "player" if sizes == "1" else "players"
        raise BadOption(f"{spec.name} is played by {sizes} {players}, not {seats}")


MAX_DIGITS: Final = 15
"""The most digits of a whole number in an option. With more it is not exact in JavaScript, as on
pages."""
_ANY: Final[Mapping[type, str]] = {
    str: "any text",
    int: f"any whole number of at most {MAX_DIGITS} digits",
    bool: "true or false",
}
"""The values of an option without choices, by the type of its default."""


def _read(spec: Spec, name: str, option: Option, value: object) -> str | int | bool:
    read = _from_text(type(option.default), value) if isinstance(value, str) else value
    fits = type(read) is type(option.default)
    if isinstance(read, int) and abs(read) >= 10**MAX_DIGITS:
        fits = False
    if not fits or (option.choices and read not in option.choices):
        allowed = ", ".join(map(str, option.choices)) or _ANY[type(option.default)]
        raise BadOption(
            f"option {name} of {spec.name} cannot be {quoted(value)}; allowed: {allowed}"
        )
    assert isinstance(read, str | int | bool)
    return read


def _from_text(kind: type, text: str) -> object:
    if kind is bool:
        return {"true": True, "false": False, "yes": True, "no": False}.get(text.lower(), text)
    if kind is int:
        amount = whole_number(text.removeprefix("-"), MAX_DIGITS)
        return text if amount is None else -amount if text.startswith("-") else amount
    return text
