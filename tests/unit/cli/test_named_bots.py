"""The bots that a command names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli import named_bots
from matchbox.bundle import digest, read_bundle
from matchbox.errors import BadBundle, BadName, BadOption


def test_a_shipped_bot_is_named_by_its_name() -> None:
    bot = named_bots.find("bomb", "simple")
    assert bot.name == "simple"
    assert bot.version == digest(bot.data)
    assert [one.name for one in named_bots.shipped("bomb")] == named_bots.shipped_names("bomb")


def test_any_other_bot_is_named_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_bytes(b"x = 1\n")
    assert named_bots.find("bomb", str(file)) == named_bots.NamedBot("mine", b"x = 1\n")
    assert named_bots.find("bomb", f"{file}:Chosen").class_name == "Chosen"


def test_the_path_of_a_bot_may_have_a_colon(tmp_path: Path) -> None:
    file = tmp_path / "10:30" / "mine.py"
    file.parent.mkdir()
    file.write_bytes(b"x = 1\n")
    (file.parent / "player.py").write_bytes(b"x = 2\n")
    assert named_bots.find("bomb", str(file)) == named_bots.NamedBot("mine", b"x = 1\n")
    assert named_bots.find("bomb", f"{file}:Chosen").class_name == "Chosen"
    assert named_bots.find("bomb", str(file.parent)).name == "10:30"


def test_a_name_that_is_no_utf_8_can_be_shown(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"b\xe4r.py")
    file.write_bytes(b"x = 1\n")
    assert named_bots.find("bomb", str(file)).name == r"b\xe4r"


def test_two_bots_of_one_name_are_numbered(tmp_path: Path) -> None:
    file = tmp_path / "simple.py"
    file.write_bytes(b"x = 1\n")
    bots = named_bots.find_all("bomb", ["simple", str(file), "simple"])
    assert [bot.name for bot in bots] == ["simple", "simple-2", "simple-3"]


def test_a_numbered_bot_does_not_get_the_name_of_another(tmp_path: Path) -> None:
    file = tmp_path / "simple-2.py"
    file.write_bytes(named_bots.find("bomb", "medium").data)
    bots = named_bots.find_all("bomb", ["simple", "simple", str(file), "simple"])
    assert [bot.name for bot in bots] == ["simple", "simple-2", "simple-2-2", "simple-3"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "nobody",
            r"no bot 'nobody' of bomb: name a shipped one \(counter, medium, scared, simple\),",
        ),
        ("gone.py", "gone.py cannot be read: No such file"),
        ("gone.py:not a class", "gone.py cannot be read"),
    ],
)
def test_what_is_neither_is_refused_by_name(name: str, sentence: str) -> None:
    with pytest.raises(BadName, match=sentence):
        named_bots.find("bomb", name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("house/medium", "medium"),
        ("Mediun", "medium"),
        ("careful", "careful.py"),
        ("carefool.py", "careful.py"),
    ],
)
def test_a_name_that_is_nearly_that_of_a_bot_is_refused_with_that_name(
    name: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "careful.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadName, match=rf"; did you mean {meant}\?$"):
        named_bots.find("bomb", name)


def test_a_name_that_is_near_to_none_is_refused_without_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # The checkout may hold a bot, such as the README's bold.py.
    with pytest.raises(BadName, match=r"or a folder with player\.py$"):
        named_bots.find("bomb", "nobody")


def test_a_game_without_shipped_bots_has_none() -> None:
    assert named_bots.shipped_names("nothing") == []


def test_a_shipped_bot_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadName, match="simple is a shipped bot, and this command takes a file"):
        named_bots.check_no_shipped_name("bomb", "simple")
    (tmp_path / "simple").touch()
    named_bots.check_no_shipped_name("bomb", "simple")


@pytest.mark.parametrize("text", ["", ":"])
def test_an_empty_name_is_not_the_folder_where_one_is(text: str) -> None:
    with pytest.raises(BadOption, match="names no file: name the file or the folder of a bot"):
        named_bots.with_class(text, None)


def test_a_folder_is_packed_as_its_author_would_upload_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    for left_out in ("__pycache__/player.pyc", ".git/HEAD", "tables/.DS_Store"):
        (folder / left_out).parent.mkdir(parents=True)
        (folder / left_out).write_bytes(b"left out")
    (folder / "player.py").write_bytes(b"x = 1\n")
    (folder / "table.txt").write_bytes(b"1 2 3\n")
    bot = named_bots.find("bomb", str(folder))
    assert bot.name == "mine"
    assert read_bundle(bot.data).files == {"player.py": b"x = 1\n", "table.txt": b"1 2 3\n"}
    assert named_bots.find("bomb", str(folder)) == bot
    monkeypatch.chdir(folder)
    assert named_bots.find("bomb", ".") == bot


def test_a_folder_without_a_player_is_no_bot(tmp_path: Path) -> None:
    with pytest.raises(BadName, match=r"or a folder with player\.py"):
        named_bots.find("bomb", str(tmp_path))


def test_a_folder_of_no_bot_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("much else")
    with pytest.raises(BadName, match=r"has no player\.py"):
        named_bots.read(tmp_path)


@pytest.mark.parametrize(
    ("name", "size", "count"), [("notes", 0, 70), ("model.bin", (1 << 20) + 1, 1)]
)
def test_a_folder_that_is_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: int, count: int
) -> None:
    (tmp_path / "player.py").touch()
    for number in range(count):
        file = tmp_path / name / str(number)
        file.parent.mkdir(exist_ok=True)
        with file.open("wb") as made:
            made.truncate(size + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("it is read"))
    with pytest.raises(BadBundle, match=rf"{count + 1} files .* 64 with 1048576: .* is in {name}$"):
        named_bots.read(tmp_path)


def test_a_file_without_an_end_is_not_read_to_its_end() -> None:
    with pytest.raises(BadBundle, match="more than 1048576 bytes"):
        named_bots.read(Path("/dev/zero"))


def test_a_file_with_any_ending_is_a_bot(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_bytes(b"x = 1\n")
    bot = named_bots.find("bomb", str(tmp_path / "mine.txt"))
    assert (bot.name, bot.data) == ("mine", b"x = 1\n")


def test_a_file_of_a_folder_with_a_name_that_is_no_utf_8_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "player.py").touch()
    (tmp_path / os.fsdecode(b"d\xe4ta.txt")).touch()
    with pytest.raises(BadBundle, match=r"d\\\\xe4ta\.txt' cannot be a file's name here"):
        read_bundle(named_bots.read(tmp_path))
