"""Leagues and scheduled seasons by command."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from matchbox.league.format import Admission, Format, Schedule
from server.db.models import User
from server.services.tick import tick
from tests.books import play_out
from tests.unit.cli.conftest import Platform, Run

ALL = (
    "--format adaptive --question top --top 3 --care thrifty --cycles 2 --rounds 0 --group 8 "
    "--through 2 --mixed 1 --placement 10 --max-matches 500 --hours 6 --divisions 2 --moving 1 "
    "--learning fresh --invitation --everybody --bots 1 --uploads 5 --cron '*/10 * * * *' "
    "--zone Europe/Berlin"
)


def words(text: str) -> list[str]:
    """Splits the text into words, one of which may be quoted."""
    import shlex

    return shlex.split(text)


def test_every_term_of_a_league_is_an_option(charlie: User, matchbox: Run) -> None:
    made = matchbox("league", "create", "cup", "--game", "bomb", *words(ALL), "--json").json
    wanted = {
        "kind": "adaptive", "question": "top", "top": 3, "care": "thrifty", "cycles": 2,
        "rounds": None, "group": 8, "through": 2, "mixed": 1, "placement": 10, "matches": 500,
        "hours": 6, "divisions": 2, "moving": 1, "learning": "fresh",
    }  # fmt: skip
    assert made["format"] == wanted
    assert wanted.keys() == set(Format.__struct_fields__)
    admission = {"by": "invitation", "everybody": True, "bots": 1, "uploads": 5}
    assert made["admission"] == admission
    assert admission.keys() == set(Admission.__struct_fields__)
    assert made["schedule"] == {"once": None, "cron": "*/10 * * * *", "zone": "Europe/Berlin"}
    assert made["schedule"].keys() == set(Schedule.__struct_fields__)


def test_a_league_is_edited_field_by_field_and_limits_are_lifted(
    charlie: User, matchbox: Run
) -> None:
    matchbox("league", "create", "cup", "--game", "bomb", *words(ALL))
    more = ("--hours", 0, "--bots", 0, "--open", "--cron", "never", "--deals", 3, "--cycles", 1)
    told = matchbox("league", "edit", "cup", *more, "--json").json
    assert (told["format"]["hours"], told["format"]["matches"]) == (None, 500)
    assert (told["format"]["cycles"], told["deals"]) == (1, 3)
    assert told["paced"] is False
    assert matchbox("league", "edit", "cup", "--paced", "--json").json["paced"] is True
    assert told["admission"] == {"by": "open", "everybody": True, "bots": None, "uploads": 5}
    assert told["schedule"] == {"once": None, "cron": None, "zone": "Europe/Berlin"}
    told = matchbox("league", "edit", "cup", "--once", "2031-12-11T18:00", "--json").json
    assert told["schedule"] == {
        "once": "2031-12-11 18:00", "cron": None, "zone": "Europe/Berlin"
    }  # fmt: skip
    told = matchbox("league", "edit", "cup", "--once", "never", "--json").json
    assert told["schedule"]["once"] is None


def test_a_league_is_not_edited_without_a_change(charlie: User, matchbox: Run) -> None:
    told = matchbox("league", "edit", "bomb")
    assert (told.code, "name what to change" in told.err) == (2, True)
    assert "league.edit" not in matchbox("admin", "audit").out


def test_a_league_is_made_and_edited_with_strong_separation(charlie: User, matchbox: Run) -> None:
    strong = ("--separation", "strong")
    made = matchbox("league", "create", "cup", "--game", "bomb", *strong, "--json").json
    assert made["separation"] == "strong"
    assert matchbox("league", "edit", "cup", "--deals", 3, "--json").json["separation"] == "strong"
    back = matchbox("league", "edit", "cup", "--separation", "none", "--json").json
    assert back["separation"] == "none"
    assert "separation: none" in matchbox("league", "show", "cup").out
    assert matchbox("league", "show", "bomb", "--json").json["separation"] == "none"
    assert matchbox("league", "edit", "cup", "--separation", "some").code != 0


@pytest.mark.parametrize(
    ("game", "terms", "made"),
    [
        ("bomb", "--format swiss --rounds 4", {"rounds": 4}),
        ("bomb", "--format knock-out --group 6 --through 3", {"group": 6, "through": 3}),
        ("thegame", "--mixed 2", {"mixed": 2}),
    ],
)
def test_every_term_of_some_leagues_is_an_option(
    charlie: User, matchbox: Run, game: str, terms: str, made: dict[str, int]
) -> None:
    told = matchbox("league", "create", "cup", "--game", game, *words(terms), "--json").json
    assert made.items() <= told["format"].items()


def test_the_speed_of_bots_and_an_operator_do_not_both_name_the_deals(
    charlie: User, matchbox: Run
) -> None:
    refused = matchbox("league", "edit", "bomb", "--deals", "10", "--paced")
    assert (refused.code, refused.out) == (1, "")
    assert "leave out deals or paced" in refused.err


@pytest.mark.parametrize("step", ["create", "edit"])
def test_a_league_takes_no_term_that_its_seasons_would_ignore(
    charlie: User, matchbox: Run, step: str
) -> None:
    name = ("cup", "--game", "bomb") if step == "create" else ("bomb",)
    told = matchbox("league", step, *name, "--format", "round-robin", "--rounds", 5)
    assert (told.code, told.out) == (1, "")
    assert (
        "rounds has no meaning in a round-robin season: leave it out, or choose swiss" in told.err
    )


@pytest.mark.parametrize(
    "asked, why",
    [
        (("--cron", "* * *"), "is not a cron expression"),
        (("--zone", "Mars"), "no time zone 'Mars'"),
        (("--once", "Friday"), "once is 'Friday'; write year, month, day, hour and minute, such"),
        (
            ("--once", "2026-02-30 18:00"),
            "once is 2026-02-30 18:00, which cannot be: day is out of range",
        ),
        (("--once", "0001-01-01 00:00"), "once is '0001-01-01 00:00'; write year, month"),
        (("--once", "2020-12-11 18:00"), "once is 2020-12-11 18:00 (UTC), which is past"),
        (
            ("--once", "2031-12-11 18:00", "--cron", "0 18 * * FRI"),
            "once is 2031-12-11 18:00 and cron is '0 18 * * FRI', but seasons start once or by",
        ),
        (("--question", "champion", "--care", "thrifty"), "leave out top and care"),
    ],
)
def test_a_league_that_makes_no_sense_is_refused(
    charlie: User, matchbox: Run, asked: tuple[str, ...], why: str
) -> None:
    told = matchbox("league", "create", "cup", "--game", "bomb", *asked)
    assert told.code != 0
    assert why in told.err


def test_a_server_that_is_slow_to_make_accounts_is_not_called_away(
    charlie: User, matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("dora\n")
    monkeypatch.setattr("cli.leagues._ACCOUNTS_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("MATCHBOX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        told = matchbox("league", "accounts", "bomb", names)
    assert told.code == 1
    assert "may still have done what was asked" in told.err
    assert "matchbox admin user reset" in told.err
    assert "cannot be reached" not in told.err


def test_the_list_names_a_number_of_deals_only_if_the_league_has_one(
    charlie: User, matchbox: Run
) -> None:
    matchbox("league", "create", "own", "--game", "bomb", "--deals", 7)
    matchbox("league", "create", "paced", "--game", "bomb")
    rows = {line.split()[0]: line for line in matchbox("league", "list").out.splitlines()}
    assert rows["own"].split()[:4] == ["own", "bomb", "2", "7"]
    assert "by speed" in rows["paced"]


def test_accounts_are_invited_and_a_league_rests(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    platform.books.person("alice")
    matchbox("league", "create", "cup", "--game", "bomb", "--invitation")
    assert matchbox("league", "invite", "cup", "alice", "--json").json["invited"] == ["alice"]
    matchbox("league", "invite", "cup", "charlie")
    assert "invited: alice, charlie" in matchbox("league", "show", "cup").out.splitlines()
    matchbox("league", "uninvite", "cup", "charlie")
    assert matchbox("league", "uninvite", "cup", "alice", "--json").json["invited"] == []
    assert matchbox("league", "uninvite", "cup", "alice").code == 1
    assert matchbox("league", "pause", "cup", "--json").json["paused"] is True
    assert matchbox("league", "resume", "cup", "--json").json["paused"] is False


def test_a_scheduled_season_of_a_game_needs_one_command(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    for name in ("one", "two"):
        books.bot(charlie, name)
    run = words("--game bomb --format adaptive --question order --cron '*/10 * * * *' --deals 1")
    made = matchbox("season", "create", *run, "--json").json
    assert (made["name"], made["league"], made["state"]) == (
        "bomb-adaptive 1", "bomb-adaptive", "open",
    )  # fmt: skip
    assert made["starts_at"] == "2023-11-14T22:20:00.000Z"
    assert "22:20" in matchbox("season", "list").out
    books.clock.pass_by(minutes=7)
    tick(books.context)
    shown: Any = matchbox("season", "show", "bomb-adaptive 1", "--json").json
    assert shown["state"] == "running"
    assert {one["bot"] for one in shown["entrants"]} == {"charlie/one", "charlie/two"}
    play_out(books)
    assert matchbox("season", "show", "bomb-adaptive 1", "--json").json["state"] == "finished"
    again = matchbox("season", "create", *run)
    assert (again.code, "there is a league 'bomb-adaptive' already" in again.err) == (1, True)


def test_a_season_with_a_format_alone_is_of_the_game_s_own_league(
    charlie: User, matchbox: Run
) -> None:
    made = matchbox("season", "create", "--game", "bomb", "--format", "swiss", "--json").json
    assert (made["name"], made["league"], made["format"]["kind"]) == ("bomb 1", "bomb", "swiss")
    named = matchbox("season", "create", "Autumn Cup", "--game", "bomb", "--bots", 2, "--json").json
    assert (named["name"], named["league"]) == ("Autumn Cup", "autumn-cup")


@pytest.mark.parametrize(
    "asked, why",
    [
        (("--league", "bomb", "--game", "bomb"), "name a league or a game, not both"),
        ((), "name a league or a game\n"),
        (("--league", "bomb", "--cron", "* * * * *"), "schedule belong to the league bomb"),
    ],
)
def test_a_season_is_of_a_league_or_of_a_game(
    charlie: User, matchbox: Run, asked: tuple[str, ...], why: str
) -> None:
    told = matchbox("season", "create", "spring", *asked)
    assert told.code != 0
    assert why in told.err


def test_a_draft_is_opened_frozen_and_started(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    matchbox("season", "create", "spring", "--league", "bomb", "--draft")
    mine, alice = platform.token(charlie), platform.token(platform.books.person("alice"))
    monkeypatch.setenv("MATCHBOX_TOKEN", alice)
    assert matchbox("season", "list", "--json").json == []
    for command in ("show", "enter"):
        told = matchbox("season", command, "spring", *(["bot"] if command == "enter" else []))
        assert "there is no season 'spring'" in told.err
    monkeypatch.setenv("MATCHBOX_TOKEN", mine)
    assert matchbox("season", "show", "spring", "--json").json["state"] == "draft"
    assert matchbox("season", "open", "spring", "--json").json["state"] == "open"
    for name in ("one", "two"):
        platform.books.bot(charlie, name)
        matchbox("season", "enter", "spring", name)
    frozen = matchbox("season", "freeze", "spring", "--json").json
    assert (frozen["state"], {one["version"] for one in frozen["entrants"]}) == ("frozen", {1})
    platform.books.bot(
        charlie, "one", b"from matchbox.games.bomb import SimplePlayer\n\nBOT = SimplePlayer\n# 2\n"
    )
    shown = matchbox("season", "show", "spring", "--json").json
    assert shown["newer"] == {"charlie/one": 2}
    assert matchbox("season", "start", "spring", "--json").json["state"] == "running"
    assert {one["version"] for one in shown["entrants"]} == {1}


def test_a_league_is_shown_without_settings_that_its_format_does_not_have(
    charlie: User, matchbox: Run
) -> None:
    terms = ("--format", "swiss", "--rounds", 4, "--max-matches", 50)
    told = matchbox("league", "create", "cup", "--game", "bomb", *terms).out.splitlines()
    assert {"kind: swiss", "rounds: 4", "max_matches: 50", "by: open"} <= set(told)
    without_meaning = ("cycles", "question", "top", "care", "group", "through", "moving")
    assert [line for line in told if line.partition(":")[0] in without_meaning] == []
    assert told == matchbox("league", "show", "cup").out.splitlines()
