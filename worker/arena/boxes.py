"""Opens the box in which an arena or a command plays, by its name. Knows the modules of every
seat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matchbox import registry
from matchbox.errors import BadOption
from matchbox.settings import Settings, libraries_of

if TYPE_CHECKING:
    from sandbox.box import Box
    from sandbox.policy import Engine
    from sandbox.selftest import SelfTestReport

ENTRY: Final = "matchbox.match.bot_runner:serve"
"""The function that answers frames inside a seat."""
_USUAL: Final = Settings()


def open_named(kind: str, settings: Settings = _USUAL, *, tested: bool = False) -> Box | None:
    """A warm box of that kind. `auto` is the best kind that works here; `none` gives None: no box.

    With `tested`, and always for `auto`, the self-test comes first, and no process without a layer
    that it found runs a bot. Raises BadOption for an unknown name, BoxUnavailable with a sentence
    that says what to do.
    """
    if kind == "none":
        return None
    from sandbox.box import KINDS, open_box
    from sandbox.selftest import libraries_refusal

    if kind not in ("auto", *KINDS):
        raise BadOption(f"there is no box {kind!r}: choose one of auto, {', '.join(KINDS)}, none")
    chosen = choose(kind, settings)
    layers = examine(chosen, settings).layers if tested or kind == "auto" else {}
    return open_box(
        chosen,
        preload=registry.seat_modules(),
        entry=ENTRY,
        engine=_engine(settings),
        libraries=libraries_of(settings),
        check=libraries_refusal,
        needs=[layer for layer, stands in layers.items() if stands],
    )


def choose(kind: str, settings: Settings = _USUAL) -> str:
    """The kind itself; for `auto`, the best kind that works here now."""
    from sandbox.selftest import best_kind

    return best_kind(_engine(settings)) if kind == "auto" else kind


def examine(kind: str, settings: Settings = _USUAL) -> SelfTestReport:
    """The self-test's report on that kind of box on this machine."""
    from sandbox.selftest import selftest

    return selftest(kind, engine=_engine(settings))


def build_images(base: str, network: str, settings: Settings) -> list[str]:
    """Builds the images of the seats' containers, and returns their names.

    `base` and `network` may be empty for the defaults. One image has the standard library alone;
    another has the settings' libraries too. Raises BoxUnavailable.
    """
    from sandbox import docker_box, docker_image
    from sandbox.program import Program

    libraries = libraries_of(settings)
    plain = Program(tuple(registry.seat_modules()), ENTRY, libraries=libraries)
    client = docker_box.connect()
    return [
        docker_image.build(client, one.packages(), base or docker_image.BASE, network or None)
        for one in ((plain, plain.with_libraries()) if libraries else (plain,))
    ]


def _engine(settings: Settings) -> Engine:
    from sandbox.policy import Engine

    modules = (*registry.seat_modules(), ENTRY.partition(":")[0])
    return Engine(settings.docker_runtime, settings.sockets, modules)
