"""Makes the environment file of docker-compose.yml: `python3 -m cli.deployment`, or `make env`.

Needs only Python's standard library, so a host of containers needs no environment of ours.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from pathlib import Path
from typing import Final

FILE: Final = ".env"
SECRETS: Final = (
    "POSTGRES_PASSWORD",
    "BROKER_PASSWORD",
    "MATCHBOX_SECRET_KEY",
    "MATCHBOX_ARENA_TOKEN",
)
SOCKET: Final = "/var/run/docker.sock"


def environment(socket: str) -> dict[str, str]:
    """The variables of the deployment, with new secrets.

    `socket` is the engine's; arenas join the group that may use it, or the group DOCKER_GID.
    Raises FileNotFoundError if neither is known.
    """
    return {
        **{name: secrets.token_hex(24) for name in SECRETS},
        "MATCHBOX_SERVER_URL": "http://127.0.0.1:8000",
        "LISTEN": "127.0.0.1:8000",
        "DOCKER_SOCKET": socket,
        "DOCKER_GID": os.environ.get("DOCKER_GID") or str(os.stat(socket).st_gid),
    }


def write(path: Path, values: dict[str, str]) -> None:
    """Writes the file, for this account alone. Raises FileExistsError, to keep existing secrets."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in values.items())


def rotate(path: Path) -> list[str]:
    """Replaces the SECRETS in the file by new ones, all at once; returns their names.

    Other lines stay. Raises ValueError if the file lacks one of them, and OSError.
    """
    lines = path.read_text().splitlines(keepends=True)
    named = {line.partition("=")[0].strip(): place for place, line in enumerate(lines)}
    missing = [name for name in SECRETS if name not in named]
    if missing:
        raise ValueError(f"{path} has no line {missing[0]}=; is it the file that `make env` wrote?")
    for name in SECRETS:
        lines[named[name]] = f"{name}={secrets.token_hex(24)}\n"
    draft = path.with_name(f"{path.name}.new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return list(SECRETS)


def wanting(socket: str) -> list[str]:
    """What this host lacks of the things that the deployment needs, as sentences."""
    found = []
    if shutil.which("docker") is None:
        found.append("the command `docker` is missing: install Docker, such as docker.io of Debian")
    if not Path(socket).exists():
        found.append(
            f"no Docker engine is at {socket}: start it (`systemctl start docker`), or name its "
            "socket with DOCKER_SOCKET; to write the file for another host, give the number of the "
            "group that may use the socket there with DOCKER_GID"
        )
    return found


def main() -> int:
    """Writes .env here; returns 1, with a sentence, if it cannot."""
    socket = os.environ.get("DOCKER_SOCKET", SOCKET)
    for sentence in wanting(socket):
        print(f"The deployment needs this: {sentence}.")
    try:
        write(Path(FILE), environment(socket))
    except FileExistsError:
        print(f"{FILE} already exists, and its secrets are in use: edit it, or remove it")
        return 1
    except FileNotFoundError:
        print(f"{FILE} was not written.")
        return 1
    print(f"Secrets are in {FILE}; its MATCHBOX_SERVER_URL is the address people will use.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
