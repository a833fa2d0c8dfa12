"""Every attack in its own folder: the bot, and what must become of it.

The attacker plays an honest bot in both seats, behind each walled box; then two honest bots
play a control match in the same box. An attack that gets what it wants prints SUCCEEDED.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.match import record as records
from matchbox.match.wire import Entrant, MatchPlayed, PlayMatch
from sandbox.box import KINDS, Box
from worker.arena.boxes import open_named
from worker.arena.play import play_job

HERE = Path(__file__).parent
ATTACKS = sorted(folder.name for folder in HERE.iterdir() if (folder / "bot.py").is_file())
GROUPS = {
    "hidden information",
    "protocol",
    "time",
    "resources",
    "sabotage",
    "end of life",
    "identity and uploads",
    "control",
}
LIMITS = {"cpu_ms": 300, "start_cpu_ms": 1000, "wall_factor": 3, "memory_mb": 96, "bank_ms": 3000}
HONEST = b"from matchbox.games.bomb import SimplePlayer\n\nBOT = SimplePlayer\n"


def match(name: str, *bundles: bytes) -> PlayMatch:
    return PlayMatch(
        attempt=1,
        token="t" * 64,
        game="bomb",
        limits=LIMITS,
        match=digest(name.encode())[:32],
        rules=registry.game("bomb").spec.rules,
        options={},
        deals=derive_deals(name, 2),
        seats=[Entrant(digest(bundle)) for bundle in bundles],
    )


def played(box: Box, name: str, *bundles: bytes) -> MatchPlayed:
    return play_job(match(name, *bundles), {digest(one): one for one in bundles}, box)


@pytest.fixture(scope="module", params=KINDS)
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    opened = open_named(request.param)
    assert opened is not None
    with opened:
        yield opened


@pytest.fixture(scope="module")
def control() -> str:
    """The digest of the control match, played where no attack was near."""
    opened = open_named("bwrap")
    assert opened is not None
    with opened as fresh:
        return records.digest(records.unpack(played(fresh, "control", HONEST, HONEST).record))


def expected(attack: str) -> dict[str, object]:
    return tomllib.loads((HERE / attack / "expect.toml").read_text())


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_attack_gets_nothing_and_hurts_nobody_else(attack: str, box: Box, control: str) -> None:
    expect = expected(attack)
    attacker = (HERE / attack / "bot.py").read_bytes()
    result = played(box, attack, attacker, HONEST)
    record = records.unpack(result.record)
    kinds = {note.kind for note in result.notes if note.kind != "excluded"}
    assert "SUCCEEDED" not in result.logs[0]
    assert {note.entrant for note in result.notes} <= {0}, "the honest bot was blamed"
    assert len(record.bouts) == 4
    verdicts = expect["verdicts"]
    assert isinstance(verdicts, list)
    assert kinds <= set(verdicts), [note.detail for note in result.notes]
    assert bool(kinds) == bool(verdicts)
    after = played(box, "control", HONEST, HONEST)
    assert not after.notes
    assert records.digest(records.unpack(after.record)) == control


def test_every_attack_says_its_group_and_what_stops_it() -> None:
    for attack in ATTACKS:
        expect = expected(attack)
        assert set(expect) == {"group", "stopped_by", "verdicts"}, attack
        assert expect["group"] in GROUPS, attack
        assert expect["stopped_by"], attack


def test_every_group_has_attacks() -> None:
    groups = [expected(attack)["group"] for attack in ATTACKS]
    assert all(groups.count(group) >= 2 for group in GROUPS - {"control"})
    assert groups.count("control") == 1


def test_the_attacks_left_no_file_behind() -> None:
    assert not [
        path
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/", ".")
        for path in ("pickled", "matchbox-was-here")
        if os.path.exists(os.path.join(folder, path))
    ]
