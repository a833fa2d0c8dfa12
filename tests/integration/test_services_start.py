"""The servers and the browser that other tests rely on start, answer, and end."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import psycopg
import pytest
import redis

from tests import services

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


@pytest.mark.parametrize("server", ["redis_url", "valkey_url"])
def test_a_broker_takes_and_gives(server: str, request: pytest.FixtureRequest) -> None:
    with redis.Redis.from_url(request.getfixturevalue(server)) as client:
        client.set("key", "value")
        assert client.get("key") == b"value"


def test_a_postgres_database_is_empty_and_gone_afterwards(postgres_url: str) -> None:
    with services.fresh_database(postgres_url) as url:
        with psycopg.connect(services.driver_url(url)) as connection:
            connection.execute("create table matches (id int)")
            name = connection.info.dbname
        with (
            services.fresh_database(postgres_url, template=name) as copy,
            psycopg.connect(services.driver_url(copy)) as connection,
        ):
            assert connection.execute("select count(*) from matches").fetchone() == (0,)
    with psycopg.connect(services.driver_url(postgres_url)) as connection:
        rows = connection.execute("select 1 from pg_database where datname = %s", [name])
        assert rows.fetchone() is None


def test_every_test_has_a_postgres_database_of_its_own(postgres_database: str) -> None:
    with psycopg.connect(services.driver_url(postgres_database)) as connection:
        tables = "select count(*) from pg_tables where schemaname = 'public'"
        assert connection.execute(tables).fetchone() == (0,)


def test_a_server_ends_with_the_one_who_started_it(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from tests import services\n"
        "with services.redis_like(services.valkey_binary()) as url:\n"
        "    print(url, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    client = redis.Redis.from_url(killed.stdout.strip())
    with client, pytest.raises(redis.ConnectionError):
        services.wait_while(client.ping)


@pytest.mark.browser
def test_a_browser_shows_a_page(page: Page) -> None:
    page.set_content("<h1>Matchbox</h1>")
    assert page.get_by_role("heading").inner_text() == "Matchbox"
