"""A worker that lacks a layer names it, and strangers' bots are refused because of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from matchbox.errors import UploadsClosed
from matchbox.settings import Settings
from sandbox import selftest
from sandbox.policy import Wall
from sandbox.syscalls import PARTS_OF_LIST
from server.db.migrations import migrate
from server.services import walls
from tests.books import open_books
from worker.arena import reports

NAMED = (
    *("landlock", "descriptors", "seccomp:list", "seccomp:paths", "seccomp:counters"),
    *("seccomp:zygote", "seccomp:futex", "seccomp:memory", "rlimits:AS", "rlimits:MEMLOCK"),
)


@pytest.mark.parametrize("part", NAMED)
def test_the_selftest_names_the_very_part_that_is_left_out(part: str) -> None:
    report = selftest.selftest("bwrap", Wall(drop=(part,)))
    assert not report.walled
    assert report.layers[part.partition(":")[0]] is False
    named = {part, *(PARTS_OF_LIST if part == "seccomp:list" else ())}
    assert any(f"{part!r}" in sentence for sentence in report.missing)
    assert all(any(f"{one!r}" in sentence for one in named) for sentence in report.missing)


def test_a_test_that_failed_is_made_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [selftest.SelfTestReport(walled, {}, []) for walled in (False, False, True, False)]
    now = [0.0]
    monkeypatch.setattr(selftest, "_KEPT", {})
    monkeypatch.setattr(selftest, "_test", lambda *_: found.pop(0))
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    seen = []
    for now[0] in (1.0, 2.0, 70.0, 71.0, 140.0, 999.0):
        seen.append((selftest.selftest("bwrap").walled, len(found)))
    assert seen == [(False, 3), (False, 3), (False, 2), (False, 2), (True, 1), (True, 1)]


def test_a_root_that_is_left_out_is_named_by_the_box_that_needs_it() -> None:
    report = selftest.selftest("process", Wall(drop=("root",)))
    assert report.layers["root"] is False
    assert any("'root'" in sentence for sentence in report.missing)


def test_a_worker_without_a_layer_closes_uploads_for_strangers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = partial(selftest.selftest, wall=Wall(drop=("landlock",)))
    monkeypatch.setattr(selftest, "selftest", bare)
    told = reports.wall_report("arena", "bwrap", Settings())
    url = f"sqlite:///{tmp_path}/matchbox.db"
    migrate(url)
    books = open_books(url)
    try:
        alice = books.person("alice")
        with books.write() as session:
            walls.report_wall(session, told, now=books.clock())
        with pytest.raises(UploadsClosed, match="the layer 'landlock' does not work"):
            books.upload(alice, "simple")
    finally:
        books.context.close()
