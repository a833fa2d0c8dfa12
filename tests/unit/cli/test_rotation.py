"""New secrets end all log-ins: by command, at the machine itself."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from cli import deployment, folder, main
from matchbox.errors import Forbidden
from matchbox.settings import read_settings
from server.context import make_context
from server.db.migrations import migrate
from server.db.models import Audit, BrowserSession, User
from server.outbox import OfflineSender
from server.services import accounts, sessions


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in which alice has a session and a token."""
    place = folder.make(tmp_path / "data")
    settings = read_settings(folder.environment(place, 8000, {}))
    migrate(f"sqlite:///{place / 'matchbox.db'}")
    context = make_context(settings, sender=OfflineSender())
    with context.write() as session:
        alice = accounts.sign_up(session, "alice", "a long password", signup="open", now=1)
        sessions.begin(session, alice, agent="test", now=context.now())
        token = accounts.make_token(session, alice, "test", now=context.now())
    context.close()
    (tmp_path / "token").write_text(token)
    return place


def kept(place: Path) -> dict[str, str]:
    """Returns the secrets in the folder."""
    found: dict[str, str] = json.loads((place / "secrets.json").read_text())
    return found


def left(place: Path) -> tuple[int, bool]:
    """Returns the number of sessions, and whether alice's token works."""
    context = make_context(folder.settings_of(place), sender=OfflineSender())
    try:
        with context.read() as session:
            count = len(session.scalars(select(BrowserSession)).all())
            try:
                secret = (place.parent / "token").read_text()
                accounts.token_of(session, secret, now=context.now())
            except Forbidden:
                return count, False
            return count, True
    finally:
        context.close()


def test_all_secrets_of_a_folder_are_new_and_nothing_else_changes(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept(data)
    assert main.run(["admin", "rotate-secrets", "--data", str(data)]) == 0
    after = kept(data)
    told = capsys.readouterr()
    assert told.out.startswith("Replaced: MATCHBOX_SECRET_KEY, MATCHBOX_ARENA_TOKEN.\n")
    assert "No longer valid: the log-ins of all browsers" in told.out
    for left_over in (
        "Start the platform again",
        "the new one, from secrets.json",
        "matchbox admin arena remove NAME",
        "API tokens stay valid",
        "Passwords of accounts",
    ):
        assert left_over in told.err, left_over
    assert set(after) == set(before)
    assert not set(after.values()) & set(before.values())
    assert min(map(len, after.values())) >= 32
    assert stat.S_IMODE((data / "secrets.json").stat().st_mode) == 0o600
    assert not any(secret in told.out + told.err for secret in after.values())
    assert left(data) == (1, True)


def test_sessions_and_tokens_end_on_request_and_are_counted(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["admin", "rotate-secrets", "--end-sessions", "--revoke-tokens", "--data", str(data)]
    assert main.run(words) == 0
    assert "Ended: 1 browser session, 1 API token." in capsys.readouterr().out
    assert left(data) == (0, False)
    assert main.run([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert not [step for step in told["by_hand"] if "API tokens" in step]
    assert told == {
        "by_hand": told["by_hand"],
        "rotated": list(folder.SECRETS),
        "not_rotated": [],
        "sessions": 0,
        "tokens": 0,
    }
    context = make_context(folder.settings_of(data), sender=OfflineSender())
    with context.read() as session:
        noted = session.scalars(select(Audit).where(Audit.action == "platform.log-out")).first()
        assert noted is not None
        assert noted.detail == {"sessions": 1, "tokens": 1}
        assert session.scalars(select(User.name)).one() == "alice"
    context.close()


def test_everybody_can_be_logged_out_without_new_secrets(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept(data)
    with folder.locked(data):
        assert main.run(["admin", "end-sessions", "--data", str(data)]) == 0
    assert capsys.readouterr().out == "Ended: 1 browser session, 0 API tokens.\n"
    assert (left(data), kept(data)) == ((0, True), before)


def test_a_running_platform_is_not_given_new_secrets(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept(data)
    with folder.locked(data):
        assert main.run(["admin", "rotate-secrets", "--end-sessions", "--data", str(data)]) == 1
    assert "Matchbox is already running" in capsys.readouterr().err
    assert (left(data), kept(data)) == ((1, True), before)


def test_a_crash_in_the_middle_leaves_the_old_secrets_and_the_next_run_mends_it(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kept(data)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", crash)
        main.run(["admin", "rotate-secrets", "--end-sessions", "--data", str(data)])
    assert (left(data), kept(data)) == ((0, True), before)
    assert main.run(["admin", "rotate-secrets", "--data", str(data)]) == 0
    assert not set(kept(data).values()) & set(before.values())
    assert [path.name for path in data.glob("secrets*")] == ["secrets.json"]


def test_a_secret_that_is_set_elsewhere_is_named(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept(data)
    monkeypatch.setenv("MATCHBOX_ARENA_TOKEN", "t" * 40)
    assert main.run(["admin", "rotate-secrets", "--data", str(data)]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Replaced: MATCHBOX_SECRET_KEY.\n")
    assert "MATCHBOX_ARENA_TOKEN: set in the environment" in told.err
    assert kept(data)["MATCHBOX_ARENA_TOKEN"] == before["MATCHBOX_ARENA_TOKEN"]


def test_a_password_that_postgres_keeps_is_named(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", "postgresql+psycopg://me:secret@nowhere/matchbox")
    monkeypatch.setenv("MATCHBOX_BROKER_URL", "rediss://:secret@nowhere/0")
    monkeypatch.setenv("MATCHBOX_SMTP_USER", "matchbox")
    monkeypatch.setenv("MATCHBOX_SMTP_PASSWORD", "secret@once")
    assert main.run(["admin", "rotate-secrets", "--data", str(data)]) == 0
    told = capsys.readouterr().err
    assert "MATCHBOX_DATABASE_URL: docs/operate.md says how" in told
    assert "MATCHBOX_BROKER_URL: change the password in the broker and here" in told
    assert "MATCHBOX_SMTP_PASSWORD: change it at the mail server and here" in told
    assert "secret@" not in told


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    assert main.run(["admin", "rotate-secrets", "--data", str(tmp_path / "none")]) == 2
    assert not (tmp_path / "none").exists()


def test_the_file_of_containers_gets_new_secrets_and_keeps_its_other_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ".env"
    secrets = dict.fromkeys(deployment.SECRETS, "old" * 12)
    deployment.write(path, {**secrets, "LISTEN": "127.0.0.1:8000"})
    path.write_text(path.read_text() + "# a note = kept\nMATCHBOX_SIGNUP=closed\n")
    before = path.read_text().splitlines()
    assert main.run(["admin", "rotate-secrets", "--env-file", str(path)]) == 0
    told = capsys.readouterr()
    assert "BROKER_PASSWORD" in told.out
    assert "docker compose up --detach" in told.err
    assert "the new one and the broker's new password, from .env" in told.err
    assert "matchbox admin arena remove NAME" in told.err
    after = path.read_text().splitlines()
    changed = [new.partition("=")[0] for old, new in zip(before, after, strict=True) if old != new]
    assert changed == list(deployment.SECRETS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
    assert main.run(["admin", "rotate-secrets", "--env-file", str(path), "--end-sessions"]) == 2
    path.write_text("LISTEN=1\n")
    assert main.run(["admin", "rotate-secrets", "--env-file", str(path)]) == 2
    assert "has no line POSTGRES_PASSWORD=" in capsys.readouterr().err


def secrets_in(place: Path) -> dict[str, str]:
    """Returns the secrets that are files of the folder."""
    return {file.name: file.read_text() for file in place.glob("[a-z]*")}


def test_secrets_of_containers_in_files_are_told_to_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, place = tmp_path / ".env", tmp_path / "kept"
    deployment.write(path, deployment.into_files({"LISTEN": "127.0.0.1:8000"}, place))
    before = secrets_in(place)
    assert main.run(["admin", "rotate-secrets", "--env-file", str(path)]) == 0
    told = capsys.readouterr()
    assert "Replaced: POSTGRES_PASSWORD, BROKER_PASSWORD" in told.out
    assert f"the new one and the broker's new password, from the files in {place}." in told.err
    assert all((place / name).read_text() != text for name, text in before.items())


@pytest.mark.parametrize(
    "line", ['SECRETS="./kept"', "SECRETS='kept'  # ours", "export SECRETS=./kept # ours"]
)
def test_the_folder_of_secrets_is_read_as_compose_reads_it(tmp_path: Path, line: str) -> None:
    path, place = tmp_path / ".env", tmp_path / "kept"
    deployment.into_files({}, place)
    before = secrets_in(place)
    path.write_text(f"{line}\n")
    assert main.run(["admin", "rotate-secrets", "--env-file", str(path)]) == 0
    assert all((place / name).read_text() != text for name, text in before.items())
    assert sorted(tmp_path.iterdir()) == [path, place]


def test_a_folder_without_secrets_gets_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_text("SECRETS=./elsewhere\n")
    words = ["admin", "rotate-secrets", "--env-file", str(tmp_path / ".env")]
    assert main.run(words) == 2
    assert "elsewhere, which has no file postgres_password" in capsys.readouterr().err
    assert not (tmp_path / "elsewhere").exists()


def made_by(folder: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Returns the exit code of `make env`, and the last line that it prints."""
    capsys.readouterr()
    return deployment.main(folder), capsys.readouterr().out.splitlines()[-1]


def test_the_file_of_containers_is_made_or_a_sentence_says_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_GID", "nonsense")
    wrong = ".env was not written: DOCKER_GID is 'nonsense'; give the number of a group."
    assert made_by("", capsys) == (1, wrong)
    monkeypatch.setenv("DOCKER_GID", "999")
    wrong = ".env was not written: /dev/null/x cannot be used: Not a directory."
    assert made_by("/dev/null/x", capsys) == (1, wrong)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").touch()
    wrong = "other holds something else: name a folder that is new or empty"
    assert made_by("other", capsys) == (1, wrong)
    assert not (tmp_path / ".env").exists()
    (tmp_path / "kept").mkdir()
    assert made_by("kept", capsys)[0] == 0
    (tmp_path / ".env").unlink()
    wrong = "kept already exists, and its secrets are in use: edit it, or remove it"
    assert made_by("kept", capsys) == (1, wrong)


def test_the_folder_of_secrets_may_have_a_space_and_is_not_offered_to_git(
    tmp_path: Path, checkout: Path
) -> None:
    made = tmp_path / "matchbox"
    made.mkdir()
    for one in ("Makefile", "cli"):
        (made / one).symlink_to(checkout / one)
    given = {**os.environ, "DOCKER_GID": "999", "PYTHONDONTWRITEBYTECODE": "1"}
    make = ["make", "env", f"PYTHON={sys.executable}", "SECRETS=my secrets"]
    subprocess.run(make, cwd=made, env=given, capture_output=True, check=True)
    assert "\nSECRETS=my secrets\n" in (made / ".env").read_text()
    subprocess.run(["git", "init", "-q"], cwd=made, check=True)
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    told = subprocess.run(status, cwd=made, capture_output=True, text=True, check=True).stdout
    assert sorted(line.partition(" ")[2] for line in told.splitlines()) == [
        ".env", "Makefile", "cli",
    ]  # fmt: skip


def test_only_one_folder_of_secrets_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert deployment.main("my", "secrets") == 1
    assert "name one folder" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_setting_that_containers_call_otherwise_is_named(tmp_path: Path) -> None:
    read = "- ${ARENAS:-1} ${MATCHBOX_ARENA_TOKEN:-} ${DOCKER_SOCKET:-}"
    (tmp_path / "docker-compose.yml").write_text(read)
    (tmp_path / ".env").write_text(
        "MATCHBOX_ARENAS=4\nMATCHBOX_EXPRESS_ARENA=false\nDOCKER_SOKET=/x\nDOCKER_HOST=x\n"
    )
    says = [sentence.partition("; ")[2] for sentence in deployment.unread(tmp_path / ".env")]
    meant = ("ARENAS", "EXPRESS_ARENAS", "DOCKER_SOCKET")
    assert says == [f"did you mean {name}?" for name in meant]
