"""A thousand mixed matches under four times the load, with little time for attacks."""

from __future__ import annotations

from tests.hostile import load


def test_a_thousand_mixed_matches_harm_nobody_on_a_machine_with_too_much_to_do() -> None:
    told = load.run("bwrap", matches=1000, share=10, minutes=60)
    assert told["wrong"] == []
    assert told["hostile_entrants"] > 100
    assert len(told["endings_of_attackers"]) > 3
