"""A command's files, and texts that are printed as they are."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from cli import output


def test_a_file_is_replaced_with_its_rights_and_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "rows.tsv", tmp_path / "link"
    output.write(file, "größer")
    assert file.read_bytes() == "größer".encode()
    usual = tmp_path / "usual"
    usual.touch()
    assert file.stat().st_mode == usual.stat().st_mode
    file.chmod(0o640)
    output.write(file, "new")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o640)
    link.symlink_to(file)
    output.write(link, "through the link")
    assert (link.is_symlink(), file.read_text()) == (True, "through the link")
    output.write(Path("/dev/null"), "nothing is kept")
    assert Path("/dev/null").is_char_device()


def test_a_csv_is_printed_in_utf_8_whatever_the_encoding_of_stdout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", stdout)
    print("first")
    output.raw("zoë\n".encode())
    assert stdout.buffer.getvalue() == b"first\n" + "zoë\n".encode()


def test_the_title_of_a_table_is_told_also_outside_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.table(["bot", "wins"], [["a", 1]], "who wins")
    assert capsys.readouterr() == ("bot\twins\na\t1\n", "who wins:\n")
    output.table(["bot"], [["a"]])
    assert capsys.readouterr().err == ""
