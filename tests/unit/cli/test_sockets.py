"""The folder of the sockets is given to the arenas, unless something else on the host uses it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cli import sockets
from matchbox.errors import BadSetting
from sandbox import orphans
from sandbox.policy import NOBODY

US = os.geteuid()


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


@pytest.mark.parametrize("made", [False, True])
def test_a_new_or_empty_folder_is_closed_to_others(tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "var" / "sockets"
    if made:  # The engine makes it before the container starts.
        folder.mkdir(parents=True)
    sockets.give(folder, US)
    assert (mode(folder), folder.stat().st_uid) == (0o700, US)


def test_a_folder_becomes_the_accounts_before_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Path, int, int, int]] = []
    monkeypatch.setattr(
        os, "chown", lambda place, user, group: given.append((place, user, group, mode(place)))
    )
    tmp_path.chmod(0o755)
    sockets.give(tmp_path, NOBODY)
    assert given == [(tmp_path, NOBODY, NOBODY, 0o755)]
    assert mode(tmp_path) == 0o700


def test_a_folder_of_arenas_is_given_to_them_again(tmp_path: Path) -> None:
    for name in ("cores", "lost+found", f"{orphans.folder_prefix()}abc"):
        (tmp_path / name).mkdir()
    tmp_path.chmod(0o755)
    sockets.give(tmp_path, US)
    assert mode(tmp_path) == 0o700


def test_a_folder_that_is_theirs_alone_may_hold_anything(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    tmp_path.chmod(0o700)
    sockets.give(tmp_path, US)
    assert mode(tmp_path) == 0o700


@pytest.mark.parametrize("of", ["this account", "another one"])
def test_a_folder_that_holds_something_else_stays_as_it_is(tmp_path: Path, of: str) -> None:
    (tmp_path / "cores").mkdir()
    (tmp_path / "dpkg").mkdir()
    tmp_path.chmod(0o700 if of == "another one" else 0o755)
    before = tmp_path.stat()
    with pytest.raises(
        BadSetting, match=r"holds something else, such as dpkg, and would be closed"
    ):
        sockets.give(tmp_path, US if of == "this account" else US + 1)
    assert (tmp_path.stat().st_mode, tmp_path.stat().st_uid) == (before.st_mode, before.st_uid)


def test_a_folder_for_every_account_is_refused_though_it_is_empty(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    with pytest.raises(BadSetting, match="where every account may keep files"):
        sockets.give(tmp_path, US)
    assert mode(tmp_path) == 0o1777


def test_the_command_ends_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MATCHBOX_SOCKETS", str(tmp_path / "file"))
    with pytest.raises(SystemExit) as ended:
        sockets.main()
    assert ended.value.code == f"MATCHBOX_SOCKETS cannot be {tmp_path}/file: File exists"
