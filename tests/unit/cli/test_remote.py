"""The commands that talk to a server, with a real one and a database of the test's own."""

from __future__ import annotations

import io
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli import boards, named_bots, output, remote
from cli.client import Client
from matchbox.answers import Answer
from matchbox.answers.matches import LogLine, Note
from matchbox.answers.standings import Board
from matchbox.bundle import digest
from matchbox.errors import NotFound, Unavailable
from matchbox.match.wire import TryOut
from server.db.models import Match, Role, User, Version, VersionState
from server.services import accounts
from server.services.lookup import find_season
from tests.books import play_out, played, season_of, tried_out
from tests.unit.cli.conftest import Platform, Run
from tests.unit.worker.bots import GOOD

PASSWORD = "correct horse battery"


def settle_all(platform: Platform, *, accepted: bool = True) -> None:
    """Delivers a verdict on every waiting version."""
    for job in platform.books.postman.take():
        assert isinstance(job, TryOut)
        platform.books.settle(tried_out(job, accepted=accepted))


def submitting(mine: Path, *more: str) -> Sequence[object]:
    """The words of a submission."""
    return ("submit", mine, "--game", "bomb", "--name", "mine", *more)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_login_is_kept_in_a_file_of_its_own(
    end: str, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with platform.books.write() as session:
        accounts.sign_up(session, "dora", PASSWORD, signup="open", now=1)
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}{end}"))
    told = matchbox("login", platform.url + "/", "--name", "dora")
    assert (told.code, told.out) == (0, "")
    assert f"Logged in to {platform.url} as dora (author)" in told.err
    kept = tmp_path / "home" / ".config" / "matchbox" / "login.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert matchbox("bots", "--json").json == []


def test_a_wrong_password_is_refused_and_nothing_kept(
    platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("wrong wrong wrong\n"))
    told = matchbox("login", platform.url, "--name", "dora")
    assert (told.code, told.err) == (1, "matchbox: the name or the password is wrong\n")
    assert not (tmp_path / "home" / ".config").exists()


@pytest.mark.parametrize("end", ["\n", " \r\n"])
def test_a_token_can_be_pasted(
    end: str, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = platform.token(platform.books.person("alice"))
    monkeypatch.setattr(sys, "stdin", io.StringIO(token + end))
    told = matchbox("login", platform.url, "--token", "--json").json
    assert told == {"url": platform.url, "account": "alice", "role": "author"}


def test_a_submission_waits_for_its_try_out(
    alice: User, platform: Platform, matchbox: Run, mine: Path
) -> None:
    told = matchbox(*submitting(mine, "--json"))
    assert told.code == 0
    document = told.json
    assert (document["bot"], document["version"]) == ("alice/mine", 1)
    assert (document["state"], document["accepted"]) == ("pending", None)


def test_the_folder_where_one_is_can_be_submitted(
    alice: User, matchbox: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "player.py").write_text(GOOD)
    (folder / "table.bin").write_bytes(bytes(range(256)))
    monkeypatch.chdir(folder)
    told = matchbox(*submitting(Path(), "--json"))
    assert told.code == 0, told.err
    assert told.json["digest"] == digest(named_bots.read(folder))


def test_wait_ends_with_the_verdict(
    alice: User, platform: Platform, matchbox: Run, mine: Path
) -> None:
    matchbox(*submitting(mine))
    settle_all(platform)
    told = matchbox(*submitting(mine, "--wait", "--json"))
    assert told.code == 0
    assert (told.json["accepted"], told.json["verdict"]) == (True, "accepted")
    assert told.json["log"] == "hello from the bot\n"
    assert told.json["known"]
    mine.write_text(GOOD + "# two\n")
    assert not matchbox(*submitting(mine, "--json")).json["known"]


def test_the_bytes_of_an_earlier_version_are_named_with_the_way_to_play_it(
    alice: User, platform: Platform, matchbox: Run, mine: Path
) -> None:
    matchbox(*submitting(mine))
    settle_all(platform)
    assert "no new version is made" in matchbox(*submitting(mine)).out
    mine.write_text(GOOD + "# two\n")
    matchbox(*submitting(mine))
    settle_all(platform)
    mine.write_text(GOOD)
    told = matchbox(*submitting(mine))
    assert told.code == 0
    assert "The file is the same as version 1: no new version is made\n" in told.out
    assert "It does not play; `matchbox activate alice/mine 1` chooses it\n" in told.out


def test_a_refused_submission_is_a_no_with_its_reasons(
    alice: User, platform: Platform, matchbox: Run, mine: Path
) -> None:
    matchbox(*submitting(mine))
    settle_all(platform, accepted=False)
    told = matchbox(*submitting(mine, "--wait"))
    assert told.code == 1
    assert "ZeroDivisionError: division by zero in line 3" in told.out


def test_patience_ends_with_a_sentence(
    alice: User, platform: Platform, matchbox: Run, mine: Path
) -> None:
    told = matchbox(*submitting(mine, "--wait", "--patience", "1"))
    assert told.code == 1
    assert "version 1 of alice/mine is uploaded, but has no verdict after 1 s" in told.err
    assert "see `matchbox logs alice/mine` later" in told.err


@pytest.mark.parametrize(("failures", "code"), [(2, 0), (1000, 1)])
def test_who_waits_for_a_verdict_outlasts_a_server_that_starts_anew(
    alice: User, platform: Platform, matchbox: Run, mine: Path, monkeypatch: pytest.MonkeyPatch,
    failures: int, code: int,
) -> None:  # fmt: skip
    ask, asked = Client.answer, list[str]()

    def answer(self: Client, kind: type[Answer], path: str) -> Answer:
        asked.append(path)
        if len(asked) <= failures:
            raise Unavailable("the server cannot be reached")
        settle_all(platform)
        return ask(self, kind, path)

    monkeypatch.setattr(Client, "answer", answer)
    told = matchbox(*submitting(mine, "--wait", "--patience", "2"))
    assert told.code == code
    assert code == 0 or "no verdict after 2 s: the server cannot be reached" in told.err


def test_who_waits_long_asks_less_and_less_often(
    alice: User, platform: Platform, matchbox: Run, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    clock = SimpleNamespace(sleep=pauses.append, monotonic=lambda: sum(pauses))
    monkeypatch.setattr(remote, "time", clock)
    told = matchbox(*submitting(mine, "--wait", "--patience", "60"))
    assert "has no verdict after 60 s" in told.err
    assert pauses[0] < 0.5
    assert max(pauses) <= 2
    assert len(pauses) < 40


@pytest.mark.parametrize("wrong", ["nan", "inf", "-1", "0"])
def test_patience_is_a_number_of_seconds(matchbox: Run, mine: Path, wrong: str) -> None:
    told = matchbox(*submitting(mine, "--patience", wrong))
    assert told.code == 2
    assert "'--patience'" in told.err


@pytest.mark.parametrize(
    "more, why",
    [
        (("--patience", "9"), "--patience is for --wait"),
        (("--class", "Other"), "names a class, and --class another, Other: leave one out"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    matchbox: Run, mine: Path, more: tuple[str, ...], why: str
) -> None:
    named = Path(f"{mine}:Mine")
    told = matchbox(*submitting(named, *more))
    assert (told.code, told.out) == (2, "")
    assert why in told.err


def test_a_file_that_is_no_bot_is_refused_at_once(
    alice: User, matchbox: Run, tmp_path: Path
) -> None:
    file = tmp_path / "empty.py"
    file.touch()
    told = matchbox(*submitting(file))
    assert told.code == 1
    assert "the file is empty" in told.err


def test_own_bots_are_listed_and_everybodys_when_asked(
    alice: User, platform: Platform, matchbox: Run
) -> None:
    platform.books.bot(platform.books.person("bob"), "his")
    platform.books.bot(alice, "hers")
    assert [one["bot"] for one in matchbox("bots", "--json").json] == ["alice/hers"]
    found = matchbox("bots", "--all", "--game", "bomb", "--json").json
    assert {one["bot"] for one in found} == {"alice/hers", "bob/his"}
    assert "alice/hers\tbomb\t1\tactive\t1" in matchbox("bots").out
    assert matchbox("bots", "--all", "--game", "skull", "--json").json == []
    told = matchbox("bots", "--all", "--game", "nosuch")
    assert (told.code, "there is no game 'nosuch' there; the games are: bomb" in told.err) == (
        2,
        True,
    )


def test_a_standing_has_the_keys_of_the_interface(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    versions = [books.bot(books.person(name), "bot") for name in ("alice", "bob")]
    season_of(books, charlie, versions)
    play_out(books)
    lines = matchbox("standings", "spring", "--json").json
    keys = {"rank", "rank_range", "bot", "version", "elo", "ci95", "matches", "wins", "draws"}
    assert all(keys | {"losses", "forfeits"} <= line.keys() for line in lines)
    assert {line["bot"] for line in lines} == {"alice/bot", "bob/bot"}
    assert {line["by"] for line in lines} == {"elo"}
    assert matchbox("season", "show", "spring", "--json").json["by"] == "elo"
    assert matchbox("standings", "spring").out.startswith("rank\tbot\tversion\telo")


def test_a_board_that_is_none_is_named(alice: User, matchbox: Run) -> None:
    told = matchbox("standings", "nowhere")
    assert told.code == 1
    assert told.err == (
        "matchbox: there is no game and no season 'nowhere'; `matchbox games` and "
        "`matchbox season list` name them\n"
    )


def test_a_league_in_place_of_a_season_names_its_newest_one(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    season_of(books, charlie, [books.bot(books.person(name), "bot") for name in ("ann", "bob")])
    matchbox("season", "create", "Later", "--league", "bomb", "--draft")
    hint = "; bomb is a league, and its newest season is 'Later'\n"
    for words in (("season", "show"), ("season", "start"), ("lessons",)):
        assert matchbox(*words, "bomb").err == f"matchbox: there is no season 'bomb'{hint}"
    with books.read() as session:
        for viewer, newest in ((None, "spring"), (charlie, "Later")):
            with pytest.raises(NotFound, match=f"its newest season is '{newest}'"):
                find_season(session, "bomb", viewer)
    assert matchbox("season", "create", "Autumn", "--game", "bomb", "--bots", "2").code == 0
    assert matchbox("standings", "autumn").err == (
        "matchbox: there is no game and no season 'autumn'; autumn is a league, and its newest "
        "season is 'Autumn'\n"
    )


def test_logs_show_what_the_bot_printed_in_its_try_out_and_its_matches(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    versions = [books.bot(charlie, "one"), books.bot(books.person("bob"), "two")]
    season_of(books, charlie, versions)
    play_out(books)
    told = matchbox("logs", "one").out
    assert "Version 1 is active" in told
    assert "hello from the bot" in told
    assert "says hello" in told
    found = matchbox("logs", "charlie/one", "--matches", "1", "--json").json
    assert {line["bot"] for line in found["matches"]} == {"charlie/one"}
    assert len(found["matches"]) == 1


def test_logs_count_deals_and_rotations_from_1_as_the_pages_do(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = platform.books
    versions = [books.bot(charlie, "one"), books.bot(books.person("bob"), "two")]
    season_of(books, charlie, versions)
    play_out(books)
    line = LogLine(
        bot="charlie/one", entrant=0, text="", cpu_ms=1, diagnostics=[], printed=[], left_out=[],
        notes=[Note(deal=2, rotation=0, kind="crash", detail="KeyError: 7")],
    )  # fmt: skip
    monkeypatch.setattr(remote, "_log_lines", lambda *_: [line])
    told = matchbox("logs", "one", "--matches", "1").out
    assert "  deal 3, rotation 1: crash: KeyError: 7\n" in told


def test_logs_say_why_a_version_is_suspended(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    version = platform.books.bot(charlie, "one")
    with platform.books.write() as session:
        row = session.get_one(Version, version.id)
        row.state, row.trouble = VersionState.SUSPENDED, "it forfeited 9 of its 10 bouts"
    told = matchbox("logs", "one").out
    assert "Version 1 is suspended: it forfeited 9 of its 10 bouts\n" in told


def test_the_report_of_a_version_in_quarantine_does_not_call_it_refused(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    version = platform.books.bot(charlie, "one")
    with platform.books.write() as session:
        row = session.get_one(Version, version.id)
        row.state, row.trouble = VersionState.QUARANTINED, "the platform failed at its matches"
    told = matchbox("logs", "one").out
    assert "Version 1 is quarantined: the platform failed at its matches\naccepted" in told
    assert "refused" not in told


def test_another_accepted_version_can_be_activated(
    alice: User, platform: Platform, matchbox: Run
) -> None:
    platform.books.bot(alice, "mine")
    platform.books.bot(alice, "mine", b"from matchbox.games.bomb import *\nBOT = ScaredPlayer\n")
    told = matchbox("activate", "mine", 1)
    assert (told.code, told.err) == (0, "alice/mine now plays with version 1\n")
    assert matchbox("bots", "--json").json[0]["active"] == 1
    assert matchbox("activate", "mine", 7).code == 1


def test_a_bot_can_be_retired_by_its_owner_alone(
    alice: User, platform: Platform, matchbox: Run
) -> None:
    platform.books.bot(alice, "mine")
    platform.books.bot(platform.books.person("bob"), "his")
    assert matchbox("retire", "mine").code == 0
    assert matchbox("bots", "--json").json == []
    told = matchbox("retire", "bob/his")
    assert told.code == 1
    assert "somebody else" in told.err
    for name in ("../whoami", "bob/..", "bob/", "/his", "", "."):
        told = matchbox("retire", name)
        assert (told.code, "is not a name: give the whole name" in told.err) == (2, True), name


def test_a_server_that_is_not_there_is_named(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_URL", "http://127.0.0.1:9")
    told = matchbox("bots", "--all")
    assert told.code == 1
    assert "the server at http://127.0.0.1:9 cannot be reached: start it, or name" in told.err


def test_an_unknown_token_says_how_to_get_another(
    alice: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_TOKEN", "mbx_wrong")
    told = matchbox("bots")
    assert told.code == 1
    assert "MATCHBOX_TOKEN has no valid token; set it to another, or unset it" in told.err
    monkeypatch.delenv("MATCHBOX_TOKEN")
    assert "use `matchbox login URL`, or set MATCHBOX_TOKEN" in matchbox("bots").err


def test_an_operator_makes_accounts(charlie: User, platform: Platform, matchbox: Run) -> None:
    told = matchbox("admin", "user", "create", "emil", "--json").json
    assert (told["name"], told["role"]) == ("emil", "author")
    with platform.books.read() as session:
        assert accounts.log_in(session, "emil", told["password"]).name == "emil"


def test_an_author_makes_no_accounts(alice: User, matchbox: Run) -> None:
    told = matchbox("admin", "user", "create", "emil", "--role", "operator")
    assert told.code == 1
    assert "only an operator may do this" in told.err


def test_logs_go_on_past_a_match_that_is_closed_until_others_are_over(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    versions = [books.bot(charlie, "one"), books.bot(books.person("bob"), "two")]
    versions.append(books.bot(books.person("eve"), "three"))
    season_of(books, charlie, versions)
    jobs = books.dispatch()
    job = next(one for one in jobs if versions[0].digest == one.seats[0].version)
    other = next(one for one in jobs if one is not job)
    with books.write() as session:  # As in a round of a cooperative game, or a comparison.
        session.get_one(Match, other.match).deals = job.deals
    books.record(played(job))
    told = matchbox("logs", "one")
    assert told.code == 0
    assert "Version 1 is active" in told.out
    assert f"Match {job.match}" not in told.out
    assert f"match {job.match} shares a deal with a match that is not over" in told.err
    assert matchbox("logs", "one", "--json").json["matches"] == []


def test_nobody_reads_the_logs_of_another_s_bot(
    alice: User, platform: Platform, matchbox: Run
) -> None:
    books, bob = platform.books, platform.books.person("bob")
    versions = [books.bot(bob, name) for name in ("one", "two")]
    season_of(books, books.person("charlie", Role.OPERATOR), versions)
    play_out(books)
    told = matchbox("logs", "bob/one")
    assert (told.code, told.out) == (1, "")
    assert "only the owners of its bots" in told.err


@pytest.mark.parametrize(("days", "words"), [(20, "20 days"), (1, "1 day")])
def test_logs_say_that_the_output_of_a_try_out_was_removed(
    days: int, words: str, charlie: User, platform: Platform, matchbox: Run
) -> None:
    version = platform.books.bot(charlie, "one")
    with platform.books.write() as session:
        row = session.get_one(Version, version.id)
        row.report, row.log_days = {**(row.report or {}), "log": None}, days
    assert f"The output was removed after {words}.\n" in matchbox("logs", "one").out


def test_the_title_of_a_board_counts_one_match_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    monkeypatch.setattr(output, "table", lambda columns, rows, title: titles.append(title))
    board = Board.model_construct(title="spring", matches=1, by="elo", lines=[])
    for matches in (1, 2):
        boards.show_board(board.model_copy(update={"matches": matches}))
    assert titles == ["spring: 1 match", "spring: 2 matches"]


def test_who_names_the_server_in_the_environment_is_told_to_change_it_there(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("secret\n"))
    monkeypatch.setenv("MATCHBOX_URL", "http://127.0.0.1:1/")
    assert "`matchbox login URL`, and unset MATCHBOX_URL\n" in matchbox("bots").err
    told = matchbox("login", "http://127.0.0.1:2", "--name", "dora")
    assert told.err.endswith("name another one with `matchbox login URL`\n")
