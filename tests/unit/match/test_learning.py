"""The records that a bot learns from: its own bouts as its seat saw them, in order, within
limits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox.dice import Dice
from matchbox.game import CHANCE, Plain
from matchbox.match import learning, replay
from matchbox.match.learning import Lessons, Own, lesson_bout, lessons, round_key, stranger
from matchbox.match.record import Record
from tests.builders import a_job, play_scripted
from tests.fakes import Auction, Race


class Windy(Race):
    """A race in which chance adds 1 after each move. A move is described by the sum after it."""

    def to_move(self, state: dict[str, Any]) -> Sequence[int]:
        return (CHANCE,) if state.get("windy") else super().to_move(state)

    def apply(self, state: dict[str, Any], seat: int, move: Plain, dice: Dice) -> dict[str, Any]:
        if state.get("windy"):
            return {**state, "sum": state["sum"] + 1, "windy": False}
        return {**super().apply(state, seat, move, dice), "windy": seat != CHANCE}

    def describe(self, move: Plain, view: Any) -> str:
        return f"reaches {view['sum']}"


KEY = round_key("a season's seed", 1, "a version")


def a_record(match: str = "match", game: Any = None, **given: Any) -> Record:
    """A match of two deals, in which entrant 0 adds 3 and entrant 1 adds 1."""
    game = game or Race()
    job = a_job(game, match=match, **given)
    decide = {0: lambda view: 3, 1: lambda view: 1}
    return play_scripted(game, job, decide)[0].record


def read(found: Lessons) -> list[Any]:
    """Returns the records that the bot gets."""
    return [json.loads(text) for text in found.records]


def test_every_bout_of_ones_own_matches_comes_in_the_order_of_match_ids() -> None:
    played = [Own(a_record("b"), 0), Own(a_record("a"), 1)]
    told = read(lessons(Race(), played, KEY))
    order = [(one["match"], one["deal"], one["rotation"]) for one in told]
    assert order == [(match, deal, turn) for match in (0, 1) for deal in (0, 1) for turn in (0, 1)]
    assert [one["seat"] for one in told[:2]] == [1, 0]
    assert [one["seat"] for one in told[4:6]] == [0, 1]
    assert told == read(lessons(Race(), played[::-1], KEY))


def test_a_seat_learns_its_own_views_and_moves_and_of_others_what_everybody_was_told() -> None:
    record = a_record()
    (told, *_) = read(lessons(Race(), [Own(record, 1)], KEY))
    assert [step["text"] for step in told["steps"]] == [f"adds {n}" for n in record.bouts[0].moves]
    sums = [sum(record.bouts[0].moves[:n]) for n in range(len(record.bouts[0].moves) + 1)]
    for step, total in zip(told["steps"], sums, strict=False):
        own = step["seat"] == told["seat"]
        assert (step["move"] is not None, step["view"] is not None) == (own, own)
        if own:
            assert (step["move"], step["view"]) == (1, {"sum": total, "seat": 1})
    assert told["end"] == {"sum": sums[-1], "seat": 1}
    assert told["places"] == record.bouts[0].places


@pytest.mark.parametrize("seats, adds", [(2, 2), (3, 9)])
def test_a_move_is_told_as_it_is_in_the_transcript(seats: int, adds: int) -> None:
    """Also if chance, or the fault of another seat, comes after it and before the next question."""
    job = a_job(Windy(), deals=1, seats=seats)
    decide = {seat: lambda view, seat=seat: adds if seat == 1 else 1 for seat in range(seats)}
    record = play_scripted(Windy(), job, decide)[0].record
    (told, *_) = read(lessons(Windy(), [Own(record, 0)], KEY))
    lines = [
        step.line
        for step in replay.steps(Windy(), record, record.bouts[0])
        if step.seat not in (None, CHANCE) and step.fault is None
    ]
    assert [step["text"] for step in told["steps"]] == lines


def test_moves_made_at_once_are_told_to_each_with_its_own() -> None:
    record = a_record(game=Auction())
    (told, *_) = read(lessons(Auction(), [Own(record, 0)], KEY))
    assert [step["move"] for step in told["steps"]] == [3, None] * 3


def test_a_record_names_nobody_and_holds_no_seed() -> None:
    record = a_record("f0" * 16)
    found = lessons(Race(), [Own(record, 0)], KEY)
    text = b"".join(found.records).decode()
    for secret in (*record.deals, *record.seats, record.match):
        assert secret not in text
    assert read(found)[1]["players"] == [stranger(KEY, record.seats[1]), "me"]


def test_a_stranger_has_one_name_in_a_round_and_another_in_the_next_and_for_others() -> None:
    names = {
        stranger(round_key(season, number, version), "an opponent")
        for season, number, version in (("s", 1, "v"), ("s", 2, "v"), ("t", 1, "v"), ("s", 1, "w"))
    }
    assert len(names) == 4
    assert len({stranger(KEY, "an opponent"), stranger(KEY, "an opponent")}) == 1


@pytest.mark.parametrize(("limit", "most"), [("MAX_RECORDS", 3), ("MAX_BYTES", -1)])
def test_what_is_beyond_the_limits_is_left_out_from_the_end(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [Own(a_record(), 0)]
    whole = lessons(Race(), own, KEY)
    if limit == "MAX_BYTES":
        most += sum(map(len, whole.records))
    monkeypatch.setattr(learning, limit, most)
    found = lessons(Race(), own, KEY)
    assert found.records == whole.records[:3]
    assert (found.left_out, whole.left_out) == (1, 0)


def test_the_bytes_for_an_author_s_learn_stay_what_they_were() -> None:
    assert lessons(Race(), [Own(a_record(), 0)], KEY).records[0] == (
        b'{"match":0,"deal":0,"rotation":0,"options":{},"seat":0,"players":["me","2437b52ff2a12d4f"]'
        b',"places":[1,2],"scores":[1,0],"why":"goal","faults":[],"steps":['
        b'{"seat":0,"move":3,"text":"adds 3","view":{"sum":0,"seat":0}},'
        b'{"seat":1,"move":null,"text":"adds 1","view":null},'
        b'{"seat":0,"move":3,"text":"adds 3","view":{"sum":4,"seat":0}},'
        b'{"seat":1,"move":null,"text":"adds 1","view":null},'
        b'{"seat":0,"move":3,"text":"adds 3","view":{"sum":8,"seat":0}},'
        b'{"seat":1,"move":null,"text":"adds 1","view":null},'
        b'{"seat":0,"move":3,"text":"adds 3","view":{"sum":12,"seat":0}}],'
        b'"end":{"sum":15,"seat":0}}'
    )


def test_a_bot_that_sits_there_twice_is_told_of_a_bout_once() -> None:
    twice = replace(a_record(), seats=["ab" * 32] * 2)
    bout = lesson_bout(Race(), Own(twice, 0), twice.bouts[0], 0, partial(stranger, KEY))
    assert (bout.players, bout.seat) == (["me", "me"], 0)


def test_a_forfeit_is_told_with_its_step_and_kind() -> None:
    job = a_job(Race(), deals=1)
    record = play_scripted(Race(), job, {0: lambda view: 9, 1: lambda view: 1})[0].record
    (told, *_) = read(lessons(Race(), [Own(record, 1)], KEY))
    assert told["why"] == "illegal"
    assert told["faults"] == [[0, 0, "illegal"]]
