"""The promises of the league: a small run holds them, and the kept page misses no goal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.league import __main__ as bench
from bench.league import field, promises, seasons, versions
from bench.league.effort import Effort, Figure
from bench.league.page import page
from matchbox.league.ratings import fit_strengths
from matchbox.league.tail import MAX_DOUBT

CHECKOUT = Path(__file__).resolve().parents[3]
SMALL = Effort(seed=7, scale=0.1, workers=1)


def test_seasons_are_fitted_together_as_the_league_fits_each() -> None:
    pairs = field.all_pairs(field.ladder(12, 20.0), 0.6)
    rng = np.random.default_rng(2)
    counts = np.array([pairs.play(np.full(66, deals), rng) for deals in (1, 4, 30)])
    strengths, covariances = seasons.fit_together(pairs, counts)
    for at, one in enumerate(counts):
        fitted = fit_strengths(pairs.pairwise(one))
        assert strengths[at] == pytest.approx(fitted.strengths, abs=1e-6)
        assert covariances[at] == pytest.approx(fitted.covariance, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("rho", [-0.45, -0.87])
def test_neighbours_results_of_a_deal_correlate_as_asked(rho: float) -> None:
    pairs = field.all_pairs(field.ladder(2, 20.0), field.shared_for(rho, 20.0))
    chances = pairs.chances[0]
    mean = chances[1] / 2 + chances[2]
    assert mean == pytest.approx(1 / (1 + 10 ** (20 / 400)))
    assert (chances[2] - mean**2) / (mean * (1 - mean)) == pytest.approx(rho)


def test_sixty_seasons_come_into_the_right_order_in_time() -> None:
    strengths = field.ladder(promises.BOTS, promises.GAP)
    pairs = field.all_pairs(strengths, field.shared_for(promises.GOAL_RHO, promises.GAP))
    told = seasons.play(pairs, strengths, promises.GOAL_GAMES, range(60))
    assert told[0].games[-1] <= promises.GOAL_GAMES + 2 * len(pairs.first)
    assert np.mean([one.right[-1] for one in told]) >= 0.9
    stopped = promises._ends(told, MAX_DOUBT["thrifty"])
    assert len(stopped) >= 54
    assert np.mean([one.right[at] for one, at in stopped]) >= promises.RIGHT["thrifty"]
    assert all(one.near[at] for one, at in stopped if one.right[at])
    alone = seasons.play(pairs, strengths, 1000, [3])[0]
    assert (alone.right == told[3].right[: len(alone.right)]).all()


@pytest.mark.parametrize(
    ("promise", "low"), [("coverage", 90.5), ("ranges", 90.0), ("identical", 0)]
)
def test_a_small_run_holds_what_is_promised(promise: str, low: float) -> None:
    figures = promises.PROMISES[promise](SMALL)
    for figure in figures:
        assert figure.met or float(figure.ours.rstrip("%")) >= low, figure


def test_versions_are_judged_and_the_test_for_fit_is_quiet() -> None:
    quick = Effort(seed=7, scale=0.03, workers=1)
    assert len(versions.versions(quick)) == 10
    for figure in versions.one_sided(quick):
        assert float(figure.ours.split()[2].rstrip("%")) <= 15, figure
    for alarms in promises.fitting(SMALL):
        assert float(alarms.ours.rstrip("%")) <= 15


def test_a_small_run_of_gauntlets_holds_about_what_is_promised() -> None:
    figures = versions.gauntlets(SMALL)
    assert len(figures) == 16
    assert [figure for figure in figures if float(figure.ours.split("%")[0]) < 91] == []


@pytest.mark.parametrize("promise", ["ranks", "best", "few"])
def test_a_small_run_of_the_boards_holds_what_is_promised(promise: str) -> None:
    figures = promises.PROMISES[promise](Effort(seed=7, scale=0.02, workers=1))
    assert [figure.name for figure in figures if figure.met is False] == []
    assert any(figure.met for figure in figures)


def test_intervals_hold_in_circles_with_pairs_that_never_met() -> None:
    figures = promises.PROMISES["unmet"](SMALL)
    assert [figure.met for figure in figures if "circle" in figure.name] == [True, True]


def test_copies_are_counted_as_one_where_there_are_deals_enough() -> None:
    figures = promises.PROMISES["clones"](SMALL)
    assert [figure.met for figure in figures] == [None, None, True]


def test_in_a_circle_each_beats_the_half_that_follows() -> None:
    table = field.circle(5, 0.8)
    assert table + table.T == pytest.approx(np.ones((5, 5)))
    assert table.sum(axis=1) == pytest.approx([2.5] * 5)
    copied = field.with_clones(table, 1, 2)
    assert (copied[:5, :5] == table).all()
    assert (copied[[5, 6]][:, :5] == table[[1, 1]]).all()
    assert copied[5, 6] == 0.5


def test_a_missed_goal_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    missed = Figure("order", "5,700 or fewer", "9,000 games", 10, False)
    monkeypatch.setitem(promises.PROMISES, "order", lambda effort: [missed])
    assert bench.main(["order", "--out", str(tmp_path / "page.md")]) == 1
    assert "order" in capsys.readouterr().out
    assert "0 of 1 goals are met" in (tmp_path / "page.md").read_text()
    assert "| **no** |" in page([missed], 1)
    monkeypatch.setattr(bench, "PAGE", tmp_path / "usual.md")
    monkeypatch.setattr(bench, "PROMISES", {"order": lambda effort: [missed]})
    assert bench.main(["--seed", "21"]) == 1
    assert not (tmp_path / "usual.md").exists(), "only the usual seed writes the page"
    with pytest.raises(SystemExit):
        bench.main(["glory"])
    assert "no promise here is called glory; there are: order" in capsys.readouterr().err


def test_the_kept_page_has_every_goal_and_misses_none() -> None:
    kept = (CHECKOUT / "docs" / "league.md").read_text()
    assert "**no**" not in kept
    goals = [line for line in kept.splitlines() if line.endswith("| yes |")]
    assert len(goals) == 1 + 6 + 2 + 3 + 2 + 1 + 2 + 10 + 3 + 16 + 7 + 4 + 1 + 5 + 1 + 4
