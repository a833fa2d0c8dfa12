"""`doctor`, `migrate`, and the first output of `up`."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from cli import doctor, folder, prepare, up
from matchbox import build
from matchbox.errors import Conflict
from matchbox.settings import read_settings
from server.context import make_context
from server.db.models import Audit
from server.outbox import OfflineSender
from tests.unit.cli.conftest import Run
from worker.arena import cpu_affinity

CORES = len(cpu_affinity.usable_cores())
BOX = {"walled": True, "layers": {}, "missing": [], "lacking": []}


def test_doctor_tells_boxes_brokers_and_databases(matchbox: Run) -> None:
    told = matchbox("doctor", "--json")
    report = told.json
    assert told.code == (0 if report["walled"] else 1)
    assert set(report["boxes"]) == {"bwrap", "docker", "process"}
    assert report["brokers"]["embedded"]
    assert report["databases"]["sqlite"]["works"]
    assert "simple" in report["games"]["bomb"]
    shown = matchbox("doctor").out
    assert "box bwrap: " in shown
    server = report["databases"]["postgres"]["server"] or "not found here"
    assert f"database postgres: its driver is installed; its server is {server}\n" in shown


def test_doctor_tries_the_broker_and_the_database_that_are_set(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "_box", lambda kind: BOX)
    assert matchbox("doctor", "--json").json["servers"] == {}
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", f"sqlite:///{tmp_path}/books.db")
    told = matchbox("doctor")
    assert (told.code, "MATCHBOX_DATABASE_URL: works\n" in told.out) == (0, True)
    (tmp_path / "books.db").write_text("no database, but long enough to be taken for one " * 99)
    monkeypatch.setenv("MATCHBOX_BROKER_URL", "redis://:secret@127.0.0.1:1")
    told = matchbox("doctor")
    assert told.code == 1
    assert "MATCHBOX_BROKER_URL: the queue cannot be reached" in told.out
    assert "Connection refused" in told.out
    assert f"{tmp_path}/books.db is not a database or is damaged" in told.out
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", "postgresql+psycopg://anna:secret@127.0.0.1:1/x")
    told = matchbox("doctor")
    assert told.code == 1
    assert "the database postgresql://anna:***@127.0.0.1:1/x cannot be reached" in told.out
    assert "secret" not in told.out


def test_doctor_tells_what_a_walled_box_lacks(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacks = "the layer 'own_clock' does not work on this machine"
    monkeypatch.setattr(doctor, "_box", lambda kind: {**BOX, "lacking": [lacks]})
    told = matchbox("doctor")
    assert told.code == 0
    assert f"box bwrap: walled\n  {lacks}\n" in told.out


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("", "the hot path compiled"),
        ("refused", "plain Python, as MATCHBOX_COMPILED asks for"),
        ("changed", "its source was changed since it was compiled"),
        ("partial", "compiled for another Python, or not whole"),
        ("missing", "install it with a C compiler"),
    ],
)
def test_doctor_tells_which_build_is_in_use_and_why(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, why: str, words: str
) -> None:
    monkeypatch.setattr(doctor, "_box", lambda kind: BOX)
    monkeypatch.setattr(build, "why_plain", lambda: why)
    assert matchbox("doctor", "--json").json["plain"] == why
    assert words in matchbox("doctor").out


@pytest.mark.parametrize(
    ("arenas", "pin", "pinned"),
    [("0", "true", CORES), (str(CORES + 1), "true", CORES), ("1", "false", 0)],
)
def test_doctor_tells_how_many_arenas_have_a_core_of_their_own(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, arenas: str, pin: str, pinned: int
) -> None:
    monkeypatch.setenv("MATCHBOX_ARENAS", arenas)
    monkeypatch.setenv("MATCHBOX_PIN", pin)
    monkeypatch.setattr(doctor, "_box", lambda kind: BOX)
    many = int(arenas) or CORES
    assert matchbox("doctor", "--json").json["cores"] == {
        "usable": CORES,
        "arenas": many,
        "pinned": pinned,
    }
    counted, whose = (
        ("1 arena" if many == 1 else f"{many} arenas"),
        "its" if pinned == 1 else "their",
    )
    told = f"cores: {CORES}; {counted} in `matchbox up`, {pinned} on a core of {whose} own\n"
    assert told in matchbox("doctor").out


def test_a_taken_port_is_named() -> None:
    with up.listen(0) as first:
        port = first.getsockname()[1]
        with pytest.raises(Conflict, match=rf"port {port} is taken: choose another one, as in"):
            up.listen(port)


def test_it_listens_on_this_machine_alone() -> None:
    with up.listen(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
        assert listener.family == socket.AF_INET


def test_a_folder_in_use_is_named(matchbox: Run, tmp_path: Path) -> None:
    made = folder.make(tmp_path / "data")
    with folder.locked(made):
        command = [str(Path(sys.executable).with_name("matchbox")), "up", "--port", "0"]
        command += ["--data", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Matchbox is already running on" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("up",), ("migrate",), ("admin", "user", "reopen", "x"), ("verify", "x")]
)
def test_an_empty_name_of_a_data_folder_is_refused(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    told = matchbox(*words, "--data", "")
    assert (told.code, told.out) == (2, "")
    assert told.err == "matchbox: --data is empty: name a folder\n"
    assert not list(tmp_path.iterdir())


def test_arenas_are_told_no_database_no_signing_key_and_no_mail_server(tmp_path: Path) -> None:
    secret = {"MATCHBOX_DATABASE_URL": "sqlite://", "MATCHBOX_SMTP_PASSWORD": "open sesame"}
    given = folder.environment(folder.make(tmp_path), 8000, secret)
    told = up.arena_environment(given, tmp_path)
    assert "MATCHBOX_ARENA_TOKEN" in told
    assert not {"MATCHBOX_SECRET_KEY", *secret} & told.keys()
    assert told["MATCHBOX_DATA"] == str(tmp_path / "arena")


def test_every_program_has_a_name_of_its_own(tmp_path: Path) -> None:
    environment = folder.environment(folder.make(tmp_path), 8000, {"MATCHBOX_ARENAS": "3"})
    with up.listen(0) as public, up.listen(0) as internal:
        listeners = up.Listeners(public, internal)
        programs = up.programs(read_settings(environment), environment, tmp_path, listeners)
        held = [program.descriptors for program in programs[:2]]
        assert held == [(public.fileno(),), (internal.fileno(),)]
    names = [program.name for program in programs]
    arenas = ["arena-1", "arena-2", "arena-3", "arena-express"]
    assert names == ["web", "internal", "ledger", "beat", *arenas]
    folders = [program.environment["PROMETHEUS_MULTIPROC_DIR"] for program in programs[:2]]
    assert len(set(folders)) == 2
    assert folders == [str(program.folder) for program in programs[:2]]


def test_the_books_are_prepared_twice_with_the_same_result(tmp_path: Path) -> None:
    environment = folder.environment(folder.make(tmp_path), 8000, {})
    settings = read_settings(environment)
    first, second = prepare.prepare(settings), prepare.prepare(settings)
    assert first is not None
    assert second not in (None, first)


def test_the_first_operator_can_be_made_in_the_folder(matchbox: Run, tmp_path: Path) -> None:
    data = folder.make(tmp_path / "data")
    assert prepare.prepare(read_settings(folder.environment(data, 8000, {}))) is not None
    words = ("admin", "user", "create", "--data", data, "--json")
    for name, role in (("olga", "operator"), ("otto", "operator"), ("alice", "author")):
        told = matchbox(*words, name, "--role", role).json
        assert (told["name"], told["role"]) == (name, role)
        assert told["token"]
    context = make_context(folder.settings_of(data), sender=OfflineSender())
    with context.read() as session:
        lines = session.scalars(select(Audit).where(Audit.action.like("user.%")).order_by(Audit.id))
        noted = [(line.actor_id, line.action, line.detail["name"]) for line in lines]
    context.close()
    assert noted == [(None, "user.create", name) for name in ("olga", "otto", "alice")]
    assert prepare.prepare(read_settings(folder.environment(data, 8000, {}))) is None


def test_a_folder_can_be_migrated_by_hand(matchbox: Run, tmp_path: Path) -> None:
    data = folder.make(tmp_path / "data")
    folder.environment(data, 8000, {})
    assert json.loads(matchbox("migrate", "--data", data, "--json").out) == {"migrated": True}
    assert (data / "matchbox.db").exists()
    with folder.locked(data):
        assert matchbox("migrate", "--data", data).code == 0, "there is nothing to change"


def test_a_folder_that_is_none_is_named(matchbox: Run, tmp_path: Path) -> None:
    told = matchbox("migrate", "--data", tmp_path / "gone")
    assert told.code == 2
    assert "is not a data folder" in told.err
