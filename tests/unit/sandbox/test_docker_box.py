"""Why a container could not be started is told by its name, whatever the clean-up meets."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any
from unittest.mock import Mock

import pytest
from docker import APIClient, DockerClient
from requests import ConnectionError as Refused

from matchbox.errors import BoxUnavailable
from sandbox import docker_box, orphans
from sandbox.policy import ZYGOTE_ENVIRONMENT, Engine


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


def test_a_container_gets_no_proxy_of_the_operator_s_docker_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxies = {"default": {"httpProxy": "http://user:secret@proxy:3128"}}
    (tmp_path / "config.json").write_text(json.dumps({"proxies": proxies}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    made = Mock(return_value={"Id": "0" * 64})
    monkeypatch.setattr(APIClient, "create_container_from_config", made)
    monkeypatch.setattr(APIClient, "inspect_container", lambda *_: {"Id": "0" * 64})
    client = DockerClient(base_url="unix:///nowhere", version="1.41")
    assert client.api._proxy_configs, "the client has the proxies"
    monkeypatch.setattr(docker_box, "connect", lambda: client)
    box = docker_box._Container("image", ["python"], Engine())
    box._folder = tmp_path
    box._create()
    environment = made.call_args.args[0]["Env"]
    assert sorted(environment) == sorted("=".join(one) for one in ZYGOTE_ENVIRONMENT.items())


def test_a_directory_whose_path_is_too_long_for_a_socket_is_refused_by_how_much() -> None:
    with TemporaryDirectory() as folder:
        made = Path(mkdtemp(prefix=orphans.folder_prefix(), dir=folder), "control")
        room = docker_box._LONGEST_PATH - len(str(made)) - 1
        longest = Path(folder, "x" * room)
        assert docker_box._directory(Engine(sockets=str(longest))) == longest
        inside = Path(mkdtemp(prefix=orphans.folder_prefix(), dir=longest))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            docker_box._listen(listener, inside)
        with pytest.raises(BoxUnavailable, match=r"in MATCHBOX_SOCKETS, .* shorter by 3 bytes"):
            docker_box._directory(Engine(sockets=f"{longest}xxx"))
