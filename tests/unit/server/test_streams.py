"""Places for event streams: each client's share, in one process and in several."""

from __future__ import annotations

import pytest

from matchbox.errors import TooMany, Unavailable
from matchbox.settings import Settings
from server.streams import STREAMS, Streams
from tests.services import free_port


def test_processes_count_together(valkey_url: str) -> None:
    settings = Settings(broker_url=valkey_url)
    first, second = Streams(settings), Streams(settings)
    closing = [one.open("alice") for one in (first, second, first, second)]
    for one in (first, second):
        with pytest.raises(TooMany, match="4 event streams of yours"):
            one.open("alice")
    first.open("bob")()
    closing.pop()()
    first.open("alice")()


def test_without_its_broker_a_process_counts_alone() -> None:
    alone = Streams(Settings(broker_url=f"redis://127.0.0.1:{free_port()}/0"))
    closing = [alone.open("alice") for _ in range(4)]
    with pytest.raises(TooMany):
        alone.open("alice")
    for close in closing:
        close()
    alone.open("alice")


def test_a_process_has_only_so_many_places() -> None:
    one = Streams(Settings(streams_per_address=48))
    closing = [one.open(f"visitor {number}") for number in range(STREAMS)]
    with pytest.raises(Unavailable):
        one.open("one more")
    closing[0]()
    one.open("one more")
