"""The embedded broker's place and command line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from matchbox.errors import BrokerUnavailable
from worker import broker


def test_it_starts_the_packaged_server() -> None:
    assert os.access(broker.binary(), os.X_OK)


def test_an_installed_server_is_the_second_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = tmp_path / "redis-server"
    server.write_text("#!/bin/sh\n")
    server.chmod(0o755)
    monkeypatch.setattr(broker, "_packaged", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert broker.binary() == server


def test_without_any_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "_packaged", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BrokerUnavailable, match="install valkey-server or redis-server"):
        broker.binary()


def test_it_listens_on_a_socket_of_the_folder_alone_and_writes_what_it_is_given() -> None:
    data = Path("/srv/matchbox")
    words = broker.command(data)
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options["--port"] == "0"
    assert options["--appendonly"] == "yes"
    assert options["--unixsocket"] == "/srv/matchbox/queue/broker.sock"
    assert broker.address(data) == "redis+socket:///srv/matchbox/queue/broker.sock"


def test_a_long_folder_has_its_socket_elsewhere(tmp_path: Path) -> None:
    data = tmp_path / ("long" * 30)
    place = broker.socket_path(data)
    assert len(os.fsencode(place)) < 108
    assert place != broker.socket_path(tmp_path / ("gone" * 30))
    assert place == broker.socket_path(data)


@pytest.mark.parametrize("name", ["a#b", "a%41"])
def test_a_folder_that_no_address_can_name_has_its_socket_elsewhere(
    name: str,
) -> None:
    home = Path("/srv")  # No longer than an address may be.
    assert not broker.socket_path(home / name).is_relative_to(home)
    assert broker.socket_path(home / "ä b &+:@").is_relative_to(home)


def test_its_folder_is_closed_to_others_and_an_old_socket_removed(tmp_path: Path) -> None:
    broker.prepare(tmp_path)
    broker.socket_path(tmp_path).touch()
    broker.prepare(tmp_path)
    assert stat.S_IMODE(broker.folder(tmp_path).stat().st_mode) == 0o700
    assert not broker.socket_path(tmp_path).exists()
