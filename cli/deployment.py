"""Makes the environment file of docker-compose.yml: `python3 -m cli.deployment`, or `make env`.

The secrets are in it, or if a folder is given, in files there.

Needs only Python's standard library, so a host of containers needs no environment of ours.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from cli import whole_file

FILE: Final = ".env"
SECRETS: Final = (
    "POSTGRES_PASSWORD",
    "BROKER_PASSWORD",
    "MATCHBOX_SECRET_KEY",
    "MATCHBOX_ARENA_TOKEN",
)
FOLDER: Final = "SECRETS"
"""The variable that names the folder of the secrets, if they are not in the environment file."""
FILES: Final = "docker-compose.yml:docker-compose.secrets.yml"
_READ: Final = re.compile(r"\$\{(\w+)|^ +([A-Z_]+): *$", re.MULTILINE)
"""A variable that a file for Compose reads."""
_OF_CLIENT: Final = {
    "DOCKER_API_VERSION", "DOCKER_BUILDKIT", "DOCKER_CERT_PATH", "DOCKER_CONFIG", "DOCKER_CONTEXT",
    "DOCKER_DEFAULT_PLATFORM", "DOCKER_HOST", "DOCKER_TLS", "DOCKER_TLS_VERIFY",
}  # fmt: skip
"""The variables that the engine's own client reads."""
SOCKET: Final = "/var/run/docker.sock"
_OF_CONTAINERS: Final = {
    "MATCHBOX_ARENAS": "ARENAS",
    "MATCHBOX_EXPRESS_ARENA": "EXPRESS_ARENAS",
}
"""The settings of `matchbox up` that have another name in the environment file."""


def environment(socket: str) -> dict[str, str]:
    """The variables of the deployment, with new secrets.

    `socket` is the engine's; arenas join the group that may use it, or the group DOCKER_GID.
    Raises FileNotFoundError if neither is known, and ValueError if DOCKER_GID is not a number.
    """
    group = os.environ.get("DOCKER_GID") or str(os.stat(socket).st_gid)
    if not (group.isascii() and group.isdecimal()):
        raise ValueError(f"DOCKER_GID is {group!r}; give the number of a group")
    return {
        **_drawn(),
        "MATCHBOX_SERVER_URL": "http://127.0.0.1:8000",
        "LISTEN": "127.0.0.1:8000",
        "DOCKER_SOCKET": socket,
        "DOCKER_GID": group,
    }


def into_files(values: dict[str, str], folder: Path) -> dict[str, str]:
    """Draws new secrets into files of the folder; returns the variables with the files' names in
    place of the secrets.

    Raises OSError.
    """
    write_secrets(folder)
    whole_file.replace(folder / ".gitignore", "*\n", 0o444)  # The folder may be in the checkout.
    others = {name: value for name, value in values.items() if name not in SECRETS}
    return {**others, FOLDER: str(folder), "COMPOSE_FILE": FILES}


def write_secrets(folder: Path) -> None:
    """Draws new secrets, and writes a file for each, and for each address that holds one.

    Only this account can enter the folder. The files can be read by all: a container gets single
    files, and reads them with another account. Raises OSError.
    """
    drawn = _drawn()
    texts = {_file(name): secret for name, secret in drawn.items()}
    password = drawn["POSTGRES_PASSWORD"]
    texts["database_url"] = f"postgresql+psycopg://matchbox:{password}@postgres/matchbox"
    texts["broker_url"] = f"redis://:{drawn['BROKER_PASSWORD']}@redis:6379/0"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, text in texts.items():
        whole_file.replace(folder / name, text, 0o444)


def write(path: Path, values: dict[str, str]) -> None:
    """Writes the file, for this account alone. Raises FileExistsError, to keep existing secrets."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in values.items())


def rotate(path: Path) -> Path:
    """Replaces the SECRETS in the file by new ones, all at once; returns the file.

    Other lines stay. If the file names the folder of the secrets, those in there are replaced, one
    after the other, and the folder is returned. Raises ValueError if the file lacks a secret, and
    OSError.
    """
    lines = path.read_text().splitlines(keepends=True)
    named = {_name(line): place for place, line in enumerate(lines)}
    if FOLDER in named:
        folder = path.parent / _value(lines[named[FOLDER]])
        for name in SECRETS:
            if not (folder / _file(name)).is_file():
                raise ValueError(
                    f"SECRETS in {path} names {folder}, which has no file {_file(name)}; correct "
                    "that line"
                )
        write_secrets(folder)
        return folder
    missing = [name for name in SECRETS if name not in named]
    if missing:
        raise ValueError(f"{path} has no line {missing[0]}=; is it the file that `make env` wrote?")
    for name in SECRETS:
        lines[named[name]] = f"{name}={secrets.token_hex(24)}\n"
    whole_file.replace(path, "".join(lines))
    return path


def unread(path: Path) -> list[str]:
    """Returns a sentence for each variable in the environment file that no container gets: one
    with the prefix of the settings, or nearly the name of one that is read.

    Variables of Compose and of the engine's client count as read. Raises OSError.
    """
    known: set[str] = set()
    for name in (*FILES.split(":"), "docker-compose.override.yml"):
        if (file := path.parent / name).exists():
            known |= {one for pair in _READ.findall(file.read_text()) for one in pair if one}
    found = []
    for line in path.read_text().splitlines():
        name = _name(line)
        if "=" not in line or name.startswith(("#", "COMPOSE_")) or name in known | _OF_CLIENT:
            continue
        near = get_close_matches(name, known, n=1, cutoff=0.8)
        meant = _OF_CONTAINERS.get(name) or next(iter(near), "")
        if meant or (known and name.startswith("MATCHBOX_")):
            hint = f"; did you mean {meant}?" if meant else ""
            found.append(f"{path} sets {name}, which no container reads{hint}")
    return found


def missing_requirements(socket: str) -> list[str]:
    """Returns the things that the deployment needs and this host lacks, as sentences."""
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


def main(folder: str = "", *more: str) -> int:
    """Writes .env here; returns 1, with a sentence, if it cannot.

    If there is one already, it says which of its variables no container reads. If a folder is
    named, the secrets become files in there.
    """
    if more:
        print(f"{FILE} was not written: name one folder; a name with spaces takes quotes.")
        return 1
    place = folder or FILE
    socket = os.environ.get("DOCKER_SOCKET", SOCKET)
    for sentence in missing_requirements(socket):
        print(f"The deployment needs this: {sentence}.")
    try:
        if in_use := _in_use(folder):
            print(in_use)
            for sentence in unread(Path(FILE)) if Path(FILE).exists() else ():
                print(sentence)
            return 1
        values = environment(socket)
        write(Path(FILE), into_files(values, Path(folder)) if folder else values)
    except ValueError as error:
        print(f"{FILE} was not written: {error}.")
        return 1
    except OSError as error:
        missing = error.filename == socket  # That has been said.
        why = "" if missing else f": {error.filename} cannot be used: {error.strerror}"
        print(f"{FILE} was not written{why}.")
        return 1
    print(f"Secrets are in {place}. The address people will use is MATCHBOX_SERVER_URL in {FILE}.")
    return 0


def _in_use(folder: str) -> str:
    """A sentence if the environment file exists, or the folder holds anything; else nothing.

    Raises OSError.
    """
    exists = Path(FILE).exists()
    holds = {one.name for one in Path(folder).iterdir()} if folder and Path(folder).exists() else ()
    if exists or any(_file(name) in holds for name in SECRETS):
        there = FILE if exists else folder
        return f"{there} already exists, and its secrets are in use: edit it, or remove it"
    return f"{folder} holds something else: name a folder that is new or empty" if holds else ""


def _name(line: str) -> str:
    """The variable that a line of the environment file sets."""
    return line.strip().removeprefix("export ").partition("=")[0].strip()


def _value(line: str) -> str:
    """The value in such a line as Compose reads it: without quotes, and without a comment."""
    value = line.partition("=")[2].strip()
    quote = value[:1]
    if quote and quote in "'\"":
        return value[1:].partition(quote)[0]
    return value.partition(" #")[0].strip()


def _file(secret: str) -> str:
    """The name of the file that holds this secret."""
    return secret.removeprefix("MATCHBOX_").lower()


def _drawn() -> dict[str, str]:
    return {name: secrets.token_hex(24) for name in SECRETS}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
