"""Small line charts within a table, of a rating or of a share. Pure: SVG, without a script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from markupsafe import Markup

WIDTH: Final = 72
HEIGHT: Final = 20
POINTS: Final = 14
"""The most points of a line; more are thinned out, and the first and the last stay."""
MIN_ELO: Final = 60.0
"""An Elo that moved by less than this fills only a part of the height, so that noise looks like
noise."""
_EDGE: Final = 2


def rating(values: Sequence[float] | None, least_range: float = MIN_ELO, digits: int = 0) -> Markup:
    """Returns the line of a rating, from its first point to its last; "" for fewer than two.

    The height is at least `least_range`. The label has that many digits after the point.
    """
    return _rating(tuple(values or ()), least_range, digits)


@lru_cache(maxsize=2048)
def _rating(values: tuple[float, ...], least_range: float, digits: int) -> Markup:
    if len(values) < 2:
        return Markup("")
    low, high = min(values), max(values)
    spare = max(0.0, least_range - (high - low)) / 2
    label = f"from {values[0]:.{digits}f} to {values[-1]:.{digits}f}"
    return _line(values, low - spare, high + spare, label)


def share(values: Sequence[float]) -> Markup:
    """Returns the line of shares from 0 to 1 with a line at one half; "" for fewer than two."""
    if len(values) < 2:
        return Markup("")
    label = f"from {100 * values[0]:.0f}% to {100 * values[-1]:.0f}%"
    return _line(values, 0.0, 1.0, label, middle=True)


def _line(
    values: Sequence[float], low: float, high: float, label: str, *, middle: bool = False
) -> Markup:
    kept = _thinned(values)
    room = HEIGHT - 2 * _EDGE
    reach = (high - low) or 1.0
    points = [
        (
            round(_EDGE + at * (WIDTH - 2 * _EDGE) / (len(kept) - 1)),
            round(_EDGE + room * (1 - (value - low) / reach), 1),
        )
        for at, value in enumerate(kept)
    ]
    path = "M" + "L".join(f"{x} {y:g}" for x, y in points)
    half = f'<path class="half" d="M0 {HEIGHT // 2}H{WIDTH}"/>' if middle else ""
    x, y = points[-1]
    return Markup(
        f'<svg class="spark" width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{label}">'
        f'{half}<path d="{path}"/><circle cx="{x}" cy="{y:g}" r="2"/></svg>'
    )


def _thinned(values: Sequence[float]) -> list[float]:
    if len(values) <= POINTS:
        return list(values)
    step = (len(values) - 1) / (POINTS - 1)
    return [values[round(at * step)] for at in range(POINTS)]
