"""Leaves a note about the bomb's place in one rotation, and plays by that note in the other."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
COUNTER = HERE.parents[2] / "bots" / "bomb" / "counter.py"


def bundle(place: str = "/usr/lib/python3/notes", pages: str = "", notes: bool = True) -> bytes:
    """The upload: notes are names below `place`, and pages of the files `pages`."""
    told = {"@PLACE@": place, "@PAGES@": pages, '"@NOTES@"': str(notes)}
    source = (HERE / "carrier.txt").read_text()
    for name, value in told.items():
        source = source.replace(name, value)
    return (COUNTER.read_text() + source).encode()
