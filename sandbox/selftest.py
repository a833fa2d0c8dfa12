"""Tests whether a kind of box holds on this machine: tries every attack in a fresh seat.

Knows what a complete wall is; knows no bots. The worker runs it at its start.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from matchbox.errors import BoxUnavailable, SeatFault
from sandbox.attacks import ATTACKS, SPIN, SPIN_S
from sandbox.box import KINDS, Box, open_box
from sandbox.policy import LAYERS, LIBRARIES, NOT_EVERYWHERE, Engine, Limits, Wall

AGAIN_S: Final = 60.0
"""Seconds after which a test that failed is made again: the machine may only have been busy."""
_LIMITS: Final = Limits(cpu_ms=2000, bank_ms=20_000, memory_mb=128)


@dataclass(frozen=True, slots=True)
class SelfTestReport:
    """The findings about one kind of box.

    Attributes:
        walled: whether strangers' programs may run in it.
        layers: every layer by name, and whether it stands.
        missing: one sentence for each defect.
        lacking: the same for layers that some machines cannot have; strangers may still play.
    """

    walled: bool
    layers: Mapping[str, bool]
    missing: Sequence[str]
    lacking: Sequence[str] = ()


_KEPT: Final[dict[tuple[object, ...], tuple[SelfTestReport, float]]] = {}
"""By what was tested: the last report, and when it was made."""


def selftest(
    kind: str,
    wall: Wall = Wall(),  # noqa: B008 - a frozen value
    engine: Engine = Engine(),  # noqa: B008 - a frozen value
    libraries: tuple[str, ...] = (),
) -> SelfTestReport:
    """The report on this kind; with `libraries`, on seats that hold them.

    A wall that stands is tested once per process, another one again after AGAIN_S seconds.
    """
    tested = kind, wall, engine, libraries
    report, at = _KEPT.get(tested, (None, 0.0))
    if report is None or not (report.walled or time.monotonic() - at < AGAIN_S):
        report = _test(kind, wall, engine, libraries)
        _KEPT[tested] = report, time.monotonic()
    return report


def _test(kind: str, wall: Wall, engine: Engine, libraries: tuple[str, ...]) -> SelfTestReport:
    preload = [module for name in libraries for module in LIBRARIES[name]]
    try:
        with open_box(
            kind, preload=preload, entry="sandbox.attacks:serve", wall=wall, engine=engine
        ) as box:
            return _examine(box)
    except (BoxUnavailable, SeatFault) as error:
        return SelfTestReport(False, {}, [str(error)])


def best_kind(engine: Engine = Engine()) -> str:  # noqa: B008 - a frozen value
    """The first kind whose self-test passes here; else "process", which is for trusted bots."""
    return next((kind for kind in KINDS if selftest(kind, engine=engine).walled), "process")


def libraries_refusal(kind: str, wall: Wall, engine: Engine, libraries: tuple[str, ...]) -> str:
    """Why seats of this kind must not hold the libraries: the wall stands without them but fails
    with them. "" if they may."""
    tested = selftest(kind, wall, engine, libraries)
    if tested.walled or not selftest(kind, wall, engine).walled:
        return ""
    return "; ".join(tested.missing)


def _examine(box: Box) -> SelfTestReport:
    worked = [(name, layer) for name, (layer, _) in ATTACKS.items() if _works(box, name)]
    layers = {layer: box.layers.get(layer, True) for layer in (*box.layers, *LAYERS)}
    open_layers = {layer.partition(":")[0] for _, layer in worked}
    layers |= dict.fromkeys(open_layers, False)
    layers["clock"] = _clock_runs(box)
    open_ = [(f"a bot could {name}: the layer {layer!r} is open", layer) for name, layer in worked]
    open_ += [
        (f"the layer {layer!r} does not work on this machine", layer)
        for layer, stands in layers.items()
        if not stands and layer not in open_layers
    ]
    missing = [sentence for sentence, layer in open_ if layer not in NOT_EVERYWHERE]
    lacking = [sentence for sentence, layer in open_ if layer in NOT_EVERYWHERE]
    return SelfTestReport(not missing, layers, missing, lacking)


def _works(box: Box, attack: str) -> bool:
    """Whether the attack was not refused. A seat that died proves nothing, so it counts too."""
    seat = box.seat(_LIMITS)
    try:
        return not seat.ask(attack.encode()).startswith(b"refused")
    except SeatFault:
        return True
    finally:
        seat.close()


def _clock_runs(box: Box) -> bool:
    """Whether the processor time of a spinning seat can be measured from outside."""
    seat = box.seat(_LIMITS)
    try:
        before = seat.cpu_ms
        seat.ask(SPIN)
        return seat.cpu_ms - before >= SPIN_S * 1000 * 0.9
    except SeatFault:
        return False
    finally:
        seat.close()
