"""The table of `make load`: the musts of each phase, compared with a single reader."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.integration.load import SEASON, SLOWER, VERDICT_S, Phase, rows


def phase(name: str, page_s: float, matches: int, **seen: object) -> Phase:
    """A phase of ten seconds in which every page took the same time."""
    made = Phase(name, taken_s=[page_s] * 20, matches=matches, seconds=10.0)
    for field, value in seen.items():
        setattr(made, field, value)
    return made


ALONE = phase("one reader", 0.1, 100)


def held(loaded: Phase) -> bool:
    """Returns whether the phase holds its musts, beside two phases of a single reader."""
    (_, first), (_, answer), (_, second) = rows([ALONE, loaded, ALONE])
    assert first
    assert second
    return answer


def test_as_slow_as_allowed_and_a_season_as_slow_as_allowed_are_held() -> None:
    assert held(phase("100 readers", 0.1 * SLOWER, int(100 * SEASON), verdicts_s=[VERDICT_S]))


@pytest.mark.parametrize(
    "missed",
    [
        phase("slow pages", 0.1 * SLOWER + 0.01, 100),
        phase("a slow season", 0.1, int(100 * SEASON) - 1),
        phase("an error", 0.1, 100, errors=Counter({"/: 500": 1})),
        phase("a late verdict", 0.1, 100, verdicts_s=[VERDICT_S + 1]),
    ],
    ids=lambda missed: missed.name,
)
def test_what_is_worse_than_allowed_is_not_held(missed: Phase) -> None:
    assert not held(missed)


def test_a_phase_is_compared_with_the_single_readers_beside_it() -> None:
    later = phase("one reader", 0.1, 50)
    loaded = phase("100 readers", 0.1, 70)
    shares = [cells[7] for cells, _ in rows([ALONE, loaded, later, loaded, later])]
    assert shares == ["1.00", "0.93", "1.00", "1.40", "1.00"]
