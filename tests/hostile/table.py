"""The table of attacks in docs/threat-model.md: `python -m tests.hostile.table` writes it again.

Knows the attacks' folders and two marks in the page; tries no attack.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
PAGE: Final = HERE.parent.parent / "docs" / "threat-model.md"
BEGIN: Final = "<!-- attacks: written by `python -m tests.hostile.table` -->"
END: Final = "<!-- attacks: end -->"
GROUPS: Final = (
    "hidden information",
    "protocol",
    "time",
    "resources",
    "sabotage",
    "end of life",
    "identity and uploads",
    "control",
)
_OPENING: Final = re.compile(r'"""(.+?)"""', re.DOTALL)
_HEAD: Final = "| attack | the bot | what stops it | result | works without (box) |"
UNHARMED: Final = "gets nothing, and plays on"


@dataclass(frozen=True, slots=True)
class Attack:
    """The folder of an attack: its bot, the layer that stops it, and its result."""

    name: str
    does: str
    group: str
    stopped_by: str
    verdicts: tuple[str, ...]
    """The endings that it may have; none if it only fails to reach its aim."""
    works_without: str
    """The layers without which it works, and the box in which that is shown; "" if none."""

    @property
    def row(self) -> str:
        """Its line of the table."""
        ending = " or ".join(f"`{kind}`" for kind in self.verdicts) or UNHARMED
        cells = (f"`{self.name}`", self.does, self.stopped_by, ending, self.works_without)
        return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def attacks() -> list[Attack]:
    """Every attack, in the order of groups, then of names."""
    found = [_attack(place.parent) for place in HERE.glob("*/expect.toml")]
    return sorted(found, key=lambda one: (GROUPS.index(one.group), one.name))


def table() -> str:
    """All attacks, a part for each group."""
    every = attacks()
    trials = [one for one in every if one.group != "control"]
    shown = sum(bool(one.works_without) for one in trials)
    parts = [
        f"{len(trials)} attacks, {shown} of them shown to work without one or two layers, and an "
        "honest bot that must come through unharmed."
    ]
    for group in GROUPS:
        rows = [one.row for one in every if one.group == group]
        if rows:
            parts.append(f"### {group.capitalize()}")
            parts.append("\n".join([_HEAD, f"|{' --- |' * 5}", *rows]))
    return "\n\n".join(parts)


def with_table(page: str) -> str:
    """The page with the present table between its marks. Raises ValueError if one is missing."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page must hold the lines {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def _attack(folder: Path) -> Attack:
    told = tomllib.loads((folder / "expect.toml").read_text())
    # The file is not parsed: some attacks are made against parsers.
    (file,) = (folder / name for name in ("bot.py", "pack.py") if (folder / name).is_file())
    opening = _OPENING.match(file.read_text())
    if opening is None:
        raise ValueError(f"{folder.name}/{file.name} must begin with what it does, in a docstring")
    return Attack(
        name=folder.name,
        does=" ".join(opening[1].split()).replace("|", "\\|"),
        group=told["group"],
        stopped_by=told["stopped_by"],
        verdicts=tuple(told["verdicts"]),
        works_without=_works_without(told["without"]) if "without" in told else "",
    )


def _works_without(told: Mapping[str, Any]) -> str:
    layer = told["layer"]
    layers = [layer] if isinstance(layer, str) else layer
    return f"{', '.join(f'`{one}`' for one in layers)} ({told['box']})"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
