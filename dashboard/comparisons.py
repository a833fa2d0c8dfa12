"""The page of a comparison, and the list of comparisons on a bot's page.

Knows templates and words, like dashboard.pages; the source checks the viewer's rights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import render_template

from dashboard import figures, wording
from dashboard.responses import PageResponse, behind_login
from dashboard.source import Source
from matchbox.answers import Interval
from matchbox.answers.comparisons import Comparison, ComparisonLine
from matchbox.lab.statistics import is_lopsided, mean_interval
from matchbox.league.sprt import verdict_text


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def comparison(comparison: int) -> str:
        found = source.comparison(comparison)
        return render_template(
            "comparison.html",
            comparison=found,
            figure=figures.Drawn.of(figures.walk(found)),
            finding=finding(found),
            held=_held(source, found),
        )

    yield "/comparisons/<int(max=999999999):comparison>", behind_login(source, comparison)


def _held(source: Source, comparison: Comparison) -> str:
    """Returns the reason why its matches are not played now; "" if they are, or if it is over."""
    if comparison.state != "running":
        return ""
    for state in ("queued", "parked"):
        if found := source.matches(comparison=comparison.id, state=state, limit=1).items:
            waiting = source.match(found[0].id).waiting
            return waiting.reason if waiting is not None and waiting.place is None else ""
    return ""


def finding(comparison: ComparisonLine) -> str:
    """Returns the finding so far, as a sentence."""
    one, other = f"Version {comparison.challenger}", f"version {comparison.defender}"
    if comparison.verdict != "undecided":
        bounds = None if comparison.llr is None else comparison.bounds
        return verdict_text(comparison.verdict, one, other, bounds)
    if comparison.state == "running":
        return f"It is not clear yet whether {one[0].lower()}{one[1:]} is better than {other}"
    return (
        f"These bouts are too few to say whether {one[0].lower()}{one[1:]} is better than {other}"
    )


def measure(comparison: ComparisonLine) -> str:
    """Returns the estimate with its interval; "" if there is none."""
    if comparison.elo is not None:
        return _with_interval(comparison.elo, comparison.ci95, 0, "Elo")
    if comparison.difference is not None:
        return _with_interval(comparison.difference, comparison.difference_ci95, 3, "points a bout")
    return ""


def so_far(comparison: Comparison) -> str:
    """Returns the share of points so far, with its interval clustered by deal; "" if there is none.

    It covers the deals that both versions have played from both sides. It is not the estimate,
    which also takes the rule for stopping into account.
    """
    pairs = comparison.pairs or []
    values = [halves / 4 for halves, deals in enumerate(pairs) for _ in range(deals)]
    if not values:
        return ""
    share, (low, high) = mean_interval(values)
    far = f"±{50 * (high - low):.1f}"
    if is_lopsided(share, (low, high)):
        far = f"95% interval {100 * low:.1f}% to {100 * high:.1f}%"
    deals = wording.plural(len(values), "deal")
    return f"{_share_text(share)} of the points, {far}, in {deals} from both sides"


def _share_text(share: float) -> str:
    """A share in percent; one that is nearly nothing or all is not called so."""
    if 0 < share < 0.0005:
        return "less than 0.05%"
    if 0.9995 < share < 1:
        return "more than 99.95%"
    return f"{100 * share:.1f}%"


def _with_interval(value: float, ci95: Interval | None, digits: int, unit: str) -> str:
    shown = f"{value:+.{digits}f} {unit}"
    if ci95 is not None:
        shown += f", 95% interval {ci95[0]:+.{digits}f} to {ci95[1]:+.{digits}f}"
    return shown.replace("-", "−")
