"""A played job has the same record in every box, with its faults, logs and times beside it."""

from __future__ import annotations

import gc
from contextlib import nullcontext
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.errors import BadMessage, BoxUnavailable
from matchbox.match import record as records
from matchbox.match import replay
from matchbox.match.referee import Played
from matchbox.match.wire import MatchPlayed
from sandbox.box import Box
from tests.unit.worker.bots import COUNTING, GOOD, text, turning
from tests.unit.worker.conftest import a_match, by_digest
from worker.arena import match_seats
from worker.arena.match_seats import MatchSeats, cut, load_seed
from worker.arena.play import play_job

ONE = GOOD.encode()
TWO = text("class Bot(ScaredPlayer):", "    pass")


def digest_of(played: MatchPlayed) -> str:
    """Returns the digest of the match's record."""
    return records.digest(records.unpack(played.record))


def test_a_box_and_this_process_give_the_same_record(box: Box) -> None:
    job = a_match(ONE, TWO)
    boxed, bare = (play_job(job, by_digest(ONE, TWO), place) for place in (box, None))
    assert digest_of(boxed) == digest_of(bare)
    assert (boxed.box, bare.box) == (box.kind, "none")


def test_the_record_has_every_deal_in_both_orders_and_replays(box: Box) -> None:
    record = records.unpack(play_job(a_match(ONE, TWO), by_digest(ONE, TWO), box).record)
    orders = [(bout.deal, bout.rotation) for bout in record.bouts]
    assert orders == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert (record.python, set(record.libraries)) == (records.python_minor(), {"greenlet", "numpy"})
    replay.replay(registry.game("bomb"), record)


def test_the_bots_played_again_give_the_same_record(box: Box) -> None:
    job = a_match(ONE, TWO)
    record = records.unpack(play_job(job, by_digest(ONE, TWO), box).record)
    table = MatchSeats(job, by_digest(ONE, TWO), box)
    assert replay.compare(registry.game("bomb"), record, table.open_player).verdict == "same"


def test_how_many_bouts_are_in_flight_changes_no_bout(box: Box) -> None:
    job = a_match(ONE, TWO, deals=6)
    wide = replace(job, width=4)
    one, two = (
        records.unpack(play_job(j, by_digest(ONE, TWO), box).record).bouts for j in (job, wide)
    )
    assert one == two


def test_a_fault_is_noted_for_its_owner_and_loses_its_bouts(box: Box) -> None:
    crashing = turning("return 1 / 0")
    played = play_job(a_match(ONE, crashing), by_digest(ONE, crashing), box)
    record = records.unpack(played.record)
    lost = [bout.places[(1 - bout.rotation) % 2] for bout in record.bouts]
    assert lost == [2, 2, 2, 2]
    assert {note.entrant for note in played.notes} == {1}
    assert played.notes[0].detail.endswith("ZeroDivisionError: division by zero")


def test_what_each_bot_printed_and_used_stays_apart(box: Box) -> None:
    talking = turning("print('hello')", "return None")
    played = play_job(a_match(ONE, talking), by_digest(ONE, talking), box)
    assert played.logs[0] == ""
    assert played.logs[1].startswith("hello\n")
    assert all(used > 0 for used in played.cpu_ms)
    assert played.seconds > 0


def test_it_reports_every_bout() -> None:
    heard: list[int] = []
    play_job(a_match(ONE, TWO), by_digest(ONE, TWO), None, heard.append)
    assert sum(heard) == 4


@pytest.mark.parametrize("error", [None, RuntimeError("stop")])
def test_the_collector_rests_while_bots_play_behind_a_wall_and_no_longer(
    box: Box, error: Exception | None
) -> None:
    before, seen = (gc.isenabled(), gc.get_threshold()), set()

    def report(bouts: int) -> None:
        seen.add(gc.isenabled())
        if error is not None:
            raise error

    job = replace(a_match(ONE, TWO), sample=2)
    with pytest.raises(RuntimeError, match="stop") if error else nullcontext():
        play_job(job, by_digest(ONE, TWO), box, report)
    assert seen == {False}
    assert (gc.isenabled(), gc.get_threshold()) == before == (True, before[1])


def test_the_collector_goes_on_where_bots_play_in_this_very_process() -> None:
    before, seen = gc.get_threshold(), set()
    play_job(a_match(ONE, TWO), by_digest(ONE, TWO), None, lambda bouts: seen.add(gc.isenabled()))
    assert seen == {True}
    assert gc.get_threshold() == before


def test_what_was_played_is_shown_as_it_was_while_the_collector_rests(box: Box) -> None:
    seen: list[tuple[list[records.Bout], bool]] = []

    def look(played: Played) -> None:
        seen.append((played.record.bouts, gc.isenabled()))

    done = play_job(a_match(ONE, TWO), by_digest(ONE, TWO), box, look=look)
    assert seen == [(records.unpack(done.record).bouts, False)]


def test_rotations_can_be_left_out() -> None:
    played = play_job(a_match(ONE, TWO), by_digest(ONE, TWO), None, rotations=[0])
    assert [bout.rotation for bout in records.unpack(played.record).bouts] == [0, 0]


def test_chance_at_import_is_seeded_by_match_entrant_and_rotation() -> None:
    job = a_match(ONE, TWO)
    seeds = {load_seed(job, entrant, rotation) for entrant in (0, 1) for rotation in (0, 1)}
    assert len(seeds) == 4
    assert load_seed(job, 0, 0) not in {load_seed(replace(job, match="other"), 0, 0)}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rules": "0"}, "the match is for rules 0 of bomb and this arena plays rules "),
        ({"limits": {"hats": 3}}, "these limits are not this arena's"),
    ],
)
def test_a_job_for_another_release_is_refused(
    change: dict[str, Any], sentence: str, box: Box
) -> None:
    with pytest.raises(BadMessage, match=sentence):
        play_job(a_match(ONE, TWO, **change), by_digest(ONE, TWO), box)


def test_a_bundle_that_was_not_handed_over_is_named() -> None:
    with pytest.raises(BadMessage, match="was not handed over"):
        play_job(a_match(ONE, TWO), by_digest(ONE), None)


def test_a_bundle_is_unpacked_once_for_all_rotations(monkeypatch: pytest.MonkeyPatch) -> None:
    unpack = Mock(wraps=read_bundle)
    monkeypatch.setattr(match_seats, "read_bundle", unpack)
    play_job(a_match(ONE, TWO), by_digest(ONE, TWO), None)
    assert sorted(one.args for one in unpack.call_args_list) == sorted([(ONE,), (TWO,)])


def test_text_is_cut_between_characters() -> None:
    assert cut("ab€cd", 4) == "ab"
    assert cut("ab€cd", 5) == "ab€"
    assert cut("x" * 1000, 1000) == "x" * 1000


@pytest.mark.parametrize("size", [1001, 1003, 1031, 1036, 1037, 9000, 10_400, 1_000_000])
@pytest.mark.parametrize("letter", ["x", "€"])
def test_a_cut_text_says_how_many_bytes_it_lacks(letter: str, size: int) -> None:
    whole = letter * size
    text = cut(whole, 1000)
    head, sentence, tail = text.split("\n")
    missing = len(whole.encode()) - len((head + tail).encode())
    assert sentence == f"... {missing} more bytes were left out."
    assert 990 < len(text.encode()) <= 1000


@pytest.mark.parametrize(("bots", "stateful"), [((ONE, COUNTING), [1]), ((ONE, TWO), [])])
def test_a_sample_finds_who_keeps_state_between_bouts_and_leaves_the_record_as_it_is(
    box: Box, bots: tuple[bytes, bytes], stateful: list[int]
) -> None:
    job = a_match(*bots, deals=10, width=5)
    without, told = (play_job(one, by_digest(*bots), box) for one in (job, replace(job, sample=12)))
    assert (without.sampled, without.stateful) == (0, [])
    assert (told.sampled, told.stateful, told.unrepeatable) == (12, stateful, [])
    assert told.record == without.record


def test_a_match_counts_though_the_box_does_not_start_for_its_sample(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = a_match(ONE, TWO)
    wanted = play_job(job, by_digest(ONE, TWO), box)
    gone = Mock(side_effect=BoxUnavailable("the box did not start: no more processes"))
    monkeypatch.setattr(MatchSeats, "open_alone", gone)
    told = play_job(replace(job, sample=2), by_digest(ONE, TWO), box)
    assert (told.sampled, told.stateful, told.record) == (0, [], wanted.record)
    assert gone.called
