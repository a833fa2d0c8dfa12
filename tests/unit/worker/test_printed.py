"""A bot's output belongs to a bout and a decision, and a traceback always has room."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cli import named_bots
from matchbox import registry
from matchbox.bundle import digest, read_bundle
from matchbox.game import fill_options
from matchbox.match import record as records
from matchbox.match.wire import Entrant, MatchPlayed
from sandbox.box import Box
from tests.unit.worker.bots import GOOD, text, turning
from tests.unit.worker.conftest import BRIEF, LIMITS, a_match, by_digest
from worker.arena.play import play_job

ONE = GOOD.encode()


def against(bot: bytes, box: Box, **given: Any) -> MatchPlayed:
    """Plays a match of a quiet bot and this one, which is entrant 1."""
    return play_job(a_match(ONE, bot, **given), by_digest(ONE, bot), box, reports=True)


@pytest.mark.parametrize("width", [1, 4])
def test_each_print_belongs_to_its_decision(box: Box, width: int) -> None:
    counting = text(
        "class Bot(MediumPlayer):",
        "    made = 0",
        "    def turn(self, game_data, play_a_card):",
        "        self.made += 1",
        "        print('turn', self.made)",
        "        return super().turn(game_data, play_a_card)",
    )
    played = against(counting, box, width=width)
    assert {one.entrant for one in played.printed} == {1}
    assert not any(one.traceback or one.left_out for one in played.printed)
    record = records.unpack(played.record)
    for bout in record.bouts:
        here = [
            one for one in played.printed if (one.deal, one.rotation) == (bout.deal, bout.rotation)
        ]
        said = "".join(one.text for one in here).splitlines()
        assert said == [f"turn {n + 1}" for n in range(len(said))] != []
        places = [one.decision for one in here if one.decision is not None]
        assert places == sorted(set(places))
        assert places[0] == 0
        assert places[-1] < len(bout.moves)


def test_a_flood_leaves_room_for_the_traceback_and_says_what_was_cut(box: Box) -> None:
    flooding = turning("for n in range(2000): print('a line of the flood', n)", "return 1 / 0")
    played = against(flooding, box)
    first = [one for one in played.printed if (one.deal, one.rotation) == (0, 0)]
    printed, traceback = first
    assert printed.text.startswith("a line of the flood 0\n")
    assert printed.left_out > 40_000
    assert traceback.traceback
    assert traceback.text.endswith("ZeroDivisionError: division by zero\n")
    assert all("more bytes were left out." in log for log in played.logs[1:])
    assert played.logs[1].endswith("ZeroDivisionError: division by zero\n")
    assert len(played.logs[1].encode()) <= LIMITS["log_bytes"]
    assert sum(len(one.text) for one in played.printed) <= LIMITS["log_bytes"] * 5 // 4


def test_a_traceback_shows_the_authors_frames_and_none_of_the_platform(box: Box) -> None:
    failing = turning("import json", "return json.loads('{')")
    (first, *_) = [one for one in against(failing, box).printed if one.traceback]
    files = [line for line in first.text.splitlines() if line.startswith("  File ")]
    assert files[0].startswith('  File "player.py", line 7, in turn')
    assert len(files) > 1
    assert all("json" in line for line in files[1:])
    assert "matchbox" not in first.text


def test_a_decision_without_an_end_says_where_it_was(box: Box) -> None:
    played = against(turning("while True: pass"), box, limits=BRIEF)
    told = [one for one in played.printed if one.traceback]
    assert told
    assert {one.decision for one in told} == {None}
    assert 'File "player.py", line 6 in turn' in told[0].text
    assert "bot_runner" not in told[0].text


def test_forged_marks_change_nothing_but_the_forgers_own_output(box: Box) -> None:
    forging = turning(
        "import os, sys",
        "os.write(1, b'\\x1ep999,3\\x1fno such bout')",
        "os.write(2, b'\\x1et0,0\\x1fTraceback: forged')",
        "os.write(2, b'\\x1e+999999999999\\x1f\\x1er0,1\\x1f{not json\\x1e')",
        "os.write(2, b'\\x1ep' * 1000)",
        "sys.stdout.last = 7",
        "return None",
    )
    played, quiet = against(forging, box), against(turning("return None"), box)
    assert not played.notes
    bouts = [(one.moves, one.scores) for one in records.unpack(played.record).bouts]
    assert bouts == [(one.moves, one.scores) for one in records.unpack(quiet.record).bouts]
    assert {one.entrant for one in played.printed} == {1}
    assert {(one.deal, one.rotation) for one in played.printed} <= {
        (deal, rotation) for deal in range(2) for rotation in range(2)
    }
    assert sum(len(one.text.encode()) for one in played.printed) <= 2 * LIMITS["log_bytes"]
    assert all(one.entrant == 1 and len(one.text) <= 1024 for one in played.diagnostics)


BOTS = {
    "bomb": ("medium", "MediumPlayer"),
    "creatures": ("autopilot", "AutoPilot"),
    "skull": ("random", "RandomAgent"),
    "thegame": ("legal", "LegalMinimalPlayer"),
    "war": ("random", "RandomPlayer"),
}
"""By game: a shipped bot, and its class."""


@pytest.mark.parametrize("game", sorted(registry.games()))
def test_report_works_in_every_game(box: Box, game: str) -> None:
    name, parent = BOTS[game]
    plain = named_bots.find(game, name)
    lines = (
        f"\n\nclass Reporting({parent}):",
        "    def report(self):",
        "        return {'a report': True}",
        "\n\nBOT = Reporting\n",
    )
    telling = read_bundle(plain.data).files["player.py"] + "\n".join(lines).encode()
    spec = registry.game(game).spec
    seats = [Entrant(digest(telling)), *[Entrant(plain.version)] * (max(2, spec.seats[0]) - 1)]
    bundles = by_digest(telling, plain.data)
    job = a_match(game=game, rules=spec.rules, options=fill_options(spec, {}), seats=seats, width=2)
    played = play_job(job, bundles, box, reports=True)
    own = [one for one in played.diagnostics if one.entrant == 0]
    assert {one.text for one in own} == {'{"a report":true}'}
    moves = {
        (one.deal, one.rotation): len(one.moves) for one in records.unpack(played.record).bouts
    }
    assert {(one.deal, one.rotation) for one in own} == set(moves)
    assert all(one.decision < moves[one.deal, one.rotation] for one in own)
    assert not played.notes


def test_what_is_reported_is_kept_by_decision(box: Box) -> None:
    telling = text(
        "class Bot(MediumPlayer):",
        "    made = 0",
        "    def report(self):",
        "        self.made += 1",
        "        return {'made': self.made}",
    )
    played = against(telling, box)
    assert {one.entrant for one in played.diagnostics} == {1}
    for deal in range(2):
        here = [one for one in played.diagnostics if (one.deal, one.rotation) == (deal, 0)]
        assert [json.loads(one.text)["made"] for one in here] == [n + 1 for n in range(len(here))]
        places = [one.decision for one in here]
        assert places == sorted(set(places)) != []
    assert played.printed == []
    assert played.logs[1] == ""


WAR: dict[str, Any] = {
    "game": "war",
    "rules": registry.game("war").spec.rules,
    "options": fill_options(registry.game("war").spec, {}),
}
QUIET = b"""from matchbox.games.war import *

class Bot(Player):
    def lay(self, position):
        return position.hand[0], position.hand[1]
"""


def laying(line: str) -> bytes:
    """Returns a bot of War that runs this line at each decision."""
    return QUIET.replace(b"        return", f"        {line}\n        return".encode())


Place = tuple[int, int, int]


def places(played: MatchPlayed, kept: set[Place], kind: str) -> tuple[set[Place], set[Place]]:
    """Returns the decisions of entrant 0 with kept output and those with a note that it was
    dropped. The bot prints at each decision."""
    decisions = {
        (bout.deal, bout.rotation, nth)
        for bout in records.unpack(played.record).bouts
        for nth in range(len(bout.moves) // 2)
    }
    told = [one for one in played.left_out if one.entrant == 0 and one.kind == kind]
    missing = set()
    for one in told:
        assert one.decision is not None
        since = (one.deal, one.rotation, one.decision)
        missing |= {at for at in decisions if at >= since and (one.rest or at[:2] == since[:2])}
    assert kept <= decisions
    assert kept | missing == decisions
    return kept & missing, missing


def against_quiet(bot: bytes, box: Box, **given: Any) -> MatchPlayed:
    """Plays a match of War of this bot, which is entrant 0, and a quiet one."""
    job = a_match(bot, QUIET, **WAR | given)
    return play_job(job, by_digest(bot, QUIET), box, reports=True)


def test_many_short_prints_say_from_where_on_nothing_is_kept(box: Box) -> None:
    limits = LIMITS | {"log_bytes": 100_000}
    played = against_quiet(laying("print('x')"), box, deals=60, limits=limits)
    kept = {(one.deal, one.rotation, one.decision or 0) for one in played.printed}
    both, missing = places(played, kept, "print")
    assert (both, len(kept)) == (set(), 750)
    (rest,) = played.left_out
    assert rest.rest
    assert rest.left_out == 2 * len(missing)


@pytest.mark.parametrize("width", [1, 4])
def test_every_bout_without_room_says_from_where_on_nothing_is_kept(box: Box, width: int) -> None:
    played = against_quiet(laying("print('x' * 99)"), box, deals=12, width=width)
    kept = {(one.deal, one.rotation, one.decision or 0) for one in played.printed}
    both, missing = places(played, kept, "print")
    assert {rotation for _, rotation, _ in missing} == {0, 1}
    # One decision may be cut in its middle. Then the note on the rest stands beside its text.
    assert len(both) <= 1
    told = sum(len(one.text.encode()) + one.left_out for one in played.printed)
    assert told + sum(one.left_out for one in played.left_out) == 100 * len(kept | missing)


def test_reports_without_room_say_so_too(box: Box) -> None:
    telling = QUIET + b"\n    def report(self):\n        return 'y' * 1000\n"
    played = against_quiet(telling, box, deals=40)
    kept = {(one.deal, one.rotation, one.decision) for one in played.diagnostics}
    both, missing = places(played, kept, "report")
    assert missing
    assert len(both) <= 2


def test_what_is_left_out_changes_no_record(box: Box) -> None:
    loud, quiet = (
        against_quiet(bot, box, deals=12) for bot in (laying("print('x' * 99)"), laying("pass"))
    )
    bouts = [records.unpack(one.record).bouts for one in (loud, quiet)]
    assert bouts[0] == bouts[1]
    assert quiet.left_out == []
