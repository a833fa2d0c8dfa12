"""Turns at a table with a person: the shipped bots play the same in parts as without a break."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from msgspec.structs import replace

from cli import named_bots
from cli.named_bots import NamedBot
from matchbox import registry
from matchbox.errors import BadMessage
from matchbox.game import fill_options
from matchbox.match import hosted_bout, replay, wire
from matchbox.match.bout import LiveBout
from matchbox.match.wire import Entrant, Said, TakeTurn
from matchbox.settings import Settings, limits_of
from worker.arena.turn import take_turn

DEAL = "ab" * 16


@dataclass
class Table:
    """A table of a person and shipped bots."""

    game: str
    bots: list[str]
    person: int
    options: dict[str, str | int | bool] = field(default_factory=dict)
    turns: int = 0

    def __post_init__(self) -> None:
        self.rules = registry.game(self.game)
        found: list[NamedBot | None] = [named_bots.find(self.game, bot) for bot in self.bots]
        found.insert(self.person, None)
        self.seats: list[Entrant | None] = [
            Entrant(bot.version, bot.class_name) if bot else None for bot in found
        ]
        self.bundles = {bot.version: bot.data for bot in found if bot}
        self.options = fill_options(self.rules.spec, self.options)

    def job(self, said: list[Said]) -> TakeTurn:
        """Returns the next turn after these answers."""
        return TakeTurn(
            attempt=1,
            token="",
            game=self.game,
            limits=limits_of(Settings()),
            turn="turn:1",
            table="a table",
            rules=self.rules.spec.rules,
            options=self.options,
            deal=DEAL,
            seats=self.seats,
            said=said,
        )

    def live(self, said: list[Said]) -> LiveBout:
        """Returns the bout after these answers."""
        return hosted_bout.resume(self.rules, DEAL, len(self.seats), self.options, said)

    def play(self, begun: list[Said] | None = None) -> list[Said]:
        """Plays a bout, or goes on after these answers; the person moves at random. Returns all
        answers."""
        said = list(begun or [])
        while not (live := self.live(said)).over:
            if self.person in hosted_bout.owing(live):
                legal = self.rules.legal(live.state, self.person)
                moves = [move for move in legal if move != "invalid"]
                said.append(Said(self.person, [Random(len(said)).choice(moves)]))
                continue
            new = take_turn(self.job(said), self.bundles, None).said
            assert new
            assert all(one.seat != self.person for one in new)
            said += new
            self.turns += 1
        return said


TABLES = [
    ("bomb", ["simple"], {}),
    ("skull", ["bluffer", "random"], {}),
    ("war", ["reader"], {}),
    ("thegame", ["counting", "legal"], {"rules": "published", "hints": True}),
    ("creatures", ["racer"], {}),
]


@pytest.mark.parametrize(("game", "bots", "options"), TABLES)
@pytest.mark.parametrize("person", [0, 1])
def test_a_bout_in_parts_is_the_bout_in_one_go(
    game: str, bots: list[str], options: dict[str, str | int | bool], person: int
) -> None:
    """In every turn the bots know all that they knew before, their random numbers included."""
    table = Table(game, bots, person, options)
    said = table.play()
    bout = table.live(said).result()
    assert table.turns > 1
    assert not bout.faults
    own = [one for one in said if one.seat == person]
    at_once = take_turn(table.job(own), table.bundles, None).said
    assert table.live([*own, *at_once]).result() == bout
    seats = [seat.version if seat else hosted_bout.PERSON for seat in table.seats]
    replay.replay(
        table.rules,
        hosted_bout.record_of(table.rules, "a table", table.options, DEAL, seats, bout),
    )


@pytest.mark.parametrize(
    ("game", "bot"),
    [("bomb", "medium"), ("creatures", "racer"), ("creatures", "stilllearning"), ("war", "dealt")],
)
def test_a_bot_goes_on_with_a_bout_that_others_began(game: str, bot: str) -> None:
    """Its own answers were not played, so nothing that it remembers of them is true."""
    for trial in range(12):
        table, chance = Table(game, [bot], trial % 2), Random(trial)
        begun: list[Said] = []
        for _ in range(12):
            live = table.live(begun)
            seat = hosted_bout.owing(live)[0]
            moves = [move for move in table.rules.legal(live.state, seat) if move != "invalid"]
            begun.append(Said(seat, [chance.choice(moves)]))
            if table.live(begun).over:
                begun.pop()
                break
        assert not table.live(table.play(begun)).faults


def test_a_turn_survives_its_way_through_json() -> None:
    table = Table("creatures", ["racer"], 1)
    taken = take_turn(table.job([]), table.bundles, None)
    assert any(one.row for one in taken.said)
    assert wire.from_plain(wire.TurnTaken, wire.to_plain(taken)) == taken
    job = table.job(taken.said)
    assert wire.from_plain(TakeTurn, wire.to_plain(job)) == job


def test_a_crash_is_the_bots_fault() -> None:
    table = Table("bomb", ["simple"], 1)
    data = (
        b"from matchbox.games.bomb import SimplePlayer\n\n\n"
        b"class Bot(SimplePlayer):\n    def turn(self, *_):\n        raise ValueError('no')\n"
    )
    version = next(seat.version for seat in table.seats if seat)
    said = take_turn(table.job([]), {version: data}, None).said
    assert [(one.seat, one.fault) for one in said] == [(0, "crash")]
    assert table.live(said).result().places == [2, 1]


def test_it_refuses_other_rules() -> None:
    table = Table("bomb", ["simple"], 1)
    with pytest.raises(BadMessage, match="install the same release"):
        take_turn(replace(table.job([]), rules="0"), table.bundles, None)


def test_the_arena_is_asked_to_go_on_after_every_frame() -> None:
    beats: list[int] = []
    table = Table("bomb", ["simple"], 1)
    said = table.play()
    frames = len(table.live(said).result().moves)
    own = [one for one in said if one.seat == table.person]
    take_turn(table.job(own), table.bundles, None, lambda: beats.append(1))
    assert len(beats) >= frames > 1
