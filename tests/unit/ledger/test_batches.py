"""Results that arrive close together are booked together; if that fails, each alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from worker.ledger.batches import MAX_MESSAGES, WAIT_S, Batches


@dataclass
class Message:
    """A message in Celery's form: its task's arguments, and headers."""

    name: str
    headers: dict[str, Any] = field(default_factory=dict)

    @property
    def payload(self) -> tuple[list[str], dict[str, Any], dict[str, Any]]:
        """The arguments, keywords and links."""
        return [self.name], {}, {}


class Ledger:
    """A ledger that notes events in their order."""

    def __init__(self, fails: Exception | None = None) -> None:
        self.log: list[tuple[str, object]] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self._fails = fails
        self.batches = Batches(self._book, self._alone, self._later, self._acknowledge)

    def bring(self, *names: str, **headers: Any) -> None:
        """Delivers messages."""
        for name in names:
            self.batches.take(Message(name, headers), None, lambda name=name: name, None, ())

    def wait(self) -> None:
        """Lets a batch's waiting time pass."""
        due, self.timers = self.timers, []
        for _, call in due:
            call()

    def _book(self, results: Sequence[object]) -> None:
        if self._fails:
            raise self._fails
        self.log.append(("together", list(results)))

    def _alone(self, message: Message, *_: Any) -> None:
        self.log.append(("alone", message.name))

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        self.timers.append((seconds, call))

    def _acknowledge(self, ack: Callable[..., object]) -> None:
        self.log.append(("acknowledged", ack()))


def test_what_arrives_together_is_booked_together_and_then_acknowledged() -> None:
    ledger = Ledger()
    ledger.bring("a", "b")
    assert ledger.log == []
    assert [seconds for seconds, _ in ledger.timers] == [WAIT_S]
    ledger.wait()
    assert ledger.log == [("together", ["a", "b"]), ("acknowledged", "a"), ("acknowledged", "b")]
    ledger.bring("c", "d")
    ledger.wait()
    assert ledger.log[3:] == [
        ("together", ["c", "d"]), ("acknowledged", "c"), ("acknowledged", "d"),
    ]  # fmt: skip


def test_a_full_batch_does_not_wait() -> None:
    ledger = Ledger()
    names = [str(number) for number in range(MAX_MESSAGES)]
    ledger.bring(*names)
    assert ledger.log[0] == ("together", names)
    assert len(ledger.log) == 1 + MAX_MESSAGES
    ledger.wait()
    assert len(ledger.log) == 1 + MAX_MESSAGES


def test_one_result_is_booked_the_usual_way() -> None:
    ledger = Ledger()
    ledger.bring("a")
    ledger.wait()
    assert ledger.log == [("alone", "a")]


def test_a_batch_that_fails_is_booked_one_by_one_and_acknowledged_by_the_tasks() -> None:
    ledger = Ledger(ValueError("one of them is bad"))
    ledger.bring("a", "b", "c")
    ledger.wait()
    assert ledger.log == [("alone", "a"), ("alone", "b"), ("alone", "c")]


def test_a_retry_keeps_its_own_time() -> None:
    ledger = Ledger()
    ledger.bring("a", eta="2026-11-25T12:00:00Z")
    assert ledger.log == [("alone", "a")]
    assert ledger.timers == []
