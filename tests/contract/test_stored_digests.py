"""Every game still gives the records of release 0.1.0. See stored_digests.py for how to record."""

from __future__ import annotations

import msgspec
import pytest

from matchbox import registry
from matchbox.match import record as records
from tests.contract import stored_digests
from tests.contract.identity import TABLES, play_match

STORED = stored_digests.read()


def test_every_game_has_stored_digests() -> None:
    assert sorted(STORED) == sorted(registry.games())


@pytest.mark.parametrize("game", sorted(STORED))
def test_a_thousand_deals_give_the_records_of_the_release(game: str) -> None:
    entry = STORED[game]
    assert len(entry["digests"]) * stored_digests.DEALS_PER_MATCH == stored_digests.DEALS
    assert entry["rules"] == registry.game(game).spec.rules
    played = list(stored_digests.play(game, entry["players"]))
    assert not stored_digests.differences(entry["digests"], played)


def test_one_changed_score_is_seen() -> None:
    players = list(TABLES["war"])
    packed = play_match("war", players, None, 1, ["0" * 32])
    record = records.unpack(packed)
    first, *rest = record.bouts
    changed = msgspec.structs.replace(first, scores=[score + 1 for score in first.scores])
    forged = records.pack(msgspec.structs.replace(record, bouts=[changed, *rest]))
    before, now = (stored_digests.digest(data, players) for data in (packed, forged))
    assert stored_digests.differences([before, before], [before, now]) == ["deals 50 to 99"]


def test_recorded_digests_are_not_replaced() -> None:
    with pytest.raises(ValueError, match="has digests already"):
        stored_digests.with_game(STORED, "bomb")
