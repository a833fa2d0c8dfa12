"""Builders of the values that many tests need: jobs, records, bots in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.errors import SeatFault
from matchbox.game import Game
from matchbox.match import frames, referee
from matchbox.match.referee import Played, play
from matchbox.match.rotation_runner import Player
from matchbox.match.seat import LocalChannel, Seat
from matchbox.match.wire import Entrant, PlayMatch
from matchbox.settings import Settings
from sandbox.box import Box
from tests.fakes import Decide, ScriptedPlayer
from worker.arena.boxes import open_named

CHECKOUT = Path(__file__).resolve().parent.parent


def a_job(game: Game, *, seats: int = 2, deals: int = 2, width: int = 1, **given: Any) -> PlayMatch:
    """A match of that game between made-up versions."""
    values: dict[str, Any] = {
        "attempt": 1,
        "token": "token",
        "game": game.spec.name,
        "limits": {},
        "match": "match",
        "rules": game.spec.rules,
        "options": {},
        "deals": derive_deals("a test", deals),
        "seats": [Entrant(digest(bytes([seat]))) for seat in range(seats)],
        "width": width,
    }
    return PlayMatch(**values | given)


def play_scripted(
    game: Game,
    job: PlayMatch,
    decide: Mapping[int, Decide],
    breaks: Mapping[int, Callable[[frames.Question], SeatFault | None]] | None = None,
    **given: Any,
) -> tuple[Played, dict[tuple[int, int], list[ScriptedPlayer]]]:
    """The match as scripted players play it, and the players by (entrant, rotation)."""
    opened: dict[tuple[int, int], list[ScriptedPlayer]] = {}

    def open_player(entrant: int, rotation: int) -> Player:
        fault = (breaks or {}).get(entrant, lambda _: None)
        player = ScriptedPlayer(decide[entrant], fault)
        opened.setdefault((entrant, rotation), []).append(player)
        return player

    return play(game, job, open_player, **given), opened


@contextmanager
def without_batches() -> Iterator[None]:
    """Makes the referee play every bout by itself in the block, as it does after a fault."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(referee, "batch_of", lambda game, seats, options: None)
        yield


def local_seats(
    game: str, sources: Sequence[bytes | str], opened: list[Seat] | None = None
) -> Callable[[int, int], Player]:
    """Opens a seat in this process for each entrant's source."""

    def open_player(entrant: int, rotation: int) -> Player:
        source = sources[entrant]
        data = source if isinstance(source, bytes) else source.encode()
        package = registry.package_of(game)
        frame = frames.load_frame(package, {"player.py": data}, None, "00")
        seat = Seat(LocalChannel, frame)
        if opened is not None:
            opened.append(seat)
        return seat

    return open_player


def shipped(game: str, bot: str) -> bytes:
    """The file of a shipped bot."""
    return (CHECKOUT / "bots" / game / f"{bot}.py").read_bytes()


def open_box(kind: str, *settings: Settings) -> Box:
    """A new box of that kind, which is not `none`."""
    opened = open_named(kind, *settings)
    assert opened is not None
    return opened
