"""`matchbox compare`: tests whether one bot is better than another, in batches, until the answer is
clear.

Knows the command line; the room laboratory plays the comparison.
"""

from __future__ import annotations

import re
import secrets
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli import output
from cli.experiment_notes import print_faults, print_stateful, wall_text
from cli.playing import MAX_GAMES, BoxOption, JsonOption, WidthOption
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from laboratory.comparison import Compared, Played
    from matchbox.lab.comparison import Comparison
    from matchbox.lab.plan import Plan
    from matchbox.league.sprt import Trial

BOUNDS: Final = "0,20"
ELO: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
WIDEST: Final = 1000
"""A bound in Elo must lie between this number and its negative."""
KINDS: Final = ("lost both", "lost and drew", "even", "won and drew", "won both")
"""The names of the five counts of deal pairs."""


def compare(
    bot: Annotated[str, typer.Argument(help="the challenger: a file, or a shipped bot's name")],
    other: Annotated[str, typer.Argument(help="the defender, likewise")],
    more: Annotated[list[str] | None, typer.Argument(help="more bots of --field")] = None,
    *,
    game: Annotated[str, typer.Option(help="the game, such as bomb")],
    field: Annotated[
        list[str] | None, typer.Option(help="both play these instead of each other")
    ] = None,
    bounds: Annotated[
        str,
        typer.Option(
            help=f"LOW,HIGH in Elo: is it at most LOW better, or at least HIGH? default {BOUNDS}"
        ),
    ] = "",
    games: Annotated[
        int,
        typer.Option(
            min=2, max=MAX_GAMES, help="the most bouts; with --field, rounded down to equal shares"
        ),
    ] = 10_000,
    deals: Annotated[int, typer.Option(min=1, help="deals between two checks of the result")] = 50,
    players: Annotated[
        int | None, typer.Option(min=1, help="table size; 2, or 3 where all play together")
    ] = None,
    seed: Annotated[str, typer.Option(help="the same seed gives the same figures")] = "",
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE of the game")] = None,
    width: WidthOption = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="processes to play with")] = 1,
    box: BoxOption = "auto",
    json: JsonOption = False,
) -> None:
    """Find out whether one bot is better than another; exits 1 unless it is."""
    from cli import named_bots
    from cli.game_options import plan_of

    bots = named_bots.find_all(game, [bot, other, *_field(field or [], more or [])])
    if (bots[0].version, bots[0].class_name) == (bots[1].version, bots[1].class_name):
        raise BadOption("both are the same bot: name another file, or FILE:CLASS")
    size = players or _usual_size(game)
    seed = seed or secrets.token_hex(4)
    plan = plan_of(game, bots, games, seed, options=option or (), players=str(size), width=width)
    comparison = _make_comparison(plan, bounds, deals)
    played = _play(comparison, plan, named_bots.bundles(bots), box, workers, again=width is None)
    if json:
        output.document(played)
    else:
        _show(played)
    if played["verdict"] != "better":
        output.exit_no()


def _play(
    comparison: Comparison,
    plan: Plan,
    bundles: Mapping[str, bytes],
    box: str,
    workers: int,
    *,
    again: bool,
) -> Compared:
    """Plays the comparison, with a progress bar; `again` if a bot keeps state. Returns the document
    of --json."""
    from cli.box import pool
    from laboratory.comparison import run

    jobs = chain.from_iterable(comparison.batches())
    workers = len(list(islice(jobs, workers)))
    with pool(box, workers) as (processes, bar):
        task = bar.add_task(f"comparing at {plan.game}", total=comparison.most)

        def show(fresh: Comparison) -> None:
            bar.update(task, completed=fresh.games, description=fresh.progress_text())

        played = run(comparison, plan, bundles, processes, again=again, show=show)
        return {**played, "workers": workers}


def _field(named: Sequence[str], more: Sequence[str]) -> list[str]:
    """The bots of the field: --field may be repeated, name several bots separated by commas, or be
    followed by `more`."""
    if more and not named:
        raise BadOption(
            f"two bots are compared, and {more[0]} is a third one: name it with --field"
        )
    found = [name for text in named for name in text.split(",") if name] + list(more)
    if named and not found:
        raise BadOption("--field names no bot: name those that both play, or leave it out")
    return found


def _usual_size(game: str) -> int:
    """The default number of seats at a table: that of the game's own league."""
    from matchbox import registry

    spec = registry.game(game).spec
    usual = 3 if spec.cooperative else 2
    return usual if usual in spec.seats else spec.seats[0]


def _trial(bounds: str) -> Trial:
    """The test between these bounds. Raises BadOption."""
    from matchbox.league.sprt import Trial

    wanted = [word.strip() for word in (bounds or BOUNDS).split(",")]
    plain = len(wanted) == 2 and all(map(ELO.fullmatch, wanted))
    lower, upper = map(float, wanted) if plain else (0.0, 0.0)
    if not -WIDEST <= lower < upper <= WIDEST:
        raise BadOption(
            f"--bounds {bounds} must be LOW,HIGH in Elo with LOW below HIGH, "
            f"from -{WIDEST} to {WIDEST}: write, for example, {BOUNDS}"
        )
    try:
        return Trial(lower, upper)
    except ValueError as error:
        raise BadOption(f"--bounds {bounds} cannot be tested: {error}") from None


def _make_comparison(plan: Plan, bounds: str, deals: int) -> Comparison:
    from matchbox import registry
    from matchbox.lab.comparison import Comparison

    trial, cooperative = _trial(bounds), registry.game(plan.game).spec.cooperative
    try:
        comparison = Comparison(plan, trial, deals, cooperative=cooperative)
    except ValueError as error:
        raise BadOption(f"{error}; see --field, --players and --games") from None
    if bounds and not comparison.sequential:
        raise BadOption("--bounds is for two bots against each other at a table of two")
    return comparison


def _show(document: Played) -> None:
    from matchbox.league.sprt import verdict_text

    name, other, verdict = document["challenger"], document["defender"], document["verdict"]
    if verdict == "undecided":
        title = f"{document['games']} bouts do not show whether {name} is better than {other}"
    else:
        bounds = None if document["llr"] is None else document["bounds"]
        title = verdict_text(verdict, name, other, bounds)
    output.table(["figure", "value"], _rows(document), title)
    print_faults(document["faults"], document["game"])
    print_stateful(document["stateful"], document["alone"])
    output.note(
        f"{document['games']} bouts in {document['seconds']:.1f} s, {wall_text(document['box'])}, "
        f"seed {document['seed']}"
    )


def _rows(document: Played) -> list[tuple[str, str]]:
    """The results, a line each."""
    rows = [
        ("verdict", document["verdict"]),
        ("bouts", f"{document['games']} of {document['most']}"),
    ]
    if document["llr"] is not None:
        (low, high), (worse, better) = document["llr_bounds"], document["bounds"]
        rows.append(
            ("log likelihood ratio", f"{document['llr']:.2f}, over at {low:.2f} or {high:.2f}")
        )
        rows.append(("asked", f"at most {worse:g} Elo better, or {better:g} or more"))
        rows.append(("estimate", _estimate(document["elo"], document["ci95"], "Elo", 0)))
        counted = zip(document["pairs"], KINDS, strict=True)
        rows.append(("deals from both sides", ", ".join(f"{n} {kind}" for n, kind in counted)))
    else:
        estimate = document["difference"], document["difference_ci95"]
        rows.append(("difference a bout", _estimate(*estimate, "points", 3)))
        rows.append(("deals", str(document["deals"])))
        for rival, value in document["by_opponent"].items():
            rows.append((f"against {rival}", f"{value:+.3f} points"))
    forfeits = ", ".join(f"{name} {n}" for name, n in document["forfeits"].items() if n)
    return [*rows, ("forfeits", forfeits or "none")]


def _estimate(value: float | None, ci95: Sequence[float] | None, unit: str, digits: int) -> str:
    if value is None:
        return "none: all deals came out the same"
    shown = f"{value:+.{digits}f} {unit}"
    if ci95 is None:
        return shown
    return f"{shown}, 95% interval {ci95[0]:+.{digits}f} to {ci95[1]:+.{digits}f}"
