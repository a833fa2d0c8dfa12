"""The boards that a player sees, its moves, and the driver that asks it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest

from matchbox.errors import IllegalMove
from matchbox.games.creatures import (
    AutoPilot,
    Card,
    GameControl,
    Mana,
    Player,
    StillLearning,
    battle,
    deck,
    destroy,
    find_by_name,
    memory,
)
from matchbox.games.creatures.kinds import ACTIONS
from matchbox.games.creatures.player import answer, maker, sit_down
from matchbox.games.creatures.rules import GAME
from tests.fakes import LeastDice
from tests.unit.games.creatures.test_rules import a_side, a_state, view


class Doing(Player):
    """A player that does the given thing in its turn or when it is attacked."""

    def __init__(self, turn: Callable[[Any], Any], block: Callable[..., Any] | None = None) -> None:
        super().__init__("Doing")
        self._turn, self._block = turn, block

    def turn_prompt(self) -> Any:
        return self._turn(self)

    def will_block(self, attacker: Card) -> None:
        if self._block:
            self._block(self, attacker)


class Referee:
    """Plays the moves of one seat through the rules, and keeps them."""

    def __init__(self, state: Any) -> None:
        self.state, self.moves = state, []  # type: tuple[Any, list[Any]]

    def ask(self, move: Any) -> Any:
        seat = GAME.to_move(self.state)[0]
        GAME.apply(self.state, seat, move, LeastDice())
        self.moves.append(move)
        while GAME.to_move(self.state) and GAME.to_move(self.state)[0] != seat:
            GAME.apply(self.state, 1 - seat, GAME.legal(self.state, 1 - seat)[-1], LeastDice())
        return GAME.view(self.state, seat)


def a_turn(state: Any, turn: Callable[[Any], Any], player: Any = None) -> list[Any]:
    """Returns the moves of a player that does this once in its turn."""
    referee = Referee(state)
    last = answer(player or Doing(turn), view(state, 0), referee.ask)
    assert last == "done"
    return referee.moves


def an_attack(state: Any, block: Callable[..., Any]) -> Any:
    """Returns the answer of a player that does this when seat 0's first creature attacks."""
    GAME.apply(state, 0, ["attack", 1], LeastDice())
    return answer(Doing(lambda _: False, block), view(state, 1), no_ask)


def no_ask(move: Any) -> Any:
    raise AssertionError(f"{move} was made where none can be")


# --- Cards -----------------------------------------------------------------------------------


def test_a_card_says_what_it_is() -> None:
    card = Card("creature", "Bear", 2, 2)
    assert (str(card), repr(card)) == ("Bear (2)", "Bear")
    assert [card.tapped, card.attacked, card.blocked] == [False] * 3
    card.tap()
    assert card.tapped
    card.untap()
    assert not card.tapped


def test_the_deck_has_forty_cards() -> None:
    assert len(deck) == 40
    assert sum(card.kind == "land" for card in deck) == 20
    dragon = find_by_name(deck, "Dragon")
    assert dragon is not None
    assert (dragon.kind, dragon.cost, dragon.power) == ("creature", 6, 6)
    assert find_by_name(deck, "Goblin") is None


def test_mana_is_an_amount() -> None:
    assert Mana(3).amount == 3
    assert str(Mana(3)) == "3 mana"


# --- What is seen ----------------------------------------------------------------------------


def test_a_player_sees_both_sides() -> None:
    state = a_state(
        a_side("Bear Land", "Knight Bear*", 3, tapped=1, mana=1, life=12, discard="Dragon"),
        a_side("Land Land", "Vampire", 2, life=7, deck="Land"),
    )

    def look(me: Any) -> None:
        assert [card.name for card in me.board.hand] == ["Bear", "Land"]
        assert [(card.name, card.tapped) for card in me.board.field] == [
            ("Knight", False), ("Bear", True),
        ]  # fmt: skip
        assert [land.tapped for land in me.board.lands] == [True, False, False]
        assert (me.life, me.opponent.life) == (12, 7)
        assert (me.board.mana.amount, me.board.playedland) == (1, False)
        assert repr(me.board.dpile) == "[Dragon]"
        assert repr(me.opponent.board.field) == "[Vampire]"
        assert len(me.opponent.board.lands) == 2
        assert me.opponent.opponent is me

    assert a_turn(state, look) == []


def test_of_what_is_hidden_only_the_length_shows() -> None:
    def look(me: Any) -> None:
        for zone in (me.opponent.board.hand, me.opponent.board.deck, me.board.deck):
            assert len(zone) == 3
            assert {(card.kind, card.name, card.cost) for card in zone} == {("hidden", "?", 0)}
            assert find_by_name(zone, "Dragon") is None

    a_turn(a_state(a_side(), a_side("Dragon Dragon Land")), look)


def test_what_a_player_changes_changes_nothing_in_the_game() -> None:
    state = a_state(a_side("Land Bear", "Bear*", 1), a_side(field="Knight"))

    def cheat(me: Any) -> None:
        me.life = me.opponent.life = 0
        me.board.hand.append(Card("creature", "Dragon", 0, 99))
        me.board.mana.amount = 50
        me.board.field[0].untap()
        me.board.move_card(me.board.hand[0], me.board.hand, me.board.field)
        me.board.untap_all()
        me.board.draw()
        me.opponent.board.field.clear()
        destroy(me.opponent, None)  # type: ignore[arg-type]
        assert not me.board.summon("Dragon")
        assert not me.board.summon("Bear")
        assert not me.attack("Bear")
        assert me.board.play_land()
        assert me.life == 20
        assert [card.name for card in me.board.hand] == ["Bear"]

    assert a_turn(state, cheat) == ["land"]
    assert view(state, 1)["me"]["field"] == [[1, "Knight", ""]]


def test_a_card_stays_the_same_object_while_it_is_in_sight() -> None:
    state = a_state(a_side("Land Bear Bear", lands=3), a_side(field="Knight"))

    def follow(me: Any) -> None:
        land, bear, other = me.board.hand
        knight = me.opponent.board.field[0]
        me.board.play_land()
        assert any(card is land for card in me.board.lands)
        me.board.tap_all()
        me.board.summon("Bear")
        assert me.board.field[0] is bear
        assert me.board.hand == [other]
        me.attack(bear)
        assert me.board.dpile == [bear]
        assert me.opponent.board.field == [knight]
        assert knight.blocked
        assert knight.tapped

    moves = a_turn(state, follow)
    assert moves == ["land", ["tap", 4], ["summon", "Bear"], ["attack", 1]]


def test_lands_and_the_discard_pile_lie_there_from_the_first_look() -> None:
    state = a_state(a_side("Land Bear", lands=3), a_side(field="Knight"))

    def look(me: Any) -> None:
        land, bear = me.board.hand
        me.board.play_land()
        me.board.tap_all()
        assert land.tapped
        land.untap()
        assert not {"lands", "dpile"} & set(vars(me.board))
        assert me.board.lands[-1] is land
        assert [card.tapped for card in me.board.lands] == [True, True, True, False]
        me.board.lands.pop(0)
        me.board.summon("Bear")
        assert [card.tapped for card in me.board.lands] == [True, True, True, True]
        assert me.board.dpile == []
        me.attack(bear)
        assert me.board.dpile == [bear]

    a_turn(state, look)


def test_lists_that_a_player_kept_are_brought_up_to_date() -> None:
    def keep(me: Any) -> None:
        hand, lands = me.board.hand, me.board.lands
        me.board.play_land()
        assert (len(hand), len(lands)) == (1, 1)

    a_turn(a_state(a_side("Land Bear")), keep)


# --- What is done ----------------------------------------------------------------------------


def test_a_name_means_the_first_untapped_creature() -> None:
    def attack(me: Any) -> None:
        assert me.attack("Bear")
        assert me.attack("Bear")
        assert not me.attack("Bear")

    state = a_state(a_side(field="Bear* Bear Knight Bear"))
    assert a_turn(state, attack) == [["attack", 2], ["attack", 4]]


def test_a_land_can_be_tapped_alone() -> None:
    def tap(me: Any) -> None:
        assert me.board.tap_for_mana(me.board.lands[1])
        assert [land.tapped for land in me.board.lands] == [False, True, False]
        assert not me.board.tap_for_mana(me.board.lands[1])
        assert not me.board.tap_for_mana(Card("land", "Land"))
        assert me.board.mana.amount == 1
        assert me.board.tap_all()
        assert not me.board.tap_all()

    assert a_turn(a_state(a_side(lands=3)), tap) == [["tap", 1], ["tap", 2]]


IMPOSSIBLE: dict[str, Callable[[Any], Any]] = {
    "a second land": lambda me: me.board.play_land() and me.board.play_land(),
    "a creature without mana": lambda me: me.board.summon("Bear"),
    "a land as a creature": lambda me: me.board.summon("Land"),
    "a name that is not there": lambda me: me.board.summon("Goblin"),
    "no name at all": lambda me: me.board.summon(None),
    "a list as a name": lambda me: me.board.summon(["Bear"]),
    "a tapped attacker": lambda me: me.attack("Knight"),
    "somebody else's creature": lambda me: me.attack(me.opponent.board.field[0]),
    "an attack with nothing": lambda me: me.attack(None),
    "a block in one's own turn": lambda me: me.block(None, "Knight"),
    "a battle in one's own turn": lambda me: battle(me, None, me.opponent, None),  # type: ignore
    "an action of the opponent": lambda me: me.opponent.attack("Vampire"),
    "a land of the opponent": lambda me: me.opponent.board.play_land(),
}


@pytest.mark.parametrize("wish", IMPOSSIBLE)
def test_what_is_not_possible_does_nothing_and_the_turn_goes_on(wish: str) -> None:
    state = a_state(a_side("Land Land Bear", "Knight*"), a_side("Land", "Vampire"))
    done: list[Any] = []
    moves = a_turn(state, lambda me: done.append(IMPOSSIBLE[wish](me)))
    assert moves in ([], ["land"])
    assert not done[0]


def test_true_asks_again_and_false_ends_the_turn() -> None:
    answers = iter([True, True, False])
    assert a_turn(a_state(), lambda _: next(answers)) == []
    assert next(answers, "all were asked for") == "all were asked for"


@pytest.mark.parametrize("turn", [lambda _: True, lambda me: [me.attack("x") for _ in range(2000)]])
def test_there_is_a_cap_on_actions(turn: Any) -> None:
    asked: list[Any] = []
    with pytest.raises(IllegalMove, match=f"more than {ACTIONS} actions"):
        answer(Doing(turn), view(a_state(), 0), asked.append)
    assert asked == [f"more than {ACTIONS} actions in one turn"]


def test_the_cap_begins_anew_with_every_turn() -> None:
    player = Doing(lambda me: [me.attack("x") for _ in range(900)] and False)
    for _ in range(3):
        assert a_turn(a_state(), lambda _: False, player) == []


def test_a_board_that_was_kept_does_nothing_outside_its_turn() -> None:
    player = Doing(lambda me: False)
    a_turn(a_state(a_side("Land")), lambda _: False, player)
    assert not player.board.play_land()


def test_a_player_who_sits_nowhere_can_do_nothing() -> None:
    player = AutoPilot("Ann")
    assert player.turn_prompt() is False
    player.will_block(Card("creature", "Bear", 2, 2))
    assert not player.block(deck[0], deck[0])
    assert not GameControl().tap_all()
    assert repr(player) == "AutoPilot('Ann')"


# --- An attack -------------------------------------------------------------------------------

ANSWERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "nothing": (lambda me, attacker: None, "pass"),
    "taking the damage": (lambda me, attacker: me.take_damage(attacker.power), "pass"),
    "a block by card": (lambda me, attacker: me.block(attacker, me.board.field[1]), ["block", 2]),
    "a block by name": (lambda me, attacker: me.block(attacker, "Knight"), ["block", 2]),
    "a battle": (
        lambda me, attacker: battle(me.opponent, attacker, me, me.board.field[1]), ["block", 2],
    ),
    "a tapped blocker": (lambda me, attacker: me.block(attacker, me.board.field[0]), "pass"),
    "a tapped one, then another": (
        lambda me, attacker: me.block(attacker, "Bear") or me.block(attacker, "Knight"),
        ["block", 2],
    ),
    "damage, then a block": (
        lambda me, attacker: me.take_damage(3) or me.block(attacker, "Knight"), "pass",
    ),
    "a block, then damage": (
        lambda me, attacker: me.block(attacker, "Knight") and me.take_damage(3), ["block", 2],
    ),
    "an attack meanwhile": (lambda me, attacker: me.attack("Knight"), "pass"),
    "the attacker itself": (lambda me, attacker: me.block(attacker, attacker), "pass"),
}  # fmt: skip


@pytest.mark.parametrize("told", ANSWERS)
def test_what_answers_an_attack(told: str) -> None:
    block, wanted = ANSWERS[told]
    assert (
        an_attack(a_state(a_side(field="Vampire"), a_side(field="Bear* Knight")), block) == wanted
    )


def test_the_attacked_sees_the_attacker() -> None:
    def look(me: Any, attacker: Card) -> None:
        assert attacker is me.opponent.board.field[0]
        assert (attacker.name, attacker.power, attacker.attacked) == ("Vampire", 5, True)

    assert an_attack(a_state(a_side(field="Vampire"), a_side(field="Knight")), look) == "pass"


def test_there_is_a_cap_when_attacked_too() -> None:
    def endless(me: Any, attacker: Card) -> None:
        while not me.block(attacker, "Goblin"):
            pass

    with pytest.raises(IllegalMove, match="more than"):
        an_attack(a_state(a_side(field="Vampire"), a_side(field="Knight")), endless)


def test_the_base_class_asks_for_its_methods() -> None:
    card = Card("creature", "Bear", 2, 2)
    calls: list[Callable[[], object]] = [
        Player().turn_prompt,
        lambda: Player().will_block(card),
        lambda: Player().who_blocks(card),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match="method"):
            call()


# --- Making players --------------------------------------------------------------------------


def test_a_player_is_made_with_the_name_of_its_class_where_it_must_have_one() -> None:
    class Named(Player):
        def __init__(self, name: str) -> None:
            super().__init__(name + "!")

    class Nameless(Player):
        def __init__(self) -> None:
            super().__init__()

    assert [maker(one)().name for one in (Named, Nameless, AutoPilot)] == [
        "Named!", "Nameless", "AutoPilot",
    ]  # fmt: skip


def test_a_player_that_forgets_its_own_base_class_sits_down_all_the_same() -> None:
    class Forgetful(Player):
        def __init__(self) -> None:
            self.turns = 0

        def turn_prompt(self) -> bool:
            self.turns += self.board.play_land()
            return False

    player = Forgetful()
    assert a_turn(a_state(a_side("Land")), lambda _: False, player) == ["land"]
    assert player.turns == 1


def test_sitting_down_again_begins_a_new_duel() -> None:
    player = AutoPilot("Ann")
    sit_down(player, "Bob")
    first = player.board
    player.lose = True
    sit_down(player, "Bob")
    a_turn(a_state(a_side("Land")), lambda _: False, player)
    assert player.board is not first
    assert not player.lose
    assert player.opponent is not None
    assert player.opponent.name == "Bob"


@pytest.mark.parametrize("looks", [False, True])
def test_a_duel_that_is_over_leaves_nothing_to_the_collector(looks: bool) -> None:
    class Watching(AutoPilot):
        def turn_prompt(self) -> bool:
            assert not looks or len(self.opponent.board.field) == 1
            return super().turn_prompt()

    gc.collect()
    gc.disable()
    try:
        player = Watching("Ann")
        state = a_state(a_side("Land Bear", "Bear", 3), a_side("", "Bear", 3))
        a_turn(state, lambda _: False, player)
        left = ref(player), ref(player.board), ref(player.opponent), ref(player.opponent.board)
        del player
        assert [one() for one in left] == [None] * 4
    finally:
        gc.enable()


# --- AutoPilot and StillLearning -------------------------------------------------------------


def test_autopilot_summons_the_strongest_it_can_pay_for_and_attacks_with_all() -> None:
    state = a_state(a_side("Land Dragon Land Bear Knight Elemental", "Bear* Bear", 3))
    moves = a_turn(state, lambda _: False, AutoPilot("Ann"))
    assert moves == [
        "land", ["tap", 4], ["summon", "Elemental"], ["attack", 2], ["attack", 3],
    ]  # fmt: skip


def test_autopilot_leaves_out_nobody_when_a_block_removes_a_creature() -> None:
    state = a_state(a_side(field="Bear Bear Bear"), a_side(field="Dragon"))
    assert a_turn(state, lambda _: False, AutoPilot("Ann")) == [["attack", n] for n in (1, 2, 3)]


def test_autopilot_never_blocks() -> None:
    state = a_state(a_side(field="Bear"), a_side(field="Dragon"))
    GAME.apply(state, 0, ["attack", 1], LeastDice())
    assert answer(AutoPilot(), view(state, 1), no_ask) == "pass"


@pytest.mark.parametrize(
    "remembered, summoned",
    [
        (b"", "Bear"),
        (b"{}", "Bear"),
        (b'{"Knight": {"W": 2, "L": 1}}', "Knight"),
        (b'{"Bear": {"W": 5, "L": 4}, "Elemental": {"W": 1}}', "Bear"),
        (b'{"Bear": {"L": 1}, "Knight": {"L": 3}}', "Elemental"),
        (b'{"Dragon": {"W": 9}, "Bear": {"L": 1}}', "Knight"),
    ],
)
def test_stilllearning_summons_what_has_won(remembered: bytes, summoned: str) -> None:
    player = StillLearning("Ann")
    player.remember(remembered)
    state = a_state(a_side("Dragon Bear Knight Elemental", lands=4))
    assert a_turn(state, lambda _: False, player)[1] == ["summon", summoned]


def test_a_memory_that_is_no_table_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"parsed.json must hold an object"):
        StillLearning().remember(b"[]")


def test_parse_log_gives_a_seat_what_it_remembers() -> None:
    from matchbox.games.creatures import parse_log

    seen: list[Any] = []
    player = Doing(lambda me: seen.append(parse_log()))
    player.remember(b'{"Bear": {"W": 1}}')
    a_turn(a_state(a_side("Land")), lambda _: False, player)
    assert seen == [{"Bear": {"W": 1}}]
    assert memory.is_at_the_terminal()


def test_a_log_kept_by_decorators_holds_what_was_done() -> None:
    from matchbox.games.creatures import jsonlog

    board = SimpleNamespace(mana=Mana(0))

    @jsonlog.tap_log
    def tap_all(self: Any) -> bool:
        self.mana.amount += 3
        return True

    @jsonlog.summon_log
    def summon(self: Any, cardname: str) -> bool:
        return cardname == "Bear"

    @jsonlog.block_log
    def block(self: Any, attacker: Card, blocker: Card) -> bool:
        return True

    tap_all(board)
    jsonlog.initiate_game(["Ann", "Bob"], 4)
    jsonlog.initiate_turn("Ann", 1)
    tap_all(board)
    summon(board, "Bear")
    summon(board, "Dragon")
    block(board, deck[-1], Card("creature", "Knight"))
    assert jsonlog.end_turn()["moves"] == [
        [["Tap", [3]], ["Summon", ["Bear"]], ["Block", ["Knight"]]]
    ]
    jsonlog.record_results("Bob")
    assert jsonlog.format_logging()["winner"] == "Ann"
