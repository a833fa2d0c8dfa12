"""The table of attacks in docs/threat-model.md: `python -m tests.hostile.table` writes it anew.

Knows the attacks' folders and two marks in the page; tries no attack.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
UNHARMED: Final = "gets nothing, and plays on"


@dataclass(frozen=True, slots=True)
class Attack:
    """One folder: what its bot does, what stops it, and what becomes of it."""

    name: str
    does: str
    group: str
    stopped_by: str
    verdicts: tuple[str, ...]
    """The endings that it may have; none where it only fails to get what it wants."""

    @property
    def row(self) -> str:
        """Its line of the table."""
        ending = " or ".join(f"`{kind}`" for kind in self.verdicts) or UNHARMED
        return f"| `{self.name}` | {self.does} | {self.stopped_by} | {ending} |"


def attacks() -> list[Attack]:
    """Every attack, in the order of groups, then of names."""
    found = [_attack(folder) for folder in HERE.iterdir() if (folder / "bot.py").is_file()]
    return sorted(found, key=lambda one: (GROUPS.index(one.group), one.name))


def table() -> str:
    """All attacks, a part for each group."""
    every = attacks()
    trials = [one for one in every if one.group != "control"]
    parts = [f"{len(trials)} attacks, and an honest bot that must come through unharmed."]
    for group in GROUPS:
        rows = [one.row for one in every if one.group == group]
        if rows:
            head = "| attack | what the bot does | what stops it | what becomes of it |"
            parts.append(f"### {group.capitalize()}")
            parts.append("\n".join([head, "| --- | --- | --- | --- |", *rows]))
    return "\n\n".join(parts)


def with_table(page: str) -> str:
    """The page with the present table between its marks. Raises ValueError where one is missing."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page must hold the lines {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def _attack(folder: Path) -> Attack:
    told = tomllib.loads((folder / "expect.toml").read_text())
    # Not parsed: to be parsed is what some of them attack with.
    opening = _OPENING.match((folder / "bot.py").read_text())
    if opening is None:
        raise ValueError(f"{folder.name}/bot.py must begin with what it does, in a docstring")
    return Attack(
        name=folder.name,
        does=" ".join(opening[1].split()).replace("|", "\\|"),
        group=told["group"],
        stopped_by=told["stopped_by"],
        verdicts=tuple(told["verdicts"]),
    )


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
