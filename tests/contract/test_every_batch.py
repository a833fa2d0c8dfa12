"""Bouts side by side are the bouts that the functions of a state play: in every game's own batch,
and in the batch of all games."""

from __future__ import annotations

import marshal
import random
from typing import Any

import pytest

from matchbox import registry
from matchbox.dice import SeededDice, derive_deals
from matchbox.errors import SeatFault
from matchbox.game import Game, Options, Outcome, Spec, fill_options
from matchbox.match.batch import batch_of
from matchbox.match.bout import LiveBout
from matchbox.match.frames import Question
from matchbox.match.referee import Played
from tests.builders import a_job, play_scripted, without_batches


def others_than_usual(spec: Spec) -> list[dict[str, Any]]:
    """Each choice of an option that is not its default, one at a time."""
    return [
        {name: value}
        for name, option in spec.options.items()
        for value in option.choices
        if value != option.default
    ]


GAMES: dict[str, Any] = dict(registry.games())
OWN = [
    (name, seats, chosen)
    for name, game in GAMES.items()
    for seats in game.spec.seats
    for chosen in [{}, *others_than_usual(game.spec)]
    if getattr(game, "batch", None) is not None
    and game.batch(seats, fill_options(game.spec, chosen)) is not None
]
GENERAL = [
    (name, seats, chosen)
    for name, game in GAMES.items()
    for seats in dict.fromkeys((game.spec.seats[0], game.spec.seats[-1]))
    for chosen in [{}, *others_than_usual(game.spec)]
]
TABLES = [(*table, "own") for table in OWN] + [(*table, "general") for table in GENERAL]
NONSENSE: tuple[Any, ...] = (
    "nonsense",
    -1,
    True,
    None,
    1.5,
    [],
    {},
    ("nonsense",),
    SeatFault("crash", "raised"),
)
"""Answers that no seat should give."""
BOUTS = 40


def is_chance_alone(name: str, seats: int, chosen: dict[str, Any]) -> bool:
    """Whether no seat is ever asked at that table."""
    game = GAMES[name]
    options = fill_options(game.spec, chosen)
    return LiveBout(game, derive_deals(name, 1)[0], (0, 0), seats, options).over


PLAYED = [table for table in TABLES if not is_chance_alone(*table[:3])]
"""The tables at which a seat can make a fault."""

every_table = pytest.mark.parametrize("name, seats, chosen, kind", TABLES)
every_played_table = pytest.mark.parametrize("name, seats, chosen, kind", PLAYED)


def game_of(name: str, kind: str) -> Any:
    """The game, with its own batch or without."""
    return GAMES[name] if kind == "own" else Unbatched(GAMES[name])


class Both:
    """Bouts in a batch, and each of them played by the functions of a state beside it."""

    def __init__(
        self, name: str, seats: int, chosen: dict[str, Any], kind: str, *, nonsense: float = 0
    ) -> None:
        self.game: Any = game_of(name, kind)
        self.seats, self.nonsense = seats, nonsense
        self.options = fill_options(self.game.spec, chosen)
        self.batch: Any = batch_of(self.game, seats, self.options)
        self.lot = random.Random(f"{name} {seats}")
        self.live: dict[int, LiveBout] = {}
        self.seeds: dict[int, list[str | None]] = {}
        self.ended = self.returned = 0
        for bout, deal in enumerate(derive_deals(name, BOUTS)):
            seeds = [f"{bout} {seat}" for seat in range(seats)]
            self.batch.start(bout, SeededDice(bytes.fromhex(deal), 0), seeds)
            self.live[bout] = LiveBout(self.game, deal, (bout, 0), seats, self.options)
            self.seeds[bout] = list(seeds)
            self.end()

    def step(self) -> None:
        """Makes every seat answer all its questions."""
        for seat in range(self.seats):
            questions = self.batch.ask(seat)
            owing = {bout for bout, live in self.live.items() if seat in live.owing}
            assert {bout for bout, *_ in questions} == owing
            answers = [self.answer(seat, *question) for question in questions]
            self.give_back(self.batch.take(seat, list(answers)))
            self.end()

    def end(self) -> None:
        """Checks that every bout that is over in the batch has the same end in its copy."""
        for bout, moves, outcome in self.batch.over():
            assert result(self.live.pop(bout)) == (moves, outcome)
            self.ended += 1

    def answer(self, seat: int, bout: int, told: Any, seed: str | None) -> Any:
        """A random move, or none. It is the same in both copies."""
        live = self.live[bout]
        assert told == live.next_view(seat)
        assert seed == self.seeds[bout][seat]
        self.seeds[bout][seat] = None
        if self.lot.random() < self.nonsense:
            return self.lot.choice(NONSENSE)
        move = self.lot.choice(self.game.legal(live.state, seat))
        live.take(seat, move)
        return move

    def give_back(self, left: Any) -> None:
        """Checks that a bout that the batch hands back is at the same point as its copy."""
        for bout, moves, given in left:
            live = self.live.pop(bout)
            assert moves == live.moves
            assert all(seat in live.owing for seat in given)
            self.returned += 1


def result(live: LiveBout) -> tuple[list[Any], Outcome]:
    bout = live.result()
    return bout.moves, Outcome(tuple(bout.places), tuple(bout.scores), bout.why)


@every_table
def test_it_plays_what_the_functions_of_a_state_play(
    name: str, seats: int, chosen: dict[str, Any], kind: str
) -> None:
    both = Both(name, seats, chosen, kind)
    while both.live:
        both.step()
    assert (both.ended, both.returned) == (BOUTS, 0)


@every_played_table
def test_where_an_answer_is_no_move_it_gives_the_bout_back(
    name: str, seats: int, chosen: dict[str, Any], kind: str
) -> None:
    both = Both(name, seats, chosen, kind, nonsense=0.05)
    while both.live:
        both.step()
    assert both.ended + both.returned == BOUTS
    assert both.returned > BOUTS // 10


@every_table
def test_it_gives_back_all_bouts_that_are_under_way(
    name: str, seats: int, chosen: dict[str, Any], kind: str
) -> None:
    both = Both(name, seats, chosen, kind)
    for _ in range(3):
        both.step()
    both.give_back(both.batch.leave())
    assert not both.live
    assert not any(both.batch.ask(seat) for seat in range(seats))


def flat(answers: list[Any]) -> list[Any]:
    """The moves of these answers, some of which are rows of moves."""
    return [move for one in answers for move in (one if isinstance(one, tuple) else (one,))]


@every_table
@pytest.mark.parametrize("seed", range(20))
def test_moves_in_a_row_are_taken_as_the_functions_take_them_or_given_back(
    name: str, seats: int, chosen: dict[str, Any], kind: str, seed: int
) -> None:
    """Some rows continue when they should not: after the turn, or after the end."""
    both = Both(name, seats, chosen, kind)
    lot = random.Random(seed)
    while both.live:
        for seat in range(seats):
            asked = [bout for bout, *_ in both.batch.ask(seat)]
            before = {bout: list(both.live[bout].moves) for bout in asked}
            rows = []
            for bout in asked:
                live = both.live[bout]
                live.next_view(seat)
                legal = both.game.legal(live.state, seat)
                size = lot.choice((1,) * 19 + (2,))
                row = tuple(lot.choice(legal) for _ in range(size))
                rows.append(row if size > 1 else row[0])
            back = {bout: flat(moves) for bout, moves, _ in both.batch.take(seat, rows)}
            over = [bout for bout, *_ in both.batch.over()]
            assert not set(over) & set(back)
            for bout, row in zip(asked, rows, strict=True):
                if bout in back:
                    assert back[bout] == before[bout]
                    del both.live[bout]
                    continue
                live = both.live[bout]
                live.take(seat, row)
                assert not live.faults
                assert live.over == (bout in over)
            for bout in over:
                del both.live[bout]


class Unbatched:
    """The game without its batch: it is played in the one of all games."""

    batch = None

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def some_moves(game: Any, seats: int, options: Options) -> list[Any]:
    """Moves that are legal in some positions."""
    seen: list[Any] = []
    for deal in derive_deals("moves", 5):
        live = LiveBout(game, deal, (0, 0), seats, options)
        while not live.over:
            for seat in live.owing:
                legal = game.legal(live.state, seat)
                live.take(seat, legal[len(legal) // 2])
                seen += [move for move in legal if move not in seen]
    return seen


def as_sent(told: Any) -> bytes:
    """The bytes that distinguish one question from another."""
    return marshal.dumps(told, 2)


def chosen_move(moves: list[Any], sent: bytes) -> Any:
    """One of the moves. It is always the same for the same question."""
    return random.Random(sent).choice(moves)


@every_played_table
@pytest.mark.parametrize("often", [0.0, 0.02])
def test_faults_cost_in_it_what_they_cost_without_it(
    name: str, seats: int, chosen: dict[str, Any], kind: str, often: float
) -> None:
    """Moves are legal by chance. With this frequency a program breaks, always at the same
    question."""
    game = game_of(name, kind)
    options = fill_options(game.spec, chosen)
    moves = some_moves(game, seats, options)

    def decide(told: Any) -> Any:
        return chosen_move(moves, as_sent(told))

    def breaks(question: Question) -> SeatFault | None:
        bout, told, _ = question
        by_chance = random.Random(f"{bout} {as_sent(told)!r}").random()
        return SeatFault("crash", "broke") if by_chance < often else None

    def match(width: int) -> Played:
        job = a_job(game, deals=30, seats=seats, width=width, options=options)
        everyone = range(seats)
        return play_scripted(
            game, job, dict.fromkeys(everyone, decide), dict.fromkeys(everyone, breaks)
        )[0]

    with without_batches():
        plain = match(1)
    assert any(bout.faults for bout in plain.record.bouts)
    for width in (1, 7, 30):
        played = match(width)
        assert played.record.bouts == plain.record.bouts
        assert played.notes == plain.notes
