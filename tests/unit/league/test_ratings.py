from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import exp, inf

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league import bradley_terry
from matchbox.league.pairwise import Design
from matchbox.league.ratings import (
    ELO,
    PRIOR_ELO,
    START,
    LiveRating,
    elo_of,
    live_of,
    live_update,
)
from matchbox.league.rows import Row, points
from tests.unit.league.builders import bout, fit, play_field, published, wins


def test_two_new_players_get_the_published_live_ratings() -> None:
    case = published("openskill")
    after = live_update({}, bout("AB", (1, 2)))
    for entrant, role in (("A", "winner"), ("B", "loser")):
        shown = {"mu": after[entrant].mu, "sigma": after[entrant].sigma}
        assert shown == pytest.approx(case[role], abs=10 ** -case["digits"])


def test_a_live_update_touches_only_who_played_and_leaves_its_argument_alone() -> None:
    before = {"A": LiveRating(), "C": LiveRating(30.0, 2.0)}
    after = live_update(before, bout("AB", (1, 1)))
    assert after["C"] == before["C"]
    assert set(after) == {"A", "B", "C"}
    assert before == {"A": LiveRating(), "C": LiveRating(30.0, 2.0)}


def test_a_match_is_folded_bout_by_bout_in_its_own_order() -> None:
    match = [bout("AB", (1, 2), deal=f"d{n % 2}", rotation=n // 2) for n in range(4)]
    folded = live_update({}, match)
    assert live_update({}, match[::-1] + match) == folded
    assert folded["A"].mu > live_update({}, match[0])["A"].mu


def test_a_bout_alone_changes_no_live_rating() -> None:
    assert live_update({"A": LiveRating(20.0, 3.0)}, bout("A", (1,))) == {
        "A": LiveRating(20.0, 3.0)
    }


@pytest.mark.parametrize("table", [2, 6])
def test_live_figures_and_elo_translate_both_ways(table: int) -> None:
    assert elo_of(LiveRating())[0] == START
    elo, half_width = elo_of(live_of(1623.0, 41.0, table=table), table=table)
    assert (elo, half_width) == pytest.approx((1623.0, 41.0))


def test_settled_live_ratings_predict_like_elo() -> None:
    strong, weak = live_of(1600.0, 0.1), live_of(1400.0, 0.1)
    rng = np.random.default_rng(5)
    ratings = {"A": LiveRating(), "B": LiveRating()}
    expected = 1 / (1 + 10 ** (-200 / 400))
    for won in rng.random(3000) < expected:
        ratings = live_update(ratings, bout("AB", (1, 2) if won else (2, 1)))
    gap = elo_of(ratings["A"])[0] - elo_of(ratings["B"])[0]
    assert gap == pytest.approx(elo_of(strong)[0] - elo_of(weak)[0], abs=40)


def test_it_gives_the_published_worths_without_a_prior() -> None:
    case = published("bradley_terry")
    rows = [row for winner, loser, count in case["wins"] for row in wins(winner, loser, count)]
    fitted = fit(rows, prior_elo=inf)
    worths = {bot: exp(fitted.elo(bot) / ELO - START / ELO) for bot in fitted.entrants}
    assert worths == pytest.approx(case["worths"], abs=0.5 * 10 ** -case["digits"] + 1e-4)


def test_it_agrees_with_choix_with_and_without_a_prior() -> None:
    rows = play_field([0, 80, 160, -50, 30], table=2, deals=12, luck=0.4, seed=3)
    order = [
        [int(bot[1:]) for _, bot in sorted(zip(row.places, row.seats, strict=True))] for row in rows
    ]
    pairs = [(winner, loser) for winner, loser in order]
    free = ELO * choix.opt_pairwise(5, pairs, alpha=0.0)
    assert fit(rows, prior_elo=inf).strengths == pytest.approx(free - free.mean(), abs=0.01)
    held = ELO * choix.opt_pairwise(5, pairs, alpha=(ELO / PRIOR_ELO) ** 2 / 2)
    assert fit(rows).strengths == pytest.approx(held - held.mean(), abs=0.01)


def test_a_draw_is_half_a_win() -> None:
    drawn = [bout("AB", (1, 1), match=f"m{n}") for n in range(10)]
    shared = [bout("AB", (1, 2) if n % 2 else (2, 1), match=f"m{n}") for n in range(10)]
    wins_too = [bout("AB", (1, 2), match=f"n{n}", deal=f"{n}") for n in range(5)]
    assert fit(drawn + wins_too).strengths == pytest.approx(fit(shared + wins_too).strengths)


def test_a_table_is_all_its_pairs() -> None:
    table = [bout("ABC", (1, 2, 2), deal=f"{n}") for n in range(6)]
    pairs = [
        bout(who, places, match=f"{who}{n}", deal=f"{n}")
        for n in range(6)
        for who, places in (("AB", (1, 2)), ("AC", (1, 2)), ("BC", (1, 1)))
    ]
    one, other = fit(table), fit(pairs)
    assert one.strengths == pytest.approx(other.strengths)
    assert one.covariance == pytest.approx(other.covariance)


@given(st.integers(2, 6), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_in_a_balanced_round_robin_the_order_is_that_of_the_points(
    n: int, rounds: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = [
        bout(pair, ((1, 2), (2, 1), (1, 1))[rng.integers(3)], match=f"{pair}{k}", deal=f"{pair}{k}")
        for pair in combinations("ABCDEF"[:n], 2)
        for k in range(rounds)
    ]
    taken: Counter[str] = Counter()
    for row in rows:
        for seat, share in zip(row.seats, points(row), strict=True):
            taken[seat] += int(2 * share)
    fitted = fit(rows)
    for one, other in combinations(fitted.entrants, 2):
        gap = fitted.elo(one) - fitted.elo(other)
        assert np.sign(round(gap, 6)) == np.sign(taken[one] - taken[other])


def test_who_wins_everything_stays_finite_and_uncertain() -> None:
    fitted = fit(wins("A", "B", 50))
    assert START + 200 < fitted.elo("A") < START + 800
    assert fitted.half_width("A") > 100


@pytest.mark.parametrize(
    "rows", [wins("A", "B", 5), wins("A", "B", 2) + wins("B", "A", 2) + wins("C", "D", 1)]
)
def test_without_a_prior_it_refuses_what_has_no_finite_answer(rows: list[Row]) -> None:
    with pytest.raises(ValueError, match="no finite rating explains these rows"):
        fit(rows, prior_elo=inf)


def test_a_live_update_refuses_self_play() -> None:
    with pytest.raises(ValueError, match="meets itself in match m"):
        live_update({}, bout("AA", (1, 2)))


def test_it_refuses_self_play_and_a_prior_without_width() -> None:
    with pytest.raises(ValueError, match="meets itself in match m; leave self-play out"):
        fit([bout("AA", (1, 2))])
    with pytest.raises(ValueError, match="standard deviation above 0"):
        fit(wins("A", "B", 1), prior_elo=0)


def test_the_mean_of_the_field_has_1500_elo() -> None:
    found = fit(play_field([0, 100, 200], table=2, deals=20, luck=0.5, seed=1))
    assert found.strengths.sum() == pytest.approx(0)
    assert sum(map(found.elo, found.entrants)) / 3 == pytest.approx(START)


def test_the_seat_term_finds_what_a_seat_is_worth_and_frees_the_strengths_of_it() -> None:
    rng = np.random.default_rng(2)
    # The first seat is worth 150 Elo and A has it four times in five; A and B are equals.
    chance = 1 / (1 + 10 ** (-150 / 400))
    rows = []
    for n in range(2000):
        seats = "BA" if n % 5 == 0 else "AB"
        places = (1, 2) if rng.random() < chance else (2, 1)
        rows.append(bout(seats, places, match=f"m{n}", deal=f"{n}"))
    plain, freed = fit(rows), fit(rows, seat_term=True)
    assert plain.elo("A") - plain.elo("B") > 60
    assert abs(freed.elo("A") - freed.elo("B")) < 40
    assert freed.seats[0] - freed.seats[1] == pytest.approx(150, abs=40)
    assert plain.seats == ()


def test_no_rows_are_no_ratings() -> None:
    fitted = fit([])
    assert fitted.entrants == ()
    assert fitted.covariance.shape == (0, 0)


def test_a_child_starts_near_its_parent_and_ends_where_its_results_say() -> None:
    rows = play_field([0, 300], table=2, deals=60, luck=0.3, seed=6)
    first, many = (
        wins("new", "b00", 1) + wins("b01", "new", 1),
        wins("new", "b00", 60) + wins("b00", "new", 60),
    )
    apart = fit([*rows, *first]), fit([*rows, *first], parents={"new": "b01"})
    assert apart[1].elo("new") > apart[0].elo("new") + 40
    assert apart[1].half_width("new") < apart[0].half_width("new")
    settled = fit([*rows, *many], parents={"new": "b01"})
    assert settled.elo("new") == pytest.approx(settled.elo("b00"), abs=25)
    assert fit(rows, parents={"new": "b01", "b00": "gone"}).elo("b00") == fit(rows).elo("b00")


def test_a_large_field_has_its_errors_from_the_diagonal(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = play_field([0.0] * 8, table=2, deals=12, luck=0.3, seed=2)
    exact = fit(rows)
    monkeypatch.setattr(bradley_terry, "LARGE_FIELD", 4)
    near = fit(rows)
    assert near.strengths == pytest.approx(exact.strengths, abs=1e-6)
    assert np.diag(near.covariance) == pytest.approx(np.diag(exact.covariance), rel=0.2)


@pytest.mark.parametrize("seat_term", [False, True])
def test_a_large_field_has_the_strengths_of_exact_steps_and_builds_no_matrix(
    monkeypatch: pytest.MonkeyPatch, seat_term: bool
) -> None:
    # Neighbours of a chain alone have met, which is the hardest field for conjugate gradients.
    chain = [
        row
        for at in range(60)
        for row in wins(f"b{at:02}", f"b{at + 1:02}", 7) + wins(f"b{at + 1:02}", f"b{at:02}", 5)
    ]
    rows, parents = [*chain, *wins("b60", "new", 3)], {"new": "b60", "b30": "b10"}
    exact = fit(rows, parents=parents, seat_term=seat_term)
    monkeypatch.setattr(bradley_terry, "LARGE_FIELD", 20)
    monkeypatch.delattr(Design, "gram")
    near = fit(rows, parents=parents, seat_term=seat_term)
    assert near.strengths == pytest.approx(exact.strengths, abs=1e-6)
    assert near.seats == pytest.approx(exact.seats, abs=1e-6)
