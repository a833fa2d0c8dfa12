"""Seasons from their creation to the proof of their records; matches shown and played again."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from matchbox.match import record as records
from matchbox.match.replay import MoveIndex
from matchbox.match.verification import Examined, Verifier
from matchbox.match.wire import MatchPlayed, PlayMatch
from server.db.models import Result, User
from tests.books import play_out, really_played, season_of
from tests.seasons import unplayed
from tests.unit.cli.conftest import Platform, Run
from tests.unit.worker.bots import HEAD

ONE = (HEAD + "class One(MediumPlayer):\n    pass\n").encode()
TWO = (HEAD + "class Two(ScaredPlayer):\n    pass\n").encode()
CLOCK = (
    HEAD + "import os\n\nclass Clock(SimplePlayer):\n    def defuse(self, game_data):\n"
    "        return os.urandom(1)[0] % (1 + game_data.draw_pile_size())\n"
).encode()


def season(platform: Platform, operator: User, *bundles: bytes, forge: bool = False) -> list[str]:
    """Plays a season of these bots; returns its matches. One result may be forged."""
    books = platform.books
    names = ("one", "two", "three")
    versions = [books.bot(operator, name, data) for name, data in zip(names, bundles, strict=False)]
    season_of(books, operator, versions)
    played: list[str] = []

    def bring(jobs: list[PlayMatch]) -> list[MatchPlayed]:
        results = [really_played(books, job) for job in jobs]
        played.extend(job.match for job in jobs)
        return [forged(result) if forge else result for result in results]

    play_out(books, bring)
    return played


def forged(played: MatchPlayed) -> MatchPlayed:
    """Returns the result with its first bout played by a player who only drew cards."""
    record = records.unpack(played.record)
    other = record.bouts[-1]
    bout = replace(other, deal=0, rotation=0, moves=other.moves)
    return replace(played, record=records.pack(replace(record, bouts=[bout, *record.bouts[1:]])))


def test_the_league_of_a_season_of_a_game_is_named(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    platform.books.league()
    plain = matchbox("season", "create", "spring", "--game", "bomb")
    assert "league: bomb" in plain.out.splitlines()
    assert "It is a season of league bomb, which is the game's own." in plain.err
    own = matchbox("season", "create", "Summer cup", "--game", "bomb", "--bots", "2")
    assert "It is a season of league summer-cup, which is a new one, made for it." in own.err
    named = matchbox("season", "create", "autumn", "--league", "summer-cup")
    assert named.err == ""


def test_a_season_is_made_entered_and_run(charlie: User, platform: Platform, matchbox: Run) -> None:
    for name in ("one", "two"):
        platform.books.bot(charlie, name)
    made = matchbox("season", "create", "spring", "--league", "bomb", "--json").json
    assert (made["name"], made["state"]) == ("spring", "open")
    for bot in ("one", "two"):
        assert matchbox("season", "enter", "spring", bot).code == 0
    assert matchbox("season", "leave", "spring", "two").code == 0
    assert matchbox("season", "enter", "spring", "charlie/two").code == 0
    assert matchbox("season", "start", "spring", "--json").json["state"] == "running"
    assert matchbox("season", "pause", "spring", "--json").json["state"] == "paused"
    assert matchbox("season", "resume", "spring", "--json").json["state"] == "running"
    play_out(platform.books)
    shown = matchbox("season", "show", "spring").out
    assert "state: finished" in shown
    assert "entrant: charlie/one" in shown
    assert "\nrank\tbot\tversion\telo" in shown
    lines = matchbox("season", "show", "spring", "--json").json["standing"]
    assert {line["bot"] for line in lines} == {"charlie/one", "charlie/two"}
    assert [one["name"] for one in matchbox("season", "list", "--json").json] == ["spring"]
    told = matchbox("season", "list").out
    assert told.startswith("number\tseason\tleague\tgame\tformat\tstate\tentrants\tstarts\n")
    assert "\tspring\tbomb\tbomb\tround-robin\tfinished\t2\t" in told


def test_a_season_is_shown_with_its_terms_and_its_winner(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    terms = ("--format", "adaptive", "--question", "top", "--max-matches", 50, "--invitation")
    kind = ("--game", "bomb", "--cron", "0 18 * * FRI", *terms)
    told = matchbox("season", "create", "cup", *kind).out.splitlines()
    for line in ("format: adaptive", "question: top", "max_matches: 50", "matches: 0",
                 "by: invitation", "cron: 0 18 * * FRI", "zone: UTC"):  # fmt: skip
        assert line in told
    without_meaning = ("rounds", "group", "through", "moving")
    assert [line for line in told if line.partition(":")[0] in without_meaning] == []
    season(platform, charlie, ONE, TWO)
    won = matchbox("season", "show", "spring", "--json").json["trophy"]
    shown = matchbox("season", "show", "spring").out
    shared = f"first place shared by: {', '.join(won['shared'])}"
    assert (f"champion: {won['champion']}" if won["champion"] else shared) in shown


@pytest.mark.parametrize(
    "terms, why",
    [
        (
            "--format round-robin --rounds 5",
            "rounds has no meaning in a round-robin season: leave it out, or choose swiss",
        ),
        (
            "--format swiss --question top",
            "question has no meaning in a swiss season: leave it out, or choose adaptive",
        ),
        (
            "--format swiss --cycles 3",
            "leave it out, or choose round-robin or adaptive",
        ),
        (
            "--format adaptive --question order --top 3",
            "top has no meaning for the question order: leave it out, or choose the question top",
        ),
        (
            "--divisions 1 --moving 2",
            "moving has no meaning in one division: leave it out, or choose more divisions",
        ),
        ("--group 4", "group has no meaning in a round-robin season"),
        ("--mixed 2", "mixed has no meaning in a game of rivals, which has no teams: leave it out"),
    ],
)
def test_a_season_takes_no_term_that_it_would_ignore(
    charlie: User, matchbox: Run, terms: str, why: str
) -> None:
    told = matchbox("season", "create", "cup", "--game", "bomb", *terms.split())
    assert (told.code, told.out) == (1, "")
    assert why in told.err


def test_every_season_is_listed_page_after_page(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    made = unplayed(platform.books, platform.books.league(), 201)
    matchbox("league", "create", "cup", "--game", "bomb")
    matchbox("season", "create", "spring", "--league", "cup")
    listed = matchbox("season", "list", "--json").json
    assert [one["id"] for one in listed[1:]] == made[::-1]
    of_league = matchbox("season", "list", "--league", "bomb", "--json").json
    assert [one["id"] for one in of_league] == made[::-1]
    shown = matchbox("league", "show", "bomb").out
    assert shown.count("season: ") == 20
    assert "and 181 more: `matchbox season list --league bomb` lists them all" in shown
    assert " more: " not in matchbox("league", "show", "cup").out


def test_a_misspelt_league_has_no_empty_list(alice: User, matchbox: Run) -> None:
    assert matchbox("season", "list", "--league", "bomb", "--json").json == []
    told = matchbox("season", "list", "--league", "nosuch")
    assert (told.code, "nosuch" in told.err) == (1, True)


@pytest.mark.parametrize("command", ["replay", "verify"])
def test_what_is_no_match_s_id_is_named(command: str, alice: User, matchbox: Run) -> None:
    told = matchbox(command, "6c370f2")
    assert told.code == 1
    assert told.err.startswith(
        "matchbox: '6c370f2' is not a match's id: copy at least 8 of its hex digits"
    )


def test_a_season_can_be_cancelled(charlie: User, matchbox: Run) -> None:
    matchbox("season", "create", "spring", "--league", "bomb")
    assert matchbox("season", "cancel", "spring", "--json").json["state"] == "cancelled"


def test_only_operators_run_seasons(alice: User, matchbox: Run) -> None:
    told = matchbox("season", "create", "spring", "--league", "bomb")
    assert (told.code, told.err) == (1, "matchbox: only an operator may do this\n")


def test_leagues_are_listed_shown_and_made(charlie: User, matchbox: Run) -> None:
    made = matchbox("league", "create", "mine", "--game", "bomb", "--deals", 3, "--json").json
    assert (made["name"], made["deals"]) == ("mine", 3)
    assert {one["name"] for one in matchbox("league", "list", "--json").json} == {"bomb", "mine"}
    assert "game: bomb" in matchbox("league", "show", "mine").out
    assert "mine\tbomb\t2\t3" in matchbox("league", "list").out


def test_every_match_of_a_season_is_played_again(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    played = season(platform, charlie, ONE, TWO)
    told = matchbox("season", "verify", "spring", "--json")
    assert told.code == 0
    found = told.json
    standing = found.pop("standing")
    assert standing["same"]
    assert standing["computed"] == standing["digest"]
    assert found.pop("limits")["server"]
    nothing: dict[str, Any] = {"different": [], "unrepeatable": []}
    assert found == {
        "season": "spring",
        "matches": len(played),
        "out_of": len(played),
        "same": len(played),
        "replayed_only": [],
        "lessons": {"lessons": 0, "out_of": 0, "same": 0, "not_repeated": [], **nothing},
        **nothing,
    }


def test_a_bot_that_does_not_repeat_itself_is_called_so(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    played = season(platform, charlie, CLOCK, CLOCK + b"# another\n")
    told = matchbox("season", "verify", "spring", "--json")
    assert told.code == 0
    found = told.json
    assert found["different"] == []
    assert found["unrepeatable"]
    assert found["same"] + len(found["unrepeatable"]) == len(played)


def test_a_forged_record_is_found_and_is_a_no(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    played = season(platform, charlie, ONE, TWO, forge=True)
    told = matchbox("season", "verify", "spring")
    assert told.code == 1
    assert "different: " in told.out
    assert matchbox("verify", played[0]).code == 1


def test_a_match_is_told_and_proved(charlie: User, platform: Platform, matchbox: Run) -> None:
    match = season(platform, charlie, ONE, TWO)[0]
    told = matchbox("replay", match, "--bout", 1).out.splitlines()
    assert told[0] == "Bout 1"
    assert told[-1] in ("charlie/one wins.", "charlie/two wins.")
    assert matchbox("replay", match).out.startswith("\n".join(told) + "\nBout 2\n")
    assert matchbox("replay", match, "--bout", 0).code == 2
    beyond = matchbox("replay", match, "--bout", 999)
    assert (beyond.code, beyond.out) == (2, "")
    assert "has no bout 999" in beyond.err
    document = matchbox("replay", match, "--json").json
    assert (document["id"], document["record"]["game"]) == (match, "bomb")
    proof = matchbox("verify", match, "--json")
    assert (proof.code, proof.json["verdict"]) == (0, "same")
    assert proof.json["digest"] == document["digest"]
    assert (proof.json["bout"], proof.json["move"]) == (None, None)
    bare = matchbox("verify", match, "--box", "none")
    assert bare.out.startswith("same: ")
    assert bare.err.startswith("verified under the limits of http://")
    both = matchbox("replay", match, "--json", "--bout", 1)
    assert (both.code, both.out) == (2, "")
    assert "leave out --bout" in both.err


def test_verify_tells_a_record_that_was_not_stored_from_bots_that_play_differently(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = season(platform, charlie, ONE, TWO)[0]
    differs = Examined("different", MoveIndex(1, 2))
    with monkeypatch.context() as patch:
        patch.setattr(Verifier, "examine", lambda *given: differs)
        told = matchbox("verify", match)
        assert (told.code, told.out) == (
            1,
            "different: the bots played differently, first in bout 2 at move 3\n",
        )
        proof = matchbox("verify", match, "--json").json
        assert (proof["bout"], proof["move"]) == (1, 2)
    with platform.books.write() as session:
        session.get_one(Result, match).digest = "0" * 64
    told = matchbox("verify", match)
    assert told.code == 1
    assert told.out == (
        "different: the record does not replay by its rules, or is not the one that was stored\n"
    )


def test_a_match_between_other_peoples_bots_is_only_replayed(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = season(platform, charlie, ONE, TWO)[0]
    alice = platform.books.person("alice")
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(alice))
    proof = matchbox("verify", match, "--json")
    assert (proof.code, proof.json["verdict"]) == (0, "replayed_only")


def test_a_match_that_is_not_over_has_no_record(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    books = platform.books
    season_of(books, charlie, [books.bot(charlie, name) for name in ("one", "two")])
    match = books.dispatch()[0].match
    for command in ("replay", "verify"):
        told = matchbox(command, match)
        assert told.code == 1
        assert told.err.startswith("matchbox: ")


def test_a_frozen_season_shows_the_divisions_that_it_has(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    for name in ("one", "two"):
        platform.books.bot(charlie, name)
    made = matchbox("season", "create", "spring", "--game", "bomb", "--divisions", 3)
    assert "divisions: 3" in made.out.splitlines()
    for name in ("one", "two"):
        matchbox("season", "enter", "spring", name)
    assert "divisions: 1" in matchbox("season", "freeze", "spring").out.splitlines()
