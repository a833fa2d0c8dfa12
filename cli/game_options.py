"""Reads the options `--option` and `--players` of several commands, and makes a plan with them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from matchbox.errors import BadOption
from matchbox.whole_numbers import whole_number

if TYPE_CHECKING:
    from cli.named_bots import NamedBot
    from matchbox.lab.plan import Plan

_MAX_SIZES: Final = 100
"""The most table sizes in one range."""


def plan_of(
    game: str,
    bots: Sequence[NamedBot],
    games: int,
    seed: str,
    *,
    options: Sequence[str] = (),
    players: str = "",
    mirror: bool = False,
    mixed: bool = False,
    width: int | None = None,
) -> Plan:
    """The plan of an experiment, with the limits set in the environment.

    `options` are NAME=VALUE texts, `players` is a text of table sizes; the rest is as for
    `laboratory.planning.make_plan`, which raises the same errors.
    """
    from cli.named_bots import contestants
    from laboratory.planning import make_plan
    from matchbox.settings import read_settings

    return make_plan(
        game,
        contestants(bots),
        games,
        seed,
        read_settings(os.environ),
        options=read_options(options),
        sizes=read_sizes(players),
        mirror=mirror,
        mixed=mixed,
        width=width,
    )


def read_options(texts: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE texts as a mapping. Raises BadOption."""
    pairs = [text.partition("=") for text in texts]
    for name, sign, _ in pairs:
        if not sign:
            raise BadOption(f"--option {name} has no value: write --option {name}=VALUE")
    given = {name: value for name, _, value in pairs}
    if len(given) < len(pairs):
        raise BadOption("an --option is given twice: name each option once")
    return given


def read_sizes(text: str) -> list[int]:
    """Table sizes from a text such as "2-6" or "3,5", rising; none from "". Raises BadOption."""
    if not text:
        return []
    sizes: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low, high = whole_number(first), whole_number(last if dash else first)
        if low is None or high is None or not low <= high < low + _MAX_SIZES:
            raise BadOption(
                f"--players {text[:40]} is not a table size: write one as 3, or several as 2-6"
            )
        sizes.update(range(low, high + 1))
    return sorted(sizes)
