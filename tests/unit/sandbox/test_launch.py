"""The message of a box that does not start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from matchbox.errors import BoxUnavailable
from sandbox.launch import launcher
from sandbox.zygote_client import ZygoteClient


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("a warning\nno room\n", "did not start: no room"),
        ("", "did not start: no word"),
        ("\n", "did not start: no word"),
    ],
)
def test_a_box_that_ends_at_once_gives_its_last_line_as_the_reason(
    printed: str, reason: str
) -> None:
    command = [sys.executable, "-S", "-c", f"import sys; sys.stderr.write({printed!r})"]
    with pytest.raises(BoxUnavailable, match=reason):
        ZygoteClient(launcher(command))


def test_a_box_whose_command_cannot_be_started_gives_the_error_as_the_reason(
    tmp_path: Path,
) -> None:
    with pytest.raises(BoxUnavailable, match=r"the box did not start: .*No such file"):
        ZygoteClient(launcher([str(tmp_path / "bwrap")]))
