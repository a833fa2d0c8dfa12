"""`replay` and `play` show a bot's owner its players' reports; `verify` asks for memories."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from cli import proof
from cli.remote import connect
from cli.verification import verifier
from matchbox import registry
from matchbox.bundle import digest
from matchbox.match.record import unpack
from matchbox.match.wire import Diagnostic, Entrant, MatchPlayed, PlayMatch
from matchbox.settings import Settings
from server.db.models import Role, User
from tests.books import play_out, really_played, season_of
from tests.unit.cli.conftest import Platform, Run
from tests.unit.server.routes.test_old_games import OtherRules
from tests.unit.worker.bots import GOOD
from tests.unit.worker.conftest import a_match
from worker.arena.play import play_job

OTHER = GOOD.replace("Good", "Other").encode()
TELLING = """
from matchbox.games.skull import *

class Telling(RandomAgent):
    def diagnostics(self):
        return {"doubt": 0.5}
"""


def reported_match(platform: Platform, owner: User, other: User) -> str:
    """Returns the id of a match of bomb in which both bots reported on their first move."""
    books = platform.books
    versions = [books.bot(owner, "one", GOOD.encode()), books.bot(other, "two", OTHER)]
    season_of(books, books.person("charlie", Role.OPERATOR), versions)
    played: list[str] = []

    def bring(jobs: list[PlayMatch]) -> list[MatchPlayed]:
        played.extend(job.match for job in jobs)
        said = [Diagnostic(who, 0, 0, 0, f'{{"mine":{who}}}') for who in (0, 1)]
        return [replace(really_played(books, job), diagnostics=said) for job in jobs]

    play_out(books, bring)
    return played[0]


def test_the_owner_alone_reads_the_reports_under_their_bout(
    alice: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = reported_match(platform, alice, platform.books.person("bob"))
    told = matchbox("replay", match).out
    first, *others = told.split("Bout ")[1:]
    assert first.count("  - alice/one, decision 0: {") == 1
    assert "bob/two, decision" not in told
    assert all("decision" not in bout for bout in others)
    monkeypatch.setenv("MATCHBOX_TOKEN", platform.token(platform.books.person("mallory")))
    assert "decision" not in matchbox("replay", match).out


def test_play_shows_what_the_players_report(matchbox: Run, tmp_path: Path) -> None:
    file = tmp_path / "telling.py"
    file.write_text(TELLING)
    words = ("play", "skull", file, "random", "--seed", 4)
    out = matchbox(*words).out
    assert 'telling, decision 0: {"doubt":0.5}' in out
    assert "random, decision" not in out
    transcript = matchbox(*words, "--box", "none", "--json").json["transcript"]
    assert "\n".join(transcript) == out.rstrip("\n")


def test_a_match_of_other_rules_says_so(
    alice: User, platform: Platform, matchbox: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = reported_match(platform, alice, platform.books.person("bob"))
    later = OtherRules(registry.game("bomb"))
    monkeypatch.setattr(registry, "game", lambda name: later)
    shown = matchbox("replay", match)
    assert (shown.code, shown.out) == (1, "")
    assert "it was played by rules 1 of bomb, and the rules here, 99, do not replay" in shown.err
    assert matchbox("replay", match, "--json").json["record"]["rules"] == "1"


@pytest.mark.usefixtures("alice")
def test_a_memory_that_one_may_not_read_is_not_at_hand() -> None:
    with connect() as client:
        assert proof._find("/memories/{}", client, lambda name: None)("ab" * 32) is None


@pytest.mark.parametrize(("memory", "finding"), [(b"", "same"), (b"old", "replayed_only")])
def test_a_match_with_a_memory_that_is_not_at_hand_is_only_replayed(
    memory: bytes, finding: str
) -> None:
    bundles = {digest(data): data for data in (GOOD.encode(), OTHER)}
    name = digest(memory) if memory else None
    seats = [Entrant(version, None, name) for version in bundles]
    job = a_match(GOOD.encode(), OTHER, seats=seats)
    record = unpack(play_job(job, bundles, None, memories={digest(memory): memory}).record)
    again = verifier(bundles.get, lambda name: None, None, Settings())
    assert again.verify(record, None) == finding
