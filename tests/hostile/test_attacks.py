"""Every attack in its own folder: the bot, and the expected result.

The attacker plays an honest bot in both seats, named first and named second, behind each walled
box; after each match two honest bots play a control match in the same box. An attack that succeeds
prints SUCCEEDED, or is seen by its witness.
"""

from __future__ import annotations

import os

import pytest

from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.errors import BadBundle
from matchbox.match import record as records
from matchbox.match.replay import replay
from sandbox.box import Box
from sandbox.policy import SEATS_PER_ZYGOTE
from sandbox.zygote_client import ZygoteClient
from tests.builders import open_box
from tests.hostile.stage import (
    ATTACKS,
    HONEST,
    RIVALS,
    bot,
    expected,
    game_of,
    is_taken,
    limits,
    needs_the_layer,
    played,
    watched,
    witnessed,
)
from tests.hostile.table import GROUPS
from tests.hostile.witnesses import AttackResult, Witness

REFUSED = [attack for attack in ATTACKS if expected(attack)["verdicts"] == ["refused"]]
PLAYED = [attack for attack in ATTACKS if attack not in REFUSED]


@pytest.fixture(scope="module")
def control() -> str:
    """The digest of the control match, played without any attack near."""
    with open_box("bwrap") as fresh:
        return records.digest(records.unpack(played(fresh, "control", HONEST, HONEST).record))


def looked_at(attack: str) -> Witness:
    """The attack's witness, except one that another test would disturb at the same time."""
    witness = witnessed(attack)
    return Witness() if witness.of_the_machine else witness


def found_as_left(zygote: ZygoteClient) -> bool:
    """Whether every seat left processes, limits and descriptors unchanged."""
    return zygote.healthy or zygote.seats >= SEATS_PER_ZYGOTE


@pytest.mark.parametrize("attack", REFUSED)
def test_the_upload_is_refused_by_its_bytes(attack: str) -> None:
    with witnessed(attack) as witness, pytest.raises(BadBundle):
        read_bundle(bot(attack, witness))


@pytest.mark.parametrize("attack", PLAYED)
def test_the_attack_gets_nothing_and_hurts_nobody_else(attack: str, box: Box, control: str) -> None:
    needs_the_layer(box, attack)
    verdicts = expected(attack)["verdicts"]
    outcome, kinds = AttackResult(), set()
    zygotes = list(box._all)
    with looked_at(attack) as witness:
        attacker = bot(attack, witness)
        game = game_of(attack)
        for entrants in ((attacker, RIVALS[game]), (RIVALS[game], attacker)):
            own = entrants.index(attacker)
            allowed = limits(attack)
            result = played(watched(box, witness), attack, *entrants, limits=allowed, game=game)
            assert is_taken(result), "the books take no such result"
            outcome.logs.append(result.logs[own])
            assert {note.entrant for note in result.notes} <= {own}, "the honest bot was blamed"
            record = records.unpack(result.record)
            assert len(record.bouts) == 2
            replay(registry.game(game), record)
            kinds |= {note.kind for note in result.notes}
            after = played(box, "control", HONEST, HONEST)
            assert not after.notes
            assert records.digest(records.unpack(after.record)) == control
        assert not witness.seen(outcome)
    assert "SUCCEEDED" not in "".join(outcome.logs)
    assert kinds <= set(verdicts), result.notes
    assert bool(kinds) == bool(verdicts)
    assert all(found_as_left(zygote) for zygote in zygotes)


def test_every_attack_says_its_group_and_what_stops_it() -> None:
    for attack in ATTACKS:
        expect = expected(attack)
        assert set(expect) - {"without", "limits", "game"} == {"group", "stopped_by", "verdicts"}, (
            attack
        )
        assert expect["group"] in GROUPS, attack
        assert expect["stopped_by"], attack


def test_every_group_has_attacks() -> None:
    groups = [expected(attack)["group"] for attack in ATTACKS]
    assert all(groups.count(group) >= 2 for group in GROUPS if group != "control")
    assert groups.count("control") == 1
    assert len(groups) > 100


def test_the_attacks_left_no_file_behind() -> None:
    assert not [
        path
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/", ".")
        for path in ("pickled", "matchbox-was-here")
        if os.path.exists(os.path.join(folder, path))
    ]
