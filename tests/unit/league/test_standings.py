from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.league.counts import count, tally
from matchbox.league.line import PROVISIONAL_ELO, Line
from matchbox.league.ratings import PRIOR_ELO, START, WIDE
from matchbox.league.rows import Row
from matchbox.league.standings import digest_of, standing
from tests.unit.league.builders import bout, fit, play_field, wins

FIELD = play_field([-150.0, 0.0, 20.0, 200.0], table=2, deals=60, luck=0.5, seed=8)


def line_of(bot: str, lines: tuple[Line, ...]) -> Line:
    return next(line for line in lines if line.bot == bot)


def test_the_best_comes_first_with_its_interval_and_its_range() -> None:
    lines = standing(FIELD).lines
    fitted = fit(FIELD)
    assert [line.bot for line in lines] == sorted(fitted.entrants, key=fitted.elo, reverse=True)
    assert [line.rank for line in lines] == [1, 2, 3, 4]
    assert lines[0].rank_range == (1, 1)
    assert lines[1].rank_range == lines[2].rank_range == (2, 3)
    for line in lines:
        elo, half = fitted.elo(line.bot), fitted.half_width(line.bot)
        assert line.elo == pytest.approx(elo)
        assert line.ci95 == pytest.approx((elo - half, elo + half))
        assert line.rank_range[0] <= line.rank <= line.rank_range[1]
        assert not line.provisional
        assert (line.score, line.score_ci95) == (None, None)


@given(st.randoms(use_true_random=False), st.booleans())
def test_shuffled_and_repeated_rows_give_the_same_bits(
    chance: random.Random, seat_term: bool
) -> None:
    rows = FIELD[::7]
    shuffled = rows + chance.sample(rows, 10)
    chance.shuffle(shuffled)
    once = standing(rows, entrants=("x", "y"), seat_term=seat_term)
    again = standing(shuffled, entrants=("y", "x"), seat_term=seat_term)
    assert again == once
    assert repr(again) == repr(once)


def test_other_rows_or_settings_have_another_digest() -> None:
    digests = {
        standing(FIELD).digest,
        standing(FIELD[1:]).digest,
        standing(FIELD, entrants=("b00",)).digest,
        standing(FIELD, prior_elo=300.0).digest,
        standing(FIELD, seat_term=True).digest,
    }
    assert len(digests) == 5


def test_the_digests_of_version_0_1_0_can_still_be_computed() -> None:
    counts = count(wins("A", "B", 3) + wins("B", "C", 2))
    settings: Any = {"entrants": ("D",), "listed": ("A", "D"), "parents": {"A": "B"}}
    kept = "95488a32624af814c4d5dea516877c85b64410c56d0408f676522fb362498673"
    assert digest_of(counts, **settings, method=4) == kept
    assert digest_of(counts, **settings) != kept


def test_who_has_not_played_comes_last_provisional_with_the_priors_width() -> None:
    lines = standing(FIELD, entrants=["b00", "zoe", "abe"]).lines
    assert [line.bot for line in lines[-2:]] == ["abe", "zoe"]
    for line in lines[-2:]:
        assert (line.rank, line.rank_range, line.matches) == (5, (1, 6), 0)
        assert line.provisional
        assert line.elo == START
        assert line.ci95 == pytest.approx((START - WIDE * PRIOR_ELO, START + WIDE * PRIOR_ELO))


def test_a_line_is_provisional_if_its_interval_is_wider_than_100_elo() -> None:
    lines = [line for part in (1, 2, 3) for line in standing(FIELD[::part]).lines]
    wide = [line.ci95[1] - line.ci95[0] for line in lines if line.ci95 is not None]
    assert min(wide) <= PROVISIONAL_ELO < max(wide) < 2 * PROVISIONAL_ELO
    assert [line.provisional for line in lines] == [one > PROVISIONAL_ELO for one in wide]


def test_a_wide_interval_is_provisional() -> None:
    assert all(line.provisional for line in standing(FIELD[::20]).lines)


def test_equals_share_a_rank_in_the_order_of_their_names() -> None:
    rows = wins("c", "a", 3) + wins("a", "b", 3) + wins("b", "c", 3)
    assert [(line.rank, line.bot) for line in standing(rows).lines] == [
        (1, "a"),
        (1, "b"),
        (1, "c"),
    ]


def test_a_match_is_won_above_half_of_its_points_and_forfeits_count_bouts() -> None:
    rows = [
        *(bout("AB", (1, 2), match="won", deal=f"{n}") for n in range(3)),
        bout("BA", (1, 2), match="won", deal="3", forfeit=1),
        bout("AB", (1, 2), match="even", deal="4"),
        bout("BA", (1, 2), match="even", deal="4", rotation=1, forfeit=1),
        bout("AB", (1, 1), match="drawn", deal="5"),
        bout("AB", (2, 1), match="lost", deal="6"),
    ]
    assert tally(rows)["A"] == (4, 1, 2, 1, 2, 4, 1, 3)
    assert tally(rows)["B"] == (4, 1, 2, 1, 0, 3, 1, 4)
    line = line_of("A", standing(rows).lines)
    assert (line.matches, line.wins, line.draws, line.losses, line.forfeits) == (4, 1, 2, 1, 2)
    assert (line.bout_wins, line.bout_draws, line.bout_losses) == (4, 1, 3)


def test_a_narrow_match_is_one_victory_and_its_bouts_tell_how_narrow() -> None:
    rows = [bout("AB", (1, 2) if n < 51 else (2, 1), match="m", deal=f"{n}") for n in range(100)]
    line = line_of("A", standing(rows).lines)
    assert (line.wins, line.losses, line.bout_wins, line.bout_losses) == (1, 0, 51, 49)


def test_at_a_larger_table_half_of_the_points_is_the_middle() -> None:
    found = tally([bout("ABC", (1, 2, 3))])
    assert all(result[1:4] == result[5:] for result in found.values())
    assert {bot: result[1:4] for bot, result in found.items()} == {
        "A": (1, 0, 0),
        "B": (0, 1, 0),
        "C": (0, 0, 1),
    }


def test_a_cooperative_standing_has_scores_and_no_elo() -> None:
    rows = [
        bout((bot, bot), (1, 1), match=f"{bot}{deal}", deal=f"{deal}", scores=(value, value))
        for bot, gain in (("good", 20), ("fair", 0))
        for deal in range(25)
        for value in (40 + gain + 7 * deal % 11,)
    ]
    lines = standing(rows, cooperative=True, entrants=("idle",)).lines
    assert [line.bot for line in lines] == ["good", "fair", "idle"]
    good, fair, idle = lines
    assert (good.elo, good.ci95, good.wins, good.draws, good.losses) == (None, None, 0, 0, 0)
    assert (good.matches, good.rank_range, good.provisional) == (25, (1, 1), False)
    assert good.score is not None
    assert fair.score is not None
    assert good.score == pytest.approx(fair.score + 20)
    assert good.score_ci95 is not None
    assert good.score_ci95[0] < good.score < good.score_ci95[1]
    assert (idle.score, idle.score_ci95, idle.provisional) == (None, None, True)


def team_rows(deals: int, seed: int = 1) -> list[Row]:
    """Three bots, each with copies of itself, on the same deals."""
    rng = np.random.default_rng(seed)
    return [
        bout((bot, bot), (1, 1), match=f"{bot}{deal}", deal=f"{deal}", scores=(value, value))
        for bot, worth in (("good", 3.0), ("fair", 0.0), ("poor", -3.0))
        for deal in range(deals)
        for value in (round(60 + worth + float(rng.normal(scale=4))),)
    ]


def test_below_twenty_deals_a_cooperative_board_says_nothing_of_the_best() -> None:
    few = standing(team_rows(19), cooperative=True).lines
    assert {(line.p_champion, line.p_better) for line in few} == {(None, None)}
    enough = standing(team_rows(20), cooperative=True).lines
    assert sum(line.p_champion or 0.0 for line in enough) == pytest.approx(1)
    assert enough[0].p_better is not None
    newcomer = [row for row in team_rows(3) if row.seats[0] == "good"]
    beside = standing(
        [row for row in team_rows(20) if row.seats[0] != "good"] + newcomer, cooperative=True
    ).lines
    told = {line.bot: line.p_champion for line in beside}
    assert told["good"] is None
    assert (told["fair"] or 0.0) + (told["poor"] or 0.0) == pytest.approx(1)


def test_no_rows_are_an_empty_standing() -> None:
    assert standing([]).lines == ()
    assert standing([], cooperative=True).lines == ()
    assert [line.rank for line in standing([], entrants=("a", "b")).lines] == [1, 1]


def test_it_tells_the_chance_of_the_title_and_of_every_line_above_the_next() -> None:
    lines = standing(FIELD, entrants=("idle",)).lines
    assert sum(line.p_champion or 0.0 for line in lines) == pytest.approx(1)
    assert lines[0].p_champion == pytest.approx(1)
    middle, last, idle = lines[1], lines[3], lines[4]
    assert 0.5 <= (middle.p_better or 0.0) < 0.99
    assert (last.p_better, idle.p_champion) == (None, None)


@pytest.mark.parametrize("seat_term", [False, True])
def test_where_borda_ranks_a_new_version_starts_from_its_parent_too(seat_term: bool) -> None:
    circle = [
        row
        for at in range(9)
        for step in range(1, 5)
        for row in wins(f"b{at}", f"b{(at + step) % 9}", 60)
    ]
    parent = [row for at in range(9) for row in wins("old", f"b{at}", 60)]
    rows = [*circle, *parent, *wins("new", "b0", 1), *wins("b1", "new", 1)]
    alone = standing(rows, seat_term=seat_term)
    child = standing(rows, seat_term=seat_term, parents={"new": "old"})
    assert (alone.by, child.by) == ("borda", "borda")
    assert (line_of("new", alone.lines).score or 1.0) < 0.7
    assert (line_of("new", child.lines).score or 0.0) > 0.8


def test_only_who_is_listed_is_ranked_and_the_others_are_evidence() -> None:
    whole = {line.bot: line for line in standing(FIELD).lines}
    found = standing(FIELD, entrants=("idle", "gone"), listed={"b00", "b02", "idle"}).lines
    assert [line.bot for line in found] == ["b02", "b00", "idle"]
    assert [line.rank for line in found] == [1, 2, 3]
    assert found[0].elo == whole["b02"].elo
    assert found[0].rank_range == (1, 1)
    assert found[0].p_champion == pytest.approx(1)
