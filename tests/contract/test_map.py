"""Every file on the map exists, defines the name before it, and is used at its stage."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract import sources

HOME = Path(__file__).parents[2]
MAP = (HOME / "ARCHITECTURE.md").read_text()
ROOMS = "|".join((*sources.HOUSE, "docs", "tests"))
FILES = sorted(set(re.findall(rf"`((?:{ROOMS})/[\w./-]*)`", MAP)))
NAMED = re.findall(rf"`(\w+)`(?: and `(\w+)`)? (?:of|in) `((?:{ROOMS})/[\w./-]+\.py)`", MAP)


def test_the_map_names_files() -> None:
    assert len(FILES) > 30
    assert len(NAMED) > 6


@pytest.mark.parametrize("path", FILES)
def test_a_file_on_the_map_exists(path: str) -> None:
    assert (HOME / path).exists(), f"ARCHITECTURE.md names {path}"


@pytest.mark.parametrize(("first", "second", "path"), NAMED)
def test_a_name_on_the_map_is_in_its_file(first: str, second: str, path: str) -> None:
    text = (HOME / path).read_text()
    for name in filter(None, (first, second)):
        defined = rf"^\s*(?:def |class )?\"?{name}\b[^=\n]*[(:=]"
        assert re.search(defined, text, re.MULTILINE), f"{path} does not define {name}"


def test_a_match_runs_through_the_files_on_the_map_in_their_stages() -> None:
    way = [sys.executable, "-m", "tests.contract.way_of_a_match"]
    plain = {**os.environ, "MATCHBOX_COMPILED": "false"}
    done = subprocess.run(way, cwd=HOME, env=plain, check=True, capture_output=True, timeout=300)
    ran = json.loads(done.stdout)
    for stage in ("paired", "played", "booked", "shown"):
        (row,) = re.findall(rf"^\| {stage}, .*$", MAP, re.MULTILINE)
        files = re.findall(r"`([\w/]+/\w+\.\w+)`", re.sub(r"\(.*?\)", "", row))
        assert len(files) > 3
        assert set(files) <= set(ran[stage]), f"{stage}: not every file on the map was run"
