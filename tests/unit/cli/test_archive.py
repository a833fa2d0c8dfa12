"""A season with learning is exported and verified again: on the server, and away from it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pytest

from cli import archive, folder
from cli.complete_file import complete_file
from matchbox.errors import BadOption, Unavailable
from matchbox.league.verification import SeasonVerifier
from server.db.models import Match, MatchSeat, User
from server.services import verifications
from tests.books import Books, play_out, really_learned, really_played, season_of
from tests.unit.cli.conftest import Platform, Ran, Run

LEARNER = """
from matchbox.games.bomb import *

class Learner(SimplePlayer):
    def remember(self, memory):
        self.caution = len(memory)

    def defuse(self, game_data):
        return min(self.caution, game_data.draw_pile_size())

    @staticmethod
    def learn(memory, records):
        return memory + bytes([len(records) % 256])
"""
CLOCK = LEARNER.replace("bytes([len", "__import__('os').urandom(3) + bytes([len")


def played(platform: Platform, operator: User, **bundles: str) -> None:
    """Plays a season of two learning rounds whose bots belong to the accounts named here."""
    books = platform.books
    owners = {"charlie": operator}
    versions = []
    for name, source in bundles.items():
        owner = owners.get(name) or books.person(name)
        versions.append(books.bot(owner, f"{name}-bot", f"{source}# {name}\n".encode()))
    season_of(books, operator, versions, format={"learning": "fresh"})
    play_out(
        books,
        lambda jobs: [really_played(books, job) for job in jobs],
        lambda job: really_learned(books, job),
    )


def verify(matchbox: Run, *words: object) -> Ran:
    """Verifies a season without a wall, which takes less time."""
    return matchbox("season", "verify", *words, "--box", "none")


def test_a_season_that_learned_is_proved_whole(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    told = matchbox("season", "verify", "spring", "--json")
    assert (told.code, told.err) == (0, "")
    found = told.json
    assert found["matches"] == found["same"] == found["out_of"] > 0
    assert found["lessons"]["same"] == found["lessons"]["out_of"] == 4
    assert found["standing"]["same"]
    assert found["limits"]["server"] == platform.url
    kept = matchbox("season", "show", "spring", "--json").json["verified"]
    assert (kept["matches"], kept["same"]) == (found["out_of"], found["out_of"])
    assert (kept["lessons"], kept["standing"]) == (found["lessons"], "same")


def test_a_report_that_the_server_does_not_keep_is_shown(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)

    def refuse(*_: object, **__: object) -> None:
        raise Unavailable("the database is busy")

    monkeypatch.setattr(verifications, "store", refuse)
    told = verify(matchbox, "spring", "--json")
    assert told.json["same"] == told.json["out_of"] > 0
    assert told.code == 1
    assert "verified, but the server did not keep it: the database is busy" in told.err


def test_a_long_list_of_a_report_is_cut_for_the_server(
    charlie: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_NAMED", 1)
    monkeypatch.setattr(SeasonVerifier, "match", lambda *_: "replayed_only")
    monkeypatch.setattr(SeasonVerifier, "lesson", lambda *_: "not_repeated")
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    found = verify(matchbox, "spring", "--json").json
    matches, lessons = len(found["replayed_only"]), len(found["lessons"]["not_repeated"])
    kept = matchbox("season", "show", "spring", "--json").json["verified"]
    assert kept["replayed_only"] == found["replayed_only"][:1]
    assert kept["counts"] == {"different": 0, "unrepeatable": 0, "replayed_only": matches}
    assert kept["lesson_counts"] == {"different": 0, "unrepeatable": 0, "not_repeated": lessons}
    assert min(matches, lessons) > 1


def test_a_sample_is_as_large_as_asked_for(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    told = verify(matchbox, "spring", "--sample", 1)
    assert told.code == 0
    assert told.err.endswith(f"verified under the limits of {platform.url}\n")
    assert "matches: 1 of " in told.out
    assert "lessons: 1 of 4 given again\nsame: 1\n" in told.out


def test_a_lesson_that_does_not_repeat_itself_is_called_so(
    charlie: User, platform: Platform, matchbox: Run
) -> None:
    played(platform, charlie, alice=CLOCK, bob=LEARNER)
    lessons = verify(matchbox, "spring", "--json").json["lessons"]
    assert lessons["same"] == 2
    assert [name.split(":")[0] for name in lessons["unrepeatable"]] == ["alice/alice-bot"] * 2


def test_an_archive_is_proved_without_the_server(
    charlie: User,
    platform: Platform,
    matchbox: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER, charlie=LEARNER)
    files = {whose: tmp_path / f"{whose}.zip" for whose in ("all", "mine")}
    for whose, file in files.items():
        assert matchbox("season", "export", "spring", file, "--bundles", whose).code == 0
    monkeypatch.setenv("MATCHBOX_URL", "http://127.0.0.1:9")
    whole = verify(matchbox, files["all"], "--json").json
    assert whole["same"] == whole["out_of"] > 0
    assert whole["lessons"]["same"] == whole["lessons"]["out_of"] > 0
    own = verify(matchbox, files["mine"], "--json")
    assert own.code == 0
    assert own.json["same"] == 0
    assert len(own.json["replayed_only"]) == own.json["out_of"] == whole["out_of"]
    assert own.json["lessons"]["out_of"] < whole["lessons"]["out_of"]
    assert own.json["standing"]["computed"] == whole["standing"]["digest"]
    folder.keep_secrets(tmp_path, {})
    more = verify(matchbox, files["mine"], "--data", tmp_path, "--json").json
    assert more["same"] == more["out_of"]


@pytest.mark.parametrize("what", ["row", "record", "standing"])
def test_a_forged_archive_is_found_out(
    what: str, charlie: User, platform: Platform, matchbox: Run, tmp_path: Path
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    whole, forged = tmp_path / "whole.zip", tmp_path / "forged.zip"
    matchbox("season", "export", "spring", whole, "--bundles", "all")
    with ZipFile(whole) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    if what == "row":
        lines = [json.loads(line) for line in files["matches.jsonl"].splitlines()]
        lines[0]["bouts"][0][2].reverse()
        files["matches.jsonl"] = b"\n".join(json.dumps(line).encode() for line in lines)
    elif what == "record":
        first, second = [name for name in files if name.startswith("records/")][:2]
        files[first] = files[second]
    else:
        head = json.loads(files["season.json"])
        head["standing"]["lines"][0]["elo"] += 100
        files["season.json"] = json.dumps(head).encode()
    with ZipFile(forged, "w", ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    told = verify(matchbox, forged, "--json")
    assert told.code == 1
    assert not told.json["standing"]["same"]
    assert len(told.json["different"]) == (what != "standing")


def exported(platform: Platform, operator: User, matchbox: Run, folder: Path) -> Path:
    """The archive of a season in which alice's and bob's bots learned, with their files."""
    played(platform, operator, alice=LEARNER, bob=LEARNER)
    whole = folder / "whole.zip"
    matchbox("season", "export", "spring", whole, "--bundles", "all")
    return whole


def forged(whole: Path, forge: Callable[[Any], None]) -> Path:
    """The archive with another season.json."""
    other = whole.with_name("forged.zip")
    with ZipFile(whole) as archive, ZipFile(other, "w", ZIP_STORED) as written:
        head = json.loads(archive.read("season.json"))
        forge(head)
        for name in archive.namelist():
            data = json.dumps(head) if name == "season.json" else archive.read(name)
            written.writestr(name, data)
    return other


def test_a_forged_lesson_is_found_out(
    charlie: User, platform: Platform, matchbox: Run, tmp_path: Path
) -> None:
    def forge(head: Any) -> None:
        first, *_, last = head["lessons"]
        first["after"] = last["after"]

    told = verify(
        matchbox, forged(exported(platform, charlie, matchbox, tmp_path), forge), "--json"
    )
    assert told.code == 1
    different = told.json["lessons"]["different"]
    assert [name.split(":")[0] for name in different] == ["alice/alice-bot"] * 2
    assert [name[-2:] for name in different] == [" 1", " 2"]
    assert told.json["standing"]["same"]
    assert len(told.json["different"]) == 1, "the match of the second round"


@pytest.mark.parametrize("left_out", ["all", "those of the first round"])
def test_a_memory_without_a_lesson_is_found_out(
    left_out: str, charlie: User, platform: Platform, matchbox: Run, tmp_path: Path
) -> None:
    def forge(head: Any) -> None:
        head["lessons"] = [one for one in head["lessons"] if left_out != "all" and one["round"] > 0]

    told = verify(
        matchbox, forged(exported(platform, charlie, matchbox, tmp_path), forge), "--json"
    )
    assert told.code == 1
    assert (told.json["same"], len(told.json["different"])) == (1, 1)
    kept = 0 if left_out == "all" else 2
    assert len(told.json["lessons"]["different"]) == told.json["lessons"]["out_of"] == kept


def test_only_operators_take_everybody_s_bots_and_sharing_is_asked_for(
    charlie: User,
    platform: Platform,
    matchbox: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(platform.books.person("mallory")))
    assert verify(matchbox, "spring").code == 0, "only operators' reports are kept"
    file = tmp_path / "spring.zip"
    refused = matchbox("season", "export", "spring", file, "--bundles", "all")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "everybody's bundles are for operators" in refused.err
    assert not file.exists()
    matchbox("season", "export", "spring", file)
    assert bundles(file) == 0
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(person(platform.books, "alice")))
    for answer in ("no", "yes"):
        told = f"your bots go with exported seasons: {answer}\n"
        assert matchbox("share", answer).out == matchbox("share").out == told
        assert matchbox("share", "--json").json == {"shares": answer == "yes"}
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(person(platform.books, "mallory")))
    file.unlink()
    matchbox("season", "export", "spring", file)
    assert bundles(file) == 1


def test_sharing_is_set_with_a_token_that_may_only_submit(
    alice: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(alice, "submit"))
    told = matchbox("share", "yes")
    assert (told.code, told.out) == (0, "your bots go with exported seasons: yes\n")


def bundles(file: Path) -> int:
    """How many bots are in the archive."""
    with ZipFile(file) as archive:
        return sum(name.startswith("bundles/") for name in archive.namelist())


def person(books: Books, name: str) -> User:
    """Returns the existing account."""
    with books.read() as session:
        return session.query(User).where(User.name == name).one()


@pytest.mark.parametrize("name", ["lig.zip", "out/lig", "/dev/null", "/"])
def test_a_file_that_is_not_there_is_no_season(matchbox: Run, name: str) -> None:
    told = matchbox("season", "verify", name)
    assert (told.code, told.err) == (
        2,
        f"matchbox: there is no file {name}: name an archive, or a season by name or number\n",
    )


def test_a_season_under_way_is_not_exported(
    charlie: User, platform: Platform, matchbox: Run, tmp_path: Path
) -> None:
    books = platform.books
    season_of(books, charlie, [books.bot(charlie, name) for name in ("one", "two")])
    told = matchbox("season", "export", "spring", tmp_path / "spring.zip")
    assert told.code == 1
    assert "spring is running; it can be exported once it is over" in told.err
    assert not (tmp_path / "spring.zip").exists()


def test_no_file_is_replaced_by_an_archive(
    charlie: User, platform: Platform, matchbox: Run, tmp_path: Path
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    file = tmp_path / "spring.zip"
    assert matchbox("season", "export", "spring", file).code == 0
    file.write_bytes(b"kept")
    told = matchbox("season", "export", "spring", file)
    assert told.code == 2
    assert f"{file} exists already: remove it, or name another file" in told.err
    assert file.read_bytes() == b"kept"


def test_a_place_where_no_file_can_be_is_named(tmp_path: Path) -> None:
    place = tmp_path / "gone" / "spring.zip"
    with (
        pytest.raises(BadOption, match=r"spring\.zip cannot be written: No such file"),
        complete_file(place),
    ):
        pytest.fail("there is nothing to write to")


def test_two_commands_may_write_the_same_file_at_once(tmp_path: Path) -> None:
    place = tmp_path / "spring.zip"
    with complete_file(place) as first:
        first.write(b"the whole of a longer file")
        with complete_file(place) as second:
            second.write(b"short")
        assert place.read_bytes() == b"short"
    assert place.read_bytes() == b"the whole of a longer file"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("deadly", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_leaves_no_part_of_a_file(
    deadly: signal.Signals, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt), complete_file(tmp_path / "spring.zip") as file:
        file.write(b"the first half")
        os.kill(os.getpid(), deadly)
        pytest.fail("the command goes on")
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(deadly) is signal.SIG_DFL


def test_the_draft_of_a_command_that_was_killed_is_removed_by_the_next_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "spring.zip"
    left, other = tmp_path / "spring.zip.0123abcd.part", tmp_path / "spring.zip.part"
    for file in (left, other):
        file.write_bytes(b"the first half")
    with complete_file(place) as zipped:
        zipped.write(b"the whole")
    assert set(tmp_path.iterdir()) == {place, other}
    assert f"{left} was left by a command that was killed, and is removed" in " ".join(
        capsys.readouterr().err.split()
    )


def test_a_file_that_is_no_ordinary_one_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "pipe"
    os.mkfifo(place)
    with pytest.raises(BadOption, match="not an ordinary file"), complete_file(place):
        pytest.fail("there is nothing to write to")
    assert place.is_fifo()


def test_lessons_are_listed_for_their_owner_alone(
    charlie: User,
    platform: Platform,
    matchbox: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(person(platform.books, "alice")))
    found = matchbox("lessons", "spring", "--json").json
    assert [(one["bot"], one["round"], one["state"]) for one in found] == [
        ("alice/alice-bot", 1, "learned"),
        ("alice/alice-bot", 2, "learned"),
    ]
    assert found[0]["after"] == found[1]["before"]
    file = tmp_path / "memory"
    assert matchbox("lessons", "spring", "--memory", file).code == 0
    assert len(file.read_bytes()) == found[1]["bytes"] == 2
    again = matchbox("lessons", "spring", "--memory", file)
    assert (again.code, again.err) == (
        2, f"matchbox: {file} exists already: remove it, or name another file\n"
    )  # fmt: skip
    bob = platform.token(person(platform.books, "bob"))
    monkeypatch.setenv("MATCHBOX_TOKEN", bob)
    others = [one["after"] for one in matchbox("lessons", "spring", "--json").json]
    assert "alice" not in matchbox("lessons", "spring").out
    assert len(others) == 2


def test_a_memory_is_written_only_if_it_is_clear_whose(
    charlie: User, platform: Platform, matchbox: Run, tmp_path: Path
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    file = tmp_path / "memory"
    done = matchbox("lessons", "spring", "--memory", file)
    assert done.code == 2
    assert "lessons of alice/alice-bot and bob/bob-bot; say with --bot" in done.err
    assert not file.exists()
    newest = matchbox("lessons", "spring", "--bot", "bob/bob-bot", "--json").json[-1]
    assert matchbox("lessons", "spring", "--bot", "bob/bob-bot", "--memory", file).code == 0
    assert len(file.read_bytes()) == newest["bytes"]


def test_a_match_with_memories_is_played_again_by_who_may_have_them(
    charlie: User,
    platform: Platform,
    matchbox: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played(platform, charlie, alice=LEARNER, bob=LEARNER)
    with platform.books.read() as session:
        query = session.query(Match.id).join(MatchSeat).where(MatchSeat.memory.is_not(None))
        match = query.order_by(Match.number.desc()).limit(1).scalar()
    assert matchbox("verify", match, "--box", "none", "--json").json["verdict"] == "same"
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(person(platform.books, "alice")))
    words = ("verify", match, "--box", "none", "--json")
    assert matchbox(*words).json["verdict"] == "replayed_only"
    folder.keep_secrets(tmp_path, {})
    assert matchbox(*words, "--data", tmp_path).json["verdict"] == "same"
