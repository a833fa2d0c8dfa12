"""A seat in this process leaves the process as it was."""

from __future__ import annotations

import importlib
import json
import random

import pytest

from matchbox.match import frames
from matchbox.match.seat import LocalChannel

BOT = b"from matchbox.games.bomb import *\n\n\nclass Mine(SimplePlayer):\n    pass\n"


def test_what_it_refuses_to_its_bot_can_be_imported_again_afterwards() -> None:
    channel = LocalChannel()
    load = frames.load_frame("matchbox.games.bomb", {"player.py": BOT}, None, "00", libraries=())
    assert json.loads(channel.ask(load, start=True)) == ["loaded", "Mine"]
    with pytest.raises(ModuleNotFoundError, match="not available here"):
        importlib.import_module("not_there_at_all")
    channel.close()
    with pytest.raises(ModuleNotFoundError, match="No module named 'not_there_at_all'"):
        importlib.import_module("not_there_at_all")
    assert random.random.__self__ is random._inst  # type: ignore[attr-defined]
