"""The health of the platform: each check finds its own fault and no other."""

from __future__ import annotations

import fcntl
import inspect
import json
import os
import re
import shutil
import time
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
import redis
from sqlalchemy import delete

from dashboard import markdown
from matchbox.answers.health import Health
from matchbox.answers.queue import JobName
from matchbox.errors import DiskFull, Forbidden
from matchbox.league.format import Schedule, given
from matchbox.match import wire
from server.db.models import (
    Delivery,
    DraftState,
    League,
    Match,
    MatchState,
    Notice,
    Season,
    Setting,
    User,
    Version,
)
from server.services import (
    arena_checks,
    arena_keys,
    arenas,
    backup_schedule,
    disk,
    dispatch,
    drafts,
    health,
    leagues,
    seasons,
    signs,
    supervision,
    walls,
)
from server.services.findings import SYMPTOMS
from server.services.job_lines import stalled_ms
from server.services.remote_names import arena_name
from server.services.tick import refresh_standings, tick
from tests.books import GAME, SIMPLE, Books, season_of
from tests.plans import explained

Usage = namedtuple("Usage", "total used free")


def report(books: Books, name: str = "arena-1@matchbox", **own: Any) -> None:
    """Reports an intact wall from the arena."""
    told = {"arena": name, "box": "bwrap", "walled": True, "cores": 2, "load": 0.25, **own}
    with books.write() as session:
        walls.report_wall(session, told, now=books.clock())


@pytest.fixture
def well(books: Books, monkeypatch: pytest.MonkeyPatch) -> Books:
    """A healthy platform: one arena reports, and the ledger has just ticked."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 0, 2**39))
    with books.write() as session:
        session.execute(delete(Setting))
    report(books)
    tick(books.context)
    return books


def give_signs(books: Books, *names: str, seconds: int) -> None:
    """Gives these signs every 15 s for that many seconds."""
    for _ in range(seconds // 15):
        books.clock.pass_by(seconds=15)
        for name in names:
            signs.give(books.context, name)


def judge(books: Books, **settings: Any) -> Health:
    """Returns the platform's health now."""
    with books.read() as session:
        return health.judge(session, replace(books.settings, **settings), now=books.clock())


def found(books: Books, **settings: Any) -> list[str]:
    """Returns the texts of the findings."""
    return [one.text for one in judge(books, **settings).findings]


def test_nothing_is_wrong_with_a_platform_that_is_well(well: Books) -> None:
    told = judge(well)
    assert told.findings == []
    (arena,) = told.arenas
    assert (arena.name, arena.state, arena.cores, arena.load) == ("arena-1", "reports", 2, 0.25)


def test_an_arena_that_has_missed_three_reports_is_silent(well: Books) -> None:
    report(well, "arena-2@matchbox")
    well.clock.pass_by(seconds=46)
    report(well)
    tick(well.context)
    assert found(well) == ["Arena arena-2 has not reported for 46 s."]
    assert [one.state for one in judge(well).arenas] == ["reports", "silent"]


def test_without_any_arena_nothing_is_played(well: Books) -> None:
    well.clock.pass_by(minutes=61)
    tick(well.context)
    assert found(well) == ["No arena reports any more, so no match is played."]
    assert judge(well).arenas[0].state == "gone"


def test_after_an_orderly_stop_arenas_and_ledgers_have_a_moment_to_start(well: Books) -> None:
    signs.give(well.context, signs.WEB)
    signs.give(well.context, signs.INTERNAL)
    report(well, leaving=True)
    well.clock.pass_by(minutes=180)
    signs.give(well.context, signs.WEB)
    well.clock.pass_by(seconds=20)
    signs.give(well.context, signs.WEB)
    assert found(well) == []
    well.clock.pass_by(seconds=26)
    signs.give(well.context, signs.WEB)
    named = {text.partition(" has given")[0].partition(" any more")[0] for text in found(well)}
    assert named == {"No arena reports", "The ledger", "`internal`"}
    report(well)
    signs.give(well.context, signs.INTERNAL)
    tick(well.context)
    assert found(well) == []


def test_boards_and_jobs_are_not_late_because_the_platform_was_stopped(
    well: Books, alice: User
) -> None:
    signs.give(well.context, signs.WEB)
    well.upload(alice, "late")
    well.clock.pass_by(minutes=180)
    signs.give(well.context, signs.WEB)
    assert found(well) == []


def test_an_express_arena_does_not_stand_in_for_those_that_play_matches(well: Books) -> None:
    report(well, "arena-express@matchbox", express=True)
    assert found(well) == []
    report(well, leaving=True)
    for _ in range(3):
        assert found(well) == [], "it may start again"
        well.clock.pass_by(seconds=16)
        report(well, "arena-express@matchbox", express=True)
        tick(well.context)
    assert found(well) == ["Only the express arena reports, so no match is played."]
    assert [one.express for one in judge(well).arenas] == [False, True]


def test_an_arena_that_said_goodbye_is_not_missed(well: Books) -> None:
    report(well, "arena-2@matchbox", leaving=True)
    well.clock.pass_by(seconds=50)
    report(well)
    tick(well.context)
    assert found(well) == []


def test_an_arena_without_a_wall_is_named_with_the_reason(well: Books) -> None:
    report(well, walled=False, why="no Landlock in this kernel")
    assert found(well) == ["Arena arena-1 has no wall around bots: no Landlock in this kernel."]


def test_an_arena_that_fails_at_its_jobs_is_named_until_it_does_no_longer(well: Books) -> None:
    for _ in range(2):  # The answer to the first one was lost.
        report(well, run="a", faults=2, fault="the box did not start: no more processes")
    assert found(well) == []
    well.clock.pass_by(minutes=14)
    report(well, run="b", faults=1, fault="a seat could not be made")
    report(well, leaving=True)
    report(well, run="b", faults=1, fault="a seat could not be made")
    tick(well.context)
    (finding,) = judge(well).findings
    assert finding.text == (
        "Arena arena-1 has failed at least 3 times at a job in the last 15 minutes. "
        "The last cause: a seat could not be made."
    )
    assert finding.level == "warning"
    well.clock.pass_by(minutes=2)
    report(well)
    tick(well.context)
    assert found(well) == []
    assert judge(well).arenas[0].faults == 1
    well.clock.pass_by(minutes=15)
    report(well)
    arena = judge(well).arenas[0]
    assert (arena.faults, arena.fault) == (0, ""), "the cause goes with its fault"


def test_two_arenas_of_one_key_and_name_are_told_of_and_a_restart_is_not(
    well: Books, charlie: User
) -> None:
    with well.write() as session:
        arena_keys.make(session, charlie, "lab", now=well.clock())
    lab = arena_name("lab", 1)
    for run in "aaabbbccc":
        report(well, lab, run=run, faults=1, fault="a seat could not be made")
    assert {one.full_name: one.faults for one in judge(well).arenas}[lab] == 3
    well.clock.pass_by(minutes=15)
    for run in "cdcdc":
        report(well, lab, run=run)
        report(well, run=run)
        well.clock.pass_by(seconds=8)
    tick(well.context)
    (text,) = found(well)
    assert text.startswith("Arena lab-1 has failed at least 3 times")
    assert "two processes report under this name, as with one key on two hosts" in text
    well.clock.pass_by(minutes=15)
    for name in (lab, "arena-1@matchbox"):
        report(well, name, run="c")
    tick(well.context)
    assert found(well) == []


def test_a_number_of_faults_that_no_arena_has_is_not_kept(well: Books) -> None:
    report(well, run="a", faults=2**30, fault="x")
    (text,) = found(well)
    assert "has failed at least 20 times at a job" in text


def test_a_ledger_that_does_not_tick_is_behind(well: Books) -> None:
    well.clock.pass_by(seconds=50)
    report(well)
    (text,) = found(well)
    assert text.startswith("The ledger has given no sign of life for 50 s")


def test_a_beat_that_hangs_beside_a_ledger_that_records_is_named(
    well: Books, alice: User, bob: User, charlie: User
) -> None:
    well.league(paused=True)
    season_of(well, charlie, [well.bot(alice, "one"), well.bot(bob, "two")])
    tick(well.context)
    well.clock.pass_by(seconds=50)
    report(well)
    with well.write() as session:
        match = session.query(Match).first()
        assert match is not None
        match.finished_at = well.clock()
    (text,) = found(well)
    assert text.startswith("Beat has given no sign of life for 50 s")


@pytest.mark.parametrize(
    ("sign", "text"),
    [
        (signs.WEB, "`web` has given no sign of life for 60 s: pages may not be"),
        (signs.INTERNAL, "`internal` has given no sign of life for 60 s: it takes no reports"),
    ],
)
def test_a_web_server_that_is_silent_while_others_go_on_is_named(
    well: Books, sign: str, text: str
) -> None:
    other = signs.of_ledger("ledger@matchbox")
    for one in (signs.WEB, signs.INTERNAL, other):
        signs.give(well.context, one)
    assert found(well) == []
    give_signs(well, *({signs.WEB, signs.INTERNAL, other} - {sign}), seconds=60)
    report(well)
    tick(well.context)
    (finding,) = judge(well).findings
    assert finding.text.startswith(text)
    assert (finding.kind, finding.level) == (sign, "bad")
    signs.give(well.context, sign)
    assert found(well) == []


def test_one_silent_ledger_of_two_is_named(well: Books) -> None:
    one, two = signs.of_ledger("ledger@one"), signs.of_ledger("ledger@two")
    signs.give(well.context, one)
    signs.give(well.context, two)
    give_signs(well, one, seconds=60)
    report(well)
    tick(well.context)
    (finding,) = judge(well).findings
    assert finding.text == (
        "The ledger ledger@two has given no sign of life for 60 s. Others record results meanwhile."
    )
    assert (finding.about, finding.level) == ("ledger@two", "warning")


def test_a_beat_that_hangs_beside_an_idle_ledger_is_named_unless_the_broker_is_away(
    well: Books,
) -> None:
    signs.give(well.context, signs.of_ledger("ledger@matchbox"))
    give_signs(well, signs.of_ledger("ledger@matchbox"), seconds=60)
    report(well)
    (text,) = found(well)
    assert text.startswith("Beat has given no sign of life for 60 s")
    first, *_ = found(well, broker_url="redis+socket:///nowhere/broker.sock")
    assert first.startswith("The ledger has given no sign of life for 60 s")


def test_a_beat_is_not_blamed_when_a_ledger_goes_on_that_hung(well: Books) -> None:
    ledger = signs.of_ledger("ledger@matchbox")
    signs.give(well.context, ledger)
    give_signs(well, signs.WEB, seconds=75)
    signs.give(well.context, ledger)
    report(well)
    (text,) = found(well)
    assert text.startswith("The ledger has given no sign of life for 75 s")
    give_signs(well, ledger, signs.WEB, seconds=60)
    report(well)
    (text,) = found(well)
    assert text.startswith("Beat has given no sign of life for 2 min")


def test_a_restarted_ledger_is_not_blamed_for_a_beat_that_is_dead(well: Books) -> None:
    ledger = signs.of_ledger("ledger@matchbox")
    give_signs(well, ledger, signs.WEB, seconds=75)
    signs.take_back(well.context, ledger)
    give_signs(well, ledger, signs.WEB, seconds=15)
    report(well)
    (text,) = found(well)
    assert text.startswith("Beat has given no sign of life for 90 s")


def test_standings_that_nobody_brings_up_to_date_are_told(well: Books) -> None:
    well.clock.pass_by(minutes=11)
    report(well)
    tick(well.context, with_standings=False)
    assert found(well) == ["Standings were last brought up to date 11 min ago."]
    refresh_standings(well.context)
    assert found(well) == []


def test_a_supervisor_is_silent_only_while_it_holds_its_lock_without_touching_it(
    well: Books, tmp_path: Path
) -> None:
    folder, last = str(tmp_path), well.clock() - 50_000
    assert found(well, data=folder) == []
    lock = tmp_path / supervision.LOCK
    lock.write_text("1234")
    os.utime(lock, ns=(last * 1_000_000, last * 1_000_000))
    assert found(well, data=folder) == []
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        (finding,) = judge(well, data=folder).findings
        assert finding.text.startswith("`matchbox up` has given no sign of life for 50 s")
        assert "kill -CONT 1234" in finding.remedy
        well.clock.now = time.time_ns() // 1_000_000
        report(well)
        tick(well.context)
        supervision.give_sign(tmp_path)
        assert found(well, data=folder) == []


def test_arenas_that_fall_silent_together_lead_to_the_process_that_takes_their_reports(
    well: Books,
) -> None:
    report(well, "arena-2@matchbox")
    well.clock.pass_by(seconds=50)
    tick(well.context)
    assert "restart `internal`" in judge(well).findings[-1].remedy


def test_a_try_out_that_waits_too_long_is_told(well: Books, alice: User) -> None:
    well.upload(alice, "one")
    well.clock.pass_by(minutes=6)
    report(well)
    tick(well.context)
    assert "The oldest try-out has waited for 6 min." in found(well)


def test_a_match_that_ended_while_the_clock_was_ahead_hides_nothing(
    well: Books, alice: User, bob: User, charlie: User
) -> None:
    well.league(paused=True)
    season_of(well, charlie, [well.bot(alice, "one"), well.bot(bob, "two")])
    with well.write() as session:
        match = session.query(Match).first()
        assert match is not None
        match.finished_at = well.clock() + 24 * 60 * 60_000
    well.clock.pass_by(minutes=11)
    report(well)
    told = found(well)
    assert "Matches wait, and none has ended for 11 min." in told
    assert [text for text in told if text.startswith("The ledger has given no sign of life")]


def test_matches_that_stand_still_are_told_and_a_parked_one(
    well: Books, alice: User, bob: User, charlie: User
) -> None:
    well.league(paused=True)
    season_of(well, charlie, [well.bot(alice, "one"), well.bot(bob, "two")])
    well.clock.pass_by(minutes=11)
    report(well)
    with well.write() as session:
        for sign in (signs.TICK, signs.STANDINGS):
            signs.note(session, sign, now=well.clock())
    assert found(well) == ["Matches wait, and none has ended for 11 min."]
    with well.write() as session:
        for match in session.query(Match):
            match.state = MatchState.PARKED
    assert found(well)[0].endswith("parked: the platform failed at it again and again.")


def test_what_is_said_to_do_about_a_parked_job_can_be_done(well: Books, alice: User) -> None:
    data, settings = SIMPLE + b"# tried\n", well.settings
    version = well.upload(alice, "one")
    with well.write() as session:
        draft = drafts.try_draft(
            session, alice, game=GAME, data=data, settings=settings, now=well.clock()
        )
        draft.state, draft.deadline = DraftState.LOST, None
        session.get_one(Version, version.id).deadline = None
    told = {one.about: one.remedy for one in judge(well).findings if one.kind == "parked"}
    assert told == {
        "try-out": "Try it out again on the page Operate.",
        "draft": "See the logs of the arenas. Its author is told, and can try the file again.",
    }


def test_matches_of_a_paused_season_may_wait(
    well: Books, alice: User, bob: User, charlie: User
) -> None:
    well.league(paused=True)
    season = season_of(well, charlie, [well.bot(alice, "one"), well.bot(bob, "two")])
    with well.write() as session:
        seasons.pause(session, charlie, season.id, now=well.clock())
    well.clock.pass_by(minutes=11)
    report(well)
    tick(well.context)
    assert found(well) == []
    with well.write() as session:
        seasons.resume(session, charlie, season.id, now=well.clock())
    tick(well.context)
    assert found(well) == []  # It has just begun again.
    well.clock.pass_by(minutes=11)
    report(well)
    tick(well.context)
    assert found(well) == ["Matches wait, and none has ended for 22 min."]


def test_how_long_matches_have_stood_still_is_found_by_indexes(
    well: Books, alice: User, bob: User, charlie: User
) -> None:
    well.league(paused=True)
    season_of(well, charlie, [well.bot(alice, "one"), well.bot(bob, "two")])
    assert well.dispatch()
    with well.read() as session, explained(session) as plans:
        assert stalled_ms(session, well.clock()) == 0
    assert len(plans) == 3
    assert not [one for one in plans if re.search(r"SCAN match\b(?! USING)", one)]


def test_a_try_out_of_a_draft_that_waits_too_long_is_told(well: Books, alice: User) -> None:
    with well.write() as session:
        knobs: dict[str, Any] = {"settings": well.settings, "now": well.clock()}
        drafts.try_draft(session, alice, game=GAME, data=SIMPLE, **knobs)
    well.clock.pass_by(minutes=6)
    report(well)
    tick(well.context)
    assert found(well) == ["The oldest draft has waited for 6 min."]
    assert {one.kind for one in judge(well).jobs} == set(get_args(JobName))


def test_a_broker_that_is_away_a_full_disk_and_mail_that_fails_are_told(
    well: Books, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 0, 100 << 20))
    with well.write() as session:
        notice = Notice(user_id=alice.id, kind="verdict", subject="version:1", text="x", at=1)
        session.add(notice)
        session.flush()
        session.add(Delivery(notice_id=notice.id, attempts=2, due_at=2**50))
    away, mail = "redis+socket:///nowhere/broker.sock", {"smtp_host": "mail.example"}
    assert found(well, broker_url=away, **mail) == [
        "The broker cannot be reached, so arenas get no jobs. Nothing is lost.",
        "The disk of the data folder has only 100 MB left. No matches are sent and no uploads are "
        "taken until there is more.",
        "A mail could not be sent, even after several tries. No mail has left since then.",
    ]
    levels = {one.kind: one.level for one in judge(well, **mail).findings}
    assert levels == {"disk": "bad", "mail": "warning"}
    assert {one.kind for one in judge(well).findings} == {"disk"}  # Nobody sends mail any more.


def test_of_several_disks_the_one_with_the_least_room_is_named_and_stops_work(
    well: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = {"/books": 300 << 20, "/queue": 2**39}

    def usage(path: str) -> Usage:
        if path not in free:
            raise FileNotFoundError(path)
        return Usage(2**40, 0, free[path])

    monkeypatch.setattr(shutil, "disk_usage", usage)
    disks: dict[str, Any] = {"disks": "/queue, /books"}
    assert found(well, **disks) == ["The disk of /books has only 300 MB left."]
    assert judge(well, **disks).figures.disk_free == 300 << 20
    disk.require_room(replace(well.settings, **disks))
    free["/queue"] = 100 << 20
    assert found(well, **disks)[0].startswith("The disk of /queue has only 100 MB left. No matches")
    with pytest.raises(DiskFull):
        disk.require_room(replace(well.settings, **disks))
    del free["/queue"]
    assert found(well, **disks) == [
        "The disk of /queue is not watched: there is no such folder.",
        "The disk of /books has only 300 MB left.",
    ]


def test_the_age_of_the_last_backup_is_measured(well: Books) -> None:
    assert judge(well).figures.backup_ms is None
    with well.write() as session:
        backup_schedule.succeeded(session, 1000, begun_at=well.clock() - 5000, now=well.clock())
    assert judge(well).figures.backup_ms == 5000


def test_no_backup_is_missed_as_soon_as_a_platform_starts_that_was_off(well: Books) -> None:
    with well.write() as session:
        made_at = well.clock() - 72 * 3_600_000
        backup_schedule.succeeded(session, 1000, begun_at=made_at, now=made_at)
        signs.note(session, signs.BEGUN, now=well.clock())
    assert judge(well, backup_every_hours=24).findings == []
    with well.write() as session:
        signs.note(session, signs.BEGUN, now=well.clock() - backup_schedule.AGAIN_MS)
    assert found(well, backup_every_hours=24) == ["The last backup on the schedule is 72 h old."]


def test_only_operators_see_the_judgement(well: Books, alice: User, charlie: User) -> None:
    with well.read() as session:
        for viewer in (None, alice):
            with pytest.raises(Forbidden):
                health.judge_for(session, viewer, well.settings, now=well.clock())
        assert health.judge_for(session, charlie, well.settings, now=well.clock()).jobs


def test_an_arena_of_another_release_is_named_with_its_host(well: Books) -> None:
    report(well, host="far", release="0.0.1")
    assert found(well)[0].startswith("Arena arena-1 has release 0.0.1, and the server has ")
    assert judge(well).arenas[0].host == "far"


@pytest.fixture
def results(redis_url: str) -> Iterator[redis.Redis]:
    """A broker without results, whose queues are emptied again afterwards."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
        yield client
        client.flushall()


def test_results_that_pile_up_are_told(well: Books, results: redis.Redis, redis_url: str) -> None:
    assert judge(well, broker_url=redis_url).figures.results == 0
    results.rpush(wire.QUEUES[wire.RECORD], *range(501))
    assert found(well, broker_url=redis_url) == ["501 results wait for the ledger."]


@pytest.mark.parametrize("broker", ["redis_url", "valkey_url"])
@pytest.mark.parametrize(
    ("setting", "value"),
    [("maxmemory", "100kb"), ("min-replicas-to-write", "1")],
)
def test_a_broker_that_takes_no_messages_is_told_though_it_answers_reads(
    broker: str, setting: str, value: str, well: Books, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(broker)
    with redis.Redis.from_url(url) as client:
        client.config_set(setting, value)
        try:
            (text,) = found(well, broker_url=url)
        finally:
            client.config_set(setting, "0")
    assert text.startswith("The broker cannot be reached")


def test_the_oldest_result_that_waits_is_told_by_its_age(
    well: Books, results: redis.Redis, redis_url: str
) -> None:
    def sent(**headers: Any) -> str:
        return json.dumps({"body": "", "headers": {"task": wire.RECORD, **headers}})

    at = well.clock()
    well.clock.pass_by(seconds=7)
    queue = wire.QUEUES[wire.RECORD]
    results.lpush(queue, sent())  # a tick, or the result of an arena of an older release
    assert judge(well, broker_url=redis_url).figures.results_ms is None
    results.lpush(queue, sent(**{wire.SENT_AT: at}), sent(**{wire.SENT_AT: at + 5000}))
    figures = judge(well, broker_url=redis_url).figures
    assert (figures.results, figures.results_ms) == (3, 7000)


def test_a_league_whose_time_zone_is_gone_is_found(well: Books) -> None:
    league = well.league()
    schedule = {"cron": "0 18 * * *", "zone": "Mars/Phobos"}
    with well.write() as session:
        row = session.get_one(League, league.id)
        row.continuous, row.schedule = False, {**schedule, "zone": "Europe/Berlin"}
    assert found(well) == []
    with well.write() as session:
        session.get_one(League, league.id).schedule = schedule
    (finding,) = judge(well).findings
    assert (finding.kind, finding.about, finding.level) == ("schedule", GAME, "bad")
    assert finding.text.startswith(f"League {GAME} opens no further seasons: there is no time zone")
    with well.write() as session:
        session.get_one(League, league.id).paused = True
    assert found(well) == []


def test_a_season_that_paused_since_it_cannot_go_on_is_found_until_somebody_deals_with_it(
    well: Books, alice: User, bob: User, charlie: User
) -> None:
    well.league(paused=True)
    season = season_of(well, charlie, [well.bot(alice, "one"), well.bot(bob, "two")])
    with well.write() as session:
        seasons.pause(session, charlie, season.id, now=well.clock())
    assert found(well) == []
    with well.write() as session:
        seasons.resume(session, charlie, season.id, now=well.clock())
        seasons.stop(session, session.get_one(Season, season.id), "no way", now=well.clock())
    (finding,) = judge(well).findings
    assert (finding.kind, finding.about, finding.level) == ("seasons", season.name, "bad")
    assert finding.text == f"Season {season.name} is paused, since it cannot go on: no way."
    assert finding.remedy == "Put that right and resume it, or cancel it."
    with well.write() as session:
        seasons.cancel(session, charlie, season.id, now=well.clock())
    assert found(well) == []


def test_a_season_that_the_ledger_fails_to_start_is_found(
    well: Books, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    well.league(paused=True)
    with well.write() as session:
        terms: dict[str, Any] = {
            "game": GAME,
            "schedule": given(Schedule, {"cron": "*/30 * * * *"}),
        }
        leagues.create(
            session, charlie, name="cup", settings=well.settings, now=well.clock(), **terms
        )
    tick(well.context)
    with monkeypatch.context() as patch:
        patch.setattr(seasons, "begin", lambda *_, **__: 1 / 0)
        for minutes in (17, 19, 2):
            assert found(well) == []
            well.clock.pass_by(minutes=minutes)
            report(well)
            tick(well.context)
            refresh_standings(well.context)
        (finding,) = judge(well).findings
    assert (finding.kind, finding.about, finding.level) == ("starts", "cup 1", "bad")
    assert finding.text == "Season cup 1 could have started 21 min ago, and has not."
    tick(well.context)
    assert found(well) == []


def test_every_kind_of_finding_is_explained_among_the_symptoms(checkout: Path) -> None:
    source = "".join(map(inspect.getsource, (health, arena_checks)))
    assert set(re.findall(r'(?:bad|warning)\("(\w+)"', source)) == set(SYMPTOMS)
    page = markdown.read((checkout / "docs/symptoms.md").read_text())
    assert {one.anchor for one in page.sections} >= set(SYMPTOMS.values())


def test_a_full_disk_stops_dispatch_and_uploads_until_there_is_room(
    well: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    well.league(paused=True)
    season_of(well, charlie, [well.bot(alice, "one"), well.bot(bob, "two")])
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 0, 100 << 20))
    with well.write() as session:
        assert dispatch.dispatch(session, settings=well.settings, now=well.clock()) == 0
    with pytest.raises(DiskFull, match="almost full"):
        well.upload(alice, "late")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 0, 2**39))
    with well.write() as session:
        assert dispatch.dispatch(session, settings=well.settings, now=well.clock()) > 0
    well.upload(alice, "late")


def test_arenas_with_one_name_are_told_apart(well: Books) -> None:
    for host in ("a", "b"):
        report(well, f"arena@{host}", walled=False, release="0.0.1")
    for arena in judge(well).arenas:
        assert arena.name == ("arena-1" if "matchbox" in arena.full_name else arena.full_name)
    well.clock.pass_by(seconds=46)
    report(well)
    tick(well.context)
    silent = {one.about: one.text for one in judge(well).findings if one.kind == "arenas"}
    assert silent == {
        f"arena@{host}": f"Arena arena@{host} has not reported for 46 s." for host in ("a", "b")
    }
    for host in ("a", "b"):
        report(well, f"arena@{host}", walled=False, release="0.0.1")
    for kind in ("walls", "releases"):
        told = [one.about for one in judge(well).findings if one.kind == kind]
        assert told == ["arena@a", "arena@b"]


def test_a_stopped_arena_that_has_left_for_good_is_told_no_more(well: Books, charlie: User) -> None:
    report(well, "arena-2@matchbox")
    with well.write() as session:
        arenas.stop(session, charlie, "arena-2@matchbox", "its memory", now=well.clock())
    report(well, "arena-2@matchbox", leaving=True)
    found_now = [(one.kind, one.level) for one in judge(well).findings]
    assert found_now == [("stopped", "warning")], "an operator knows why"
    well.clock.pass_by(minutes=61)
    report(well)
    tick(well.context)
    assert found(well) == []
    report(well, "arena-2@matchbox")
    assert [one.kind for one in judge(well).findings] == ["stopped"]


def test_a_stopped_arena_whose_key_was_removed_is_told_no_more(well: Books, charlie: User) -> None:
    with well.write() as session:
        arena_keys.make(session, charlie, "lab", now=well.clock())
    report(well, "lab-1@key:lab")
    with well.write() as session:
        arenas.stop(session, charlie, "lab-1@key:lab", "it cheats", now=well.clock())
    assert [one.kind for one in judge(well).findings] == ["stopped"]
    with well.write() as session:
        arena_keys.remove(session, charlie, "lab", now=well.clock())
    assert found(well) == []
