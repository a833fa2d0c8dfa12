"""Moves in a row: which moves a driver keeps back, what it predicts, and when it must ask."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from matchbox.games.creatures import AutoPilot, Card, Player, row
from matchbox.games.creatures.codec import TURN, write
from matchbox.games.creatures.player import answer, answer_brief
from matchbox.games.creatures.rules import GAME
from tests.fakes import LeastDice, RandomDice
from tests.unit.games.creatures.test_rules import a_side, a_state, view


class Trying(Player):
    """A player that tries possible and impossible things, and lets a test look after each try."""

    def __init__(self, lot: random.Random, look: Callable[[Player], None]) -> None:
        super().__init__()
        self.lot, self.look = lot, look

    def turn_prompt(self) -> bool:
        board, other = self.board, self.opponent.board
        for _ in range(self.lot.randrange(12)):
            name = self.lot.choice(["Land", "Bear", "Knight", "Elemental", "Vampire", "Dragon"])
            lands, field = [Card("land", "Land"), *board.lands], [name, *board.field, *other.field]
            tries: list[Callable[[], Any]] = [
                board.play_land, board.tap_all,
                partial(board.tap_for_mana, self.lot.choice(lands)),
                partial(board.summon, name),
                partial(self.attack, self.lot.choice(field)),
            ]  # fmt: skip
            self.lot.choice(tries)()
            self.look(self)
        return self.lot.random() < 0.2

    def will_block(self, attacker: Any) -> None:
        self.block(attacker, self.lot.choice(self.board.field))


def a_game(seed: int, look: Callable[[Any, Any], None], *, keep: bool) -> list[Any]:
    """Returns the moves of a game of two such players; `look` gets the player and the rules'
    state."""
    lot = random.Random(seed)
    state = GAME.start(2, RandomDice(seed), {})
    moves: list[Any] = []

    def make(seat: int, made: Any) -> Any:
        for move in made if type(made) is tuple else (made,):
            assert list(GAME.to_move(state)) == [seat]
            GAME.apply(state, seat, move, LeastDice())
            moves.append(move)
            if GAME.outcome(state) is not None:
                return

    def within(seat: int, made: Any) -> Any:
        make(seat, made)
        while (movers := GAME.to_move(state)) and movers[0] != seat:
            decide(movers[0])
        if not movers:
            raise GeneratorExit
        return GAME.brief(state, seat) if keep else GAME.view(state, seat)

    def decide(seat: int) -> None:
        ask = partial(within, seat)
        if keep:
            make(seat, answer_brief(players[seat], GAME.brief(state, seat), ask))
        else:
            make(seat, answer(players[seat], view(state, seat), ask))

    players = [Trying(lot, lambda player: look(player, state)) for _ in range(2)]
    try:
        while movers := GAME.to_move(state):
            decide(movers[0])
    except GeneratorExit:
        pass
    assert GAME.outcome(state) is not None
    return moves


def sight(player: Any) -> list[Any]:
    """Returns everything that a player can see."""
    seen: list[Any] = [player.life, player.opponent.life]
    for board in (player.board, player.opponent.board):
        for zone in (board.hand, board.field, board.lands, board.dpile, board.deck):
            seen.append([(card.name, card.tapped, card.attacked, card.blocked) for card in zone])
        seen += [board.mana.amount, board.playedland]
    return seen


@pytest.mark.parametrize("seed", range(12))
def test_what_a_driver_predicts_is_what_the_rules_make_of_the_same_moves(seed: int) -> None:
    rows = []

    def compare(player: Any, state: Any) -> None:
        driver, [seat] = player._driver, GAME.to_move(state)
        after = copy.deepcopy(state)
        for move in driver._row.moves:
            assert list(GAME.to_move(after)) == [seat]
            GAME.apply(after, seat, move, LeastDice())
            if GAME.outcome(after) is not None:
                return
        predicted = write(TURN, seat, state.turn, 0, driver._mine, driver._theirs)
        assert GAME.brief(after, seat) == predicted
        rows.append(len(driver._row.moves))

    a_game(seed, compare, keep=True)
    assert max(rows) > 3


@pytest.mark.parametrize("seed", range(12))
def test_a_player_sees_and_does_the_same_whether_moves_are_kept_back_or_not(seed: int) -> None:
    def played(*, keep: bool) -> tuple[list[Any], list[Any]]:
        sights: list[Any] = []

        def look(player: Any, _: Any) -> None:
            if player.opponent.life > 0:
                sights.append(sight(player))

        return a_game(seed, look, keep=keep), sights

    assert played(keep=True) == played(keep=False)


def asked(state: Any, player: Player) -> tuple[list[Any], Any]:
    """Plays seat 0's turn by the driver; returns the moves it asks with, and its answer."""
    told: list[Any] = []

    def ask(made: Any) -> bytes:
        told.append(made)
        for move in made if type(made) is tuple else (made,):
            GAME.apply(state, 0, move, LeastDice())
        if list(GAME.to_move(state)) == [1]:
            GAME.apply(state, 1, "pass", LeastDice())
        return GAME.brief(state, 0)

    return told, answer_brief(player, GAME.brief(state, 0), ask)


def test_a_turn_that_nobody_can_block_is_one_answer() -> None:
    state = a_state(a_side("Land Bear", "Knight", 1), a_side(field="Bear*"))
    told, last = asked(state, AutoPilot())
    assert told == []
    assert last == ("land", ["tap", 2], ["summon", "Bear"], ["attack", 1], ["attack", 2], "done")


def test_equal_turns_are_one_row_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def turn(attackers: int) -> Any:
        state = a_state(a_side("Land", "Knight " * attackers), a_side(life=100))
        return asked(state, AutoPilot())[1]

    assert turn(1) is turn(1)
    monkeypatch.setattr(row, "_MAX_CACHED", 0)
    assert turn(7) is not turn(7)
    assert turn(7) == ("land", ["tap", 1], *(["attack", n] for n in range(1, 8)), "done")


def test_who_can_be_blocked_asks_with_all_that_was_kept_back() -> None:
    state = a_state(a_side("Land", "Knight Bear"), a_side(field="Bear"))
    told, last = asked(state, AutoPilot())
    assert told == [("land", ["tap", 1], ["attack", 1]), ["attack", 2]]
    assert last == "done"


def test_a_turn_that_wins_is_one_answer_and_goes_on_to_its_end() -> None:
    ended = []

    class Ending(AutoPilot):
        def turn_prompt(self) -> bool:
            super().turn_prompt()
            ended.append(self.opponent.life)
            return False

    state = a_state(a_side(field="Knight Bear"), a_side(life=3))
    told, last = asked(state, Ending())
    assert (told, ended) == ([], [-2])
    assert last[0] == ["attack", 1]
    make_moves = iter(last)
    while GAME.outcome(state) is None:
        GAME.apply(state, 0, next(make_moves), LeastDice())
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.places == (1, 2)


class _Ended(BaseException):
    """Stands for an `ask` that never returns."""


@pytest.mark.parametrize(
    "theirs, turn, told",
    [
        (a_side(life=3), lambda me: me.attack("Knight"), ("land", ["attack", 1])),
        (a_side(), lambda me: me.opponent.nothing, ("land",)),
        (
            a_side(),
            lambda me: [me.board.draw() or me.attack(Card("land", "Land")) for _ in range(1001)],
            ("land", "more than 1000 actions in one turn"),
        ),
    ],
    ids=["the game ends", "an error", "too many actions"],
)
def test_what_was_kept_back_is_made_before(theirs: Any, turn: Any, told: Any) -> None:
    class Ending(Player):
        def turn_prompt(self) -> bool:
            self.board.play_land()
            turn(self)
            raise AssertionError("the turn went on")

    def ask(made: Any) -> None:
        assert made == (told if len(told) > 1 else told[0])
        raise _Ended

    state = a_state(a_side("Land", "Knight"), theirs)
    with pytest.raises(_Ended):
        answer_brief(Ending(), GAME.brief(state, 0), ask)
