"""`simulate`: figures that depend on the seed alone, and its files."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from tests.unit.cli.conftest import Run
from tests.unit.worker.bots import COUNTING, turning

WORDS = ("simulate", "bomb", "simple", "scared", "--seed", "7", "--games", "300")
KEYS = {
    "game", "seed", "games", "bots", "pairs", "both_orders", "totals", "faults", "stateful",
    "seconds", "box",
}  # fmt: skip


def figures(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the document without the fields that depend on the machine."""
    names = ("seed", "games", "bots", "pairs", "both_orders", "totals", "faults")
    return {key: document[key] for key in names}


@pytest.fixture
def bare(matchbox: Run) -> dict[str, Any]:
    """The experiment without a box, in one process."""
    document: dict[str, Any] = matchbox(*WORDS, "--box", "none", "--json").json
    return document


def test_it_has_every_ordered_pair(bare: dict[str, Any]) -> None:
    assert bare.keys() >= KEYS
    assert [(pair["first"], pair["second"]) for pair in bare["pairs"]] == [
        ("simple", "scared"),
        ("scared", "simple"),
    ]
    for pair in bare["pairs"]:
        assert pair["games"] == pair["first_wins"] + pair["second_wins"] + pair["draws"] == 300
        assert pair["ci95"][0] < pair["first_share"] < pair["ci95"][1]
        assert 15 < pair["mean_turns"] < 25


def test_the_figures_are_those_of_the_game(bare: dict[str, Any]) -> None:
    first, second = (pair["first_share"] for pair in bare["pairs"])
    assert first == pytest.approx(0.208, abs=0.1)
    assert second == pytest.approx(0.769, abs=0.1)
    assert [total["bot"] for total in bare["totals"]] == ["simple", "scared"]
    assert sum(total["share"] for total in bare["totals"]) == pytest.approx(1)
    (both,) = bare["both_orders"]
    assert (both["bot"], both["other"], both["games"]) == ("simple", "scared", 600)
    assert both["share"] == pytest.approx((first + 1 - second) / 2, abs=1e-5)
    assert both["ci95"][0] < both["share"] < both["ci95"][1]


def test_a_box_and_more_processes_change_no_figure(matchbox: Run, bare: dict[str, Any]) -> None:
    boxed = matchbox(*WORDS, "--workers", "2", "--json").json
    assert boxed["box"] in ("bwrap", "docker", "process")
    assert figures(boxed) == figures(bare)


def test_the_width_changes_the_figures_of_a_bot_that_keeps_state_and_of_no_other(
    matchbox: Run, bare: dict[str, Any], tmp_path: Path
) -> None:
    assert figures(matchbox(*WORDS, "--box", "none", "--width", "1", "--json").json) == figures(
        bare
    )
    counting = tmp_path / "counting.py"
    counting.write_bytes(COUNTING)
    words = ("simulate", "bomb", str(counting), "simple", "--seed", "7", "--games", "100")
    wide, narrow = (
        figures(matchbox(*words, "--box", "none", "--width", width, "--json").json)
        for width in ("250", "1")
    )
    assert wide != narrow


def test_who_keeps_state_between_games_is_played_alone_and_named(
    matchbox: Run, tmp_path: Path
) -> None:
    counting = tmp_path / "counting.py"
    counting.write_bytes(COUNTING)
    bots = (counting, "simple", "scared")
    words = ("simulate", "bomb", *bots, "--seed", "7", "--games", "100", "--box", "none")
    alone = matchbox(*words, "--json").json
    assert alone["stateful"] == alone["alone"] == ["counting"]
    assert figures(matchbox(*words, "--workers", "2", "--json").json) == figures(alone)
    narrow = matchbox(*words, "--width", "0", "--json").json
    assert figures(narrow) == figures(alone)
    assert narrow["stateful"] == narrow["alone"] == []
    wide = matchbox(*words, "--width", "250", "--json").json
    assert (wide["stateful"], wide["alone"]) == (["counting"], [])
    assert figures(wide) != figures(alone)


def test_what_was_done_about_who_keeps_state_is_told(matchbox: Run, tmp_path: Path) -> None:
    counting = tmp_path / "counting.py"
    counting.write_bytes(COUNTING)
    bots = (counting, "simple")
    words = ("simulate", "bomb", *bots, "--seed", "7", "--games", "100", "--box", "none")
    told = matchbox(*words).err
    assert "counting keeps state" in told
    assert "so each of its games was played again by a fresh process" in told
    assert "simple keeps state" not in told
    assert "with --width 0" in matchbox(*words, "--width", "250").err


def test_another_seed_gives_other_figures(matchbox: Run, bare: dict[str, Any]) -> None:
    words = [word if word != "7" else "8" for word in WORDS]
    assert figures(matchbox(*words, "--box", "none", "--json").json) != figures(bare)


def test_a_mirror_adds_every_bot_against_itself(matchbox: Run) -> None:
    words = ("simulate", "bomb", "simple", "--mirror", "--games", "50", "--box", "none", "--json")
    (pair,) = matchbox(*words).json["pairs"]
    assert (pair["first"], pair["second"], pair["games"]) == ("simple", "simple", 50)


def test_faults_are_reported_and_lose(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_bytes(turning("return 1 / 0"))
    words = ("simulate", "bomb", "simple", file, "--games", "5", "--box", "none", "--json")
    document = matchbox(*words).json
    assert [total["share"] for total in document["totals"]] == [1.0, 0.0]
    kinds = {fault["kind"]: fault["games"] for fault in document["faults"]}
    assert {fault["bot"] for fault in document["faults"]} == {"broken"}
    assert kinds["crash"] + kinds["excluded"] == 10


@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_a_fault_names_the_line_of_the_bots_file(
    matchbox: Run, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "broken.py"
    file.write_bytes(turning("return 1 / 0"))
    bots = ("bomb", "simple", file) if command == "simulate" else ("simple", file, "--game", "bomb")
    words = (command, *bots, "--games", "4", "--box", "process")
    (crash, *_) = matchbox(*words, "--json").json["faults"]
    line = file.read_text().splitlines().index("        return 1 / 0") + 1
    assert crash["place"] == f" (player.py, line {line}, in turn)"
    noted = matchbox(*words).err
    assert f"x crash: {crash['detail']}{crash['place']}" in noted
    assert "matchbox check" not in noted


def test_a_slow_bot_has_in_every_game_the_time_that_a_match_gives_it(
    matchbox: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_BANK_MS", "100")
    slow = tmp_path / "slow.py"
    slow.write_bytes(turning("sum(range(20_000))"))
    asked = ("--games", 100, "--box", "process", "--seed", 1, "--json")
    ran = matchbox("simulate", "bomb", slow, "simple", *asked)
    assert ran.json["faults"] == []


def test_the_table_names_box_and_seed(matchbox: Run) -> None:
    told = matchbox(*WORDS, "--box", "none")
    assert told.out.splitlines()[0].split("\t") == ["first \\ second", "simple", "scared", "all"]
    assert "no box: trusted bots only, seed 7" in told.err


def test_it_writes_the_pairs_and_a_page_that_loads_nothing(matchbox: Run, tmp_path: Path) -> None:
    tsv, html = tmp_path / "pairs.tsv", tmp_path / "page.html"
    told = matchbox(*WORDS, "--box", "none", "--json", "--tsv", tsv, "--html", html)
    assert told.code == 0
    lines = tsv.read_text().splitlines()
    assert [line.split("\t")[:3] for line in lines] == [
        ["first", "second", "games"],
        ["simple", "scared", "300"],
        ["scared", "simple", "300"],
    ]
    page = html.read_text()
    assert "<td>simple</td>" in page
    assert 'src="http' not in page
    assert "<link" not in page


@pytest.mark.parametrize(
    "words",
    [
        "bomb simple scared --box none --tsv",
        "bomb simple scared --box none --html",
        "bomb simple scared --box none --rounds 2 --tsv",
        "war --tsv",
        "war --html",
    ],
)
def test_a_full_disk_loses_no_figure(matchbox: Run, words: str) -> None:
    told = matchbox("simulate", "--games", 2, "--json", *words.split(), "/dev/full")
    assert (told.code, told.json["games"]) == (2, 2)
    assert told.err.endswith("matchbox: /dev/full cannot be written: No space left on device\n")


def test_two_tables_do_not_go_into_one_file(matchbox: Run, tmp_path: Path) -> None:
    same = ("--tsv", tmp_path / "one", "--html", tmp_path / "one")
    refused = matchbox("simulate", "bomb", "simple", "scared", "--games", 2, *same)
    assert (refused.code, refused.out) == (2, "")
    assert "is named for two tables" in refused.err


SKULL = ("simulate", "skull", "random", "random", "random", "--players", "2-3", "--seed", "7")
THEGAME = ("simulate", "thegame", "random", "legal", "--players", "1,3", "--seed", "7")


def test_tables_of_any_size_tell_what_happened_and_who_won(matchbox: Run) -> None:
    found = matchbox(*SKULL, "--games", "20", "--box", "none", "--json").json
    assert [(table["players"], table["games"]) for table in found["tables"]] == [(2, 20), (3, 20)]
    for table in found["tables"]:
        assert table["won_by_points"] + table["last_one_in"] == pytest.approx(1)
        assert sum(table["challenges"].values()) == pytest.approx(1, abs=1e-5)
        assert table.keys() >= {"mean_rounds", "mean_moves"}
        assert [one["bot"] for one in table["places"]] == ["random", "random-2", "random-3"]
        assert sum(one["counts"][0] for one in table["places"]) == 20


def test_tables_are_the_same_in_a_box_with_more_processes(matchbox: Run) -> None:
    bare = matchbox(*SKULL, "--games", "20", "--box", "none", "--json").json
    boxed = matchbox(*SKULL, "--games", "20", "--workers", "2", "--json").json
    assert boxed["tables"] == bare["tables"]


def test_the_terminal_shows_tables_as_rows(matchbox: Run) -> None:
    told = matchbox(*SKULL, "--games", "6", "--box", "none").out.splitlines()
    assert told[0].split("\t")[:3] == ["players", "won_by_points", "last_one_in"]
    assert told[3].split("\t") == ["players", "bot", "games", "won %", "mean place"]


def test_a_game_played_together_has_a_cell_per_team_and_size(matchbox: Run) -> None:
    words = (*THEGAME, "--games", "10", "--option", "rules=backwards", "--box", "none", "--json")
    cells = matchbox(*words).json["cells"]
    assert [(cell["players"], cell["bot"]) for cell in cells] == [
        (1, "random"),
        (1, "legal"),
        (3, "random"),
        (3, "legal"),
    ]
    for cell in cells:
        assert cell["ci95"][0] <= cell["mean"] <= cell["ci95"][1]
        assert cell["mean"] <= cell["max"] <= 98
        assert 0 <= cell["won"] <= 1
    assert cells[1]["mean"] > 2 * cells[0]["mean"]


def test_its_file_has_a_line_per_game_and_its_page_a_band(matchbox: Run, tmp_path: Path) -> None:
    tsv, html = tmp_path / "simulation.tsv", tmp_path / "plot.html"
    told = matchbox(*THEGAME, "--games", "3", "--box", "none", "--tsv", tsv, "--html", html)
    shown = [line.split("\t") for line in told.out.splitlines()]
    assert shown[0] == ["bot", "1", "3"]
    assert shown[3] == ["highest", "1", "3", "all"]
    rows = [line.split("\t") for line in tsv.read_text().splitlines()]
    assert [row[:2] for row in rows[:4]] == [
        ["1", "random"],
        ["1", "legal"],
        ["3", "random"],
        ["3", "legal"],
    ]
    assert len(rows) == 12
    for bot, *highest in shown[4:6]:
        by_size = [[int(row[2]) for row in rows if row[:2] == [size, bot]] for size in ("1", "3")]
        assert [int(score) for score in highest] == [*map(max, by_size), max(map(max, by_size))]
    assert all(0 < int(row[2]) <= 98 for row in rows)
    assert "toself" in html.read_text()


def test_mixed_bots_are_one_team(matchbox: Run) -> None:
    words = (*THEGAME, "--mixed", "--games", "4", "--box", "none", "--json")
    cells = matchbox(*words).json["cells"]
    assert [(cell["players"], cell["bot"]) for cell in cells] == [
        (1, "random + legal"),
        (3, "random + legal"),
    ]


def test_a_matrix_says_which_cards_won(matchbox: Run) -> None:
    words = ("simulate", "creatures", "autopilot", "stilllearning", "--games", "5")
    pair = matchbox(*words, "--box", "none", "--json").json["pairs"][0]
    bear = pair["facts"]["summons"]["Bear"]
    assert bear.keys() == {"W", "L"}
    assert sum(bear.values()) > 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_box_that_does_not_open_is_one_sentence_however_many_processes_play(
    workers: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    words = ("simulate", "bomb", "simple", "scared", "--games", "200", "--box", "docker")
    assert run([*words, "--workers", str(workers)]) == 1
    said = capfd.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert "Docker" in line
    assert "did not start" not in line


@pytest.mark.parametrize(
    "words",
    [
        "simulate thegame counting --players 2 --games 1 --box none --tsv {0} --html {1}",
        "simulate thegame counting --players 2 --games 1 --box none --rounds 1 --tsv {0}",
        "simulate war --games 2 --tsv {0} --html {1}",
        "play creatures autopilot autopilot --box none --export {2}",
    ],
)
def test_the_files_are_written_even_if_nobody_reads_stdout_any_more(
    words: str, matchbox: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def break_off(_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("cli.output.document", break_off)
    files = [tmp_path / name for name in ("rows.tsv", "page.html", "results.json")]
    told = matchbox(*words.format(*files).split(), "--json")
    assert (told.code, told.out) == (1, "")
    assert [file.exists() for file in files] == [f"{{{n}}}" in words for n in range(3)]


def test_a_file_that_cannot_be_written_takes_no_figure_away(
    matchbox: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_disk(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "rows.tsv"
    file.write_text("the figures of yesterday")
    monkeypatch.setattr("os.fsync", fill_disk)
    words = ("simulate", "thegame", "counting", "--players", 2, "--games", 1, "--box", "none")
    told = matchbox(*words, "--tsv", file)
    assert told.code == 2
    assert "rows.tsv cannot be written: No space left" in told.err
    assert "counting" in told.out
    assert [one.read_text() for one in tmp_path.iterdir()] == ["the figures of yesterday"]


@pytest.mark.parametrize("more", [(), ("--rounds", 1)])
def test_only_the_processes_that_play_are_counted(more: tuple[object, ...], matchbox: Run) -> None:
    words = ("simulate", "thegame", "counting", "--players", 2, "--games", 1, "--box", "none")
    assert matchbox(*words, *more, "--workers", 8, "--json").json["workers"] == 1
    assert matchbox("simulate", "war", "--games", 2, "--workers", 8, "--json").json["workers"] == 1


@pytest.mark.parametrize("more", [(), ("--rounds", 1)])
def test_one_game_is_one_game(more: tuple[object, ...], matchbox: Run) -> None:
    words = ("simulate", "thegame", "counting", "--players", 2, "--games", 1, "--box", "none")
    assert matchbox(*words, *more).err.splitlines()[-1].startswith("1 game in ")


def test_it_says_if_some_bots_never_met(matchbox: Run) -> None:
    words = ("simulate", "skull", *["random"] * 4, "--box", "none", "--players")
    told = matchbox(*words, "2-3", "--games", 4).err
    assert "At tables of 2, some bots never met: give more --games for that" in told
    assert "never met" not in matchbox(*words, "2-6", "--games", 6).err
