"""The image of the seats' containers: its files, its name, and its build.

Knows files and an engine; starts no container. The name carries a digest of the contents, so an
image of another release, or of other games, is never mistaken for the right one.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from matchbox import build as hot_path
from matchbox.errors import BoxUnavailable
from matchbox.setting_values import is_loopback

if TYPE_CHECKING:
    from docker import DockerClient

REPOSITORY: Final = "matchbox-seat"
PLACE: Final = "/box"
"""The directory of the packages inside the image."""
INTERPRETER: Final = "/python"
ARCHIVE: Final = "/library"

_MADE_HERE: Final = {"__pycache__", hot_path.FOLDER.name}
"""Folders of files made on this machine. Only the compiled hot path among them is copied."""
_PROXIES: Final = ("http_proxy", "https_proxy", "no_proxy")
_RECIPE: Final = Path(__file__).parent / "image"
_PYTHON: Final = "{}.{}".format(*sys.version_info)
BASE: Final = f"python:{_PYTHON}-slim"
"""The base image unless another is named: it must hold the same Python as this one."""


def name(packages: Sequence[Path]) -> str:
    """The name and tag of the image that holds these files and directories."""
    digest = hashlib.sha256(f"{_PYTHON} {_locked(packages)}".encode())
    for inside, file in _files(packages):
        data = file.read_bytes()
        digest.update(f"\0{inside}\0{len(data)}\0".encode() + data)
    return f"{REPOSITORY}:{digest.hexdigest()[:16]}"


def find(client: DockerClient, packages: Sequence[Path]) -> str:
    """The name of the image of these packages. Raises BoxUnavailable if the engine has none."""
    wanted = name(packages)
    known = [tag for image in client.images.list(REPOSITORY) for tag in image.tags]
    if wanted in known:
        return wanted
    others = f" (it has others of Matchbox, such as {known[0]})" if known else ""
    raise BoxUnavailable(
        f"the engine has no image {wanted}{others}: build it with `matchbox build-image`"
    )


def build(
    client: DockerClient, packages: Sequence[Path], base: str = BASE, network: str | None = None
) -> str:
    """Builds the image of these packages from this base, and returns its name.

    `network` is the network of the build, such as "host". The build uses the proxies of this
    environment. Raises BoxUnavailable with the last line of the engine's output.
    """
    from docker.errors import APIError, BuildError

    wanted = name(packages)
    try:
        client.images.build(
            fileobj=_context(packages),
            custom_context=True,
            tag=wanted,
            buildargs={"BASE_IMAGE": base, "LOCKED": _locked(packages), **_proxies(network)},
            network_mode=network,
            rm=True,
            forcerm=True,
        )
    except BuildError as error:
        said = [line.get("stream", "").strip() for line in error.build_log]
        last = "; ".join(line for line in said[-12:] if line)
        raise BoxUnavailable(f"the image was not built: {error.msg}; it said: {last}") from error
    except APIError as error:
        raise BoxUnavailable(f"the image was not built: {error.explanation}") from error
    return wanted


def _proxies(network: str | None) -> dict[str, str]:
    """The proxies of this environment, as arguments that every build knows and no image keeps.

    One on this machine's loopback is left out unless the build has this machine's network.
    """
    given = {name: value for name, value in os.environ.items() if name.lower() in _PROXIES}
    return {
        name: value
        for name, value in given.items()
        if network == "host" or name.lower() == "no_proxy" or not is_loopback(_url(value))
    }


def _url(proxy: str) -> str:
    return proxy if "://" in proxy else f"http://{proxy}"


def _context(packages: Sequence[Path]) -> io.BytesIO:
    """The files that the engine builds from, as a tar file."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for inside, file in _files(packages):
            # The entry depends neither on the checkout's owner nor on its age, so that the engine's
            # build cache works.
            entry = tarfile.TarInfo(inside)
            entry.size, entry.mode = file.stat().st_size, 0o644
            with file.open("rb") as content:
                tar.addfile(entry, content)
    data.seek(0)
    return data


def _locked(packages: Sequence[Path]) -> str:
    """The packages among these that have a lock file beside the recipe, separated by spaces."""
    return " ".join(sorted(one.name for one in packages if (_RECIPE / f"{one.name}.lock").exists()))


def _files(packages: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Every file of the build, by its place there, except packages that have a lock file."""
    locked = _locked(packages).split()
    compiled = set(hot_path.files().values())
    for file in sorted(_RECIPE.iterdir()):
        if file.is_file():
            yield file.name, file
    for package in sorted(packages, key=lambda package: package.name):
        if package.name.removesuffix(".libs") in locked:
            continue
        for file in sorted(package.rglob("*")) if package.is_dir() else [package]:
            inside = file.relative_to(package.parent)
            made_here = _MADE_HERE.intersection(inside.parts) and file not in compiled
            if file.is_file() and not made_here:
                yield f"packages/{inside}", file
