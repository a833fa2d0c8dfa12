from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.comparisons import Comparisons, compare, join
from matchbox.league.ratings import fit_comparisons
from matchbox.league.rows import Row
from tests.unit.league.builders import bout, fit, play_field

FIELDS = {
    table: play_field([0.0, 40.0, 90.0, 120.0], table=table, deals=12, luck=0.6, seed=table)
    for table in (2, 3, 4)
}


def arrays(compared: Comparisons) -> tuple[object, ...]:
    parts = (compared.lines, compared.deal, compared.times)
    return (compared.entrants, compared.seats, *(part.tolist() for part in parts))


def test_deals_that_came_to_the_same_are_counted() -> None:
    rows = [
        bout(seats, places, deal=f"{deal}", rotation=rotation)
        for deal in range(10)
        for rotation, (seats, places) in enumerate([("AB", (1, 2)), ("BA", (1, 1 + deal % 2))])
    ]
    compared = compare(rows)
    assert compared.lines.tolist() == [[0, 1, 0, 0, 2, 2], [0, 1, 0, 0, 2, 3]]
    assert compared.times.tolist() == [5, 5]
    assert compare([*FIELDS[2] * 1]).times.sum() == 6 * 12


@given(st.sampled_from([2, 3, 4]), st.booleans(), st.randoms(use_true_random=False))
def test_what_is_joined_is_what_is_compared_at_once_to_the_bit(
    table: int, seat_term: bool, chance: random.Random
) -> None:
    rows = FIELDS[table]
    deals = sorted({row.deal for row in rows})
    parts = [set(chance.sample(deals, chance.randint(0, len(deals)))) for _ in range(2)]
    split = [
        [row for row in rows if row.deal in parts[0]],
        [row for row in rows if row.deal not in parts[0] and row.deal in parts[1]],
        [row for row in rows if row.deal not in parts[0] | parts[1]],
    ]
    chance.shuffle(split)
    joined = compare([], seat_term=seat_term)
    for part in split:
        joined = join(joined, compare(part, seat_term=seat_term))
    whole = compare(rows, seat_term=seat_term)
    assert arrays(joined) == arrays(whole)
    one, other = fit_comparisons(joined), fit(rows, seat_term=seat_term)
    assert (one.strengths == other.strengths).all()
    assert (one.covariance == other.covariance).all()


def test_a_deal_of_several_tables_is_one_cluster() -> None:
    rows: list[Row] = [bout("AB", (1, 2), match="m"), bout("CD", (1, 2), match="n")]
    assert compare(rows).times.tolist() == [1]
    assert compare(rows).deal.tolist() == [0, 0]


def test_with_seats_and_without_do_not_mix() -> None:
    rows = FIELDS[2]
    with pytest.raises(ValueError, match="do not mix"):
        join(compare(rows), compare(rows, seat_term=True))


def test_the_square_of_the_design_is_what_the_design_says() -> None:
    for seat_term in (False, True):
        compared = compare(FIELDS[3], seat_term=seat_term)
        cells = compared.cells()
        design = np.zeros((len(cells.columns), cells.width))
        for line, columns in enumerate(cells.columns):
            design[line, columns] = cells.signs
        weights = np.linspace(1.0, 2.0, len(design))
        assert cells.gram(weights) == pytest.approx(design.T @ np.diag(weights) @ design)
        assert cells.pull(weights) == pytest.approx(design.T @ weights)
        at = np.linspace(-1.0, 1.0, cells.width)
        assert cells.log_odds(at) == pytest.approx(design @ at)
        assert (cells.design().toarray() == design).all()
        assert cells.masses(weights) == pytest.approx(np.diag(cells.gram(weights)))
        assert cells.reach(at**2) == pytest.approx(cells.spread(np.diag(at**2)))
