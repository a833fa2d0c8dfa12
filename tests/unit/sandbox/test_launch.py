"""The message of a box that does not start."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from matchbox.errors import BoxUnavailable
from sandbox import zygote_client
from sandbox.docker_box import _listen
from sandbox.launch import Launched, channel_pair, launcher
from sandbox.zygote_client import ZygoteClient, _first_packet


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("a warning\nno room\n", "did not start: no room"),
        ("", "did not start: it printed nothing"),
        ("\n", "did not start: it printed nothing"),
    ],
)
def test_a_box_that_ends_at_once_gives_its_last_line_as_the_reason(
    printed: str, reason: str
) -> None:
    command = [sys.executable, "-S", "-c", f"import sys; sys.stderr.write({printed!r})"]
    with pytest.raises(BoxUnavailable, match=reason):
        ZygoteClient(launcher(command))


def test_a_box_that_is_not_ready_in_time_is_told_from_one_that_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(zygote_client, "_START_S", 0.1)
    command = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
    with pytest.raises(BoxUnavailable, match="did not start: it was not ready after"):
        ZygoteClient(launcher(command))


def test_a_zygote_that_is_gone_once_it_has_said_why_it_failed_is_quoted() -> None:
    control, theirs = channel_pair()
    report = {"failed": "ImportError: no numpy", "python": sys.version_info[:2]}
    write = f"import os; os.write(0, {json.dumps(report).encode()!r})"
    with theirs:
        subprocess.run([sys.executable, "-S", "-c", write], stdin=theirs.fileno(), check=True)
    launched = Launched(control, lambda: None, lambda: "it printed nothing", lambda _: None)
    with pytest.raises(BoxUnavailable, match="did not start: ImportError: no numpy"):
        ZygoteClient(lambda: launched)


def test_a_container_that_speaks_at_once_is_known_by_its_number() -> None:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with TemporaryDirectory() as folder, listening as listener:
        _listen(listener, Path(folder))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as zygote:
            zygote.connect(listener.getsockname())
            control, _ = listener.accept()
            zygote.send(b"ready")
            with control:
                assert _first_packet(control) == (b"ready", os.getpid())


def test_a_box_whose_command_cannot_be_started_gives_the_error_as_the_reason(
    tmp_path: Path,
) -> None:
    with pytest.raises(BoxUnavailable, match=r"the box did not start: .*No such file"):
        ZygoteClient(launcher([str(tmp_path / "bwrap")]))
