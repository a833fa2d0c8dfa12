"""A value that is kept for a moment, also if it could not be made."""

from __future__ import annotations

import pytest

from server import recent
from server.recent import Recent


def test_a_value_is_made_again_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "KEPT_S", 60.0)
    numbers, kept = iter(range(9)), Recent[int]()
    assert [kept.get(lambda: next(numbers)) for _ in range(3)] == [0, 0, 0]
    monkeypatch.setattr(recent, "KEPT_S", 0.0)
    assert kept.get(lambda: next(numbers)) == 1


def test_all_who_wait_get_the_error_of_the_one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "KEPT_S", 60.0)
    tries, kept = list[int](), Recent[int]()

    def fail() -> int:
        tries.append(1)
        raise OSError("the database hangs")

    for _ in range(3):
        with pytest.raises(OSError, match="hangs"):
            kept.get(fail)
    assert tries == [1]
    monkeypatch.setattr(recent, "KEPT_S", 0.0)
    assert kept.get(lambda: 7) == 7
