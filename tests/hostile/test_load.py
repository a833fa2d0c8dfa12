"""A thousand mixed matches under four times the load, with little time for attacks."""

from __future__ import annotations

import os

from tests.hostile import load


def test_a_thousand_mixed_matches_harm_nobody_on_a_machine_with_too_much_to_do() -> None:
    before = os.environ.get("TMPDIR")
    told = load.run("bwrap", matches=1000, share=10, minutes=20)
    assert told["wrong"] == []
    assert told["hostile_entrants"] > 100
    assert len(told["endings_of_attackers"]) > 3
    assert os.environ.get("TMPDIR") == before  # Later tests of this process need one that is there.
