"""A small file is replaced all at once, also by two processes at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from cli import whole_file


def write_often(path: Path, sign: str) -> set[int]:
    """Writes the file many times; returns the lengths that it read meanwhile."""
    lengths = set()
    for _ in range(200):
        whole_file.replace(path, sign * 1000)
        lengths.add(len(path.read_text()))
    return lengths


def test_two_writers_at_once_leave_one_whole_text(tmp_path: Path) -> None:
    file = tmp_path / "login.json"
    with ThreadPoolExecutor() as pool:
        assert list(pool.map(partial(write_often, file), "ab")) == [{1000}, {1000}]
    assert list(tmp_path.iterdir()) == [file]


def test_a_text_that_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "login.json"
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        whole_file.replace(file, "\udcff")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"]
