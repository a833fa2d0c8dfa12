"""The password of Postgres in containers: each start sets it to that of the environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
import yaml  # type: ignore[import-untyped]

from tests.services import driver_url, free_port, needs, postgres

ODD = 'it\'s a "new" one; \\ $HOME'


class Server(NamedTuple):
    """A Postgres that asks for no password at its socket, but for one at its port."""

    url: str
    port: int

    @property
    def socket(self) -> str:
        """The folder of its socket."""
        return self.url.partition("host=")[2].partition("&")[0]

    def admits(self, password: str) -> bool:
        """Returns whether the platform can log in with that password."""
        address = f"host=127.0.0.1 port={self.port} dbname=postgres user=matchbox"
        try:
            psycopg.connect(address, password=password).close()
        except psycopg.OperationalError:
            return False
        return True


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """The server, with the role of the platform."""
    needs("psql")
    port = free_port()
    with postgres(port) as url:
        with psycopg.connect(driver_url(url), autocommit=True) as admin:
            admin.execute("CREATE ROLE matchbox SUPERUSER LOGIN PASSWORD 'the first one'")
        yield Server(url, port)


def start(server: Server, password: str, checkout: Path, **more: str) -> tuple[int, str]:
    """Starts with this password in .env; returns the answer of the script in docker-compose.yml."""
    told = {
        "PATH": os.environ["PATH"],
        "POSTGRES_USER": "matchbox",
        "POSTGRES_DB": "postgres",
        "POSTGRES_PASSWORD": password,
        "SERVER": "127.0.0.1",
        "PGHOST": server.socket,
        "PGPORT": str(server.port),
    }
    done = subprocess.run(
        ["sh", str(checkout / "server/postgres/password.sh")],
        env={**told, **more},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_postgres_takes_the_password_of_the_environment_over(
    server: Server, checkout: Path
) -> None:
    assert start(server, "the first one", checkout)[0] == 0
    assert not server.admits(ODD)
    assert start(server, ODD, checkout) == (0, "Postgres has the new password.\n")
    assert (server.admits(ODD), server.admits("the first one")) == (True, False)


def test_the_same_password_is_left_alone_also_where_the_socket_asks_for_one(
    server: Server, checkout: Path
) -> None:
    assert start(server, "the second one", checkout)[0] == 0
    nowhere = {"PGHOST": "/nowhere"}
    assert start(server, "the second one", checkout, **nowhere) == (0, "")
    assert start(server, "the third one", checkout, **nowhere)[0] != 0
    assert server.admits("the second one")


def test_postgres_is_well_once_others_reach_it_and_not_by_its_socket_alone(
    server: Server, checkout: Path, tmp_path: Path
) -> None:
    needs("pg_isready")
    services = yaml.safe_load((checkout / "docker-compose.yml").read_text())["services"]
    check = services["postgres"]["healthcheck"]["test"][1:]

    def is_well(socket: str, port: int) -> bool:
        more = {"PGHOST": socket, "PGPORT": str(port)}
        return subprocess.run(check, env={**os.environ, **more}, check=False).returncode == 0

    assert is_well(server.socket, server.port)
    alone = free_port()
    with postgres() as url:  # As the image starts it while it makes its files.
        of_socket = Path(url.partition("host=")[2]) / ".s.PGSQL.5432"
        (tmp_path / f".s.PGSQL.{alone}").symlink_to(of_socket)
        assert not is_well(str(tmp_path), alone)
