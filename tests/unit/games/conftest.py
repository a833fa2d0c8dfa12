"""Chance of its own for a test, and a person at the terminal."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest


@pytest.fixture
def own_chance() -> Iterator[None]:
    """Makes the module `random` draw the same in every run of the test."""
    state = random.getstate()
    random.seed(2)
    yield
    random.setstate(state)


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Sets the lines that the human types."""
    typed = iter(lines)

    def type_it(prompt: str) -> str:
        print(prompt)
        return next(typed)

    monkeypatch.setattr("builtins.input", type_it)
