"""Makes the plan of an experiment: checks the arguments and fills in defaults.

Knows games by their names and the settings that it gets; plays nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from matchbox import registry
from matchbox.errors import BadOption
from matchbox.game import check_seats, fill_options
from matchbox.lab import grid, matrix, places
from matchbox.lab.plan import Contestant, Plan
from matchbox.settings import Settings, limits_of
from matchbox.settings_of_play import WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matchbox.game import Spec
    from matchbox.lab.plan import Sitting

Results: TypeAlias = matrix.Matrix | grid.Grid | places.Places


class Kind(NamedTuple):
    """A kind of experiment."""

    sittings: Callable[[Plan], Iterator[Sitting]]
    """The jobs of a plan."""
    results: Callable[[Plan], Results]
    """Makes the counts of a plan, empty at first."""


MATRIX: Final = Kind(matrix.sittings, matrix.Matrix)
GRID: Final = Kind(grid.sittings, grid.Grid)
PLACES: Final = Kind(places.sittings, places.Places)


def make_plan(
    game: str,
    bots: Sequence[Contestant],
    games: int,
    seed: str,
    settings: Settings,
    *,
    options: Mapping[str, str] | None = None,
    sizes: Sequence[int] = (),
    mirror: bool = False,
    mixed: bool = False,
    width: int | None = None,
) -> Plan:
    """A plan of `games` games for each pair, table size or cell.

    `options` are the game's, as texts. Without `sizes`, a table has a seat for every bot, or a
    cooperative game is played at all its sizes. `mirror`, `mixed` and `width` are those of the
    plan; None is the default width.

    Raises UnknownGame, and BadOption if the game cannot be played like that.
    """
    spec = registry.game(game).spec
    if not bots:
        raise BadOption(f"there are no bots: name those that are to play {game}")
    plan = Plan(
        game=game,
        rules=spec.rules,
        bots=bots,
        games=games,
        seed=seed,
        options=fill_options(spec, options or {}),
        limits=limits_of(settings),
        match_deals=min(settings.match_deals, settings.fewest_deals),
        sizes=list(sizes) or _usual_sizes(spec, len(bots)),
        mirror=mirror,
        mixed=mixed,
        width=WIDTH if width is None else width,
    )
    for size in plan.sizes:
        check_seats(spec, size)
    kind = kind_of(plan)
    if kind is MATRIX and len(plan.bots) < 2 and not plan.mirror:
        raise BadOption("one bot has no opponent: name two or more, or add --mirror")
    if plan.mirror and kind is not MATRIX:
        raise BadOption(
            f"--mirror is for games of two seats; {plan.game} is played at larger tables"
        )
    if plan.mixed and kind is not GRID:
        raise BadOption(f"--mixed is for cooperative games; {plan.game} is not one")
    return plan


def kind_of(plan: Plan) -> Kind:
    """The kind of this plan's experiment."""
    spec = registry.game(plan.game).spec
    if spec.cooperative:
        return GRID
    return MATRIX if spec.seats == (2,) else PLACES


def _usual_sizes(spec: Spec, bots: int) -> list[int]:
    """All sizes of a cooperative game; otherwise a seat for every bot."""
    if spec.cooperative:
        return list(spec.seats)
    return [2] if spec.seats == (2,) else [max(bots, spec.seats[0])]
