from __future__ import annotations

import numpy as np
import pytest

from matchbox.league.comparisons import Floats
from matchbox.league.ties import fit_ties
from tests.unit.league.builders import published


def counts() -> tuple[Floats, Floats]:
    """Wins and ties of the published case."""
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    for one, other, won, lost, tied in published("davidson")["pairs"]:
        wins[one - 1, other - 1], wins[other - 1, one - 1] = won, lost
        ties[one - 1, other - 1] = ties[other - 1, one - 1] = tied
    return wins, ties


def test_it_gives_the_published_worths_and_rate_of_ties() -> None:
    case = published("davidson")
    fitted = fit_ties(*counts())
    assert fitted.worths == pytest.approx(case["worths"], abs=10 ** -case["digits"] / 2)
    assert fitted.tie == pytest.approx(case["tie"], abs=10 ** -case["digits"] / 2)


def test_forecasts_add_up_to_the_points_that_were_seen() -> None:
    wins, ties = counts()
    fitted, played = fit_ties(wins, ties), wins + wins.T + ties
    for one in range(6):
        forecast = [fitted.forecast(one, other) for other in range(6)]
        expected = sum(
            played[one, other] * (won + tied / 2) for other, (won, tied, _) in enumerate(forecast)
        )
        assert expected == pytest.approx(wins[one].sum() + ties[one].sum() / 2, abs=1e-6)
        assert all(sum(chances) == pytest.approx(1) for chances in forecast)


def test_who_lost_everything_has_no_finite_worth() -> None:
    with pytest.raises(ValueError, match="needs a point"):
        fit_ties(np.array([[0.0, 3.0], [0.0, 0.0]]), np.zeros((2, 2)))
