"""Puts an attacker beside an honest bot, in either seat, and watches from outside.

Knows boxes, matches and how an attack's folder is read; knows no attack by name.
"""

from __future__ import annotations

import json
import runpy
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.game import fill_options
from matchbox.match import wire
from matchbox.match.wire import Entrant, MatchPlayed, PlayMatch
from sandbox.box import Box
from sandbox.box_seat import BoxSeat
from sandbox.meter import Bank
from sandbox.policy import NOT_EVERYWHERE, Limits
from sandbox.selftest import selftest
from tests.hostile.witnesses import WITNESSES, Witness
from tests.services import missing
from worker.arena.play import play_job

HERE: Final = Path(__file__).parent
HONEST: Final = b"from matchbox.games.bomb import SimplePlayer\n\nBOT = SimplePlayer\n"
RIVALS: Final = {
    "bomb": HONEST,
    "skull": b"from matchbox.games.skull import RandomAgent\n\nBOT = RandomAgent\n",
}
"""An honest bot for each game with an attack."""
ATTACKS: Final = sorted(place.parent.name for place in HERE.glob("*/expect.toml"))
LIMITS: Final = {
    "cpu_ms": 3000,
    "start_cpu_ms": 6000,
    "wall_factor": 3,
    "memory_mb": 96,
    "bank_ms": 30_000,
}
"""Time enough on a slow machine. Attacks that are to run out of time get less."""
_OFTEN_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class Proof:
    """The layers without which an attack works, the kind of box, and the witness that proves it."""

    layers: tuple[str, ...]
    box: str
    witness: str
    telling: Mapping[str, Any]


def expected(attack: str) -> dict[str, Any]:
    """The expected result, from the attack's folder."""
    return tomllib.loads((HERE / attack / "expect.toml").read_text())


def limits(attack: str) -> dict[str, int]:
    """The limits of a seat in this attack's matches."""
    return LIMITS | expected(attack).get("limits", {})


def proof(attack: str) -> Proof | None:
    """The proof that the attack works without a layer, if there is one."""
    told = expected(attack).get("without")
    if told is None:
        return None
    return Proof(layers_of(told), told["box"], told["witness"], told.get("telling", {}))


def layers_of(without: Mapping[str, Any]) -> tuple[str, ...]:
    """The layer with this name, or the layers that stop the attack together."""
    layer = without["layer"]
    return (layer,) if isinstance(layer, str) else tuple(layer)


def witnessed(attack: str) -> Witness:
    """A fresh witness of the attack; one that sees nothing if the attack has none."""
    shown = proof(attack)
    return WITNESSES[shown.witness](**shown.telling) if shown else Witness()


def bot(attack: str, witness: Witness) -> bytes:
    """The attacker's upload, with its witness's place filled in."""
    if (HERE / attack / "pack.py").is_file():
        packed: bytes = runpy.run_path(str(HERE / attack / "pack.py"))["bundle"]()
        return packed
    source = (HERE / attack / "bot.py").read_bytes()
    return source.replace(b"@PLACE@", witness.place.encode())


def needs_the_layer(box: Box, attack: str) -> None:
    """Ends the test as `missing` does if a layer that stops the attack is lacking, as on machines
    that cannot have it. The self-test must say so."""
    shown = proof(attack)
    for layer in NOT_EVERYWHERE:
        if shown is not None and layer in shown.layers and not box.layers[layer]:
            lacking = [sentence for sentence in selftest(box.kind).lacking if layer in sentence]
            assert lacking, "the self-test says so"
            missing(f"{box.kind}: {lacking[0]}")


def game_of(attack: str) -> str:
    """The game of the attack."""
    name: str = expected(attack).get("game", "bomb")
    return name


def played(
    box: Box,
    name: str,
    *bundles: bytes,
    limits: Mapping[str, int] = LIMITS,
    game: str = "bomb",
    deals: int = 1,
    width: int = 1,
) -> MatchPlayed:
    """A match between these bots, in every rotation, as an arena plays it."""
    spec = registry.game(game).spec
    job = PlayMatch(
        attempt=1,
        token="t" * 64,
        game=game,
        limits=dict(limits),
        match=digest(name.encode())[:32],
        rules=spec.rules,
        options=fill_options(spec, {}),
        deals=derive_deals(name, deals),
        seats=[Entrant(digest(bundle)) for bundle in bundles],
        width=width,
    )
    return play_job(job, {digest(one): one for one in bundles}, box, reports=True)


def is_taken(result: MatchPlayed) -> bool:
    """Whether the server accepts that result, read from JSON as it would arrive."""
    sent = json.loads(json.dumps(wire.to_plain(result), allow_nan=False))
    return wire.from_plain(MatchPlayed, sent) == result


def watched(box: Box, witness: Witness) -> Box:
    """The same box, with a witness that watches every seat."""
    return cast("Box", _Watched(box, witness))


class _Watched:
    def __init__(self, box: Box, witness: Witness) -> None:
        self.kind = box.kind
        self.libraries = ()
        self._box = box
        self._witness = witness

    def seat(self, limits: Limits, bank: Bank | None = None) -> _Seen:
        return _Seen(self._box.seat(limits, bank), self._witness)


class _Seen:
    """A seat that is watched after every answer, and by some witnesses while an answer is
    awaited."""

    def __init__(self, seat: BoxSeat, witness: Witness) -> None:
        self._seat = seat
        self._witness = witness

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seat, name)

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        with self._looking() if self._witness.awaits else nullcontext():
            answer = self._seat.ask(frame, decisions, start=start)
        self._look()
        return answer

    @contextmanager
    def _looking(self) -> Iterator[None]:
        over = threading.Event()
        thread = threading.Thread(target=partial(self._keep_looking, over))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _keep_looking(self, over: threading.Event) -> None:
        while not over.wait(_OFTEN_S):
            self._look()

    def _look(self) -> None:
        with suppress(OSError):
            self._witness.look(self._seat)
