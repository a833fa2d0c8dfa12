"""The messages of docs/protocol.md, read by the module that reads real ones."""

from __future__ import annotations

import ast
import json
import marshal
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from matchbox import registry
from matchbox.bundle import digest
from matchbox.match import frames, wire
from matchbox.match import record as records
from matchbox.match.replay import replay
from matchbox.match.seat import LocalChannel
from sandbox.policy import CHUNK_BYTES, HELLO, TAG_BYTES, Limits
from worker.arena.match_seats import parse_limits

PARTS = re.compile(r"^#{2,3} ", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MESSAGES: dict[str, type[Any]] = {
    "TryOut": wire.TryOut,
    "PlayMatch": wire.PlayMatch,
    "Teach": wire.Teach,
    "TakeTurn": wire.TakeTurn,
    "Verify": wire.Verify,
    "TriedOut": wire.TriedOut,
    "MatchPlayed": wire.MatchPlayed,
    "Learned": wire.Learned,
    "TurnTaken": wire.TurnTaken,
    "Verified": wire.Verified,
    "Lost": wire.Lost,
}


@pytest.fixture
def page(checkout: Path) -> str:
    return (checkout / "docs/protocol.md").read_text()


def part(page: str, heading: str) -> str:
    """The text under a heading."""
    return next(text for text in PARTS.split(page) if text.startswith(f"{heading}\n"))


def examples(page: str, heading: str) -> list[Any]:
    """The messages under a heading, in order. Those in marshal's format are written as Python."""
    return [
        ast.literal_eval(code) if language == "python" else json.loads(code)
        for language, code in BLOCK.findall(part(page, heading))
        if language in ("python", "json")
    ]


def test_a_seat_talks_as_the_page_says(page: str) -> None:
    told = examples(page, "Load") + examples(page, "Ask") + examples(page, "Learn")
    channel = LocalChannel()
    try:
        for asked, answer in zip(told[::2], told[1::2], strict=True):
            assert json.loads(channel.ask(marshal.dumps(asked))) == answer
    finally:
        channel.close()


def test_the_referee_asks_as_the_page_says(page: str) -> None:
    ((kind, job), _) = examples(page, "Load")
    frame = frames.load_frame(job["package"], job["files"], job["class"], job["seed"])
    assert marshal.loads(frame) == [kind, job]
    for asked in examples(page, "Ask")[::2]:
        assert marshal.loads(frames.ask_frame(*asked[1:])) == asked


def test_the_referee_reads_the_answers_of_the_page(page: str) -> None:
    assert frames.read_loaded(json.dumps(examples(page, "Load")[1]).encode()) == "MediumPlayer"
    for asked, answer in zip(*[iter(examples(page, "Ask"))] * 2, strict=True):
        read = frames.read_answers(json.dumps(answer).encode(), asked[1], len(asked[2]))
        assert read == answer[2]


def test_a_seat_says_which_function_was_asked_as_the_page_says(page: str) -> None:
    asked, answer = examples(page, "Where")
    assert marshal.loads(frames.where_frame(asked[1])) == asked
    assert frames.read_where(json.dumps(answer).encode()) == ("player.py", 12, "turn")


@pytest.mark.parametrize("name", MESSAGES)
def test_every_message_of_the_page_is_one(name: str, page: str) -> None:
    (shown,) = examples(page, name)
    message = wire.from_plain(MESSAGES[name], shown)
    assert wire.to_plain(message) == shown


def test_the_page_has_every_message_of_the_wire(page: str) -> None:
    defined = {
        name
        for name, value in vars(wire).items()
        if isinstance(value, type)
        and issubclass(value, msgspec.Struct)
        and "v" in value.__struct_fields__
    }
    assert defined - {"Job"} == set(MESSAGES)


def test_the_page_has_every_task_and_its_queue(page: str) -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \| `([a-z]+)` \|", page, re.MULTILINE)
    assert dict(rows) == wire.QUEUES


@pytest.mark.parametrize("name", ["TryOut", "PlayMatch"])
def test_the_limits_of_a_job_are_those_of_a_seat(name: str, page: str) -> None:
    (shown,) = examples(page, name)
    assert isinstance(parse_limits(shown["limits"]), Limits)


def test_the_record_of_the_page_replays_and_has_its_digest(page: str) -> None:
    (shown,) = examples(page, "The record")
    record = msgspec.convert(shown, records.Record)
    replay(registry.game("bomb"), record)
    assert f"digest is `{records.digest(record)}`" in page


def test_the_record_in_the_message_is_that_of_the_page(page: str) -> None:
    (message,), (record,) = examples(page, "MatchPlayed"), examples(page, "The record")
    packed = wire.from_plain(wire.MatchPlayed, message).record
    assert records.unpack(packed) == msgspec.convert(record, records.Record)


def test_the_job_of_the_page_is_that_of_its_record(page: str) -> None:
    (job,), (record,) = examples(page, "PlayMatch"), examples(page, "The record")
    ((_, load), _) = examples(page, "Load")
    assert [seat["version"] for seat in job["seats"]] == record["seats"]
    assert digest(load["files"]["player.py"]) == record["seats"][1]
    assert [job[key] for key in ("match", "game", "rules", "options", "deals", "width")] == [
        record[key] for key in ("match", "game", "rules", "options", "deals", "width")
    ]


def test_the_sizes_of_packets_are_those_of_the_policy(page: str) -> None:
    text = " ".join(page.split())
    limits = Limits()
    for size in (
        f"a mark of {TAG_BYTES} random bytes",
        f"up to {CHUNK_BYTES >> 10} KiB of the frame",
        f"the seat sends `{HELLO.decode()}`",
        f"at most {limits.envelope_bytes >> 10} KiB and {limits.answer_bytes} bytes for each",
        f"longer than {wire.BROKER_BYTES >> 10} KiB",
        f"at most {frames.MAX_DEPTH} deep",
    ):
        assert size in text
