"""Players' reports on their moves stay beside the record, never in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from matchbox import registry
from matchbox.match import record as records
from matchbox.match import replay
from matchbox.match.wire import MatchPlayed
from sandbox.box import Box
from tests.unit.worker.conftest import a_match, by_digest
from worker.arena import kept_output
from worker.arena.play import play_job

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


def test_the_record_is_the_same_whether_anybody_listens_or_not(box: Box) -> None:
    loud, quiet = played(box), played(box, reports=False)
    assert quiet.diagnostics == []
    assert loud.record == quiet.record


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
