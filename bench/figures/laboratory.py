"""The laboratory that plays the games for the figures: `matchbox simulate`, without its output."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from cli import named_bots
from cli.game_options import plan_of
from laboratory.experiment import Experiment, run
from laboratory.worker_pool import worker_pool
from matchbox.settings import read_settings


@dataclass(frozen=True, slots=True)
class Laboratory:
    """The settings of all experiments."""

    seed: str
    scale: float = 1.0
    """Multiplies the usual number of games. Few games give wide errors that agree with anything."""
    workers: int = 1
    box: str = "none"

    def games(self, usual: int) -> int:
        """The number of games to play at this scale, if `usual` is the usual number."""
        return max(10, round(usual * self.scale))

    def simulate(
        self,
        game: str,
        bots: Sequence[str],
        usual: int,
        *,
        players: str = "",
        options: Sequence[str] = (),
        mirror: bool = False,
    ) -> Experiment:
        """The experiment between shipped bots, with the usual number of games at this scale."""
        found = named_bots.find_all(game, list(bots))
        plan = plan_of(
            game,
            found,
            self.games(usual),
            self.seed,
            options=options,
            players=players,
            mirror=mirror,
        )
        with worker_pool(self.box, self.workers, read_settings(os.environ)) as pool:
            return run(plan, named_bots.bundles(found), pool)
