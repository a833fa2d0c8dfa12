"""A seat in this process leaves the process as it was."""

from __future__ import annotations

import importlib
import json
import random
import sys
from types import ModuleType

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


LAZY = b"""from lazy_game.player import Player


class Mine(Player):
    def decide(self):
        import helper
        return helper.NAME
"""


def test_two_bots_import_modules_of_the_same_name_while_they_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = ModuleType("lazy_game.player")
    vars(game).update(
        Player=type("Player", (), {}), answer=lambda player, view, ask: player.decide()
    )
    monkeypatch.setitem(sys.modules, "lazy_game", ModuleType("lazy_game"))
    monkeypatch.setitem(sys.modules, "lazy_game.player", game)
    finders = list(sys.meta_path)
    channels = {name: LocalChannel() for name in ("one", "two")}
    for name, channel in channels.items():
        files = {"player.py": LAZY, "helper.py": f"NAME = {name!r}".encode()}
        channel.ask(frames.load_frame("lazy_game", files, None, "00"), start=True)
    for nonce in (1, 2):
        for name, channel in channels.items():
            answer = channel.ask(frames.ask_frame(nonce, [(0, 0, "00" * 32)], []))
            assert frames.read_answers(answer, nonce, 1) == [name]
    for channel in channels.values():
        channel.close()
    assert ("helper" in sys.modules, sys.meta_path) == (False, finders)
