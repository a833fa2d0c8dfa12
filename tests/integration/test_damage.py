"""Databases, disks and servers that are really damaged, full or away: each gets one sentence."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from cli import main, whole_file
from cli.prepare import prepare
from matchbox.errors import Unavailable
from matchbox.settings import Settings
from server import backup as backups
from server.db.errors import check_pages
from server.db.migrations import migrate
from server.db.models import Bundle, Setting
from server.db.session import Database
from tests.books import SECRET, SIMPLE, open_books
from tests.installation import START_S, surroundings, up
from tests.services import driver_url, free_port, needs

PAGE = 4096


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that has been used, with a database of many pages."""
    folder = tmp_path_factory.mktemp("used") / "data"
    folder.mkdir(mode=0o700)
    secrets = f'{{"MATCHBOX_SECRET_KEY": "{SECRET}", "MATCHBOX_ARENA_TOKEN": "{SECRET[::-1]}"}}'
    (folder / "secrets.json").write_text(secrets)
    url = f"sqlite:///{folder / 'matchbox.db'}"
    migrate(url)
    books = open_books(url)
    books.wall()
    alice = books.person("alice")
    for number in range(4):
        books.upload(alice, f"bot-{number}", SIMPLE + f"# {number}{'x' * 9000}\n".encode())
    books.context.close()
    return folder


@pytest.fixture
def folder(used: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return Path(shutil.copytree(used, tmp_path / "data"))


def hurt_pages(folder: Path) -> Path:
    """Overwrites pages in the middle of the database, as a failing disk does."""
    path = folder / "matchbox.db"
    pages = path.stat().st_size // PAGE
    with path.open("r+b") as file:
        for page in range(2, pages):
            file.seek(page * PAGE)
            file.write(b"\xff" * 64)
    return path


def settings_of(folder: Path) -> Settings:
    """Returns the settings of a platform with this folder."""
    return Settings(data=str(folder), secret_key=SECRET, broker_url="redis://127.0.0.1:1/0")


def test_up_refuses_a_file_that_is_no_database_and_never_says_that_it_runs(folder: Path) -> None:
    path = folder / "matchbox.db"
    path.write_bytes(b"not a database" * 1000)
    process = up(folder, 0, {})
    told, _ = process.communicate(timeout=START_S)
    assert process.returncode == 1
    assert told == (
        f"matchbox: Matchbox cannot start: {path} is not a database or is damaged; stop, move it "
        "away, and restore a backup with `matchbox admin restore`\n"
    )


def test_damaged_pages_are_found_before_anything_starts(folder: Path) -> None:
    path = hurt_pages(folder)
    with pytest.raises(Unavailable, match=f"the database {path} has damaged pages; stop, move it"):
        prepare(settings_of(folder))


def test_damaged_pages_that_are_met_later_are_told_too(folder: Path) -> None:
    url = f"sqlite:///{hurt_pages(folder)}"
    database = Database(url)
    with pytest.raises(Unavailable, match="has damaged pages"), database.read() as session:
        for table in ("user", "version", "bundle", "setting", "bot"):
            session.connection().exec_driver_sql(f"SELECT * FROM {table} ORDER BY 1").fetchall()
    database.close()


def test_a_command_on_a_file_that_is_no_database_fails_in_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "matchbox.db").write_bytes(b"not a database" * 1000)
    assert main.run(["migrate", "--data", str(folder)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "is not a database or is damaged; stop, move it away" in line


def in_a_box(*options: str, words: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs `matchbox` with a part of the file system replaced."""
    command = [needs("bwrap"), "--dev-bind", "/", "/", "--die-with-parent", *options, "--"]
    matchbox = [str(Path(sys.executable).with_name("matchbox")), *words]
    return subprocess.run(
        [*command, *matchbox],
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


def test_a_data_folder_on_a_read_only_disk_is_told(folder: Path) -> None:
    done = in_a_box(
        *("--ro-bind", str(folder), str(folder)),
        words=["migrate", "--data", str(folder)],
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"matchbox: the database {folder / 'matchbox.db'} cannot be ")
    assert "may write" in done.stderr or "right to write" in done.stderr
    done = in_a_box(
        *("--ro-bind", str(folder), str(folder)),
        words=["up", "--port", "0", "--data", str(folder)],
    )
    assert done.returncode == 2
    assert done.stderr == (f"matchbox: {folder} cannot be the data folder: Read-only file system\n")


def test_a_full_disk_at_the_first_start_is_told(tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    done = in_a_box(
        *("--size", "65536", "--tmpfs", str(place)),
        words=["up", "--port", "0", "--data", str(place / "data")],
    )
    assert done.returncode == 1
    assert "Matchbox is running" not in done.stdout
    (line,) = done.stderr.splitlines()
    assert "full" in line or "room" in line or "No space left on device" in line
    assert "https://" not in line


def test_a_folder_in_the_place_of_the_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "matchbox.db").mkdir()
    with pytest.raises(Unavailable, match=r"matchbox\.db"):
        check_pages(f"sqlite:///{tmp_path / 'matchbox.db'}")


def test_a_disk_that_holds_a_backup_once_but_not_twice_is_told(tmp_path: Path) -> None:
    """SQLite writes all into its log, and then into the file: without a word if that fails."""
    source, file, small = tmp_path / "source.db", tmp_path / "big.backup", tmp_path / "small"
    migrate(f"sqlite:///{source}")
    database = Database(f"sqlite:///{source}")
    with database.write() as session:
        session.add(Bundle(digest="0" * 64, data=random.Random(1).randbytes(4 << 20)))
    database.close()
    backups.take(f"sqlite:///{source}", file, {"MATCHBOX_SECRET_KEY": "k" * 40})
    small.mkdir()
    done = in_a_box(
        *("--size", str(7 << 20), "--tmpfs", str(small)),
        words=["admin", "restore", str(file), "--data", str(small / "data")],
    )
    assert done.returncode == 1
    assert "is full, so nothing can be stored" in done.stderr


def test_a_restore_that_failed_can_be_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, file = tmp_path / "source.db", tmp_path / "whole.backup"
    migrate(f"sqlite:///{source}")
    backups.take(f"sqlite:///{source}", file, {"MATCHBOX_SECRET_KEY": "k" * 40})
    words = ["admin", "restore", str(file), "--data", str(tmp_path / "data")]
    wrong = f"postgresql+psycopg://matchbox@127.0.0.1:{free_port()}/books"
    assert main.run([*words, "--database", wrong]) == 1
    assert "cannot be reached" in capsys.readouterr().err
    assert main.run(words) == 0


def restore_into(data: Path, tmp_path: Path) -> list[str]:
    """The words of the command that restores a backup of an empty platform into this folder."""
    source, file = f"sqlite:///{tmp_path / 'source.db'}", tmp_path / "whole.backup"
    migrate(source)
    backups.take(source, file, {"MATCHBOX_SECRET_KEY": "k" * 40})
    return ["admin", "restore", str(file), "--data", str(data)]


def test_a_restore_that_is_killed_leaves_no_database_without_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a folder would get new secrets at the next start."""
    data = tmp_path / "data"
    words = restore_into(data, tmp_path)
    there: list[set[str]] = []
    rename, replace = Path.rename, whole_file.replace

    def rename_and_look(path: Path, target: Path) -> Path:
        there.append({one.name for one in data.iterdir()})
        return rename(path, target)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_file, "replace", fail)
    assert main.run(words) == 1
    assert list(data.iterdir()) == []
    monkeypatch.setattr(whole_file, "replace", replace)
    monkeypatch.setattr(Path, "rename", rename_and_look)
    assert main.run(words) == 0
    assert "secrets.json" in there[-1]


def test_a_folder_that_a_killed_restore_left_is_restored_into_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    words = restore_into(data, tmp_path)
    code = (
        "import os, signal; from pathlib import Path; from cli import main\n"
        "Path.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"main.run({words!r})"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert {one.name for one in data.iterdir()} >= {"restoring.db", "secrets.json"}
    handle = os.open(data, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert main.run(words) == 1
    assert "another command is restoring into" in capsys.readouterr().err
    os.close(handle)
    assert main.run(["up", "--port", "0", "--data", str(data)]) == 1
    assert f"a restore into {data} has not ended" in capsys.readouterr().err
    assert main.run(words) == 0
    assert "was left by a restore that was killed; it begins again" in capsys.readouterr().err
    assert {one.name for one in data.iterdir()} == {"matchbox.db", "secrets.json", "logs", "arena"}
    assert main.run(words) == 1
    assert "is not empty" in capsys.readouterr().err


def test_a_killed_restore_into_another_database_is_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    words = restore_into(data, tmp_path)
    words += ["--database", f"sqlite:///{tmp_path / 'elsewhere.db'}"]
    code = (
        "import os, signal; from cli import main; from server import backup\n"
        "backup.restore = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"main.run({words!r})"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert main.run(words) == 0
    assert "was left by a restore that was killed; it begins again" in capsys.readouterr().err
    assert {one.name for one in data.iterdir()} == {"database", "secrets.json", "logs", "arena"}
    assert main.run(words) == 1
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///",
        "sqlite:///:memory:",
        "postgresql+psycopg://me:geheim@host:port/books",
    ],
)
def test_an_address_of_no_database_is_one_sentence_without_its_password(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", url)
    restore = ["admin", "restore", str(tmp_path / "gone"), "--data", str(tmp_path / "data")]
    for words in (["migrate"], restore):
        assert main.run(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("matchbox: MATCHBOX_DATABASE_URL is not a database URL; ")
        assert "geheim" not in line


def test_a_postgres_where_the_account_lacks_a_right_says_so(
    postgres_database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = make_url(postgres_database)
    with psycopg.connect(driver_url(postgres_database), autocommit=True) as admin:
        name = sql.Identifier(f"weak_{address.database}")
        admin.execute(sql.SQL("create role {} login").format(name))
        admin.execute("revoke create on schema public from public")
    try:
        weak = address.set(username=f"weak_{address.database}")
        monkeypatch.setenv("MATCHBOX_DATABASE_URL", weak.render_as_string(hide_password=False))
        assert main.run(["migrate"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("matchbox: the account of MATCHBOX_DATABASE_URL lacks a right")
        assert "permission denied for schema public" in line
        monkeypatch.setenv("MATCHBOX_DATABASE_URL", f"{postgres_database}&hat=1")
        assert main.run(["migrate"]) == 1
        assert 'invalid connection option "hat"' in capsys.readouterr().err
    finally:
        with psycopg.connect(driver_url(postgres_database), autocommit=True) as admin:
            admin.execute(sql.SQL("drop role {}").format(name))


def test_a_postgres_that_is_away_is_named_without_its_password(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    address = f"postgresql+psycopg://matchbox:geheim@127.0.0.1:{port}/books"
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", address)
    assert main.run(["migrate"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        f"matchbox: the database postgresql://matchbox:***@127.0.0.1:{port}/books cannot be "
        "reached; start Postgres, or correct MATCHBOX_DATABASE_URL: "
    )
    assert "geheim" not in line


def test_a_postgres_that_became_read_only_is_read_and_says_why_it_takes_nothing(
    postgres_database: str,
) -> None:
    migrate(postgres_database)
    with psycopg.connect(driver_url(postgres_database), autocommit=True) as admin:
        admin.execute(
            sql.SQL("alter database {} set default_transaction_read_only = on").format(
                sql.Identifier(admin.info.dbname)
            )
        )
    database = Database(postgres_database)
    with database.read() as session:
        assert session.get(Setting, "counter") is None
    with (
        pytest.raises(Unavailable, match="Postgres is read-only, so nothing can be stored; make"),
        database.write() as session,
    ):
        session.add(Setting(name="counter", value={}, changed_at=0))
    database.close()


def test_up_says_that_its_broker_is_away(folder: Path) -> None:
    address = f"redis://127.0.0.1:{free_port()}/0"
    settings = {"MATCHBOX_BROKER_URL": address, "MATCHBOX_DATABASE_WAIT_SECONDS": "0"}
    process = up(folder, 0, settings)
    told, _ = process.communicate(timeout=START_S)
    assert process.returncode == 1
    assert told == (
        "matchbox: Matchbox cannot start: the queue cannot be reached; is the broker running?\n"
    )
