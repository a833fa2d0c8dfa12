"""Checks the parts of an installed game: nothing may be missing, misspelt or incomplete.

Knows what `matchbox/game.py` declares; knows no game and finds none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from inspect import Parameter, Signature, signature
from types import FunctionType, ModuleType
from typing import Any, Final

from matchbox.dice import SeededDice
from matchbox.errors import BadGame
from matchbox.game import (
    MAX_DIGITS,
    Batch,
    ChoicesHooks,
    ChoicesModule,
    DrawHooks,
    DrawModule,
    Game,
    GameHooks,
    Option,
    PlayerHooks,
    PlayerModule,
    Spec,
    TerminalHooks,
    fill_options,
)

PAGE: Final = "docs/add-a-game.md"
LONGEST_RULES: Final = 16
"""The most characters of a version of the rules: those that the database's columns hold."""
_CLOSE: Final = 0.8
"""Two names at least this similar (1 is equal) are taken for a name and its misspelling."""
NAME: Final = re.compile(r"\w[\w.-]{0,31}")
"""The names that a game or an option may have."""
_BRIEFS: Final = ("brief_of", "answer_brief")
_CONTENT: Final[Mapping[str, type]] = {"ALIASES": str, "ENDINGS": str, "REMEMBERED": bytes}
"""The value type of each of these mappings; the keys are strings."""


def check_game(package: str, game: Any, player: ModuleType) -> None:
    """Checks the rules and the player module of a game. Raises BadGame with what to do."""
    rules, module = f"{package}.rules.GAME", f"{package}.player"
    _check_part(rules, game, Game, GameHooks)
    _check_spec(f"{rules}.spec", game.spec)
    _check_part(module, player, PlayerModule, PlayerHooks)
    if not isinstance(getattr(player, "BASE", None) or getattr(player, "Player", None), type):
        raise BadGame(f"{module} has no class Player; write one, or name another class in BASE")
    _check_briefs(rules, game, module, player)
    _check_reports(rules, game.spec, module, player)
    _check_batch(rules, game)
    _check_opening(rules, game)


def check_terminal(package: str, terminal: ModuleType) -> None:
    """Checks the terminal module of a game. Raises BadGame."""
    place = f"{package}.terminal"
    _check_misspelt(place, terminal, _declared(TerminalHooks))
    exports = getattr(terminal, "EXPORTS", {})
    if not isinstance(exports, Mapping) or not all(map(callable, exports.values())):
        raise BadGame(f"{place}.EXPORTS must hold a function for each file name")


def check_draw(package: str, draw: ModuleType) -> None:
    """Checks the module that draws a game. Raises BadGame."""
    place = f"{package}.draw"
    _check_part(place, draw, DrawModule, DrawHooks)
    events = getattr(draw, "EVENTS", ())
    if not isinstance(events, tuple | list) or not all(isinstance(one, str) for one in events):
        raise BadGame(f"{place}.EVENTS must be a tuple of str")


def check_choices(package: str, choices: ModuleType) -> None:
    """Checks the module that puts a game's moves into words. Raises BadGame."""
    _check_part(f"{package}.choices", choices, ChoicesModule, ChoicesHooks)


def _check_spec(place: str, spec: Any) -> None:
    """Checks the facts about a game, which are read without any further check."""
    if not isinstance(spec, Spec):
        raise BadGame(f"{place} is not a matchbox.game.Spec; see {PAGE}")
    if not isinstance(spec.name, str) or not NAME.fullmatch(spec.name):
        raise BadGame(
            f"{place}.name is {spec.name!r}; a game's name is part of addresses, so it has 1 to 32 "
            "letters, digits, -, _ and ., and begins with neither - nor ."
        )
    if not isinstance(spec.title, str) or not spec.title.strip():
        raise BadGame(f"{place}.title is {spec.title!r}; it must be the game's name for people")
    if not isinstance(spec.rules, str) or not 1 <= len(spec.rules) <= LONGEST_RULES:
        raise BadGame(
            f"{place}.rules is {spec.rules!r}; a version of the rules has 1 to {LONGEST_RULES} "
            "characters"
        )
    for name in ("cooperative", "balanced", "diagnostics"):
        if not isinstance(getattr(spec, name), bool):
            raise BadGame(f"{place}.{name} is {getattr(spec, name)!r}; it must be True or False")
    if not isinstance(spec.hidden, str):
        raise BadGame(f"{place}.hidden is {spec.hidden!r}; it must be a sentence, or empty")
    _check_sizes(place, spec)
    if not _is_number(spec.max_steps) or spec.max_steps < 1:
        raise BadGame(
            f"{place}.max_steps is {spec.max_steps!r}; it must be a whole number from 1 up"
        )
    if not isinstance(spec.options, Mapping):
        raise BadGame(f"{place}.options is {spec.options!r}; it must be a dict")
    for name, option in spec.options.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise BadGame(
                f"{place}.options has the name {name!r}; an option is set with name=value, so its "
                "name has 1 to 32 letters, digits, -, _ and ., and begins with neither - nor ."
            )
        _check_option(f"{place}.options[{name!r}]", option)


def _check_sizes(place: str, spec: Spec) -> None:
    """Checks the table sizes."""
    seats = spec.seats
    if not isinstance(seats, tuple | list | range) or not seats or not _are_sizes(seats):
        raise BadGame(
            f"{place}.seats is {seats!r}; it is a tuple of table sizes in ascending order, such as "
            "(2,) or (2, 3, 4)"
        )
    if seats[-1] == 1 and not spec.cooperative:
        raise BadGame(
            f"{place} has only tables of one, where nobody can win or lose: it needs "
            "cooperative=True, so that scores are compared"
        )


def _are_sizes(seats: Sequence[Any]) -> bool:
    """Whether these are table sizes, in ascending order."""
    return all(map(_is_number, seats)) and seats[0] >= 1 and list(seats) == sorted(set(seats))


def _is_number(value: object) -> bool:
    return type(value) is int


def _check_option(place: str, option: object) -> None:
    if not isinstance(option, Option):
        raise BadGame(f"{place} is {option!r}; it must be a matchbox.game.Option")
    if not isinstance(option.help, str):
        raise BadGame(f"{place} has the help {option.help!r}; it must be a text")
    kind, choices = type(option.default), option.choices
    if kind not in (str, int, bool):
        raise BadGame(f"{place} has the default {option.default!r}; it must be a str, int or bool")
    if not isinstance(choices, tuple | list) or any(type(one) is not kind for one in choices):
        raise BadGame(
            f"{place} has the choices {choices!r}; they must be a tuple of {kind.__name__}"
        )
    numbers = [one for one in (option.default, *choices) if isinstance(one, int)]
    if any(abs(one) >= 10**MAX_DIGITS for one in numbers):
        raise BadGame(f"{place} has a number of more than {MAX_DIGITS} digits; choose smaller ones")
    if choices and option.default not in choices:
        raise BadGame(
            f"{place} has the default {option.default!r}, which is not one of {choices!r}"
        )


def _check_part(place: str, part: Any, required: type, optional: type) -> None:
    """Checks an object or a module against its protocols."""
    wanted, hooks = _declared(required), _declared(optional)
    for name, declared in wanted.items():
        if getattr(part, name, None) is None:
            raise BadGame(f"{place} has no {_written(name, declared)}; write it, see {PAGE}")
    _check_misspelt(place, part, hooks)
    for name, declared in (wanted | hooks).items():
        found = getattr(part, name, None)
        if found is None:
            continue
        if declared is not None:
            _check_function(place, name, found, declared)
        elif (kind := _CONTENT.get(name)) is not None:
            _check_mapping(place, name, found, kind)


def _declared(protocol: type) -> dict[str, Signature | None]:
    """Returns the public names of a protocol. A function has its signature, without `self`; any
    other name has None."""
    found: dict[str, Signature | None] = {}
    # Another thread that asks for the annotations first adds them to the protocol meanwhile.
    for name, value in vars(protocol).copy().items():
        if name.startswith("_"):
            continue
        if isinstance(value, FunctionType):
            declared = signature(value)
            found[name] = declared.replace(parameters=list(declared.parameters.values())[1:])
        elif isinstance(value, property):
            found[name] = None
    return found | dict.fromkeys(protocol.__annotations__)


def _check_misspelt(place: str, part: Any, hooks: Mapping[str, Signature | None]) -> None:
    """Refuses a public name that is almost the name of a hook that the part lacks."""
    missing = {name.lower(): name for name in hooks if not hasattr(part, name)}
    for name in dir(part):
        if name.startswith("_") or name in hooks:
            continue
        meant = get_close_matches(name.lower(), missing, 1, _CLOSE)
        if meant and _is_alike(getattr(part, name), hooks[missing[meant[0]]]):
            raise BadGame(
                f"{place} has {name!r}, which is nearly the hook {missing[meant[0]]!r}: spell it "
                f"so, or begin the name of a helper of your own with an underscore"
            )


def _is_alike(value: object, declared: Signature | None) -> bool:
    """Whether both are functions, or neither is one."""
    function = callable(value) and not isinstance(value, type)
    return function == (declared is not None) and not isinstance(value, ModuleType)


def _check_function(place: str, name: str, found: Any, declared: Signature) -> None:
    if not callable(found):
        raise BadGame(f"{place}.{name} must be a function {_written(name, declared)}")
    try:
        taken = signature(found)
    except (TypeError, ValueError):  # Compiled functions may have no signature.
        return
    parameters = declared.parameters.values()
    named = [one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY]
    try:
        taken.bind(*[None] * (len(parameters) - len(named)), **dict.fromkeys(named))
    except TypeError:
        raise BadGame(
            f"{place}.{name} takes {taken}; it is called as {_written(name, declared)}"
        ) from None


def _check_mapping(place: str, name: str, found: object, kind: type) -> None:
    if isinstance(found, Mapping) and all(
        isinstance(key, str) and isinstance(value, kind) for key, value in found.items()
    ):
        return
    raise BadGame(f"{place}.{name} must be a dict of str to {kind.__name__}")


def _check_briefs(rules: str, game: Any, module: str, player: ModuleType) -> None:
    """Checks that a game has brief, brief_of and answer_brief, or none of them."""
    missing = [name for name in _BRIEFS if getattr(player, name, None) is None]
    if getattr(game, "brief", None) is not None:
        if missing:
            raise BadGame(f"{rules} has brief, so {module} must have {' and '.join(missing)}")
    elif len(missing) < len(_BRIEFS):
        found = next(name for name in _BRIEFS if name not in missing)
        raise BadGame(f"{module} has {found}, so {rules} must have brief(state, seat)")


def _check_reports(rules: str, spec: Spec, module: str, player: ModuleType) -> None:
    reports = getattr(player, "report", None) is not None
    if spec.diagnostics and not reports:
        raise BadGame(f"{rules}.spec says diagnostics=True, so {module} must have report(player)")
    if reports and not spec.diagnostics:
        raise BadGame(f"{module} has report, so {rules}.spec must say diagnostics=True")


def _check_batch(rules: str, game: Any) -> None:
    """Checks that the batch of the smallest table, if any, has all functions."""
    batch, spec = getattr(game, "batch", None), game.spec
    made = batch(spec.seats[0], fill_options(spec, {})) if batch is not None else None
    if made is None:
        return
    for name, declared in _declared(Batch).items():
        if not callable(getattr(made, name, None)):
            raise BadGame(f"what {rules}.batch returns has no {_written(name, declared)}")


def _check_opening(rules: str, game: Any) -> None:
    """Checks what `to_move` returns at the beginning.

    Any other error of the game is reported by the first command or match that meets it.
    """
    spec = game.spec
    try:
        state = game.start(spec.seats[0], SeededDice(bytes(16), 0), fill_options(spec, {}))
        movers = game.to_move(state)
    except Exception:  # noqa: BLE001 - an installed game may raise anything
        return
    if movers is not None and not (isinstance(movers, Sequence) and all(map(_is_number, movers))):
        raise BadGame(
            f"{rules}.to_move returns {movers!r} at the start; it returns a tuple of the seats "
            "that owe a move, such as (0,), or (CHANCE,)"
        )


def _written(name: str, declared: Signature | None) -> str:
    """The name as an author writes it: a function with its arguments."""
    if declared is None:
        return name
    words = [
        f"{one.name}=..." if one.kind is Parameter.KEYWORD_ONLY else one.name
        for one in declared.parameters.values()
    ]
    return f"{name}({', '.join(words)})"
