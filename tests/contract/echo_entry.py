"""A program for boxes under test: does what the first word of each frame says. Runs inside."""

from __future__ import annotations

from collections.abc import Callable

PREPARED: list[str] = []


def prepare() -> None:
    """Leaves a mark in the process that seats are forked from."""
    PREPARED.append("once")


def serve(recv: Callable[[], bytes | None], send: Callable[[bytes], None]) -> None:
    """Each frame is Python code with `recv` and `send` in reach; `reply` is what it answers."""
    space: dict[str, object] = {"recv": recv, "send": send}
    while (frame := recv()) is not None:
        space["reply"] = b"done"
        exec(frame, space)
        reply = space["reply"]
        assert isinstance(reply, bytes)
        send(reply)
