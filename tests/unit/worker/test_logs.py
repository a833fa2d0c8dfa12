"""The log of a process: text or JSON, with the job and the request, and without endless repeats."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from matchbox.settings import Settings
from worker import logs


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Restores the logging of the tests afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Returns the lines written since the last call."""
    return capsys.readouterr().err.splitlines()


def test_a_json_line_names_the_arena_the_match_and_the_attempt(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.configure(Settings(log_json=True), arena="arena-1")
    with logs.job_fields({"match": "ab" * 16, "attempt": 2, "token": "secret", "rows": []}):
        structlog.get_logger("worker.arena").warning("job.requeued", why="no room")
        logging.getLogger("celery").error("Cannot connect to %s", "redis")
    first, second = map(json.loads, lines(capsys))
    assert first["event"] == "job.requeued"
    assert (first["arena"], first["match"], first["attempt"]) == ("arena-1", "ab" * 16, 2)
    assert (first["level"], first["logger"], "token" in first) == ("warning", "worker.arena", False)
    assert (second["event"], second["match"]) == ("Cannot connect to redis", "ab" * 16)


def test_a_traceback_stays_on_one_json_line(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings(log_json=True))
    try:
        raise ValueError("a bad day")
    except ValueError:
        logging.getLogger("celery").exception("It failed")
    (line,) = lines(capsys)
    assert "ValueError: a bad day" in json.loads(line)["exception"]


def test_text_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings())
    structlog.get_logger("server").info("outbox.waits", why="away")
    (line,) = lines(capsys)
    assert "outbox.waits" in line
    assert "why=away" in line


def test_a_line_that_repeats_is_written_five_times_a_minute_and_then_counted() -> None:
    now = [0.0]
    repeats = logs.Repeats(lambda: now[0])

    def passed(text: str, *values: object) -> str | None:
        record = logging.LogRecord("celery", logging.ERROR, "", 1, text, values, None)
        return record.getMessage() if repeats.filter(record) else None

    written = [passed("Try %s", number) for number in range(100)]
    assert sum(text is not None for text in written) == logs.MAX_LINES
    assert passed("Another line") == "Another line"
    now[0] = 61
    assert passed("Try %s", 100) == "Try 100 (95 more like this were left out)"


def test_a_fault_that_repeats_hides_no_other_one(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings())
    log = structlog.get_logger("server")

    def fail(error: Exception) -> None:
        try:
            raise error
        except ValueError:
            log.exception("tick.failed")
            logging.getLogger("flask").exception("Exception on %s", "/")
        except KeyError:
            log.exception("tick.failed")
            logging.getLogger("flask").exception("Exception on %s", "/")

    for number in range(20):
        log.warning("delivery.failed", notice=number, why=f"mail {number} was refused")
        fail(ValueError(number))
    often = lines(capsys)
    assert [
        sum(one in line for line in often) for one in ("refused", "tick.f", "Exception on")
    ] == [5] * 3
    log.warning("delivery.failed", notice=20, why="there is no such receiver")
    fail(KeyError("rare"))
    rare = lines(capsys)
    assert sum("no such receiver" in line for line in rare) == 1
    assert sum(line == "KeyError: 'rare'" for line in rare) == 2


def test_requests_are_all_written() -> None:
    repeats = logs.Repeats()
    record = logging.LogRecord(logs.ACCESS, logging.INFO, "", 1, "request", (), None)
    assert all(repeats.filter(record) for _ in range(20))


def test_only_so_many_kinds_of_lines_are_remembered() -> None:
    repeats = logs.Repeats()
    for number in range(2 * logs.KINDS):
        assert repeats.filter(logging.LogRecord("x", 30, "", 1, f"line {number}", (), None))
    assert len(repeats._seen) == logs.KINDS
