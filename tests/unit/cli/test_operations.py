"""The operator's commands against a server: exclude, readmit, void, replay, and the audit log."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import update

from server.db.models import Season, User, Version, VersionState
from tests.books import SIMPLE, Books, play_out, played, season_of
from tests.unit.cli.conftest import Platform, Run
from tests.unit.server.test_leases import ONE, report

WHY = ("--reason", "the arena lost its disk")


def a_season(books: Books, operator: User) -> Season:
    """A season of two bots of the operator's, running."""
    return season_of(books, operator, [books.bot(operator, "one"), books.bot(operator, "two")])


def test_a_bot_is_disqualified_and_reinstated(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    a_season(platform.books, charlie)
    out = matchbox("season", "disqualify", "spring", "charlie/one", *WHY)
    assert out.code == 0
    assert "entrant: charlie/one (disqualified)" in out.out
    shown = matchbox("season", "show", "spring").out.splitlines()
    assert "entrant: charlie/one (disqualified)" in shown
    assert "trouble: " not in shown, "an empty text is left out"
    again = matchbox("season", "disqualify", "spring", "charlie/one", *WHY)
    assert (again.code, again.out) == (1, "")
    assert "is disqualified from season spring already" in again.err
    assert matchbox("season", "disqualify", "spring", "charlie/one").code == 2, "no reason"
    back = matchbox("season", "reinstate", "spring", "charlie/one", *WHY, "--json").json
    assert {one["out"] for one in back["entrants"]} == {""}
    play_out(platform.books)
    assert "state: finished" in matchbox("season", "show", "spring").out


def test_a_match_is_void_and_played_again_by_its_first_digits(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    a_season(platform.books, charlie)
    first, second = platform.books.dispatch()
    assert platform.books.record(played(first))
    void = matchbox("match", "void", first.match[:8], *WHY, "--again", "--json").json
    assert (void["id"], void["state"]) == (first.match, "void")
    assert void["record"]["match"] == first.match
    assert matchbox("match", "void", second.match, *WHY).code == 0
    again = matchbox("match", "again", second.match, *WHY, "--json").json
    assert (again["state"], again["replaces"]) == ("queued", second.match)
    no = matchbox("match", "requeue", again["id"])
    assert (no.code, "not parked" in no.err) == (1, True)
    short = matchbox("match", "void", "abc", *WHY)
    assert (short.code, "'abc' is not a match's id" in short.err) == (1, True)


def test_a_round_is_played_again_and_standings_are_computed(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    a_season(platform.books, charlie)
    assert matchbox("season", "rerun", "spring", "--round", 1, *WHY).code == 0
    assert matchbox("season", "rerun", "spring", "--round", 9, *WHY).code == 1
    board = matchbox("season", "recompute", "spring", "--json").json
    assert board["matches"] == 0
    assert matchbox("league", "recompute", "bomb", "--json").json["name"] == "bomb"


def test_a_suspended_version_is_submitted_in_vain_and_reinstated(
    charlie: User, platform: Platform, matchbox: Run, tmp_path: Path
) -> None:
    platform.books.bot(charlie, "shaky")
    with platform.books.write() as session:
        session.execute(update(Version).values(state=VersionState.SUSPENDED, trouble="8 of 80"))
    assert matchbox("admin", "reinstate-version", "charlie/shaky", 7, *WHY).code == 1
    file = tmp_path / "shaky.py"
    file.write_bytes(SIMPLE + b"# charlie/shaky\n")
    same = matchbox("submit", file, "--game", "bomb", "--name", "shaky", "--wait")
    assert same.code == 1
    assert "version 1 is suspended: 8 of 80\n" in same.out
    assert same.err == "Correct the bot and submit it again\n"
    document = matchbox("submit", file, "--game", "bomb", "--name", "shaky", "--json").json
    assert (document["state"], document["trouble"]) == ("suspended", "8 of 80")
    told = matchbox("admin", "reinstate-version", "charlie/shaky", 1, *WHY, "--json").json
    assert told["state"] == "active"


def test_the_log_is_told(charlie: User, platform: Platform, matchbox: Run) -> None:
    season = a_season(platform.books, charlie)
    matchbox("season", "pause", "spring")
    lines = matchbox("admin", "audit", "--subject", f"season:{season.id}", "--json").json
    assert [line["action"] for line in lines][:2] == ["season.pause", "season.start"]
    assert {line["actor"] for line in lines} == {"charlie"}
    shown = matchbox("admin", "audit", "--action", "season.pause", "--most", 1).out
    header, line = shown.splitlines()
    assert header.split("\t")[:4] == ["when", "who", "what", "to"]
    assert line.split("\t")[1:5] == ["charlie", "season.pause", f"season:{season.id}", "spring"]
    assert matchbox("league", "edit", "bomb", "--cycles", "3").code == 0
    shown = matchbox("admin", "audit", "--action", "league.edit").out
    assert "format cycles: 3" in shown
    assert "{" not in shown


def test_an_arena_is_stopped_its_matches_are_void_and_it_goes_on(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_season(platform.books, charlie)
    report(platform.books, ONE)
    for job in platform.books.dispatch():
        platform.books.record(replace(played(job), arena=ONE))
    stopped = matchbox("admin", "arena", "stop", ONE, *WHY, "--json").json
    assert (stopped["full_name"], stopped["stopped"]) == (ONE, WHY[1])
    void = ("admin", "arena", "void", ONE, "--since", "2020-01-01T00:00:00+00:00", *WHY)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    unasked = matchbox(*void)
    assert (unasked.code, unasked.out.strip()) == (1, ""), "the answer was no"
    assert f"make 2 matches of {ONE} void that ended since 2020-01-01" in unasked.err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "nobody answered: --yes goes on without asking" in matchbox(*void).err
    told = matchbox(*void, "--yes", "--json").json
    assert (told["count"], told["again"], told["kept"]) == (2, 2, 0)
    assert matchbox(*void, "--yes", "--json").json["count"] == 0
    wrong = matchbox("admin", "arena", "void", ONE, "--since", "soon", *WHY, "--yes")
    assert (wrong.code, "is not a time" in wrong.err) == (1, True)
    assert matchbox("admin", "arena", "go-on", ONE, *WHY).code == 0
    again = matchbox("admin", "arena", "go-on", ONE, *WHY)
    assert (again.code, "is not stopped" in again.err) == (1, True)
