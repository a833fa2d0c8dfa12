"""The box of a command, and `matchbox build-image`, which the box `docker` needs first."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sandbox.box import Box


def open_box(kind: str) -> Box | nullcontext[None]:
    """A box by its name in `--box`, with the settings of the environment, for a `with` block.

    With `none` there is no box, and the block gets None. Raises BadSetting, and the errors of
    `worker.arena.boxes.open_named`.
    """
    from matchbox.settings import read_settings
    from worker.arena.boxes import open_named

    return open_named(kind, read_settings(os.environ)) or nullcontext()


def build_image(
    base: Annotated[
        str,
        typer.Option(envvar="BASE_IMAGE", help="an image with this Python; empty: python:X.Y-slim"),
    ] = "",
    network: Annotated[
        str, typer.Option(envvar="BUILD_NETWORK", help="the network of the build, such as host")
    ] = "",
) -> None:
    """Build the images of the seats' containers, for `--box docker`; prints their names."""
    from matchbox.settings import read_settings
    from worker.arena.boxes import build_images

    for name in build_images(base, network, read_settings(os.environ)):
        print(name)
