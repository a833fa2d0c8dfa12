"""The lessons of a bot, in every game: exactly the information of its own seat, as plain data."""

from __future__ import annotations

import json
import random
from functools import cache
from hashlib import blake2b
from typing import Any

import pytest

from matchbox import registry
from matchbox.dice import derive_deals
from matchbox.game import fill_options
from matchbox.match.bout import LiveBout
from matchbox.match.frames import what_is_wrong
from matchbox.match.learning import Own, lessons, round_key, stranger
from matchbox.match.record import Record, entrant
from matchbox.match.replay import steps

KEY = round_key("a season", 1, "me")
GAMES = sorted(registry.packages())
STORED = {
    "bomb": "521c0c28de37b7e57a02bfd6b71de813",
    "creatures": "65adab23d5c0830b29944ed0aaa6006f",
    "skull": "062a236d129715bb28218120139d7aa2",
    "thegame": "5706433e3efbb2d6fe9caf0beea22836",
    "war": "450518054449a6f8c7fab2801fcd0799",
}
"""For each game, the digest of the bytes that `learn` gets for the bouts of `a_record`. Authors
parse them: only new rules of the game may change them."""


@cache
def a_record(name: str) -> Record:
    """A match of two deals in every rotation, in which all seats make arbitrary legal moves."""
    game = registry.game(name)
    seats = max(game.spec.seats[0], 2)
    options, deals = fill_options(game.spec, {}), derive_deals("lessons", 2)
    chance = random.Random(name)
    bouts = []
    for deal, seed in enumerate(deals):
        for rotation in range(seats):
            live = LiveBout(game, seed, (deal, rotation), seats, options)
            while not live.over:
                for seat in list(live.owing):
                    live.take(seat, chance.choice(game.legal(live.state, seat)))
            bouts.append(live.result())
    versions = [f"{seat:064x}" for seat in range(seats)]
    return Record("f0" * 16, name, game.spec.rules, options, deals, versions, 1, bouts)


@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_is_what_the_seat_was_told_and_no_more(name: str) -> None:
    game, record = registry.game(name), a_record(name)
    seats = len(record.seats)
    for who in range(seats):
        told = [json.loads(text) for text in lessons(game, [Own(record, who)], KEY).records]
        assert len(told) == len(record.bouts)
        for one, bout in zip(told, record.bouts, strict=True):
            seat = one["seat"]
            assert entrant(seat, bout.rotation, seats) == who
            *made, end = (one for one in steps(game, record, bout) if one.fault is None)
            assert one["end"] == plain(end.views[seat])
            for learned, step in zip(one["steps"], made, strict=True):
                own = step.seat == seat
                assert learned == {
                    "seat": step.seat,
                    "text": step.line,
                    "move": plain(step.move) if own else None,
                    "view": plain(step.views[seat]) if own else None,
                }


@pytest.mark.parametrize("name", sorted(STORED))
def test_the_bytes_of_a_lesson_stay_what_they_were(name: str) -> None:
    game, record = registry.game(name), a_record(name)
    digest = blake2b(digest_size=16)
    for who in range(len(record.seats)):
        for text in lessons(game, [Own(record, who)], KEY).records:
            digest.update(text)
    assert digest.hexdigest() == STORED[name]


@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_is_plain_data_without_seeds_and_names(name: str) -> None:
    game, record = registry.game(name), a_record(name)
    for text in lessons(game, [Own(record, 0)], KEY).records:
        for secret in (*record.deals, *record.seats, record.match):
            assert secret not in text.decode()
        told = json.loads(text)
        assert what_is_wrong(told, depth=16) == ""
        names = {stranger(KEY, version) for version in record.seats[1:]}
        assert set(told["players"]) == {"me", *names}


def plain(value: Any) -> Any:
    """The value after a way through JSON."""
    return json.loads(json.dumps(value))
