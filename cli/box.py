"""The box of a command, and `matchbox build-image`, which the box `docker` needs first."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from cli import output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from cli.live import Live
    from laboratory.worker_pool import WorkerPool
    from matchbox.settings import Settings
    from sandbox.box import Box


def open_box(kind: str, settings: Settings | None = None) -> AbstractContextManager[Box | None]:
    """A box by its name in `--box`, with these settings or those of the environment, for a `with`
    block.

    With `none` there is no box, and the block gets None; see `bots_apart`. Raises BadSetting, and
    the errors of `worker.arena.boxes.open_named`.
    """
    from matchbox.settings import read_settings
    from worker.arena.boxes import open_named

    return open_named(kind, settings or read_settings(os.environ)) or bots_apart(kind)


@contextmanager
def bots_apart(kind: str) -> Iterator[None]:
    """With `none`, keeps the command's output and folder from the bots that run in its process.

    During the block everything that is printed goes to stderr, also by their programs. Afterwards
    the working directory is restored.
    """
    if kind != "none":
        yield
        return
    own = sys.stdout
    own.flush()
    stdout, folder = os.dup(1), os.open(".", getattr(os, "O_PATH", os.O_RDONLY))
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        own.flush()  # A bot may have found it, as `sys.__stdout__`.
        os.dup2(stdout, 1)
        os.fchdir(folder)
        os.close(stdout)
        os.close(folder)


@contextmanager
def pool(kind: str, workers: int) -> Iterator[tuple[WorkerPool, Live]]:
    """Processes that play in boxes of that kind, with the settings of the environment, and a
    progress bar, for a `with` block; see `bots_apart`."""
    from laboratory.worker_pool import worker_pool
    from matchbox.settings import read_settings

    settings = read_settings(os.environ)
    with bots_apart(kind), worker_pool(kind, workers, settings) as opened, output.progress() as bar:
        yield opened, bar


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
