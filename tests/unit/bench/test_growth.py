"""The growth of pages and ledger is measured on a real database, and judged by its musts."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.site import books, growth
from bench.site.books import Size
from bench.site.first_byte import Page
from bench.site.growth import FIRST_S, MEMORY, PAGES, TICKS, Grown
from bench.site.ledger import Started

LEAST = Started(
    first_result_s=1.0,
    tick_ms=10.0,
    book_ms=5.0,
    booked=40,
    standings_s=1.0,
    memory_mb=100.0,
    refit_memory_mb=100.0,
)


def grown(ratio: float = PAGES, **ledger: float) -> Grown:
    """A platform that holds every must, except for the given changes."""
    page = Page("/", "", empty_ms=10.0, full_ms=10 * ratio, loaded=0, figure=False)
    started = replace(LEAST, **ledger)  # type: ignore[arg-type]
    return Grown(Size(100, 10_000), 2.0, page, started, LEAST)


def test_what_grows_too_much_misses_its_must() -> None:
    assert grown(tick_ms=10 * TICKS, memory_mb=100 * MEMORY, first_result_s=FIRST_S).held
    assert not grown(ratio=PAGES + 0.1).held
    assert not grown(tick_ms=10 * TICKS + 1).held
    assert not grown(memory_mb=100 * MEMORY + 1).held
    assert not grown(first_result_s=FIRST_S + 1).held


def test_sizes_are_measured_beside_the_smallest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(books, "LONG", 4)
    monkeypatch.setattr(growth, "SMALLEST", 40)
    monkeypatch.setattr(growth, "TIMES", 2)
    monkeypatch.setattr(growth, "MATCHES_A_BOT", 8)
    monkeypatch.setattr(growth, "WEIGHED", (8, 72))
    monkeypatch.setattr(growth, "LONG_DEALS", 2)
    monkeypatch.setattr(growth, "LONG_KB", 100.0)  # Pages of a small file say little about a match.
    words = ["--most", "80", "--repeats", "1", "--only", "/matches", "--keep", str(tmp_path)]
    code = growth.main(words)
    written = capsys.readouterr()
    heading, row = (line.split("\t") for line in written.out.splitlines())
    assert re.search(r"a match of 2 deals takes [1-9]\.\d kB on sqlite", written.err)
    assert heading == list(growth.COLUMNS)
    told = dict(zip(heading, row, strict=True))
    assert (told["matches"], told["bots"]) == ("80", "10")
    assert told["slowest page"].startswith("/matches")
    assert float(told["kB a match"]) > 1
    assert code == (told["held"] == "no")
    assert {one.name for one in tmp_path.iterdir()} == {"sqlite-40", "sqlite-80"}
    growth.main(words)
    again = capsys.readouterr()
    assert "books on sqlite: 80 matches" in written.err
    assert "books on sqlite: 80 matches" not in again.err
    assert len(again.out.splitlines()) == 2


def test_too_few_matches_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        growth.main(["--most", "1000"])
    assert "the least are 10000 matches" in capsys.readouterr().err


def test_the_memory_of_a_ledger_is_its_own() -> None:
    ballast = b"x" * 400_000_000
    told = "from bench.site.ledger import _peak_mb; print(_peak_mb())"
    done = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True)
    assert len(ballast) / 1e6 > float(done.stdout) > 20
