"""One client that would stop the web: half-sent requests, and event streams by the dozen.

Each attack has a proof: without the remedy, it stops other clients.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests import slow_clients
from tests.installation import eventually
from tests.services import DEADLINE_S
from tests.web_server import serving

APP: Final = "server.app:from_environment()"
SMALL: Final = ("-w", "1", "--threads", "4", APP)
"""A server that one client could stop with few connections."""
WITHOUT_BUFFER: Final = ("-k", "gthread", *SMALL)
SLOW: Final = 40
SHORT_S: Final = 5.0
"""A server that answers nothing for this many seconds, again and again, counts as stopped."""
HALVES: Final = {"a body": slow_clients.HALF_A_LOGIN, "headers": slow_clients.HALF_A_HEAD}


@pytest.fixture(scope="module")
def knobs(valkey_url: str) -> dict[str, str]:
    """The settings of a server that does not limit rates."""
    return {"MATCHBOX_BROKER_URL": valkey_url, "MATCHBOX_REQUESTS_PER_MINUTE": "1000000"}


@pytest.fixture(scope="module")
def mended(knobs: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a small server with the remedy."""
    with serving(tmp_path_factory.mktemp("mended"), SMALL, **knobs) as server:
        yield server.base_url.port or 0


@pytest.fixture(scope="module")
def bare(knobs: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server without the remedy."""
    with serving(tmp_path_factory.mktemp("bare"), WITHOUT_BUFFER, **knobs) as server:
        yield server.base_url.port or 0


def stopped(client: httpx.Client) -> bool:
    """Whether three requests in a row get no answer."""
    for _ in range(3):
        try:
            client.get("/healthz")
        except httpx.TransportError:
            continue
        return False
    return True


def watched(client: httpx.Client) -> int:
    """The status of an event stream, which is closed at once."""
    with client.stream("GET", "/api/v1/events") as stream:
        return stream.status_code


@pytest.mark.parametrize("half", HALVES)
def test_half_a_request_holds_no_thread(half: str, mended: int) -> None:
    with (
        slow_clients.hoarding(mended, HALVES[half], SLOW) as hoard,
        slow_clients.neighbour(mended, DEADLINE_S) as bob,
    ):
        eventually(lambda: hoard.tries >= SLOW)
        for _ in range(20):
            assert bob.get("/healthz").status_code == 200


@pytest.mark.parametrize("half", HALVES)
def test_without_the_buffer_half_a_request_holds_one(half: str, bare: int) -> None:
    with (
        slow_clients.hoarding(bare, HALVES[half], SLOW),
        slow_clients.neighbour(bare, SHORT_S) as bob,
    ):
        eventually(lambda: stopped(bob))
    with slow_clients.neighbour(bare, DEADLINE_S) as bob:
        assert bob.get("/healthz").status_code == 200


def test_an_address_holds_only_so_many_connections(knobs: dict[str, str], tmp_path: Path) -> None:
    few = {"MATCHBOX_CONNECTIONS_PER_ADDRESS": "3"}
    with serving(tmp_path, SMALL, **knobs, **few) as server:
        port = server.base_url.port or 0
        with slow_clients.hoarding(port, slow_clients.HALF_A_LOGIN, SLOW) as hoard:
            eventually(lambda: any(b" 429 " in answer for answer in hoard.answers))
            assert server.get("/healthz").status_code == 200


def test_one_address_holds_four_streams(knobs: dict[str, str], tmp_path: Path) -> None:
    with serving(tmp_path, **knobs) as server:
        port = server.base_url.port or 0
        with (
            slow_clients.hoarding(port, slow_clients.STREAM, 60, drip=b"") as hoard,
            slow_clients.neighbour(port, DEADLINE_S) as bob,
        ):
            eventually(lambda: hoard.tries >= 60)
            eventually(lambda: hoard.most_granted >= 4)
            assert [watched(bob) for _ in range(3)] == [200] * 3
            eventually(lambda: hoard.most_granted <= 4 + hoard.ended)


def test_without_their_limit_one_address_holds_all_streams(
    knobs: dict[str, str], tmp_path: Path
) -> None:
    loose = {"MATCHBOX_STREAMS_PER_ADDRESS": "48", "MATCHBOX_CONNECTIONS_PER_ADDRESS": "1000"}
    with serving(tmp_path, **knobs, **loose) as server:
        port = server.base_url.port or 0
        with (
            slow_clients.hoarding(port, slow_clients.STREAM, 60, drip=b""),
            slow_clients.neighbour(port, DEADLINE_S) as bob,
        ):
            eventually(lambda: watched(bob) == 503)


@pytest.mark.parametrize(("proxies", "stops"), [("0", False), ("1", True)])
def test_an_address_has_half_of_the_threads(
    proxies: str, stops: bool, knobs: dict[str, str], tmp_path: Path
) -> None:
    """Behind a proxy all clients share an address, so threads are not counted: one client may take
    all."""
    loose = {"MATCHBOX_STREAMS_PER_ADDRESS": "48", "MATCHBOX_TRUSTED_PROXIES": proxies}
    with serving(tmp_path, SMALL, **knobs, **loose) as server:
        port = server.base_url.port or 0
        with (
            slow_clients.hoarding(port, slow_clients.STREAM, SLOW, drip=b"") as hoard,
            slow_clients.neighbour(port, SHORT_S if stops else DEADLINE_S) as bob,
        ):
            eventually(lambda: hoard.tries >= SLOW)
            if stops:
                eventually(lambda: stopped(bob))
            else:
                assert [bob.get("/healthz").status_code for _ in range(20)] == [200] * 20
