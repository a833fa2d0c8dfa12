"""The examples on the pages work: bots are accepted, messages decode, limits hold."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from matchbox import bundle
from matchbox.dice import derive_deals
from matchbox.match.bouts import MAX_FAULTS
from matchbox.match.frames import REPORT_LENGTH
from matchbox.match.learning import MAX_BYTES, MAX_RECORDS
from matchbox.match.memory import MEMORY_BYTES
from matchbox.match.wire import TriedOut, TryOut
from matchbox.settings import PREFIX, Settings
from sandbox.policy import LEARN_CPU_MS, LEARN_MEMORY_MB, Limits
from server import webhook_client
from server.services.deliveries import BACKOFF_MS
from worker.arena.tryout import try_out

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES_WITH_BOTS = (
    "README.md",
    "docs/write-a-bot.md",
    "matchbox/games/bomb/README.md",
)


def blocks(page: Path, language: str) -> list[str]:
    """The code of a page in that language."""
    return [code for kind, code in BLOCK.findall(page.read_text()) if kind == language]


def bots(page: Path) -> list[str]:
    """The complete bots of a page: a class of players with its imports."""
    return [code for code in blocks(page, "python") if "(Player)" in code]


def tried(data: bytes) -> TriedOut:
    """The verdict on a bomb bot, in this process."""
    job = TryOut(
        attempt=1,
        token="",
        game="bomb",
        limits={},
        version=bundle.digest(data),
        deals=derive_deals("docs", 2),
    )
    return try_out(job, data, None)


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def files_of(page: Path) -> dict[str, str]:
    """The files of a zip on the page, each under its name in the first line."""
    named = [re.match(r"# (\w+\.py)\n", code) for code in blocks(page, "python")]
    return {found[1]: found.string for found in named if found}


@pytest.mark.parametrize("page", PAGES_WITH_BOTS)
def test_every_bot_on_a_page_is_accepted(page: str, checkout: Path) -> None:
    shown = [code for code in bots(checkout / page) if "# player.py" not in code]
    assert shown
    for code in shown:
        verdict = tried(code.encode())
        assert (verdict.accepted, verdict.reasons) == (True, [])
        assert not verdict.unrepeatable


def test_the_learner_on_the_page_learns_and_plays_with_what_it_knows(checkout: Path) -> None:
    (source,) = (code for code in bots(checkout / "docs/write-a-bot.md") if "def learn(" in code)
    space: dict[str, Any] = {}
    exec(source, space)
    record = {
        "places": [2, 1],
        "seat": 1,
        "steps": [
            {"seat": 0, "move": None, "view": None},
            {"seat": 1, "move": 0, "view": {"ask": "defuse"}},
            {"seat": 1, "move": 4, "view": {"ask": "defuse"}},
        ],
    }
    learner = space["LearningPlayer"]
    memory = learner.learn(learner.learn(b"", [record]), [{**record, "places": [1, 2]}, record])
    player = learner()
    player.remember(memory)
    assert player.table == {"top": [2, 1], "below": [2, 1]}
    assert tried(source.encode()).games == 10


def test_the_limits_of_learning_on_the_page_are_those_of_the_code(checkout: Path) -> None:
    text = " ".join((checkout / "docs/write-a-bot.md").read_text().split())
    for size in (
        f"a memory of up to {MEMORY_BYTES >> 10} KiB",
        f"at most {MAX_RECORDS:,} bouts and {MAX_BYTES >> 20} MiB",
        f"{LEARN_CPU_MS // 1000} s of processor time and {LEARN_MEMORY_MB} MiB",
        f"up to {REPORT_LENGTH:,} characters of JSON",
    ):
        assert size in text


def test_the_zip_on_the_page_is_accepted(checkout: Path) -> None:
    files = files_of(checkout / "docs/write-a-bot.md")
    assert set(files) == {"player.py", "places.py"}
    text = (checkout / "docs/write-a-bot.md").read_text()
    (places,) = re.findall(r"^`places\.txt`\n\n```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    verdict = tried(zipped({**files, "places.txt": places}))
    assert verdict.accepted, verdict.reasons
    assert verdict.class_name == "PatientPlayer"


class NotReady(BaseHTTPRequestHandler):
    """A platform that is not ready, and says why."""

    def do_GET(self) -> None:
        self.send_response(503)
        self.end_headers()
        self.wfile.write(b"broker: false")

    def log_message(self, *_: object) -> None:
        """Writes nothing."""


def test_the_command_for_an_unhealthy_container_shows_what_is_wrong(checkout: Path) -> None:
    text = (checkout / "docs/symptoms.md").read_text()
    (told,) = re.findall(r"`docker compose exec web (python -c [^`]+)`", text)
    _, *words = shlex.split(told)
    with HTTPServer(("127.0.0.1", 0), NotReady) as server:
        threading.Thread(target=server.handle_request).start()
        words[1] = words[1].replace("8000", str(server.server_port))
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    assert "broker: false" in done.stdout


def test_the_receiver_on_the_page_knows_a_notice_from_a_forgery(checkout: Path) -> None:
    page = checkout / "docs/write-a-bot.md"
    (source,) = (code for code in blocks(page, "python") if "def is_genuine(" in code)
    receiver: dict[str, Any] = {}
    exec(source, receiver)
    is_genuine, secret, now = receiver["is_genuine"], webhook_client.make_secret(), int(time.time())
    given = webhook_client.headers(secret, "notice_1", now, b"{}")
    assert is_genuine(secret, given, b"{}")
    assert not is_genuine(secret, given, b"{} ")
    assert not is_genuine(webhook_client.make_secret(), given, b"{}")
    assert not is_genuine(secret, {**given, "webhook-id": "notice_2"}, b"{}")
    for changed in (
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "9" * 5000},
        {"webhook-signature": "v1,\N{SNOWMAN} v1,"},
    ):
        assert not is_genuine(secret, {**given, **changed}, b"{}")
    assert not is_genuine(secret, {}, b"{}")
    assert not is_genuine(
        secret, webhook_client.headers(secret, "notice_1", now - 600, b"{}"), b"{}"
    )


def test_the_limits_on_the_page_for_authors_are_those_of_the_settings(checkout: Path) -> None:
    text = (checkout / "docs/write-a-bot.md").read_text()
    rows = re.findall(rf"^\| .+ \| (\d+)[^|]* \| `{PREFIX}(\w+)` \|$", text, re.MULTILINE)
    shown = {name.lower(): int(value) for value, name in rows}
    limits = {knob.name for knob in fields(Limits)}
    wanted = {knob.name: knob.default for knob in fields(Settings) if knob.name in limits}
    assert shown == wanted


def test_the_other_numbers_on_the_page_for_authors_are_those_of_the_code(checkout: Path) -> None:
    text = " ".join((checkout / "docs/write-a-bot.md").read_text().split())
    usual = Settings()
    for told in (
        f"After {NUMBERS[MAX_FAULTS]} faults in a match",
        f"more than {usual.forfeit_percent}% of its bouts over at least "
        f"{usual.forfeit_matches} matches is suspended",
        f"you may ask for {usual.comparison_games:,} bouts a day",
        f"You may try {usual.uploads_per_hour} drafts in an hour, and upload "
        f"{usual.uploads_per_hour} versions",
        f"and run {NUMBERS[usual.comparisons_at_once]} comparisons at once",
        f"Up to {usual.width} bouts are in progress at once",
        f"within {NUMBERS[int(webhook_client.TIMEOUT_S)]} seconds",
        f"at most {NUMBERS[len(BACKOFF_MS)]} times, with the same header `webhook-id`",
        f"The status {webhook_client.GONE} turns the webhook off",
    ):
        assert told in text


def test_the_limits_without_a_setting_are_those_of_the_policy(checkout: Path) -> None:
    text = (checkout / "docs/write-a-bot.md").read_text()
    assert f"| processor time while it is not asked | {Limits().off_turn_ms} ms | |" in text
    assert f"| length of an answer | {Limits().answer_bytes} bytes | |" in text


def test_the_sizes_of_an_upload_are_those_of_the_bundle(checkout: Path) -> None:
    text = " ".join((checkout / "docs/write-a-bot.md").read_text().split())
    for size in (
        f"may have {bundle.FILE_BYTES >> 10} KiB",
        f"may have {bundle.ZIP_BYTES >> 20} MiB",
        f"{bundle.UNPACKED_BYTES >> 20} MiB unpacked",
        f"{bundle.MAX_FILES} files",
        f"more than {bundle.MAX_RATIO} times",
        f"`{bundle.MAIN}` lies at its root",
    ):
        assert size in text
