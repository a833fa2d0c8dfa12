"""`simulate --rounds`: bots learn between rounds, and everything depends on the seed alone."""

from __future__ import annotations

import json
from ast import literal_eval
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cli.named_bots import bundles, contestants, find_all
from laboratory import rounds
from laboratory.planning import make_plan
from laboratory.worker_pool import worker_pool
from matchbox.bundle import digest
from matchbox.games.creatures import terminal
from matchbox.lab import matrix
from matchbox.match import learning
from matchbox.match.record import unpack
from matchbox.settings import Settings
from tests.builders import CHECKOUT
from tests.unit.cli.conftest import Run
from worker.arena.play import play_job

WORDS = ("simulate", "creatures", "stilllearning", "autopilot", "--games", "12", "--seed", "5")
LEARNS = """
from matchbox.games.bomb import *

class Counting(SimplePlayer):
    @staticmethod
    def learn(memory, records):
        {body}
"""


def learner(folder: Path, body: str) -> Path:
    """Writes a bot of bomb with this `learn`; returns its file."""
    file = folder / "counting.py"
    file.write_text(LEARNS.format(body=body))
    return file


def figures(document: dict[str, Any]) -> list[Any]:
    """Returns the rounds without the fields that depend on the machine."""
    machine = ("seconds", "games_per_second", "box", "workers")
    return [
        {key: value for key, value in one.items() if key not in machine}
        for one in document["rounds"]
    ]


@pytest.fixture(scope="module")
def played() -> list[rounds.PlayedRound]:
    """StillLearning against AutoPilot, three rounds of twelve deals."""
    bots = find_all("creatures", ["stilllearning", "autopilot"])
    plan = make_plan("creatures", contestants(bots), 12, "5", Settings())
    with worker_pool("none", 1) as pool:
        return rounds.run(plan, bundles(bots), pool, 3)


def test_the_learner_counts_what_parse_log_counts_in_the_same_matches(
    played: list[rounds.PlayedRound], tmp_path: Path
) -> None:
    bots = find_all("creatures", ["stilllearning", "autopilot"])
    plan = make_plan("creatures", contestants(bots), 12, "5", Settings())
    results, parsed = tmp_path / "results.json", tmp_path / "parsed.json"
    start = 1
    for number, after in ((1, played[1]), (2, played[2])):
        present = rounds.plan_of_round(plan, number, played[number - 1].memories)
        known = {digest(memory): memory for memory in played[number - 1].memories}
        with results.open("a") as log:
            for sitting in matrix.sittings(present):
                done = play_job(sitting.job, bundles(bots), None, memories=known)
                record = unpack(done.record)
                log.writelines(terminal.export(record, ["stilllearning", "autopilot"], start))
                start += len(record.bouts)
        counted = terminal.parse(results, parsed)
        assert json.loads(after.memories[0]) == counted
        assert sum(side for card in counted.values() for side in card.values()) > 0
    assert start == 49


def test_what_is_remembered_grows_from_round_to_round_and_only_the_learners(
    played: list[rounds.PlayedRound],
) -> None:
    assert played[0].memories == [b"", b""]
    assert all(one.memories[1] == b"" for one in played)
    summons = [
        sum(side for card in json.loads(one.memories[0]).values() for side in card.values())
        for one in played[1:]
    ]
    assert 0 < summons[0] < summons[1]
    assert [sorted(one.lessons_by_bot) for one in played] == [[0], [0], []]
    assert [one.lessons_by_bot[0].records for one in played[:2]] == [24, 24]


def test_the_documents_learner_learns_as_the_shipped_one(
    played: list[rounds.PlayedRound],
) -> None:
    folder = CHECKOUT / "tests/documents/creatures"
    bots = find_all("creatures", [f"{folder}/stilllearning.py", f"{folder}/autopilot.py"])
    plan = make_plan("creatures", contestants(bots), 12, "5", Settings())
    with worker_pool("none", 1) as pool:
        pasted = rounds.run(plan, bundles(bots), pool, 3)
    assert [sorted(one.lessons_by_bot) for one in pasted] == [[0], [0], []]
    assert all(one.lessons_by_bot[0].fault is None for one in pasted[:2])
    tables = [json.loads(one.memories[0] or b"{}") for one in pasted]
    summons = [sum(side for card in table.values() for side in card.values()) for table in tables]
    assert 0 == summons[0] < summons[1] < summons[2]


def test_the_documents_learner_makes_the_same_memory_of_the_same_lessons() -> None:
    shipped_one, other = find_all("creatures", ["stilllearning", "autopilot"])
    (pasted,) = find_all("creatures", [f"{CHECKOUT}/tests/documents/creatures/stilllearning.py"])
    memories = []
    for learner in (shipped_one, pasted):
        bots = [learner, other]
        plan = make_plan("creatures", contestants(bots), 12, "5", Settings())
        with worker_pool("none", 1) as pool:
            memories.append(rounds.run(plan, bundles(bots), pool, 2)[1].memories[0])
    assert memories[0] == memories[1] != b""


@pytest.mark.parametrize(("most", "left_out"), [(60, 120), (61, 119), (300, 0)])
def test_a_lesson_has_equally_many_bouts_against_every_rival(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, left_out: int
) -> None:
    for module in (rounds, learning):
        monkeypatch.setattr(module, "MAX_RECORDS", most)
    count = "return repr(sorted(name for one in records for name in one['players'])).encode()"
    bots = find_all("bomb", [str(learner(tmp_path, count)), "simple", "scared", "medium"])
    plan = make_plan("bomb", contestants(bots), 30, "5", Settings())
    with worker_pool("none", 1) as pool:
        first, _ = rounds.run(plan, bundles(bots), pool, 2)
    lesson = first.lessons_by_bot[0]
    assert (lesson.fault, lesson.records, lesson.left_out) == (None, min(most, 180), left_out)
    met = Counter(literal_eval(lesson.memory.decode()))
    assert met.pop("me") == lesson.records
    assert len(met) == 3
    assert max(met.values()) - min(met.values()) <= 2


def test_only_the_sittings_of_a_lesson_are_kept() -> None:
    bots = find_all("creatures", ["stilllearning", "autopilot"])
    plan = make_plan("creatures", contestants(bots), 3000, "5", Settings())
    given = rounds.GivenSittings(0, 1)
    for sitting in matrix.sittings(plan):
        given.add(sitting, b"record")
    assert [most for _, _, most in given.records] == [100, 400, 500, 1000]
    assert given.left_out == 4000


def test_a_box_and_more_processes_change_no_round(matchbox: Run) -> None:
    bare = matchbox(*WORDS, "--rounds", 2, "--box", "none", "--json").json
    boxed = matchbox(*WORDS, "--rounds", 2, "--workers", 2, "--json").json
    assert boxed["box"] != "none"
    assert figures(boxed) == figures(bare)
    assert list(bare["rounds"][0]["memories"]) == []
    assert list(bare["rounds"][1]["memories"]) == ["stilllearning"]


def test_the_first_round_is_the_simulation_without_rounds(matchbox: Run) -> None:
    plain = matchbox(*WORDS, "--box", "none", "--json").json
    (first,) = matchbox(*WORDS, "--rounds", 1, "--box", "none", "--json").json["rounds"]
    assert first.keys() - plain.keys() == {"round", "memories", "learning"}
    same = plain.keys() - {"seconds", "games_per_second"}
    assert {key: first[key] for key in same} == {key: plain[key] for key in same}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('no idea')", "crash: ValueError: no idea"),
        ("return 'text'", "protocol: learn() returned str; it must return bytes"),
    ],
)
def test_a_fault_keeps_the_old_memory_and_costs_nothing(
    matchbox: Run, tmp_path: Path, body: str, told: str
) -> None:
    file = learner(tmp_path, f"if memory: {body}\n        return b'first'")
    words = ("simulate", "bomb", file, "scared", "--games", 2, "--rounds", 3, "--box", "none")
    ran = matchbox(*words, "--json")
    document = ran.json
    assert ran.code == 0
    assert [one["learning"][0]["fault"] for one in document["rounds"][:2]] == [None, told]
    names = [one["memories"].get("counting") for one in document["rounds"]]
    assert names == [None, digest(b"first"), digest(b"first")]
    assert all(one["faults"] == [] for one in document["rounds"])
    assert f"counting keeps its memory: {told}" in matchbox(*words).err


def test_the_faults_of_all_rounds_are_named_together(matchbox: Run, tmp_path: Path) -> None:
    file = learner(
        tmp_path, "return b'x'\n\n    def turn(self, *_):\n        raise ValueError('oh')"
    )
    words = ("simulate", "bomb", file, "scared", "--games", 2, "--rounds", 3, "--box", "none")
    told = [one for one in matchbox(*words).err.splitlines() if one.startswith("counting: ")]
    assert told == [
        "counting: 9 x crash: ValueError: oh",
        "counting: 3 x excluded: three bouts of this match were forfeited",
    ]


def test_rounds_are_shown_a_line_each(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "rounds.tsv"
    ran = matchbox(*WORDS, "--rounds", 2, "--box", "none", "--tsv", file)
    head, *rows = [line.split("\t") for line in ran.out.splitlines()]
    assert head == ["round", "stilllearning", "autopilot"]
    assert [row[0] for row in rows] == ["1", "2"]
    lines = [line.split("\t")[:3] for line in file.read_text().splitlines()]
    assert lines == [
        ["round", "first", "second"],
        *([n, *pair] for n in "12" for pair in (("stilllearning", "autopilot"),
                                                ("autopilot", "stilllearning"))),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (("thegame", "random", "--players", "2-3"), ["round", "random, 2", "random, 3"]),
        (("skull", "random", "random", "--players", "2"), ["round", "random, 2", "random-2, 2"]),
    ],
)
def test_every_kind_of_experiment_has_rounds(
    matchbox: Run, words: tuple[str, ...], columns: list[str]
) -> None:
    ran = matchbox("simulate", *words, "--games", 4, "--rounds", 2, "--box", "none")
    lines = [line.split("\t") for line in ran.out.splitlines()]
    assert lines[0] == columns
    assert [line[0] for line in lines[1:]] == ["1", "2"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("war", "--rounds", "2"), "--rounds is for bots"),
        (("bomb", "simple", "scared", "--rounds", "2", "--html", "x.html"), "--html draws one"),
        (("bomb", "simple", "scared", "--rounds", "0"), "Invalid value for '--rounds'"),
    ],
)
def test_rounds_that_cannot_be_are_wrong_usage(
    matchbox: Run, words: tuple[str, ...], told: str
) -> None:
    ran = matchbox("simulate", *words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
