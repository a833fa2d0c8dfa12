"""`games`, `play` and `check`, as a person at the terminal uses them."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli import playing
from matchbox import registry
from matchbox.answers.bots import Report
from matchbox.settings import limits_for_authors
from server.app import create_app
from server.db.models import User
from tests.unit.cli.conftest import Platform, Run
from tests.unit.worker.bots import turning
from tests.unit.worker.test_tryout import Moody
from tests.web_server import answering


def test_the_games_are_listed(matchbox: Run) -> None:
    bomb = next(game for game in matchbox("games", "--json").json if game["name"] == "bomb")
    assert (bomb["title"], bomb["seats"], bomb["options"]) == ("Bomb", [2], {})


def test_a_game_is_told_from_its_first_move_to_its_winner(matchbox: Run) -> None:
    told = matchbox("play", "bomb", "simple", "medium", "--seed", 3, "--json").json
    assert told["bots"] == ["simple", "medium"]
    assert sorted(told["places"]) == [1, 2]
    assert told["transcript"][0] == "simple:"
    assert told["transcript"][-1].endswith(" wins.")
    assert told["faults"] == []


def test_rules_that_do_not_repeat_themselves_are_named(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    moody = Moody()
    monkeypatch.setattr(registry, "game", lambda name: moody)
    told = matchbox("play", "bomb", "simple", "simple", "--box", "none")
    assert (told.code, told.out) == (1, "")
    assert "the rules of bomb do not repeat themselves" in told.err


def test_the_same_seed_gives_the_same_game_in_any_box(matchbox: Run) -> None:
    words = ("play", "bomb", "scared", "medium", "--json", "--seed", "s")
    boxed, bare = (matchbox(*words, "--box", box).json for box in ("auto", "none"))
    assert boxed["box"] != bare["box"] == "none"
    assert boxed["digest"] == bare["digest"]
    assert matchbox(*words[:-1], "t", "--box", "none").json["digest"] != bare["digest"]


def test_a_file_plays_against_a_shipped_bot_and_its_fault_is_told(
    matchbox: Run, tmp_path: Path
) -> None:
    file = tmp_path / "broken.py"
    file.write_bytes(turning("return 1 / 0"))
    told = matchbox("play", "bomb", file, "simple")
    assert told.code == 0
    line = "broken: crash: ZeroDivisionError: division by zero (player.py, line "
    assert line in told.out
    assert ", in turn)" in told.out
    assert "simple wins." in told.out
    assert "--- what broken printed ---\nTraceback" in told.out
    assert "what simple printed" not in told.out


def test_what_the_bots_printed_follows_the_game(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "loud.py"
    file.write_bytes(turning("print('I look')"))
    assert "--- what loud printed ---\nI look\n" in matchbox("play", "bomb", file, "simple").out
    logs = matchbox("play", "bomb", file, "simple", "--json").json["logs"]
    assert logs[0].startswith("I look\n")
    assert logs[1] == ""


DEALT = ("play", "war", "--option", "play=dealt", "--seed", 3)


def test_dealt_war_needs_no_bots_and_has_the_documents_transcript(matchbox: Run) -> None:
    told = matchbox(*DEALT)
    assert (told.code, told.err) == (0, "seed 3, no bots\n")
    lines = told.out.splitlines()
    assert [line[:14] for line in lines[:2]] == ["Player 1 holds", "Player 2 holds"]
    assert len([line for line in lines if " against " in line and "; points " in line]) == 13
    assert lines[-2].startswith("Final totals: player 1 has ")
    assert matchbox("play", "war", "--option", "play=dealt", "--seed", 4).out != told.out


def test_dealt_war_has_the_cards_and_the_result_of_a_game_with_bots(matchbox: Run) -> None:
    bare = matchbox(*DEALT, "--json").json
    assert bare["bots"] == []
    assert bare["transcript"] == matchbox(*DEALT).out.splitlines()
    named = matchbox(*DEALT, "highest", "random", "--box", "none", "--json").json
    assert [bare[key] for key in ("seed", "scores", "places")] == [
        named[key] for key in ("seed", "scores", "places")
    ]
    assert bare["transcript"][-2] == "Final totals: player 1 has {}, player 2 has {}.".format(
        *named["scores"]
    )


@pytest.mark.parametrize(
    "words, error",
    [
        ("war", "name a bot for each seat of war, `human` is you; or add --option play=dealt"),
        ("war --option play=open", "option play of war cannot be 'open'"),
        ("bomb", "name a bot for each seat of bomb; `human` is you"),
        ("poker", "there is no game 'poker'"),
        ("war --option play=dealt --export results.json", "--export is for the games of bots"),
        ("war --option play=dealt --box docker", "--box is for bots: name one for each seat"),
    ],
)
def test_a_game_in_which_somebody_decides_needs_bots(matchbox: Run, words: str, error: str) -> None:
    told = matchbox("play", *words.split())
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith(f"matchbox: {error}")


def test_a_human_plays_at_the_terminal(matchbox: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n0\n" * 60))
    told = matchbox("play", "bomb", "human", "simple", "--seed", 3)
    assert told.code == 0
    assert "Play [s]ee or s[k]ip, or press Enter to draw: " in told.out
    assert told.out.splitlines()[-1] in ("human wins.", "simple wins.")


def test_a_bot_called_human_plays_in_the_box_like_any_other(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "human.py"
    outside = tmp_path / "outside"
    file.write_bytes(turning(f"open({str(outside)!r}, 'w')"))
    told = matchbox("play", "bomb", file, "simple", "--json")
    assert not outside.exists()
    assert told.json["faults"] == [{"seat": 0, "kind": "crash"}]


def test_a_human_whose_answers_end_leaves_the_game(
    matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    told = matchbox("play", "bomb", "human", "simple", "--seed", 3)
    assert (told.code, told.err) == (1, "matchbox: the answers ended before the game did\n")


def test_a_good_file_is_accepted(matchbox: Run, mine: Path) -> None:
    told = matchbox("check", mine, "--game", "bomb")
    assert told.code == 0
    assert told.out.startswith("accepted: 8 bouts against itself, ")


def test_a_class_is_chosen_behind_the_file(matchbox: Run, mine: Path) -> None:
    mine.write_bytes(mine.read_bytes() + b"\n\nclass Other(Player):\n    pass\n")
    told = matchbox("check", mine, "--game", "bomb")
    assert (told.code, "or in a command with FILE.py:Class" in told.out) == (1, True)
    name = told.out.split("several players (")[1].partition(",")[0]
    assert matchbox("check", f"{mine}:{name}", "--game", "bomb").code == 0
    both = matchbox("check", f"{mine}:{name}", "--game", "bomb", "--class", "Third")
    assert (both.code, "--class another, Third: leave one out" in both.err) == (2, True)


def test_the_report_has_the_servers_keys(matchbox: Run, mine: Path) -> None:
    report = matchbox("check", mine, "--game", "bomb", "--json").json
    keys = {"accepted", "verdict", "reasons", "games", "cpu_ms_per_decision", "log"}
    assert keys <= report.keys()
    assert (report["accepted"], report["verdict"], report["class"]) == (True, "accepted", "Good")


def test_a_bad_file_is_refused_with_its_log(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_bytes(turning("print('here I am')", "return 1 / 0"))
    told = matchbox("check", file, "--game", "bomb")
    assert told.code == 1
    assert told.out.splitlines()[0] == "refused (crash)"
    assert "(player.py, line 7, in turn): ZeroDivisionError" in told.out
    assert "here I am" in told.out


def test_a_fault_that_depends_on_the_cards_is_repeated_with_the_seed_that_check_prints(
    matchbox: Run, tmp_path: Path
) -> None:
    file = tmp_path / "unlucky.py"
    file.write_bytes(turning("import random", "return 1 / 0 if random.random() < 0.02 else None"))
    words = ("check", file, "--game", "bomb", "--box", "none")
    reports = {seed: matchbox(*words, "--seed", seed, "--json").json for seed in range(8)}
    assert {report["verdict"] for report in reports.values()} == {"accepted", "crash"}
    unlucky = next(seed for seed in reports if reports[seed]["verdict"] == "crash")
    again = matchbox(*words, "--seed", unlucky)
    assert again.code == 1
    assert again.err.endswith(f"\nseed {unlucky}, box none, the usual limits\n")
    assert again.out.splitlines()[1:] == reports[unlucky]["reasons"]


def test_check_says_the_seed_that_it_has_drawn(matchbox: Run, mine: Path) -> None:
    words = ("check", mine, "--game", "bomb", "--box", "none")
    first, second = (matchbox(*words, "--json").json["seed"] for _ in range(2))
    assert first != second
    assert matchbox(*words).err.startswith("seed ")


LOGGING = """
import jsonlog
from matchbox.games.creatures import AutoPilot, parse_log


class Logging(AutoPilot):
    def turn_prompt(self):
        jsonlog.initiate_game([self, self.opponent])
        super().turn_prompt()
        jsonlog.write_to_json()
        assert parse_log() == {}
        return False
"""


def test_a_duelist_that_logs_its_games_plays_in_a_box(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "logging.py"
    file.write_text(LOGGING)
    told = matchbox("check", file, "--game", "creatures")
    assert (told.code, told.out[:9]) == (0, "accepted:")


def test_a_duelist_that_parses_too_early_is_told_what_to_write(
    matchbox: Run, tmp_path: Path
) -> None:
    file = tmp_path / "early.py"
    file.write_text(f"{LOGGING}\nparse_log()\n")
    told = matchbox("check", file, "--game", "creatures")
    assert told.code == 1
    assert "RuntimeError: parse_log() reads the memory while the player decides" in told.out


def test_check_uses_the_limits_of_the_environment(
    matchbox: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_CPU_MS", "50")
    file = tmp_path / "slow.py"
    file.write_bytes(turning("while True: pass"))
    report = matchbox("check", file, "--game", "bomb", "--json").json
    assert report["verdict"] == "timeout"
    assert "50 ms of processor time are allowed" in report["reasons"][0]


def test_check_uses_the_limits_of_the_server_that_the_environment_does_not_name(
    alice: User,
    platform: Platform,
    matchbox: Run,
    mine: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs = replace(platform.books.settings, cpu_ms=70, tryout_deals=1, libraries="none")
    monkeypatch.setenv("MATCHBOX_MEMORY_MB", "300")
    with answering(create_app(replace(platform.books.context, settings=theirs))) as address:
        monkeypatch.setenv("MATCHBOX_URL", address)
        words = ("check", mine, "--game", "bomb", "--box", "none")
        report, told = matchbox(*words, "--json").json, matchbox(*words).err
    ours = limits_for_authors(replace(theirs, memory_mb=300))
    assert report["limits"] == {"server": address, "own": ["MATCHBOX_MEMORY_MB"], **ours}
    assert told.endswith(f", the limits of {address}, but for MATCHBOX_MEMORY_MB\n")
    assert report["games"] == 4  # Of one deal.


def test_check_says_whose_limits_it_uses(
    alice: User, platform: Platform, matchbox: Run, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("check", mine, "--game", "bomb", "--box", "none", "--seed", "s")
    assert matchbox(*words).err == f"seed s, box none, the limits of {platform.url}\n"
    monkeypatch.setenv("MATCHBOX_CPU_MS", str(platform.books.settings.cpu_ms))
    assert matchbox(*words).err == f"seed s, box none, the limits of {platform.url}\n"
    monkeypatch.delenv("MATCHBOX_CPU_MS")
    monkeypatch.setenv("MATCHBOX_URL", "http://127.0.0.1:9")
    alone = matchbox(*words)
    assert alone.code == 0
    assert "the server's limits are not known: the server at http://127.0.0.1:9 cannot" in alone.err
    assert alone.err.endswith("seed s, box none, the usual limits\n")
    monkeypatch.delenv("MATCHBOX_URL")
    monkeypatch.delenv("MATCHBOX_TOKEN")
    assert matchbox(*words).err == "seed s, box none, the usual limits\n"
    monkeypatch.setenv("MATCHBOX_CPU_MS", "900")
    assert matchbox(*words).err == "seed s, box none, the usual limits, but for MATCHBOX_CPU_MS\n"


def test_the_faults_of_a_bot_that_plays_itself_name_the_seat(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_bytes(turning("return 1 / 0"))
    told = matchbox("play", "bomb", file, file, "--box", "none").out.splitlines()
    crash = "crash: ZeroDivisionError: division by zero"
    assert (f"broken0: {crash}" in told) != (f"broken1: {crash}" in told)
    assert f"broken: {crash}" not in told


def test_a_try_out_of_one_game_is_one_game(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(verdict="accepted", reasons=[], games=1, cpu_ms_per_decision=2, box="none")
    playing.show_report(report, accepted=True)
    assert capsys.readouterr().out == "accepted: 1 bout against itself, 2.00 ms a decision\n"


def test_numbers_of_players_with_a_gap_are_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = registry.game("bomb")
    wide = SimpleNamespace(spec=replace(bomb.spec, seats=(2, 4, 6)))
    monkeypatch.setattr(registry, "games", lambda: {"bomb": wide})
    playing.games(json=False)
    assert "\t2, 4 or 6\t" in capsys.readouterr().out
