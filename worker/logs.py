"""Sets up the log of every process: text or JSON lines, with few repetitions of one line.

Knows formats and repeated lines; knows no files, because a process writes to its standard error.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

import structlog
from structlog.stdlib import ProcessorFormatter

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor

    from matchbox.settings import Settings

MAX_LINES: Final = 5
"""The number of lines of one kind that are written in a window. Further ones are counted."""
WINDOW_S: Final = 60.0
KINDS: Final = 1_000
"""The number of kinds of lines that are remembered."""
ACCESS: Final = "access"
"""The logger of requests, whose lines are alike and are all written."""
OURS: Final = ("server", "worker", "cli", "matchbox", "sandbox", ACCESS, "gunicorn.error")
"""The loggers that write more than warnings."""
_NUMBER: Final = re.compile(r"\S*\d\S*")
_JOB: Final = ("match", "version", "lesson", "turn", "verification", "attempt")


class Repeats(logging.Filter):
    """Passes the first lines of each kind in a minute. The first line of that kind after the minute
    says how many were left out.

    A kind is a logger, a level, a text before its values are filled in, and the cause: so a fault
    that repeats hides no other one.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[tuple[str, int, str, str], tuple[float, int]] = {}
        self._turn = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written."""
        if record.name == ACCESS:
            return True
        kind = (record.name, record.levelno, _text_of(record), _cause_of(record))
        now = self._clock()
        with self._turn:
            begun, count = self._seen.pop(kind, (now, 0))
            left_out = 0
            if now - begun >= WINDOW_S:
                left_out, begun, count = max(0, count - MAX_LINES), now, 0
            self._seen[kind] = (begun, count + 1)
            if len(self._seen) > KINDS:
                del self._seen[next(iter(self._seen))]
        if left_out:
            _mark(record, left_out)
        return count < MAX_LINES


def configure(settings: Settings, **fixed: str) -> None:
    """Sets up the log of this process. Each line gets the `fixed` fields, such as an arena's name.

    Fields that are bound to the thread's context, such as a request's id, are added too.
    """

    def add_fixed(_: Any, __: str, event: EventDict) -> EventDict:
        return {**fixed, **event}

    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        add_fixed,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    shown: list[Processor] = [ProcessorFormatter.remove_processors_meta]
    if settings.log_json:
        shown += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        shown.append(
            structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            )
        )
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(Repeats())
    handler.setFormatter(ProcessorFormatter(processors=shown, foreign_pre_chain=shared))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    for name in ("gunicorn.error", "gunicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def job_fields(message: object) -> AbstractContextManager[None]:
    """Adds the identifiers in this message (match, version, attempt and so on) to every line of a
    block."""
    known: Mapping[str, Any] = message if isinstance(message, dict) else {}
    found = {name: known[name] for name in _JOB if isinstance(known.get(name), str | int)}
    return structlog.contextvars.bound_contextvars(**found)


def _text_of(record: logging.LogRecord) -> str:
    return str(record.msg.get("event") if isinstance(record.msg, dict) else record.msg)


def _cause_of(record: logging.LogRecord) -> str:
    """The exception's type and the lines that led to it, or else the reason without its numbers."""
    values = record.msg if isinstance(record.msg, dict) else {}
    raised = sys.exc_info() if values.get("exc_info") is True else record.exc_info
    if raised and raised[0] is not None:
        lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(raised[2])]
        return f"{raised[0].__name__} {lines}"
    return _NUMBER.sub("", str(values.get("why", "")))


def _mark(record: logging.LogRecord, left_out: int) -> None:
    if isinstance(record.msg, dict):
        record.msg["left_out"] = left_out
    else:
        record.msg = f"{record.msg} ({left_out} more like this were left out)"
