"""A SQLite database for every test of the ledger's processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.books import Books, open_books


@pytest.fixture
def books(empty_database: Path, tmp_path: Path) -> Iterator[Books]:
    """Books of the test's own."""
    place = shutil.copy(empty_database, tmp_path / "matchbox.db")
    opened = open_books(f"sqlite:///{place}")
    yield opened
    opened.context.close()
