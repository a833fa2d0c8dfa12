"""Why a container could not be started is told by its name, whatever the clean-up meets."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from requests import ConnectionError as Refused

from matchbox.errors import BoxUnavailable
from sandbox import docker_box
from sandbox.policy import Engine


class Lost:
    """A container whose engine goes away as it starts."""

    def start(self) -> None:
        raise Refused("the engine went away")

    def remove(self, *, force: bool) -> None:
        raise Refused("nobody listens")


def test_an_engine_that_goes_away_is_named_by_its_first_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with TemporaryDirectory() as folder:  # A socket's path must be short.
        box = docker_box._Container("image", ["python"], Engine(sockets=folder))
        lost: Any = Lost()
        monkeypatch.setattr(box, "_create", lambda: lost)
        with pytest.raises(BoxUnavailable, match="the Docker engine refused: the engine went away"):
            docker_box._call_engine(box.start)
        assert list(Path(folder).iterdir()) == []
