from __future__ import annotations

import random

import pytest

from matchbox.league.rows import (
    Row,
    by_match,
    digest_bouts,
    digest_matches,
    half_points,
    in_order,
    points,
    rows_of,
)
from tests.unit.league.builders import bout

ROWS = [
    bout("AB", (1, 2), deal="d1", rotation=0),
    bout("BA", (1, 1), deal="d1", rotation=1),
    bout("AB", (2, 1), deal="d2", rotation=0, forfeit=0),
    bout("BA", (1, 2), deal="d2", rotation=1),
    bout("AC", (1, 2), match="n", deal="d1"),
]


@pytest.mark.parametrize(
    "places,share",
    [
        ((1, 2), (1.0, 0.0)),
        ((1, 1), (0.5, 0.5)),
        ((3, 1, 2), (0.0, 1.0, 0.5)),
        ((1, 1, 3), (0.75, 0.75, 0.0)),
        ((1, 2, 2, 2), (1.0, 1 / 3, 1 / 3, 1 / 3)),
        ((1, 1, 1, 1, 1, 1), (0.5,) * 6),
        ((1,), (0.5,)),
    ],
)
def test_points_are_the_share_of_the_others_a_seat_beat_with_ties_half(
    places: tuple[int, ...], share: tuple[float, ...]
) -> None:
    assert points(bout("ABCDEF"[: len(places)], places)) == pytest.approx(share)


def test_the_points_of_a_table_are_those_of_its_pairs() -> None:
    assert sum(half_points(bout("ABCD", (1, 2, 2, 4)))) == 2 * 6


def test_rows_come_out_in_one_order_and_once() -> None:
    shuffled = ROWS * 3
    random.Random(1).shuffle(shuffled)
    assert in_order(shuffled) == in_order(ROWS)
    assert len(in_order(shuffled)) == len(ROWS)


def test_it_refuses_two_results_of_one_bout() -> None:
    with pytest.raises(ValueError, match="bout m/d1/0 has two different results"):
        in_order([ROWS[0], bout("AB", (2, 1), deal="d1")])


def digest(rows: list[Row], settings: dict[str, object]) -> str:
    matches = {name: digest_bouts(bouts) for name, bouts in by_match(rows).items()}
    return digest_matches(matches, settings)


def test_the_digest_knows_no_order_and_no_repetition() -> None:
    once = digest(ROWS, {"prior": 350.0, "anchor": None})
    assert len(once) == 64
    assert digest(ROWS[::-1] + ROWS[:2], {"anchor": None, "prior": 350.0}) == once


@pytest.mark.parametrize(
    "rows,settings",
    [
        (ROWS[1:], {}),
        (ROWS[:-1], {}),
        ([*ROWS[:-1], bout("AC", (2, 1), match="n", deal="d1")], {}),
        ([*ROWS[:-1], bout("AC", (1, 2), match="o", deal="d1")], {}),
        ([*ROWS[:-1], bout("AC", (1, 2), match="n", deal="d1", scores=(3, 1))], {}),
        ([*ROWS[:-1], bout("AC", (1, 2), match="n", deal="d1", forfeit=1)], {}),
        (ROWS, {"prior": 300.0}),
    ],
)
def test_any_other_row_or_setting_is_another_digest(
    rows: list[Row], settings: dict[str, object]
) -> None:
    assert digest(rows, settings) != digest(ROWS, {})


def test_a_row_whose_parts_do_not_fit_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="m/d9/0 needs one place for each of its seats"):
        bout("AB", (1, 2, 3), deal="d9")
    with pytest.raises(ValueError, match="one score for each seat"):
        bout("AB", (1, 2), scores=(1,))
    with pytest.raises(ValueError, match="forfeit by a seat that it does not have"):
        bout("AB", (1, 2), forfeit=2)


def test_the_rows_of_a_match_name_who_sat_in_each_seat() -> None:
    bouts = [(0, 0, [1, 2, 2], [], None), (1, 2, [2, 1, 3], [5, 9, 0], 2)]
    first, second = rows_of("m", ["d1", "d2"], ["a", "b", "c"], bouts)
    assert first == Row("m", "d1", 0, ("a", "b", "c"), (1, 2, 2))
    assert second == Row("m", "d2", 2, ("c", "a", "b"), (2, 1, 3), forfeit=2, scores=(5, 9, 0))


def test_a_match_without_entrants_has_no_rows() -> None:
    with pytest.raises(ValueError, match="one place for each of its seats"):
        rows_of("m", ["d1"], [], [(0, 0, [], [], None)])
