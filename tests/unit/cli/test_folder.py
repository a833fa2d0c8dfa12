"""The data folder: private, locked by one process, with secrets that stay."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from cli import folder
from matchbox.errors import BadSetting, Conflict
from matchbox.settings import Settings, read_settings


def mode(path: Path) -> int:
    """Returns the permissions of a file or folder."""
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_closed_to_everybody_else(tmp_path: Path) -> None:
    made = folder.make(tmp_path / "data")
    assert {mode(place) for place in (made, folder.logs(made), folder.arena(made))} == {0o700}


def test_what_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadSetting, match="cannot be the data folder"):
        folder.make(tmp_path / "file")


def test_a_folder_that_holds_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letter.txt").touch()
    with pytest.raises(
        BadSetting, match=r"holds something else, such as letter\.txt: name a folder"
    ):
        folder.make(tmp_path)
    assert (mode(tmp_path), len(list(tmp_path.iterdir()))) == (0o755, 1)


@pytest.mark.parametrize("name", ["secrets.json", "matchbox.db", "lost+found"])
def test_a_data_folder_and_a_new_disk_may_hold_files(tmp_path: Path, name: str) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / name).touch()
    assert mode(folder.make(tmp_path)) == 0o700


def test_a_folder_in_which_every_account_may_keep_files_is_refused(tmp_path: Path) -> None:
    place = folder.make(tmp_path)
    place.chmod(0o1777)
    with pytest.raises(BadSetting, match="every account may keep files there: name a folder in it"):
        folder.make(place)
    assert mode(place) == 0o1777


def test_a_folder_of_another_account_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(Path, "owner", lambda path: "dora")
    with pytest.raises(BadSetting, match="belongs to the account dora, so run this as that"):
        folder.make(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_path_that_the_address_of_the_database_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"because its path has a \?"):
        folder.make(tmp_path / "what?x=1" / "data")
    assert not list(tmp_path.iterdir())


def test_its_secrets_are_made_once_and_kept_closed(tmp_path: Path) -> None:
    made = folder.make(tmp_path)
    first, second = (folder.environment(made, 8000, {}) for _ in range(2))
    assert first == second
    assert mode(made / "secrets.json") == 0o600
    settings = read_settings(first)
    assert len(settings.secret_key) >= 32
    assert settings.secret_key != settings.arena_token


def test_two_folders_have_other_secrets(tmp_path: Path) -> None:
    one, two = (
        folder.environment(folder.make(tmp_path / name), 8000, {})["MATCHBOX_SECRET_KEY"]
        for name in ("one", "two")
    )
    assert one != two


def test_settings_of_the_environment_win_and_the_folder_is_its_own(tmp_path: Path) -> None:
    given = {
        "MATCHBOX_CPU_MS": "50",
        "MATCHBOX_ARENA_TOKEN": "x" * 32,
        "MATCHBOX_DATA": "elsewhere",
        "MATCHBOX_BROKER_URL": "",
        "PATH": "/bin",
    }
    found = folder.environment(folder.make(tmp_path), 8001, given)
    assert (found["MATCHBOX_CPU_MS"], found["MATCHBOX_ARENA_TOKEN"]) == ("50", "x" * 32)
    assert found["MATCHBOX_SERVER_URL"] == "http://127.0.0.1:8001"
    assert found["MATCHBOX_DATA"] == str(tmp_path)
    assert not {"PATH", "MATCHBOX_BROKER_URL"} & found.keys()


def test_a_database_elsewhere_is_not_forgotten(tmp_path: Path) -> None:
    place = folder.make(tmp_path)
    url = "postgresql+psycopg://someone:secret@db/matchbox?sslpassword=hidden"
    folder.keep_database(place, url)
    with pytest.raises(
        BadSetting, match=r"has its database at postgresql.*@db/matchbox: set"
    ) as no:
        folder.environment(place, 8000, {"MATCHBOX_DATABASE_URL": ""})
    assert not [word for word in ("secret", "hidden") if word in str(no.value)]
    given = {"MATCHBOX_DATABASE_URL": url}
    assert folder.environment(place, 8000, given)["MATCHBOX_DATABASE_URL"] == url
    folder.keep_database(place, "")
    assert "MATCHBOX_DATABASE_URL" not in folder.environment(place, 8000, {})


@pytest.mark.parametrize("text", ["{", "[]", "null", '"abc"', '{"MATCHBOX_SECRET_KEY": 5}'])
def test_damaged_secrets_are_not_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "secrets.json").write_text(text)
    with pytest.raises(BadSetting, match="is damaged: restore it, or remove it"):
        folder.environment(tmp_path, 8000, {})


def test_it_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    with (
        folder.locked(tmp_path),
        pytest.raises(Conflict, match=r"already running on .* \(process \d+\)"),
        folder.locked(tmp_path),
    ):
        raise AssertionError("two have it")
    with folder.locked(tmp_path):
        pass


def test_the_settings_of_a_folder_are_those_it_was_started_with(tmp_path: Path) -> None:
    made = folder.make(tmp_path)
    secret = folder.environment(made, 8000, {})["MATCHBOX_SECRET_KEY"]
    assert folder.settings_of(made).secret_key == secret


def test_a_folder_nobody_started_in_has_no_settings(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="is not a data folder: name the one of your"):
        folder.settings_of(tmp_path)


def test_a_database_of_the_environment_goes_with_the_secrets_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", "sqlite:///elsewhere.db")
    assert folder.settings_for(tmp_path / "none").secret_key == ""
    made = folder.make(tmp_path)
    secret = folder.environment(made, 8000, {})["MATCHBOX_SECRET_KEY"]
    found = folder.settings_for(made)
    assert (found.database_url, found.secret_key) == ("sqlite:///elsewhere.db", secret)


def test_commands_know_the_address_of_the_last_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = folder.make(tmp_path)
    folder.environment(made, 8001, {})
    monkeypatch.delenv("MATCHBOX_SERVER_URL", raising=False)
    assert folder.settings_of(made).server_url == "http://127.0.0.1:8000"
    folder.keep_address(made, "http://127.0.0.1:8001")
    assert folder.settings_of(made).server_url == "http://127.0.0.1:8001"
    monkeypatch.setenv("MATCHBOX_SERVER_URL", "https://bots.example")
    assert folder.settings_of(made).server_url == "https://bots.example"


@pytest.mark.parametrize("kept", ["http://anna:pw@school.example", "https://school.example/bots"])
def test_an_address_of_an_earlier_release_that_is_refused_now_is_passed_over(
    tmp_path: Path, kept: str
) -> None:
    made = folder.make(tmp_path)
    folder.environment(made, 8000, {})
    folder.keep_address(made, kept)
    assert folder.settings_of(made).server_url == "http://127.0.0.1:8000"


def test_commands_keep_data_for_the_days_of_the_last_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("MATCHBOX_KEEP_NOTICE_DAYS", "MATCHBOX_KEEP_OUTPUT_DAYS", "MATCHBOX_PLAY_KEEP_DAYS")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    made = folder.make(tmp_path)
    folder.environment(made, 8000, {})
    started = replace(
        Settings(), keep_notice_days=0, keep_output_days=7, play_keep_days=8, least_free_mb=9
    )
    folder.keep_retention(made, started)
    monkeypatch.setenv("MATCHBOX_KEEP_OUTPUT_DAYS", "9")
    found = folder.settings_of(made)
    assert (found.keep_notice_days, found.keep_output_days, found.play_keep_days) == (0, 9, 8)
    assert found.least_free_mb == Settings().least_free_mb
    folder.keep_retention(made, Settings())
    assert folder.settings_of(made).keep_notice_days == Settings().keep_notice_days


@pytest.mark.parametrize("text", ["{", "[]", "5", '{"MATCHBOX_KEEP_NOTICE_DAYS": "-1"}'])
def test_damaged_days_are_not_replaced_by_the_defaults(tmp_path: Path, text: str) -> None:
    made = folder.make(tmp_path)
    folder.environment(made, 8000, {})
    (made / "retention.json").write_text(text)
    with pytest.raises(BadSetting, match=r"retention\.json is damaged: `matchbox up` writes it"):
        folder.settings_of(made)


def test_a_folder_whose_restore_was_killed_is_refused(tmp_path: Path) -> None:
    made = folder.make(tmp_path)
    folder.environment(made, 8000, {})
    (made / folder.RESTORING).touch()
    before = sorted(made.iterdir())
    why = "has not ended: wait for it, or if it was killed, run it again"
    with pytest.raises(Conflict, match=why), folder.locked(made):
        raise AssertionError("it was locked")
    with pytest.raises(Conflict, match=why):
        folder.settings_of(made)
    assert sorted(made.iterdir()) == before


def test_a_folder_that_is_moved_deleted_or_replaced_is_noticed(tmp_path: Path) -> None:
    place = folder.make(tmp_path / "data")
    begun = place.stat()
    folder.check_in_place(place, begun)
    place.rename(tmp_path / "moved")
    with pytest.raises(Conflict, match="was moved or deleted while Matchbox ran on it"):
        folder.check_in_place(place, begun)
    folder.make(place)
    with pytest.raises(Conflict, match="start it again with --data and the folder's new place"):
        folder.check_in_place(place, begun)
    folder.check_in_place(tmp_path / "moved", begun)


def test_a_folder_that_cannot_be_reached_for_a_while_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path.stat()

    def away(path: Path) -> None:
        raise OSError(errno.ETIMEDOUT, "away")

    monkeypatch.setattr(Path, "stat", away)
    folder.check_in_place(tmp_path, begun)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.ENOSPC])
def test_what_belongs_to_another_account_is_told(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = OSError(number, "no", str(tmp_path / "gone" / "secrets.json"))
    assert folder.about_owner(error) == "", "it is this account's own"
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(Path, "owner", lambda path: "dora")
    wanted = "; it belongs to the account dora, so run this as that account"
    assert folder.about_owner(error) == ("" if number == errno.ENOSPC else wanted)
    assert folder.about_owner(OSError(number, "no")) == ""
