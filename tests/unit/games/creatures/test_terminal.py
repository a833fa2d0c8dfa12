"""The duel at the terminal, its log, the document's two files, and a human's prompts."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

import bench.plain.creatures as plain
from matchbox.games.creatures import (
    AutoPilot,
    HumanPlayer,
    Player,
    StillLearning,
    get_victory_key,
    jsonlog,
    parse_log,
    play_game,
    terminal,
)
from matchbox.games.creatures.parsing import count_new
from matchbox.games.creatures.rules import GAME
from matchbox.match.referee import play
from tests.builders import a_job, local_seats, shipped
from tests.unit.games.conftest import types


@pytest.fixture(autouse=True)
def _own_place(own_chance: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random.seed(5)  # The hands of the test in which a human plays a turn.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jsonlog, "_open", None)


class Blocking(AutoPilot):
    """An AutoPilot that attacks with all creatures but the first of its field, and blocks with the
    first untapped one."""

    def all_attack(self) -> None:
        for card in list(self.board.field)[1:]:
            self.attack(card)

    def will_block(self, attacker: Any) -> None:
        self.block(attacker, next(card for card in self.board.field if not card.tapped))


# --- A game ----------------------------------------------------------------------------------


def test_a_game_is_told_and_logged(capsys: pytest.CaptureFixture[str]) -> None:
    winner = play_game(AutoPilot("Ann"), Blocking("Bob"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Ann:"
    assert lines[-1] == f"{['Ann', 'Bob'][winner]} wins."
    told = {line.split()[1] for line in lines if line.startswith("  - ")}
    assert {"plays", "taps", "summons", "attacks", "blocks", "ends"} <= told
    [game] = terminal.read_results()
    assert game["number"] == 1
    assert {game["winner"], game["loser"]} == {"Ann", "Bob"}


def test_the_loser_knows_it() -> None:
    players = AutoPilot("Ann"), AutoPilot("Bob")
    winner = play_game(*players, print_details=False)
    assert [player.lose for player in players] == [winner == 1, winner == 0]
    assert players[1 - winner].life <= 0 < players[winner].life
    opponent = players[winner].opponent
    assert opponent is not None
    assert opponent.life == players[1 - winner].life


def test_a_toss_decides_who_begins() -> None:
    for _ in range(12):
        play_game(AutoPilot("Ann"), AutoPilot("Bob"), print_details=False, toss=True)
    firsts = [game["turns"][0]["player"] for game in terminal.read_results()]
    assert set(firsts) == {"Ann", "Bob"}


def test_an_error_is_raised_to_the_author_and_the_maker_loses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Broken(AutoPilot):
        def auto_summon(self) -> None:
            raise KeyError("boom")

    with pytest.raises(KeyError):
        play_game(AutoPilot("Ann"), Broken("Bob"))
    lines = capsys.readouterr().out.splitlines()
    assert "raised an exception and lost: KeyError('boom')" in lines[-2]
    assert lines[-1] == "Ann wins."


def test_only_players_can_play() -> None:
    with pytest.raises(AssertionError, match="is not an instance of Player"):
        terminal.play((AutoPilot(), object()), 1)  # type: ignore[arg-type]


# --- The log ---------------------------------------------------------------------------------


def test_a_log_has_the_form_of_the_document() -> None:
    log = terminal.play((AutoPilot("Ann"), Blocking("Bob")), 7).format_logging()
    assert list(log) == ["number", "turns", "winner", "loser"]
    assert [turn["number"] for turn in log["turns"][:4]] == [1, 1, 2, 2]
    assert [turn["player"] for turn in log["turns"][:4]] == ["Ann", "Bob", "Ann", "Bob"]
    kinds = {}
    for turn in log["turns"]:
        assert list(turn) == ["number", "player", "moves"]
        [moves] = turn["moves"]
        for kind, detail in moves:
            kinds[kind] = [type(one) for one in detail]
    assert kinds == {"Land": [], "Tap": [int], "Summon": [str], "Attack": [str], "Block": [str]}


def test_every_move_has_a_detail_of_its_own_and_the_winning_turn_is_there() -> None:
    log = terminal.play((AutoPilot("Ann"), AutoPilot("Bob")), 1).format_logging()
    [last] = log["turns"][-1]["moves"]
    assert log["turns"][-1]["player"] == log["winner"]
    assert last[-1][0] == "Attack"
    assert all(len(detail) <= 1 for _, detail in last)


def test_players_of_one_name_are_told_apart() -> None:
    log = terminal.play((AutoPilot("Ann"), AutoPilot("Ann")), 1)
    assert {log.winner, log.loser} == {"Ann0", "Ann1"}


def test_a_turn_keeps_copies_of_what_its_player_saw() -> None:
    turns: list[jsonlog.Turn] = []

    class Watching(AutoPilot):
        def turn_prompt(self) -> bool:
            turns.append(jsonlog.Turn(self, 1))
            return super().turn_prompt()

    terminal.play((Watching("Ann"), AutoPilot("Bob")), 1)
    assert turns[0].seen == {
        "life": 20, "opponent_life": 20, "field": [], "opponent_field": [],
        "hand": turns[0].seen["hand"], "opponent_hand": 7,
    }  # fmt: skip
    assert len(turns[0].seen["hand"]) == 8
    assert turns[-1].seen["opponent_life"] < 20


def test_a_match_of_the_platform_is_exported_in_the_same_form() -> None:
    job = a_job(GAME, deals=3)
    bots = [shipped("creatures", bot) for bot in ("autopilot", "stilllearning")]
    record = play(GAME, job, local_seats("creatures", bots)).record
    Path("results.json").write_text("".join(terminal.export(record, ["Ann", "Bob"], start=4)))
    games = terminal.read_results()
    assert [game["number"] for game in games] == [4, 5, 6, 7, 8, 9]
    for game, bout in zip(games, record.bouts, strict=True):
        first = ("Ann", "Bob")[bout.rotation]
        assert game["turns"][0]["player"] == first
        assert (game["winner"] == first) == (bout.places[0] == 1)
    assert parse_log()


def test_the_games_of_a_second_export_are_counted_and_those_of_the_same_match_once() -> None:
    bots = [shipped("creatures", bot) for bot in ("autopilot", "stilllearning")]
    first = play(GAME, a_job(GAME, deals=2), local_seats("creatures", bots)).record
    other = msgspec.structs.replace(first, match="f" * 32)
    counted: list[int] = []
    for record in (first, other, first):
        Path("results.json").write_text("".join(terminal.export(record, ["Ann", "Bob"])))
        counted.append(sum(sum(one.values()) for one in parse_log().values()))
    assert counted == [counted[0], 2 * counted[0], 2 * counted[0]]
    numbers = [game["number"] for game in terminal.read_results()]
    assert numbers == list(range(numbers[0], numbers[0] + 4))


def test_bots_of_one_name_are_told_apart_in_every_duel_of_an_export() -> None:
    bots = [shipped("creatures", bot) for bot in ("autopilot", "stilllearning")]
    record = play(GAME, a_job(GAME, deals=1), local_seats("creatures", bots)).record
    games = [json.loads(line) for line in terminal.export(record, ["Ann", "Ann"])]
    assert [game["turns"][0]["player"] for game in games] == ["Ann0", "Ann1"]


# --- The files -------------------------------------------------------------------------------


def a_game(number: int, winner: str | None, *summons: tuple[str, str]) -> dict[str, Any]:
    turns = [
        {"number": 1, "player": player, "moves": [[["Land", []], ["Summon", [card]]]]}
        for player, card in summons
    ]
    return {"number": number, "turns": turns, "winner": winner, "loser": "Bob"}


def test_a_summon_counts_for_the_winner_or_against_the_loser() -> None:
    game = a_game(1, "Ann", ("Ann", "Bear"), ("Bob", "Bear"), ("Ann", "Bear"), ("Bob", "Knight"))
    table: dict[str, dict[str, int]] = {}
    count_new(table, [game], set())
    assert table == {"Bear": {"W": 2, "L": 1}, "Knight": {"L": 1}}
    assert [get_victory_key(game, name) for name in ("Ann", "Bob")] == ["W", "L"]


def test_a_stranger_neither_won_nor_lost() -> None:
    with pytest.raises(ValueError, match="'Eve' neither won nor lost"):
        get_victory_key(a_game(1, "Ann"), "Eve")


def test_a_game_without_a_result_counts_nothing() -> None:
    table: dict[str, dict[str, int]] = {}
    count_new(table, [a_game(1, None, ("Ann", "Bear"))], set())
    assert table == {}


def test_many_games_are_a_line_each_and_counted_once() -> None:
    for _ in range(3):
        play_game(AutoPilot("Ann"), StillLearning("Bob"), print_details=False)
    lines = Path("results.json").read_text().splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2, 3]
    first = parse_log()
    assert parse_log() == first == json.loads(Path("parsed.json").read_text())
    play_game(AutoPilot("Ann"), StillLearning("Bob"), print_details=False)
    more = parse_log()
    summons = [sum(map(sum, (card.values() for card in table.values()))) for table in (first, more)]
    assert summons[0] < summons[1] < summons[0] * 2


def test_numbers_go_on_where_the_log_was_thrown_away() -> None:
    play_game(AutoPilot("Ann"), AutoPilot("Bob"), print_details=False)
    parse_log()
    Path("results.json").unlink()
    assert terminal.next_number() == 2


def test_without_a_table_counting_begins_anew() -> None:
    play_game(AutoPilot("Ann"), AutoPilot("Bob"), print_details=False)
    table = parse_log()
    Path("parsed.json").unlink()
    assert parse_log() == table


def test_one_game_written_over_many_lines_is_read() -> None:
    Path("results.json").write_text(json.dumps(a_game(1, "Ann", ("Ann", "Bear")), indent=2) + "\n")
    assert parse_log() == {"Bear": {"W": 1}}


def test_without_any_file_there_is_an_empty_table() -> None:
    assert parse_log() == {}


def test_the_documents_log_functions_write_a_game() -> None:
    jsonlog.write_to_json()
    assert not Path("results.json").exists()
    ann, bob = AutoPilot("Ann"), AutoPilot("Bob")
    assert jsonlog.initiate_turn(ann, 1) is None
    jsonlog.initiate_game([ann, bob], 3)
    jsonlog.initiate_turn(ann, 1)
    jsonlog.record_results(bob)
    jsonlog.write_to_json()
    turns = [{"number": 1, "player": "Ann", "moves": [[]]}]
    assert terminal.read_results() == [
        {"number": 3, "turns": turns, "winner": "Ann", "loser": "Bob"}
    ]


# --- Figures ---------------------------------------------------------------------------------


def learned(games: int) -> list[bool]:
    """Plays this many games; returns for each whether a learner that begins with nothing has
    won."""
    won, table, counted = [], {}, set()  # type: tuple[list[bool], dict[str, Any], set[int]]
    for number in range(games):
        learner, pilot = StillLearning("Ann"), AutoPilot("Bob")
        learner.remember(json.dumps(table).encode())
        pair = (learner, pilot) if random.random() < 0.5 else (pilot, learner)
        log = terminal.play(pair, number)
        count_new(table, [log.format_logging()], counted)
        won.append(log.winner == "Ann")
    return won


def test_the_learner_does_not_beat_autopilot() -> None:
    won = [win for _ in range(10) for win in learned(40)]
    assert 0.40 < sum(won) / len(won) < 0.56


def test_the_first_to_move_wins_nine_of_ten_as_in_a_plain_loop() -> None:
    ours = [terminal.play((AutoPilot("Ann"), AutoPilot("Bob")), n) for n in range(300)]
    loop: Any = plain
    theirs = [
        loop.play_game(loop.AutoPilot("Ann"), loop.AutoPilot("Bob"), False) for _ in range(300)
    ]
    assert 0.85 < sum(log.winner == "Ann" for log in ours) / 300 < 0.97
    assert 0.85 < sum(winner == 0 for winner, _ in theirs) / 300 < 0.97
    assert 8.8 < sum(len(log.turns) for log in ours) / 300 < 9.4
    assert 8.8 < sum(turns for _, turns in theirs) / 300 < 9.4


# --- A human ---------------------------------------------------------------------------------


def test_a_human_plays_a_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    types(monkeypatch, "land", "Tap", "LAND", "tap", "summon", "goblin", "", "fly", "attack",
            "bear", "summon knight", "done", "quit")  # fmt: skip
    assert play_game(HumanPlayer("Ann"), AutoPilot("Bob")) == 1
    out = capsys.readouterr().out
    assert "Bob: 20 life, 7 cards in hand" in out
    assert "Ann (you): 20 life, 1 mana, 32 in the deck" in out
    assert "  hand: Knight (3), 4 x Land, 2 x Elemental (4), Bear (2)" in out
    assert "You hold no land, or have played one this turn." in out
    assert "You have no untapped land." in out
    assert "You hold no creature goblin." in out
    assert "Knight costs 3, and you have 1 mana." in out
    assert "Type one of these words." in out
    assert "FLY is not one of the commands." in out
    assert "You have no untapped bear." in out
    assert out.splitlines()[-1] == "Bob wins."
    assert terminal.read_results()[0]["loser"] == "Ann"


def test_a_human_is_told_what_is_possible_now(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = "land", "tap", "done", "land", "tap", "summon bear", "attack bear", "quit"
    types(monkeypatch, *typed)
    play_game(HumanPlayer("Ann"), AutoPilot("Bob"))
    asked = [line for line in capsys.readouterr().out.splitlines() if "QUIT" in line]
    assert [line.partition(" (")[0] for line in asked[:3]] == ["LAND, DONE", "TAP, DONE", "DONE"]
    assert "SUMMON Bear, DONE (QUIT gives up): " in asked
    assert "ATTACK Bear, DONE (QUIT gives up): " in asked


def test_a_human_never_sees_the_other_hand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Dragons(Player):
        def turn_prompt(self) -> bool:
            return False

        def will_block(self, attacker: Any) -> None:
            return None

    types(monkeypatch, "DONE", "QUIT")
    play_game(HumanPlayer("Ann"), Dragons("Bob"))
    theirs = [block for block in capsys.readouterr().out.split("\n\n") if "Bob:" in block]
    assert theirs
    assert all("?" not in block for block in theirs)


def a_blocking_human(monkeypatch: pytest.MonkeyPatch, *typed: str) -> Any:
    """Returns a human's answer to an attack of a Bear on a Knight and a tapped Dragon."""
    from matchbox.games.creatures.player import answer
    from tests.fakes import LeastDice
    from tests.unit.games.creatures.test_rules import a_side, a_state, view

    types(monkeypatch, *typed)
    state = a_state(a_side(field="Bear"), a_side(field="Knight Dragon*"))
    GAME.apply(state, 0, ["attack", 1], LeastDice())
    return answer(HumanPlayer(), view(state, 1), print)


@pytest.mark.parametrize(
    "typed, move",
    [
        (["n"], "pass"),
        (["Y", "knight"], ["block", 1]),
        (["y", "Dragon", "maybe", "N"], "pass"),
        (["y", "goblin", "y", "Knight"], ["block", 1]),
    ],
)
def test_a_human_blocks_or_not_and_may_think_again(
    monkeypatch: pytest.MonkeyPatch, typed: list[str], move: Any
) -> None:
    assert a_blocking_human(monkeypatch, *typed) == move


def test_a_game_that_was_cut_off_in_the_log_does_not_stop_the_next_ones() -> None:
    for _ in range(2):
        play_game(AutoPilot(), AutoPilot(), False, False)
    whole = terminal.RESULTS.read_text()
    terminal.RESULTS.write_text(whole[:-100])
    for _ in range(2):
        play_game(AutoPilot(), AutoPilot(), False, False)
    assert [game["number"] for game in terminal.read_results()] == [1, 2, 3]
