"""The deployment of docker-compose.yml, really built and brought up, on an engine of the tests'.

Knows the commands of Compose; the tests use the platform.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from cli import deployment
from sandbox import docker_box
from tests import engine
from tests.services import free_port, missing

CHECKOUT: Final = Path(__file__).parent.parent.parent
HERE: Final = Path(__file__).parent
SERVERS: Final = "matchbox-test-servers"


def compose() -> list[str]:
    """The command of Compose that is installed: v2, or 1.29.2."""
    for words in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(words[0]):
            told = subprocess.run([*words, "version"], capture_output=True, check=False)
            if told.returncode == 0:
                return words
    return missing("install docker-compose to run this: no Compose on this machine")


class Stack:
    """The services under a name of their own, with secrets and a port of their own."""

    def __init__(self, folder: Path, host: str) -> None:
        self._name = f"matchbox-test-{uuid4().hex[:8]}"
        self._file = folder / "environment"
        self._sockets = tempfile.mkdtemp(prefix="matchbox-sockets-")
        self.url = f"http://127.0.0.1:{free_port()}"
        client = docker_box.connect()
        with engine.alone():
            base = engine.base_image(client)
            client.images.build(
                path=str(HERE),
                dockerfile="servers.Dockerfile",
                tag=SERVERS,
                buildargs={"BASE_IMAGE": base},
                network_mode="host",
                rm=True,
            )
        drawn = deployment.environment(host.removeprefix("unix://"))
        self.values = {
            **drawn,
            "MATCHBOX_SERVER_URL": self.url,
            "LISTEN": self.url.removeprefix("http://"),
            "BASE_IMAGE": base,
            "BUILD_NETWORK": "host",
            "POSTGRES_IMAGE": SERVERS,
            "REDIS_IMAGE": SERVERS,
            "NGINX_IMAGE": SERVERS,
            "MATCHBOX_SOCKETS": self._sockets,
            "LEDGERS": "2",
            "MATCHBOX_LEAGUE_MATCHES": "2",
            "MATCHBOX_MATCH_DEALS": "1",
        }
        deployment.write(self._file, self.values)
        self._files = [CHECKOUT / "docker-compose.yml", HERE / "override.yml"]

    def do(self, *words: str) -> str:
        """The output of Compose. Raises AssertionError with the output if Compose fails."""
        named = [word for file in self._files for word in ("-f", str(file))]
        done = subprocess.run(
            [*compose(), "-p", self._name, "--env-file", str(self._file), *named, *words],
            cwd=CHECKOUT,
            env={**_plain(os.environ), "DOCKER_BUILDKIT": "0", "COMPOSE_DOCKER_CLI_BUILD": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{words}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def inside(self, service: str, *words: str) -> Any:
        """The output of a command of the platform in a new container of that service, as JSON."""
        told = self.do("run", "--rm", "-T", service, *words)
        return json.loads(told[told.index("{") :])

    def rotate(self) -> None:
        """Replaces the secrets, as `matchbox admin rotate-secrets` does, and starts again."""
        deployment.rotate(self._file)
        self.do("up", "--detach")

    def keep_secrets_in_files(self, folder: Path) -> None:
        """Starts again as `make env SECRETS=folder` would, with new secrets."""
        self._file.unlink()
        deployment.write(self._file, deployment.into_files(self.values, folder))
        self._files.insert(1, CHECKOUT / "docker-compose.secrets.yml")
        self.do("up", "--detach")

    def end(self) -> None:
        """Takes everything down, with its volumes."""
        self.do("down", "--volumes", "--remove-orphans", "--timeout", "10")
        shutil.rmtree(self._sockets, ignore_errors=True)

    def containers(self) -> dict[str, Any]:
        """A container of every service, by the service's name."""
        return {one.labels["com.docker.compose.service"]: one for one in self._found()}

    def replicas(self, service: str) -> list[Any]:
        """The running containers of that service, in the order of their numbers."""
        number = "com.docker.compose.container-number"
        own = f"com.docker.compose.service={service}"
        running = [one for one in self._found(own) if one.status == "running"]
        return sorted(running, key=lambda one: int(one.labels[number]))

    def _found(self, *labels: str) -> list[Any]:
        mark = f"com.docker.compose.project={self._name}"
        found: list[Any] = docker_box.connect().containers.list(
            all=True, filters={"label": [mark, *labels]}
        )
        return found


@contextmanager
def up(folder: Path, host: str) -> Iterator[Stack]:
    """The deployment, built and up, for the length of the block."""
    stack = Stack(folder, host)
    try:
        stack.do("up", "--detach", "--build")
        yield stack
    except BaseException:
        print(stack.do("logs", "--no-color", "--tail", "40"))
        raise
    finally:
        stack.end()


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without variables that would override the file."""
    return {name: v for name, v in environment.items() if not name.startswith("MATCHBOX_")}
