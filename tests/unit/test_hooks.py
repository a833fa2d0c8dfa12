"""The hooks of an installed game are checked by name: none missing, misspelt or incomplete."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from types import ModuleType
from typing import Any, Protocol

import pytest

from matchbox import hooks
from matchbox.errors import BadGame
from matchbox.game import CHANCE, Option, Spec
from matchbox.hooks import check_choices, check_draw, check_game, check_terminal


class Rules:
    """A game without hooks."""

    spec = Spec("nim", "Nim", (2,), "1")

    def start(self, seats: int, dice: Any, options: Any) -> Any: ...
    def to_move(self, state: Any) -> Any: ...
    def legal(self, state: Any, seat: int) -> Any: ...
    def apply(self, state: Any, seat: int, move: Any, dice: Any) -> Any: ...
    def without(self, state: Any, seat: int, dice: Any) -> Any: ...
    def view(self, state: Any, seat: int | None) -> Any: ...
    def outcome(self, state: Any) -> Any: ...
    def describe(self, move: Any, view: Any) -> Any: ...
    def resample(self, state: Any, seat: int | None, dice: Any) -> Any: ...


class HalfBatch:
    """A batch without the function that gives back its bouts."""

    def start(self, bout: int, dice: Any, seeds: Any) -> None: ...
    def ask(self, seat: int) -> Any: ...
    def take(self, seat: int, answers: Any) -> Any: ...
    def over(self) -> Any: ...


class Player:
    """The authors' base class."""


def player(**names: Any) -> ModuleType:
    """Returns a player module with these names and no other hooks."""
    module = ModuleType("nim.player")
    vars(module).update({"Player": Player, "answer": lambda player, view, ask: None, **names})
    return module


def game(**names: Any) -> Any:
    """Returns the rules with these names added or replaced."""
    return type("Nim", (Rules,), names)()


def brief(self: Any, state: Any, seat: int) -> bytes:
    return b""


def two(one: Any, other: Any) -> None: ...
def three(one: Any, other: Any, third: Any) -> None: ...
def adopt(value: object, *, named: bool) -> None: ...


BRIEFS = {"brief_of": lambda view: b"", "answer_brief": three}
REPORTING = Spec("nim", "Nim", (2,), "1", diagnostics=True)


def test_a_game_with_nothing_optional_is_taken() -> None:
    check_game("nim", game(), player())


def test_a_game_with_all_that_is_optional_is_taken() -> None:
    rules = game(
        spec=REPORTING,
        brief=brief,
        batch=lambda self, seats, options: None,
        refusal=lambda self, state, seat, move: "",
        turns=lambda self, moves: 1,
        facts=lambda self, state: {},
    )
    module = player(
        **BRIEFS,
        ALIASES={"old": "nim"},
        REMEMBERED={"file.json": b""},
        BASE=Player,
        maker=lambda chosen: chosen,
        adopt=adopt,
        report=lambda player: None,
    )
    check_game("nim", rules, module)


def test_a_hook_that_is_none_is_left_out() -> None:
    check_game("nim", game(batch=None, brief=None), player(report=None))


@pytest.mark.parametrize(
    "name, hook",
    [("briefs", "brief"), ("batches", "batch"), ("refusals", "refusal"), ("turn", "turns")],
)
def test_a_misspelt_hook_of_the_rules_is_refused_by_name(name: str, hook: str) -> None:
    rules = game(**{name: lambda self, state: None})
    with pytest.raises(BadGame, match=rf"nim\.rules\.GAME has '{name}', .* the hook '{hook}'"):
        check_game("nim", rules, player())


@pytest.mark.parametrize(
    "name, value, hook",
    [
        ("aliases", {}, "ALIASES"),
        ("ALIAS", {}, "ALIASES"),
        ("REMEMBER", {}, "REMEMBERED"),
        ("answer_briefs", three, "answer_brief"),
        ("reports", two, "report"),
        ("adopts", adopt, "adopt"),
    ],
)
def test_a_misspelt_hook_of_the_player_is_refused_by_name(name: str, value: Any, hook: str) -> None:
    with pytest.raises(BadGame, match=rf"nim\.player has '{name}', .* the hook '{hook}'"):
        check_game("nim", game(), player(**{name: value}))


def test_what_is_only_like_a_hook_is_not_refused() -> None:
    names = {"_briefs": two, "Report": Player, "base": two}
    check_game("nim", game(_turn=1, brief=brief, briefs=two), player(**BRIEFS, **names))


@pytest.mark.parametrize("name", ["start", "legal", "resample"])
def test_a_function_that_is_missing_is_named(name: str) -> None:
    with pytest.raises(BadGame, match=rf"GAME has no {name}\(.*\); write it"):
        check_game("nim", game(**{name: None}), player())


def test_a_player_module_has_a_driver_and_a_class() -> None:
    with pytest.raises(BadGame, match=r"nim\.player has no answer\(player, view, ask\)"):
        check_game("nim", game(), player(answer=None))
    with pytest.raises(BadGame, match=r"nim\.player has no class Player"):
        check_game("nim", game(), player(Player=None))
    check_game("nim", game(), player(Player=None, BASE=Player))


def test_the_specification_is_one() -> None:
    with pytest.raises(BadGame, match=r"GAME\.spec is not a matchbox\.game\.Spec"):
        check_game("nim", game(spec={"name": "nim"}), player())


@pytest.mark.parametrize("version", ["", "2026.11.27-beta.1", 1])
def test_a_version_of_the_rules_that_no_column_holds_is_refused(version: Any) -> None:
    with pytest.raises(BadGame, match="a version of the rules has 1 to 16 characters"):
        check_game("nim", game(spec=Spec("nim", "Nim", (2,), version)), player())
    check_game("nim", game(spec=Spec("nim", "Nim", (2,), "2026.11.27-beta1")), player())


@pytest.mark.parametrize("title", ["", " ", None])
def test_a_game_has_a_title(title: Any) -> None:
    with pytest.raises(BadGame, match=r"rules\.GAME\.spec\.title is .* name for people"):
        check_game("nim", game(spec=Spec("nim", title, (2,), "1")), player())


@pytest.mark.parametrize("movers", [0, {0}, "0", (True,), ("0",)])
def test_the_seats_that_begin_are_a_tuple_of_numbers(movers: Any) -> None:
    with pytest.raises(
        BadGame, match=r"rules\.GAME\.to_move returns .* at the start; it returns a"
    ):
        check_game("nim", game(to_move=lambda self, state: movers), player())
    for taken in ((0,), [0, 1], (CHANCE,)):
        check_game("nim", game(to_move=lambda self, state, taken=taken: taken), player())


@pytest.mark.parametrize("name", ["", "..", ".nim", "-nim", "tic tac", "tic/tac", "t" * 33, None])
def test_a_name_that_no_address_or_column_holds_is_refused(name: Any) -> None:
    with pytest.raises(BadGame, match=r"rules\.GAME\.spec\.name is .* 1 to 32 letters"):
        check_game("nim", game(spec=Spec(name, "Nim", (2,), "1")), player())
    check_game("nim", game(spec=Spec("Nim_2.1-ü", "Nim", (2,), "1")), player())


@pytest.mark.parametrize("seats", [2, (), (0, 2), (3, 2), (2, 2), ("2",), "2", None])
def test_table_sizes_that_no_table_can_have_are_refused(seats: Any) -> None:
    with pytest.raises(BadGame, match=r"rules\.GAME\.spec\.seats is .* a tuple of table sizes"):
        check_game("nim", game(spec=Spec("nim", "Nim", seats, "1")), player())
    for taken in ((2,), [2, 4], range(2, 8)):
        check_game("nim", game(spec=Spec("nim", "Nim", taken, "1")), player())  # type: ignore[arg-type]


def test_a_game_for_one_alone_is_cooperative() -> None:
    with pytest.raises(BadGame, match="needs cooperative=True"):
        check_game("nim", game(spec=Spec("nim", "Nim", (1,), "1")), player())
    check_game("nim", game(spec=Spec("nim", "Nim", (1,), "1", cooperative=True)), player())
    check_game("nim", game(spec=Spec("nim", "Nim", (1, 2), "1")), player())


@pytest.mark.parametrize(
    "wrong",
    [{"cooperative": "no"}, {"balanced": 1}, {"diagnostics": None}, {"hidden": None}],
    ids=str,
)
def test_what_else_a_specification_says_has_its_type(wrong: Any) -> None:
    (name,) = wrong
    with pytest.raises(BadGame, match=rf"spec\.{name} is {wrong[name]!r}; it must be"):
        check_game("nim", game(spec=Spec("nim", "Nim", (2,), "1", **wrong)), player())


@pytest.mark.parametrize("name", ["", "a=b", "a b", "-a", 3])
def test_an_option_has_a_name_that_a_command_line_takes(name: Any) -> None:
    spec = Spec("nim", "Nim", (2,), "1", {name: Option(3, "the size")})
    with pytest.raises(BadGame, match=rf"spec\.options has the name {name!r}; an option is set"):
        check_game("nim", game(spec=spec), player())


@pytest.mark.parametrize("most", [0, 9.0, None])
def test_the_most_steps_of_a_bout_are_a_number(most: Any) -> None:
    with pytest.raises(BadGame, match=r"spec\.max_steps is .* a whole number from 1 up"):
        check_game("nim", game(spec=Spec("nim", "Nim", (2,), "1", max_steps=most)), player())


@pytest.mark.parametrize(
    "option, why",
    [
        (3, "is 3; it must be a matchbox.game.Option"),
        (Option(2.5, "the size"), "has the default 2.5; it must be a str, int or bool"),  # type: ignore[arg-type]
        (Option(None, "the size"), "has the default None"),  # type: ignore[arg-type]
        (Option("abc", "the size", "abc"), "has the choices 'abc'; they must be a tuple of str"),  # type: ignore[arg-type]
        (Option(1, "the size", (True, 1)), "has the choices .*; they must be a tuple of int"),
        (Option(10**15, "the size"), "has a number of more than 15 digits; choose smaller ones"),
        (Option(1, "the size", (1, -(10**15))), "has a number of more than 15 digits"),
        (Option(3, None), "has the help None; it must be a text"),  # type: ignore[arg-type]
        (Option(3, "the size", (4, 5)), "has the default 3, which is not one of"),
    ],
)
def test_an_option_that_nobody_can_set_is_refused_by_name(option: Any, why: str) -> None:
    spec = Spec("nim", "Nim", (2,), "1", {"size": option})
    with pytest.raises(BadGame, match=rf"spec\.options\['size'\] {why}"):
        check_game("nim", game(spec=spec), player())


@pytest.mark.parametrize(
    "name, function, shape",
    [
        ("turns", lambda self: 1, r"turns\(moves\)"),
        ("facts", lambda self, state, seat: {}, r"facts\(state\)"),
        ("apply", lambda self, state, seat, move: state, r"apply\(state, seat, move, dice\)"),
    ],
)
def test_a_function_of_the_rules_that_takes_something_else_is_refused(
    name: str, function: Callable[..., Any], shape: str
) -> None:
    with pytest.raises(BadGame, match=rf"GAME\.{name} takes \(.*\); it is called as {shape}"):
        check_game("nim", game(**{name: function}), player())


def test_a_function_of_the_player_that_takes_something_else_is_refused() -> None:
    with pytest.raises(BadGame, match=r"player\.adopt takes .* as adopt\(value, named=\.\.\.\)"):
        check_game("nim", game(), player(adopt=two))
    with pytest.raises(BadGame, match=r"player\.answer must be a function answer"):
        check_game("nim", game(), player(answer="move"))
    check_game("nim", game(), player(answer=lambda player, view, ask, more=1: None))


@pytest.mark.parametrize(
    "name, value", [("ALIASES", ["old"]), ("ALIASES", {"old": 1}), ("REMEMBERED", {"file": "{}"})]
)
def test_names_in_a_wrong_shape_are_refused(name: str, value: Any) -> None:
    with pytest.raises(BadGame, match=rf"nim\.player\.{name} must be a dict of str to"):
        check_game("nim", game(), player(**{name: value}))


def test_a_brief_needs_what_writes_it_and_what_reads_it() -> None:
    with pytest.raises(BadGame, match=r"player must have brief_of and answer_brief"):
        check_game("nim", game(brief=brief), player())
    with pytest.raises(BadGame, match=r"player must have answer_brief"):
        check_game("nim", game(brief=brief), player(brief_of=lambda view: b""))
    with pytest.raises(BadGame, match=r"nim\.player has brief_of, so .* must have brief\("):
        check_game("nim", game(), player(**BRIEFS))


def test_diagnostics_need_a_report_and_a_report_diagnostics() -> None:
    with pytest.raises(BadGame, match=r"so nim\.player must have report\(player\)"):
        check_game("nim", game(spec=REPORTING), player())
    with pytest.raises(BadGame, match="spec must say diagnostics=True"):
        check_game("nim", game(), player(report=lambda player: None))


def test_a_batch_has_all_its_functions() -> None:
    rules = game(batch=lambda self, seats, options: HalfBatch())
    with pytest.raises(BadGame, match=r"what nim\.rules\.GAME\.batch returns has no leave\(\)"):
        check_game("nim", rules, player())


def test_the_terminal_module_is_checked_where_its_files_are_asked_for() -> None:
    terminal = ModuleType("nim.terminal")
    check_terminal("nim", terminal)
    vars(terminal)["EXPORTS"] = {"results.json": two}
    check_terminal("nim", terminal)
    vars(terminal)["EXPORTS"] = {"results.json": "results"}
    with pytest.raises(BadGame, match=r"nim\.terminal\.EXPORTS must hold a function"):
        check_terminal("nim", terminal)
    vars(terminal)["EXPORT"] = vars(terminal).pop("EXPORTS")
    with pytest.raises(BadGame, match=r"nim\.terminal has 'EXPORT', .* the hook 'EXPORTS'"):
        check_terminal("nim", terminal)


def module(name: str, **names: Any) -> ModuleType:
    """Returns a module of the game with these names."""
    made = ModuleType(f"nim.{name}")
    vars(made).update(names)
    return made


def draw(view: Any) -> str:
    return "<svg/>"


def test_a_drawing_may_have_every_hook_or_none() -> None:
    check_draw("nim", module("draw", draw=draw))
    check_draw("nim", module("draw", draw=draw, EVENTS=("takes",), ENDINGS={"last": "the end"}))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({}, r"nim\.draw has no draw\(view\); write it"),
        ({"draw": two}, r"nim\.draw\.draw takes .*; it is called as draw\(view\)"),
        ({"draw": draw, "EVENT": ("takes",)}, r"nim\.draw has 'EVENT', .* the hook 'EVENTS'"),
        ({"draw": draw, "ENDING": {}}, r"nim\.draw has 'ENDING', .* the hook 'ENDINGS'"),
        ({"draw": draw, "EVENTS": "takes"}, r"nim\.draw\.EVENTS must be a tuple of str"),
        ({"draw": draw, "EVENTS": (1,)}, r"nim\.draw\.EVENTS must be a tuple of str"),
        (
            {"draw": draw, "ENDINGS": {"last": 1}},
            r"nim\.draw\.ENDINGS must be a dict of str to str",
        ),
    ],
)
def test_a_misspelt_or_half_made_drawing_is_refused(names: dict[str, Any], why: str) -> None:
    with pytest.raises(BadGame, match=why):
        check_draw("nim", module("draw", **names))


def test_choices_may_have_a_question() -> None:
    check_choices("nim", module("choices", choice=two))
    check_choices("nim", module("choices", choice=two, question=two))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"question": two}, r"nim\.choices has no choice\(move, view\); write it"),
        ({"choice": three}, r"nim\.choices\.choice takes .*; it is called as choice\(move, view\)"),
        ({"choice": two, "questions": two}, r"nim\.choices has 'questions', .* hook 'question'"),
        ({"choice": two, "question": "Which?"}, r"nim\.choices\.question must be a function"),
        ({"choice": two, "question": draw}, r"it is called as question\(moves, view\)"),
    ],
)
def test_misspelt_or_half_made_choices_are_refused(names: dict[str, Any], why: str) -> None:
    with pytest.raises(BadGame, match=why):
        check_choices("nim", module("choices", **names))


def test_two_threads_may_check_their_first_game_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Part(Protocol):
        def start(self, seats: int) -> Any: ...
        def stop(self) -> Any: ...

    def as_another_thread_asks(function: Any) -> Signature:
        assert Part.__annotations__ == {}  # The first to ask adds them to the class.
        return signature(function)

    monkeypatch.setattr(hooks, "signature", as_another_thread_asks)
    assert list(hooks._declared(Part)) == ["start", "stop"]
