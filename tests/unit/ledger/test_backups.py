"""Scheduled backups: when they are due, which are kept, and the words of a failure."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import IO, Any

import pytest

from server import backup
from server.backup import folder
from server.db.migrations import migrate
from server.services import backup_schedule, health
from tests.books import Books, open_books
from worker.ledger import backups
from worker.ledger.backups import Backups, back_up

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder for backups."""
    made = tmp_path / "kept"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture
def books(tmp_path: Path, place: Path) -> Iterator[Books]:
    """A database with a backup every hour, of which two are kept."""
    url = f"sqlite:///{tmp_path / 'matchbox.db'}"
    migrate(url)
    knobs = {"backup_folder": str(place), "backup_every_hours": 1, "backups_kept": 2}
    opened = open_books(url, least_free_mb=0, **knobs)
    yield opened
    opened.context.close()


def findings(books: Books) -> list[tuple[str, str]]:
    """Returns the level and text of each finding about the backups."""
    with books.read() as session:
        judged = health.judge(session, books.settings, now=books.clock())
    return [(one.level, one.text) for one in judged.findings if one.kind == "backups"]


def test_one_is_made_every_hour_and_the_newest_are_kept(books: Books, place: Path) -> None:
    made = []
    for _ in range(4):
        found = back_up(books.context)
        assert found is not None
        made.append(found)
        books.clock.pass_by(minutes=59)
        assert back_up(books.context) is None
        books.clock.pass_by(minutes=1)
    assert sorted(place.iterdir()) == made[2:]
    assert made[0].name == "matchbox-20231114T221320Z.backup"
    assert backup.check(made[-1]).rows > 0
    assert [stat.S_IMODE(path.stat().st_mode) for path in [place, made[-1]]] == [0o700, 0o600]
    assert findings(books) == []


def test_a_clock_that_was_ahead_neither_stops_backups_nor_costs_the_new_ones(
    books: Books, place: Path
) -> None:
    ahead = 60 * 24 * 365
    books.clock.pass_by(minutes=ahead)
    for _ in range(2):
        assert back_up(books.context) is not None
        books.clock.pass_by(minutes=60)
    books.clock.pass_by(minutes=-ahead)
    made = []
    for _ in range(2):
        made.append(back_up(books.context))
        books.clock.pass_by(minutes=60)
    assert sorted(place.iterdir()) == made


def test_other_files_in_the_folder_stay(books: Books, place: Path) -> None:
    others = ["before-0012-20200101T000000Z.backup", "monday.backup", "notes.txt"]
    others += ["matchbox-monday.backup", "matchbox-20200101T000000Z.backup.bak"]
    left = ".matchbox-20200101T000000Z.backup.part"
    for name in [*others, left]:
        (place / name).touch()
    for _ in range(3):
        assert back_up(books.context) is not None
        books.clock.pass_by(minutes=60)
    names = {path.name for path in place.iterdir()}
    assert names > set(others)
    assert left not in names
    assert len(names) == len(others) + 2


def test_a_backup_that_another_process_is_making_stays(books: Books, place: Path) -> None:
    under_way = place / ".before-0012-20200101T000000Z.backup.part"
    with under_way.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert back_up(books.context) is not None
        assert under_way.exists()
        books.clock.pass_by(minutes=60)
    assert back_up(books.context) is not None
    assert not under_way.exists()


def test_what_a_killed_backup_left_on_a_network_disk_is_deleted(
    books: Books, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = fcntl.flock

    def lock(file: IO[bytes], how: int) -> None:
        if not file.writable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        locks(file, how)

    monkeypatch.setattr(fcntl, "flock", lock)
    left = place / ".matchbox-20200101T000000Z.backup.part"
    left.touch()
    assert back_up(books.context) is not None
    assert not left.exists()


def test_none_is_made_without_a_schedule(books: Books, place: Path) -> None:
    context = replace(books.context, settings=replace(books.settings, backup_every_hours=0))
    assert back_up(context) is None
    asleep = Backups(context)
    asleep.start()
    asleep.close()
    assert not list(place.iterdir())


def test_a_failure_is_a_finding_and_is_over_with_the_next_backup(books: Books, place: Path) -> None:
    place.rmdir()
    assert back_up(books.context) is None
    why = (
        f"The last backup on the schedule failed: there is no folder {place} for backups "
        "(MATCHBOX_BACKUP_FOLDER): mount its disk, or make the folder."
    )
    assert findings(books) == [("warning", why)]
    assert not place.exists()
    place.mkdir()
    books.clock.pass_by(minutes=14)
    assert back_up(books.context) is None, "it is too early to try again"
    place.rmdir()
    books.clock.pass_by(minutes=107)
    assert findings(books)[0][0] == "bad"
    place.mkdir()
    assert back_up(books.context) is not None
    assert findings(books) == []


def test_an_overdue_backup_is_a_finding(books: Books) -> None:
    assert back_up(books.context) is not None
    books.clock.pass_by(minutes=119)
    assert findings(books) == []
    books.clock.pass_by(minutes=2)
    assert findings(books) == [("bad", "The last backup on the schedule is 2 h old.")]


def test_one_that_never_came_is_a_finding(books: Books) -> None:
    with books.write() as session:
        assert backup_schedule.begin(session, books.settings, now=books.clock()) is not None
        assert backup_schedule.begin(session, books.settings, now=books.clock()) is None
    books.clock.pass_by(minutes=121)
    assert findings(books) == [("bad", "No backup on the schedule was made for 2 h.")]


def test_a_backup_from_a_clock_that_was_ahead_keeps_no_other_from_being_made(books: Books) -> None:
    books.clock.pass_by(minutes=60 * 24 * 365)
    assert back_up(books.context) is not None
    books.clock.pass_by(minutes=-60 * 24 * 365)
    assert back_up(books.context) is not None
    assert back_up(books.context) is None


def test_a_disk_without_room_gets_none(
    books: Books, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert back_up(books.context) is not None
    books.clock.pass_by(minutes=60)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1, 1, 100))
    assert back_up(books.context) is None
    assert len(list(place.iterdir())) == 1
    assert "has only 0 MB left" in findings(books)[0][1]


def test_the_first_backup_is_expected_to_take_as_much_as_the_database(
    books: Books, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = books.context.database.size()
    assert size >= 100_000
    context = replace(books.context, settings=replace(books.settings, least_free_mb=1))
    for free, made in ((size - 1, 0), (size, 1)):
        monkeypatch.setattr(
            shutil, "disk_usage", lambda _, free=free: Usage(1, 1, free + (1 << 20))
        )
        assert (back_up(context) is not None) == bool(made)
        assert len(list(place.iterdir())) == made
        books.clock.pass_by(minutes=16)


def test_the_remains_of_a_ledger_that_was_killed_take_no_room_from_the_next(
    books: Books, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remains = place / ".matchbox-20200101T000000Z.backup.part"
    remains.touch()

    def room(_: object) -> Usage:
        return Usage(1 << 30, 0, 0 if remains.exists() else 1 << 30)

    monkeypatch.setattr(shutil, "disk_usage", room)
    context = replace(books.context, settings=replace(books.settings, least_free_mb=1))
    assert back_up(context) is not None


def test_a_stop_gives_the_backup_up_and_leaves_nothing(
    books: Books, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted(*arguments: object) -> None:
        arguments[-1](500, 900)  # type: ignore[operator]

    monkeypatch.setattr(folder, "take", counted)
    assert back_up(books.context, lambda: True) is None
    assert list(place.iterdir()) == []
    with books.read() as session:
        state = backup_schedule.backups(session)
        assert backup_schedule.is_due(session, books.settings, now=books.clock()), "at once"
    assert state is not None
    assert state.trouble == ""


def test_a_database_that_fails_ends_no_thread(books: Books, tmp_path: Path) -> None:
    (tmp_path / "matchbox.db").write_bytes(b"not a database" * 100)
    books.context.close()
    assert back_up(books.context) is None


def test_an_error_that_nobody_expected_ends_no_thread(
    books: Books, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries, twice = [], Event()

    def fail(*given: object) -> None:
        tries.append(given)
        if len(tries) == 2:
            twice.set()
        raise TypeError

    monkeypatch.setattr(backups, "back_up", fail)
    monkeypatch.setattr(backups, "EVERY_S", 0.01)
    thread = Backups(books.context)
    thread.start()
    assert twice.wait(60)
    thread.close()


def test_another_ledger_begins_no_backup_while_a_long_one_is_under_way(
    books: Books, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = []

    def take_an_hour(_: object, **more: Any) -> Path:
        for done in range(12):
            books.clock.pass_by(minutes=5)
            more["watch"](done, 12)
            others.append(back_up(books.context))
        path = place / "made"
        path.touch()
        return path

    monkeypatch.setattr(folder, "take_scheduled", take_an_hour)
    assert back_up(books.context) == place / "made"
    assert others == [None] * 12
    with books.read() as session:
        state = backup_schedule.backups(session)
    assert state is not None
    assert state.trouble == ""
