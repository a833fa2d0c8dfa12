"""Sections of figures as a page in Markdown. Pure: the same figures make the same page."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from bench.figures.compare import Row, Section

COLUMNS = ("figure", "given by", "given", "ours", "games", "apart", "allowed", "agrees")


def page(sections: Sequence[Section], seed: str) -> str:
    """The whole page."""
    rows = [row for section in sections for row in section.rows]
    agreeing = sum(row.agrees for row in rows)
    within = sum(row.within_errors for row in rows)
    head = (
        f"`make figures` plays the shipped bots anew, writes this page, and fails if a figure "
        f"disagrees. Seed `{seed}`; {agreeing} of {len(rows)} figures agree, {within} of them "
        "within their common errors."
    )
    how = (
        "*Given* is a figure of the game's source document, or of a reference run of its rules "
        "made before this platform; *ours* is the platform's. Each has its 95% error. The two "
        "agree if they are no farther *apart* than chance *allows*: 1.7 times their common error, "
        "or 3.3 standard deviations. By chance alone, one pair in a thousand is farther apart, "
        "and one in twenty is farther apart than its common error. So `make figures` also fails "
        "if fewer than nine in ten figures are within their common errors."
    )
    parts = ["# Figures", fill(head, 100), fill(how, 100)]
    for section in sections:
        parts += [f"## {section.title}", fill(section.about, 100), table(section.rows)]
    return "\n\n".join(parts) + "\n"


def table(rows: Sequence[Row]) -> str:
    """The rows as a table."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "| --- | --- |" + " ---: |" * 5 + " --- |"]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    return "\n".join(lines)


def cells(row: Row) -> list[str]:
    """A row as text, in the order of COLUMNS."""
    return [
        row.name,
        row.source,
        str(row.given),
        str(row.ours),
        f"{row.ours.games:,}",
        f"{row.apart:.3f}",
        f"{row.allowed:.3f}",
        "yes" if row.agrees else "**no**",
    ]
