"""A match is verified by its own bots, or only replayed if one of them is not available."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as replace_field
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.bundle import digest
from matchbox.errors import Conflict
from matchbox.game import fill_options
from matchbox.match import record as records
from matchbox.match import replay as proofs
from matchbox.match.record import Fault, Record
from matchbox.match.referee import play
from matchbox.match.verification import Find, Verifier
from matchbox.match.wire import Entrant, PlayMatch
from tests.builders import a_job, local_seats, shipped

GAME = registry.game("bomb")
SOURCES = [shipped("bomb", "simple"), shipped("bomb", "scared")]
BUNDLES = {digest(source): source for source in SOURCES}


@pytest.fixture(scope="module")
def record() -> Record:
    """Two deals of bomb between two shipped bots."""
    seats = [Entrant(version) for version in BUNDLES]
    job = a_job(GAME, options=dict(fill_options(GAME.spec, {})))
    return play(GAME, replace(job, seats=seats), local_seats("bomb", SOURCES)).record


def nothing(name: str) -> bytes | None:
    """Finds no bytes."""
    return None


def verifier(bundle: Find = BUNDLES.get) -> Verifier:
    """A verifier whose seats are in this process, each with the bundle of its entrant."""

    def seats(job: Any, bundles: Any, memories: Any) -> Any:
        return local_seats("bomb", [bundles[seat.version] for seat in job.seats])

    return Verifier(bundle, nothing, seats)


def test_the_bots_play_the_same_record_again(record: Record) -> None:
    assert verifier().verify(record, records.digest(record)) == "same"


def test_the_moves_are_replayed_once(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    replayed: list[Record] = []
    monkeypatch.setattr(proofs, "replay", lambda game, record: replayed.append(record))
    for bundle in (BUNDLES.get, nothing):
        verifier(bundle).verify(record, None)
    assert replayed == [record, record]


def test_each_entrant_plays_with_the_class_that_its_owner_has_chosen(record: Record) -> None:
    opened: list[list[str | None]] = []

    def seats(job: PlayMatch, bundles: Any, memories: Any) -> Any:
        opened.append([seat.class_name for seat in job.seats])
        return local_seats("bomb", SOURCES)

    again = Verifier(BUNDLES.get, nothing, seats)
    assert again.verify(record, None, ["One", None]) == "same"
    assert opened == [["One", None]]


def test_a_record_with_another_digest_is_different(record: Record) -> None:
    assert verifier().verify(record, "0" * 64) == "different"


def test_a_match_of_other_rules_is_not_judged(record: Record) -> None:
    older = replace(record, rules="0")
    with pytest.raises(
        Conflict, match=r"by rules 0 of Bomb and these are rules 1; .* release that"
    ):
        verifier().verify(older, records.digest(older))
    assert verifier().verify(older, records.digest(record)) == "different"


def test_a_record_that_does_not_replay_is_different(record: Record) -> None:
    bout = replace(record.bouts[0], faults=[Fault(0, 0, "crash")])
    changed = replace(record, bouts=[bout, *record.bouts[1:]])
    assert verifier().verify(changed, records.digest(changed)) == "different"


def test_no_file_is_looked_up_for_a_record_that_does_not_replay(record: Record) -> None:
    looked_up: list[str] = []

    def find(name: str) -> None:
        looked_up.append(name)

    changed = replace(record, bouts=[replace(record.bouts[0], why="lost"), *record.bouts[1:]])
    assert verifier(find).verify(changed, None) == "different"
    assert looked_up == []


def test_other_bots_play_another_record(record: Record) -> None:
    swapped = dict(zip(BUNDLES, reversed(BUNDLES.values()), strict=True))
    assert verifier(swapped.get).verify(record, None) == "different"


@pytest.mark.parametrize(
    ("change", "bundle"),
    [
        ({}, nothing),
        ({"memories": ["0" * 64, ""]}, BUNDLES.get),
        ({"python": "2.7"}, BUNDLES.get),
    ],
)
def test_a_match_whose_bots_cannot_be_run_is_only_replayed(
    record: Record, change: dict[str, Any], bundle: Find
) -> None:
    found = verifier(bundle).examine(replace(record, **change), None)
    assert found.finding == "replayed_only"
    assert ("by Python 2.7, and Python 3" in found.why) == ("python" in change)


NUMPY = b"import numpy\n"
HERE = {"numpy": "2.4.6"}


def naming(game: str, bundle: bytes, libraries: Sequence[str]) -> list[str]:
    """Finds the libraries whose names are in the bundle."""
    assert game == "bomb"
    return [name for name in libraries if name.encode() in bundle]


@pytest.mark.parametrize(
    ("record_has", "here", "says"),
    [
        ({"numpy": "1.26.4"}, {"numpy": "2.4.6"}, "with numpy 1.26.4, and numpy 2.4.6 is here"),
        ({"numpy": "1.26.4"}, {"numpy": ""}, "with numpy 1.26.4, and there is no numpy here"),
        ({"numpy": "2.4.6"}, {"numpy": "2.4.6"}, ""),
        ({"greenlet": "1"}, {"numpy": "2.4.6"}, ""),
        ({}, {"numpy": "2.4.6"}, ""),
    ],
)
def test_a_match_that_differs_with_another_version_of_a_library_proves_nothing(
    record: Record, record_has: dict[str, str], here: dict[str, str], says: str
) -> None:
    swapped = {version: NUMPY + SOURCES[1 - at] for at, version in enumerate(BUNDLES)}
    again = replace_field(verifier(swapped.get), libraries=here, read_names=naming)
    found = again.examine(replace(record, libraries=record_has), None)
    assert found.finding == ("replayed_only" if says else "different")
    assert says in found.why
    assert bool(found.why) == bool(says)


def test_only_a_library_that_a_bot_imports_counts(record: Record) -> None:
    older = replace(record, libraries={"numpy": "1.26.4"})
    swapped = dict(zip(BUNDLES, reversed(BUNDLES.values()), strict=True))
    plain = replace_field(verifier(swapped.get), libraries=HERE, read_names=naming)
    assert plain.verify(older, None) == "different"
    using = {version: NUMPY + source for version, source in BUNDLES.items()}
    same = replace_field(verifier(using.get), libraries=HERE, read_names=naming)
    assert same.verify(older, None) == "same"


def test_it_says_where_the_match_took_another_course(record: Record) -> None:
    swapped = dict(zip(BUNDLES, reversed(BUNDLES.values()), strict=True))
    found = verifier(swapped.get).examine(record, None)
    assert found.finding == "different"
    assert found.differs is not None
    assert 0 <= found.differs.bout < len(record.bouts)
    assert verifier().examine(record, None).differs is None


def test_the_first_other_move_is_counted_from_the_bouts_start(record: Record) -> None:
    last = record.bouts[-1]
    shorter = replace(last, moves=last.moves[:-1])
    other = replace(last, moves=[*last.moves[:1], "other", *last.moves[2:]])
    for bout, move in ((shorter, len(last.moves) - 1), (other, 1), (replace(last, why="x"), None)):
        found = proofs.first_difference(record, replace(record, bouts=[*record.bouts[:-1], bout]))
        whole = len(last.moves)
        assert found == (len(record.bouts) - 1, whole if move is None else move)
    assert proofs.first_difference(record, record) is None
