from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.pairwise import PairwiseResults, compare, join
from matchbox.league.ratings import fit_strengths
from matchbox.league.rows import Row
from tests.unit.league.builders import bout, fit, play_field

FIELDS = {
    table: play_field([0.0, 40.0, 90.0, 120.0], table=table, deals=12, luck=0.6, seed=table)
    for table in (2, 3, 4)
}


def arrays(results: PairwiseResults) -> tuple[object, ...]:
    parts = (results.entries, results.outcome, results.deals)
    return (results.entrants, results.seats, *(part.tolist() for part in parts))


def test_deals_that_came_to_the_same_are_counted() -> None:
    rows = [
        bout(seats, places, deal=f"{deal}", rotation=rotation)
        for deal in range(10)
        for rotation, (seats, places) in enumerate([("AB", (1, 2)), ("BA", (1, 1 + deal % 2))])
    ]
    results = compare(rows)
    assert results.entries.tolist() == [[0, 1, 0, 0, 2, 2], [0, 1, 0, 0, 2, 3]]
    assert results.deals.tolist() == [5, 5]
    assert compare([*FIELDS[2] * 1]).deals.sum() == 6 * 12


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
    one, other = fit_strengths(joined), fit(rows, seat_term=seat_term)
    assert (one.strengths == other.strengths).all()
    assert (one.covariance == other.covariance).all()


def test_a_deal_of_several_tables_is_one_cluster() -> None:
    rows: list[Row] = [bout("AB", (1, 2), match="m"), bout("CD", (1, 2), match="n")]
    assert compare(rows).deals.tolist() == [1]
    assert compare(rows).outcome.tolist() == [0, 0]


def test_with_seats_and_without_do_not_mix() -> None:
    rows = FIELDS[2]
    with pytest.raises(ValueError, match="do not mix"):
        join(compare(rows), compare(rows, seat_term=True))


def test_the_square_of_the_design_is_what_the_design_says() -> None:
    for seat_term in (False, True):
        results = compare(FIELDS[3], seat_term=seat_term)
        design = results.design()
        matrix = np.zeros((len(design.columns), design.column_count))
        for line, columns in enumerate(design.columns):
            matrix[line, columns] = design.signs
        weights = np.linspace(1.0, 2.0, len(matrix))
        assert design.gram(weights) == pytest.approx(matrix.T @ np.diag(weights) @ matrix)
        assert design.rmatvec(weights) == pytest.approx(matrix.T @ weights)
        at = np.linspace(-1.0, 1.0, design.column_count)
        assert design.log_odds(at) == pytest.approx(matrix @ at)
        assert (design.matrix().toarray() == matrix).all()
        assert design.gram_diagonal(weights) == pytest.approx(np.diag(design.gram(weights)))
        assert design.diagonal_form(at**2) == pytest.approx(design.quadratic_form(np.diag(at**2)))
