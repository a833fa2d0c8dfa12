"""Players' reports on their moves stay beside the record, never in it."""

from __future__ import annotations

import json
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any, cast

import pytest

from matchbox import registry
from matchbox.match import record as records
from matchbox.match import replay
from matchbox.match.output import Part
from matchbox.match.printed import PRINT
from matchbox.match.seat import Seat
from matchbox.match.wire import MatchPlayed
from sandbox.box import Box
from tests.unit.worker.conftest import LIMITS, a_match, a_try_out, by_digest
from worker.arena import kept_output
from worker.arena.match_seats import MatchSeats
from worker.arena.play import play_job
from worker.arena.tryout import try_out

HEAD = "from matchbox.games.skull import *\n\n\nclass Bot(RandomAgent):\n"
TELLING = (
    HEAD
    + """
    made = 0

    def select_move(self, game_state):
        self.options = len(game_state.legal_moves())
        return super().select_move(game_state)

    def diagnostics(self):
        self.made += 1
        return {"made": self.made, "options": self.options}
"""
)
SILENT = HEAD + "    pass\n"
BUNDLES = (TELLING.encode(), SILENT.encode())
SKULL: dict[str, Any] = {"game": "skull", "rules": registry.game("skull").spec.rules,
         "options": {"variant": "published"}}  # fmt: skip


def played(box: Box | None, *, reports: bool = True, width: int = 1) -> MatchPlayed:
    """Plays two deals of Skull between a player that reports and one that does not."""
    job = a_match(*BUNDLES, width=width, **SKULL)
    return play_job(job, by_digest(*BUNDLES), box, reports=reports)


def test_every_decision_is_reported_once_and_in_order(box: Box) -> None:
    done = played(box)
    record = records.unpack(done.record)
    told = [(one.deal, one.rotation, one.decision) for one in done.diagnostics]
    wanted = [
        (bout.deal, bout.rotation, nth)
        for bout in record.bouts
        for nth in range(decisions(record, bout))
    ]
    assert told == wanted
    assert {one.entrant for one in done.diagnostics} == {0}
    for one in done.diagnostics:
        assert json.loads(one.text)["made"] == one.decision + 1


def decisions(record: records.Record, bout: records.Bout) -> int:
    """Returns how often the first entrant was asked in the bout."""
    seat = (0 - bout.rotation) % 2
    game = registry.game("skull")
    return sum(step.seat == seat for step in replay.steps(game, record, bout))


@pytest.mark.parametrize("width", [1, 2])
def test_a_box_and_this_process_report_the_same(box: Box, width: int) -> None:
    boxed, bare = played(box, width=width), played(None, width=width)
    assert boxed.diagnostics == bare.diagnostics != []


def test_a_bot_cannot_tell_a_match_from_one_that_checks_it(box: Box) -> None:
    looking = (
        b"import gc\nasked = [one['reports'] for one in gc.get_objects()\n"
        b"         if type(one) is dict and 'reports' in one and 'seed' in one]\n"
        b"print('asked', asked, flush=True)\n" + TELLING.encode()
    )
    bundles = by_digest(looking, BUNDLES[1])
    job = a_match(looking, BUNDLES[1], **SKULL)
    real = play_job(job, bundles, box, reports=True)
    checking = MatchSeats(job, bundles, box)
    seats = [checking.open_player(0, 0), checking.open_alone(0, 0)]
    for seat in seats:
        seat.answer([])
        seat.close()
    tried = try_out(a_try_out(looking, game="skull"), looking, box)
    assert tried.verdict == "accepted", tried.reasons
    logs = [real.logs[0], tried.log, *(seat.log for seat in seats)]
    told = [{line for line in log.splitlines() if line.startswith("asked")} for log in logs]
    assert told == [{"asked [True]"}] * 4


def test_the_record_is_the_same_whether_anybody_listens_or_not(box: Box) -> None:
    loud, quiet = played(box), played(box, reports=False)
    assert quiet.diagnostics == []
    assert loud.record == quiet.record


def test_the_reports_of_an_entrant_have_room_for_as_many_bytes_as_its_output(box: Box) -> None:
    job = a_match(*BUNDLES, **SKULL, limits={**LIMITS, "log_bytes": 200})
    whole = played(box)
    done = play_job(job, by_digest(*BUNDLES), box, reports=True)
    kept = [one.text for one in done.diagnostics]
    assert kept == [one.text for one in whole.diagnostics[: len(kept)]]
    assert 170 < sum(map(len, kept)) <= 200
    (mark,) = done.left_out
    assert (mark.entrant, mark.kind, mark.rest) == (0, "report", True)
    assert mark.left_out == sum(len(one.text) for one in whole.diagnostics[len(kept) :])


def test_so_many_reports_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = played(None)
    assert whole.left_out == []
    monkeypatch.setattr(kept_output, "DIAGNOSTICS_KEPT", 3)
    done = played(None)
    assert [one.decision for one in done.diagnostics] == [0, 1, 2]
    fourth = whole.diagnostics[3]
    (mark,) = done.left_out
    assert (mark.entrant, mark.kind, mark.rest) == (0, "report", True)
    assert (mark.deal, mark.rotation, mark.decision) == (
        fourth.deal, fourth.rotation, fourth.decision,
    )  # fmt: skip
    assert mark.left_out == sum(len(one.text) for one in whole.diagnostics[3:])


def test_a_bout_that_was_replayed_keeps_no_report_on_a_move_that_was_never_made() -> None:
    seats = [
        a_seat({(5, 0): "old", (6, 3): "of another bout", (7, 0): "old", (7, 9): "old"}),
        a_seat({(7, 0): "new"}, {5, 7}),
    ]
    found = kept_output.kept_output(
        [[(0, seats[0]), (1, seats[0]), (0, seats[1])]], 8, 4096, reports=True
    )
    assert [(one.deal, one.rotation, one.text) for one in found.printed] == [
        (4, 0, "of another bout"), (4, 1, "of another bout"), (5, 1, "old"),
    ]  # fmt: skip
    told = [(one.deal, one.rotation, one.decision, one.text) for one in found.diagnostics]
    assert told == [
        (5, 1, 0, "old"),
        (6, 0, 3, "of another bout"),
        (6, 1, 3, "of another bout"),
        (7, 0, 0, "new"),
        (7, 1, 0, "old"),
        (7, 1, 9, "old"),
    ]


def a_seat(reports: dict[tuple[int, int], str], replayed: Collection[int] = ()) -> Seat:
    """A seat with these reports. It printed something in two bouts, unless it has replayed some."""
    printed = {} if replayed else {4: [part("of another bout")], 5: [part("old")]}
    return cast(
        "Seat",
        SimpleNamespace(
            reports=reports, reports_left_out=0, printed=lambda: printed, played=replayed
        ),
    )


def part(text: str) -> Part:
    """Something that a bot printed in its first decision."""
    return Part(PRINT, None, 0, text)
